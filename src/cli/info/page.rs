//! The page of `barrow info`, made of facts alone: the filesystem, what is below it, caches, limits, and what follows from these.

use super::Facts;
use super::chain::{cache_lines, chain_lines};
use super::proof::proof;
use crate::model::machine::{DirtyLimits, Filesystem, FilesystemClass, Machine};
use crate::model::printable::printable;
use crate::report::lines::{blanks, join_and, left, width, wrap};
use crate::units::{rounded_size, with_thousands};

/// Columns of the names of rows.
const NAMES: usize = 14;

/// The whole page, at most 80 columns wide, without colours.
pub fn page(facts: &Facts) -> String {
    let parts = [
        filesystem_lines(facts),
        headed("Below it", chain_lines(&facts.found)),
        headed("Caches on the way", cache_lines(facts)),
        headed("Limits", limit_lines(facts)),
        proof_lines(facts),
    ];
    let mut text = parts.map(|lines| lines.join("\n")).join("\n\n");
    text.push('\n');
    text
}

/// A name, and beside it a text of any length. Every text from outside passes here or through [`safe_wrap`].
pub fn row(name: &str, text: &str) -> Vec<String> {
    let name = printable(name);
    if width(&name) > NAMES - 4 {
        return safe_wrap(&format!("{name}: {text}"), "  ", &blanks(NAMES));
    }
    safe_wrap(text, &left(&format!("  {name}"), NAMES), &blanks(NAMES))
}

/// Wraps a text in which nothing moves the cursor.
pub fn safe_wrap(text: &str, first: &str, next: &str) -> Vec<String> {
    wrap(&printable(text), first, next)
}

fn headed(heading: &str, lines: Vec<String>) -> Vec<String> {
    std::iter::once(heading.to_owned()).chain(lines).collect()
}

fn filesystem_lines(facts: &Facts) -> Vec<String> {
    let filesystem = &facts.filesystem;
    let mut lines = safe_wrap(&facts.path.to_string_lossy(), "", "  ");
    lines.extend(row("filesystem", &format!("{}, {}", filesystem.kind, class_words(filesystem.class))));
    lines.extend(row("mounted on", &facts.mount_point.to_string_lossy()));
    lines.extend(row("options", &filesystem.mount_options));
    lines.extend(row("size", &size_words(filesystem)));
    lines
}

const fn class_words(class: FilesystemClass) -> &'static str {
    match class {
        FilesystemClass::Block => "on block devices, behind the page cache",
        FilesystemClass::Memory => "in memory",
        FilesystemClass::Network => "on a server",
        FilesystemClass::Fuse => "served by a process (FUSE)",
        FilesystemClass::Zfs => "with a cache of its own beside the page cache",
        FilesystemClass::Overlay => "on top of another filesystem",
        FilesystemClass::Other => "on neither a block device nor a server, as far as is known",
    }
}

fn size_words(filesystem: &Filesystem) -> String {
    if filesystem.size_bytes == 0 {
        return "none that it tells".to_owned();
    }
    let fill = filesystem.fill_percent().map(|percent| format!("{percent:.0} % full"));
    let files = match filesystem.free_files {
        Some(files) => format!("room for {} more files", with_thousands(files as f64, 0)),
        None => "no limit of files".to_owned(),
    };
    let space = [Some(rounded_size(filesystem.size_bytes)), Some(format!("{} free", rounded_size(filesystem.free_bytes))), fill];
    space.into_iter().flatten().chain([files]).collect::<Vec<_>>().join(", ")
}

fn limit_lines(facts: &Facts) -> Vec<String> {
    let machine = &facts.machine;
    let rights = if machine.root { "root" } else { "those of an ordinary user" };
    let files = facts.open_files.map(|files| with_thousands(files as f64, 0));
    let rows = [
        ("memory", Some(memory_words(machine))),
        ("writeback", machine.dirty.map(dirty_words)),
        ("open files", files),
        ("inside", (!machine.inside.is_empty()).then(|| inside_words(machine))),
        ("rights", Some(rights.to_owned())),
    ];
    rows.into_iter().flat_map(|(name, text)| row(name, text.as_deref().unwrap_or("not known"))).collect()
}

fn inside_words(machine: &Machine) -> String {
    let goes_back = if machine.memory_goes_back { ", whose host takes free memory back: a large first write pays for it" } else { "" };
    format!("a {}{goes_back}", join_and(&machine.inside))
}

fn memory_words(machine: &Machine) -> String {
    let whole = machine.ram_bytes.map_or_else(|| "not known".to_owned(), rounded_size);
    match machine.memory_limit_bytes {
        Some(limit) => format!("{whole}, of which the control group allows {}", rounded_size(limit)),
        None => format!("{whole}, no lower limit by control groups"),
    }
}

fn dirty_words(dirty: DirtyLimits) -> String {
    let limit = |bytes: u64, percent: u64| {
        if bytes > 0 { rounded_size(bytes) } else { format!("{percent} % of available memory") }
    };
    let (background, wait) = (limit(dirty.background_bytes, dirty.background_percent), limit(dirty.bytes, dirty.percent));
    format!("begins at {background}, writers wait from {wait}")
}

fn proof_lines(facts: &Facts) -> Vec<String> {
    let proof = proof(facts);
    let list = |heading: &str, items: &[String]| {
        let items = items.iter().flat_map(|item| safe_wrap(item, "  - ", "    "));
        headed(heading, items.collect())
    };
    let can = list("barrow can prove here", &proof.can);
    let cannot = list("barrow cannot prove here", &proof.cannot);
    let parts = [(can, proof.can.is_empty()), (cannot, proof.cannot.is_empty())];
    let shown: Vec<Vec<String>> = parts.into_iter().filter(|(_, is_empty)| !is_empty).map(|(lines, _)| lines).collect();
    shown.join(&String::new())
}
