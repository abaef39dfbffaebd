//! Leadership as a state machine over one Lease (coordination.k8s.io/v1): read, then write with resourceVersion.
//!
//! Another holder's expiry is judged by locally observed monotonic time since its record last changed, never by its
//! wall clock. A step is sent only while its timeout ends before our own expiry, so an overlap cannot start a write.

#[cfg(test)]
mod tests;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::time::Now;

/// The numbers of one lease (`leaderElection` in the configuration).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseSettings {
    /// Who we are.
    pub identity: String,
    /// How long a renewal holds.
    pub duration: Duration,
    /// After this long without a renewal we stop acting.
    pub renew_deadline: Duration,
    /// How often we renew or look.
    pub retry_period: Duration,
    /// Margin for a server that applies late.
    pub skew: Duration,
}

/// The parts of a Lease that decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseRecord {
    /// Version to write against; empty where there is no Lease yet.
    pub version: String,
    /// Who holds it; empty when released.
    pub holder: String,
    /// Its duration in seconds.
    pub duration_seconds: i64,
    /// When the holder acquired it.
    pub acquired: Option<Timestamp>,
    /// When the holder last renewed.
    pub renewed: Option<Timestamp>,
    /// How often it changed hands: the fencing number.
    pub transitions: i64,
}

/// What the lease wants of the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseWant {
    /// Read the Lease.
    Read,
    /// Create it, or replace it if it is still at `record.version`.
    Write(LeaseRecord),
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// The Lease as the server holds it.
    Record(LeaseRecord),
    /// There is none.
    Missing,
    /// Somebody else wrote first.
    Conflict,
    /// No answer, or a refusal; the words.
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle { next: Duration },
    Reading,
    Writing { sent: Duration, is_release: bool },
    Released,
}

/// One lease from the view of one process.
#[derive(Clone, Debug)]
pub struct Lease {
    settings: LeaseSettings,
    phase: Phase,
    observed: Option<(LeaseRecord, Duration)>,
    held_until: Option<Duration>,
    renewed_at: Option<Duration>,
    /// Words of the last failure.
    pub failure: Option<String>,
}

impl Lease {
    /// A lease that looks at once.
    #[must_use]
    pub fn new(settings: LeaseSettings) -> Self {
        Self {
            settings,
            phase: Phase::Idle { next: Duration::ZERO },
            observed: None,
            held_until: None,
            renewed_at: None,
            failure: None,
        }
    }

    /// Whether we may act at all: renewed within the renew deadline, and not expired.
    #[must_use]
    pub fn is_held(&self, now: Duration) -> bool {
        let fresh = self.renewed_at.is_some_and(|at| now < at + self.settings.renew_deadline);
        fresh && self.held_until.is_some_and(|until| now < until)
    }

    /// Whether a step that may take this long can be sent: it would be lost or done before our lease expires.
    #[must_use]
    pub fn may_send(&self, now: Duration, step_timeout: Duration) -> bool {
        self.is_held(now)
            && self.held_until.is_some_and(|until| now + step_timeout + self.settings.skew < until)
    }

    /// Who holds it as far as we saw.
    #[must_use]
    pub fn holder(&self) -> Option<&str> {
        self.observed.as_ref().map(|(record, _)| record.holder.as_str())
    }

    /// The lease's plane was engaged: what failed for its absence is asked again at once.
    pub fn retry_now(&mut self, now: Duration) {
        if let Phase::Idle { next } = &mut self.phase {
            *next = (*next).min(now);
        }
    }

    /// What to ask now, if anything.
    pub fn tick(&mut self, now: Duration) -> Option<LeaseWant> {
        if self.renewed_at.is_some() && !self.is_held(now) {
            self.lose();
        }
        match self.phase {
            Phase::Idle { next } if next <= now => {
                self.phase = Phase::Reading;
                Some(LeaseWant::Read)
            }
            _ => None,
        }
    }

    /// When [`Lease::tick`] has something to do, or leadership runs out.
    #[must_use]
    pub fn wakes_at(&self) -> Option<Duration> {
        let next = match self.phase {
            Phase::Idle { next } => Some(next),
            _ => None,
        };
        let expiry = self.renewed_at.map(|at| at + self.settings.renew_deadline);
        [next, expiry].into_iter().flatten().min()
    }

    /// Takes an answer in; says what to ask next. Who may not take the lease looks at it all the same: how long its holder
    /// has been silent is known when its turn comes.
    pub fn answer(&mut self, answer: LeaseAnswer, now: Now, may_take: bool) -> Option<LeaseWant> {
        match (self.phase, answer) {
            (Phase::Reading, LeaseAnswer::Record(record)) => self.look(record, now, may_take),
            (Phase::Reading, LeaseAnswer::Missing) if may_take => {
                Some(self.write(LeaseRecord::default(), now))
            }
            (Phase::Writing { is_release: true, .. }, _) => {
                self.phase = Phase::Released;
                None
            }
            (Phase::Writing { sent, .. }, LeaseAnswer::Record(record)) => {
                self.acquired(record, sent, now.monotonic);
                None
            }
            (_, answer) => {
                if let LeaseAnswer::Failed(text) = answer {
                    self.failure = Some(text);
                }
                self.rest(now.monotonic);
                None
            }
        }
    }

    /// A record was read: take it, renew it, or wait for the holder to stop.
    fn look(&mut self, record: LeaseRecord, now: Now, may_take: bool) -> Option<LeaseWant> {
        let changed = self.observed.as_ref().is_none_or(|(seen, _)| !same_life(seen, &record));
        if changed {
            self.observed = Some((record.clone(), now.monotonic));
        }
        let since = self.observed.as_ref().map_or(now.monotonic, |(_, since)| *since);
        let lasts = Duration::from_secs(u64::try_from(record.duration_seconds).unwrap_or(0));
        let ours = record.holder == self.settings.identity;
        let free = record.holder.is_empty() || (!ours && now.monotonic >= since + lasts);
        if (ours || free) && may_take {
            return Some(self.write(record, now));
        }
        if !ours {
            self.lose();
        }
        self.rest(now.monotonic);
        None
    }

    fn write(&mut self, seen: LeaseRecord, now: Now) -> LeaseWant {
        self.phase = Phase::Writing { sent: now.monotonic, is_release: false };
        let ours = seen.holder == self.settings.identity;
        LeaseWant::Write(LeaseRecord {
            version: seen.version,
            holder: self.settings.identity.clone(),
            duration_seconds: i64::try_from(self.settings.duration.as_secs()).unwrap_or(i64::MAX),
            acquired: if ours { seen.acquired } else { Some(now.wall) },
            renewed: Some(now.wall),
            transitions: if ours { seen.transitions } else { seen.transitions.saturating_add(1) },
        })
    }

    /// Our write was answered: it holds from when it was sent, not from when the answer came.
    fn acquired(&mut self, record: LeaseRecord, sent: Duration, now: Duration) {
        self.held_until = Some(sent + self.settings.duration);
        self.renewed_at = Some(sent);
        self.observed = Some((record, now));
        self.failure = None;
        self.rest(now);
    }

    fn rest(&mut self, now: Duration) {
        self.phase = Phase::Idle { next: now + self.settings.retry_period };
    }

    fn lose(&mut self) {
        self.held_until = None;
        self.renewed_at = None;
    }

    /// Gives the lease back, so that a successor waits for nothing. `None` if it is not ours to give.
    pub fn release(&mut self, now: Now) -> Option<LeaseWant> {
        let held = self.is_held(now.monotonic);
        self.lose();
        let record = self.observed.as_ref().map(|(record, _)| record.clone())?;
        if !held || record.holder != self.settings.identity {
            self.phase = Phase::Released;
            return None;
        }
        self.phase = Phase::Writing { sent: now.monotonic, is_release: true };
        let renewed = Some(now.wall);
        Some(LeaseWant::Write(LeaseRecord { holder: String::new(), duration_seconds: 1, renewed, ..record }))
    }

    /// Whether a read or a renewal is on the wire. Its answer must not be taken for that of a release, and a release sent
    /// beside a renewal would lose to it.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        matches!(self.phase, Phase::Reading | Phase::Writing { is_release: false, .. })
    }

    /// Whether the lease is being given back.
    #[must_use]
    pub fn is_releasing(&self) -> bool {
        matches!(self.phase, Phase::Writing { is_release: true, .. })
    }

    /// Whether the lease was given back, or there was nothing to give.
    #[must_use]
    pub fn is_released(&self) -> bool {
        self.phase == Phase::Released
    }
}

/// Whether two records show the same holder without a renewal in between.
fn same_life(one: &LeaseRecord, two: &LeaseRecord) -> bool {
    one.holder == two.holder && one.renewed == two.renewed && one.version == two.version
}

/// Wall time between two instants, for messages.
#[must_use]
pub fn age(since: Timestamp, now: Timestamp) -> SignedDuration {
    now.duration_since(since)
}
