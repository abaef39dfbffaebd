//! Keys that want a pass: fair between projects, later keys by time.
//!
//! Fairness is per project, not per cluster, because the hub is one cluster for all of them: projects take turns, and
//! within a project keys come in the order they were queued.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use api::ProjectName;

use crate::ids::KeyId;

/// The turn a key waits in: its project, or none for keys that belong to no project.
pub type Turn = Option<ProjectName>;

/// A key that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    key: KeyId,
    since: Duration,
    by_timer: bool,
}

/// A key whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Popped {
    /// The key.
    pub key: KeyId,
    /// How long it waited for its turn.
    pub waited: Duration,
    /// Whether a time it waited for brought it here, and not a change.
    pub by_timer: bool,
}

/// Keys by turn and time.
#[derive(Debug, Default)]
pub struct Queue {
    ready: BTreeMap<Turn, VecDeque<Waiting>>,
    turns: VecDeque<Turn>,
    later: BTreeSet<(Duration, KeyId)>,
    due: BTreeMap<KeyId, Duration>,
    queued: BTreeSet<KeyId>,
    turn_of_later: BTreeMap<KeyId, Turn>,
}

impl Queue {
    /// Queues a key for its turn now; a later time it waited for is dropped. Queued once only.
    pub fn push(&mut self, key: KeyId, turn: Turn, now: Duration) {
        self.insert(key, turn, now, false);
    }

    fn insert(&mut self, key: KeyId, turn: Turn, since: Duration, by_timer: bool) {
        self.cancel_later(key);
        if !self.queued.insert(key) {
            return;
        }
        let waiting = self.ready.entry(turn.clone()).or_default();
        if waiting.is_empty() {
            self.turns.push_back(turn);
        }
        waiting.push_back(Waiting { key, since, by_timer });
    }

    /// Queues a key for a time; an earlier time or a place in the queue wins.
    pub fn push_at(&mut self, key: KeyId, turn: Turn, at: Duration) {
        if self.queued.contains(&key) || self.due.get(&key).is_some_and(|due| *due <= at) {
            return;
        }
        self.cancel_later(key);
        self.later.insert((at, key));
        self.due.insert(key, at);
        self.turn_of_later.insert(key, turn);
    }

    fn cancel_later(&mut self, key: KeyId) {
        if let Some(at) = self.due.remove(&key) {
            self.later.remove(&(at, key));
            self.turn_of_later.remove(&key);
        }
    }

    /// The next key and how long it waited; moves keys whose time has come into their turn first.
    pub fn pop(&mut self, now: Duration) -> Option<Popped> {
        self.advance(now);
        let turn = self.turns.pop_front()?;
        let waiting = self.ready.get_mut(&turn)?;
        let Waiting { key, since, by_timer } = waiting.pop_front()?;
        if waiting.is_empty() {
            self.ready.remove(&turn);
        } else {
            self.turns.push_back(turn);
        }
        self.queued.remove(&key);
        Some(Popped { key, waited: now.saturating_sub(since), by_timer })
    }

    fn advance(&mut self, now: Duration) {
        while let Some((at, key)) = self.later.first().copied() {
            if at > now {
                break;
            }
            let turn = self.turn_of_later.get(&key).cloned().flatten();
            self.insert(key, turn, at, true);
        }
    }

    /// Takes a key out wherever it waits.
    pub fn remove(&mut self, key: KeyId) {
        self.cancel_later(key);
        if self.queued.remove(&key) {
            for waiting in self.ready.values_mut() {
                waiting.retain(|other| other.key != key);
            }
            let ready = &mut self.ready;
            ready.retain(|_, waiting| !waiting.is_empty());
            self.turns.retain(|turn| ready.contains_key(turn));
        }
    }

    /// Whether the key waits for its turn or a time.
    #[must_use]
    pub fn contains(&self, key: KeyId) -> bool {
        self.queued.contains(&key) || self.due.contains_key(&key)
    }

    /// Keys that wait for their turn.
    #[must_use]
    pub fn ready_len(&self) -> usize {
        self.queued.len()
    }

    /// The keys that wait for their turn, in order of their numbers.
    pub fn ready(&self) -> impl Iterator<Item = KeyId> {
        self.queued.iter().copied()
    }

    /// Keys that wait for a time.
    #[must_use]
    pub fn later_len(&self) -> usize {
        self.later.len()
    }

    /// When the next key is due, if none is ready.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        self.later.first().map(|(at, _)| *at)
    }
}
