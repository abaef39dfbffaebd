//! Pages and watches: decodes what the server sends on this task's thread and hands it to the engine.

use std::fmt::Write;
use std::time::Duration;

use api::ClusterName;
use engine::{Epoch, Failure, Input, Page, StoreId, Watched};
use http::Request;
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use reconcile::KindEntry;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::driver::Command;
use crate::executor::status_text;
use crate::transport::{self, TransportError};

/// How long a page may take.
const PAGE_DEADLINE: Duration = Duration::from_secs(30);
/// How long a watch may take to open.
const OPEN_DEADLINE: Duration = Duration::from_secs(30);
/// How much longer than it was asked for a watch may run before it counts as hung.
const WATCH_MARGIN: Duration = Duration::from_secs(15);

/// What to list or watch.
#[derive(Clone, Debug)]
pub struct Source {
    /// Goes back with every answer.
    pub store: StoreId,
    /// Goes back with every answer.
    pub epoch: Epoch,
    /// The plane.
    pub cluster: ClusterName,
    /// The kind.
    pub kind: &'static KindEntry,
}

#[derive(Deserialize)]
struct ListBody<'a> {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListMeta {
    resource_version: String,
    r#continue: String,
}

/// Fetches one page.
///
/// # Errors
/// Why there is none; a refusal is one too.
pub async fn page(
    client: Option<Client>,
    source: &Source,
    limit: u32,
    token: Option<&str>,
) -> Result<Page, Failure> {
    let client = client.ok_or_else(|| Failure::Unreachable(TransportError::NotEngaged.to_string()))?;
    let mut path = format!("{}?limit={limit}", engine::request::collection_path(source.kind.resource, None));
    if let Some(token) = token {
        path.push_str("&continue=");
        path.push_str(&encoded(token));
    }
    let answered =
        transport::get(&client, &path, PAGE_DEADLINE).await.map_err(|error| unreachable(&error))?;
    if answered.code != 200 {
        return Err(refused(answered.code, &answered.body));
    }
    let body: ListBody<'_> = serde_json::from_slice(&answered.body)
        .map_err(|error| Failure::Other(format!("the list does not decode: {error}")))?;
    let items = body.items.unwrap_or_default();
    let objects = items.into_iter().map(|item| (source.kind.decode)(item.get().as_bytes())).collect();
    let continue_token = (!body.metadata.r#continue.is_empty()).then_some(body.metadata.r#continue);
    Ok(Page { objects, continue_token, version: body.metadata.resource_version })
}

#[derive(Deserialize)]
struct EventBody<'a> {
    r#type: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Watches until the server ends it; events go to the engine as they come.
pub async fn watch(
    client: Option<Client>,
    source: &Source,
    from: &str,
    timeout_seconds: u64,
    inputs: &mpsc::Sender<Command>,
) -> Failure {
    let Some(client) = client else { return Failure::Unreachable(TransportError::NotEngaged.to_string()) };
    let path = format!(
        "{}?watch=true&allowWatchBookmarks=true&resourceVersion={from}&timeoutSeconds={timeout_seconds}",
        engine::request::collection_path(source.kind.resource, None)
    );
    let limit = Duration::from_secs(timeout_seconds) + WATCH_MARGIN;
    match tokio::time::timeout(limit, stream(&client, &path, source, inputs)).await {
        Ok(failure) => failure,
        Err(_) => Failure::Unreachable(format!("the watch hung for {limit:?}")),
    }
}

async fn stream(client: &Client, path: &str, source: &Source, inputs: &mpsc::Sender<Command>) -> Failure {
    let request =
        match Request::get(path).header(http::header::ACCEPT, "application/json").body(Body::empty()) {
            Ok(request) => request,
            Err(error) => return Failure::Other(error.to_string()),
        };
    let opened = tokio::time::timeout(OPEN_DEADLINE, transport::open(client, request)).await;
    let response = match opened {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return unreachable(&error),
        Err(_) => return Failure::Unreachable(format!("the watch did not open within {OPEN_DEADLINE:?}")),
    };
    let code = response.status().as_u16();
    let mut body = response.into_body();
    if code != 200 {
        let bytes = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        return refused(code, &bytes);
    }
    let mut pending: Vec<u8> = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = match frame.map(http_body::Frame::into_data) {
            Ok(Ok(data)) => data,
            Ok(Err(_)) => continue,
            Err(error) => return Failure::Unreachable(format!("the watch broke off: {error}")),
        };
        pending.extend_from_slice(&data);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            match event(&line, source.kind) {
                Ok(Some(event)) => {
                    let input = Input::Watched(source.store, source.epoch, event);
                    if inputs.send(Command::Input(input)).await.is_err() {
                        return Failure::Ended;
                    }
                }
                Ok(None) => {}
                Err(failure) => return failure,
            }
        }
    }
    Failure::Ended
}

/// One line of a watch.
fn event(line: &[u8], kind: &'static KindEntry) -> Result<Option<Watched>, Failure> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let body: EventBody<'_> = serde_json::from_slice(line)
        .map_err(|error| Failure::Other(format!("an event does not decode: {error}")))?;
    let bytes = body.object.get().as_bytes();
    let object = || (kind.decode)(bytes);
    match body.r#type.as_str() {
        "ADDED" | "MODIFIED" => Ok(Some(Watched::Applied(object()))),
        "DELETED" => Ok(Some(Watched::Deleted(object()))),
        "BOOKMARK" => Ok(Some(Watched::Bookmark(object().meta.version.as_str().to_owned()))),
        _ => Err(error_event(bytes)),
    }
}

fn error_event(bytes: &[u8]) -> Failure {
    #[derive(Deserialize)]
    struct Coded {
        code: Option<u16>,
    }
    let code = serde_json::from_slice::<Coded>(bytes).ok().and_then(|coded| coded.code).unwrap_or(500);
    refused(code, bytes)
}

fn unreachable(error: &TransportError) -> Failure {
    Failure::Unreachable(error.to_string())
}

/// What a code other than 200 means for a list or watch.
fn refused(code: u16, body: &[u8]) -> Failure {
    let text = status_text(body);
    match code {
        410 => Failure::Gone,
        401 | 403 => Failure::Forbidden(text),
        404 => Failure::NotServed,
        502..=504 => Failure::Unreachable(text),
        _ => Failure::Other(format!("{code}: {text}")),
    }
}

/// Percent-encodes everything that is not unreserved (RFC 3986).
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
