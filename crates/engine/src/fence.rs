//! Absence that destroys needs proof: one later list per store, shared by all keys that wait, and the informer must pass
//! its version.
//!
//! Synced is not fresh. A partitioned hub looks like "no holders"; the fence is answered by the server itself, after the
//! pass that saw the absence.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::ids::{BarrierId, KeyId};

/// The state of one store's fence.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// The `limit=1` list is on its way.
    Asked { position: u64 },
    /// The informer must pass this version.
    Passing { version: u64, since: Duration, server_time: Option<Timestamp> },
}

/// Whoever waits for a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Waiter {
    /// A key whose plan destroys.
    Key(KeyId),
    /// Somebody outside who wants to know that the caches have caught up.
    Barrier(BarrierId),
}

/// One fence on one store. Keys that come while it is asked join the next one: their pass may be later than the list.
#[derive(Clone, Debug)]
pub struct Fence {
    phase: Phase,
    waiting: BTreeSet<Waiter>,
    next: BTreeSet<Waiter>,
    hurried: bool,
}

/// What a fence wants after an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenceOutcome {
    /// Nothing yet.
    Wait,
    /// The informer is behind: its watch should be renewed, so that a bookmark comes.
    Hurry,
    /// The informer is still behind: it should list again.
    Relist,
    /// These keys' absences were confirmed, at this server time.
    Passed(BTreeSet<Waiter>, Option<Timestamp>),
    /// The list failed: these keys must not act.
    Failed(BTreeSet<Waiter>),
}

impl Fence {
    /// A fence for the first key that wants one, while the informer is at this position.
    #[must_use]
    pub fn ask(waiter: Waiter, position: u64) -> Self {
        let phase = Phase::Asked { position };
        Self { phase, waiting: BTreeSet::from([waiter]), next: BTreeSet::new(), hurried: false }
    }

    /// Another key wants the store confirmed: its pass was made after this fence was asked.
    pub fn join(&mut self, waiter: Waiter) {
        if !self.waiting.contains(&waiter) {
            self.next.insert(waiter);
        }
    }

    /// A key does not want it any more.
    pub fn leave(&mut self, waiter: Waiter) {
        self.waiting.remove(&waiter);
        self.next.remove(&waiter);
    }

    /// The list was answered at this version. False if that is before what the informer had seen when it was asked: the
    /// server came back with an older state, and what the informer holds is no proof of anything.
    pub fn answered(&mut self, version: u64, server_time: Option<Timestamp>, now: Duration) -> bool {
        let is_older = matches!(self.phase, Phase::Asked { position } if version < position);
        self.phase = Phase::Passing { version, since: now, server_time };
        !is_older
    }

    /// The list failed.
    pub fn failed(&mut self) -> FenceOutcome {
        FenceOutcome::Failed(std::mem::take(&mut self.waiting))
    }

    /// Looks where the informer is.
    pub fn look(&mut self, position: u64, now: Duration, patience: Duration) -> FenceOutcome {
        let Phase::Passing { version, since, server_time } = self.phase else { return FenceOutcome::Wait };
        if position >= version {
            return FenceOutcome::Passed(std::mem::take(&mut self.waiting), server_time);
        }
        if !self.hurried {
            self.hurried = true;
            return FenceOutcome::Hurry;
        }
        if now >= since + patience {
            self.phase = Phase::Passing { version, since: now, server_time };
            return FenceOutcome::Relist;
        }
        FenceOutcome::Wait
    }

    /// Whether a list that was asked for after the answer ended below the awaited version: the server came back with an older
    /// state, and the version may never be passed.
    #[must_use]
    pub fn is_void(&self, asked: Duration, position: u64) -> bool {
        matches!(self.phase, Phase::Passing { version, since, .. } if asked >= since && position < version)
    }

    /// Whether the version is awaited.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self.phase, Phase::Passing { .. })
    }

    /// When [`Fence::look`] would lose patience.
    #[must_use]
    pub fn wakes_at(&self, patience: Duration) -> Option<Duration> {
        match self.phase {
            Phase::Passing { since, .. } => Some(since + patience),
            Phase::Asked { .. } => None,
        }
    }

    /// The fence of the keys that came meanwhile, if any.
    #[must_use]
    pub fn successor(self, position: u64) -> Option<Self> {
        let mut waiting = self.next;
        let first = waiting.pop_first()?;
        let mut next = Self::ask(first, position);
        next.waiting.extend(waiting);
        Some(next)
    }
}
