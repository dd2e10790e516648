//! What stands behind `-s` and `-n` of Bonnie++, as text of parts between colons.

use crate::units::parse_size;

/// MiB in bytes, the unit of a file's size.
pub const MIB: u64 = 1 << 20;
/// Files of one unit of `-n`.
const FILE_UNIT: u64 = 1024;

/// What `-s` says: SIZE:CHUNK:SEEKS:SEEKERS. A part that is left out is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockFile {
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes of a chunk.
    pub chunk_size: Option<u64>,
    /// Seeks.
    pub seeks: Option<u64>,
    /// Threads that seek.
    pub seekers: Option<u64>,
    /// Whether the size has a `k`, which Bonnie++ does not heed.
    pub has_idle_k: bool,
}

/// The largest size of `-n`: that of a file, or what there is in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Largest {
    /// Bytes.
    Bytes(u64),
    /// -1.
    HardLinks,
    /// -2.
    SymbolicLinks,
}

/// What `-n` says: NUM:MAX:MIN:DIRS:CHUNK. A part that is left out is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSet {
    /// Files.
    pub files: u64,
    /// The largest size.
    pub largest: Option<Largest>,
    /// Bytes of the smallest file.
    pub min_size: Option<u64>,
    /// Directories.
    pub dirs: Option<u64>,
    /// Bytes of a transfer.
    pub chunk_size: Option<u64>,
    /// Whether the number has a `k`, which Bonnie++ does not heed.
    pub has_idle_k: bool,
}

/// The parts of a text, at most `N` of them; those behind the last, and empty ones, are `None`.
fn parts<const N: usize>(text: &str) -> Result<[Option<&str>; N], String> {
    let mut found = [None; N];
    for (place, part) in text.split(':').enumerate() {
        let slot = found.get_mut(place).ok_or_else(|| format!("`{text}` has more than {N} parts"))?;
        *slot = Some(part).filter(|part| !part.is_empty());
    }
    Ok(found)
}

fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number"))
}

fn bytes(text: &str) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

/// A number with one of these letters behind it, each a factor; and whether it was `k`, which Bonnie++ does not heed.
fn scaled(text: &str, unit: u64, letters: &[(char, u64)]) -> Result<(u64, bool), String> {
    let lower = text.to_ascii_lowercase();
    let known = letters.iter().chain(&[('k', 1)]).find(|(letter, _)| lower.ends_with(*letter));
    let (number, factor) = known.map_or((lower.as_str(), 1), |(letter, factor)| (lower.strip_suffix(*letter).unwrap_or(&lower), *factor));
    let all = || letters.iter().map(|(letter, _)| letter.to_string()).collect::<Vec<_>>().join(" or ");
    let number: u64 = number.parse().map_err(|_| format!("`{text}` is not a whole number, with {} behind it or not", all()))?;
    let value = number.checked_mul(factor).and_then(|value| value.checked_mul(unit));
    Ok((value.ok_or_else(|| format!("`{text}` is too large"))?, lower.ends_with('k')))
}

/// Reads what stands behind `-s`.
///
/// # Errors
/// Names the part that is no number.
pub fn block_file(text: &str) -> Result<BlockFile, String> {
    let [size, chunk_size, seeks, seekers] = parts::<4>(text)?;
    let size = size.ok_or_else(|| format!("`{text}` has no size"))?;
    let (file_size, has_idle_k) = scaled(size, MIB, &[('m', 1), ('g', 1024), ('t', 1024 * 1024)])?;
    Ok(BlockFile {
        file_size,
        chunk_size: chunk_size.map(bytes).transpose()?,
        seeks: seeks.map(whole).transpose()?,
        seekers: seekers.map(whole).transpose()?,
        has_idle_k,
    })
}

/// Reads what stands behind `-n`.
///
/// # Errors
/// Names the part that is no number.
pub fn file_set(text: &str) -> Result<FileSet, String> {
    let [files, largest, min_size, dirs, chunk_size] = parts::<5>(text)?;
    let files = files.ok_or_else(|| format!("`{text}` has no number of files"))?;
    let (files, has_idle_k) = scaled(files, FILE_UNIT, &[('m', 1024)])?;
    let largest = largest.map(|text| match text {
        "-1" => Ok(Largest::HardLinks),
        "-2" => Ok(Largest::SymbolicLinks),
        other => bytes(other).map(Largest::Bytes),
    });
    Ok(FileSet {
        files,
        largest: largest.transpose()?,
        min_size: min_size.map(bytes).transpose()?,
        dirs: dirs.map(whole).transpose()?,
        chunk_size: chunk_size.map(bytes).transpose()?,
        has_idle_k,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_have_the_units_of_bonnie() {
        let size = |text: &str| block_file(text).map(|file| (file.file_size, file.has_idle_k));
        assert_eq!(size("64"), Ok((64 << 20, false)));
        assert_eq!(size("64m"), Ok((64 << 20, false)));
        assert_eq!(size("8G"), Ok((8 << 30, false)));
        assert_eq!(size("2t:"), Ok((2 << 40, false)));
        assert_eq!(size("16k"), Ok((16 << 20, true)));
        let whole = block_file("8g:64k:100:3").unwrap();
        assert_eq!((whole.chunk_size, whole.seeks, whole.seekers), (Some(65536), Some(100), Some(3)));
        for wrong in ["", ":8k", "8x", "8gg", "-1", "1.5g", "1g:x", "1g:8k:1:1:1", "99999999999999999999", "99999999999t"] {
            assert!(block_file(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn file_sets_have_the_units_of_bonnie() {
        let plain = file_set("16").unwrap();
        assert_eq!((plain.files, plain.largest, plain.dirs), (16384, None, None));
        assert_eq!(file_set("2m").unwrap().files, 2 << 20);
        let whole = file_set("1:8k:512:3:4096").unwrap();
        assert_eq!(
            (whole.largest, whole.min_size, whole.dirs, whole.chunk_size),
            (Some(Largest::Bytes(8192)), Some(512), Some(3), Some(4096))
        );
        assert_eq!(file_set("1:-1").unwrap().largest, Some(Largest::HardLinks));
        assert_eq!(
            file_set("1:-2::5").unwrap(),
            FileSet { largest: Some(Largest::SymbolicLinks), dirs: Some(5), ..file_set("1").unwrap() }
        );
        assert!(file_set("16k").unwrap().has_idle_k);
        for wrong in ["", "x", "1:-3", "1:1:1:1:1:1", "-1"] {
            assert!(file_set(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9gkmt:-]{0,12}|\\PC{0,12}") {
            for error in [block_file(&text).err(), file_set(&text).err()].into_iter().flatten() {
                prop_assert!(!error.is_empty());
            }
        }
    }
}
