//! Keeps a Network usable while it lives, and there until its contexts have ended.
//!
//! - Reads: the Network; the contexts of its name in its namespace (copies are skipped).
//! - Writes: finalizer `network-controller`, condition `Ready`.
//! - Refuses because: nothing yet; without an address service a Network is ready at once (N2, N3).
//! - Key: the Network on its project's plane.
//! - Roots: Networks.

mod observed;
mod plan;
#[cfg(test)]
mod tests;

use std::fmt;

use api::cluster::ClusterRole;
use api::{ClusterName, NamespaceName, NetworkName, ObjectKey, ProjectName};
use reconcile::{Controller, Plan, Roots, View};
use serde::Serialize;

pub use self::observed::Observed;
use self::observed::OwnNetwork;

/// See the module.
pub struct NetworkController;

/// A Network on a project's plane.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NetworkKey {
    /// The project's plane.
    pub cluster: ClusterName,
    /// Namespace.
    pub namespace: NamespaceName,
    /// Name.
    pub name: NetworkName,
}

impl NetworkKey {
    fn object(&self) -> ObjectKey {
        ObjectKey::namespaced(self.namespace.clone(), self.name.as_str())
    }
}

impl fmt::Display for NetworkKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Network {}/{} on {}", self.namespace, self.name, self.cluster)
    }
}

impl Controller for NetworkController {
    const NAME: &'static str = "network";
    type Key = NetworkKey;
    type Observed = Observed;

    fn roots() -> Roots<NetworkKey> {
        Roots::new().on::<OwnNetwork>(ClusterRole::Project, |_, cluster, object, _| {
            let key = |namespace: &NamespaceName| NetworkKey {
                cluster: cluster.clone(),
                namespace: namespace.clone(),
                name: NetworkName::new(object.name.as_str()),
            };
            object.namespace.as_ref().map(key).into_iter().collect()
        })
    }

    fn project(key: &NetworkKey) -> Option<ProjectName> {
        key.cluster.project().cloned()
    }

    fn observe(view: &View<'_>, key: &NetworkKey) -> Observed {
        observed::observe(view, key)
    }

    fn plan(observed: &Observed) -> Plan {
        plan::plan(observed)
    }
}
