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

/// Does the phase on a pretended target; gives what each client counted, by kinds, and the error.
fn done(plan: &Plan, target: &PretendTarget) -> Result<Vec<Vec<(String, u64, u64)>>, PhaseError> {
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
    assert_eq!(logged(&target), [""; 0]);
    assert_eq!(counts[0].len(), 17 - 2);
}
