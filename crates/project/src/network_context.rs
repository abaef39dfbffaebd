//! Makes a `NetworkContext` ready, and says so when it is going.
//!
//! - Reads: the context.
//! - Writes: condition `Ready`.
//! - Refuses because: nothing yet; without an address service a context is ready as soon as it exists (NC1, S3.5).
//! - Key: the context on its project's plane; copies of contexts are nobody's here (Z23).
//! - Roots: contexts.

mod observed;
mod plan;
#[cfg(test)]
mod tests;

use std::fmt;

use api::cluster::ClusterRole;
use api::{ClusterName, ObjectKey, ProjectName};
use reconcile::{Controller, Plan, Roots, View};
use serde::Serialize;

pub use self::observed::Observed;
use self::observed::OwnContext;

/// See the module.
pub struct NetworkContextController;

/// A context on a project's plane.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ContextKey {
    /// The project's plane.
    pub cluster: ClusterName,
    /// Namespace and name.
    pub object: ObjectKey,
}

impl fmt::Display for ContextKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "NetworkContext {} on {}", self.object, self.cluster)
    }
}

impl Controller for NetworkContextController {
    const NAME: &'static str = "network-context";
    type Key = ContextKey;
    type Observed = Observed;

    fn roots() -> Roots<ContextKey> {
        Roots::new().on::<OwnContext>(ClusterRole::Project, |_, cluster, object, context| {
            if context.is_copy {
                return Vec::new();
            }
            vec![ContextKey { cluster: cluster.clone(), object: object.clone() }]
        })
    }

    fn project(key: &ContextKey) -> Option<ProjectName> {
        key.cluster.project().cloned()
    }

    fn observe(view: &View<'_>, key: &ContextKey) -> Observed {
        observed::observe(view, key)
    }

    fn plan(observed: &Observed) -> Plan {
        plan::plan(observed)
    }
}
