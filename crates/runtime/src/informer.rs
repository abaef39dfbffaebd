//! Pages and watches: decodes what the server sends on this task's thread and hands it to the engine.

use std::time::Duration;

use api::ClusterName;
use engine::{Epoch, Failure, Input, Page, StoreId, wire};
use http::Request;
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use reconcile::KindEntry;
use tokio::sync::mpsc;

use crate::driver::Command;
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
    let path = wire::page_path(source.kind, limit, token);
    let answered =
        transport::get(&client, &path, PAGE_DEADLINE).await.map_err(|error| unreachable(&error))?;
    wire::read_page(answered.code, &answered.body, source.kind)
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
    let path = wire::watch_path(source.kind, from, timeout_seconds);
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
        return wire::refused(code, &bytes);
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
            match wire::read_event(&line, source.kind) {
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

fn unreachable(error: &TransportError) -> Failure {
    Failure::Unreachable(error.to_string())
}
