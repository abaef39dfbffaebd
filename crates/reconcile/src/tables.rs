//! A source of tables: what a view reads where no engine runs, such as in tests of `observe`.
//!
//! It answers as the engine's caches do: a kind that is not ready hides its objects, and an object that does not decode
//! makes the indexes of its namespace unknown.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use api::cluster::ClusterRole;
use api::{ClusterName, Kind, NamespaceName, ObjectKey, ResourceKind};
use jiff::Timestamp;

use crate::attempt::Attempts;
use crate::facet::{FacetEntry, IndexEntry, IndexValue};
use crate::kind_entry::KindEntry;
use crate::sight::{Sight, Unknown};
use crate::view::{ClusterSight, Source};

type Typed = Arc<dyn Any + Send + Sync>;

/// Planes, kinds and objects as a test wants them. A plane that was never named is not engaged; a kind of an engaged
/// plane is ready unless it is said otherwise.
pub struct Tables {
    /// State of each plane.
    pub clusters: BTreeMap<ClusterName, ClusterSight>,
    /// State of kinds that are not ready.
    pub kinds: BTreeMap<(ClusterName, ResourceKind), ClusterSight>,
    /// Answers to earlier steps.
    pub attempts: Attempts,
    /// The time of the pass.
    pub now: Timestamp,
    /// Times that were asked for and have not come.
    pub deadlines: Vec<Timestamp>,
    objects: BTreeMap<(ClusterName, ResourceKind, ObjectKey), Result<Typed, String>>,
    configuration: Typed,
}

impl Tables {
    /// No planes.
    #[must_use]
    pub fn new(now: Timestamp, configuration: Typed) -> Self {
        Self {
            clusters: BTreeMap::new(),
            kinds: BTreeMap::new(),
            attempts: Attempts::default(),
            now,
            deadlines: Vec::new(),
            objects: BTreeMap::new(),
            configuration,
        }
    }

    /// Stores an object; the plane is ready unless it was said otherwise.
    pub fn put<K: Kind>(&mut self, cluster: &ClusterName, object: K) {
        self.clusters.entry(cluster.clone()).or_insert(ClusterSight::Ready);
        let key = (cluster.clone(), K::RESOURCE, object.key());
        self.objects.insert(key, Ok(Arc::new(object)));
    }

    /// Stores an object that does not decode.
    pub fn put_invalid<K: Kind>(&mut self, cluster: &ClusterName, key: ObjectKey, why: &str) {
        self.clusters.entry(cluster.clone()).or_insert(ClusterSight::Ready);
        self.objects.insert((cluster.clone(), K::RESOURCE, key), Err(why.to_owned()));
    }

    /// Takes an object away.
    pub fn remove<K: Kind>(&mut self, cluster: &ClusterName, key: &ObjectKey) {
        self.objects.remove(&(cluster.clone(), K::RESOURCE, key.clone()));
    }

    /// Says that a kind is not ready, or is ready again.
    pub fn set_kind<K: Kind>(&mut self, cluster: &ClusterName, sight: ClusterSight) {
        self.kinds.insert((cluster.clone(), K::RESOURCE), sight);
    }

    fn unreadable<T>(&self, cluster: &ClusterName, kind: &KindEntry) -> Option<Sight<T>> {
        let engaged = self.clusters.get(cluster).copied().unwrap_or(ClusterSight::NotEngaged);
        if engaged == ClusterSight::NotEngaged {
            return Some(Sight::Unknown(Unknown::NotEngaged));
        }
        match self.kinds.get(&(cluster.clone(), kind.resource)) {
            None | Some(ClusterSight::Ready) => None,
            Some(ClusterSight::Starting) => Some(Sight::Unknown(Unknown::Starting)),
            Some(ClusterSight::NotEngaged) => Some(Sight::Unknown(Unknown::NotEngaged)),
            Some(ClusterSight::Unreachable) => Some(Sight::Unknown(Unknown::Unreachable)),
            Some(ClusterSight::Forbidden) => Some(Sight::Unknown(Unknown::Forbidden)),
            Some(ClusterSight::NotServed) => Some(Sight::NotServed),
        }
    }

    fn of_kind<'a>(
        &'a self,
        cluster: &'a ClusterName,
        kind: ResourceKind,
    ) -> impl Iterator<Item = (&'a ObjectKey, &'a Result<Typed, String>)> {
        let objects =
            self.objects.iter().filter(move |((of, resource, _), _)| of == cluster && *resource == kind);
        objects.map(|((_, _, key), object)| (key, object))
    }
}

impl Source for Tables {
    fn object(&mut self, cluster: &ClusterName, facet: FacetEntry, key: &ObjectKey) -> Sight<Typed> {
        if let Some(unreadable) = self.unreadable(cluster, facet.kind) {
            return unreadable;
        }
        match self.objects.get(&(cluster.clone(), facet.kind.resource, key.clone())) {
            None => Sight::Absent,
            Some(Err(why)) => Sight::Invalid(why.clone()),
            Some(Ok(object)) => Sight::Present(Arc::clone(object)),
        }
    }

    fn names(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<ObjectKey>> {
        if let Some(unreadable) = self.unreadable(cluster, index.kind) {
            return unreadable;
        }
        let mut keys = Vec::new();
        for (key, object) in self.of_kind(cluster, index.kind.resource) {
            if namespace.is_some() && key.namespace.as_ref() != namespace {
                continue;
            }
            match object {
                Err(_) => return Sight::Unknown(Unknown::InvalidMember(key.to_string())),
                Ok(object) if (index.values)(&**object).contains(value) => keys.push(key.clone()),
                Ok(_) => {}
            }
        }
        Sight::Present(keys)
    }

    fn count(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<usize> {
        self.names(cluster, index, namespace, value).map(|keys| keys.len())
    }

    fn clusters(&mut self, role: ClusterRole) -> Vec<ClusterName> {
        let engaged = self.clusters.iter().filter(|(_, sight)| **sight != ClusterSight::NotEngaged);
        engaged.map(|(name, _)| name.clone()).filter(|name| name.role() == role).collect()
    }

    fn cluster(&mut self, cluster: &ClusterName) -> ClusterSight {
        self.clusters.get(cluster).copied().unwrap_or(ClusterSight::NotEngaged)
    }

    fn kind(&mut self, cluster: &ClusterName, kind: &'static KindEntry) -> ClusterSight {
        match self.cluster(cluster) {
            ClusterSight::NotEngaged => ClusterSight::NotEngaged,
            _ => self.kinds.get(&(cluster.clone(), kind.resource)).copied().unwrap_or(ClusterSight::Ready),
        }
    }

    fn configuration(&mut self) -> Typed {
        Arc::clone(&self.configuration)
    }

    fn reached(&mut self, at: Timestamp) -> bool {
        if at > self.now {
            self.deadlines.push(at);
        }
        at <= self.now
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn attempts(&self) -> Attempts {
        self.attempts.clone()
    }
}
