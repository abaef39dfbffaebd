//! Objects that scenarios write by hand.

use api::networking::{LocationBinding, Network, NetworkBinding, NetworkContext, NetworkInterface};
use api::{Kind, labels, locations, resourcemanager};
use serde_json::{Value, json};

fn body<K: Kind>(name: &str, rest: &Value) -> Value {
    let mut body = json!({
        "apiVersion": K::RESOURCE.api_version(),
        "kind": K::RESOURCE.kind,
        "metadata": { "name": name },
    });
    if let (Value::Object(body), Value::Object(rest)) = (&mut body, rest) {
        body.extend(rest.clone());
    }
    body
}

/// A Project.
#[must_use]
pub fn project(name: &str) -> Value {
    body::<resourcemanager::Project>(
        name,
        &json!({"spec": {"ownerRef": {"kind": "Organization", "name": "acme"}}}),
    )
}

/// A Location of the current group, as it is projected into a project.
#[must_use]
pub fn location(name: &str) -> Value {
    let topology = json!({labels::CITY_CODE: name.to_uppercase()});
    body::<locations::Location>(
        name,
        &json!({"spec": {"locationClassRef": {"name": "edge"}, "topology": topology}}),
    )
}

/// A location of the older group, as it is projected into a project.
#[must_use]
pub fn location_binding(name: &str) -> Value {
    body::<LocationBinding>(name, &json!({"spec": {"locationRef": {"name": name}}}))
}

/// A Network.
#[must_use]
pub fn network(name: &str, families: &[&str], mtu: i32) -> Value {
    body::<Network>(name, &json!({"spec": {"ipam": {"mode": "Auto"}, "ipFamilies": families, "mtu": mtu}}))
}

/// A binding of a network to a location.
#[must_use]
pub fn binding(name: &str, network: &str, location: &str, consumer: &str) -> Value {
    let consumer = json!({"apiGroup": "compute.datumapis.com", "kind": consumer, "name": name});
    body::<NetworkBinding>(
        name,
        &json!({"spec": {"network": {"name": network}, "location": {"name": location}, "consumer": consumer}}),
    )
}

/// A copy of a cell's interface on the hub.
#[must_use]
pub fn interface_copy(name: &str, network: &str, location: &str) -> Value {
    let mut copy = body::<NetworkInterface>(name, &json!({"spec": {"network": {"name": network}}}));
    copy["metadata"]["labels"] = json!({
        labels::NETWORK_INTERFACE_PROJECTION: labels::TRUE,
        labels::LOCATION: location,
    });
    copy
}

/// A copy of a context on the hub, as the replicator makes it (RP5).
#[must_use]
pub fn context_copy(context: &Value, upstream_cluster: &str) -> Value {
    let name = context.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let label = |key: &str| context.pointer(&format!("/metadata/labels/{}", key.replace('/', "~1"))).cloned();
    let mut copy = body::<NetworkContext>(name, &json!({"spec": context["spec"]}));
    copy["metadata"]["labels"] = json!({
        labels::UPSTREAM_CLUSTER_NAME: upstream_cluster,
        labels::UPSTREAM_GROUP: NetworkContext::RESOURCE.group,
        labels::UPSTREAM_KIND: NetworkContext::RESOURCE.kind,
        labels::UPSTREAM_NAME: name,
        labels::UPSTREAM_NAMESPACE: context["metadata"]["namespace"],
        labels::NETWORK: label(labels::NETWORK),
        labels::LOCATION: label(labels::LOCATION),
    });
    copy
}
