//! Whom an explanation is asked of: a running manager, or an engine here that reads the planes and never writes.

use std::time::Duration;

use api::ClusterName;
use engine::Explanation;
use engine::engine::Status;
use kube_client::{Client, Config};
use runtime::Handle;
use serde_json::Value;
use tokio::time::Instant;

use super::{ExplainError, Explained, Question};
use crate::commands::manager::Controllers;
use crate::planes::Connection;

/// How long the manager may take.
const ADMIN_DEADLINE: Duration = Duration::from_secs(10);
/// How often planes that do not say enough yet are asked again.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Asks the manager behind an admin endpoint.
pub(super) async fn ask_manager(question: &Question, address: &str) -> Result<Vec<Explained>, ExplainError> {
    let wrong = |problem: String| ExplainError::Address { address: address.to_owned(), problem };
    let uri: http::Uri = address
        .trim_end_matches('/')
        .parse()
        .map_err(|error: http::uri::InvalidUri| wrong(error.to_string()))?;
    if uri.scheme().is_none() || uri.host().is_none() {
        return Err(wrong("scheme or host is missing".to_owned()));
    }
    let client = Client::try_from(Config::new(uri)).map_err(|error| wrong(error.to_string()))?;
    let status = get(&client, "/status").await?;
    let clusters = status.get("clusters").and_then(Value::as_array).cloned().unwrap_or_default();
    let engaged = clusters.iter().filter_map(|cluster| cluster.get("cluster")?.as_str()?.parse().ok());
    let mut explained = Vec::new();
    for plane in asked(question, engaged) {
        let answer = get(&client, &path(question, &plane)).await?;
        let explanations = answer.as_array().cloned().unwrap_or_default();
        if !explanations.is_empty() {
            explained.push(Explained { plane, explanations });
        }
    }
    if explained.is_empty() {
        return Err(question.missing(&planes_text(question, &clusters)));
    }
    Ok(explained)
}

fn asked(question: &Question, engaged: impl Iterator<Item = ClusterName>) -> Vec<ClusterName> {
    match &question.plane {
        Some(plane) => vec![plane.clone()],
        None => engaged.collect(),
    }
}

/// The planes, with what keeps each from showing the object.
fn planes_text(question: &Question, clusters: &[Value]) -> Vec<String> {
    clusters.iter().filter_map(|cluster| plane_text(question, cluster)).collect()
}

fn plane_text(question: &Question, cluster: &Value) -> Option<String> {
    let name = cluster.get("cluster")?.as_str()?;
    if let Some(since) = cluster.get("unreachable_since").and_then(Value::as_str) {
        return Some(format!("{name} does not answer since {since}"));
    }
    let resource = question.kind.to_string();
    let kinds = cluster.get("kinds").and_then(Value::as_array);
    let kind = kinds.into_iter().flatten().find(|kind| kind["resource"] == resource.as_str());
    Some(match kind.and_then(|kind| kind["failing"][1].as_str()) {
        Some(failure) => format!("{name}: {resource}: {failure}"),
        None => name.to_owned(),
    })
}

fn path(question: &Question, plane: &ClusterName) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("cluster", &plane.to_string()).append_pair("kind", question.kind.kind);
    if let Some(namespace) = &question.object.namespace {
        query.append_pair("namespace", namespace.as_str());
    }
    query.append_pair("name", question.object.name.as_str());
    format!("/explain?{}", query.finish())
}

async fn get(client: &Client, path: &str) -> Result<Value, ExplainError> {
    let failed = |problem: String| ExplainError::Admin { path: path.to_owned(), problem };
    let answered = runtime::transport::get(client, path, ADMIN_DEADLINE)
        .await
        .map_err(|error| failed(error.to_string()))?;
    if answered.code != 200 {
        return Err(failed(format!("{}: {}", answered.code, String::from_utf8_lossy(&answered.body))));
    }
    serde_json::from_slice(&answered.body).map_err(|error| failed(error.to_string()))
}

/// Reads the planes here.
pub(super) async fn ask_planes(
    question: &Question,
    connection: Connection,
) -> Result<Vec<Explained>, ExplainError> {
    let controllers = Controllers::observe(connection);
    let explained = patiently(question, &controllers.handle).await;
    controllers.stop().await;
    explained
}

/// Asks until the answer leaves nothing open, or patience ends: a plane that is only slow must not look absent.
async fn patiently(question: &Question, handle: &Handle) -> Result<Vec<Explained>, ExplainError> {
    let end = Instant::now() + question.patience;
    loop {
        let status = handle.status().await?;
        let explained = ask(question, handle, &status).await?;
        let is_complete = !explained.is_empty()
            && *handle.idle().borrow()
            && !explained.iter().flat_map(|(_, explanations)| explanations).any(is_open);
        if is_complete || Instant::now() >= end {
            return finish(question, &status, explained);
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

type Answers = Vec<(ClusterName, Vec<Explanation>)>;

async fn ask(question: &Question, handle: &Handle, status: &Status) -> Result<Answers, ExplainError> {
    let engaged = status.clusters.iter().map(|cluster| cluster.cluster.clone());
    let mut answers = Vec::new();
    for plane in asked(question, engaged) {
        let explanations = handle.explain(plane.clone(), question.kind, question.object.clone()).await?;
        if !explanations.is_empty() {
            answers.push((plane, explanations));
        }
    }
    Ok(answers)
}

/// Whether some read of an explanation says nothing yet.
fn is_open(explanation: &Explanation) -> bool {
    explanation.reads.iter().any(|read| match read.said.as_str() {
        Some(said) => said.starts_with("unknown") || matches!(said, "Starting" | "NotEngaged"),
        None => false,
    })
}

fn finish(question: &Question, status: &Status, answers: Answers) -> Result<Vec<Explained>, ExplainError> {
    if answers.is_empty() {
        let clusters = serde_json::to_value(&status.clusters).unwrap_or_default();
        let clusters = clusters.as_array().map(Vec::as_slice).unwrap_or_default();
        return Err(question.missing(&planes_text(question, clusters)));
    }
    let value = |explanation: Explanation| serde_json::to_value(explanation).unwrap_or_default();
    let explained = |(plane, explanations): (ClusterName, Vec<Explanation>)| Explained {
        plane,
        explanations: explanations.into_iter().map(value).collect(),
    };
    Ok(answers.into_iter().map(explained).collect())
}
