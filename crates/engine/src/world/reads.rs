//! The record of what a reader read, and its upkeep: a new record replaces the old one by its difference.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use api::cluster::ClusterRole;
use jiff::Timestamp;

use super::World;
use crate::ids::{ClusterId, Reader, SlotId, StoreId};
use crate::store::Look;

/// One thing a reader looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// Facts of an object: the facet.
    Facet(StoreId, SlotId, TypeId),
    /// Fields of an object that a plan holds.
    Fields(StoreId, SlotId, Arc<[String]>),
    /// An index value: the index and the value as stored.
    Index(StoreId, TypeId, Arc<str>),
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

/// What a reader looked at in its last pass. For objects the look is kept, to be able to take it back.
#[derive(Clone, Default)]
pub struct ReadSet(pub BTreeMap<Read, Option<Look>>);

impl std::fmt::Debug for ReadSet {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl ReadSet {
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

    /// Whether an object was read, by whatever facet.
    #[must_use]
    pub fn has_object(&self, store: StoreId, slot: SlotId) -> bool {
        self.0.keys().any(|read| matches!(read, Read::Facet(of, at, _) if (*of, *at) == (store, slot)))
    }
}

impl World {
    /// Takes back reads of `old` that `new` does not repeat. Reads are subscribed when they are made.
    pub fn replace_reads(&mut self, reader: Reader, old: &ReadSet, new: &ReadSet) {
        for (read, look) in old.0.iter().filter(|(read, _)| !new.0.contains_key(*read)) {
            self.forget(reader, read, look.as_ref());
        }
    }

    /// Takes back all reads.
    pub fn forget_reads(&mut self, reader: Reader, reads: &ReadSet) {
        for (read, look) in &reads.0 {
            self.forget(reader, read, look.as_ref());
        }
    }

    fn forget(&mut self, reader: Reader, read: &Read, look: Option<&Look>) {
        match read {
            Read::Facet(store, slot, _) | Read::Fields(store, slot, _) => {
                if let (Some(store), Some(look)) = (self.stores.get_mut(store), look) {
                    store.unsubscribe(*slot, reader, look);
                }
            }
            Read::Index(store, index, value) => {
                if let Some(store) = self.stores.get_mut(store) {
                    store.unsubscribe_index(*index, value, reader);
                }
            }
            Read::State(store) => {
                if let Some(store) = self.stores.get_mut(store) {
                    store.unsubscribe_state(reader);
                }
            }
            Read::Cluster(cluster) => forget_in(&mut self.cluster_readers, cluster, reader),
            Read::Role(role) => forget_in(&mut self.role_readers, role, reader),
            Read::Configuration => {
                self.configuration_readers.remove(&reader);
            }
            Read::Deadline(at) => {
                self.deadlines.remove(&(*at, reader));
            }
        }
    }

    /// Subscribes a read that is not about a store's content.
    pub(crate) fn remember(&mut self, reader: Reader, read: &Read) {
        match read {
            Read::Cluster(cluster) => {
                self.cluster_readers.entry(*cluster).or_default().insert(reader);
            }
            Read::Role(role) => {
                self.role_readers.entry(*role).or_default().insert(reader);
            }
            Read::Configuration => {
                self.configuration_readers.insert(reader);
            }
            Read::Deadline(at) => {
                self.deadlines.insert((*at, reader));
            }
            Read::State(store) => {
                if let Some(store) = self.stores.get_mut(store) {
                    store.subscribe_state(reader);
                }
            }
            Read::Facet(..) | Read::Fields(..) | Read::Index(..) => {}
        }
    }
}

fn forget_in<K: Ord>(readers: &mut BTreeMap<K, std::collections::BTreeSet<Reader>>, of: &K, reader: Reader) {
    if let Some(set) = readers.get_mut(of) {
        set.remove(&reader);
        if set.is_empty() {
            readers.remove(of);
        }
    }
}
