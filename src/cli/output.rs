//! Where words go: results to stdout or a file, everything else to stderr. A reader that closes early is no error.

use crate::model::printable::printable;
use crate::store::holds_runs;
use crate::target::ground::plain_error;
use anyhow::Context;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Says a line to the user, on stderr.
pub fn say(line: &str) {
    // Paths and messages come from outside: what is in them must not move the cursor. When stderr is gone there is nobody to tell.
    let safe: Vec<String> = line.split('\n').map(printable).collect();
    let _ = writeln!(io::stderr(), "{}", safe.join("\n"));
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

/// Writes a result to a file, whole or not at all: to a temporary file beside it, which then takes its name. A link is followed; what
/// is no regular file (a pipe, a device) is written to as it is.
///
/// # Errors
/// When it cannot be written or take its name, is a directory, or holds runs, which a report must never replace.
pub fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    let shown = path.display();
    let failed = |error: io::Error| anyhow::anyhow!("{shown}: cannot be written: {}", plain_error(&error));
    anyhow::ensure!(!path.is_dir(), "{shown}: is a directory; name a file");
    anyhow::ensure!(!holds_runs(path), "{shown}: holds runs, which a report would replace; name another file");
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed);
    }
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix(".barrow-report-").permissions(Permissions::from_mode(0o666)).tempfile_in(directory).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(&place).map_err(|error| failed(error.error))?;
    Ok(())
}
