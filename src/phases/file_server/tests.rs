use super::*;
use crate::model::loadfile::LoadfileChoice;
use crate::model::plan::Circumstances;
use crate::model::profile::Profile;
use crate::phases::{Stamps, Stop};
use crate::rng::GENERATOR;
use crate::target::Target;
use crate::target::pretend::PretendTarget;
use crate::target::pretend_call::Operation as Kind;
use crate::target::pretend_trick::Trick;
use std::sync::atomic::AtomicBool;

fn plan(text: Option<&str>, changes: &[(&str, &str)]) -> Plan {
    let changes: Vec<_> = changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let mut profile = Profile::named("fileserver", 0).unwrap().changed(&changes, 0).unwrap();
    if let Some(text) = text {
        profile.settings.loadfile = LoadfileChoice::of_read(1, Arc::new(Loadfile::of_text(text.as_bytes()).unwrap()));
    }
    Plan::of(&profile, GENERATOR, Circumstances::USUAL).unwrap()
}

/// Kinds with their counts and bytes.
type Counts = Vec<(String, u64, u64)>;

/// Does the phase on a pretended target; gives what each client counted, by kinds, and the error.
fn done(plan: &Plan, target: &PretendTarget) -> Result<Vec<Counts>, PhaseError> {
    let interrupted = AtomicBool::new(false);
    let stop = Stop::of(&interrupted);
    let stamps = Stamps::default();
    let job = Job { plan, target, stamps: &stamps, stop: &stop };
    let mut timed = FileServer.prepare(job, &Survey::new())?;
    let mut counts = Vec::new();
    for (work, tally) in &mut timed.workers {
        tally.start(target.now_ns());
        work(tally)?;
        let kinds = tally.kinds.iter().filter(|kind| kind.count > 0);
        counts.push(kinds.map(|kind| (kind.name.clone(), kind.count, kind.bytes)).collect());
    }
    if let Some(flush) = &mut timed.flush {
        flush()?;
    }
    Ok(counts)
}

fn logged(target: &PretendTarget) -> Vec<String> {
    target.log().iter().map(ToString::to_string).collect()
}

const SMALL: &str = "Mkdir \"\\d\" NT_STATUS_OK\n\
    NTCreateX \"\\d\\f\" 0x40 0x2 7 NT_STATUS_OK\n\
    WriteX 7 0 3000 3000 NT_STATUS_OK\n\
    ReadX 7 1000 4000 2000 NT_STATUS_OK\n\
    LockX 7 5 10 NT_STATUS_OK\n\
    UnlockX 7 5 10 NT_STATUS_OK\n\
    Flush 7 NT_STATUS_OK\n\
    QUERY_FILE_INFORMATION 7 258 NT_STATUS_OK\n\
    SET_FILE_INFORMATION 7 1004 NT_STATUS_OK\n\
    Close 7 NT_STATUS_OK\n\
    QUERY_FS_INFORMATION 1 NT_STATUS_OK\n\
    QUERY_PATH_INFORMATION \"\\d\\g\" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND\n\
    NTCreateX \"\\d\\g\" 0x40 0x1 8 NT_STATUS_OBJECT_NAME_NOT_FOUND\n\
    Rename \"\\d\\f\" \"\\d\\g\" NT_STATUS_OK\n\
    FIND_FIRST \"\\d\\*\" 260 1366 1 NT_STATUS_OK\n\
    Unlink \"\\d\\g\" 0x6 NT_STATUS_OK\n\
    Rmdir \"\\d\" NT_STATUS_OK\n";

const ONCE: [(&str, &str); 2] = [("seconds", "0"), ("clients", "1")];

#[test]
fn each_line_makes_the_calls_of_dbench() {
    let target = PretendTarget::costing(|_| 1);
    let counts = done(&plan(Some(SMALL), &ONCE), &target).unwrap();
    let expected = [
        "MakeDirectory server.0",
        "Flush ",
        // Mkdir: looked for by its name and, where that is not there, in the list; as all names are.
        "OpenDirectory server.0",
        "Status server.0/d",
        "List server.0",
        "MakeDirectory server.0/d",
        "OpenDirectory server.0/d",
        "Status server.0/d/f",
        "List server.0/d",
        "Create server.0/d/f",
        "Write server.0/d/f 0+3000",
        "Read server.0/d/f 1000+4000",
        "Lock server.0/d/f 5+10",
        "Unlock server.0/d/f 5+10",
        "Sync server.0/d/f",
        "StatusOpen server.0/d/f",
        "StatusOpen server.0/d/f",
        "SetTimes server.0/d/f",
        "Close server.0/d/f",
        "FreeBytes ",
        "Status server.0/d/g",
        "List server.0/d",
        "Status server.0/d/g",
        "List server.0/d",
        "Open server.0/d/g",
        // Rename: both names.
        "Status server.0/d/f",
        "Status server.0/d/g",
        "List server.0/d",
        "Rename server.0/d/f > server.0/d/g",
        // A pattern is looked for as a name first.
        "Status server.0/d/*",
        "List server.0/d",
        "List server.0/d",
        "Status server.0/d/g",
        "Unlink server.0/d/g",
        "Status server.0/d",
        "RemoveDirectory server.0/d",
        "Flush ",
    ];
    assert_eq!(logged(&target), expected);
    assert_eq!(counts[0].len(), KINDS.len() - 1, "all kinds but deltree: {counts:?}");
}

#[test]
fn clients_have_directories_of_their_own_and_count_by_kinds() {
    let target = PretendTarget::costing(|_| 1);
    let counts = done(&plan(Some(SMALL), &[("seconds", "0"), ("clients", "2")]), &target).unwrap();
    assert_eq!(counts[0], counts[1]);
    let create = counts[0].iter().find(|(name, ..)| name == "create").unwrap();
    assert_eq!(*create, ("create".to_owned(), 2, 0));
    let bytes: Vec<u64> = counts[0].iter().map(|(_, _, bytes)| *bytes).filter(|bytes| *bytes > 0).collect();
    assert_eq!(bytes, [3000, 2000]);
    let places: Vec<String> = target.log().iter().filter(|call| call.operation == Kind::Create).map(|call| call.name.clone()).collect();
    assert_eq!(places, ["server.0/d/f", "server.1/d/f"]);
    assert_eq!(target.entries(), ["server.0", "server.1"]);
}

#[test]
fn directories_are_flushed_after_changes_where_that_is_asked_for() {
    let flushed = |sync| {
        let target = PretendTarget::costing(|_| 1);
        done(&plan(Some(SMALL), &[("seconds", "0"), ("clients", "1"), ("sync", sync)]), &target).unwrap();
        target.log().iter().filter(|call| call.operation == Kind::Sync).map(|call| call.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(flushed("none"), ["server.0/d/f"]);
    // mkdir, create, the flush of the file, rename, unlink, rmdir.
    assert_eq!(flushed("dirs"), ["server.0", "server.0/d", "server.0/d/f", "server.0/d", "server.0/d", "server.0"]);
}

#[test]
fn what_ends_otherwise_than_the_loadfile_says_fails_the_phase_with_its_line() {
    let plan = plan(Some(SMALL), &ONCE);
    for (kind, nth, trick, words) in [
        (Kind::Rename, 1, Trick::Fail(28), "replay line 14 of the loadfile in server.0: rename \\d\\f: no space left on device"),
        (Kind::Write, 1, Trick::Fail(5), "replay line 3 of the loadfile in server.0: write 3000 bytes at byte 0: "),
        (Kind::Read, 1, Trick::Fail(5), "replay line 4 of the loadfile in server.0: read 4000 bytes at byte 1000: "),
        (Kind::Close, 1, Trick::Fail(5), "line 10 of the loadfile in server.0: close: "),
        // What is to fail fails for another reason.
        (Kind::Status, 4, Trick::Fail(5), "line 13 of the loadfile in server.0: create \\d\\g: "),
    ] {
        let target = PretendTarget::costing(|_| 1);
        target.play(kind, nth, trick);
        let error = done(&plan, &target).unwrap_err().to_string();
        assert!(error.starts_with("replay line") && error.to_lowercase().contains(words), "{error}");
    }
    let target = PretendTarget::costing(|_| 1);
    target.play(Kind::Write, 1, Trick::Lost);
    let error = done(&plan, &target).unwrap_err().to_string();
    assert!(error.ends_with("gave 0 bytes, and 2000 were written there"), "{error}");
    // Short transfers go on where they ended.
    let target = PretendTarget::costing(|_| 1);
    target.play(Kind::Write, 1, Trick::Short(7));
    target.play(Kind::Read, 1, Trick::Short(7));
    assert!(done(&plan, &target).is_ok());
}

#[test]
fn a_name_that_is_not_to_be_there_is_noticed() {
    let text = "QUERY_PATH_INFORMATION \"\\g\" 1004 NT_STATUS_OBJECT_NAME_NOT_FOUND\n";
    let target = PretendTarget::costing(|_| 1);
    let plan = plan(Some(text), &ONCE);
    let interrupted = AtomicBool::new(false);
    let stop = Stop::of(&interrupted);
    let stamps = Stamps::default();
    let job = Job { plan: &plan, target: &target, stamps: &stamps, stop: &stop };
    let mut timed = FileServer.prepare(job, &Survey::new()).unwrap();
    // The name is made behind the client's back.
    let directory = target.open_directory(target.root(), c"server.0").unwrap();
    target.make_directory(&directory, c"g").unwrap();
    let (work, tally) = &mut timed.workers[0];
    let error = work(tally).unwrap_err().to_string();
    assert!(error.ends_with("query_path \\g: did not fail, as the loadfile says that it does"), "{error}");
}

#[test]
fn it_goes_on_for_its_seconds_and_warms_up_before() {
    // Each call takes a millisecond.
    let target = PretendTarget::costing(|_| 1_000_000);
    let plan = plan(Some(SMALL), &[("seconds", "2"), ("warm_up", "1"), ("clients", "1")]);
    let interrupted = AtomicBool::new(false);
    let stop = Stop::of(&interrupted);
    let stamps = Stamps::default();
    let job = Job { plan: &plan, target: &target, stamps: &stamps, stop: &stop };
    let mut timed = FileServer.prepare(job, &Survey::new()).unwrap();
    assert!((1_000_000_000..1_200_000_000).contains(&target.now_ns()), "{}", target.now_ns());
    assert_eq!(target.entries(), ["server.0"], "what the warm-up made is gone");
    let (work, tally) = &mut timed.workers[0];
    tally.start(target.now_ns());
    work(tally).unwrap();
    assert!((2_000_000_000..2_010_000_000).contains(&tally.acknowledged_ns), "{}", tally.acknowledged_ns);
    assert!(tally.work > 15 * 50, "{} operations", tally.work);
    interrupted.store(true, Ordering::Relaxed);
    assert!(matches!(
        FileServer
            .prepare(Job { plan: &plan, target: &PretendTarget::costing(|_| 1_000_000), stamps: &stamps, stop: &stop }, &Survey::new()),
        Err(PhaseError::Stopped)
    ));
}

#[test]
fn where_nobody_hears_of_the_flush_every_file_is_flushed() {
    let left = "NTCreateX \"\\d\" 0x1 0x2 6 NT_STATUS_OK\nClose 6 NT_STATUS_OK\n\
        NTCreateX \"\\d\\f\" 0x40 0x5 7 NT_STATUS_OK\nWriteX 7 0 10 10 NT_STATUS_OK\nClose 7 NT_STATUS_OK\n";
    let target = PretendTarget::costing(|_| 1).flushed_by_file();
    done(&plan(Some(left), &ONCE), &target).unwrap();
    let synced: Vec<String> = target.log().iter().filter(|call| call.operation == Kind::Sync).map(|call| call.name.clone()).collect();
    assert_eq!(synced, ["server.0/d/f", "server.0/d", "server.0"]);
}

#[test]
fn barrows_own_mix_is_replayed_to_its_end() {
    let target = PretendTarget::costing(|_| 1);
    let plan = plan(None, &ONCE);
    let counts = done(&plan, &target).unwrap();
    let total: u64 = counts[0].iter().map(|(_, count, _)| count).sum();
    assert_eq!(Some(total), FileServer.work_expected(&plan));
    assert_eq!(target.entries(), ["server.0", "server.0/clients"]);
}
