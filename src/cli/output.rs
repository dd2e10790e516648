//! Where words go: results to stdout or a file, everything else to stderr. A reader that closes early is no error.

use anyhow::Context;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Says a line to the user, on stderr.
pub fn say(line: &str) {
    // When stderr is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints a result on stdout.
///
/// # Errors
/// When stdout takes it not; a reader that has closed it is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("the report cannot be written to stdout"),
    }
}

/// Writes a result to a file, whole or not at all: to a temporary file beside it, which then takes its name.
///
/// # Errors
/// When it cannot be written or take its name.
pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("{}: cannot be written", path.display());
    anyhow::ensure!(!path.is_dir(), "{}: is a directory; name a file", path.display());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut builder = tempfile::Builder::new();
    let mut file =
        builder.prefix(".barrow-report-").permissions(Permissions::from_mode(0o666)).tempfile_in(directory).with_context(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).with_context(failed)?;
    file.persist(path).map_err(|error| error.error).with_context(failed)?;
    Ok(())
}
