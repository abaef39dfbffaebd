//! Counters as data; the shell gives them their exposition names (`decisions.md` 12).

use std::collections::BTreeMap;
use std::time::Duration;

use api::ResourceKind;
use api::cluster::ClusterRole;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Upper bounds in seconds, ascending; what is above the last has a bucket of its own.
    pub bounds: &'static [f64],
    /// How many.
    pub count: u64,
    /// Sum in seconds.
    pub sum_seconds: f64,
    /// Counts per bound, not cumulative; the last is everything above.
    pub buckets: Vec<u64>,
}

/// Bounds of the time that keys wait for their turn.
pub const QUEUE_BOUNDS: &[f64] = &[0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0];
/// Bounds of the time one pass takes; ten microseconds are the aim.
pub const PASS_BOUNDS: &[f64] =
    &[0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.001, 0.01, 0.1];
/// Bounds of the time from an object's creation to Ready.
pub const READY_BOUNDS: &[f64] = &[0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Bounds of the time until a watch shows what was answered.
pub const LAG_BOUNDS: &[f64] = &[0.001, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0, 60.0];

impl Histogram {
    /// An empty one.
    #[must_use]
    pub fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, count: 0, sum_seconds: 0.0, buckets: vec![0; bounds.len() + 1] }
    }

    /// Counts one duration.
    pub fn observe(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        self.count += 1;
        self.sum_seconds += seconds;
        let bucket = self.bounds.iter().position(|bound| seconds <= *bound).unwrap_or(self.bounds.len());
        if let Some(bucket) = self.buckets.get_mut(bucket) {
            *bucket += 1;
        }
    }
}

/// Counts one duration in the histogram of this label.
pub(crate) fn observe<L: Ord>(
    histograms: &mut BTreeMap<L, Histogram>,
    bounds: &'static [f64],
    label: L,
    time: Duration,
) {
    histograms.entry(label).or_insert_with(|| Histogram::new(bounds)).observe(time);
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
    /// Plans that left something to wait for, by controller and their constant reason.
    pub waits: BTreeMap<(&'static str, &'static str), u64>,
    /// Lost races by controller, kind and cause.
    pub races: BTreeMap<(&'static str, &'static str, &'static str), u64>,
    /// Time keys waited for their turn, by controller.
    pub queue_waits: BTreeMap<&'static str, Histogram>,
    /// Time passes took, by controller; empty where the shell gave no stopwatch.
    pub pass_times: BTreeMap<&'static str, Histogram>,
    /// Time from the creation of an object to the answer of the write that first turned it Ready, by the controller that
    /// wrote; once per object and process.
    pub ready_times: BTreeMap<&'static str, Histogram>,
    /// Time from the answer of an own write until list or watch showed it, by role of the plane and kind; zero if they
    /// were faster than the answer.
    pub informer_lags: BTreeMap<(ClusterRole, ResourceKind), Histogram>,
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
