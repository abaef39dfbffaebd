//! Takes away what the scenario before left.

use std::time::Duration;

use api::cluster::ClusterRole;
use api::{Scope, crd};
use http::{Request, header};
use kube_client::client::Body;
use kube_client::{Client, Config};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(20);
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
    for entry in crd::for_plane(role) {
        let collection = engine::request::collection_path(entry.resource, None);
        let (_, list) = send(&client, "GET", &collection, "").await;
        for object in list["items"].as_array().into_iter().flatten() {
            let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str);
            let namespace = namespace.filter(|_| entry.resource.scope == Scope::Namespaced);
            let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let path = format!("{}/{name}", engine::request::collection_path(entry.resource, namespace));
            send(&client, "PATCH", &path, &json!({"metadata": {"finalizers": null}}).to_string()).await;
            send(&client, "DELETE", &path, "").await;
        }
    }
    send(
        &client,
        "DELETE",
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/6a7d51cc.datumapis.com",
        "",
    )
    .await;
    let singleton =
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/6a7d51cc.datumapis.com-singleton";
    send(&client, "DELETE", singleton, "").await;
    send(&client, "DELETE", "/apis/events.k8s.io/v1/namespaces/default/events", "").await;
    sweep_namespaces(&client).await;
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
