//! Giving up the rights of root for those of another user: for a while, to see what that user may do; and for ever.

use nix::errno::Errno;
use nix::unistd::{Gid, Group, Uid, User, getgroups, getresgid, getresuid, setegid, seteuid, setgroups, setresgid, setresuid};
use std::io;

/// The version of capset(2) that all of Linux from 2.6.26 on knows.
const CAPABILITY_VERSION: u32 = 0x2008_0522;
/// More than any kernel has.
const MOST_CAPABILITIES: libc::c_ulong = 64;

/// A user and a group, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
}

/// Why a text names no account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// It is empty, or one of its two parts is.
    #[error("write it as NAME or NAME:GROUP")]
    Form,
    /// No such user.
    #[error("there is no user `{0}`")]
    NoUser(String),
    /// No such group.
    #[error("there is no group `{0}`")]
    NoGroup(String),
    /// A number that no user has, whose group is not known.
    #[error("no user has the number {0}, so name a group too, as in {0}:{0}")]
    GroupNeeded(u32),
}

/// A right that could not be given up, or an account that could not be taken.
#[derive(Debug, thiserror::Error)]
#[error("{doing}: {error}")]
pub struct PrivilegeError {
    /// What was tried.
    pub doing: &'static str,
    /// What the system said.
    pub error: io::Error,
}

fn failed(doing: &'static str) -> impl FnOnce(Errno) -> PrivilegeError {
    move |error| PrivilegeError { doing, error: error.into() }
}

impl Account {
    /// The account of `NAME`, `NAME:GROUP` or their numbers, by the databases of users and groups; the group of the user, where none
    /// is named.
    ///
    /// # Errors
    /// When there is no such user or group.
    pub fn named(text: &str) -> Result<Self, AccountError> {
        let (user, group) = text.split_once(':').map_or((text, None), |(user, group)| (user, Some(group)));
        if user.is_empty() || group.is_some_and(str::is_empty) {
            return Err(AccountError::Form);
        }
        // As everywhere, a name of digits goes before a number.
        let entry = User::from_name(user).ok().flatten();
        let number = match &entry {
            Some(entry) => entry.uid.as_raw(),
            None => user.parse().ok().filter(|number| *number != u32::MAX).ok_or_else(|| AccountError::NoUser(user.to_owned()))?,
        };
        let entry = entry.or_else(|| User::from_uid(Uid::from_raw(number)).ok().flatten());
        let group = match group {
            Some(group) => group_named(group)?,
            None => entry.ok_or(AccountError::GroupNeeded(number))?.gid.as_raw(),
        };
        Ok(Self { user: number, group })
    }

    /// Who this process is.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self { user: nix::unistd::geteuid().as_raw(), group: nix::unistd::getegid().as_raw() }
    }
}

fn group_named(group: &str) -> Result<u32, AccountError> {
    let entry = Group::from_name(group).ok().flatten();
    let number = entry.map(|entry| entry.gid.as_raw()).or_else(|| group.parse().ok().filter(|number| *number != u32::MAX));
    number.ok_or_else(|| AccountError::NoGroup(group.to_owned()))
}

/// Does something with the rights of an account, and takes those of root back. Must be called as root, before any thread is started.
///
/// # Errors
/// When the account cannot be taken, or those rights not be taken back.
pub fn acting_as<T>(account: Account, work: impl FnOnce() -> T) -> Result<T, PrivilegeError> {
    let before = Account::of_this_process();
    let groups = getgroups().map_err(failed("ask for the groups"))?;
    setgroups(&[]).map_err(failed("leave all groups"))?;
    setegid(Gid::from_raw(account.group)).map_err(failed("take the group"))?;
    seteuid(Uid::from_raw(account.user)).map_err(failed("take the user"))?;
    keep_own_facts_readable();
    let done = work();
    seteuid(Uid::from_raw(before.user)).map_err(failed("be root again"))?;
    setegid(Gid::from_raw(before.group)).map_err(failed("take root's group again"))?;
    setgroups(&groups).map_err(failed("take root's groups again"))?;
    Ok(done)
}

/// Becomes an account for ever: no other group, no other user in reserve, no capability, and none to be had from a program that is
/// started. Must be called as root, before any thread is started.
///
/// # Errors
/// When one of these cannot be done; the process should then end.
pub fn give_up_for(account: Account) -> Result<(), PrivilegeError> {
    let (user, group) = (Uid::from_raw(account.user), Gid::from_raw(account.group));
    forget_capability_bounds();
    setgroups(&[]).map_err(failed("leave all groups"))?;
    setresgid(group, group, group).map_err(failed("take the group"))?;
    setresuid(user, user, user).map_err(failed("take the user"))?;
    forget_capabilities().map_err(failed("give up the capabilities"))?;
    gain_nothing_anew().map_err(failed("refuse rights of programs that are started"))?;
    keep_own_facts_readable();
    check(account).map_err(failed("look whether no right is left"))
}

/// Whether nothing is left of what was given up: a kernel or a filter of system calls may have said yes and done nothing.
fn check(account: Account) -> Result<(), Errno> {
    let (users, groups) = (getresuid()?, getresgid()?);
    let user = Uid::from_raw(account.user);
    let group = Gid::from_raw(account.group);
    let are_users = users.real == user && users.effective == user && users.saved == user;
    let are_groups = groups.real == group && groups.effective == group && groups.saved == group;
    // Who could be root again would be it now, and must not go on.
    let is_for_ever = setresuid(Uid::from_raw(0), Uid::from_raw(0), Uid::from_raw(0)).is_err();
    if are_users && are_groups && is_for_ever && getgroups()?.is_empty() { Ok(()) } else { Err(Errno::EPERM) }
}

/// Makes the facts of this process in /proc readable to itself again, which a change of the user takes away.
fn keep_own_facts_readable() {
    // SAFETY: the call takes integers, and no memory. Without it only counters are missing, which labels take into account.
    #[allow(unsafe_code)]
    let _ = unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0) };
}

fn gain_nothing_anew() -> Result<(), Errno> {
    // SAFETY: the call takes integers, and no memory.
    #[allow(unsafe_code)]
    let result = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    Errno::result(result).map(drop)
}

/// Takes capabilities out of what a program that is started could have. Without the right to, that has no meaning any more when the
/// capabilities themselves are given up and nothing can be gained anew.
fn forget_capability_bounds() {
    // SAFETY: the calls take integers, and no memory; an unknown capability gives an error.
    #[allow(unsafe_code)]
    unsafe {
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        for capability in 0..MOST_CAPABILITIES {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
    }
}

/// Gives up all capabilities of this thread: effective, permitted and inheritable ones. Only a system call, so that a child of a fork
/// may do it.
///
/// # Errors
/// As capset(2).
pub(super) fn forget_capabilities() -> Result<(), Errno> {
    #[repr(C)]
    struct Head {
        version: u32,
        process: i32,
    }
    #[repr(C)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    let head = Head { version: CAPABILITY_VERSION, process: 0 };
    let none = [const { Sets { effective: 0, permitted: 0, inheritable: 0 } }; 2];
    // SAFETY: head and sets have the form of capset(2) for this version, and live through the call.
    #[allow(unsafe_code)]
    let result = unsafe { libc::syscall(libc::SYS_capset, &raw const head, none.as_ptr()) };
    Errno::result(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_named_by_word_or_number() {
        let account = |user, group| Ok(Account { user, group });
        assert_eq!(Account::named("root"), account(0, 0));
        assert_eq!(Account::named("0"), account(0, 0));
        assert_eq!(Account::named("root:12345"), account(0, 12345));
        assert_eq!(Account::named("4000000000:0"), account(4_000_000_000, 0));
        assert_eq!(Account::named("4000000000"), Err(AccountError::GroupNeeded(4_000_000_000)));
        for form in ["", ":", "root:", ":root"] {
            assert_eq!(Account::named(form), Err(AccountError::Form), "{form}");
        }
        assert_eq!(Account::named("no such user"), Err(AccountError::NoUser("no such user".to_owned())));
        assert_eq!(Account::named("-1:0"), Err(AccountError::NoUser("-1".to_owned())));
        assert_eq!(Account::named("4294967295:0"), Err(AccountError::NoUser("4294967295".to_owned())));
        assert_eq!(Account::named("root:no such group"), Err(AccountError::NoGroup("no such group".to_owned())));
        assert_eq!(Account::named("root:4294967295"), Err(AccountError::NoGroup("4294967295".to_owned())));
    }
}
