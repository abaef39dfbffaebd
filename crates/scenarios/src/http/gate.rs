//! A gate in front of a client: while it is shut, requests stay on the wire, and a caller that gives up does not take them
//! back. How many came too late for their callers and are not answered yet is counted.

use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::Request;
use kube_client::client::Body;
use tokio::sync::watch;
use tower::{BoxError, Layer, Service};

/// Requests that were held and are not answered yet.
#[derive(Clone, Debug)]
pub(super) struct Late(watch::Sender<usize>);

impl Default for Late {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Late {
    /// Returns when every request that was held has been answered.
    pub(super) async fn all_answered(&self) {
        // This holds a sender, so there is no error.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// One held request.
struct Held(Late);

impl Held {
    fn new(late: Late) -> Self {
        late.0.send_modify(|count| *count += 1);
        Self(late)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// Puts the gate in front of a service.
#[derive(Clone, Debug)]
pub(super) struct GateLayer {
    pub(super) is_shut: watch::Receiver<bool>,
    pub(super) late: Late,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Gate<S> {
    inner: S,
    layer: GateLayer,
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate { inner, layer: self.clone() }
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
        let GateLayer { mut is_shut, late } = self.layer.clone();
        let sent = self.inner.call(request);
        let held = is_shut.borrow().then(|| Held::new(late));
        let passed = tokio::spawn(async move {
            let _held = held;
            // An error means that nobody holds the gate any more.
            let _ = is_shut.wait_for(|is_shut| !*is_shut).await;
            sent.await
        });
        async move { passed.await.map_err(BoxError::from)? }.boxed()
    }
}
