//! Reads and writes one Lease for the engine's lease machine.

use std::time::Duration;

use api::{ClusterName, NamespaceName, ObjectName};
use engine::{LeaseAnswer, LeaseRecord, LeaseWant};
use http::{Request, header};
use jiff::Timestamp;
use kube_client::client::Body;
use serde_json::{Value, json};

use crate::cluster::Clusters;
use crate::executor::status_text;
use crate::transport::{self, TransportError};

/// How long one lease request may take; well below the renew deadline.
const LEASE_DEADLINE: Duration = Duration::from_secs(4);

/// Where a Lease lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasePlace {
    /// The management plane.
    pub cluster: ClusterName,
    /// Namespace.
    pub namespace: NamespaceName,
    /// Name.
    pub name: ObjectName,
}

impl LeasePlace {
    fn collection(&self) -> String {
        format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace)
    }
}

/// Does what the lease wants.
pub async fn serve(clusters: &Clusters, place: &LeasePlace, want: LeaseWant) -> LeaseAnswer {
    match try_serve(clusters, place, want).await {
        Ok(answer) => answer,
        Err(error) => LeaseAnswer::Failed(format!("Lease {} on {}: {error}", place.name, place.cluster)),
    }
}

async fn try_serve(
    clusters: &Clusters,
    place: &LeasePlace,
    want: LeaseWant,
) -> Result<LeaseAnswer, TransportError> {
    let client = clusters.client(&place.cluster).ok_or(TransportError::NotEngaged)?;
    let object = format!("{}/{}", place.collection(), place.name);
    let answered = match want {
        LeaseWant::Read => transport::get(&client, &object, LEASE_DEADLINE).await?,
        LeaseWant::Write(record) => {
            let (method, path) = match record.version.as_str() {
                "" => (http::Method::POST, place.collection()),
                _ => (http::Method::PUT, object),
            };
            let body = Body::from(body_of(place, &record).to_string().into_bytes());
            let request =
                Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
            transport::send(&client, request.body(body)?, LEASE_DEADLINE).await?
        }
    };
    Ok(match answered.code {
        200 | 201 => match serde_json::from_slice::<Value>(&answered.body) {
            Ok(lease) => LeaseAnswer::Record(record_of(&lease)),
            Err(error) => LeaseAnswer::Failed(format!("Lease {} does not decode: {error}", place.name)),
        },
        404 if is_missing_lease(&answered.body) => LeaseAnswer::Missing,
        409 => LeaseAnswer::Conflict,
        code => LeaseAnswer::Failed(format!(
            "Lease {}/{} on {}: {code}: {}",
            place.namespace,
            place.name,
            place.cluster,
            status_text(&answered.body)
        )),
    })
}

/// A 404 that names the Lease; one that names the namespace or no object is a failure.
fn is_missing_lease(body: &[u8]) -> bool {
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    status.pointer("/details/kind").and_then(Value::as_str) == Some("leases")
}

fn body_of(place: &LeasePlace, record: &LeaseRecord) -> Value {
    let micro = |time: Option<Timestamp>| time.map(|time| format!("{time:.6}"));
    let mut metadata = json!({"name": place.name, "namespace": place.namespace});
    if !record.version.is_empty() {
        metadata["resourceVersion"] = record.version.as_str().into();
    }
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": metadata,
        "spec": {
            "holderIdentity": record.holder,
            "leaseDurationSeconds": record.duration_seconds.max(1),
            "acquireTime": micro(record.acquired),
            "renewTime": micro(record.renewed),
            "leaseTransitions": record.transitions,
        },
    })
}

fn record_of(lease: &Value) -> LeaseRecord {
    let text = |pointer| lease.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let number = |pointer| lease.pointer(pointer).and_then(Value::as_i64).unwrap_or_default();
    LeaseRecord {
        version: text("/metadata/resourceVersion").to_owned(),
        holder: text("/spec/holderIdentity").to_owned(),
        duration_seconds: number("/spec/leaseDurationSeconds"),
        acquired: text("/spec/acquireTime").parse().ok(),
        renewed: text("/spec/renewTime").parse().ok(),
        transitions: number("/spec/leaseTransitions"),
    }
}
