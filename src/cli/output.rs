//! Where words go: results to stdout or a file, everything else to stderr. A reader that closes early is no error.

use crate::model::printable::printable;
use crate::report::Rendering;
use crate::store::holds_runs;
use crate::sys::process::effective_user;
use crate::target::ground::plain_error;
use crate::target::scratch::{REPORT_LETTERS, REPORT_PREFIX};
use std::fs::Permissions;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use tempfile::NamedTempFile;

/// How long whoever reads stderr may let it wait for a word that must not hold barrow up.
const PATIENCE: Duration = Duration::from_millis(500);
/// Tries to make a file beside somebody who cleans up.
const MOST_TRIES: u32 = 20;

/// Says a line to the user, on stderr.
pub fn say(line: &str) {
    // Paths and messages come from outside: what is in them must not move the cursor. When stderr is gone there is nobody to tell.
    let safe: Vec<String> = line.split('\n').map(printable).collect();
    // In one call, so that the lines of several programs do not mix.
    let _ = io::stderr().write_all((safe.join("\n") + "\n").as_bytes());
}

/// Says a line to the user, but goes on after a moment when it is not taken: a terminal that was halted, a pipe that nobody reads.
pub fn say_in_time(line: String) {
    let (done, is_done) = mpsc::channel();
    let spawned = std::thread::Builder::new().spawn(move || {
        say(&line);
        // Nobody waits any more when it took too long.
        let _ = done.send(());
    });
    if spawned.is_ok() {
        let _ = is_done.recv_timeout(PATIENCE);
    }
}

/// Prints a text on stdout.
///
/// # Errors
/// When stdout takes it not; a reader that has closed it is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_bytes(text.as_bytes())
}

/// Prints a report on stdout.
///
/// # Errors
/// When stdout takes it not, or is a terminal and the report a picture.
pub fn print_report(report: &Rendering) -> anyhow::Result<()> {
    let is_picture = report.text().is_none();
    anyhow::ensure!(!(is_picture && io::stdout().is_terminal()), "a terminal cannot show a picture; name a file with -o FILE");
    print_bytes(report.bytes())
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| anyhow::anyhow!("stdout takes no report: {}", plain_error(&error))),
    }
}

/// Writes a result to a file, whole or not at all: to a temporary file beside it, which then takes its name. A link of the
/// user's own, or of root's, is followed; what is no regular file (a pipe, a device) is written to as it is.
///
/// # Errors
/// When it cannot be written or take its name, is a directory or another user's link, or holds runs, which a report must never replace.
pub fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let shown = path.display();
    let failed = |error: io::Error| anyhow::anyhow!("{shown}: cannot be written: {}", plain_error(&error));
    anyhow::ensure!(!path.is_dir(), "{shown}: is a directory; name a file");
    anyhow::ensure!(!holds_runs(path), "{shown}: holds runs, which a report would replace; name another file");
    let link = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_symlink);
    let is_trusted = link.as_ref().is_none_or(|link| [0, effective_user()].contains(&link.uid()));
    anyhow::ensure!(is_trusted, "{shown}: is a symbolic link of another user's; name the file that it leads to, if that is meant");
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes)).map_err(failed);
    }
    // Where none was, none is followed: a link that somebody puts there meanwhile is replaced.
    let place = link.and_then(|_| std::fs::canonicalize(path).ok()).unwrap_or_else(|| path.to_owned());
    let directory = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = temporary_in(directory).map_err(failed)?;
    // Who may read the old one may read the new one, and nobody else.
    if let Ok(old) = std::fs::metadata(&place) {
        file.as_file().set_permissions(Permissions::from_mode(old.permissions().mode() & 0o777)).map_err(failed)?;
    }
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
    file.persist(&place).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A new file for a report that is not whole yet, locked so that `barrow clean` leaves it alone.
fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(REPORT_PREFIX).rand_bytes(REPORT_LETTERS).permissions(Permissions::from_mode(0o666));
    let mut tries = 0;
    loop {
        tries += 1;
        let file = builder.tempfile_in(directory)?;
        // Where there are no locks, nobody can clean up either.
        let _ = file.as_file().try_lock();
        // A `barrow clean` that came before the lock took it for a dead one's.
        if file.as_file().metadata()?.nlink() > 0 || tries == MOST_TRIES {
            return Ok(file);
        }
    }
}
