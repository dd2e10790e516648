//! What is known of a run while it goes on, so that nothing of it is lost when it cannot come to its end; and the limit of time.

use super::*;

/// Keeps the last draft that was told, and how many phases each had.
#[derive(Default)]
struct Drafts {
    last: Option<RunRecord>,
    phases: Vec<usize>,
}

impl Observer for Drafts {
    fn run_so_far(&mut self, draft: &RunRecord) {
        self.phases.push(draft.phases.len());
        self.last = Some(draft.clone());
    }
    fn run_started(&mut self, _: Standing<'_>) {}
    fn run_not_begun(&mut self, _: Standing<'_>, _: &str) {}
    fn phase_started(&mut self, _: Standing<'_>, _: Phase) {}
    fn phase_finished(&mut self, _: Standing<'_>, _: &PhaseRecord) {}
    fn run_finished(&mut self) {}
    fn left_behind(&mut self, _: &str) {}
}

fn drafts(plan: Plan) -> (Drafts, RunRecord) {
    let target = pretended();
    let mut places = vec![place_on("a", &target)];
    let (mut drafts, mut runs) = (Drafts::default(), Vec::new());
    let mut keep = |run: RunRecord| runs.push(run);
    let mut listeners = Listeners { observer: &mut drafts, keep: &mut keep };
    run_batch(&batch_of(plan), &mut places, target.as_ref(), &AtomicBool::new(false), &mut listeners).unwrap();
    (drafts, runs.remove(0))
}

#[test]
fn a_run_is_told_as_far_as_it_has_come() {
    let (drafts, run) = drafts(plan(&[]));
    assert_eq!(drafts.phases, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);
    let last = drafts.last.unwrap();
    assert_eq!(RunRecord { finished: run.finished.clone(), ..last }, run);
}

#[test]
fn a_run_that_is_broken_off_keeps_what_it_has() {
    let (drafts, run) = drafts(plan(&[]));
    let mut draft = drafts.last.unwrap();
    draft.phases.truncate(2);
    let broken = broken_off(draft.clone(), Some((Phase::BlockRead, Status::Hung)), "nothing moved for 9 s");
    assert!(!broken.complete && run.complete);
    assert_eq!(broken.phases[..2], run.phases[..2]);
    let hung = phase(&broken, Phase::BlockRead);
    assert_eq!((hung.status, hung.reason.as_deref(), hung.result.is_none()), (Status::Hung, Some("nothing moved for 9 s"), true));
    assert_eq!(broken.phases.iter().map(|phase| phase.name).collect::<Vec<_>>(), Phase::STANDARD);
    assert!(broken.phases[3..].iter().all(|phase| phase.status == Status::Skipped));
    let between = broken_off(draft, None, "nothing moved for 9 s");
    let why = "the run ended before it: nothing moved for 9 s";
    assert!(between.phases[2..].iter().all(|phase| phase.reason.as_deref() == Some(why)));
    assert!(broken_off(run.clone(), None, "").complete, "only its files were not removed");
}

#[test]
fn a_phase_that_takes_too_long_is_truncated_and_the_rest_goes_on() {
    let mut plan = plan(&[]);
    plan.circumstances.max_phase_seconds = 1;
    // Eight chunks: written and flushed in little time, each read in 0.3 s.
    let cost = |call: &crate::target::pretend_call::Call| if call.operation == Operation::Read { 300_000_000 } else { CALL_NS };
    let target = Arc::new(PretendTarget::costing(cost));
    let run = done(plan, &[("a", &target)]).0.remove(0);
    let rewrite = phase(&run, Phase::Rewrite);
    assert_eq!((rewrite.status, rewrite.result.is_none()), (Status::Truncated, true));
    assert_eq!(rewrite.reason.as_deref(), Some("took over 1 s, which --max-phase-seconds allows"));
    assert_eq!(phase(&run, Phase::BlockWrite).status, Status::Ok);
    assert_eq!(phase(&run, Phase::BlockRead).status, Status::Skipped);
    assert_eq!(phase(&run, Phase::RandomDelete).status, Status::Ok);
    assert!(!run.complete);
    assert!(target.entries().is_empty());
}
