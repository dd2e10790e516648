//! What a target stands on: taken for a run, made cold before a phase, given back whatever happened.

use super::Target;
use crate::model::evidence::{ArcTraffic, ServerTraffic};
use crate::model::machine::{Device, DirectIo, Filesystem, FilesystemClass};
use crate::model::making::Making;
use crate::model::phase::Phase;
use crate::model::plan::Circumstances;
use crate::model::record::Preparation;
use crate::model::stack::{Stack, Traffic};
use std::ffi::CString;
use std::io;
use std::time::Duration;

/// What is to be cold.
#[derive(Debug, Clone)]
pub struct Cold<'a> {
    /// The phase that will read it.
    pub phase: Phase,
    /// The block files to evict (or, when a warm start is wished, to read), by their names in the root.
    pub files: &'a [CString],
    /// How the phase is to begin.
    pub circumstances: &'a Circumstances,
}

/// What lies below a ground moved since some fixed moment; `None` where it is not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// What each device of the stack moved.
    pub devices: Option<Vec<Traffic>>,
    /// What the cache of ZFS answered.
    pub arc: Option<ArcTraffic>,
    /// What was read from and written to the server.
    pub server: Option<ServerTraffic>,
}

impl Counters {
    /// What was moved since an earlier reading.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let devices = before.devices.as_ref().zip(self.devices.as_ref()).filter(|(before, after)| before.len() == after.len());
        Self {
            devices: devices.map(|(before, after)| after.iter().zip(before).map(|(after, before)| after.since(before)).collect()),
            arc: before
                .arc
                .zip(self.arc)
                .map(|(a, b)| ArcTraffic { hits: b.hits.saturating_sub(a.hits), misses: b.misses.saturating_sub(a.misses) }),
            server: before.server.zip(self.server).map(|(a, b)| ServerTraffic {
                read_bytes: b.read_bytes.saturating_sub(a.read_bytes),
                written_bytes: b.written_bytes.saturating_sub(a.written_bytes),
            }),
        }
    }
}

/// What is known of what a target stands on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// The filesystem.
    pub filesystem: Filesystem,
    /// The device below.
    pub device: Device,
    /// How direct I/O must be aligned there; `None` where none was asked for.
    pub direct_io: Option<DirectIo>,
}

impl Site {
    /// A site of which nothing is known but how its filesystem keeps its data.
    #[must_use]
    pub fn of_class(class: FilesystemClass) -> Self {
        Self { filesystem: Filesystem { class, ..Filesystem::default() }, ..Self::default() }
    }
}

/// Something that could not be done to a ground.
#[derive(Debug, thiserror::Error)]
pub enum GroundError {
    /// A call failed.
    #[error("{doing}: {}", plain_error(source))]
    Call {
        /// What was tried, on which entry; never the path to it, since records keep this.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// What was made is no longer there as it was made.
    #[error("{0}")]
    Changed(String),
    /// The run is to stop.
    #[error("the run is to stop")]
    Stopped,
}

/// The system's words for an error, as part of a sentence: `no space left on device`.
#[must_use]
pub fn plain_error(error: &io::Error) -> String {
    let text = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends before".to_owned(),
        io::ErrorKind::WriteZero => "nothing was written".to_owned(),
        _ => error.to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// What a target stands on.
pub trait Ground: Send {
    /// Makes an empty place for a run, named by its nonce.
    ///
    /// # Errors
    /// When it cannot be made.
    fn take(&mut self, nonce: u64, batch: u64) -> Result<(), GroundError>;

    /// The target of the place that was taken; it may be another one after [`Ground::make_cold`].
    ///
    /// # Errors
    /// When no place was taken.
    fn target(&self) -> Result<&dyn Target, GroundError>;

    /// Brings what a phase will read out of memory, as far as the rights go, and tells what was done. Off every clock.
    ///
    /// # Errors
    /// When a flush fails.
    fn make_cold(&mut self, cold: &Cold<'_>) -> Result<Preparation, GroundError>;

    /// What is known of it; of one that is made for each run, once it was taken.
    fn site(&self) -> &Site;

    /// The devices below the place that was taken; it may be another stack after [`Ground::make_cold`].
    fn stack(&self) -> &Stack;

    /// What they moved so far. Off every clock.
    fn counters(&self) -> Counters;

    /// Lets time pass, and does nothing.
    fn wait(&self, time: Duration);

    /// Removes everything that was made since it was taken. Names what had to be left and why; empty when nothing was.
    fn give_back(&mut self) -> Vec<String>;

    /// How it was made for the run that ended last, and what was found when it was given back; `None` where it was not made.
    fn making(&self) -> Option<Making> {
        None
    }

    /// What was found when it was given back that makes the numbers of the run untrue.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Where a place with this nonce is made, for a message; empty where nothing is made.
    fn place_of(&self, nonce: u64) -> String;

    /// The directory that the user named, for a message.
    fn directory(&self) -> String;

    /// The place that was taken, for a message; `None` when none is.
    fn scratch(&self) -> Option<String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_part_of_a_sentence() {
        assert_eq!(plain_error(&io::Error::from_raw_os_error(28)), "no space left on device");
        assert_eq!(plain_error(&io::ErrorKind::UnexpectedEof.into()), "the file ends before");
    }
}
