//! The record of what a reader read, and its upkeep: a new record replaces the old one by its difference.

use std::collections::{BTreeMap, BTreeSet};

use api::cluster::ClusterRole;
use jiff::Timestamp;

use super::World;
use crate::ids::{ClusterId, IndexId, LookId, Reader, SlotId, StoreId, ValueId};

/// One thing a reader looked at. Numbers only: there are a dozen for each key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// An object: facts of it, or fields that a plan holds.
    Object(StoreId, SlotId, LookId),
    /// An index value.
    Index(StoreId, IndexId, ValueId),
    /// The state of a store.
    State(StoreId),
    /// The state of a cluster.
    Cluster(ClusterId),
    /// The engaged clusters of a role.
    Role(ClusterRole),
    /// The configuration.
    Configuration,
    /// A time that has not come.
    Deadline(Timestamp),
}

/// What a reader looked at in its last pass: in order, and each read once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSet(Box<[Read]>);

impl ReadSet {
    /// Reads as they were made, some of them more than once.
    #[must_use]
    pub fn of(mut reads: Vec<Read>) -> Self {
        reads.sort_unstable();
        reads.dedup();
        Self(reads.into_boxed_slice())
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: impl IntoIterator<Item = Read>) -> Self {
        let mut others = others.into_iter().peekable();
        if others.peek().is_none() {
            return self;
        }
        let mut reads = self.0.into_vec();
        reads.extend(others);
        Self::of(reads)
    }

    /// The reads, in order.
    pub fn iter(&self) -> impl Iterator<Item = Read> {
        self.0.iter().copied()
    }

    /// How many reads.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this was read.
    #[must_use]
    pub fn contains(&self, read: Read) -> bool {
        self.0.binary_search(&read).is_ok()
    }

    /// Whether an object was looked at, however.
    #[must_use]
    pub fn has_object(&self, store: StoreId, slot: SlotId) -> bool {
        let first = Read::Object(store, slot, LookId(0));
        let at = self.0.partition_point(|read| *read < first);
        self.0
            .get(at)
            .is_some_and(|read| matches!(read, Read::Object(of, at, _) if (*of, *at) == (store, slot)))
    }
}

impl World {
    /// Takes back reads of `old` that `new` does not repeat. Reads are subscribed when they are made.
    pub fn replace_reads(&mut self, reader: Reader, old: &ReadSet, new: &ReadSet) {
        if old != new {
            old.iter().filter(|read| !new.contains(*read)).for_each(|read| self.forget(reader, read));
        }
    }

    /// Takes back all reads.
    pub fn forget_reads(&mut self, reader: Reader, reads: &ReadSet) {
        reads.iter().for_each(|read| self.forget(reader, read));
    }

    fn forget(&mut self, reader: Reader, read: Read) {
        match read {
            Read::Object(store, slot, look) => {
                if let Some(store) = self.stores.get_mut(&store) {
                    store.unsubscribe(slot, reader, look);
                }
            }
            Read::Index(store, index, value) => {
                if let Some(store) = self.stores.get_mut(&store) {
                    store.unsubscribe_index(index, value, reader);
                }
            }
            Read::State(store) => {
                if let Some(store) = self.stores.get_mut(&store) {
                    store.unsubscribe_state(reader);
                }
            }
            Read::Cluster(cluster) => forget_in(&mut self.cluster_readers, cluster, reader),
            Read::Role(role) => forget_in(&mut self.role_readers, role, reader),
            Read::Configuration => {
                self.configuration_readers.remove(&reader);
            }
            Read::Deadline(at) => {
                self.deadlines.remove(&(at, reader));
            }
        }
    }

    /// Subscribes a read that is not about a store's content.
    pub(crate) fn remember(&mut self, reader: Reader, read: Read) {
        match read {
            Read::Cluster(cluster) => {
                self.cluster_readers.entry(cluster).or_default().insert(reader);
            }
            Read::Role(role) => {
                self.role_readers.entry(role).or_default().insert(reader);
            }
            Read::Configuration => {
                self.configuration_readers.insert(reader);
            }
            Read::Deadline(at) => {
                self.deadlines.insert((at, reader));
            }
            Read::State(store) => {
                if let Some(store) = self.stores.get_mut(&store) {
                    store.subscribe_state(reader);
                }
            }
            Read::Object(..) | Read::Index(..) => {}
        }
    }
}

fn forget_in<K: Ord + Copy>(readers: &mut BTreeMap<K, BTreeSet<Reader>>, of: K, reader: Reader) {
    if let Some(set) = readers.get_mut(&of) {
        set.remove(&reader);
        if set.is_empty() {
            readers.remove(&of);
        }
    }
}
