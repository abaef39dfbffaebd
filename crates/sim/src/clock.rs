//! The clocks of one process: its wall clock may be wrong, its monotonic clock only ever goes forward.

use std::time::Duration;

use engine::Now;
use jiff::{SignedDuration, Timestamp};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock {
    started: Timestamp,
    error: SignedDuration,
}

impl ProcessClock {
    /// The clocks of a process that starts now, right to the microsecond.
    #[must_use]
    pub fn start(now: Timestamp) -> Self {
        Self { started: now, error: SignedDuration::ZERO }
    }

    /// Sets the wall clock this far ahead of true time, or behind it.
    pub fn set(&mut self, error: SignedDuration) {
        self.error = error;
    }

    /// What both clocks show at a true time.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> Now {
        let monotonic = Duration::try_from(now.duration_since(self.started)).unwrap_or(Duration::ZERO);
        Now { wall: now.checked_add(self.error).unwrap_or(now), monotonic }
    }
}
