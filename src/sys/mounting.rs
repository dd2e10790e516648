//! Mounts that this process makes and takes away again: in a private namespace, which goes with it.

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use std::io;
use std::path::Path;

/// Gives this process and what it starts a view of their own of what is mounted where: others do not see what is mounted here, and it
/// is gone when the last of them ends, killed or not. What others mount and unmount elsewhere is still seen here.
///
/// # Errors
/// When the rights are missing. Only the calling thread changes: to be called before any other is started.
pub fn mount_in_private() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    mount(None::<&str>, "/", None::<&str>, MsFlags::MS_REC | MsFlags::MS_SLAVE, None::<&str>)?;
    Ok(())
}

/// Unmounts what is mounted at a place.
///
/// # Errors
/// `ResourceBusy` while it is used; else as umount2(2).
pub fn unmount(place: &Path) -> io::Result<()> {
    Ok(umount2(place, MntFlags::UMOUNT_NOFOLLOW)?)
}

/// Takes what is mounted at a place out of sight; the kernel unmounts it when nobody uses it any more.
///
/// # Errors
/// As umount2(2).
pub fn unmount_when_unused(place: &Path) -> io::Result<()> {
    Ok(umount2(place, MntFlags::UMOUNT_NOFOLLOW | MntFlags::MNT_DETACH)?)
}
