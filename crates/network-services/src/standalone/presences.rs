//! What is present where, as the planes themselves show it, and what is not ready yet.

use std::collections::BTreeMap;
use std::time::Duration;

use api::builtin::Namespace;
use api::condition::{self, Condition, ConditionStatus, ConditionType};
use api::networking::{Network, NetworkBinding, NetworkContext};
use api::{ClusterName, Kind, NamespaceName, labels};
use comfy_table::Table;
use federation::HubRoute;
use kube_client::Client;
use reconcile::Facet;
use serde::Deserialize;

use super::platform::{Platform, prefix};

/// How long a plane in this process may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// A presence's name: project, namespace, network, location.
type Name = (String, String, String, String);

/// One presence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Presence {
    context: String,
    holders: usize,
    status: String,
    reason: String,
}

/// Everything that has to do with presences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    presences: BTreeMap<Name, Presence>,
    /// Objects that are not ready, with reason and message.
    pub(crate) unready: Vec<String>,
}

/// Looks at all planes. One that does not list a kind is not ready, and says so.
pub(crate) async fn look(platform: &Platform) -> Standing {
    let mut standing = Standing::default();
    let planes = platform.planes().await;
    let clusters: Vec<ClusterName> = planes.iter().filter_map(|(plane, _)| plane.parse().ok()).collect();
    // Contexts first: a binding then finds its presence.
    for cluster in clusters.iter().filter(|cluster| cluster.project().is_some()) {
        let client = platform.client(&prefix(cluster));
        for network in standing.listed::<Network>(&client, cluster).await {
            standing.note(&network, cluster, network.status.as_ref().map(|status| &*status.conditions));
        }
        for context in standing.listed::<NetworkContext>(&client, cluster).await {
            standing.take_context(cluster, &context);
        }
    }
    let of_bindings = |cluster: &&ClusterName| cluster.project().is_some() || **cluster == ClusterName::Hub;
    for cluster in clusters.iter().filter(of_bindings) {
        let client = platform.client(&prefix(cluster));
        let routes = routes(&standing.listed::<Namespace>(&client, cluster).await);
        for binding in standing.listed::<NetworkBinding>(&client, cluster).await {
            standing.take_binding(cluster, &routes, &binding);
        }
    }
    standing
}

#[derive(Deserialize)]
struct Items<K> {
    items: Vec<K>,
}

async fn list<K: Kind>(client: &Client) -> Result<Vec<K>, String> {
    let root = if K::RESOURCE.group.is_empty() { "api" } else { "apis" };
    let path = format!("/{root}/{}/{}", K::RESOURCE.api_version(), K::RESOURCE.plural);
    let answered =
        runtime::transport::get(client, &path, DEADLINE).await.map_err(|error| error.to_string())?;
    match answered.code {
        200 => serde_json::from_slice::<Items<K>>(&answered.body)
            .map(|list| list.items)
            .map_err(|error| error.to_string()),
        404 => Err("it is not served; install its definition".to_owned()),
        code => Err(format!("{code}: {}", engine::wire::status_text(&answered.body).trim_end())),
    }
}

fn routes(namespaces: &[Namespace]) -> BTreeMap<String, HubRoute> {
    let name = |namespace: &Namespace| namespace.metadata().name.clone().unwrap_or_default();
    namespaces.iter().map(|namespace| (name(namespace), HubRoute::of(namespace))).collect()
}

impl Standing {
    /// Objects of a kind on a plane.
    async fn listed<K: Kind>(&mut self, client: &Client, cluster: &ClusterName) -> Vec<K> {
        list::<K>(client).await.unwrap_or_else(|problem| {
            self.unready.push(format!("{} on {cluster}: {problem}", K::RESOURCE));
            Vec::new()
        })
    }

    /// Notes an object that is not ready.
    fn note<K: Kind>(&mut self, object: &K, cluster: &ClusterName, conditions: Option<&[Condition]>) {
        let ready = condition::find(conditions.unwrap_or_default(), ConditionType::Ready);
        if ready.is_some_and(|ready| ready.status == ConditionStatus::True) && !object.is_deleting() {
            return;
        }
        let name = format!("{} {} on {cluster}", K::RESOURCE.kind, object.key());
        let why = ready.map_or_else(
            || "no controller has answered yet".to_owned(),
            |ready| format!("{}: {}", ready.reason, ready.message),
        );
        let deleting = if object.is_deleting() { "is being deleted; " } else { "" };
        self.unready.push(format!("{name}: {deleting}{why}"));
    }

    fn take_context(&mut self, cluster: &ClusterName, context: &NetworkContext) {
        let labels = context.metadata.labels.as_ref();
        // A copy is a presence of another plane.
        if labels.is_some_and(|labels| labels.contains_key(labels::UPSTREAM_NAME)) {
            return;
        }
        let conditions = context.status.as_ref().map(|status| &*status.conditions);
        self.note(context, cluster, conditions);
        let key = context.key();
        let namespace = key.namespace.as_ref().map_or("", |namespace| namespace.as_str());
        let spec = &context.spec;
        let name = name(cluster, namespace, spec.network.name.as_str(), spec.location.name.as_str());
        let presence = self.presences.entry(name).or_default();
        key.name.as_str().clone_into(&mut presence.context);
        presence.answer(conditions);
    }

    fn take_binding(
        &mut self,
        cluster: &ClusterName,
        routes: &BTreeMap<String, HubRoute>,
        binding: &NetworkBinding,
    ) {
        let conditions = binding.status.as_ref().map(|status| &*status.conditions);
        let key = binding.key();
        let own = key.namespace.as_ref().map_or("", |namespace| namespace.as_str());
        let route = routes.get(own).cloned().unwrap_or_default();
        if cluster.project().is_some() && route.is_hub {
            return;
        }
        self.note(binding, cluster, conditions);
        let Some((plane, namespace)) = place(cluster, own, &route) else { return };
        let spec = &binding.spec;
        let named = spec.network.namespace.as_ref().map(NamespaceName::as_str);
        let namespace = named.filter(|named| !named.is_empty()).unwrap_or(&namespace);
        let name = name(&plane, namespace, spec.network.name.as_str(), spec.location.name.as_str());
        let presence = self.presences.entry(name).or_default();
        presence.holders += 1;
        if presence.context.is_empty() {
            presence.answer(conditions);
        }
    }
}

/// The project's plane and namespace that a binding is about.
fn place(cluster: &ClusterName, own: &str, route: &HubRoute) -> Option<(ClusterName, String)> {
    if cluster.project().is_some() {
        return Some((cluster.clone(), own.to_owned()));
    }
    let (project, namespace) = route.resolved()?;
    Some((ClusterName::Project(project.clone()), namespace.as_str().to_owned()))
}

fn name(cluster: &ClusterName, namespace: &str, network: &str, location: &str) -> Name {
    let project = cluster.project().map_or("", |project| project.as_str());
    (project.to_owned(), namespace.to_owned(), network.to_owned(), location.to_owned())
}

impl Presence {
    fn answer(&mut self, conditions: Option<&[Condition]>) {
        let ready = condition::find(conditions.unwrap_or_default(), ConditionType::Ready);
        let status = ready.map_or(ConditionStatus::Unknown, |ready| ready.status);
        status.as_str().clone_into(&mut self.status);
        self.reason = ready.map_or_else(|| "Pending".to_owned(), |ready| ready.reason.clone());
    }
}

/// The table of presences.
pub(crate) fn table(standing: &Standing) -> String {
    if standing.presences.is_empty() {
        return "no presences: nothing declares that a network is used anywhere".to_owned();
    }
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header([
        "PROJECT",
        "NAMESPACE",
        "NETWORK",
        "LOCATION",
        "CONTEXT",
        "HOLDERS",
        "READY",
        "REASON",
    ]);
    for ((project, namespace, network, location), presence) in &standing.presences {
        let context = if presence.context.is_empty() { "-" } else { &presence.context };
        let holders = presence.holders.to_string();
        table.add_row([
            project,
            namespace,
            network,
            location,
            context,
            &holders,
            &presence.status,
            &presence.reason,
        ]);
    }
    table.to_string()
}
