//! The acts: ordinary ones, which any user may do, and those of foreign hands, which reach into what controllers keep.

use api::labels::{self, annotation};
use api::networking::{Network, NetworkBinding, NetworkContext, NetworkInterface};
use api::{ClusterName, Kind, ObjectKey, ResourceKind, locations, resourcemanager};
use engine::request::{collection_path, object_path};
use serde_json::{Value, json};

use super::universe::{NAMESPACE, Universe};
use crate::dice::Dice;
use crate::world::users::EDITED;

const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json";
/// A finalizer of somebody else.
const FOREIGN_FINALIZER: &str = "example.com/hold";

/// One request of somebody outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// In a few words.
    pub what: &'static str,
    /// The plane.
    pub cluster: ClusterName,
    /// Method.
    pub method: &'static str,
    /// Path.
    pub path: String,
    /// Content type.
    pub content_type: &'static str,
    /// Body.
    pub body: String,
}

impl Act {
    fn create<K: Kind>(
        what: &'static str,
        cluster: ClusterName,
        namespace: Option<&str>,
        name: &str,
        rest: &Value,
    ) -> Self {
        let mut body = json!({"apiVersion": K::RESOURCE.api_version(), "kind": K::RESOURCE.kind,
            "metadata": {"name": name}});
        merge(&mut body, rest);
        let path = collection_path(K::RESOURCE, namespace);
        Self { what, cluster, method: "POST", path, content_type: JSON, body: body.to_string() }
    }

    fn patch<K: Kind>(
        what: &'static str,
        cluster: ClusterName,
        namespace: Option<&str>,
        name: &str,
        change: &Value,
    ) -> Self {
        let path = path(K::RESOURCE, namespace, name);
        Self { what, cluster, method: "PATCH", path, content_type: MERGE, body: change.to_string() }
    }

    fn delete<K: Kind>(
        what: &'static str,
        cluster: ClusterName,
        namespace: Option<&str>,
        name: &str,
    ) -> Self {
        let path = path(K::RESOURCE, namespace, name);
        Self { what, cluster, method: "DELETE", path, content_type: "", body: String::new() }
    }

    /// One as it was written down: any request with every right, whose content type follows from its method.
    #[must_use]
    pub fn of_request(cluster: ClusterName, method: &str, path: String, body: String) -> Option<Self> {
        let (method, content_type) = [("POST", JSON), ("PATCH", MERGE), ("DELETE", "")]
            .into_iter()
            .find(|(known, _)| *known == method)?;
        Some(Self { what: "an act as written down", cluster, method, path, content_type, body })
    }

    /// The same for the status.
    fn of_status(mut self) -> Self {
        self.path.push_str("/status");
        self
    }
}

impl std::fmt::Display for Act {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {} {} {}", self.cluster, self.method, self.path, self.body)
    }
}

fn path(resource: ResourceKind, namespace: Option<&str>, name: &str) -> String {
    object_path(resource, &ObjectKey { namespace: namespace.map(Into::into), name: name.into() })
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn plane(project: &str) -> ClusterName {
    ClusterName::Project(project.into())
}

/// A Project.
fn project(name: &str) -> Act {
    let spec = json!({"spec": {"ownerRef": {"kind": "Organization", "name": "acme"}}});
    Act::create::<resourcemanager::Project>("make a project", ClusterName::Core, None, name, &spec)
}

/// A namespace of the hub that leads to a project.
fn route(project: &str, name: &str) -> Act {
    let labels = json!({labels::UPSTREAM_CLUSTER_NAME: format!("cluster-{project}"), labels::UPSTREAM_NAMESPACE: NAMESPACE});
    let labels = json!({"metadata": {"labels": labels}});
    Act::create::<api::builtin::Namespace>("make a route", ClusterName::Hub, None, name, &labels)
}

/// A Location in a project.
fn location(project: &str, name: &str) -> Act {
    let spec = json!({"spec": {"locationClassRef": {"name": "edge"},
        "topology": {labels::CITY_CODE: name.to_uppercase()}}});
    Act::create::<locations::Location>("make a location", plane(project), None, name, &spec)
}

/// A Network.
fn network(project: &str, name: &str) -> Act {
    let spec = json!({"spec": {"ipam": {"mode": "Auto"}}});
    Act::create::<Network>("make a network", plane(project), Some(NAMESPACE), name, &spec)
}

/// A copy of a context of somewhere else, for a pair of this project, as it lies where planes share a server.
fn copy(universe: &Universe, project: &str) -> Option<Act> {
    let (network, location) = (universe.networks.first()?, universe.locations.first()?);
    let rest = json!({"metadata": {"labels": {labels::UPSTREAM_NAME: "elsewhere"}},
        "spec": {"network": {"name": network}, "location": {"name": location}}});
    let (what, here) = ("copy a context", Some(NAMESPACE));
    Some(Act::create::<NetworkContext>(what, plane(project), here, "a-copy", &rest))
}

/// Ordinary acts; most are one request, some two that belong together.
pub(super) fn ordinary(universe: &Universe, dice: &mut Dice) -> Vec<Act> {
    let project = Universe::name(&universe.projects, dice);
    match dice.below(100) {
        0..30 => vec![bind(universe, &project, dice)],
        30..45 => vec![unbind(universe, &project, dice)],
        45..48 => rebind(universe, &project, dice),
        48..56 => vec![interface(universe, &project, dice)],
        56..80 => on_networks(universe, &project, dice),
        80..92 => on_locations(universe, &project, dice),
        92..96 => on_routes(&project, dice),
        _ => on_projects(&project, dice),
    }
}

/// Where a binding is: mostly on the hub, sometimes in the project.
fn declared_at(project: &str, dice: &mut Dice) -> (ClusterName, String) {
    if dice.hits(250) {
        return (plane(project), NAMESPACE.to_owned());
    }
    let [first, second] = Universe::routes(project);
    (ClusterName::Hub, if dice.hits(300) { second } else { first })
}

fn bind(universe: &Universe, project: &str, dice: &mut Dice) -> Act {
    let (cluster, namespace) = declared_at(project, dice);
    let name = Universe::name(&universe.bindings, dice);
    let (network, location) =
        (Universe::name(&universe.networks, dice), Universe::name(&universe.locations, dice));
    declaration(cluster, &namespace, &name, (&network, &location))
}

/// What a declaration says cannot be changed, so it is withdrawn and another one takes its name at once.
fn rebind(universe: &Universe, project: &str, dice: &mut Dice) -> Vec<Act> {
    let declared = bind(universe, project, dice);
    let what = "withdraw a declaration";
    let body = serde_json::from_str::<Value>(&declared.body).unwrap_or_default();
    let path = format!("{}/{}", declared.path, body["metadata"]["name"].as_str().unwrap_or_default());
    let (cluster, method) = (declared.cluster.clone(), "DELETE");
    vec![Act { what, cluster, method, path, content_type: "", body: String::new() }, declared]
}

/// A declaration of a network in a location.
fn declaration(cluster: ClusterName, namespace: &str, name: &str, (network, location): (&str, &str)) -> Act {
    let spec = json!({"spec": {"network": {"name": network}, "location": {"name": location}}});
    Act::create::<NetworkBinding>("declare", cluster, Some(namespace), name, &spec)
}

fn unbind(universe: &Universe, project: &str, dice: &mut Dice) -> Act {
    let (cluster, namespace) = declared_at(project, dice);
    let name = Universe::name(&universe.bindings, dice);
    Act::delete::<NetworkBinding>("withdraw a declaration", cluster, Some(&namespace), &name)
}

fn interface(universe: &Universe, project: &str, dice: &mut Dice) -> Act {
    let [namespace, _] = Universe::routes(project);
    let name = format!("i{}", dice.below(4));
    if dice.hits(400) {
        let what = "remove an interface copy";
        return Act::delete::<NetworkInterface>(what, ClusterName::Hub, Some(&namespace), &name);
    }
    let (network, location) =
        (Universe::name(&universe.networks, dice), Universe::name(&universe.locations, dice));
    let labels = json!({labels::NETWORK_INTERFACE_PROJECTION: labels::TRUE, labels::LOCATION: location});
    let rest = json!({"metadata": {"labels": labels}, "spec": {"network": {"name": network}}});
    Act::create::<NetworkInterface>("publish an interface", ClusterName::Hub, Some(&namespace), &name, &rest)
}

fn on_networks(universe: &Universe, project: &str, dice: &mut Dice) -> Vec<Act> {
    let name = Universe::name(&universe.networks, dice);
    let here = Some(NAMESPACE);
    let edit = |change: Value| Act::patch::<Network>("edit a network", plane(project), here, &name, &change);
    let delete = || Act::delete::<Network>("delete a network", plane(project), here, &name);
    match dice.below(10) {
        0..4 => vec![edit(json!({"spec": {"mtu": 1300 + dice.below(1000)}}))],
        4..5 => {
            let families = if dice.hits(500) { json!(["IPv6"]) } else { json!(["IPv6", "IPv4"]) };
            vec![edit(json!({"spec": {"ipFamilies": families}}))]
        }
        5..8 => vec![network(project, &name)],
        8..9 => vec![delete()],
        _ => vec![delete(), network(project, &name)],
    }
}

fn on_locations(universe: &Universe, project: &str, dice: &mut Dice) -> Vec<Act> {
    let name = Universe::name(&universe.locations, dice);
    let says = |status: &str| {
        let condition = json!({"type": "Available", "status": status, "reason": "Drawn", "message": "drawn",
            "lastTransitionTime": "2026-01-01T00:00:00Z"});
        let change = json!({"status": {"conditions": [condition]}});
        Act::patch::<locations::Location>(
            "say whether a location is there",
            plane(project),
            None,
            &name,
            &change,
        )
        .of_status()
    };
    match dice.below(10) {
        0..5 => vec![location(project, &name)],
        5..7 => {
            vec![Act::delete::<locations::Location>("remove a location", plane(project), None, &name)]
        }
        7..8 => vec![says("False")],
        _ => vec![says("True")],
    }
}

fn on_routes(project: &str, dice: &mut Dice) -> Vec<Act> {
    let [_, second] = Universe::routes(project);
    let relabel = |value: Value| {
        let change = json!({"metadata": {"labels": {labels::UPSTREAM_NAMESPACE: value}}});
        Act::patch::<api::builtin::Namespace>(
            "lead a namespace elsewhere",
            ClusterName::Hub,
            None,
            &second,
            &change,
        )
    };
    match dice.below(4) {
        0 => vec![relabel(Value::Null)],
        1 => vec![relabel(json!("elsewhere"))],
        2 => vec![relabel(json!(NAMESPACE))],
        _ => vec![Act::delete::<api::builtin::Namespace>("delete a route", ClusterName::Hub, None, &second)],
    }
}

fn on_projects(name: &str, dice: &mut Dice) -> Vec<Act> {
    if dice.hits(300) {
        return vec![Act::delete::<resourcemanager::Project>(
            "delete a project",
            ClusterName::Core,
            None,
            name,
        )];
    }
    let [first, second] = Universe::routes(name);
    vec![project(name), route(name, &first), route(name, &second)]
}

/// Acts that reach into what the controllers keep.
pub(super) fn foreign(universe: &Universe, dice: &mut Dice) -> Vec<Act> {
    let project = Universe::name(&universe.projects, dice);
    let (network, location) =
        (Universe::name(&universe.networks, dice), Universe::name(&universe.locations, dice));
    let context = format!("{network}-{location}");
    let here = Some(NAMESPACE);
    let edit = |change: Value| {
        Act::patch::<NetworkContext>("reach into a context", plane(&project), here, &context, &change)
    };
    let act = match dice.below(10) {
        0 => Act::delete::<NetworkContext>("delete a context", plane(&project), here, &context),
        1 => edit(json!({"metadata": {"labels": {labels::NETWORK_UID: null}}})),
        2 => edit(json!({"metadata": {"ownerReferences": null}})),
        3 => edit(json!({"spec": {"mtu": 1300 + dice.below(100)}})),
        4 => edit(json!({"metadata": {"finalizers": [FOREIGN_FINALIZER]}})),
        5 => edit(json!({"metadata": {"finalizers": null}})),
        6 => edit(json!({"metadata": {"annotations": {annotation::UNCLAIMED_SINCE: "yesterday"}}})),
        7 => edit(json!({"metadata": {"annotations": {annotation::UNCLAIMED_SINCE: null}}})),
        8 => {
            let what = "strip a network of its finalizers";
            let change = json!({"metadata": {"finalizers": null}});
            Act::patch::<Network>(what, plane(&project), here, &network, &change)
        }
        _ => {
            let (cluster, namespace) = declared_at(&project, dice);
            let name = Universe::name(&universe.bindings, dice);
            let change = json!({"status": {"conditions": [], "networkContextRef": null}});
            Act::patch::<NetworkBinding>("wipe an answer", cluster, Some(&namespace), &name, &change)
                .of_status()
        }
    };
    vec![act]
}

/// Takes the foreign finalizers off again, so that everything can end, and what users wrote on what is not theirs.
#[must_use]
pub fn release(universe: &Universe) -> Vec<Act> {
    let mut acts = Vec::new();
    for project in &universe.projects {
        for network in &universe.networks {
            for location in &universe.locations {
                let change = json!({"metadata": {"finalizers": null, "annotations": {EDITED: null}}});
                let name = format!("{network}-{location}");
                let what = "let a context go";
                acts.push(Act::patch::<NetworkContext>(
                    what,
                    plane(project),
                    Some(NAMESPACE),
                    &name,
                    &change,
                ));
            }
        }
    }
    acts
}

/// What stands at the beginning.
#[must_use]
pub fn beginning(universe: &Universe) -> Vec<Act> {
    let mut acts = Vec::new();
    for name in &universe.projects {
        acts.push(project(name));
        acts.extend(Universe::routes(name).iter().map(|namespace| route(name, namespace)));
    }
    acts
}

/// A network and a location of one name in a project, and the project's route.
#[must_use]
pub fn fresh(project: &str, name: &str) -> Vec<Act> {
    vec![route_of(project), network(project, name), location(project, name)]
}

/// A declaration on the hub of the network in the location of that name.
#[must_use]
pub fn fresh_declaration(project: &str, name: &str) -> Act {
    let [namespace, _] = Universe::routes(project);
    declaration(ClusterName::Hub, &namespace, name, (name, name))
}

/// The first namespace of the hub that leads to a project.
#[must_use]
pub fn route_of(project: &str) -> Act {
    let [namespace, _] = Universe::routes(project);
    route(project, &namespace)
}

/// A declaration on the hub for every network in every location.
#[must_use]
pub fn declarations(universe: &Universe) -> Vec<Act> {
    let mut acts = Vec::new();
    for project in &universe.projects {
        let [route, _] = Universe::routes(project);
        for network in &universe.networks {
            for location in &universe.locations {
                acts.push(declaration(
                    ClusterName::Hub,
                    &route,
                    &format!("{network}-{location}"),
                    (network, location),
                ));
            }
        }
    }
    acts
}

/// What stands in the planes of projects, once they are there.
#[must_use]
pub fn furniture(universe: &Universe) -> Vec<Act> {
    let mut acts = Vec::new();
    for project in &universe.projects {
        acts.extend(universe.networks.iter().map(|name| network(project, name)));
        acts.extend(universe.locations.iter().map(|name| location(project, name)));
        acts.extend(copy(universe, project));
    }
    acts
}
