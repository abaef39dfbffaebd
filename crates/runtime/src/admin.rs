//! The admin endpoint: `/livez`, `/readyz`, `/metrics`, `/status`, `/verdicts` and `/explain`.

use std::net::SocketAddr;

use api::{ClusterName, ObjectKey, ResourceKind};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use tokio::net::TcpListener;

use crate::driver::{Handle, Stopped};
use crate::metrics;

/// Which kinds can be explained by name.
pub type KindsByName = fn(&str) -> Option<ResourceKind>;

#[derive(Clone)]
struct Admin {
    handle: Handle,
    kinds: KindsByName,
}

/// What to explain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainQuery {
    cluster: String,
    kind: String,
    namespace: Option<String>,
    name: String,
}

/// The routes.
pub fn router(handle: Handle, kinds: KindsByName) -> Router {
    Router::new()
        .route("/livez", get(live))
        .route("/readyz", get(ready))
        .route("/metrics", get(scrape))
        .route("/status", get(status))
        .route("/verdicts", get(verdicts))
        .route("/explain", get(explain))
        .with_state(Admin { handle, kinds })
}

/// Serves until the future ends.
///
/// # Errors
/// If the socket fails.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    until: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(until).await
}

/// The address that was bound.
///
/// # Errors
/// If the socket is gone.
pub fn address(listener: &TcpListener) -> std::io::Result<SocketAddr> {
    listener.local_addr()
}

impl IntoResponse for Stopped {
    fn into_response(self) -> Response {
        (StatusCode::SERVICE_UNAVAILABLE, self.to_string()).into_response()
    }
}

/// Alive while the engine answers.
async fn live(State(admin): State<Admin>) -> Result<&'static str, Stopped> {
    admin.handle.status().await.map(|_| "ok")
}

/// Ready when every kind of every engaged plane has synced or said why not. One plane that is away harms nobody else.
async fn ready(State(admin): State<Admin>) -> Result<Response, Stopped> {
    let status = admin.handle.status().await?;
    let starting = status.clusters.iter().flat_map(|cluster| {
        let waiting = cluster.kinds.iter().filter(|kind| kind.state == "Starting");
        waiting.map(move |kind| format!("{} on {} has not been listed yet", kind.resource, cluster.cluster))
    });
    let mut waiting: Vec<String> = starting.collect();
    if status.clusters.is_empty() {
        waiting.push("no plane is engaged yet".to_owned());
    }
    if waiting.is_empty() {
        return Ok("ok".into_response());
    }
    Ok((StatusCode::SERVICE_UNAVAILABLE, waiting.join("\n")).into_response())
}

async fn scrape(State(admin): State<Admin>) -> Result<Response, Stopped> {
    let (counters, gauges) = admin.handle.scrape().await?;
    Ok(match metrics::text(counters, gauges) {
        Ok(text) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(axum::http::header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    })
}

async fn status(State(admin): State<Admin>) -> Result<Response, Stopped> {
    Ok(Json(admin.handle.status().await?).into_response())
}

async fn verdicts(State(admin): State<Admin>) -> Result<Response, Stopped> {
    Ok(Json(admin.handle.verdicts().await?).into_response())
}

async fn explain(State(admin): State<Admin>, Query(query): Query<ExplainQuery>) -> Result<Response, Stopped> {
    let cluster = match query.cluster.parse::<ClusterName>() {
        Ok(cluster) => cluster,
        Err(error) => return Ok((StatusCode::BAD_REQUEST, error.to_string()).into_response()),
    };
    let Some(kind) = (admin.kinds)(&query.kind) else {
        let text = format!("\"{}\" is no kind that a controller keeps", query.kind);
        return Ok((StatusCode::BAD_REQUEST, text).into_response());
    };
    let key = ObjectKey { namespace: query.namespace.map(Into::into), name: query.name.into() };
    Ok(Json(admin.handle.explain(cluster, kind, key).await?).into_response())
}
