//! What the servers allow: creates and status applies a second of a bare client, with no controller running.

use std::time::Instant;

use api::networking::NetworkContext;
use api::{Kind, labels};
use futures::stream::{self, StreamExt};
use kube_client::Client;
use serde_json::{Value, json};

use crate::load::{self, LoadError};

/// Objects that are made and applied to.
const OBJECTS: usize = 1000;

/// Requests a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ceiling {
    pub(crate) creates: f64,
    pub(crate) applies: f64,
}

impl Ceiling {
    /// Presences a second if nothing but the servers took time: two creates each (its binding and its context), and the rest of
    /// its writes as applies.
    pub(crate) fn presences(&self, writes_per_presence: f64) -> f64 {
        1.0 / (2.0 / self.creates + (writes_per_presence - 1.0) / self.applies)
    }
}

/// Measures on one plane, and takes away what it made.
pub(crate) async fn measure(client: &Client, clients: usize) -> Result<Ceiling, LoadError> {
    let creates = rate(clients, |number| {
        let body = context(number);
        async move { load::create(client, NetworkContext::RESOURCE, Some("default"), &body).await }
    })
    .await?;
    let applies = rate(clients, |number| async move {
        let path = format!("{}/status?fieldManager=bench&force=true", path(number));
        load::send(client, "APPLY", &path, &status(number)).await
    })
    .await?;
    rate(clients, |number| async move { load::send(client, "DELETE", &path(number), &Value::Null).await })
        .await?;
    Ok(Ceiling { creates, applies })
}

async fn rate<F, R>(clients: usize, request: F) -> Result<f64, LoadError>
where
    F: Fn(usize) -> R,
    R: Future<Output = Result<(), LoadError>>,
{
    let started = Instant::now();
    let results: Vec<_> = stream::iter(0..OBJECTS).map(request).buffer_unordered(clients).collect().await;
    results.into_iter().collect::<Result<(), _>>()?;
    Ok(crate::presence::ratio(OBJECTS, started.elapsed().as_secs_f64()))
}

fn path(number: usize) -> String {
    format!(
        "{}/ceiling-{number}",
        engine::request::collection_path(NetworkContext::RESOURCE, Some("default"))
    )
}

/// A context of the size a presence has; labelled as a copy, which no controller looks at.
fn context(number: usize) -> Value {
    let labels = json!({labels::UPSTREAM_NAME: "ceiling", labels::UPSTREAM_NAMESPACE: "default",
        labels::UPSTREAM_CLUSTER_NAME: "cluster-bench", labels::NETWORK: "ceiling", labels::LOCATION: "ceiling"});
    json!({
        "apiVersion": NetworkContext::RESOURCE.api_version(),
        "kind": NetworkContext::RESOURCE.kind,
        "metadata": {"name": format!("ceiling-{number}"), "labels": labels},
        "spec": {"network": {"name": "ceiling"}, "location": {"name": "ceiling"}, "ipFamilies": ["IPv6"], "mtu": 1460},
    })
}

fn status(number: usize) -> Value {
    let condition = json!({"type": "Ready", "status": "True", "reason": "Ready", "message": "applied by a bare client",
        "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1});
    json!({
        "apiVersion": NetworkContext::RESOURCE.api_version(),
        "kind": NetworkContext::RESOURCE.kind,
        "metadata": {"name": format!("ceiling-{number}"), "namespace": "default"},
        "status": {"conditions": [condition]},
    })
}
