//! The wish to stop: the first signal stops after the current call, the second at once.

use super::output::say_in_time;
use crate::sys::process::end_by_signal;
use crate::sys::signals::{Asked, StopSignals, signal_name};
use crate::target::ground::plain_error;
use std::fmt;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether and how the user asked to stop, and what would be left if the process ended now.
#[derive(Debug, Default)]
pub struct Interrupt {
    asked: Asked,
    since: Mutex<Option<Instant>>,
    place: Mutex<Option<String>>,
    /// What stays from run to run.
    homes: Mutex<Vec<String>>,
    empty_file: Mutex<Option<String>>,
    last_act: Mutex<LastAct>,
    /// Until somebody attends to them.
    signals: Mutex<Option<StopSignals>>,
}

/// What is still done when the process is to end at once.
struct LastAct(Box<dyn Fn() -> bool + Send>);

impl Default for LastAct {
    fn default() -> Self {
        Self(Box::new(|| false))
    }
}

impl fmt::Debug for LastAct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastAct")
    }
}

/// timeout(1) and a terminal may send one wish to stop twice, to the process and to its group: not yet a second wish.
const ECHO: Duration = Duration::from_millis(200);

fn cannot_listen(error: io::Error) -> anyhow::Error {
    let why = plain_error(&error);
    anyhow::anyhow!("no thread can listen to signals ({why}); raise `ulimit -u` or the limits of the sandbox or control group")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Interrupt {
    /// From here on a signal notes the wish to stop, and a second one ends the process.
    ///
    /// # Errors
    /// When the signals cannot be listened to.
    pub fn listen() -> anyhow::Result<Arc<Self>> {
        let interrupt = Self::default();
        *lock(&interrupt.signals) = Some(StopSignals::listen(&interrupt.asked).map_err(cannot_listen)?);
        Ok(Arc::new(interrupt))
    }

    /// From here on a thread says what a signal does and, at a second one, what is left. It sleeps until one comes.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn attend(self: &Arc<Self>) -> anyhow::Result<()> {
        let Some(mut signals) = lock(&self.signals).take() else { return Ok(()) };
        let shared = Arc::clone(self);
        let heard = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            signals.attend();
            while let Some(number) = signals.wait() {
                shared.heard(number);
            }
        });
        heard.map(drop).map_err(cannot_listen)
    }

    fn heard(&self, number: i32) {
        let name = signal_name(number);
        let Some(since) = self.heard_before() else {
            // The next signal must be heard even where nobody reads this.
            say_in_time(format!("{name}: stopping after the current call and removing the files; once more stops at once"));
            return;
        };
        if since.elapsed() < ECHO {
            return;
        }
        if (lock(&self.last_act).0)() {
            self.set_empty_file(None);
        }
        // Nothing is looked at here: a filesystem that hangs must not keep the process from its end.
        let mut made = std::mem::take(&mut *lock(&self.homes));
        made.extend(lock(&self.place).take().filter(|place| !made.contains(place)));
        let made = made.into_iter().map(|place| format!("{place} (`barrow clean` on its directory removes it)"));
        let left: Vec<String> = made.chain(lock(&self.empty_file).take()).collect();
        if left.is_empty() {
            say_in_time(format!("{name} again: stopped at once"));
        } else {
            say_in_time(format!("{name} again: stopped at once; left behind, if not yet removed: {}", left.join(" and ")));
        }
        end_by_signal(number);
    }

    /// When the first signal was heard; `None` when that is this one.
    fn heard_before(&self) -> Option<Instant> {
        let mut since = lock(&self.since);
        let before = *since;
        since.get_or_insert_with(Instant::now);
        before
    }

    /// What becomes true when the user asks to stop.
    pub fn flag(&self) -> &AtomicBool {
        self.asked.flag()
    }

    /// The same, for whoever outlives this.
    pub fn shared_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(self.asked.flag())
    }

    /// The signal that asked.
    pub fn signal(&self) -> Option<i32> {
        self.asked.signal()
    }

    /// Notes a run file that was made and holds nothing yet.
    pub fn set_empty_file(&self, file: Option<String>) {
        *lock(&self.empty_file) = file;
    }

    /// Notes what is still to be done before the process ends at once; it must come to an end itself, and tells whether the run file holds
    /// something now.
    pub fn set_last_act(&self, act: Box<dyn Fn() -> bool + Send>) {
        *lock(&self.last_act) = LastAct(act);
    }

    /// Notes what would be left if the process ended now, in a run or between two.
    pub fn set_homes(&self, homes: Vec<String>) {
        *lock(&self.homes) = homes;
    }

    /// Notes what the run that goes on would leave if the process ended now.
    pub fn set_place(&self, place: Option<String>) {
        *lock(&self.place) = place;
    }
}
