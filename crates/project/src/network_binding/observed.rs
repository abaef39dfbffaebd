//! What a declaration's pass looks at.

use api::cluster::ClusterRole;
use api::condition::ConditionType;
use api::networking::{NetworkBinding, NetworkContextReference};
use api::{ObjectKey, Uid, labels};
use federation::context::ContextsByPair;
use federation::holder::DeclarationFacts;
use federation::verdict::Facts;
use federation::{
    ConditionFacts, ContextReadiness, HubRoute, NetworkFacts, PresenceKey, ProjectSight, location, project,
};
use reconcile::{Facet, Sight, Stamp, Target, View};
use serde::Serialize;

use super::BindingKey;

/// The binding as its own controller sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct OwnBinding {
    /// What it declares.
    pub declares: DeclarationFacts,
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// Label `network-uid`, where not empty.
    pub network_uid: Option<Uid>,
    /// The presence that serves it, as recorded.
    pub context_ref: Option<(String, String)>,
    /// Condition `Ready`.
    pub ready: Option<ConditionFacts>,
}

impl Facet for OwnBinding {
    type Kind = NetworkBinding;

    fn of(binding: &NetworkBinding) -> Self {
        let status = binding.status.as_ref();
        let conditions = status.map(|status| status.conditions.as_slice()).unwrap_or_default();
        let labels = binding.metadata.labels.as_ref();
        let reference = status.and_then(|status| status.network_context_ref.as_ref());
        Self {
            declares: DeclarationFacts::of(binding),
            generation: binding.metadata.generation,
            network_uid: labels
                .and_then(|labels| labels.get(labels::NETWORK_UID))
                .map(|uid| uid.as_str().into()),
            context_ref: reference
                .map(|reference| (reference.namespace.to_string(), reference.name.to_string())),
            ready: ConditionFacts::find(conditions, ConditionType::Ready),
        }
    }
}

/// Where a declaration leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// To this presence.
    To(PresenceKey),
    /// Nowhere: the namespace lacks this label.
    Missing(&'static str),
    /// To no project any more: its namespace stopped being a hub namespace.
    Left,
    /// To another project than the key's: the declaration has another key now, which answers it.
    Elsewhere,
    /// The namespace cannot be read now.
    Unknown(String),
}

/// Facts of one pass.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The object.
    pub target: Target,
    /// The binding.
    pub binding: Sight<OwnBinding>,
    /// Where it leads; without a binding nowhere.
    pub route: Route,
    /// Facts of the verdict, if it leads somewhere.
    pub facts: Option<Facts>,
    /// Contexts of the pair.
    pub contexts: Sight<Vec<(NetworkContextReference, ContextReadiness)>>,
    /// Time to write.
    pub stamp: Stamp,
}

/// Reads.
pub(super) fn observe(view: &View<'_>, key: &BindingKey) -> Observed {
    let binding = view.object::<OwnBinding>(&key.cluster, &key.object());
    let route = match binding.present() {
        Some(binding) => route(view, key, &binding.declares),
        None => Route::Unknown("the binding is not there".to_owned()),
    };
    let presence = match &route {
        Route::To(presence) => Some(presence),
        _ => None,
    };
    Observed {
        target: Target::of::<NetworkBinding>(key.cluster.clone(), key.object()),
        facts: presence.map(|presence| facts(view, presence)),
        contexts: presence.map_or(Sight::Present(Vec::new()), |presence| contexts(view, presence)),
        binding,
        route,
        stamp: view.stamp(),
    }
}

fn route(view: &View<'_>, key: &BindingKey, declares: &DeclarationFacts) -> Route {
    let to = |project: &api::ProjectName, namespace: &api::NamespaceName| {
        Route::To(PresenceKey {
            project: project.clone(),
            namespace: declares.network_namespace.clone().unwrap_or_else(|| namespace.clone()),
            network: declares.network.clone(),
            location: declares.location.clone(),
        })
    };
    if key.cluster.role() == ClusterRole::Project {
        return match key.cluster.project() {
            Some(project) => to(project, &key.namespace),
            None => Route::Unknown("the plane belongs to no project".to_owned()),
        };
    }
    let namespace = ObjectKey::cluster_scoped(key.namespace.as_str());
    let route = match view.object::<HubRoute>(&key.cluster, &namespace) {
        // The namespace may be gone before the watch of bindings tells that the binding is.
        Sight::Absent => Sight::Present(HubRoute::default()),
        other => other,
    };
    match route {
        Sight::Present(route) if route.project != key.project => Route::Elsewhere,
        Sight::Present(route) if !route.is_hub => Route::Left,
        Sight::Present(route) => match (route.resolved(), route.missing_label()) {
            (Some((project, namespace)), _) => to(project, namespace),
            (None, Some(label)) => Route::Missing(label),
            (None, None) => Route::Unknown("the namespace names no project".to_owned()),
        },
        other => {
            Route::Unknown(format!("Namespace {} on {}: {:?}", key.namespace, key.cluster, other.map(|_| ())))
        }
    }
}

fn facts(view: &View<'_>, presence: &PresenceKey) -> Facts {
    let cluster = presence.cluster();
    let project = project::observe(view, &presence.project);
    let is_resolved = project == ProjectSight::Resolved;
    let key = ObjectKey::namespaced(presence.namespace.clone(), presence.network.as_str());
    Facts {
        location: if is_resolved {
            location::observe(view, &cluster, &presence.location)
        } else {
            location::LocationSight::Missing
        },
        network: if is_resolved { view.object::<NetworkFacts>(&cluster, &key) } else { Sight::Absent },
        project,
    }
}

fn contexts(
    view: &View<'_>,
    presence: &PresenceKey,
) -> Sight<Vec<(NetworkContextReference, ContextReadiness)>> {
    let namespace = Some(&presence.namespace);
    let members =
        view.members::<ContextReadiness, ContextsByPair>(&presence.cluster(), namespace, &presence.pair());
    members.map(|members| {
        let named = members.into_iter().map(|(key, facts)| {
            let namespace = presence.namespace.clone();
            (NetworkContextReference { namespace, name: key.name }, facts)
        });
        named.collect()
    })
}
