//! As whom something is done (`--user`, and `-u` of `barrow bonnie`), and how root becomes that user.

use super::exit::usage;
use super::output::say;
use crate::model::plan::{CacheState, Circumstances, DropCaches};
use crate::sys::caches::Dropper;
use crate::sys::privileges::{Account, acting_as, give_up_for};
use crate::sys::process::is_root;
use anyhow::Context;

/// A user whose rights alone are to be used from some moment on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The option as it was typed.
    shown: String,
    account: Account,
}

/// Who is wanted by an option of this name; `None` when that is who calls.
///
/// # Errors
/// As a usage error when there is no such user, or the caller cannot become that one.
pub fn wanted(option: &str, text: Option<&str>) -> anyhow::Result<Option<Wanted>> {
    let Some(text) = text else { return Ok(None) };
    let shown = format!("{option} {text}");
    let account = Account::named(text).map_err(|error| usage(format!("{shown}: {error}")))?;
    if account == Account::of_this_process() {
        if is_root() {
            say(&format!("barrow: {option} root: no right is given up"));
        }
        return Ok(None);
    }
    if !is_root() {
        return Err(usage(format!("{shown}: only root can become another user; leave it out to be yourself")));
    }
    if account.user == 0 {
        return Err(usage(format!("{shown}: root of another group has all rights of root; name another user")));
    }
    Ok(Some(Wanted { shown, account }))
}

impl Wanted {
    /// Does something with this user's rights, and goes on as root.
    ///
    /// # Errors
    /// As it; and when the rights cannot be changed.
    pub fn acting<T>(&self, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        acting_as(self.account, work).with_context(|| self.shown.clone())?.with_context(|| self.shown.clone())
    }

    /// Gives up every right but this user's, for ever.
    ///
    /// # Errors
    /// When that cannot be done in full: then nothing else may be.
    pub fn give_up_the_rest(&self) -> anyhow::Result<()> {
        give_up_for(self.account).with_context(|| self.shown.clone())
    }
}

/// Who drops the system's caches in a batch: the process itself as long as it is root; else, if any are to be dropped, a child that
/// stays root. Must be called before any thread is started.
pub fn dropper(wanted: Option<&Wanted>, circumstances: &Circumstances) -> Dropper {
    let are_wished = circumstances.drop_caches == DropCaches::Auto && circumstances.cache == CacheState::Cold;
    match wanted {
        Some(_) if are_wished => Dropper::of_a_child(),
        Some(_) => Dropper::Nobody("not root".to_owned()),
        None => Dropper::of_this_process(),
    }
}
