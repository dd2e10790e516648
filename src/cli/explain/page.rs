//! The page of a phase and the list of all, at most 80 columns wide.

use super::calls::{Call, Calls, DEVICE, Step, calls, residency};
use super::{keys, words};
use crate::model::phase::{Group, Phase, Reads};
use crate::model::printable::printable;
use crate::model::profile::Profile;
use crate::model::settings::{KEYS, Settings};
use crate::report::lines::{blanks, left, wrap};
use crate::target::FlushMethod;
use crate::target::pretend_call::Operation;
use crate::units::{rounded_size, with_thousands};

/// The phases of a profile, a line each, with the calls on the clock.
pub fn list(profile: &Profile) -> String {
    let phases = &profile.settings.phases;
    let longest =
        |name: fn(&Phase) -> &'static str, heading: &str| phases.iter().map(name).map(str::len).fold(heading.len(), usize::max) + 2;
    let (names, units) = (longest(|phase| phase.name(), "phase"), longest(|phase| phase.row().unit.name(), "counts"));
    let mut lines = vec![format!("  {}{}{}", left("phase", names), left("counts", units), "on the clock")];
    for phase in phases.iter() {
        let calls = calls(*phase, &profile.settings, FlushMethod::WholeFilesystem);
        let start = format!("  {}{}", left(phase.name(), names), left(phase.row().unit.name(), units));
        lines.extend(wrap(&on_the_clock(&calls).join(", "), &start, &blanks(2 + names + units)));
    }
    let mut text = vec!["What a run does, in this order. On the clock are these calls and its readings:".to_owned(), String::new()];
    text.extend(lines);
    text.push(String::new());
    text.push("`barrow explain PHASE` shows them one by one, with sizes, flags and checks.".to_owned());
    ended(&text)
}

fn ended(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The names of the calls on the clock, each where it first occurs; an unconditional repetition is not said.
fn on_the_clock(calls: &Calls) -> Vec<&'static str> {
    fn collect(steps: &[Step], names: &mut Vec<&'static str>) {
        for step in steps {
            match step {
                Step::Call(call) => {
                    if names.last() != Some(&system_call(call.operation)) {
                        names.push(system_call(call.operation));
                    }
                }
                Step::Times(_, _, inner) | Step::Percent(_, inner) => collect(inner, names),
            }
        }
    }
    let mut names = Vec::new();
    collect(&calls.work, &mut names);
    collect(&calls.finish, &mut names);
    names
}

/// Everything about one phase.
pub fn page(phase: Phase, profile: &Profile) -> String {
    let settings = &profile.settings;
    let mut lines = wrap(&format!("{}: {}", phase.name(), words::purpose(phase)), "", "");
    lines.extend(wrap(&format!("{} {}", printable(&profile.name), parameters(phase, settings)), "  profile ", "    "));
    if is_left_out(phase, settings) {
        lines.push(String::new());
        lines.push("This profile leaves the phase out.".to_owned());
        return ended(&lines);
    }
    let whole = calls(phase, settings, FlushMethod::WholeFilesystem);
    let is_device = phase.row().group == Group::Device;
    lines.extend(wrap(if is_device { words::READING_A_DEVICE } else { words::READING }, "  ", "    "));
    let mut part = |heading: &str, body: Vec<String>| {
        lines.push(String::new());
        lines.extend(wrap(heading, "", ""));
        lines.extend(body);
    };
    part("before the clock", before(phase, settings, &whole));
    part("THE CLOCK STARTS: all threads are released", step_lines(&whole.work, 2));
    let (heading, finish) = (words::finish_heading(phase), step_lines(&whole.finish, 2));
    if !finish.is_empty() {
        part(heading, finish);
    }
    part("THE CLOCK STOPS: the last thread is done", after(phase, settings));
    if !is_device {
        part(words::ON_FUSE, on_fuse(phase, settings, &whole));
    }
    part("measured", words::measured(phase).iter().flat_map(|sentence| wrap(sentence, "  ", "    ")).collect());
    part("checked", words::checked(phase, settings).iter().flat_map(|sentence| wrap(sentence, "  ", "    ")).collect());
    part("what the words beside the number mean", label_lines(phase));
    ended(&lines)
}

/// What a filesystem that never hears of syncfs is flushed by instead, and what is known of it.
fn on_fuse(phase: Phase, settings: &Settings, whole: &Calls) -> Vec<String> {
    let finish = step_lines(&calls(phase, settings, FlushMethod::EachFile).finish, 2);
    let mut lines = if finish == step_lines(&whole.finish, 2) {
        wrap("the same calls on the clock", "  ", "    ")
    } else {
        wrap("on the clock, in place of the syncfs at the end:", "  ", "    ").into_iter().chain(finish).collect()
    };
    lines.extend(wrap(words::fuse_labels(phase), "  ", "    "));
    lines
}

fn is_left_out(phase: Phase, settings: &Settings) -> bool {
    let work = calls(phase, settings, FlushMethod::WholeFilesystem).work;
    work.is_empty() || settings.leaves_out(phase).is_some() || !settings.phases.contains(&phase)
}

/// The keys that decide this phase.
fn parameters(phase: Phase, settings: &Settings) -> String {
    let keys = keys::keys(phase);
    let shown = KEYS.iter().filter(|key| keys.contains(&key.name) && key.is_named(settings));
    shown.map(|key| format!("{}={}", key.name, key.show(settings))).collect::<Vec<_>>().join(" ")
}

fn before(phase: Phase, settings: &Settings, calls: &Calls) -> Vec<String> {
    let mut lines = step_lines(&calls.survey, 2);
    lines.extend(words::made_ready(phase).iter().flat_map(|sentence| wrap(sentence, "  ", "    ")));
    if has_block_files(phase) {
        lines.extend(step_lines(&residency(phase, settings), 2));
    }
    lines.extend(step_lines(&calls.prepare, 2));
    lines.extend(wrap(words::made(phase), "  ", "    "));
    lines.extend(words::links(phase, settings).iter().flat_map(|sentence| wrap(sentence, "  ", "    ")));
    lines.extend(words::data(phase, settings).iter().flat_map(|sentence| wrap(sentence, "  ", "    ")));
    lines
}

fn after(phase: Phase, settings: &Settings) -> Vec<String> {
    if has_block_files(phase) { step_lines(&residency(phase, settings), 2) } else { Vec::new() }
}

/// Whether the residency of block files is looked at.
fn has_block_files(phase: Phase) -> bool {
    phase.row().reads == Reads::Data && phase.row().group != Group::Command
}

fn label_lines(phase: Phase) -> Vec<String> {
    let labels = words::labels(phase);
    let indent = labels.iter().map(|(word, _)| word.len()).max().unwrap_or(0) + 4;
    labels.iter().flat_map(|(word, meaning)| wrap(meaning, &left(&format!("  {word}"), indent), &blanks(indent))).collect()
}

fn step_lines(steps: &[Step], indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for step in steps {
        match step {
            Step::Call(call) => lines.extend(wrap(&call_text(call), &blanks(indent), &blanks(indent + 4))),
            Step::Times(count, said, inner) => {
                let often = said.clone().unwrap_or_else(|| format!("{} times", with_thousands(*count as f64, 0)));
                lines.extend(wrap(&format!("{often}:"), &blanks(indent), &blanks(indent + 4)));
                lines.extend(step_lines(inner, indent + 2));
            }
            Step::Percent(percent, inner) => {
                lines.push(format!("{}in {percent} of 100, changed and written back:", blanks(indent)));
                lines.extend(step_lines(inner, indent + 2));
            }
        }
    }
    lines
}

/// The system call that a real target makes of an operation.
const fn system_call(operation: Operation) -> &'static str {
    match operation {
        Operation::MakeDirectory => "mkdirat",
        Operation::OpenDirectory => "openat2",
        Operation::Create | Operation::Open => "openat",
        Operation::RemoveDirectory | Operation::Unlink => "unlinkat",
        Operation::Read => "pread64",
        Operation::Write => "pwrite64",
        Operation::AdviseRandom | Operation::Evict => "fadvise64",
        Operation::Sync => "fsync",
        Operation::Flush => "syncfs",
        Operation::Close => "close",
        Operation::Status | Operation::StatusThrough | Operation::StatusOpen => "newfstatat",
        Operation::Rename => "renameat",
        Operation::SetLength => "ftruncate",
        Operation::SetTimes => "utimensat",
        Operation::Lock | Operation::Unlock => "fcntl",
        Operation::FreeBytes => "fstatfs",
        Operation::Extents => "ioctl",
        Operation::HardLink => "linkat",
        Operation::SymbolicLink => "symlinkat",
        Operation::List => "getdents64",
        Operation::Residency => "cachestat",
        Operation::RunProgram => "clone, execve, wait4",
    }
}

/// The directory that something lies in: what stands for many names lies in directories of its own.
fn directory_of(object: &str) -> &'static str {
    if object.contains("NAME") { "directory" } else { "target" }
}

/// The call as the manual writes it: `pwrite64(file, 1 MiB, offset)`.
fn call_text(call: &Call) -> String {
    let object = call.object;
    if object == DEVICE && call.operation == Operation::Status {
        // Of a device nothing else tells its size.
        return "lseek(file, 0, SEEK_END)".to_owned();
    }
    if call.operation == Operation::RunProgram {
        return format!("clone(), execve({object}), wait4()");
    }
    let length = call.length.map(rounded_size).unwrap_or_default();
    let arguments = match call.operation {
        Operation::Create | Operation::Open => {
            format!("{}, {object}, {}", directory_of(object), call.flags)
        }
        Operation::OpenDirectory => format!("{}, {object}, O_RDONLY|O_DIRECTORY", directory_of(object)),
        Operation::MakeDirectory => format!("{}, {object}, 0700", directory_of(object)),
        Operation::RemoveDirectory => format!("{}, {object}, AT_REMOVEDIR", directory_of(object)),
        Operation::Read | Operation::Write => format!("{object}, {length}, offset"),
        Operation::AdviseRandom => format!("{object}, POSIX_FADV_RANDOM"),
        Operation::Evict => format!("{object}, POSIX_FADV_DONTNEED"),
        Operation::Status if object.contains("NAME") => format!("directory, {object}, AT_SYMLINK_NOFOLLOW"),
        Operation::Status => format!("target, {object}, AT_SYMLINK_NOFOLLOW"),
        Operation::StatusThrough => format!("directory, {object}, 0"),
        Operation::HardLink => format!("directory, \"FIRST\", directory, {object}, 0"),
        Operation::SymbolicLink => format!("\"FIRST\", directory, {object}"),
        Operation::Unlink => format!("directory, {object}"),
        Operation::Rename => format!("directory, {object}, directory, \"OTHER\""),
        Operation::StatusOpen => format!("{object}, \"\", AT_EMPTY_PATH"),
        Operation::SetLength => format!("{object}, length"),
        Operation::SetTimes => format!("{object}, NULL, now, 0"),
        Operation::Lock => format!("{object}, F_OFD_SETLK, F_WRLCK"),
        Operation::Unlock => format!("{object}, F_OFD_SETLK, F_UNLCK"),
        Operation::Extents => format!("{object}, FS_IOC_FIEMAP"),
        Operation::Sync | Operation::Flush | Operation::Close | Operation::List | Operation::Residency | Operation::FreeBytes => {
            object.to_owned()
        }
        Operation::RunProgram => String::new(),
    };
    format!("{}({arguments})", system_call(call.operation))
}
