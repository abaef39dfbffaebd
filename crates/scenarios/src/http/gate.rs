//! A gate in front of a client: while it is shut, requests stay on the wire, and a caller that gives up does not take them
//! back.

use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Request;
use kube_client::client::Body;
use tokio::sync::watch;
use tower::{BoxError, Layer, Service};

/// Puts the gate in front of a service.
#[derive(Clone, Debug)]
pub(super) struct GateLayer(pub(super) watch::Receiver<bool>);

/// See the module.
#[derive(Debug)]
pub(super) struct Gate<S> {
    inner: S,
    is_shut: watch::Receiver<bool>,
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate { inner, is_shut: self.0.clone() }
    }
}

impl<S> Service<Request<Body>> for Gate<S>
where
    S: Service<Request<Body>, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let mut is_shut = self.is_shut.clone();
        let sent = self.inner.call(request);
        let passed = tokio::spawn(async move {
            // An error means that nobody holds the gate any more.
            let _ = is_shut.wait_for(|is_shut| !*is_shut).await;
            sent.await
        });
        async move { passed.await.map_err(BoxError::from)? }.boxed()
    }
}
