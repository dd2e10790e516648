//! The kill series: signals at moments spread over a whole run, each held exactly, and what is left and kept after each.

use super::driver::{Desk, Finished, User, listing, phases_with, quick_target, scratches};
use super::need::{Need, is_missing};
use super::traced::{Moment, Traced, moments};
use barrow::model::phase::Phase;
use barrow::model::record::Status;
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Time before each line that is read, while barrow is to hear a signal: only its other threads go on meanwhile.
const SLOW: Duration = Duration::from_millis(5);
/// The same for the second signal, before which it must not come to its end.
const SLOWER: Duration = Duration::from_millis(15);
/// Longer than the time in which a signal that came twice counts as one.
const NO_ECHO: Duration = Duration::from_millis(260);

/// What the assertions have shown: the moments with each outcome.
struct Table {
    what: &'static str,
    rows: BTreeMap<&'static str, Vec<String>>,
}

impl Table {
    fn of(what: &'static str) -> Self {
        Self { what, rows: BTreeMap::new() }
    }

    fn add(&mut self, moment: &Moment, outcome: &'static str) {
        self.rows.entry(outcome).or_default().push(moment.name.clone());
    }

    /// Shows it; fails unless there is an outcome for each of so many moments.
    fn show(&self, expected: usize) {
        let count: usize = self.rows.values().map(Vec::len).sum();
        for (outcome, moments) in &self.rows {
            println!("{}: {} kills: {outcome}\n    at: {}", self.what, moments.len(), moments.join(", "));
        }
        assert_eq!(count, expected, "{}", self.what);
    }
}

/// Fails unless `barrow clean` brings the directory back to what it was, and then finds nothing any more.
fn expect_cleaned(desk: &Desk, target: &Path, before: &BTreeMap<std::path::PathBuf, String>) {
    let left = scratches(target);
    let clean = || Finished::of(desk.barrow(User::Tester, ["clean"]).arg(target)).expect_code(0);
    let removed: Vec<String> = left.iter().map(|left| format!("removed {}\n", left.display())).collect();
    let cleaned = clean();
    assert!(left.is_empty() || cleaned.stdout == removed.concat(), "{}", cleaned.stdout);
    assert_eq!(listing(target), *before);
    assert!(clean().stdout.contains("nothing of barrow's"));
}

/// The finished phases are in the run file and in the report, nothing is left, and the process ends by the signal.
fn stop_at(signal: Signal, moment: &Moment) {
    let (desk, target) = (Desk::new(), quick_target());
    let before = listing(target.path());
    let mut traced = Traced::start(&desk, target.path(), &[]);
    traced.reach(moment);
    traced.signal_and_hear(signal, &[signal.as_str(), "stopping after the current call"], SLOW);
    let finished = traced.finish().expect_signal(signal);
    assert_eq!(listing(target.path()), before, "{signal} at {}", moment.name);
    let runs = desk.runs();
    assert_eq!(runs.len(), 1, "{signal} at {}", moment.name);
    let names: Vec<&str> = Phase::STANDARD[..moment.finished].iter().map(|phase| phase.name()).collect();
    assert_eq!(phases_with(&runs[0], Status::Ok), names, "{signal} at {}", moment.name);
    assert_eq!(runs[0].complete, moment.finished == Phase::STANDARD.len());
    let hit = runs[0].phases.get(moment.finished).filter(|_| moment.is_in_phase);
    assert!(hit.is_none_or(|hit| hit.reason.as_deref() == Some("the run was stopped in it")), "{signal} at {}", moment.name);
    assert!(finished.stdout.starts_with("barrow "), "no report");
}

fn stop_series(signal: Signal) {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let mut table = Table::of(signal.as_str());
    for moment in moments() {
        stop_at(signal, &moment);
        table.add(&moment, "ended by it; nothing left; the finished phases in run file and report");
    }
    table.show(moments().len());
}

#[test]
#[ignore = "needs strace"]
fn sigint_at_every_moment() {
    stop_series(Signal::SIGINT);
}

#[test]
#[ignore = "needs strace"]
fn sigterm_at_every_moment() {
    stop_series(Signal::SIGTERM);
}

#[test]
#[ignore = "needs strace"]
fn sighup_at_every_moment() {
    stop_series(Signal::SIGHUP);
}

#[test]
#[ignore = "needs strace"]
fn sigkill_at_every_moment() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let mut table = Table::of("SIGKILL");
    for moment in moments() {
        let (desk, target) = (Desk::new(), quick_target());
        let before = listing(target.path());
        let mut traced = Traced::start(&desk, target.path(), &[]);
        traced.reach(&moment);
        traced.signal(Signal::SIGKILL);
        traced.finish().expect_signal(Signal::SIGKILL);
        let is_kept = moment.name.starts_with("run line");
        assert_eq!(desk.runs().len(), usize::from(is_kept), "{}", moment.name);
        assert_eq!(scratches(target.path()).len(), usize::from(!is_kept && !moment.name.contains("scratch directory removed")));
        expect_cleaned(&desk, target.path(), &before);
        table.add(&moment, "`barrow clean` brings the directory back to what it was; the run file is intact");
    }
    table.show(moments().len());
}

#[test]
#[ignore = "needs strace"]
fn a_second_sigint_at_every_moment() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let mut table = Table::of("SIGINT twice");
    // When all phases are finished the end comes before there could be a second one.
    let early: Vec<Moment> = moments().into_iter().filter(|moment| moment.finished < Phase::STANDARD.len()).collect();
    let mut named = 0;
    for moment in &early {
        let (desk, target) = (Desk::new(), quick_target());
        let before = listing(target.path());
        let mut traced = Traced::start(&desk, target.path(), &[]);
        traced.reach(moment);
        traced.signal_and_hear(Signal::SIGINT, &["once more stops at once"], SLOW);
        // It stands still meanwhile.
        std::thread::sleep(NO_ECHO);
        traced.signal_and_hear(Signal::SIGINT, &["SIGINT again: stopped at once"], SLOWER);
        let finished = traced.finish().expect_signal(Signal::SIGINT);
        for left in scratches(target.path()) {
            assert!(finished.stderr.contains(&format!("left behind, if not yet removed: {}", left.display())), "{}", finished.stderr);
            named += 1;
        }
        expect_cleaned(&desk, target.path(), &before);
        assert!(desk.runs().len() <= 1);
        table.add(moment, "ended by it; what is left is named, and `barrow clean` removes exactly that");
    }
    // Where there is little to remove, the end by the first signal may come before the second is heard.
    println!("SIGINT twice: in {named} of {} something was left and named", early.len());
    assert!(named >= 8, "only {named} ended by the second");
    table.show(early.len());
}

/// A whole run with a signal at every moment.
fn unharmed(what: &'static str, signal: Signal, before_barrow: &[&str]) {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let mut table = Table::of(what);
    let (desk, target) = (Desk::new(), quick_target());
    let before = listing(target.path());
    let mut traced = Traced::start(&desk, target.path(), before_barrow);
    for moment in moments() {
        traced.reach(&moment);
        traced.signal(signal);
        table.add(&moment, "goes on to its good end");
    }
    let finished = traced.finish().expect_code(0);
    assert!(!finished.stderr.contains("stopping"));
    assert!(desk.runs()[0].complete);
    assert_eq!(listing(target.path()), before);
    table.show(moments().len());
}

#[test]
#[ignore = "needs strace"]
fn sigxfsz_at_every_moment() {
    unharmed("SIGXFSZ", Signal::SIGXFSZ, &[]);
}

#[test]
#[ignore = "needs strace"]
fn sigpipe_at_every_moment() {
    unharmed("SIGPIPE", Signal::SIGPIPE, &[]);
}

#[test]
#[ignore = "needs strace"]
fn sighup_under_nohup_at_every_moment() {
    unharmed("SIGHUP under nohup", Signal::SIGHUP, &["nohup"]);
}
