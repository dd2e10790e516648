//! Whether a program can be started: where it lies, and whether it may be.

use nix::errno::Errno;
use nix::fcntl::AT_FDCWD;
use nix::fcntl::AtFlags;
use nix::unistd::{AccessFlags, faccessat};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Why a program cannot be started; `None` where it can, or where that is not known before: a path that begins at its working directory may
/// be there when it is to be started.
#[must_use]
pub fn hindrance(program: &str) -> Option<io::Error> {
    hindrance_in(program, std::env::var_os("PATH").as_deref())
}

fn hindrance_in(program: &str, path: Option<&OsStr>) -> Option<io::Error> {
    if program.starts_with('/') {
        return refusal(Path::new(program)).map(io::Error::from);
    }
    if program.contains('/') {
        return None;
    }
    // Without any the C library looks in places of its own.
    let places: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    if places.is_empty() || places.iter().any(|place| place.is_relative()) {
        return None;
    }
    let refusals: Vec<Errno> = places.iter().map_while(|place| refusal(&place.join(program))).collect();
    if refusals.len() < places.len() {
        return None;
    }
    // As execvp(3) has it: somewhere there is one that may not be started, or there is none.
    Some(refusals.into_iter().find(|refusal| *refusal == Errno::EACCES).unwrap_or(Errno::ENOENT).into())
}

/// Why a file cannot be started with the rights that this process has now.
fn refusal(file: &Path) -> Option<Errno> {
    match std::fs::metadata(file) {
        Err(error) => Some(Errno::from_raw(error.raw_os_error().unwrap_or(libc::ENOENT))),
        Ok(status) if !status.is_file() => Some(Errno::EACCES),
        Ok(_) => faccessat(AT_FDCWD, file, AccessFlags::X_OK, AtFlags::AT_EACCESS).err(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(program: &str, path: Option<&str>) -> Option<io::ErrorKind> {
        hindrance_in(program, path.map(OsStr::new)).map(|error| error.kind())
    }

    #[test]
    fn what_cannot_be_started_is_known_before() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("plain"), "no program").unwrap();
        let own = place.path().to_str().unwrap();
        let (missing, denied) = (Some(io::ErrorKind::NotFound), Some(io::ErrorKind::PermissionDenied));
        assert_eq!(kind("sh", Some("/nowhere:/bin")), None);
        assert_eq!(kind("/bin/sh", Some("")), None);
        assert_eq!(kind("no-such-program", Some("/bin:/usr/bin")), missing);
        assert_eq!(kind("/no/such/program", None), missing);
        assert_eq!(kind("plain", Some(&format!("{own}:/bin"))), denied);
        assert_eq!(kind(&format!("{own}/plain"), None), denied);
        assert_eq!(kind(own, None), denied);
    }

    #[test]
    fn what_cannot_be_known_is_let_pass() {
        assert_eq!(kind("./configure", Some("/bin")), None);
        assert_eq!(kind("no-such-program", Some("/bin:.")), None);
        assert_eq!(kind("no-such-program", None), None);
    }
}
