//! Every fault in every phase, at the first, the middle and the last call of each kind: what becomes of the phase, of the others, of the
//! run file and of the directory.
#![allow(clippy::print_stdout)] // The tables, which are made from what was asserted, are shown with --nocapture.

mod pretended;
mod score;
mod served;
mod table;

use barrow::model::phase::Phase;
use barrow::model::record::{RunRecord, Status};
use barrow::phases;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::Outcome;

/// What goes wrong with one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// It fails with this error number.
    Error(i32),
    /// A part of the bytes is transferred.
    Short,
    /// No byte is transferred, and no error is told.
    Nothing,
    /// Zeros are read.
    Zeros,
    /// What was there before the rewrite is read.
    Stale,
    /// What barrow never wrote is read.
    Foreign,
    /// A write is acknowledged, and nothing of it is kept.
    Lost,
    /// It takes longer.
    Delay,
}

/// Errors of a call that changes something.
const CHANGE_ERRORS: [Fault; 5] = [
    Fault::Error(libc::EIO),
    Fault::Error(libc::ENOSPC),
    Fault::Error(libc::EDQUOT),
    Fault::Error(libc::EROFS),
    Fault::Error(libc::ESTALE),
];
/// Errors of a call that only looks.
const LOOK_ERRORS: [Fault; 2] = [Fault::Error(libc::EIO), Fault::Error(libc::ESTALE)];
/// An interruption by a signal.
const INTERRUPTED: Fault = Fault::Error(libc::EINTR);

impl Fault {
    /// Its name in a table.
    fn name(self) -> String {
        match self {
            Self::Error(number) => format!("{:?}", nix::errno::Errno::from_raw(number)),
            Self::Short => "short".to_owned(),
            Self::Nothing => "0 bytes".to_owned(),
            Self::Zeros => "zeros".to_owned(),
            Self::Stale => "stale data".to_owned(),
            Self::Foreign => "wrong data".to_owned(),
            Self::Lost => "lost write".to_owned(),
            Self::Delay => "delay".to_owned(),
        }
    }

    /// The cause in the message of a phase that it spoils.
    fn cause(self, is_read: bool) -> String {
        match self {
            Self::Error(number) => barrow::target::ground::plain_error(&std::io::Error::from_raw_os_error(number)),
            Self::Nothing if is_read => "the file ends before".to_owned(),
            Self::Nothing => "nothing was written".to_owned(),
            Self::Zeros => "are zeros where data was written".to_owned(),
            Self::Stale => "is what was there before the rewrite (stale data)".to_owned(),
            Self::Foreign => "is data that barrow did not write".to_owned(),
            Self::Short | Self::Lost | Self::Delay => String::new(),
        }
    }
}

/// Fails unless these phases failed, those that need them were skipped with the reason, all others have results, and the run is marked
/// accordingly.
fn expect_statuses(run: &RunRecord, failed: &[Phase], case: &str) {
    for record in &run.phases {
        let (status, reason) = (record.status, record.reason.as_deref().unwrap_or_default());
        let needed = run.plan.as_ref().and_then(|plan| phases::needs(record.name, plan));
        let has_what_it_needs = needed.is_none_or(|needed| run.phase(needed).is_some_and(|needed| needed.status == Status::Ok));
        let name = record.name.name();
        if failed.contains(&record.name) {
            assert_eq!(status, Status::Failed, "{case}: {name}: {reason}");
            assert!(!reason.is_empty(), "{case}: {name} does not say why");
        } else if has_what_it_needs {
            assert_eq!(status, Status::Ok, "{case}: {name}: {reason}");
        } else {
            assert_eq!(status, Status::Skipped, "{case}: {name}: {reason}");
            let word = needed.map(Phase::name).unwrap_or_default();
            assert_eq!(reason, format!("needs {word}, which has no result"), "{case}: {name}");
        }
        assert_eq!(record.result.is_some(), status == Status::Ok, "{case}: {name} has a number that a fault has spoiled, or none");
    }
    assert_eq!(run.phases.len(), Phase::STANDARD.len(), "{case}");
    assert_eq!(run.complete, failed.is_empty(), "{case}");
}

/// Fails unless the reason of a failed phase names the file, the place in it (for a transfer of so many bytes at an offset), and the cause.
fn expect_reason(run: &RunRecord, phase: Phase, file: &str, span: Option<(u64, u64)>, cause: &str, case: &str) {
    let reason = run.phase(phase).and_then(|record| record.reason.as_deref()).unwrap_or_default();
    assert!(reason.contains(file), "{case}: `{reason}` does not name {file}");
    assert!(reason.ends_with(cause), "{case}: `{reason}` does not end in `{cause}`");
    if let Some((offset, length)) = span {
        let place = reason.split("at byte ").nth(1).unwrap_or_default();
        let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
        let named = digits.parse::<u64>().ok();
        assert!(named.is_some_and(|byte| (offset..offset + length).contains(&byte)), "{case}: `{reason}` does not name byte {offset}");
    }
}

/// The phases that an outcome of a fault in a phase spoils.
fn spoilt(phase: Phase, outcome: Outcome) -> Vec<Phase> {
    match outcome {
        Outcome::Fails => vec![phase],
        Outcome::Stands => Vec::new(),
        Outcome::FoundIn(phases) => phases.to_vec(),
    }
}

/// Goes through some cases in so many threads. Gives what went wrong, of all of them.
fn in_threads<T: Sync>(threads: usize, cases: &[T], expect: impl Fn(&T) + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| expect(case))) {
                        let words = panic.downcast_ref::<String>().cloned();
                        wrong.lock().unwrap().push(words.unwrap_or_else(|| "a case failed without words".to_owned()));
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}
