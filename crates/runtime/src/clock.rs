//! The one place that reads clocks.

use std::time::Instant;

use engine::Now;
use jiff::Timestamp;

/// Both clocks of this process.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// Starts monotonic time at zero.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Monotonic time alone.
    #[must_use]
    pub fn elapsed(&self) -> std::time::Duration {
        self.started.elapsed()
    }

    /// Both clocks now.
    #[must_use]
    pub fn now(&self) -> Now {
        Now { wall: Timestamp::now(), monotonic: self.started.elapsed() }
    }
}
