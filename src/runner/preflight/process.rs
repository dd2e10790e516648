//! What the process itself lacks for a run: system calls, threads, memory. Found by trying, and let go again.

use crate::model::phase::Phase;
use crate::model::plan::Plan;
use crate::model::printable::printable;
use crate::phases::memory_needed;
use crate::sys::limits::{self, Scarcity};
use crate::sys::{calls, user_program};
use crate::target::ground::plain_error;
use crate::units::rounded_size;

/// The program itself: its code, which is kept in memory, and what it has beside names and buffers, in bytes.
pub const PROGRAM_BYTES: u64 = 8 << 20;

/// Why this process cannot do a run, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessRefusal {
    /// A sandbox forbids calls.
    #[error("the system refuses {} to this process ({}), without which nothing can be measured; a sandbox or a container does that: allow {}, or run barrow outside of it",
        if calls.len() == 1 { "a call" } else { "calls" }, calls.join(", "), if calls.len() == 1 { "it" } else { "them" })]
    Calls {
        /// Their names.
        calls: Vec<&'static str>,
    },
    /// Too few threads.
    #[error(
        "needs {needed} more threads, and only {started} could be started ({why}); take fewer workers or seekers, or raise `ulimit -u`, `ulimit -v` or the limits of the control group"
    )]
    Threads {
        /// Threads beside the first.
        needed: u64,
        /// How many of them there were.
        started: u64,
        /// What the system said.
        why: String,
    },
    /// A program of the profile that cannot be started.
    #[error("{phase}: {program} cannot be started: {why}; install it, or write its path in the profile")]
    Program {
        /// The name of its phase.
        phase: &'static str,
        /// The program, as the profile has it.
        program: String,
        /// What the system says.
        why: String,
    },
    /// Too little memory.
    #[error("needs {} of memory for itself, names and buffers, which the system does not give; take fewer files, workers or seekers, a smaller chunk_size, or raise `ulimit -v`", rounded_size(*needed))]
    Memory {
        /// Bytes of the largest phase.
        needed: u64,
    },
}

/// Threads of the largest phase, and the one that does the batch; the shell of a command that is run meanwhile, and who reads its
/// words, count as two more, and so does a program of the profile, with its warden as a third.
fn threads_needed(plan: &Plan) -> u64 {
    let threads = |phase: &Phase| if plan.skips(*phase).is_none() { plan.settings.threads(*phase) } else { 0 };
    let largest = plan.settings.phases.iter().map(threads).max().unwrap_or(0);
    let of_prepare = if plan.circumstances.prepare.is_some() { 2 } else { 0 };
    let of_programs = if plan.settings.commands.is_empty() { 0 } else { 3 };
    1 + largest + of_programs.max(of_prepare)
}

/// Finds the programs of a plan that cannot be started with the rights that this process has now.
#[must_use]
pub fn missing_programs(plan: &Plan) -> Vec<ProcessRefusal> {
    let refusal = |phase: &Phase| {
        let Phase::Command(name) = phase else { return None };
        let command = plan.settings.commands.iter().find(|command| command.name == name.short())?;
        let program = command.command.first()?;
        let why = user_program::hindrance(program)?;
        Some(ProcessRefusal::Program { phase: phase.name(), program: printable(program), why: plain_error(&why) })
    };
    plan.settings.phases.iter().filter_map(refusal).collect()
}

/// Finds the calls that this process may not make; whatever it does, it needs them.
#[must_use]
pub fn refused_calls() -> Option<ProcessRefusal> {
    let calls = calls::refused();
    (!calls.is_empty()).then_some(ProcessRefusal::Calls { calls })
}

/// Finds what this process lacks of threads and memory for runs of a plan.
#[must_use]
pub fn scarcity(plan: &Plan) -> Option<ProcessRefusal> {
    let (threads, bytes) = (threads_needed(plan), memory_needed(&plan.settings).saturating_add(PROGRAM_BYTES));
    limits::try_out(threads, bytes).err().map(|scarcity| match scarcity {
        Scarcity::Threads { started, source } => ProcessRefusal::Threads { needed: threads, started, why: plain_error(&source) },
        Scarcity::Memory => ProcessRefusal::Memory { needed: bytes },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::Circumstances;
    use crate::model::profile::Profile;

    #[test]
    fn this_process_lacks_nothing_for_a_quick_run() {
        let mut plan = Plan::of(&Profile::named("quick", 0).unwrap(), 1, Circumstances::WITHOUT_DROPS).unwrap();
        assert_eq!((refused_calls(), scarcity(&plan)), (None, None));
        assert_eq!(threads_needed(&plan), 2);
        plan.settings.seekers = 5;
        plan.circumstances.prepare = Some("true".to_owned());
        assert_eq!(threads_needed(&plan), 8);
        plan.settings.chunk_size = 1 << 60;
        assert!(matches!(scarcity(&plan), Some(ProcessRefusal::Memory { .. })));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let text = "[[phase]]\ncommand = [\"sh\"]\n[[phase]]\ncommand = [\"no-such-program-here\"]\n[[phase]]\ncommand = [\"./later\"]\n";
        let plan = Plan::of(&Profile::of_text("x", text, 0).unwrap(), 1, Circumstances::WITHOUT_DROPS).unwrap();
        let found: Vec<String> = missing_programs(&plan).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 1);
        let words = "command:no-such-program-here: no-such-program-here cannot be started: no such file or directory; install it";
        assert!(found[0].starts_with(words), "{found:?}");
        assert_eq!(threads_needed(&plan), 5);
    }

    #[test]
    fn what_is_lacking_is_said_with_what_to_do() {
        let one = ProcessRefusal::Calls { calls: vec!["syncfs"] }.to_string();
        assert!(one.starts_with("the system refuses a call to this process (syncfs)") && one.contains("allow it,"), "{one}");
        let two = ProcessRefusal::Calls { calls: vec!["syncfs", "flock"] }.to_string();
        assert!(two.starts_with("the system refuses calls to this process (syncfs, flock)") && two.contains("allow them,"), "{two}");
        let threads = ProcessRefusal::Threads { needed: 4, started: 1, why: "no".to_owned() }.to_string();
        assert!(threads.contains("needs 4 more threads, and only 1 could be started (no)"), "{threads}");
        assert!(ProcessRefusal::Memory { needed: 12 << 20 }.to_string().starts_with("needs 12 MiB of memory"));
    }
}
