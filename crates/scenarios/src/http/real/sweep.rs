//! Takes away what the scenario before left.

use std::collections::BTreeSet;
use std::time::Duration;

use api::cluster::ClusterRole;
use api::{ResourceKind, crd};
use futures::future::join_all;
use http::{Request, header};
use kube_client::client::Body;
use kube_client::{Client, Config};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(20);
/// Where the managers' leases are.
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/// Namespaces that every server has.
const KEPT: [&str; 4] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/// A client without retries.
pub(super) fn client(mut config: Config) -> Client {
    config.default_retry = false;
    config.read_timeout = None;
    Client::try_from(config).unwrap_or_else(|error| panic!("{error}"))
}

/// Sends a request and gives code and body.
pub(super) async fn send(client: &Client, method: &str, path: &str, body: &str) -> (u16, Value) {
    let content = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, content)
        .body(Body::from(body.as_bytes().to_vec()))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    let answered = runtime::transport::send(client, request, DEADLINE).await;
    let answered = answered.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    (answered.code, serde_json::from_slice(&answered.body).unwrap_or_default())
}

/// Removes every object of the plane's kinds, its leases, events and namespaces.
pub(super) async fn sweep(role: ClusterRole, config: Config) {
    let client = client(config);
    join_all(crd::for_plane(role).map(|entry| sweep_kind(&client, entry.resource))).await;
    let leases = roles::MANAGER_LEASES.map(|name| format!("{LEASES}/{name}"));
    join_all(leases.iter().map(|path| send(&client, "DELETE", path, ""))).await;
    sweep_events(&client).await;
    sweep_namespaces(&client).await;
}

/// Collections go as a whole; only what holds itself is looked at one by one.
async fn sweep_kind(client: &Client, resource: ResourceKind) {
    let collection = engine::request::collection_path(resource, None);
    let (_, list) = send(client, "GET", &collection, "").await;
    let objects = list["items"].as_array().cloned().unwrap_or_default();
    let is_held = |object: &&Value| object.pointer("/metadata/finalizers").is_some();
    let let_go = json!({"metadata": {"finalizers": null}}).to_string();
    for object in objects.iter().filter(is_held) {
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let path = engine::request::collection_path(resource, namespace_of(object));
        send(client, "PATCH", &format!("{path}/{name}"), &let_go).await;
    }
    let places: BTreeSet<Option<&str>> = objects.iter().map(namespace_of).collect();
    for namespace in places {
        let path = engine::request::collection_path(resource, namespace);
        let (code, body) = send(client, "DELETE", &path, "").await;
        assert_eq!(code, 200, "DELETE {path}: {body}");
    }
}

fn namespace_of(object: &Value) -> Option<&str> {
    object.pointer("/metadata/namespace").and_then(Value::as_str)
}

async fn sweep_events(client: &Client) {
    send(client, "DELETE", "/apis/events.k8s.io/v1/namespaces/default/events", "").await;
}

/// No controller finalizes namespaces here, so this does.
async fn sweep_namespaces(client: &Client) {
    let (_, list) = send(client, "GET", "/api/v1/namespaces", "").await;
    for namespace in list["items"].as_array().into_iter().flatten() {
        let name = namespace.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        if KEPT.contains(&name) {
            continue;
        }
        let path = format!("/api/v1/namespaces/{name}");
        send(client, "DELETE", &path, "").await;
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}});
        send(client, "PUT", &format!("{path}/finalize"), &body.to_string()).await;
    }
}
