//! Everything a pass can read: clusters, stores, the configuration and the clock, with the record of who read what.

mod clusters;
mod reads;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use api::cluster::ClusterRole;
use api::{ClusterName, ResourceKind};
use jiff::Timestamp;
use reconcile::{ClusterSight, KindEntry, Target};
use serde_json::Value;

pub use self::clusters::{Cluster, Identity};
pub use self::reads::{Read, ReadSet};
use crate::ids::{ClusterId, Reader, SlotId, StoreId};
use crate::store::{Store, StoreState};
use crate::time::Now;

/// Objects that are kept as JSON: about as many as plans are on their way at once, at some kilobytes each.
const ENCODED_MAX: usize = 1024;

/// The readable world of one engine.
pub struct World {
    names: BTreeMap<ClusterName, ClusterId>,
    clusters: Vec<Cluster>,
    stores: BTreeMap<StoreId, Store>,
    next_store: u32,
    wanted: Vec<StoreId>,
    /// Slots that keep their object as JSON, the oldest first.
    encoded: VecDeque<(StoreId, SlotId)>,
    role_readers: BTreeMap<ClusterRole, BTreeSet<Reader>>,
    cluster_readers: BTreeMap<ClusterId, BTreeSet<Reader>>,
    deadlines: BTreeSet<(Timestamp, Reader)>,
    configuration: Arc<dyn Any + Send + Sync>,
    configuration_readers: BTreeSet<Reader>,
    /// Time of the current call.
    pub now: Now,
    /// Readers whose read set changed and that the engine has not looked at yet.
    pub woken: Vec<Reader>,
}

impl World {
    /// A world with no clusters.
    #[must_use]
    pub fn new(configuration: Arc<dyn Any + Send + Sync>, now: Now) -> Self {
        Self {
            names: BTreeMap::new(),
            clusters: Vec::new(),
            stores: BTreeMap::new(),
            next_store: 0,
            wanted: Vec::new(),
            encoded: VecDeque::new(),
            role_readers: BTreeMap::new(),
            cluster_readers: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            configuration,
            configuration_readers: BTreeSet::new(),
            now,
            woken: Vec::new(),
        }
    }

    /// Replaces the configuration and wakes whoever read it.
    pub fn configure(&mut self, configuration: Arc<dyn Any + Send + Sync>) {
        self.configuration = configuration;
        self.woken.extend(self.configuration_readers.iter().copied());
    }

    /// The configuration.
    #[must_use]
    pub fn configuration(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::clone(&self.configuration)
    }

    /// The number of a cluster's name, engaged or not.
    pub fn cluster_id(&mut self, name: &ClusterName) -> ClusterId {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let id = ClusterId(u32::try_from(self.clusters.len()).unwrap_or(u32::MAX));
        self.clusters.push(Cluster::new(name.clone()));
        self.names.insert(name.clone(), id);
        id
    }

    /// A cluster by number.
    #[must_use]
    pub fn cluster(&self, id: ClusterId) -> Option<&Cluster> {
        self.clusters.get(id.0 as usize)
    }

    /// A cluster by name, if the name was ever used.
    #[must_use]
    pub fn cluster_named(&self, name: &ClusterName) -> Option<(ClusterId, &Cluster)> {
        let id = *self.names.get(name)?;
        Some((id, self.cluster(id)?))
    }

    /// All engaged clusters.
    pub fn engaged(&self) -> impl Iterator<Item = (ClusterId, &Cluster)> {
        self.names
            .values()
            .filter_map(|id| Some((*id, self.cluster(*id)?)))
            .filter(|(_, one)| one.is_engaged())
    }

    /// The store of a kind on an engaged cluster; asks for it to be started when it is read for the first time.
    pub fn store_for(&mut self, cluster: ClusterId, kind: &'static KindEntry) -> Option<StoreId> {
        if !self.cluster(cluster).is_some_and(Cluster::is_engaged) {
            return None;
        }
        if let Some(id) = self.cluster(cluster)?.store(kind.resource) {
            return Some(id);
        }
        let id = StoreId(self.next_store);
        self.next_store += 1;
        self.stores.insert(id, Store::new(cluster, kind));
        self.clusters.get_mut(cluster.0 as usize)?.add_store(kind.resource, id);
        self.wanted.push(id);
        Some(id)
    }

    /// Stores that were read for the first time since the last call and have no informer yet.
    pub fn take_wanted(&mut self) -> Vec<StoreId> {
        std::mem::take(&mut self.wanted)
    }

    /// A store by number.
    #[must_use]
    pub fn store(&self, id: StoreId) -> Option<&Store> {
        self.stores.get(&id)
    }

    /// The store of a kind by the cluster's name.
    #[must_use]
    pub fn store_named(&self, cluster: &ClusterName, resource: ResourceKind) -> Option<(StoreId, &Store)> {
        let id = self.cluster(*self.names.get(cluster)?)?.store(resource)?;
        Some((id, self.stores.get(&id)?))
    }

    /// All stores.
    pub fn stores(&self) -> impl Iterator<Item = (StoreId, &Store)> {
        self.stores.iter().map(|(id, store)| (*id, store))
    }

    /// Changes a store; whoever it wakes is remembered.
    pub fn with_store<T>(
        &mut self,
        id: StoreId,
        change: impl FnOnce(&mut Store, &mut Vec<Reader>) -> T,
    ) -> Option<T> {
        let store = self.stores.get_mut(&id)?;
        let changed = change(store, &mut self.woken);
        let kept = store.take_encoded();
        self.encoded.extend(kept.into_iter().map(|slot| (id, slot)));
        while self.encoded.len() > ENCODED_MAX {
            let oldest = self.encoded.pop_front();
            if let Some((store, slot)) = oldest
                && let Some(store) = self.stores.get_mut(&store)
            {
                store.forget_encoded(slot);
            }
        }
        Some(changed)
    }

    /// The object of a target as JSON, if it is held and decodes.
    pub fn encoded(&mut self, target: &Target) -> Option<Arc<Value>> {
        let (id, store) = self.store_named(&target.cluster, target.resource)?;
        let slot = store.find_id(&target.key)?;
        self.with_store(id, |held, _| held.encoded(slot)).flatten()
    }

    /// The state of a cluster as a pass sees it.
    #[must_use]
    pub fn cluster_sight(&self, id: ClusterId) -> ClusterSight {
        match self.cluster(id) {
            Some(cluster) if !cluster.is_engaged() => ClusterSight::NotEngaged,
            Some(cluster) if cluster.unreachable_since().is_some() => ClusterSight::Unreachable,
            Some(_) => ClusterSight::Ready,
            None => ClusterSight::NotEngaged,
        }
    }

    /// The state of a kind on a cluster as a pass sees it.
    #[must_use]
    pub fn kind_sight(&self, store: StoreId) -> ClusterSight {
        match self.store(store).map(Store::state) {
            Some(StoreState::Synced) => ClusterSight::Ready,
            Some(StoreState::Starting) => ClusterSight::Starting,
            Some(StoreState::Unreachable) => ClusterSight::Unreachable,
            Some(StoreState::Forbidden) => ClusterSight::Forbidden,
            Some(StoreState::NotServed) => ClusterSight::NotServed,
            None => ClusterSight::NotEngaged,
        }
    }

    /// The engaged clusters of a role, in order of their names.
    #[must_use]
    pub fn clusters_of(&self, role: ClusterRole) -> Vec<ClusterName> {
        self.engaged().map(|(_, cluster)| cluster.name.clone()).filter(|name| name.role() == role).collect()
    }

    /// The next deadline somebody waits for.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Wakes readers whose deadline has come, and says who they are.
    pub fn pass_deadlines(&mut self) -> Vec<Reader> {
        let mut passed = Vec::new();
        while let Some((at, reader)) = self.deadlines.first().copied() {
            if at > self.now.wall {
                break;
            }
            self.deadlines.pop_first();
            self.woken.push(reader);
            passed.push(reader);
        }
        passed
    }

    /// How much is held, by what it is.
    #[must_use]
    pub fn holdings(&self) -> BTreeMap<&'static str, usize> {
        let readers =
            |sets: &mut dyn Iterator<Item = &BTreeSet<Reader>>| sets.map(BTreeSet::len).sum::<usize>();
        let of_stores = |count: fn(&Store) -> usize| self.stores.values().map(count).sum::<usize>();
        BTreeMap::from([
            ("engaged planes", self.engaged().count()),
            ("stores", self.stores.len()),
            ("objects", of_stores(Store::len)),
            ("names", of_stores(Store::names_len)),
            ("own writes", of_stores(Store::own_writes)),
            ("kept encodings", of_stores(Store::encoded_len)),
            ("readers of roles", readers(&mut self.role_readers.values())),
            ("readers of planes", readers(&mut self.cluster_readers.values())),
            ("readers of the configuration", self.configuration_readers.len()),
            ("deadlines", self.deadlines.len()),
            ("woken readers", self.woken.len()),
        ])
    }

    /// Wakes everybody who waits for a deadline: the clock was set.
    pub fn wake_deadline_readers(&mut self) {
        self.woken.extend(self.deadlines.iter().map(|(_, reader)| *reader));
    }
}
