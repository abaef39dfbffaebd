//! The shape of a controller: where its keys come from, what it reads, what it decides.

use std::fmt;
use std::sync::Arc;

use api::cluster::ClusterRole;
use api::{ClusterName, ObjectKey, ProjectName};
use serde::Serialize;

use crate::facet::{Facet, FacetEntry};
use crate::plan::Plan;
use crate::sight::Sight;
use crate::view::View;

/// Keeps one thing true. Nothing in it awaits, draws a random number, reads a clock or holds a client.
pub trait Controller: 'static {
    /// Its name in metrics, field managers and explanations, such as `network-presence`.
    const NAME: &'static str;
    /// What one pass is about, in domain terms.
    type Key: Ord + Clone + fmt::Debug + fmt::Display + Serialize + Send + Sync + 'static;
    /// Every fact the decision may use.
    type Observed;

    /// Which objects make a key exist. Every kind on which the controller leaves something is one of them.
    fn roots() -> Roots<Self::Key>;

    /// The project the key's work is counted for: the unit of fairness and of shards.
    fn project(key: &Self::Key) -> Option<ProjectName>;

    /// Reads, without judgement.
    fn observe(view: &View<'_>, key: &Self::Key) -> Self::Observed;

    /// Judges, without reading; total.
    fn plan(observed: &Self::Observed) -> Plan;
}

/// From one object to the keys it makes exist; `None` while what was read does not allow an answer.
pub type Derive<K> = Arc<dyn Fn(&View<'_>, &ClusterName, &ObjectKey) -> Option<Vec<K>> + Send + Sync>;

/// One kind whose objects make keys exist.
#[derive(Clone)]
pub struct Root<K> {
    /// On which planes.
    pub role: ClusterRole,
    /// What the derivation looks at; also says the kind.
    pub facet: FacetEntry,
    /// The derivation, tracked like any other read.
    pub derive: Derive<K>,
}

/// All roots of a controller.
#[derive(Clone)]
pub struct Roots<K> {
    /// In the order they were named.
    pub roots: Vec<Root<K>>,
}

impl<K: 'static> Roots<K> {
    /// No roots yet.
    #[must_use]
    pub fn new() -> Self {
        Self { roots: Vec::new() }
    }

    /// Adds a kind. The derivation gets the facts of the object and may read more through the view; whatever it read
    /// wakes it again. While something it read is unknown, the keys it gave before stay.
    #[must_use]
    pub fn on<F: Facet>(
        mut self,
        role: ClusterRole,
        derive: fn(&View<'_>, &ClusterName, &ObjectKey, &F) -> Vec<K>,
    ) -> Self {
        let derive: Derive<K> = Arc::new(move |view, cluster, key| match view.object::<F>(cluster, key) {
            Sight::Present(facts) => Some(derive(view, cluster, key, &facts)),
            Sight::Absent => Some(Vec::new()),
            _ => None,
        });
        self.roots.push(Root { role, facet: FacetEntry::of::<F>(), derive });
        self
    }
}

impl<K: 'static> Default for Roots<K> {
    fn default() -> Self {
        Self::new()
    }
}
