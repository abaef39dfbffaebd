//! HTTP/2 connections of one host, and the streams on them.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::rt::{Read, Write};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube_client::client::Body;
use tokio::sync::watch;
use tower::BoxError;

use super::ConnectionError;

/// Streams of ours on one connection, if the host allows as many; the default of kube-apiserver.
const STREAMS_MAX: usize = 100;
/// What one stream may have sent that nobody has read yet.
const STREAM_WINDOW: u32 = 256 * 1024;
/// The same for a connection: enough for all its streams, so that one that is not read does not stop the others.
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * 100;
/// A connection on which nothing comes is asked whether it lives this often, and must answer within the second time.
const PING: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));

/// Streams allowed before the host has told its settings.
const UNKNOWN: usize = 0;
/// How long a host may take to tell them.
const SETTINGS_TIMEOUT: Duration = Duration::from_secs(5);

/// One HTTP/2 connection.
pub(super) struct Lane {
    sender: SendRequest<Body>,
    used: Arc<AtomicUsize>,
    allowed: watch::Receiver<usize>,
}

impl Lane {
    /// Sets HTTP/2 up. How many streams the host allows is known when it has let the first one through.
    pub(super) async fn open<I>(io: I) -> Result<Self, BoxError>
    where
        I: Read + Write + Unpin + Send + 'static,
    {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .keep_alive_interval(PING.0)
            .keep_alive_timeout(PING.1)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .initial_max_send_streams(UNKNOWN);
        let (sender, mut connection) = builder.handshake(io).await?;
        let (allow, allowed) = watch::channel(UNKNOWN);
        tokio::spawn(std::future::poll_fn(move |context| {
            let polled = Pin::new(&mut connection).poll(context);
            let now = connection.current_max_send_streams();
            allow.send_if_modified(|allowed| std::mem::replace(allowed, now) != now);
            // Whoever has a stream on it learns of its end there.
            polled.map(|_| ())
        }));
        Ok(Self { sender, used: Arc::default(), allowed })
    }

    fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn has_room(&self) -> bool {
        self.used() < STREAMS_MAX.min(*self.allowed.borrow())
    }

    fn stream(&self) -> Stream {
        self.used.fetch_add(1, Ordering::Relaxed);
        Stream { sender: self.sender.clone(), used: Arc::clone(&self.used) }
    }
}

/// The right to one stream; given back when it is dropped.
pub(super) struct Stream {
    sender: SendRequest<Body>,
    used: Arc<AtomicUsize>,
}

impl Stream {
    pub(super) async fn send(
        &mut self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, TrySendError<Request<Body>>> {
        self.sender.try_send_request(request).await
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.used.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Connections of one host for one purpose.
pub(super) struct Lanes {
    open: Mutex<Vec<Lane>>,
    /// Held by whoever dials; says how many have dialled, and the last failure with the number of its attempt.
    dialling: tokio::sync::Mutex<Option<(u64, ConnectionError)>>,
    dialled: std::sync::atomic::AtomicU64,
    limit: Option<usize>,
}

impl Lanes {
    /// At most `limit` connections; then streams are shared beyond what the host allows, and wait.
    pub(super) fn new(limit: Option<usize>) -> Self {
        Self { open: Mutex::default(), dialling: tokio::sync::Mutex::default(), dialled: 0.into(), limit }
    }

    /// A stream, on a new connection if there is no room on another. `None` if the host does not speak HTTP/2.
    pub(super) async fn take<D, F>(&self, dial: D) -> Result<Option<Stream>, ConnectionError>
    where
        D: FnOnce() -> F,
        F: Future<Output = Result<Option<Lane>, ConnectionError>>,
    {
        let before = self.dialled.load(Ordering::Acquire);
        if let Some(stream) = self.on_open() {
            return Ok(Some(stream));
        }
        let mut failed = self.dialling.lock().await;
        if let Some(stream) = self.settled().await {
            return Ok(Some(stream));
        }
        // Who waited for somebody's attempt that failed has failed with it: attempts one after the other would take as
        // long as all of them together.
        if let Some((attempt, failure)) = failed.as_ref()
            && *attempt > before
        {
            return Err(failure.clone());
        }
        let dialled = dial().await;
        let attempt = self.dialled.fetch_add(1, Ordering::AcqRel) + 1;
        *failed = dialled.as_ref().err().map(|failure| (attempt, failure.clone()));
        let Some(lane) = dialled? else { return Ok(None) };
        let stream = lane.stream();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push(lane);
        Ok(Some(stream))
    }

    /// The same as [`Lanes::on_open`] once every connection has told how many streams it allows. One that does not tell is
    /// given up: whoever is on it has a deadline.
    async fn settled(&self) -> Option<Stream> {
        loop {
            if let Some(stream) = self.on_open() {
                return Some(stream);
            }
            let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let mut allowed = open()
                .iter()
                .map(|lane| lane.allowed.clone())
                .find(|allowed| *allowed.borrow() == UNKNOWN)?;
            let told = allowed.wait_for(|allowed| *allowed != UNKNOWN);
            if tokio::time::timeout(SETTINGS_TIMEOUT, told).await.is_err() {
                open().retain(|lane| *lane.allowed.borrow() != UNKNOWN);
            }
        }
    }

    /// A stream on a connection that is open, if one has room or no more may be opened.
    fn on_open(&self) -> Option<Stream> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|lane| !lane.sender.is_closed() && lane.allowed.has_changed().is_ok());
        let mut has_idle = false;
        open.retain(|lane| lane.used() > 0 || !std::mem::replace(&mut has_idle, true));
        let is_full = self.limit.is_some_and(|limit| open.len() >= limit);
        let room = open.iter().filter(|lane| is_full || lane.has_room());
        room.min_by_key(|lane| if is_full { lane.used() } else { 0 }).map(Lane::stream)
    }
}

/// A body that keeps its stream until it ends or is dropped.
pub(super) struct Held {
    body: Incoming,
    _stream: Option<Stream>,
}

impl Held {
    pub(super) fn new(body: Incoming, stream: Option<Stream>) -> Self {
        Self { body, _stream: stream }
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
