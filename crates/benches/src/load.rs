//! The load: objects made by a number of clients at once, and a watch that sees when bindings turn Ready.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use api::networking::NetworkBinding;
use api::{Kind, ResourceKind};
use futures::stream::{self, StreamExt};
use http::{Request, header};
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::Value;

const DEADLINE: Duration = Duration::from_mins(1);

/// A request that was refused or not answered.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {why}")]
pub(crate) struct LoadError {
    what: String,
    why: String,
}

impl LoadError {
    pub(crate) fn new(what: String, why: String) -> Self {
        Self { what, why }
    }
}

/// Creates an object.
pub(crate) async fn create(
    client: &Client,
    kind: ResourceKind,
    namespace: Option<&str>,
    body: &Value,
) -> Result<(), LoadError> {
    let path = engine::request::collection_path(kind, namespace);
    send(client, "POST", &path, body).await
}

/// Sends a JSON body; a merge patch where the method is PATCH, a server-side apply where it is `APPLY`.
pub(crate) async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Result<(), LoadError> {
    let failed = |why: String| LoadError::new(format!("{method} {path}"), why);
    let (method, content) = match method {
        "PATCH" => ("PATCH", "application/merge-patch+json"),
        "APPLY" => ("PATCH", "application/apply-patch+yaml"),
        other => (other, "application/json"),
    };
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, content);
    let request = request.body(Body::from(bytes)).map_err(|error| failed(error.to_string()))?;
    let answered = runtime::transport::send(client, request, DEADLINE)
        .await
        .map_err(|error| failed(error.to_string()))?;
    match answered.code {
        200 | 201 => Ok(()),
        code => Err(failed(format!("{code}: {}", String::from_utf8_lossy(&answered.body)))),
    }
}

/// Creates many objects, `clients` at a time.
pub(crate) async fn create_all(
    client: &Client,
    kind: ResourceKind,
    namespace: Option<&str>,
    bodies: Vec<Value>,
    clients: usize,
) -> Result<(), LoadError> {
    let made = stream::iter(bodies).map(|body| async move { create(client, kind, namespace, &body).await });
    let results: Vec<Result<(), LoadError>> = made.buffer_unordered(clients).collect().await;
    results.into_iter().collect()
}

/// When each binding was seen Ready.
#[derive(Clone, Default)]
pub(crate) struct ReadyTimes(Arc<Mutex<BTreeMap<String, Instant>>>);

impl ReadyTimes {
    /// How many were seen.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// When one was seen.
    pub(crate) fn get(&self, name: &str) -> Option<Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }

    fn see(&self, line: &[u8]) {
        let now = Instant::now();
        let Ok(event) = serde_json::from_slice::<Value>(line) else { return };
        let conditions = event.pointer("/object/status/conditions").and_then(Value::as_array);
        let is_ready =
            conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True");
        if let (true, Some(name)) = (is_ready, event.pointer("/object/metadata/name").and_then(Value::as_str))
        {
            let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            times.entry(name.to_owned()).or_insert(now);
        }
    }
}

/// Watches the hub's bindings until the future is dropped. A watch that ends begins anew and tells the present state again.
pub(crate) async fn watch_ready(client: Client, times: ReadyTimes) {
    loop {
        match watch_once(&client, &times).await {
            Ok(()) => {
                eprintln!("the bench's watch of bindings ended after {} Ready; it begins anew", times.len());
            }
            Err(error) => eprintln!("{error}; it begins anew after {} Ready", times.len()),
        }
    }
}

async fn watch_once(client: &Client, times: &ReadyTimes) -> Result<(), LoadError> {
    watch_lines(client, NetworkBinding::RESOURCE, |line| times.see(line)).await
}

/// Watches a kind in all namespaces from its present state on, until the server ends the watch; each event as its line.
pub(crate) async fn watch_lines(
    client: &Client,
    kind: ResourceKind,
    mut see: impl FnMut(&[u8]),
) -> Result<(), LoadError> {
    let collection = engine::request::collection_path(kind, None);
    let path = format!("{collection}?watch=true&timeoutSeconds=3600");
    let failed = |why: String| LoadError::new(format!("watch of {}", kind.plural), why);
    let request = Request::get(&path).body(Body::empty()).map_err(|error| failed(error.to_string()))?;
    let opened =
        runtime::transport::open(client, request).await.map_err(|error| failed(error.to_string()))?;
    let mut body = opened.into_body();
    let mut pending = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| failed(error.to_string()))?;
        let Ok(data) = frame.into_data() else { continue };
        pending.extend_from_slice(&data);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            see(&line);
        }
    }
    Ok(())
}
