//! Why a block device may not be used: what was found, where, and what to do.

use crate::model::printable::printable;
use crate::sys::block_device::BlockDevice;
use crate::sys::block_use::{Use, Used};
use crate::sys::processes::Process;
use crate::sys::signatures::{Signature, SignatureError};
use std::io;
use std::path::{Path, PathBuf};

/// How many uses, holders, signatures or partitions a message names.
const MOST_NAMED: usize = 4;

/// Why a block device may not be used.
#[derive(Debug, thiserror::Error)]
pub enum DeviceRefusal {
    /// The path depends on where barrow is started.
    #[error("{}: a device is named by its whole path, as in /dev/sdx1", shown(path))]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// Nothing is there.
    #[error("{}: there is nothing of this name; `lsblk` lists the devices", shown(path))]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The rights do not suffice.
    #[error("{}: it may not be looked at or opened; run barrow as root", shown(path))]
    Hidden {
        /// The path.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("{}: is {kind}, and no block device; a file or a place for images is named by `dir`", shown(path))]
    NoBlockDevice {
        /// The path.
        path: PathBuf,
        /// What it is, in words.
        kind: &'static str,
    },
    /// It has no size.
    #[error("{}: has 0 bytes: a drive without a medium, or a loop device without a file; name another one", shown(path))]
    Empty {
        /// The path.
        path: PathBuf,
    },
    /// The kernel refuses to write to it.
    #[error("{}: is read-only; `blockdev --setrw` makes it writable, where the device itself allows it", shown(path))]
    ReadOnly {
        /// The path.
        path: PathBuf,
    },
    /// Something uses it.
    #[error("{}: is in use: {}; end that first, or name another device", shown(path), listed(used, "; "))]
    Used {
        /// The path.
        path: PathBuf,
        /// What uses it.
        used: Vec<Used>,
    },
    /// Something holds it that /proc and /sys do not name as its user.
    #[error(
        "{}: is in use: the kernel does not let it be opened exclusively{}; end that first, or name another device",
        shown(path),
        openers(by)
    )]
    Held {
        /// The path.
        path: PathBuf,
        /// The processes that have it open, one of which may be the reason.
        by: Vec<Process>,
    },
    /// It is not known whether something uses it.
    #[error("{}: it cannot be told whether it is in use ({error}); barrow only writes to a device of which it knows", shown(path))]
    Unknown {
        /// The path.
        path: PathBuf,
        /// What could not be read.
        error: io::Error,
    },
    /// The user has not named it a second time.
    #[error("{}: everything on it would be lost ({facts}); if that is meant, add `--destroy {}`", shown(path), shown(path))]
    NotRepeated {
        /// The path.
        path: PathBuf,
        /// What it is.
        facts: Box<BlockDevice>,
    },
    /// The user has named it a second time in other letters.
    #[error("--destroy {}: names the device of the plan, but not as the plan does: write `--destroy {}`", shown(spelled), shown(path))]
    SpelledOtherwise {
        /// As the plan has it.
        path: PathBuf,
        /// As it is repeated.
        spelled: PathBuf,
    },
    /// No variant is on it.
    #[error("--destroy {}: no variant of the plan is made on this device; name it in the plan, or leave this away", shown(path))]
    NotPlanned {
        /// The path.
        path: PathBuf,
    },
    /// A variant has it twice among its devices.
    #[error("{}: is the same device as {} of the same variant; name each device once", shown(again), shown(path))]
    NamedTwice {
        /// The first of its names.
        path: PathBuf,
        /// The second one, which may be equal.
        again: PathBuf,
    },
    /// A partition and its disk are both in the plan.
    #[error("{}: is a partition of {}, which is in the plan too; take one of them", shown(partition), shown(disk))]
    PartOfAnother {
        /// The disk.
        disk: PathBuf,
        /// The partition.
        partition: PathBuf,
    },
    /// Something is on it.
    #[error("{}: is not empty ({facts}): {}; if all of it may be lost, add `--wipe`", shown(path), contents(content, facts))]
    Content {
        /// The path.
        path: PathBuf,
        /// What it is.
        facts: Box<BlockDevice>,
        /// The signatures on it.
        content: Vec<Signature>,
    },
    /// It is not known what is on it.
    #[error("{}: it is not known what is on it: {error}", shown(path))]
    ContentUnknown {
        /// The path.
        path: PathBuf,
        /// Why.
        error: SignatureError,
    },
    /// The path leads to another device than before.
    #[error("{}: leads to another device by now than when it was checked; nothing was written to it: begin again", shown(path))]
    Moved {
        /// The path.
        path: PathBuf,
    },
    /// What is on it could not be wiped.
    #[error("{}: what is on it cannot be wiped: {error}", shown(path))]
    NotWiped {
        /// The path.
        path: PathBuf,
        /// Why.
        error: SignatureError,
    },
}

impl DeviceRefusal {
    /// Whether the reason is one that may pass by itself in a moment: the device is only open somewhere.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Held { .. } => true,
            Self::Used { used, .. } => used.iter().all(|used| matches!(used.how, Use::Opened(_))),
            Self::Relative { .. }
            | Self::Missing { .. }
            | Self::Hidden { .. }
            | Self::NoBlockDevice { .. }
            | Self::Empty { .. }
            | Self::ReadOnly { .. }
            | Self::Unknown { .. }
            | Self::NotRepeated { .. }
            | Self::SpelledOtherwise { .. }
            | Self::NotPlanned { .. }
            | Self::NamedTwice { .. }
            | Self::PartOfAnother { .. }
            | Self::Content { .. }
            | Self::ContentUnknown { .. }
            | Self::Moved { .. }
            | Self::NotWiped { .. } => false,
        }
    }
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// The first of many things, and how many more there are.
fn listed(things: &[impl ToString], between: &str) -> String {
    let named = things.iter().take(MOST_NAMED).map(|thing| printable(&thing.to_string())).collect::<Vec<_>>().join(between);
    match things.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn openers(by: &[Process]) -> String {
    if by.is_empty() { String::new() } else { format!(" (open in {})", listed(by, ", ")) }
}

fn contents(content: &[Signature], facts: &BlockDevice) -> String {
    let word = |signature: &Signature| match signature.label.as_deref().filter(|label| !label.is_empty()) {
        Some(label) => format!("{} `{label}`", signature.kind),
        None => signature.kind.clone(),
    };
    let signatures: Vec<String> = content.iter().map(word).collect();
    let partitions = (!facts.partitions.is_empty()).then(|| format!("partitions {}", listed(&facts.partitions, ", ")));
    let parts = (!signatures.is_empty()).then(|| listed(&signatures, ", ")).into_iter().chain(partitions);
    format!("on it {}", parts.collect::<Vec<_>>().join("; "))
}
