//! The timed loops make the system calls of a raw loop and no other: strace(1) watches a whole run.

use super::driver::{Desk, Finished, User, alone};
use super::need::{Need, is_missing};
use super::signals::target;

const CHUNKS: usize = 64;
const SEEKS: usize = 300;
const FILES: usize = 500;

/// A system call in the log.
#[derive(Debug)]
struct Call {
    thread: String,
    name: String,
    arguments: String,
}

/// Reads a line such as `17 pread64(5</a/b>, "..."..., 4096, 0) = 4096`; `None` for lines about signals and ends of threads.
fn call(line: &str) -> Option<Call> {
    let (thread, rest) = line.split_once(' ')?;
    let (name, arguments) = rest.trim_start().split_once('(')?;
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_name.then(|| Call { thread: thread.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
}

/// Every call of a run, in order; a call that another thread's came between stands where it began.
fn traced_run(desk: &Desk, settings: &str) -> Vec<Call> {
    let inner = desk.run(User::Tester, settings, &["--runs", "1", "--no-report", "--drop-caches", "never"]);
    let mut strace = alone("/usr/bin/strace");
    strace.args(["-f", "-y", "-s", "64", "-o"]).arg(desk.path("calls"));
    strace.arg(inner.get_program()).args(inner.get_args()).arg(target(desk));
    Finished::of(&mut strace).expect_code(0);
    let log = std::fs::read(desk.path("calls")).unwrap();
    String::from_utf8_lossy(&log).lines().filter_map(call).collect()
}

/// The calls of the thread that works, from the first to the last that is `is_work`; a clock that the kernel must be asked for is
/// left out.
fn between(calls: &[Call], is_work: impl Fn(&Call) -> bool) -> Vec<&str> {
    let first = calls.iter().find(|call| is_work(call)).expect("no such call");
    let of_thread: Vec<&Call> = calls.iter().filter(|call| call.thread == first.thread).collect();
    let start = of_thread.iter().position(|call| is_work(call)).unwrap();
    let end = of_thread.iter().rposition(|call| is_work(call)).unwrap();
    of_thread[start..=end].iter().map(|call| call.name.as_str()).filter(|name| *name != "clock_gettime").collect()
}

/// A phase's calls: `each` names those of one operation, `words` stand in the arguments of the first and the last.
fn expect_calls(calls: &[Call], words: [&str; 2], operations: usize, each: &[&str]) {
    let is_work = |call: &Call| each.contains(&call.name.as_str()) && words.iter().all(|word| call.arguments.contains(word));
    let phase = between(calls, is_work);
    // A close names only the number of the file, so that the last one lies behind the last call that is known.
    let known = each.iter().filter(|name| **name != "close").count();
    let wanted: Vec<&str> = each.iter().copied().cycle().take(operations * each.len() - (each.len() - known)).collect();
    assert!(phase == wanted, "{words:?}: {} calls instead of {}: {:?}", phase.len(), wanted.len(), &phase[..phase.len().min(8)]);
    println!("{words:?}: {operations} operations, {} calls: {each:?}", phase.len());
}

#[test]
#[ignore = "needs strace"]
fn each_operation_is_the_calls_of_a_raw_loop() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let calls = traced_run(&desk, "file_size=4m chunk_size=64k seeks=300 seek_seconds=0 files=500");
    let of_block_file: Vec<&str> = calls
        .iter()
        .filter(|call| matches!(call.name.as_str(), "pread64" | "pwrite64") && call.arguments.contains("/block.0>"))
        .map(|call| call.name.as_str())
        .collect();
    let expected = [vec!["pwrite64"; CHUNKS], ["pread64", "pwrite64"].repeat(CHUNKS), vec!["pread64"; CHUNKS + SEEKS]].concat();
    assert_eq!(of_block_file, expected);
    for directory in ["/sequential.0.0>", "/random.0.0>"] {
        expect_calls(&calls, [directory, "O_CREAT"], FILES, &["openat", "close"]);
        expect_calls(&calls, [directory, "\""], FILES, &["newfstatat"]);
        expect_calls(&calls, [directory, "\""], FILES, &["unlinkat"]);
    }
}

/// Between the first and the last transfer of a block phase its thread does nothing else.
#[test]
#[ignore = "needs strace"]
fn nothing_stands_between_the_transfers() {
    if is_missing(&[Need::Program("strace")]) {
        return;
    }
    let desk = Desk::new();
    let calls = traced_run(&desk, "file_size=4m chunk_size=64k seeks=300 seek_seconds=0 files=0");
    let transfers = |call: &&Call| call.arguments.contains("/block.0>") && matches!(call.name.as_str(), "pread64" | "pwrite64");
    let mut threads: Vec<&str> = calls.iter().filter(transfers).map(|call| call.thread.as_str()).collect();
    threads.dedup();
    assert_eq!(threads.len(), 4, "one thread a phase: {threads:?}");
    let expected = [vec!["pwrite64"; CHUNKS], ["pread64", "pwrite64"].repeat(CHUNKS), vec!["pread64"; CHUNKS], vec!["pread64"; SEEKS]];
    for (thread, expected) in threads.iter().zip(expected) {
        let found = between(&calls, |call| call.thread == *thread && transfers(&call));
        assert_eq!(found, expected);
    }
}
