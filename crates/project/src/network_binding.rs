//! Answers one declaration, on the hub or in a project, from the same facts as the presence it asks for.
//!
//! - Reads: the binding; its namespace; the Project, its plane, the location and the Network; the contexts of the pair.
//! - Writes: label `network-uid` (hub bindings only), `status.networkContextRef`, condition `Ready`.
//! - Refuses because: `ProjectUnresolved`, `NameNotUsable`, `LocationNotAvailable`, `NetworkNotFound`,
//!   `NetworkContextTerminating`; waits with `NetworkContextNotReady`.
//! - Key: the binding on its plane. A binding in a hub namespace is the hub's, any other is its project's.
//! - Roots: bindings.

mod observed;
mod plan;
#[cfg(test)]
mod tests;

use std::fmt;

use api::cluster::ClusterRole;
use api::{ClusterName, NamespaceName, ObjectKey, ObjectName, ProjectName};
use federation::HubRoute;
use reconcile::{Controller, Plan, Roots, Sight, View};
use serde::Serialize;

pub use self::observed::Observed;
use self::observed::OwnBinding;

/// See the module.
pub struct NetworkBindingController;

/// A binding on its plane.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BindingKey {
    /// The plane.
    pub cluster: ClusterName,
    /// Namespace.
    pub namespace: NamespaceName,
    /// Name.
    pub name: ObjectName,
    /// The project it leads to, for fairness; none if its namespace leads nowhere.
    pub project: Option<ProjectName>,
}

impl BindingKey {
    fn object(&self) -> ObjectKey {
        ObjectKey::namespaced(self.namespace.clone(), self.name.clone())
    }
}

impl fmt::Display for BindingKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "NetworkBinding {}/{} on {}", self.namespace, self.name, self.cluster)
    }
}

/// On the hub only bindings in hub namespaces, in a project only the others (PR2, PB2, decisions 2). While the namespace
/// cannot be told the binding is nobody's: where planes share a server, the hub's would be answered as the project's.
fn derive(
    view: &View<'_>,
    cluster: &ClusterName,
    object: &ObjectKey,
    binding: &OwnBinding,
) -> Vec<BindingKey> {
    let Some(namespace) = &object.namespace else { return Vec::new() };
    let route = match view.object::<HubRoute>(cluster, &ObjectKey::cluster_scoped(namespace.as_str())) {
        Sight::Present(route) => route,
        Sight::Absent => HubRoute::default(),
        _ => return Vec::new(),
    };
    let is_on_hub = cluster.role() == ClusterRole::Hub;
    // The namespace of an answered declaration may stop being a hub namespace: the answer must still be taken back.
    let is_left_behind = is_on_hub && !route.is_hub && binding.network_uid.is_some();
    if route.is_hub != is_on_hub && !is_left_behind {
        return Vec::new();
    }
    let project = if is_on_hub { route.project } else { cluster.project().cloned() };
    let (cluster, namespace) = (cluster.clone(), namespace.clone());
    vec![BindingKey { cluster, namespace, name: object.name.clone(), project }]
}

impl Controller for NetworkBindingController {
    const NAME: &'static str = "network-binding";
    type Key = BindingKey;
    type Observed = Observed;

    fn roots() -> Roots<BindingKey> {
        Roots::new().on::<OwnBinding>(ClusterRole::Hub, derive).on::<OwnBinding>(ClusterRole::Project, derive)
    }

    fn project(key: &BindingKey) -> Option<ProjectName> {
        key.project.clone()
    }

    fn observe(view: &View<'_>, key: &BindingKey) -> Observed {
        observed::observe(view, key)
    }

    fn plan(observed: &Observed) -> Plan {
        plan::plan(observed)
    }
}
