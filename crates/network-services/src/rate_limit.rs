//! `qps` and `burst` of a configured client, honoured when they are set.
//!
//! The generic cell rate algorithm: one number remembers when the bucket is full again.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use kube_client::Client;
use kube_client::client::Body;
use tokio::time::Instant;
use tower::Service;

use crate::configuration::ClientLimits;

/// A client that keeps within its limits; the same client where none are set.
pub(crate) fn limited(client: Client, limits: ClientLimits) -> Client {
    let Some(qps) = limits.qps else { return client };
    let burst = limits.burst.unwrap_or(1);
    let namespace = client.default_namespace().to_owned();
    let bucket = Arc::new(Mutex::new(Bucket::new(qps, burst)));
    Client::new(Limited { client, bucket }, namespace)
}

#[derive(Debug)]
struct Bucket {
    interval: Duration,
    tolerance: Duration,
    full_at: Option<Instant>,
}

impl Bucket {
    fn new(qps: f64, burst: u32) -> Self {
        let interval = Duration::from_secs_f64(1.0 / qps);
        Self { interval, tolerance: interval.saturating_mul(burst.saturating_sub(1)), full_at: None }
    }

    /// When a request that comes now may go.
    fn admit(&mut self, now: Instant) -> Instant {
        let full_at = self.full_at.map_or(now, |full_at| full_at.max(now));
        self.full_at = Some(full_at + self.interval);
        full_at.checked_sub(self.tolerance).map_or(now, |at| at.max(now))
    }
}

struct Limited {
    client: Client,
    bucket: Arc<Mutex<Bucket>>,
}

impl Service<Request<Body>> for Limited {
    type Response = Response<Body>;
    type Error = kube_client::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let (client, bucket) = (self.client.clone(), self.bucket.clone());
        Box::pin(async move {
            let at = bucket.lock().unwrap_or_else(PoisonError::into_inner).admit(Instant::now());
            tokio::time::sleep_until(at).await;
            client.send(request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_then_the_rate_holds() {
        let start = Instant::now();
        let mut bucket = Bucket::new(10.0, 3);
        let mut waits = || bucket.admit(start).duration_since(start).as_millis();
        assert_eq!([waits(), waits(), waits(), waits(), waits()], [0, 0, 0, 100, 200]);
    }

    #[test]
    fn a_bucket_fills_again_while_nothing_comes() {
        let start = Instant::now();
        let mut bucket = Bucket::new(10.0, 2);
        for _ in 0..3 {
            bucket.admit(start);
        }
        let later = start + Duration::from_secs(1);
        let mut waits = || bucket.admit(later).duration_since(later).as_millis();
        assert_eq!([waits(), waits(), waits()], [0, 0, 100]);
    }
}
