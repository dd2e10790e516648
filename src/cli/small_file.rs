//! Files that people write by hand: read whole, as far as any such file goes.

use crate::target::ground::plain_error;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The text of a file that is called `what` in messages. Of one that is longer than `most` bytes some more is read than that, which
/// tells that it is too long.
///
/// # Errors
/// When it is no file, cannot be read or is not UTF-8.
pub fn read(what: &str, path: &Path, most: usize) -> anyhow::Result<String> {
    let shown = path.display();
    let failed = |error: std::io::Error| anyhow::anyhow!("{what} {shown}: {}", plain_error(&error));
    let metadata = std::fs::metadata(path).map_err(failed)?;
    anyhow::ensure!(metadata.is_file(), "{what} {shown}: is not a file");
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes)).map_err(failed)?;
    let is_whole = bytes.len() <= most;
    String::from_utf8(bytes).or_else(|error| {
        // The end may have been cut off in the middle of a character.
        if is_whole {
            Err(anyhow::anyhow!("{what} {shown}: is not text in UTF-8"))
        } else {
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
    })
}
