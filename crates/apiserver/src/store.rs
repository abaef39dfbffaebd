//! The one store of all control planes: a persistent ordered map, one revision counter, and five minutes of history.
//!
//! A commit changes `head` at once; reads and watches see it only after [`Store::publish`], which the shell allows
//! when the batch is durable. So a crash can never take back a revision that somebody saw.

mod history;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use imbl::OrdMap;
use jiff::Timestamp;
use serde_json::Value;

use crate::limits::{RECENT_PARSED_BYTES_MAX, RECENT_PARSED_MAX};

pub use history::{History, TooOld};
use stored::LOADED;
pub(crate) use stored::Opened;
pub use stored::Stored;

/// Where an object is stored: `plane|group/plural|namespace/name`, so that a plane, a resource and a namespace are
/// prefixes, and objects are listed in the order kube-apiserver lists them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

impl Key {
    /// The key of one object; `namespace` is `None` for cluster-scoped kinds.
    #[must_use]
    pub fn new(plane: &str, storage: &str, namespace: Option<&str>, name: &str) -> Self {
        Self(format!("{}{name}", Self::prefix(plane, storage, namespace)).into())
    }

    /// What all keys of a resource, or of its objects in one namespace, begin with.
    #[must_use]
    pub fn prefix(plane: &str, storage: &str, namespace: Option<&str>) -> String {
        match namespace {
            Some(namespace) => format!("{plane}|{storage}|{namespace}/"),
            None => format!("{plane}|{storage}|"),
        }
    }

    /// A key as the sink stored it.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The plane's name.
    #[must_use]
    pub fn plane(&self) -> &str {
        self.part(0)
    }

    /// `group/plural`.
    #[must_use]
    pub fn storage(&self) -> &str {
        self.part(1)
    }

    /// The object's namespace; `None` for cluster-scoped kinds.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.part(2).split_once('/').map(|(namespace, _)| namespace)
    }

    /// The object's name.
    #[must_use]
    pub fn name(&self) -> &str {
        let rest = self.part(2);
        rest.split_once('/').map_or(rest, |(_, name)| name)
    }

    /// `namespace/name`, or the name alone.
    #[must_use]
    pub fn local(&self) -> &str {
        self.part(2)
    }

    fn part(&self, index: usize) -> &str {
        self.0.splitn(3, '|').nth(index).unwrap_or_default()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One object's change in one revision.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which object.
    pub key: Key,
    /// The revision that made it.
    pub revision: u64,
    /// Before; `None` for a creation.
    pub previous: Option<Arc<Stored>>,
    /// After. For a deletion this is the last state with the deletion's revision, see `deleted`.
    pub current: Arc<Stored>,
    /// Whether the object is gone after this.
    pub deleted: bool,
}

/// Writes that happen together, under one revision.
#[derive(Debug, Default)]
pub struct WriteSet {
    list: Vec<(Key, Write)>,
}

#[derive(Debug)]
enum Write {
    Put(Value, u64),
    Encoded(Opened),
    Delete,
}

impl WriteSet {
    /// Stores an object, encoded under the resource's stamp.
    pub fn put(&mut self, key: Key, value: Value, stamp: u64) {
        self.list.push((key, Write::Put(value, stamp)));
    }

    /// Stores an object that is already encoded under the next revision.
    pub(crate) fn put_opened(&mut self, key: Key, opened: Opened) {
        self.list.push((key, Write::Encoded(opened)));
    }

    /// Removes an object.
    pub fn delete(&mut self, key: Key) {
        self.list.push((key, Write::Delete));
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// What the sink must make durable for one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The revision; batches arrive in this order.
    pub revision: u64,
    /// Key and encoded object, or `None` for a removal.
    pub entries: Vec<(Key, Option<Bytes>)>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Store {
    head: OrdMap<Key, Arc<Stored>>,
    published: OrdMap<Key, Arc<Stored>>,
    revision: u64,
    published_revision: u64,
    unpublished: VecDeque<Change>,
    /// Parsed forms of the newest commits: most writes are to what was written a moment ago.
    recent: VecDeque<Opened>,
    recent_bytes: usize,
    history: History,
}

impl Store {
    /// The store as the sink kept it. History begins empty, so older revisions are gone and clients list again.
    ///
    /// # Errors
    /// [`LoadError`] for an object that cannot be used.
    pub fn load(revision: u64, objects: impl IntoIterator<Item = (Key, Bytes)>) -> Result<Self, LoadError> {
        let mut head = OrdMap::new();
        for (key, bytes) in objects {
            let value: Value = serde_json::from_slice(&bytes)
                .map_err(|error| LoadError::NotJson { key: key.to_string(), error: error.to_string() })?;
            let stored = Stored::loaded(bytes, &value)
                .ok_or_else(|| LoadError::NoRevision { key: key.to_string() })?;
            head.insert(key, Arc::new(stored));
        }
        let history = History::starting_at(revision);
        Ok(Self {
            published: head.clone(),
            head,
            revision,
            published_revision: revision,
            unpublished: VecDeque::new(),
            recent: VecDeque::new(),
            recent_bytes: 0,
            history,
        })
    }

    /// Gives every object that was loaded the shape its resource has now, once and not at every read. Revisions stay, and
    /// nothing is written: what a client sees is what it would have seen.
    pub(crate) fn reshape(&mut self, shape: impl Fn(&Key, &Arc<Stored>) -> Arc<Stored>) {
        let reshaped = |(key, stored): (&Key, &Arc<Stored>)| (key.clone(), shape(key, stored));
        let loaded = |(_, stored): &(&Key, &Arc<Stored>)| stored.stamp == LOADED;
        let changed: Vec<(Key, Arc<Stored>)> = self.head.iter().filter(loaded).map(reshaped).collect();
        for (key, stored) in changed {
            if self.published.get(&key).is_some_and(|one| one.stamp == LOADED) {
                self.published.insert(key.clone(), stored.clone());
            }
            self.head.insert(key, stored);
        }
    }

    /// The revision of the newest commit, published or not.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The newest revision that reads may see.
    #[must_use]
    pub fn published_revision(&self) -> u64 {
        self.published_revision
    }

    /// The newest committed state of an object: what writes build on.
    #[must_use]
    pub fn head(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.head.get(key)
    }

    /// Committed objects under a prefix.
    pub fn head_under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a Key, &'a Arc<Stored>)> {
        under(&self.head, prefix)
    }

    /// The published state of an object: what reads answer.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.published.get(key)
    }

    /// Published objects under a prefix.
    pub fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a Key, &'a Arc<Stored>)> {
        under(&self.published, prefix)
    }

    /// Commits, and says what to make durable and what changed. The caller publishes at once when nothing is durable.
    pub fn commit(&mut self, writes: WriteSet) -> (Batch, Vec<Change>) {
        self.revision += 1;
        let revision = self.revision;
        let mut entries = Vec::with_capacity(writes.list.len());
        let mut changes = Vec::with_capacity(writes.list.len());
        for (key, write) in writes.list {
            let previous = self.head.get(&key).cloned();
            let (opened, deleted) = match (write, &previous) {
                (Write::Put(value, stamp), _) => (Opened::new(value, revision, stamp), false),
                (Write::Encoded(opened), _) if opened.stored.revision == revision => (opened, false),
                (Write::Encoded(opened), _) => (again(&opened.stored, revision), false),
                (Write::Delete, Some(old)) => (again(old, revision), true),
                (Write::Delete, None) => continue,
            };
            let current = self.remember(opened);
            if deleted {
                self.head.remove(&key);
                entries.push((key.clone(), None));
            } else {
                self.head.insert(key.clone(), current.clone());
                entries.push((key.clone(), Some(current.bytes.clone())));
            }
            let change = Change { key, revision, previous, current, deleted };
            changes.push(change.clone());
            self.unpublished.push_back(change);
        }
        (Batch { revision, entries }, changes)
    }

    fn remember(&mut self, opened: Opened) -> Arc<Stored> {
        let stored = opened.stored.clone();
        self.recent_bytes += stored.bytes.len();
        self.recent.push_back(opened);
        while self.recent.len() > RECENT_PARSED_MAX || self.recent_bytes > RECENT_PARSED_BYTES_MAX {
            let Some(oldest) = self.recent.pop_front() else { break };
            self.recent_bytes -= oldest.stored.bytes.len();
        }
        stored
    }

    /// Lets reads see everything up to `up_to`, and returns what became visible.
    pub fn publish(&mut self, up_to: u64, now: Timestamp) -> Vec<Change> {
        let mut changes = Vec::new();
        while self.unpublished.front().is_some_and(|change| change.revision <= up_to) {
            if let Some(change) = self.unpublished.pop_front() {
                if change.deleted {
                    self.published.remove(&change.key);
                } else {
                    self.published.insert(change.key.clone(), change.current.clone());
                }
                self.history.record(change.clone(), now);
                changes.push(change);
            }
        }
        self.published_revision = self.published_revision.max(up_to.min(self.revision));
        changes
    }

    /// Forgets history that is older than five minutes or beyond the bound.
    pub fn compact(&mut self, now: Timestamp) {
        self.history.compact(now);
    }

    /// Keeps the present state for the pages of a list that has just begun.
    pub fn keep_snapshot(&mut self, now: Timestamp) {
        self.history.keep(self.published_revision, &self.published, now);
    }

    /// The state at an earlier revision, under a prefix.
    ///
    /// # Errors
    /// [`TooOld`] when the history no longer reaches back that far.
    pub fn under_at(&self, prefix: &str, revision: u64) -> Result<Vec<(Key, Arc<Stored>)>, TooOld> {
        self.history.under_at(prefix, revision, &self.published)
    }

    /// Changes under a prefix after a revision, oldest first.
    ///
    /// # Errors
    /// [`TooOld`] when the history no longer reaches back that far.
    pub fn changes_after(&self, prefix: &str, revision: u64) -> Result<Vec<Change>, TooOld> {
        self.history.changes_after(prefix, revision)
    }
}

/// The same object under another revision.
fn again(stored: &Stored, revision: u64) -> Opened {
    Opened::new(Value::clone(&stored.value()), revision, stored.stamp)
}

/// A stored object that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LoadError {
    /// The bytes are no JSON.
    #[error("stored object {key} is not JSON ({error}); restore the data directory from a copy")]
    NotJson {
        /// Which object.
        key: String,
        /// What the parser said.
        error: String,
    },
    /// The object has no resourceVersion.
    #[error("stored object {key} has no resourceVersion; restore the data directory from a copy")]
    NoRevision {
        /// Which object.
        key: String,
    },
}

fn under<'a>(
    map: &'a OrdMap<Key, Arc<Stored>>,
    prefix: &'a str,
) -> impl Iterator<Item = (&'a Key, &'a Arc<Stored>)> {
    map.range(Key::from_text(prefix)..).take_while(move |(key, _)| key.as_str().starts_with(prefix))
}
