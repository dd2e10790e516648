use super::calls::{Call, Step, calls};
use super::page::{list, page};
use super::*;
use crate::model::device_places::least_bytes;
use crate::model::plan::{Circumstances, Plan};
use crate::model::profile::Profile;
use crate::model::settings::{Io, Settings};
use crate::phases::{self, Job, Stamps, Stop};
use crate::report::lines::{COLUMNS, width};
use crate::rng::GENERATOR;
use crate::target::device::DEVICE;
use crate::target::pretend::PretendTarget;
use crate::target::pretend_call::Operation;
use crate::target::{Access, FlushMethod, Target};
use std::sync::atomic::AtomicBool;

/// A call by its kind and, for reads and writes, its length.
type Made = (Operation, Option<usize>);

/// What is explained, call by call.
fn expanded(steps: &[Step]) -> Vec<Made> {
    fn add(steps: &[Step], turn: u64, made: &mut Vec<Made>) {
        for step in steps {
            match step {
                Step::Call(Call { operation, length, .. }) => made.push((*operation, length.map(|length| length as usize))),
                Step::Times(count, _, inner) => (0..*count).for_each(|turn| add(inner, turn, made)),
                Step::Percent(percent, inner) if (turn + 1) * percent / 100 > turn * percent / 100 => add(inner, turn, made),
                Step::Percent(..) => {}
            }
        }
    }
    let mut made = Vec::new();
    add(steps, 0, &mut made);
    made
}

fn small_plan(changes: &[(&str, &str)]) -> Plan {
    small_plan_of("quick", changes)
}

fn small_plan_of(profile: &str, changes: &[(&str, &str)]) -> Plan {
    let small = [("file_size", "96k"), ("chunk_size", "8k"), ("seeks", "20"), ("seek_seconds", "0"), ("files", "15")];
    let changes: Vec<_> = small.iter().chain(changes).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named(profile, 0).unwrap().changed(&changes, 0).unwrap();
    Plan::of(&profile, GENERATOR, Circumstances::USUAL).unwrap()
}

/// The calls that a target has logged since `start`.
fn logged(target: &PretendTarget, start: usize) -> Vec<Made> {
    target.log()[start..].iter().map(|call| (call.operation, call.span.map(|(_, length)| length))).collect()
}

/// Does the phases of a plan on a pretended target, on whose clock each call takes a nanosecond, and compares its calls with those explained.
fn check(plan: &Plan, flush: FlushMethod) {
    let target = PretendTarget::costing(|_| 1);
    let target = if flush == FlushMethod::EachFile { target.flushed_by_file() } else { target };
    assert_eq!(target.flush_method(), flush);
    let interrupted = AtomicBool::new(false);
    let stop = Stop::of(&interrupted);
    let stamps = Stamps::default();
    let job = Job { plan, target: &target, stamps: &stamps, stop: &stop };
    if plan.settings.phases.has(Group::Device) {
        let device = target.open(target.root(), DEVICE, Access::CreateNew, Io::Buffered).unwrap();
        target.set_length(&device, least_bytes(&plan.settings)).unwrap();
    }
    for phase in plan.settings.phases.iter() {
        let explained = calls(*phase, &plan.settings, flush);
        let mut start = target.log().len();
        let survey = phases::procedure(*phase).survey(job).unwrap();
        assert_eq!(logged(&target, start), expanded(&explained.survey), "{}: before the caches are emptied", phase.name());
        start = target.log().len();
        let mut timed = phases::prepare(*phase, job, &survey).unwrap();
        assert_eq!(logged(&target, start), expanded(&explained.prepare), "{}: before the clock", phase.name());
        start = target.log().len();
        let mut acknowledged = 0;
        for (work, tally) in &mut timed.workers {
            tally.start(target.now_ns());
            work(tally).unwrap();
            acknowledged += tally.acknowledged_ns;
        }
        if let Some(flush) = &mut timed.flush {
            flush().unwrap();
        }
        let (work, finish) = (expanded(&explained.work), expanded(&explained.finish));
        // What a file server does is explained by kinds of calls, and transfers have workers of their own.
        let is_in_order = match phase {
            Phase::FileServer => false,
            Phase::Transfer(transfer) => transfer.workers == 1,
            _ => plan.settings.workers == 1,
        };
        if is_in_order {
            assert_eq!(logged(&target, start), [work.clone(), finish].concat(), "{}: on the clock", phase.name());
        } else {
            // The workers are explained at once and were done one after the other.
            let sorted = |mut made: Vec<Made>| {
                if *phase == Phase::FileServer {
                    // Its transfers have many lengths, of which the longest is explained.
                    made.iter_mut().for_each(|(_, length)| *length = None);
                }
                made.sort();
                made
            };
            assert_eq!(sorted(logged(&target, start)), sorted([work.clone(), finish].concat()), "{}: on the clock", phase.name());
        }
        if plan.settings.seekers == 1 || *phase != Phase::RandomSeek {
            assert_eq!(acknowledged, work.len() as u64, "{}: calls up to the acknowledged rate", phase.name());
        }
    }
}

#[test]
fn what_is_explained_is_what_is_done() {
    let cases: [&[(&str, &str)]; 12] = [
        &[],
        &[("seek_rewrite_percent", "10")],
        &[("sequential_order", "readdir"), ("dirs", "3")],
        &[("min_size", "20k"), ("max_size", "20k")],
        &[("min_size", "3000"), ("max_size", "3000"), ("dirs", "2"), ("seek_rewrite_percent", "100")],
        &[("workers", "3"), ("dirs", "2"), ("seekers", "2")],
        &[("io", "direct"), ("seeks", "100000")],
        &[("compressible", "30"), ("dedupe", "40"), ("max_size", "3000"), ("min_size", "3000")],
        &[("sync", "every"), ("seek_rewrite_percent", "10"), ("min_size", "20k"), ("max_size", "20k"), ("file_chunk_size", "4k")],
        &[("links", "hard"), ("dirs", "4"), ("sync", "every")],
        &[("links", "symbolic"), ("sequential_order", "readdir"), ("dirs", "2")],
        &[("links", "hard"), ("dirs", "7"), ("workers", "4"), ("sync", "every")],
    ];
    for changes in cases {
        // The last transfer of a file whose size is no multiple of the chunk is shorter; those sizes are explained as the most.
        let changes: Vec<(&str, &str)> = changes.iter().map(|(key, value)| (*key, if *value == "20k" { "24k" } else { value })).collect();
        for flush in [FlushMethod::WholeFilesystem, FlushMethod::EachFile] {
            check(&small_plan(&changes), flush);
        }
    }
}

/// Programs of the user's before and after a phase of barrow's.
const PROGRAMS: &str = "files = 9\n[[phase]]\ncommand = [\"tar\", \"xf\", \"/my/tree.tar\"]\n[[phase]]\nname = \"seq_create\"\n\
    [[phase]]\nname = \"build\"\ncommand = [\"make\", \"-j4\"]\n";

#[test]
fn programs_are_run_as_it_is_explained() {
    let profile = Profile::of_text("mine", PROGRAMS, 0).unwrap();
    for flush in [FlushMethod::WholeFilesystem, FlushMethod::EachFile] {
        check(&Plan::of(&profile, GENERATOR, Circumstances::USUAL).unwrap(), flush);
    }
    let text = page(phase_named("command:build").unwrap(), &profile);
    for said in ["clone(), execve(program, arguments, environment), wait4()", "the program: make -j4", "syncfs(target)", "exit status is 0"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("block.0") && !text.contains("mkdirat"), "{text}");
    assert!(page(phase_named("command:other").unwrap(), &profile).contains("leaves the phase out"));
}

#[test]
fn what_is_explained_of_transfers_and_flushed_writes_is_what_is_done() {
    const TRANSFERS: &str = "seq_write_8k_1w,random_read_4k_4w,seq_read_8k_2w,random_write_4k_3w";
    const FLUSHED: &str = "dsync_write,fsync_write,block_write,block_read";
    for (phases, changes) in [
        (TRANSFERS, &[][..]),
        (TRANSFERS, &[("transfers", "12"), ("sync", "every"), ("io", "direct")]),
        ("random_write_4k_1w,seq_read_4k_1w", &[("file_size", "3m"), ("transfers", "100000")]),
        (FLUSHED, &[("sync_writes", "5")]),
        (FLUSHED, &[("sync_writes", "1"), ("sync", "every"), ("io", "direct")]),
    ] {
        for flush in [FlushMethod::WholeFilesystem, FlushMethod::EachFile] {
            check(&small_plan(&[&[("phases", phases)], changes].concat()), flush);
        }
    }
}

#[test]
fn what_is_explained_of_small_files_is_what_is_done() {
    let cases: [&[(&str, &str)]; 4] = [
        &[("files", "25"), ("dirs", "4"), ("min_size", "1536")],
        &[("files", "137"), ("workers", "3"), ("dirs", "2"), ("min_size", "3000"), ("max_size", "3000")],
        &[("files", "40"), ("dirs", "4"), ("sync", "every"), ("min_size", "24k"), ("max_size", "24k"), ("file_chunk_size", "4k")],
        &[
            ("files", "40"),
            ("dirs", "4"),
            ("min_size", "1536"),
            ("phases", "seq_create,file_read,file_rewrite,seq_stat,file_random_read,seq_delete"),
        ],
    ];
    for changes in cases {
        for flush in [FlushMethod::WholeFilesystem, FlushMethod::EachFile] {
            check(&small_plan_of("smallfiles", changes), flush);
        }
    }
    check(&small_plan_of("mail", &[("dirs", "3"), ("min_size", "5555")]), FlushMethod::EachFile);
}

#[test]
fn what_is_explained_of_a_device_is_what_is_done() {
    let changes = [("chunk_size", "4k"), ("place_size", "12k"), ("sweep_places", "4"), ("sweep_size", "8k")];
    let changes = changes.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let profile = Profile::named("device", 0).unwrap().changed(&changes, 0).unwrap();
    let plan = Plan::of(&profile, GENERATOR, Circumstances::USUAL).unwrap();
    check(&plan, FlushMethod::WholeFilesystem);
    let sweep = page(Phase::DeviceSweep, &profile);
    for said in
        ["4 times:", "pread64(file, 4 KiB, offset)", "O_RDONLY|O_DIRECT", "lseek(file, 0, SEEK_END)", "sweep_places=4 sweep_size=8k"]
    {
        assert!(sweep.contains(said), "{said}: {sweep}");
    }
    assert!(!sweep.contains("syncfs") && !sweep.contains("1 MiB and flushes"), "{sweep}");
}

#[test]
fn the_clients_of_a_file_server_do_what_is_explained() {
    for (clients, sync) in [("1", "none"), ("3", "none"), ("2", "dirs"), ("1", "open")] {
        for flush in [FlushMethod::WholeFilesystem, FlushMethod::EachFile] {
            let changes = [("clients", clients), ("sync", sync), ("seconds", "0")].map(|(key, value)| (key.to_owned(), value.to_owned()));
            let profile = Profile::named("fileserver", 0).unwrap().changed(&changes, 0).unwrap();
            let plan = Plan::of(&profile, GENERATOR, Circumstances::USUAL).unwrap();
            check(&plan, flush);
        }
    }
    let text = page(Phase::FileServer, &Profile::named("fileserver", 0).unwrap());
    for said in ["each of 4 clients again and again for 30 s", "renameat(directory, \"NAME\"", "the line of the loadfile"] {
        assert!(text.replace("\n    ", " ").contains(said), "{said}: {text}");
    }
}

/// All built-in profiles, and custom ones with everything that has a text of its own.
fn profiles() -> Vec<Profile> {
    let mut profiles = Profile::built_in(24 << 30);
    let std = Profile::named("std", 24 << 30).unwrap();
    for changes in [
        &[("workers", "4"), ("dirs", "16"), ("max_size", "8k"), ("io", "direct"), ("compressible", "50"), ("dedupe", "20")][..],
        &[("files", "0"), ("sequential_order", "readdir")],
        &[("file_size", "0")],
        &[("links", "symbolic"), ("sync", "every"), ("file_chunk_size", "512"), ("dirs", "16"), ("workers", "4")],
        &[("links", "hard")],
    ] {
        let changes: Vec<_> = changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        profiles.push(std.changed(&changes, 0).unwrap());
    }
    profiles.push(Profile::of_text("mine", PROGRAMS, 0).unwrap());
    profiles.push(Profile { name: "x".repeat(200), purpose: String::new(), settings: Settings { files: 9, ..Settings::default() } });
    profiles
}

#[test]
fn no_line_is_over_80_columns() {
    for profile in profiles() {
        let pages = profile.settings.phases.iter().map(|phase| page(*phase, &profile));
        for text in pages.chain([list(&profile)]) {
            for line in text.lines() {
                assert!(width(line) <= COLUMNS && line.trim_end() == line, "{line}");
            }
        }
    }
}

#[test]
fn a_page_has_the_numbers_of_its_profile() {
    let std = Profile::named("std", 0).unwrap();
    let text = page(Phase::BlockWrite, &std);
    for said in [
        "std/1 file_size=4g chunk_size=1m",
        "4,096 times:",
        "pwrite64(file, 1 MiB, offset)",
        "openat(target, \"block.0\", O_RDWR|O_CREAT|O_EXCL",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let bonnie = page(Phase::RandomSeek, &Profile::named("bonnie", 8 << 30).unwrap());
    for said in ["8,192 times:", "in 10 of 100", "pwrite64(file, 8 KiB, offset)", "fsync(file)"] {
        assert!(bonnie.contains(said), "{said}: {bonnie}");
    }
    let mixed = std.changed(&[("dedupe".to_owned(), "20".to_owned())], 0).unwrap();
    assert!(page(Phase::BlockWrite, &mixed).contains("dedupe: 20 of 100 blocks") && !text.contains("dedupe"));
    let left_out = Profile { settings: Settings { file_size: 0, ..std.settings.clone() }, ..std };
    assert!(page(Phase::Rewrite, &left_out).contains("leaves the phase out"));
}

#[test]
fn an_unknown_phase_names_the_nearest() {
    let error = phase_named("block_wirte\n").unwrap_err().to_string();
    assert!(error.starts_with("there is no phase `block_wirte?`; did you mean `block_write`"), "{error}");
    assert!(phase_named("zzz").unwrap_err().to_string().contains("the phases are block_write, rewrite"));
    assert_eq!(phase_named("seq_stat").unwrap(), Phase::SeqStat);
}

/// Every phase of the profile makes the calls that are explained, as often as it is said; their order is the tree's own.
#[test]
fn trees_are_made_by_the_calls_that_are_explained() {
    for (sync, flush) in [("end", FlushMethod::WholeFilesystem), ("end", FlushMethod::EachFile), ("every", FlushMethod::WholeFilesystem)] {
        let changes = [("tree_files", "40"), ("library_files", "9"), ("sync", sync)].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let profile = Profile::named("tree", 0).unwrap().changed(&changes, 0).unwrap();
        let plan = Plan::of(&profile, GENERATOR, Circumstances::USUAL).unwrap();
        let target = PretendTarget::costing(|_| 1);
        let target = if flush == FlushMethod::EachFile { target.flushed_by_file() } else { target };
        let interrupted = AtomicBool::new(false);
        let (stop, stamps) = (Stop::of(&interrupted), Stamps::default());
        let job = Job { plan: &plan, target: &target, stamps: &stamps, stop: &stop };
        for phase in plan.settings.phases.iter().copied() {
            let explained = calls(phase, &plan.settings, flush);
            let sorted = |made: &[Made]| {
                let mut operations: Vec<Operation> = made.iter().map(|(operation, _)| *operation).collect();
                operations.sort();
                operations
            };
            let mut start = target.log().len();
            let survey = phases::procedure(phase).survey(job).unwrap();
            assert_eq!(sorted(&logged(&target, start)), sorted(&expanded(&explained.survey)), "{}: before it goes cold", phase.name());
            start = target.log().len();
            let mut timed = phases::prepare(phase, job, &survey).unwrap();
            assert_eq!(target.log().len(), start, "{}: nothing is to be prepared", phase.name());
            for (work, tally) in &mut timed.workers {
                tally.start(target.now_ns());
                work(tally).unwrap();
            }
            assert_eq!(sorted(&logged(&target, start)), sorted(&expanded(&explained.work)), "{}: on the clock", phase.name());
            start = target.log().len();
            if let Some(flush) = &mut timed.flush {
                flush().unwrap();
            }
            assert_eq!(sorted(&logged(&target, start)), sorted(&expanded(&explained.finish)), "{}: flush", phase.name());
        }
        assert!(target.entries().is_empty());
    }
}
