//! The wish to stop: the first signal stops after the current call, the second at once.

use super::output::say;
use crate::sys::process::end_by_signal;
use crate::sys::signals::{StopSignals, signal_name};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether and how the user asked to stop, and what would be left if the process ended now.
#[derive(Debug, Default)]
pub struct Interrupt {
    wanted: AtomicBool,
    signal: AtomicI32,
    place: Mutex<Option<String>>,
}

impl Interrupt {
    /// Listens to the signals from here on, in a thread that sleeps until one comes.
    ///
    /// # Errors
    /// When the signals cannot be listened to.
    pub fn listen() -> anyhow::Result<Arc<Self>> {
        let interrupt = Arc::new(Self::default());
        let mut signals = StopSignals::listen()?;
        let shared = Arc::clone(&interrupt);
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            while let Some(number) = signals.wait() {
                shared.heard(number);
            }
        })?;
        Ok(interrupt)
    }

    fn heard(&self, number: i32) {
        let name = signal_name(number);
        if !self.wanted.swap(true, Ordering::SeqCst) {
            self.signal.store(number, Ordering::SeqCst);
            say(&format!("{name}: stopping after the current call and removing the files; once more stops at once"));
            return;
        }
        match self.place.lock().unwrap_or_else(PoisonError::into_inner).as_deref() {
            Some(place) => {
                say(&format!("{name} again: stopped at once; left behind: {place} (`barrow clean` on its directory removes it)"))
            }
            None => say(&format!("{name} again: stopped at once")),
        }
        end_by_signal(number);
    }

    /// What becomes true when the user asks to stop.
    pub const fn flag(&self) -> &AtomicBool {
        &self.wanted
    }

    /// The signal that asked first.
    pub fn signal(&self) -> Option<i32> {
        self.wanted.load(Ordering::SeqCst).then(|| self.signal.load(Ordering::SeqCst))
    }

    /// Notes what would be left if the process ended now.
    pub fn set_place(&self, place: Option<String>) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}
