//! The server as a tower service, usable without any socket: `kube_client::Client::new(handle, "default")`.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};

use apiserver::Server;
use apiserver::identity::User;
use apiserver::limits::{BODY_BYTES_MAX, REQUESTS_IN_FLIGHT_MAX};
use apiserver::request::{Headers, Request, RequestId};
use apiserver::server::Response;
use apiserver::status::Failure;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body_util::BodyExt;
use jiff::Timestamp;
use tokio::sync::oneshot;

use crate::body::Body;
use crate::shell::{Answer, Message};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A way in. Clones are cheap; each clone may speak for another user.
#[derive(Clone, Debug)]
pub struct Handle {
    sender: Sender<Message>,
    /// Requests of all handles that are not answered yet.
    in_flight: Arc<AtomicUsize>,
    user: Option<Arc<User>>,
    /// When the user's certificate ends; a connection may last longer.
    until: Option<Timestamp>,
    /// Put before every path: the plane this handle is for.
    prefix: Arc<str>,
}

impl Handle {
    pub(crate) fn new(sender: Sender<Message>, in_flight: Arc<AtomicUsize>) -> Self {
        Self { sender, in_flight, user: None, until: None, prefix: Arc::from("") }
    }

    /// The same server for a user whom the caller vouches for.
    #[must_use]
    pub fn speaking_for(&self, user: User) -> Self {
        Self { user: Some(Arc::new(user)), until: None, ..self.clone() }
    }

    /// The same server for a user whom a certificate vouches for until it ends.
    pub(crate) fn speaking_until(&self, user: User, until: Timestamp) -> Self {
        Self { until: Some(until), ..self.speaking_for(user) }
    }

    fn identity(&self) -> Option<User> {
        let ended = self.until.is_some_and(|until| until < Timestamp::now());
        self.user.as_deref().filter(|_| !ended).cloned()
    }

    /// The same server seen from a plane: paths begin below its prefix.
    #[must_use]
    pub fn at(&self, prefix: &str) -> Self {
        Self { prefix: prefix.trim_end_matches('/').into(), ..self.clone() }
    }

    /// Asks the server itself something; `None` when it has stopped.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Server) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        let question = Box::new(move |server: &Server| {
            // Nobody listens any more: nobody needs the answer.
            let _ = sender.send(question(server));
        });
        self.sender.send(Message::Ask(question)).ok()?;
        receiver.await.ok()
    }

    /// Names and path prefixes of the mounted planes; empty when the server has stopped.
    pub async fn planes(&self) -> Vec<(String, String)> {
        let list = |server: &Server| {
            server.mounted().map(|(name, prefix)| (name.to_owned(), prefix.to_owned())).collect()
        };
        self.ask(list).await.unwrap_or_default()
    }

    async fn call_inner<B>(self, request: http::Request<B>) -> http::Response<Body>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let Some(_place) = InFlight::enter(&self.in_flight) else {
            return whole(Response::from(Failure::too_many_requests()));
        };
        let (parts, body) = request.into_parts();
        let Some(body) = collect(body).await else {
            return whole(Response::from(Failure::bad_request("the request body could not be read")));
        };
        let id = RequestId(NEXT.fetch_add(1, Ordering::Relaxed));
        let request = Request {
            id,
            method: parts.method.as_str().to_owned(),
            path: format!("{}{}", self.prefix, parts.uri.path()),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: headers(&parts.headers),
            body,
            identity: self.identity(),
        };
        let (sender, receiver) = oneshot::channel();
        let cancel = CancelOnDrop { id, sender: Some(self.sender.clone()) };
        if self.sender.send(Message::Request(Box::new(request), sender)).is_err() {
            return whole(stopped());
        }
        match receiver.await {
            Ok(Answer::Whole(response)) => {
                cancel.done();
                whole(response)
            }
            Ok(Answer::Stream { content_type, frames, waiting }) => {
                head(200, content_type).body(Body::stream(frames, waiting, cancel)).unwrap_or_default()
            }
            Err(_) => whole(stopped()),
        }
    }
}

/// A place among the requests under way; a body that is still being read counts too, since it takes memory.
struct InFlight(Arc<AtomicUsize>);

impl InFlight {
    fn enter(count: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(count.clone());
        (count.fetch_add(1, Ordering::Relaxed) < REQUESTS_IN_FLIGHT_MAX).then_some(place)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::whole(Bytes::new())
    }
}

fn stopped() -> Response {
    Response::from(Failure::new(503, "ServiceUnavailable", "the API server has stopped; start it again"))
}

/// Tells the server that a client has gone before it was answered, or has stopped reading.
#[derive(Debug)]
pub(crate) struct CancelOnDrop {
    id: RequestId,
    sender: Option<Sender<Message>>,
}

impl CancelOnDrop {
    fn done(mut self) {
        self.sender = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(sender) = self.sender.take() {
            // A server that has stopped needs no cancel.
            let _ = sender.send(Message::Cancel(self.id));
        }
    }
}

/// The body, or one byte more than the server takes, so that it refuses with its own words.
async fn collect<B: http_body::Body<Data = Bytes>>(body: B) -> Option<Bytes> {
    let mut body = std::pin::pin!(body);
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.ok()?;
        if let Some(data) = frame.data_ref() {
            whole.extend_from_slice(data);
        }
        if whole.len() > BODY_BYTES_MAX {
            whole.truncate(BODY_BYTES_MAX + 1);
            break;
        }
    }
    Some(whole.freeze())
}

fn headers(map: &HeaderMap) -> Headers {
    let texts = |name: &str| map.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    let text = |name: &str| texts(name).next().unwrap_or_default().to_owned();
    Headers {
        accept: texts("accept").collect::<Vec<_>>().join(","),
        content_type: text("content-type"),
        authorization: text("authorization"),
        user_agent: text("user-agent"),
        impersonate_user: text("impersonate-user"),
        impersonate_groups: texts("impersonate-group").map(str::to_owned).collect(),
    }
}

fn head(status: u16, content_type: &str) -> http::response::Builder {
    http::Response::builder()
        .status(status)
        .header("content-type", content_type)
        .header("cache-control", "no-cache, private")
}

fn whole(response: Response) -> http::Response<Body> {
    let mut built =
        head(response.status, response.content_type).body(Body::whole(response.body)).unwrap_or_default();
    for (name, value) in response.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(value.as_bytes())) {
            built.headers_mut().append(name, value);
        }
    }
    built
}

impl<B> tower::Service<http::Request<B>> for Handle
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let handle = self.clone();
        Box::pin(async move { Ok(handle.call_inner(request).await) })
    }
}
