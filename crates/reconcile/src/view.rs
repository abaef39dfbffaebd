//! The one way to read. Every read is recorded, and whatever changes in the record wakes the reader.

use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use api::cluster::ClusterRole;
use api::{ClusterName, Kind, NamespaceName, ObjectKey};
use jiff::Timestamp;
use serde::Serialize;

use crate::attempt::Attempts;
use crate::facet::{Facet, FacetEntry, Index, IndexEntry, IndexValue};
use crate::kind_entry::KindEntry;
use crate::sight::Sight;

/// The state of a cluster, or of one kind on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum ClusterSight {
    /// Engaged and answering.
    Ready,
    /// Engaged, first list running.
    Starting,
    /// No provider has engaged it.
    NotEngaged,
    /// Engaged, and the kind is not served there.
    NotServed,
    /// Engaged and not answering.
    Unreachable,
    /// Engaged, and reading is refused.
    Forbidden,
}

/// A time that can be written and not compared: comparing with the clock is [`View::reached`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Stamp(Timestamp);

impl Stamp {
    /// Wraps the engine's time.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self(now)
    }

    /// The time in whole seconds, to be written into an object.
    #[must_use]
    pub fn to_write(self) -> Timestamp {
        Timestamp::from_second(self.0.as_second()).unwrap_or(self.0)
    }
}

/// What a view reads from: the engine's caches, or a test's tables. All answers are typed objects behind `Any`.
pub trait Source {
    /// One object; the facet says what is looked at.
    fn object(
        &mut self,
        cluster: &ClusterName,
        facet: FacetEntry,
        key: &ObjectKey,
    ) -> Sight<Arc<dyn Any + Send + Sync>>;
    /// The keys under an index value, in order; `namespace` narrows it.
    fn names(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<ObjectKey>>;
    /// How many are under an index value.
    fn count(
        &mut self,
        cluster: &ClusterName,
        index: IndexEntry,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<usize>;
    /// The engaged clusters of a role, in order.
    fn clusters(&mut self, role: ClusterRole) -> Vec<ClusterName>;
    /// The state of a cluster.
    fn cluster(&mut self, cluster: &ClusterName) -> ClusterSight;
    /// The state of a kind on a cluster.
    fn kind(&mut self, cluster: &ClusterName, kind: &'static KindEntry) -> ClusterSight;
    /// The configuration, of whatever type the process has; wakes the reader when it is replaced.
    fn configuration(&mut self) -> Arc<dyn Any + Send + Sync>;
    /// Whether a time has come; wakes the reader when it comes.
    fn reached(&mut self, at: Timestamp) -> bool;
    /// The time of the pass.
    fn now(&self) -> Timestamp;
    /// Answers to earlier steps of this key.
    fn attempts(&self) -> Attempts;
}

/// Reads for one pass. Cheap to make; lives as long as the pass.
pub struct View<'a> {
    source: RefCell<&'a mut dyn Source>,
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("View")
    }
}

impl<'a> View<'a> {
    /// A view of a source.
    pub fn new(source: &'a mut dyn Source) -> Self {
        Self { source: RefCell::new(source) }
    }

    /// The facts of one object.
    pub fn object<F: Facet>(&self, cluster: &ClusterName, key: &ObjectKey) -> Sight<F> {
        let sight = self.source.borrow_mut().object(cluster, FacetEntry::of::<F>(), key);
        sight.and_then(|object| match object.downcast_ref::<F::Kind>() {
            Some(object) => Sight::Present(F::of(object)),
            None => Sight::Invalid(format!("{key} is held as another type than {}", F::Kind::RESOURCE.kind)),
        })
    }

    /// The facts of all objects under an index value, in key order. Wakes for members that come and go and for facts
    /// that change.
    pub fn members<F: Facet, I: Index<Kind = F::Kind>>(
        &self,
        cluster: &ClusterName,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<(ObjectKey, F)>> {
        self.names::<I>(cluster, namespace, value).and_then(|keys| self.facts_of(cluster, keys))
    }

    fn facts_of<F: Facet>(&self, cluster: &ClusterName, keys: Vec<ObjectKey>) -> Sight<Vec<(ObjectKey, F)>> {
        let mut members = Vec::with_capacity(keys.len());
        for key in keys {
            match self.object::<F>(cluster, &key) {
                Sight::Present(facts) => members.push((key, facts)),
                Sight::Absent => {}
                other => return other.and_then(|_| Sight::Absent),
            }
        }
        Sight::Present(members)
    }

    /// The keys under an index value, in order. Wakes only for members that come and go.
    pub fn names<I: Index>(
        &self,
        cluster: &ClusterName,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<Vec<ObjectKey>> {
        self.source.borrow_mut().names(cluster, IndexEntry::of::<I>(), namespace, value)
    }

    /// How many objects are under an index value. Wakes only when the number changes.
    pub fn count<I: Index>(
        &self,
        cluster: &ClusterName,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
    ) -> Sight<usize> {
        self.source.borrow_mut().count(cluster, IndexEntry::of::<I>(), namespace, value)
    }

    /// The engaged clusters of a role, in order.
    pub fn clusters(&self, role: ClusterRole) -> Vec<ClusterName> {
        self.source.borrow_mut().clusters(role)
    }

    /// The state of a cluster.
    pub fn cluster(&self, cluster: &ClusterName) -> ClusterSight {
        self.source.borrow_mut().cluster(cluster)
    }

    /// The state of a kind on a cluster.
    pub fn kind<K: Kind>(&self, cluster: &ClusterName) -> ClusterSight {
        self.source.borrow_mut().kind(cluster, KindEntry::of::<K>())
    }

    /// A projection of the configuration; wakes when the configuration is replaced. `None` if the process has another
    /// configuration type, which is a wiring error that a test of the roles shows.
    pub fn configuration<C: Any, P>(&self, project: fn(&C) -> P) -> Option<P> {
        let configuration = self.source.borrow_mut().configuration();
        configuration.downcast_ref::<C>().map(project)
    }

    /// Whether a time has come. The only way to compare with the clock; wakes the reader when the time comes.
    pub fn reached(&self, at: Timestamp) -> bool {
        self.source.borrow_mut().reached(at)
    }

    /// A time that can be written and not compared.
    pub fn stamp(&self) -> Stamp {
        Stamp::new(self.source.borrow().now())
    }

    /// What servers answered to earlier steps of this key, when it was not success.
    pub fn attempts(&self) -> Attempts {
        self.source.borrow().attempts()
    }
}
