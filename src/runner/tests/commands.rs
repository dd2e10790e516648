//! Programs of the user's on a pretended target: their order, their ends, and what becomes of those behind them.

use super::*;
use crate::model::aftermath::ProgramEnd;
use crate::model::usage::Usage;
use crate::target::ProgramRun;

const UNPACK_AND_BUILD: &str = "runs = 1\n[[phase]]\nname = \"unpack\"\ncommand = [\"tar\", \"xf\", \"/t.tar\"]\n\
    [[phase]]\nname = \"build\"\ncommand = [\"/usr/bin/make\"]\n[[phase]]\nname = \"test\"\ncommand = [\"make\", \"test\"]\n";

fn programs(circumstances: Circumstances) -> Plan {
    Plan::of(&Profile::of_text("mine", UNPACK_AND_BUILD, 0).unwrap(), GENERATOR, circumstances).unwrap()
}

fn ended(exit: Option<i32>, signal: Option<i32>, output: &str) -> ProgramRun {
    let end = ProgramEnd { exit, signal, output: output.to_owned(), output_bytes: output.len() as u64, left_processes: 0 };
    ProgramRun { end, usage: Usage { user_ns: 7 * CALL_NS, ..Usage::default() }, was_ended: false }
}

fn named(run: &RunRecord, name: &str) -> PhaseRecord {
    phase(run, Phase::named(name).unwrap()).clone()
}

#[test]
fn programs_share_a_directory_and_are_flushed_on_the_clock() {
    let target = pretended();
    target.script(ended(Some(0), None, "done"));
    let (runs, _) = done(programs(Circumstances::WITHOUT_DROPS), &[("a", &target)]);
    assert!(runs[0].complete, "{:?}", runs[0].phases);
    let log: Vec<String> = target.log().iter().map(ToString::to_string).collect();
    let start = log.iter().position(|call| call == "MakeDirectory command.0").unwrap();
    let own: Vec<&str> = log[start..].iter().map(|call| call.trim_end()).filter(|call| !call.starts_with("List")).collect();
    let expected = [
        "MakeDirectory command.0",
        "Flush",
        "OpenDirectory command.0",
        "RunProgram command.0: tar xf /t.tar",
        "Flush",
        "Flush",
        "OpenDirectory command.0",
        "RunProgram command.0: /usr/bin/make",
        "Flush",
        "Flush",
        "OpenDirectory command.0",
        "RunProgram command.0: make test",
        "Flush",
        "OpenDirectory command.0",
        "RemoveDirectory command.0",
    ];
    assert_eq!(own, expected);
    let unpack = named(&runs[0], "command:unpack");
    let counted = unpack.counted().unwrap();
    assert_eq!((counted.work, counted.operations, counted.elapsed_ns), (1, 1, 2 * CALL_NS));
    assert_eq!((counted.acknowledged_ns, unpack.after.program.clone().unwrap().output), (Some(CALL_NS), "done".to_owned()));
    // The pretended meter counts the calls too.
    assert_eq!(counted.usage.user_ns - named(&runs[0], "command:build").counted().unwrap().usage.user_ns, 7 * CALL_NS);
}

#[test]
fn a_program_that_ends_badly_fails_its_phase_and_leaves_out_those_behind_it() {
    for (end, reason) in [
        (ended(Some(2), None, "cc x.c\nno rule to make target\n"), "make: exit status 2: no rule to make target"),
        (ended(None, Some(9), ""), "make: ended by SIGKILL"),
    ] {
        let target = pretended();
        target.script(ended(Some(0), None, ""));
        target.script(end.clone());
        let (runs, heard) = done(programs(Circumstances::WITHOUT_DROPS), &[("a", &target)]);
        let (build, test) = (named(&runs[0], "command:build"), named(&runs[0], "command:test"));
        assert_eq!((build.status, build.reason.as_deref(), build.result), (Status::Failed, Some(reason), None));
        assert_eq!(build.after.program, Some(end.end));
        assert_eq!((test.status, test.reason.as_deref()), (Status::Skipped, Some("needs command:build, which has no result")));
        assert!(target.entries().is_empty() && !runs[0].complete, "{heard:?}");
    }
}

#[test]
fn a_program_that_cannot_be_started_says_why() {
    let run = tricked(programs(Circumstances::WITHOUT_DROPS), Operation::RunProgram, 1, Trick::Fail(2));
    let unpack = named(&run, "command:unpack");
    assert_eq!((unpack.status, unpack.reason.as_deref()), (Status::Failed, Some("tar: cannot be started: no such file or directory")));
    assert_eq!(unpack.after.program, Some(ProgramEnd::default()));
}

#[test]
fn a_program_that_takes_too_long_is_ended_and_keeps_what_it_said() {
    let target = Arc::new(PretendTarget::costing(|call| if call.operation == Operation::RunProgram { 6_000_000_000 } else { 1 }));
    target.script(ended(None, Some(15), "half\n"));
    let plan = programs(Circumstances { max_phase_seconds: 5, ..Circumstances::WITHOUT_DROPS });
    let (runs, _) = done(plan, &[("a", &target)]);
    let unpack = named(&runs[0], "command:unpack");
    assert_eq!(unpack.status, Status::Truncated);
    assert_eq!(unpack.reason.as_deref(), Some("took over 5 s, which --max-phase-seconds allows: half"));
    assert_eq!(unpack.after.program.unwrap().signal, Some(15));
    assert!(target.entries().is_empty());
}
