//! Clusters come and go by engagement; each engagement has an identity, so an old one cannot remove a new one.

use std::time::Duration;

use api::{ClusterName, ResourceKind};
use jiff::Timestamp;

use super::World;
use crate::ids::{ClusterId, StoreId};
use crate::time::Now;

/// What makes one engagement of a cluster another one: a number of the provider's, and the server's own identity (uid of
/// namespace `kube-system`, or what the provider gives). A plane restored from backup comes as a new engagement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// Counts engagements of this name in this process.
    pub engagement: u64,
    /// The server's identity.
    pub server: String,
}

/// One cluster by name.
#[derive(Debug)]
pub struct Cluster {
    /// Its name.
    pub name: ClusterName,
    identity: Option<Identity>,
    failures: u32,
    failed_at: Option<Duration>,
    unreachable_since: Option<Timestamp>,
    /// A dozen kinds at most.
    stores: Vec<(ResourceKind, StoreId)>,
}

/// Failures in a row after which a cluster counts as unreachable; one may be a server that restarts.
const FAILURES_UNTIL_UNREACHABLE: u32 = 2;
/// Failures within this time are one: watches share connections, and end together when theirs breaks.
const ONE_FAILURE: Duration = Duration::from_millis(50);

impl Cluster {
    pub(super) fn new(name: ClusterName) -> Self {
        Self {
            name,
            identity: None,
            failures: 0,
            failed_at: None,
            unreachable_since: None,
            stores: Vec::new(),
        }
    }

    pub(super) fn add_store(&mut self, resource: ResourceKind, store: StoreId) {
        self.stores.push((resource, store));
    }

    /// The store of a kind, if it was read.
    pub(super) fn store(&self, resource: ResourceKind) -> Option<StoreId> {
        // Plurals differ where groups and versions are alike.
        let is_it = |known: &ResourceKind| known.plural == resource.plural && *known == resource;
        self.stores.iter().find(|(known, _)| is_it(known)).map(|(_, store)| *store)
    }

    /// Whether a provider has engaged it.
    #[must_use]
    pub fn is_engaged(&self) -> bool {
        self.identity.is_some()
    }

    /// The current engagement.
    #[must_use]
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Since when it does not answer.
    #[must_use]
    pub fn unreachable_since(&self) -> Option<Timestamp> {
        self.unreachable_since
    }
}

impl World {
    /// Engages a cluster. An engagement of a name that is engaged replaces it: its stores are dropped first. Returns
    /// stores that went.
    pub fn engage(&mut self, name: &ClusterName, identity: Identity) -> Vec<StoreId> {
        let id = self.cluster_id(name);
        if self.cluster(id).and_then(Cluster::identity) == Some(&identity) {
            return Vec::new();
        }
        let gone = self.drop_stores(id);
        if let Some(cluster) = self.clusters.get_mut(id.0 as usize) {
            cluster.identity = Some(identity);
            cluster.failures = 0;
            cluster.failed_at = None;
            cluster.unreachable_since = None;
        }
        self.wake_cluster(id);
        gone
    }

    /// Ends an engagement; one that is not the current one changes nothing. Returns the stores that went.
    pub fn disengage(&mut self, name: &ClusterName, engagement: u64) -> Vec<StoreId> {
        let id = self.cluster_id(name);
        let current = self.cluster(id).and_then(Cluster::identity).map(|identity| identity.engagement);
        if current != Some(engagement) {
            return Vec::new();
        }
        if let Some(cluster) = self.clusters.get_mut(id.0 as usize) {
            cluster.identity = None;
        }
        self.wake_cluster(id);
        self.drop_stores(id)
    }

    fn drop_stores(&mut self, cluster: ClusterId) -> Vec<StoreId> {
        let stores =
            self.clusters.get_mut(cluster.0 as usize).map(|cluster| std::mem::take(&mut cluster.stores));
        let gone: Vec<StoreId> = stores.into_iter().flatten().map(|(_, store)| store).collect();
        for id in &gone {
            if let Some(store) = self.stores.remove(id) {
                store.all_readers(&mut self.woken);
            }
        }
        self.wanted.retain(|id| !gone.contains(id));
        gone
    }

    fn wake_cluster(&mut self, id: ClusterId) {
        let Some(cluster) = self.cluster(id) else { return };
        let role = cluster.name.role();
        let readers = self.role_readers.get(&role).into_iter().flatten();
        let readers: Vec<_> =
            readers.chain(self.cluster_readers.get(&id).into_iter().flatten()).copied().collect();
        self.woken.extend(readers);
    }

    /// Counts a failure to reach the cluster.
    pub fn note_failure(&mut self, id: ClusterId) {
        let Now { wall, monotonic } = self.now;
        let Some(cluster) = self.clusters.get_mut(id.0 as usize) else { return };
        if cluster.failed_at.is_some_and(|at| monotonic.saturating_sub(at) < ONE_FAILURE) {
            return;
        }
        cluster.failed_at = Some(monotonic);
        cluster.failures = cluster.failures.saturating_add(1);
        if cluster.failures >= FAILURES_UNTIL_UNREACHABLE && cluster.unreachable_since.is_none() {
            cluster.unreachable_since = Some(wall);
            self.wake_cluster(id);
        }
    }

    /// The cluster answered.
    pub fn note_answer(&mut self, id: ClusterId) {
        let Some(cluster) = self.clusters.get_mut(id.0 as usize) else { return };
        cluster.failures = 0;
        cluster.failed_at = None;
        if cluster.unreachable_since.take().is_some() {
            self.wake_cluster(id);
        }
    }
}
