//! One host: how it is dialled, what it speaks, and which connection a request takes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use api::ClusterName;
use http::{Request, Response, Uri};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kube_client::Config;
use kube_client::client::{Body, ConfigExt};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tower::{BoxError, Service};
use tracing::warn;

use super::ConnectionError;
use super::lane::{Held, Lane, Lanes};
use super::purpose::Purpose;
use super::spoken::{BELIEVED, Spoken};
use crate::clock::Clock;
use crate::provider::ProviderError;

/// How long a connection may take until it can be used.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections for reads, and as many for writes: such requests end, so what finds no stream free waits a moment.
const REQUEST_CONNECTIONS: usize = 4;
/// Connections for leases: a process has a few of them.
const LEASE_CONNECTIONS: usize = 1;
/// How often a request that never left is put on another connection: the server had just closed the one it was to take.
const ATTEMPTS: usize = 3;

type Io = MaybeHttpsStream<TokioIo<TcpStream>>;

/// Dials within a time.
#[derive(Clone)]
pub(super) struct Dialer(HttpsConnector<HttpConnector>);

/// One host, as some clients reach it.
pub(super) struct Host {
    uri: Uri,
    dialer: Dialer,
    http1: legacy::Client<Dialer, Body>,
    clock: Clock,
    spoken: Spoken,
    watches: Lanes,
    reads: Lanes,
    writes: Lanes,
    leases: Lanes,
}

impl Service<Uri> for Dialer {
    type Response = Io;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Io, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dialling = self.0.call(uri);
        Box::pin(async move {
            let late = |_| BoxError::from(format!("not connected within {CONNECT_TIMEOUT:?}"));
            tokio::time::timeout(CONNECT_TIMEOUT, dialling).await.map_err(late)?
        })
    }
}

impl Host {
    pub(super) fn new(cluster: &ClusterName, config: &Config) -> Result<Self, ProviderError> {
        let http1 = dialer(cluster, config, false)?;
        Ok(Self {
            uri: config.cluster_url.clone(),
            dialer: dialer(cluster, config, true)?,
            http1: legacy::Client::builder(TokioExecutor::new()).build(http1),
            clock: Clock::start(),
            spoken: Spoken::of(config.cluster_url.scheme_str()),
            watches: Lanes::new(None),
            reads: Lanes::new(Some(REQUEST_CONNECTIONS)),
            writes: Lanes::new(Some(REQUEST_CONNECTIONS)),
            leases: Lanes::new(Some(LEASE_CONNECTIONS)),
        })
    }

    fn lanes(&self, purpose: Purpose) -> &Lanes {
        match purpose {
            Purpose::Watch => &self.watches,
            Purpose::Read => &self.reads,
            Purpose::Write => &self.writes,
            Purpose::Lease => &self.leases,
        }
    }

    /// Sends a request; `now` is monotonic and says whether the host is asked again what it speaks.
    pub(super) async fn send(
        &self,
        mut request: Request<Body>,
        now: Duration,
    ) -> Result<Response<Held>, ConnectionError> {
        let lanes = self.lanes(Purpose::of(&request));
        for attempt in 1.. {
            if self.spoken.is_http1(now) {
                break;
            }
            let Some(mut stream) = lanes.take(|| self.dial(now)).await? else { break };
            match stream.send(request).await {
                Ok(response) => return Ok(response.map(|body| Held::new(body, Some(stream)))),
                Err(mut failure) => match failure.take_message() {
                    Some(unsent) if attempt < ATTEMPTS => request = unsent,
                    _ => return Err(self.broken(failure.into_error())),
                },
            }
        }
        let response = self.http1.request(request).await.map_err(|error| self.of_http1(error))?;
        Ok(response.map(|body| Held::new(body, None)))
    }

    /// A new connection; `None` if the host wants HTTP/1.1, which is believed for a while.
    async fn dial(&self, now: Duration) -> Result<Option<Lane>, ConnectionError> {
        // Somebody else may have heard it while this one waited for its turn.
        if self.spoken.is_http1(now) {
            return Ok(None);
        }
        let mut dialer = self.dialer.clone();
        let io = std::future::poll_fn(|context| dialer.poll_ready(context)).await;
        let io = match io {
            Ok(()) => dialer.call(self.uri.clone()).await,
            Err(error) => Err(error),
        };
        let io = io.map_err(|error| self.undialled(error))?;
        let is_http2 = io.connected().is_negotiated_h2();
        if self.spoken.hear(is_http2, now) {
            let host = self.name();
            warn!(
                host,
                "does not offer HTTP/2: every watch takes a connection; asked again every {BELIEVED:?}"
            );
        }
        if !is_http2 {
            return Ok(None);
        }
        Lane::open(io).await.map(Some).map_err(|error| self.undialled(error))
    }

    fn name(&self) -> String {
        self.uri.authority().map(ToString::to_string).unwrap_or_default()
    }

    fn undialled(&self, error: BoxError) -> ConnectionError {
        ConnectionError::Dial { host: self.name(), source: Arc::new(error) }
    }

    fn broken(&self, error: impl Into<BoxError>) -> ConnectionError {
        ConnectionError::Broken { host: self.name(), source: Arc::new(error.into()) }
    }

    fn of_http1(&self, error: legacy::Error) -> ConnectionError {
        if error.is_connect() { self.undialled(error.into()) } else { self.broken(error) }
    }
}

fn dialer(cluster: &ClusterName, config: &Config, is_http2: bool) -> Result<Dialer, ProviderError> {
    let wrong = |source| ProviderError::Client { cluster: cluster.clone(), source: Box::new(source) };
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let tls = config.rustls_client_config().map_err(wrong)?;
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = ServerName::try_from(name.clone()).map_err(|error| ProviderError::Address {
            cluster: cluster.clone(),
            text: format!("tls-server-name {name}: {error}"),
        })?;
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let builder = builder.enable_http1();
    Ok(Dialer(if is_http2 {
        builder.enable_http2().wrap_connector(tcp)
    } else {
        builder.wrap_connector(tcp)
    }))
}

/// The host as a tower service.
#[derive(Clone)]
pub(super) struct HostService(pub(super) Arc<Host>);

impl Service<Request<Body>> for HostService {
    type Response = Response<Held>;
    type Error = ConnectionError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ConnectionError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectionError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let host = Arc::clone(&self.0);
        Box::pin(async move { host.send(request, host.clock.elapsed()).await })
    }
}
