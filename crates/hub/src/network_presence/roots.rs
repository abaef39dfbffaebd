//! From objects to presences. Whatever could keep or be a presence names it, so a fresh process knows every one.

use api::cluster::ClusterRole;
use api::{ClusterName, LocationName, NamespaceName, NetworkName, ObjectKey, ProjectName};
use federation::holder::{DeclarationFacts, InterfaceFacts, is_hub_namespace};
use federation::{ContextFacts, HubRoute, PresenceKey};
use reconcile::{Roots, Sight, View};

pub(super) fn roots() -> Roots<PresenceKey> {
    Roots::new()
        .on::<DeclarationFacts>(ClusterRole::Hub, of_hub_binding)
        .on::<DeclarationFacts>(ClusterRole::Project, of_project_binding)
        .on::<InterfaceFacts>(ClusterRole::Hub, of_interface_copy)
        .on::<ContextFacts>(ClusterRole::Project, of_context)
}

fn presence(
    place: (&ProjectName, &NamespaceName),
    network: &NetworkName,
    location: &LocationName,
) -> PresenceKey {
    let (network, location) = (network.clone(), location.clone());
    PresenceKey { project: place.0.clone(), namespace: place.1.clone(), network, location }
}

/// Where the namespace of a hub object leads.
fn route(view: &View<'_>, cluster: &ClusterName, object: &ObjectKey) -> Option<(ProjectName, NamespaceName)> {
    let namespace = ObjectKey::cluster_scoped(object.namespace.as_ref()?.as_str());
    match view.object::<HubRoute>(cluster, &namespace) {
        Sight::Present(route) => {
            route.resolved().map(|(project, namespace)| (project.clone(), namespace.clone()))
        }
        _ => None,
    }
}

fn of_hub_binding(
    view: &View<'_>,
    cluster: &ClusterName,
    object: &ObjectKey,
    binding: &DeclarationFacts,
) -> Vec<PresenceKey> {
    let Some((project, namespace)) = route(view, cluster, object) else { return Vec::new() };
    let namespace = binding.network_namespace.as_ref().unwrap_or(&namespace);
    vec![presence((&project, namespace), &binding.network, &binding.location)]
}

fn of_project_binding(
    view: &View<'_>,
    cluster: &ClusterName,
    object: &ObjectKey,
    binding: &DeclarationFacts,
) -> Vec<PresenceKey> {
    let (Some(project), Some(own)) = (cluster.project(), &object.namespace) else { return Vec::new() };
    if is_hub_namespace(view, cluster, own) != Sight::Present(false) {
        return Vec::new();
    }
    let namespace = binding.network_namespace.as_ref().unwrap_or(own);
    vec![presence((project, namespace), &binding.network, &binding.location)]
}

fn of_interface_copy(
    view: &View<'_>,
    cluster: &ClusterName,
    object: &ObjectKey,
    interface: &InterfaceFacts,
) -> Vec<PresenceKey> {
    let Some(location) = &interface.location else { return Vec::new() };
    let Some((project, namespace)) = route(view, cluster, object) else { return Vec::new() };
    vec![presence((&project, &namespace), &interface.network, location)]
}

fn of_context(
    _: &View<'_>,
    cluster: &ClusterName,
    object: &ObjectKey,
    context: &ContextFacts,
) -> Vec<PresenceKey> {
    let (Some(project), Some(namespace)) = (cluster.project(), &object.namespace) else { return Vec::new() };
    if context.is_copy {
        return Vec::new();
    }
    vec![presence((project, namespace), &context.network, &context.location)]
}
