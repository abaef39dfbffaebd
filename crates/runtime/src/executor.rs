//! The only place that writes: sends steps as the engine made them and hands the answers back.

use std::time::Duration;

use engine::answer::StatusBody;
use engine::{Answer, FenceAnswer, Method, Request as StepRequest};
use http::{Request, header};
use kube_client::client::Body;
use reconcile::KindEntry;
use serde::Deserialize;

use crate::cluster::Clusters;
use crate::transport::{self, TransportError};

/// How long a fence may take.
const FENCE_DEADLINE: Duration = Duration::from_secs(10);

/// Sends one step.
pub async fn execute(clusters: &Clusters, step: StepRequest) -> Answer {
    let kind = step.kind;
    match send(clusters, step).await {
        Ok(answered) => Answer::read(answered.code, &answered.body, kind, answered.date),
        Err(error) => Answer::Lost { message: error.to_string() },
    }
}

async fn send(clusters: &Clusters, step: StepRequest) -> Result<transport::Answered, TransportError> {
    let client = clusters.client(&step.cluster).ok_or(TransportError::NotEngaged)?;
    let method = match step.method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
        Method::Put => http::Method::PUT,
        Method::Patch => http::Method::PATCH,
        Method::Delete => http::Method::DELETE,
    };
    let request = Request::builder()
        .method(method)
        .uri(step.path)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, step.content_type)
        .body(Body::from(step.body))?;
    transport::send(&client, request, step.timeout).await
}

#[derive(Deserialize)]
struct ListHead {
    metadata: ListMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
}

/// Sends the `limit=1` list of a fence. It asks for no particular version, so no cache may answer it.
pub async fn fence(clusters: &Clusters, cluster: &api::ClusterName, kind: &'static KindEntry) -> FenceAnswer {
    let Some(client) = clusters.client(cluster) else {
        return FenceAnswer::Failed(TransportError::NotEngaged.to_string());
    };
    let path = format!("{}?limit=1", engine::request::collection_path(kind.resource, None));
    match transport::get(&client, &path, FENCE_DEADLINE).await {
        Ok(answered) if answered.code == 200 => match serde_json::from_slice::<ListHead>(&answered.body) {
            Ok(head) => {
                FenceAnswer::At { version: head.metadata.resource_version, server_time: answered.date }
            }
            Err(error) => FenceAnswer::Failed(format!("the list does not decode: {error}")),
        },
        Ok(answered) => FenceAnswer::Failed(status_text(&answered.body)),
        Err(error) => FenceAnswer::Failed(error.to_string()),
    }
}

/// The words of a Status, or the body as text.
#[must_use]
pub fn status_text(body: &[u8]) -> String {
    match serde_json::from_slice::<StatusBody>(body) {
        Ok(status) if !status.message.is_empty() => status.message,
        _ => String::from_utf8_lossy(body).into_owned(),
    }
}
