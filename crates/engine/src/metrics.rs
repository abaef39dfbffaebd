//! Counters as data; the shell gives them their exposition names (`decisions.md` 12).

use std::collections::BTreeMap;
use std::time::Duration;

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassOutcome {
    /// Nothing to do and nothing to wait for.
    Settled,
    /// Something outside must change.
    Waiting,
    /// Steps were sent.
    Steps,
    /// A first list had not finished; the pass was dropped.
    Cold,
    /// Steps wait for a fence.
    Fenced,
    /// Steps were planned and leadership is elsewhere.
    Withheld,
}

impl PassOutcome {
    /// Metric label.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Waiting => "waiting",
            Self::Steps => "steps",
            Self::Cold => "cold",
            Self::Fenced => "fenced",
            Self::Withheld => "withheld",
        }
    }
}

/// A histogram with fixed bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waits {
    /// How many.
    pub count: u64,
    /// Sum in seconds.
    pub sum_seconds: f64,
    /// Counts per bound, not cumulative; the last is everything above.
    pub buckets: [u64; 9],
}

/// Upper bounds of [`Waits`], in seconds.
pub const WAIT_BOUNDS: [f64; 8] = [0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0];

impl Waits {
    /// Counts one wait.
    pub fn observe(&mut self, wait: Duration) {
        let seconds = wait.as_secs_f64();
        self.count += 1;
        self.sum_seconds += seconds;
        let bucket = WAIT_BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(WAIT_BOUNDS.len());
        if let Some(bucket) = self.buckets.get_mut(bucket) {
            *bucket += 1;
        }
    }
}

/// Everything the engine counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Passes by controller and outcome.
    pub passes: BTreeMap<(&'static str, PassOutcome), u64>,
    /// Passes that a time brought about and not a change, by controller: deadlines, retries and back-off.
    pub timer_passes: BTreeMap<&'static str, u64>,
    /// Steps by controller, action and answer.
    pub steps: BTreeMap<(&'static str, &'static str, &'static str), u64>,
    /// Steps by their constant reason.
    pub reasons: BTreeMap<(&'static str, &'static str), u64>,
    /// Lost races by controller, kind and cause.
    pub races: BTreeMap<(&'static str, &'static str, &'static str), u64>,
    /// Time keys waited for their turn, by controller.
    pub queue_waits: BTreeMap<&'static str, Waits>,
    /// Steps that were not sent again because the server did not keep what it answered.
    pub not_kept: u64,
    /// Keys that no root names and that are not settled.
    pub rootless_unsettled: u64,
    /// Passes that planned a step for an object they had not read.
    pub unread_targets: u64,
    /// Lists that were asked for beyond the first page of each informer's first list.
    pub relists: u64,
    /// Fences asked.
    pub fences: u64,
}
