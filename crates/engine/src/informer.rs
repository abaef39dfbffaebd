//! One list-and-watch, as a state machine: what to ask next, and what an answer means.
//!
//! It pages; starts over when a page token or a watch is too old; turns what a finished list lacks into deletions; and
//! never believes an answer of an earlier epoch.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use rand_chacha::ChaCha8Rng;

use crate::backoff;
use crate::ids::{Epoch, SlotId};

/// How long a server may tell nothing of a kind until the end of its watch is followed by a list instead of another watch:
/// several bookmarks long.
const SILENCE_MAX: Duration = Duration::from_mins(4);
/// How long a watch may take to open, or its connection to be found dead.
const OPENING_MAX: Duration = Duration::from_secs(30);
/// Shortest time between the ends of two watches of one informer.
const WATCH_PAUSE: Duration = Duration::from_secs(1);

/// What the informer wants of the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// One page of a list.
    Page {
        /// Answers carry it back.
        epoch: Epoch,
        /// Token of the page before.
        continue_token: Option<String>,
    },
    /// A watch from a version.
    Watch {
        /// Answers carry it back.
        epoch: Epoch,
        /// Where to start.
        from: String,
        /// How long the server should keep it, in seconds.
        timeout_seconds: u64,
    },
}

/// Why a list or watch failed or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The watch came to its normal end.
    Ended,
    /// 410, or an expired token: start from the beginning.
    Gone,
    /// The cluster does not answer.
    Unreachable(String),
    /// 401 or 403.
    Forbidden(String),
    /// A plain-text 404: the kind is not served.
    NotServed,
    /// Anything else.
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Waiting for the shell's page.
    Listing,
    /// Events come.
    Watching,
    /// Nothing runs until then.
    Waiting { until: Duration, relist: bool },
}

/// State of one list-and-watch.
#[derive(Clone, Debug)]
pub struct Informer {
    epoch: Epoch,
    phase: Phase,
    seen: BTreeSet<SlotId>,
    position: String,
    failures: u32,
    expired_tokens: u32,
    expired_watches: u32,
    ended: Option<Duration>,
    /// When the list or watch that runs was asked for, as far as is certain.
    opened: Duration,
    /// Since when there was no success, with the words of the last failure.
    pub failing_since: Option<(Timestamp, String)>,
    /// When the first list was asked for.
    pub started: Duration,
    /// When the server last told anything: a page, an event or a bookmark.
    pub heard: Duration,
}

impl Informer {
    /// A new informer and what it wants first.
    #[must_use]
    pub fn start(now: Duration) -> (Self, Want) {
        let informer = Self {
            epoch: Epoch(1),
            phase: Phase::Listing,
            seen: BTreeSet::new(),
            position: String::new(),
            failures: 0,
            expired_tokens: 0,
            expired_watches: 0,
            ended: None,
            opened: now,
            failing_since: None,
            started: now,
            heard: now,
        };
        let want = Want::Page { epoch: informer.epoch, continue_token: None };
        (informer, want)
    }

    /// Whether an answer belongs to what runs now.
    #[must_use]
    pub fn is_current(&self, epoch: Epoch) -> bool {
        self.epoch == epoch && !matches!(self.phase, Phase::Waiting { .. })
    }

    /// The version up to which events were seen, as a number.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position.parse().unwrap_or(0)
    }

    /// Whether a watch runs.
    #[must_use]
    pub fn is_watching(&self) -> bool {
        self.phase == Phase::Watching
    }

    /// An object of a page: it must not be swept.
    pub fn mark(&mut self, slot: SlotId) {
        self.seen.insert(slot);
    }

    /// The page was taken in. With a token the list goes on; without, it is complete: the caller sweeps what
    /// [`Informer::is_marked`] denies, and the watch starts.
    pub fn page_done(
        &mut self,
        continue_token: Option<String>,
        version: &str,
        watch_timeout: Duration,
    ) -> Want {
        if continue_token.is_some() {
            return Want::Page { epoch: self.epoch, continue_token };
        }
        version.clone_into(&mut self.position);
        self.succeed();
        self.expired_tokens = 0;
        self.watch(watch_timeout)
    }

    /// Whether the object was in the list that just ended.
    #[must_use]
    pub fn is_marked(&self, slot: SlotId) -> bool {
        self.seen.contains(&slot)
    }

    /// The sweep is done.
    pub fn clear_marks(&mut self) {
        self.seen.clear();
    }

    /// When the list or watch that runs was asked for.
    #[must_use]
    pub fn asked(&self) -> Duration {
        self.opened
    }

    fn watch(&mut self, timeout: Duration) -> Want {
        self.epoch.0 += 1;
        self.phase = Phase::Watching;
        Want::Watch {
            epoch: self.epoch,
            from: self.position.clone(),
            timeout_seconds: timeout.as_secs().max(1),
        }
    }

    /// Whether an event or bookmark is older than what was seen before it. Versions only grow on one server, so it came back
    /// with an older state.
    #[must_use]
    pub fn is_past(&self, version: &str) -> bool {
        version.parse::<u64>().is_ok_and(|number| number < self.position())
    }

    /// An event or bookmark brought the watch to this version.
    pub fn advance(&mut self, version: &str) {
        version.clone_into(&mut self.position);
        self.expired_watches = 0;
        self.succeed();
    }

    fn succeed(&mut self) {
        self.failures = 0;
        self.failing_since = None;
    }

    /// The list or watch failed or ended. Says what to ask now.
    ///
    /// # Errors
    /// The end of a wait, if nothing is to be asked before.
    pub fn fail(
        &mut self,
        failure: &Failure,
        now: (Duration, Timestamp),
        bounds: (Duration, Duration),
        random: &mut ChaCha8Rng,
    ) -> Result<Want, Duration> {
        let was_watching = self.phase == Phase::Watching;
        self.epoch.0 += 1;
        self.seen.clear();
        match failure {
            Failure::Ended if was_watching => return Err(self.pause(now.0)),
            Failure::Gone if was_watching && self.expired_watches == 0 => {
                self.expired_watches = 1;
                return Ok(self.relist());
            }
            Failure::Gone if was_watching => {
                let wait = backoff::wait(bounds, self.expired_watches - 1, random);
                self.expired_watches = self.expired_watches.saturating_add(1);
                return Err(self.wait_until(now.0 + wait, true));
            }
            Failure::Gone if self.expired_tokens == 0 => {
                self.expired_tokens = 1;
                return Ok(self.relist());
            }
            _ => {}
        }
        let text = failure_text(failure);
        let since = self.failing_since.as_ref().map_or(now.1, |(since, _)| *since);
        self.failing_since = Some((since, text));
        let wait = backoff::wait(bounds, self.failures, random);
        self.failures = self.failures.saturating_add(1);
        let resume_watch = was_watching
            && self.was_open(now.0)
            && !self.is_silent(now.0)
            && matches!(failure, Failure::Unreachable(_) | Failure::Other(_));
        Err(self.wait_until(now.0 + wait, !resume_watch))
    }

    /// A watch that ended goes on at once; one that ended right after the last did waits, so that a server that closes every
    /// watch is not asked without end.
    fn pause(&mut self, now: Duration) -> Duration {
        let until = self.ended.map_or(now, |ended| now.max(ended + WATCH_PAUSE));
        self.ended = Some(until);
        self.wait_until(until, self.is_silent(now))
    }

    /// A watch that tells nothing for minutes, not even bookmarks, may stand at a version that its server does not have any
    /// more, after it came back with an older state: kube-apiserver 1.36.3 says nothing on such a watch. Only a list shows it.
    fn is_silent(&self, now: Duration) -> bool {
        now >= self.heard + SILENCE_MAX
    }

    /// Whether the watch ran for longer than it may take to open. One that did not may never have reached its server, which
    /// may have been away to come back with an older state: nothing but a list tells what it holds.
    fn was_open(&self, now: Duration) -> bool {
        now >= self.opened + OPENING_MAX
    }

    /// A list or watch is asked for now, or the process stood still until now and knows nothing of its watch.
    pub fn opens(&mut self, now: Duration) {
        self.opened = now;
    }

    fn wait_until(&mut self, until: Duration, relist: bool) -> Duration {
        self.phase = Phase::Waiting { until, relist };
        until
    }

    fn relist(&mut self) -> Want {
        self.phase = Phase::Listing;
        Want::Page { epoch: self.epoch, continue_token: None }
    }

    /// What to ask if a wait is over.
    pub fn tick(&mut self, now: Duration, watch_timeout: Duration) -> Option<Want> {
        match self.phase {
            Phase::Waiting { until, relist } if until <= now => {
                self.epoch.0 += 1;
                Some(if relist { self.relist() } else { self.watch(watch_timeout) })
            }
            _ => None,
        }
    }

    /// Restarts the watch from its position with a short timeout, so that a bookmark comes soon. `None` unless a watch runs.
    pub fn hurry(&mut self, timeout: Duration) -> Option<Want> {
        self.is_watching().then(|| self.watch(timeout))
    }

    /// Starts over with a list.
    pub fn restart(&mut self) -> Want {
        self.epoch.0 += 1;
        self.seen.clear();
        self.relist()
    }

    /// The end of a wait.
    #[must_use]
    pub fn waits_until(&self) -> Option<Duration> {
        match self.phase {
            Phase::Waiting { until, .. } => Some(until),
            _ => None,
        }
    }
}

fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Ended => "the list ended early".to_owned(),
        Failure::Gone => "the list expires before it ends".to_owned(),
        Failure::NotServed => "the kind is not served".to_owned(),
        Failure::Unreachable(text) | Failure::Forbidden(text) | Failure::Other(text) => text.clone(),
    }
}
