//! Time as the shell passes it in, and the numbers the engine counts with.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Both clocks at one instant. Deadlines on objects are wall time, everything else is monotonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// Wall clock.
    pub wall: Timestamp,
    /// Time since the process started.
    pub monotonic: Duration,
}

impl Now {
    /// How long until a wall time, zero if it has come.
    #[must_use]
    pub fn until(&self, at: Timestamp) -> Duration {
        Duration::try_from(at.duration_since(self.wall)).unwrap_or(Duration::ZERO)
    }

    /// Wall time that lies this far ahead.
    #[must_use]
    pub fn after(&self, wait: Duration) -> Timestamp {
        let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        self.wall.checked_add(wait).unwrap_or(Timestamp::MAX)
    }

    /// Wall time of monotonic zero; it moves when somebody sets the clock.
    #[must_use]
    pub fn offset(&self) -> SignedDuration {
        let monotonic = SignedDuration::try_from(self.monotonic).unwrap_or(SignedDuration::MAX);
        self.wall.duration_since(Timestamp::UNIX_EPOCH).saturating_sub(monotonic)
    }
}

/// The engine's numbers (`decisions.md`, Configuration). All are durations unless the name says a count.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a step may take before it counts as lost.
    pub step_timeout: Duration,
    /// Retry of a refusal where nothing can be read that would end it.
    pub refusal_retry: Duration,
    /// First and longest wait after a lost race.
    pub race_backoff: (Duration, Duration),
    /// First and longest wait after a failure.
    pub error_backoff: (Duration, Duration),
    /// First and longest wait after a failed list or watch.
    pub list_backoff: (Duration, Duration),
    /// Writes a key may make in a minute.
    pub write_budget_per_minute: u32,
    /// How long a pass waits for first lists before it takes "starting" for an answer.
    pub cold_limit: Duration,
    /// Objects in one page of a list.
    pub page_limit: u32,
    /// How long a watch runs before it is renewed.
    pub watch_timeout: Duration,
    /// How long a fence waits for a bookmark before it lists again.
    pub fence_patience: Duration,
    /// Passes in one call.
    pub passes_per_call: usize,
    /// Steps on the wire per cluster.
    pub steps_in_flight_per_cluster: usize,
    /// A recorded time further ahead than this counts as unreadable.
    pub future_tolerance: Duration,
    /// Difference by which the clocks may drift before deadlines are looked at again.
    pub clock_jump: Duration,
    /// A time without any input after which the process counts as having stood still; longer than any lease is looked at.
    pub standstill: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_timeout: Duration::from_secs(5),
            refusal_retry: Duration::from_mins(1),
            race_backoff: (Duration::from_millis(5), Duration::from_secs(1)),
            error_backoff: (Duration::from_millis(5), Duration::from_mins(5)),
            list_backoff: (Duration::from_millis(200), Duration::from_secs(30)),
            write_budget_per_minute: 30,
            cold_limit: Duration::from_secs(30),
            page_limit: 500,
            watch_timeout: Duration::from_secs(280),
            fence_patience: Duration::from_secs(4),
            passes_per_call: 256,
            steps_in_flight_per_cluster: 64,
            future_tolerance: Duration::from_mins(1),
            clock_jump: Duration::from_secs(1),
            standstill: Duration::from_secs(10),
        }
    }
}
