//! Garbage collection: a client inside the server that follows owner references.
//!
//! It learns every commit, works in bounded portions, looks at owners live, and deletes with uid preconditions, so
//! that whatever happens between two portions is harmless.

mod step;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use crate::metadata;
use crate::server::Server;
use crate::store::{Change, Key, Store, Stored};
use crate::write::{FOREGROUND, ORPHAN};

const PORTION: usize = 50;

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// An object with owners: are they still there?
    Dependent(Key),
    /// An object that is being deleted and waits for its dependents.
    Owner(Key),
}

/// What the collector knows: who depends on whom, and what to look at next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    /// Dependents by plane and uid of the owner.
    dependents: BTreeMap<(String, String), BTreeSet<Key>>,
    /// Owners that wait for their dependents, by plane and uid.
    waiting: BTreeMap<(String, String), Key>,
    /// Dependents whose owner's kind is not served; looked at again when a definition appears.
    unresolved: BTreeSet<Key>,
    queue: VecDeque<Work>,
    queued: BTreeSet<Work>,
    /// Whether somebody outside collects instead.
    is_idle: bool,
}

impl Collector {
    pub(crate) fn new(works: bool) -> Self {
        Self { is_idle: !works, ..Self::default() }
    }

    /// Learns everything a plane holds.
    pub(crate) fn begin(&mut self, plane: &str, store: &Store) {
        for (key, stored) in store.head_under(&format!("{plane}|")) {
            self.learn(key, None, Some(stored));
        }
    }

    /// Forgets a plane that is gone.
    pub(crate) fn forget(&mut self, plane: &str) {
        self.dependents.retain(|(at, _), _| at != plane);
        self.waiting.retain(|(at, _), _| at != plane);
        self.unresolved.retain(|key| key.plane() != plane);
    }

    /// Learns a commit.
    pub(crate) fn observe(&mut self, change: &Change) {
        let after = (!change.deleted).then_some(&change.current);
        self.learn(&change.key, change.previous.as_ref(), after);
        if change.key.storage() == crate::crd::STORAGE && !self.unresolved.is_empty() {
            for key in std::mem::take(&mut self.unresolved) {
                self.push(Work::Dependent(key));
            }
        }
    }

    fn learn(&mut self, key: &Key, before: Option<&Arc<Stored>>, after: Option<&Arc<Stored>>) {
        if self.is_idle {
            return;
        }
        let owners = |object: Option<&Arc<Stored>>| -> BTreeSet<String> {
            object.into_iter().flat_map(|object| object.owner_uids()).map(str::to_owned).collect()
        };
        let (old, new) = (owners(before), owners(after));
        let plane = key.plane().to_owned();
        for uid in old.difference(&new) {
            self.unlink(&plane, uid, key);
        }
        for uid in new.difference(&old) {
            self.dependents.entry((plane.clone(), uid.clone())).or_default().insert(key.clone());
        }
        if !new.is_empty() && new != old {
            self.push(Work::Dependent(key.clone()));
        }
        match after {
            None => self.learn_gone(&plane, key, before),
            Some(object) if object.is_deleting() => self.learn_waiting(&plane, key, &object.value()),
            Some(_) => {}
        }
    }

    fn unlink(&mut self, plane: &str, uid: &str, key: &Key) {
        let id = (plane.to_owned(), uid.to_owned());
        if let Some(keys) = self.dependents.get_mut(&id) {
            keys.remove(key);
            if keys.is_empty() {
                self.dependents.remove(&id);
            }
        }
        if let Some(owner) = self.waiting.get(&id).cloned() {
            self.push(Work::Owner(owner));
        }
    }

    fn learn_gone(&mut self, plane: &str, key: &Key, before: Option<&Arc<Stored>>) {
        self.unresolved.remove(key);
        let uid = before.map(|before| before.uid()).unwrap_or_default();
        let id = (plane.to_owned(), uid.to_owned());
        self.waiting.remove(&id);
        for dependent in self.dependents.get(&id).cloned().unwrap_or_default() {
            self.push(Work::Dependent(dependent));
        }
    }

    fn learn_waiting(&mut self, plane: &str, key: &Key, object: &Value) {
        let waits = metadata::finalizers(object).any(|name| name == FOREGROUND || name == ORPHAN);
        if !waits {
            return;
        }
        let id = (plane.to_owned(), metadata::uid(object).to_owned());
        self.waiting.insert(id.clone(), key.clone());
        self.push(Work::Owner(key.clone()));
        if metadata::finalizers(object).any(|name| name == FOREGROUND) {
            for dependent in self.dependents.get(&id).cloned().unwrap_or_default() {
                self.push(Work::Dependent(dependent));
            }
        }
    }

    /// Whether something is to be done at once.
    pub(crate) fn has_work(&self) -> bool {
        !self.queue.is_empty()
    }

    fn push(&mut self, work: Work) {
        if self.queued.insert(work.clone()) {
            self.queue.push_back(work);
        }
    }

    fn pop(&mut self) -> Option<Work> {
        let work = self.queue.pop_front()?;
        self.queued.remove(&work);
        Some(work)
    }

    fn dependents_of(&self, plane: &str, uid: &str) -> Vec<Key> {
        let id = (plane.to_owned(), uid.to_owned());
        self.dependents.get(&id).into_iter().flatten().cloned().collect()
    }
}

impl Server {
    /// Does a bounded portion.
    pub(crate) fn collect_some(&mut self) {
        for _ in 0..PORTION {
            match self.collector.pop() {
                None => return,
                Some(Work::Dependent(key)) => self.collect_dependent(&key),
                Some(Work::Owner(key)) => self.collect_owner(&key),
            }
        }
    }
}
