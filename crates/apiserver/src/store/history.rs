//! The last five minutes, or as much of them as fits: changes in order, and whole states that a paged list began with.
//!
//! A state at an earlier revision is the nearest later state with the changes since undone, so no state needs to be
//! kept for every revision.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use imbl::OrdMap;
use jiff::{SignedDuration, Timestamp};

use super::{Change, Key, Stored};
use crate::limits::HISTORY_BYTES_MAX;

const KEPT_FOR: SignedDuration = SignedDuration::from_mins(5);
const CHANGES_MAX: usize = 200_000;
const SNAPSHOTS_MAX: usize = 64;

/// The revision asked for is no longer kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOld {
    /// The oldest revision that can still be asked for.
    pub oldest: u64,
}

type Snapshot = (Timestamp, OrdMap<Key, Arc<Stored>>);

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct History {
    changes: VecDeque<(Timestamp, Change)>,
    /// Length of what the changes wrote.
    bytes: usize,
    snapshots: BTreeMap<u64, Snapshot>,
    /// Revisions below this cannot be rebuilt.
    oldest: u64,
}

impl History {
    pub(super) fn starting_at(revision: u64) -> Self {
        Self { oldest: revision, ..Self::default() }
    }

    pub(super) fn record(&mut self, change: Change, now: Timestamp) {
        self.bytes += change.current.bytes.len();
        self.changes.push_back((now, change));
    }

    pub(super) fn compact(&mut self, now: Timestamp) {
        let too_old = |at: &Timestamp| now.duration_since(*at) > KEPT_FOR;
        let is_excessive = self.is_excessive();
        while self.is_excessive() || self.changes.front().is_some_and(|(at, _)| too_old(at)) {
            let Some((_, change)) = self.changes.pop_front() else { break };
            self.bytes -= change.current.bytes.len();
            self.oldest = self.oldest.max(change.revision);
        }
        // A snapshot keeps the versions of its time alive, so a burst must end those too that it has left behind.
        let left_behind = if is_excessive { self.oldest } else { 0 };
        self.snapshots.retain(|revision, (at, _)| !too_old(at) && *revision >= left_behind);
    }

    fn is_excessive(&self) -> bool {
        self.changes.len() > CHANGES_MAX || self.bytes > HISTORY_BYTES_MAX
    }

    pub(super) fn keep(&mut self, revision: u64, state: &OrdMap<Key, Arc<Stored>>, now: Timestamp) {
        if self.snapshots.len() >= SNAPSHOTS_MAX {
            self.snapshots.pop_first();
        }
        self.snapshots.entry(revision).or_insert_with(|| (now, state.clone()));
    }

    pub(super) fn changes_after(&self, prefix: &str, revision: u64) -> Result<Vec<Change>, TooOld> {
        self.check(revision)?;
        let later = self.changes.partition_point(|(_, change)| change.revision <= revision);
        let matching = |change: &&Change| change.key.as_str().starts_with(prefix);
        Ok(self.changes.range(later..).map(|(_, change)| change).filter(matching).cloned().collect())
    }

    pub(super) fn under_at(
        &self,
        prefix: &str,
        revision: u64,
        present: &OrdMap<Key, Arc<Stored>>,
    ) -> Result<Vec<(Key, Arc<Stored>)>, TooOld> {
        if let Some((_, snapshot)) = self.snapshots.get(&revision) {
            return Ok(super::under(snapshot, prefix)
                .map(|(key, stored)| (key.clone(), stored.clone()))
                .collect());
        }
        let mut state: BTreeMap<Key, Arc<Stored>> =
            super::under(present, prefix).map(|(key, stored)| (key.clone(), stored.clone())).collect();
        for change in self.changes_after(prefix, revision)?.into_iter().rev() {
            match change.previous {
                Some(previous) => state.insert(change.key, previous),
                None => state.remove(&change.key),
            };
        }
        Ok(state.into_iter().collect())
    }

    fn check(&self, revision: u64) -> Result<(), TooOld> {
        if revision < self.oldest { Err(TooOld { oldest: self.oldest }) } else { Ok(()) }
    }
}
