//! The only place that writes: sends steps as the engine made them and hands the answers back.

use std::time::Duration;

use engine::{Answer, FenceAnswer, LeaseAnswer, LeasePlace, LeaseWant, Method, Request as StepRequest, wire};
use http::{Request, header};
use kube_client::client::Body;
use reconcile::KindEntry;

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

/// Sends the `limit=1` list of a fence.
pub async fn fence(clusters: &Clusters, cluster: &api::ClusterName, kind: &'static KindEntry) -> FenceAnswer {
    let Some(client) = clusters.client(cluster) else {
        return FenceAnswer::Failed(TransportError::NotEngaged.to_string());
    };
    match transport::get(&client, &wire::fence_path(kind), FENCE_DEADLINE).await {
        Ok(answered) => wire::read_fence(answered.code, &answered.body, answered.date),
        Err(error) => FenceAnswer::Failed(error.to_string()),
    }
}

/// Does what a lease wants.
pub async fn lease(clusters: &Clusters, place: &LeasePlace, want: &LeaseWant) -> LeaseAnswer {
    match send(clusters, place.request(want)).await {
        Ok(answered) => place.read(answered.code, &answered.body),
        Err(error) => place.failed(&error.to_string()),
    }
}
