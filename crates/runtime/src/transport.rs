//! One request with a deadline: bytes in, bytes out. No retry: whoever asked decides what a failure means.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::BodyExt;
use jiff::Timestamp;
use kube_client::Client;
use kube_client::client::Body;
use thiserror::Error;

/// What kept a request from being answered.
#[derive(Debug, Error)]
pub enum TransportError {
    /// The deadline passed.
    #[error("no answer within {0:?}")]
    Deadline(Duration),
    /// The request could not be made.
    #[error("the request cannot be built: {0}")]
    Build(#[from] http::Error),
    /// The connection failed.
    #[error("{}", whole(.0))]
    Connection(#[source] Box<kube_client::Error>),
    /// The body broke off.
    #[error("the answer broke off: {}", whole(.0))]
    Body(#[source] Box<kube_client::Error>),
    /// No provider has engaged the cluster.
    #[error("the plane is not engaged")]
    NotEngaged,
}

/// An error with its causes, each said once: the outermost alone is often only "client error (Connect)", and whether a
/// port is closed or a certificate has expired is what somebody can act on.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// HTTP code.
    pub code: u16,
    /// Body.
    pub body: Bytes,
    /// `Date` header, if it is one.
    pub date: Option<Timestamp>,
}

/// Sends a GET.
///
/// # Errors
/// Whatever kept it from being answered in time.
pub async fn get(client: &Client, path: &str, deadline: Duration) -> Result<Answered, TransportError> {
    let request = Request::get(path).header(header::ACCEPT, "application/json").body(Body::empty())?;
    send(client, request, deadline).await
}

/// Sends a request and takes the whole answer in.
///
/// # Errors
/// Whatever kept it from being answered in time.
pub async fn send(
    client: &Client,
    request: Request<Body>,
    deadline: Duration,
) -> Result<Answered, TransportError> {
    let exchange = async {
        let response = open(client, request).await?;
        let date = date(&response);
        let code = response.status().as_u16();
        let body =
            response.into_body().collect().await.map_err(|error| TransportError::Body(Box::new(error)))?;
        Ok(Answered { code, body: body.to_bytes(), date })
    };
    tokio::time::timeout(deadline, exchange).await.map_err(|_| TransportError::Deadline(deadline))?
}

/// Sends a request and gives the answer with its body still streaming.
///
/// # Errors
/// The connection's failure.
pub async fn open(client: &Client, request: Request<Body>) -> Result<Response<Body>, TransportError> {
    client.send(request).await.map_err(|error| TransportError::Connection(Box::new(error)))
}

fn date<B>(response: &Response<B>) -> Option<Timestamp> {
    let text = response.headers().get(header::DATE)?.to_str().ok()?;
    jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp())
}
