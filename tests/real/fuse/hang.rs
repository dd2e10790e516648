//! Where calls hang until the test lets them go.

use super::locked;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// Longer than any client takes to its hang, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Default)]
struct State {
    hanging: usize,
    is_released: bool,
}

/// A gate that is closed until it is opened once and for all.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    is_changed: Condvar,
}

impl Gate {
    /// Hangs here until the gate is opened.
    pub fn hang(&self) {
        let mut state = locked(&self.state);
        state.hanging += 1;
        self.is_changed.notify_all();
        while !state.is_released {
            state = self.is_changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        state.hanging -= 1;
    }

    /// Waits until a call hangs.
    ///
    /// # Panics
    /// When none does in two minutes.
    pub fn wait_for_hang(&self) {
        let end = Instant::now() + PATIENCE;
        let mut state = locked(&self.state);
        while state.hanging == 0 {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited in vain for a call that hangs");
            state = self.is_changed.wait_timeout(state, left).unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Opens the gate: what hangs goes on, and nothing hangs any more.
    pub fn open(&self) {
        locked(&self.state).is_released = true;
        self.is_changed.notify_all();
    }
}
