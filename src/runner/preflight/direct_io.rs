//! Preflight of direct I/O: whether the filesystem takes it, and whether the sizes of the plan and barrow's own buffers suit it.

use crate::model::machine::{AlignmentSource, DirectIo};
use crate::model::phase::Phase;
use crate::model::settings::Settings;
use crate::phases::BUFFER_ALIGNMENT;
use crate::sys::direct::{Answer, Refusal};
use crate::target::ground::plain_error;
use crate::units::exact_size;
use std::io;

/// Why a batch with direct I/O must not begin.
#[derive(Debug, thiserror::Error)]
pub enum DirectRefusal {
    /// The filesystem takes none.
    #[error("this filesystem takes no direct I/O ({why}); use --io buffered")]
    NotTaken {
        /// Where it was refused.
        why: &'static str,
    },
    /// It could not be asked.
    #[error("whether this filesystem takes direct I/O cannot be found out: {}; use --io buffered", plain_error(.0))]
    NotKnown(io::Error),
    /// A size of the plan is none that direct I/O can transfer.
    #[error(
        "{key} = {} is not a multiple of {}, in which direct I/O goes here ({how}); take another one, as in --set {key}={}, or --io buffered",
        exact_size(*size),
        exact_size(*alignment),
        exact_size(size.next_multiple_of(*alignment))
    )]
    Length {
        /// The key of the profile.
        key: &'static str,
        /// Its value in bytes.
        size: u64,
        /// What it must be a multiple of in bytes.
        alignment: u64,
        /// How that is known.
        how: &'static str,
    },
    /// The transfers of a phase are none that direct I/O can make.
    #[error(
        "the transfers of {phase} are not a multiple of {}, in which direct I/O goes here ({how}); leave the phase out, or use --io buffered",
        exact_size(*alignment)
    )]
    Transfers {
        /// The phase.
        phase: &'static str,
        /// What they must be a multiple of in bytes.
        alignment: u64,
        /// How that is known.
        how: &'static str,
    },
    /// barrow's buffers do not suit it.
    #[error("direct I/O needs memory aligned to {} here, and barrow's is aligned to {}; use --io buffered", exact_size(*needed), exact_size(BUFFER_ALIGNMENT as u64))]
    Memory {
        /// Alignment in bytes that is needed.
        needed: u64,
    },
}

const fn why(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Open => "a file cannot be opened with O_DIRECT",
        Refusal::Statx => "it says so itself, by statx",
        Refusal::Transfer => "an aligned transfer of 4096 bytes was refused",
    }
}

const fn how(source: AlignmentSource) -> &'static str {
    match source {
        AlignmentSource::Statx => "the filesystem says so",
        AlignmentSource::Trial => "the filesystem does not say, and this was tried",
    }
}

/// How direct I/O must be aligned for these settings on a filesystem that answered so.
///
/// # Errors
/// Everything that is in its way, with the numbers.
pub fn alignment(settings: &Settings, answer: io::Result<Answer>) -> Result<DirectIo, Vec<DirectRefusal>> {
    let direct = match answer {
        Ok(Answer::Takes(direct)) => direct,
        Ok(Answer::Refuses(refusal)) => return Err(vec![DirectRefusal::NotTaken { why: why(refusal) }]),
        Err(error) => return Err(vec![DirectRefusal::NotKnown(error)]),
    };
    let mut refused = Vec::new();
    let alignment = direct.offset_alignment;
    for (key, size) in [("chunk_size", settings.chunk_size), ("seek_size", settings.seek_size)] {
        if !size.is_multiple_of(alignment) {
            refused.push(DirectRefusal::Length { key, size, alignment, how: how(direct.source) });
        }
    }
    for transfer in settings.all_transfers().filter(|transfer| !u64::from(transfer.bytes).is_multiple_of(alignment)) {
        refused.push(DirectRefusal::Transfers { phase: Phase::Transfer(transfer).name(), alignment, how: how(direct.source) });
    }
    if !(BUFFER_ALIGNMENT as u64).is_multiple_of(direct.memory_alignment) {
        refused.push(DirectRefusal::Memory { needed: direct.memory_alignment });
    }
    if refused.is_empty() { Ok(direct) } else { Err(refused) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(memory_alignment: u64, offset_alignment: u64, source: AlignmentSource) -> io::Result<Answer> {
        Ok(Answer::Takes(DirectIo { memory_alignment, offset_alignment, source }))
    }

    fn words(settings: &Settings, answer: io::Result<Answer>) -> Vec<String> {
        alignment(settings, answer).unwrap_err().iter().map(DirectRefusal::to_string).collect()
    }

    #[test]
    fn what_fits_is_taken() {
        let small = Settings { chunk_size: 1024, seek_size: 512, ..Settings::default() };
        assert_eq!(alignment(&small, takes(4, 512, AlignmentSource::Statx)).unwrap().offset_alignment, 512);
        assert!(alignment(&Settings::default(), takes(4096, 4096, AlignmentSource::Trial)).is_ok());
    }

    #[test]
    fn sizes_that_do_not_fit_are_named_with_their_numbers() {
        let small = Settings { chunk_size: 1536, seek_size: 512, ..Settings::default() };
        let words = words(&small, takes(512, 1024, AlignmentSource::Statx));
        assert_eq!(words.len(), 2);
        assert!(words[0].starts_with("chunk_size = 1536 is not a multiple of 1k, in which direct I/O goes here"), "{}", words[0]);
        assert!(words[0].contains("--set chunk_size=2k"), "{}", words[0]);
        assert!(words[1].starts_with("seek_size = 512 "), "{}", words[1]);
    }

    #[test]
    fn transfers_that_do_not_fit_are_named() {
        let phases = vec![Phase::named("seq_read_4k_1w").unwrap(), Phase::named("seq_read_512_1w").unwrap()];
        let small = Settings { phases: phases.try_into().unwrap(), ..Settings::default() };
        let words = words(&small, takes(512, 4096, AlignmentSource::Statx));
        assert_eq!(words.len(), 1);
        assert!(words[0].starts_with("the transfers of seq_read_512_1w are not a multiple of 4k"), "{}", words[0]);
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        let words = words(&Settings::default(), takes(16 << 10, 4096, AlignmentSource::Statx));
        assert_eq!(words, ["direct I/O needs memory aligned to 16k here, and barrow's is aligned to 4k; use --io buffered"]);
    }

    #[test]
    fn a_filesystem_without_it_says_where() {
        let refused = words(&Settings::default(), Ok(Answer::Refuses(Refusal::Open)));
        assert_eq!(refused, ["this filesystem takes no direct I/O (a file cannot be opened with O_DIRECT); use --io buffered"]);
        let unknown = words(&Settings::default(), Err(io::Error::from_raw_os_error(28)));
        assert!(unknown[0].contains("cannot be found out: no space left on device"), "{}", unknown[0]);
    }
}
