//! `--loadfile FILE`: a loadfile is read and rehearsed before anything else is looked at.

use super::exit::usage;
use crate::model::loadfile::{Loadfile, LoadfileChoice, MOST_BYTES};
use crate::rng::hash64;
use crate::target::ground::plain_error;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// The loadfile of a path, named after its bytes.
///
/// # Errors
/// When it is no file or cannot be read; as a usage error when it cannot be replayed.
pub fn read(path: &Path) -> anyhow::Result<LoadfileChoice> {
    let shown = path.display();
    let failed = |error: std::io::Error| anyhow::anyhow!("loadfile {shown}: {}", plain_error(&error));
    let metadata = std::fs::metadata(path).map_err(failed)?;
    // A pipe might never end.
    anyhow::ensure!(metadata.is_file(), "loadfile {shown}: is not a file");
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)).map_err(failed)?;
    let loadfile = Loadfile::of_text(&bytes).map_err(|error| usage(format!("loadfile {shown}: {error}")))?;
    Ok(LoadfileChoice::of_read(hash64(&bytes), Arc::new(loadfile)))
}
