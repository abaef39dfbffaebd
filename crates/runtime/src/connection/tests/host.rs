//! A host with TLS: it answers with who asked, its watches tell a line at once and another whenever it is told to, and it
//! never ends its answer to what is called `hung`.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Request, Response, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use kube_client::Config;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, broadcast, mpsc, watch};
use tokio_rustls::TlsAcceptor;

/// What a host tells all its connections.
#[derive(Clone, Debug)]
enum Told {
    /// A line for every watch.
    Line(String),
    /// Break off.
    Cut,
    /// Take no more requests, let those under way end.
    Retire,
}

pub(super) struct TestHost {
    port: u16,
    certificate: CertificateDer<'static>,
    accepted: Arc<AtomicUsize>,
    told: broadcast::Sender<Told>,
    retired: tokio::sync::Mutex<mpsc::Receiver<()>>,
    stop: watch::Sender<bool>,
    hung: Arc<Semaphore>,
    tls: watch::Sender<ServerConfig>,
}

/// What each connection needs.
#[derive(Clone)]
struct Parts {
    tls: watch::Receiver<ServerConfig>,
    streams: u32,
    told: broadcast::Sender<Told>,
    has_retired: mpsc::Sender<()>,
    hung: Arc<Semaphore>,
}

impl TestHost {
    /// Listens; offers these protocols, and this many streams on a connection.
    pub(super) async fn start(protocols: &[&str], streams: u32) -> Self {
        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = issued.cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(issued.signing_key.serialize_der()));
        let mut tls = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        tls.alpn_protocols = names(protocols);
        let (tls, offered) = watch::channel(tls);
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = socket.local_addr().unwrap().port();
        let (told, _) = broadcast::channel(16);
        let (has_retired, retired) = mpsc::channel(16);
        let hung = Arc::new(Semaphore::new(0));
        let parts = Parts { tls: offered, streams, told: told.clone(), has_retired, hung: Arc::clone(&hung) };
        let accepted = Arc::new(AtomicUsize::new(0));
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(accept(socket, parts, Arc::clone(&accepted), stopped));
        Self { port, certificate, accepted, told, retired: retired.into(), stop, hung, tls }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Connections accepted so far.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Offers these protocols to who connects from now on.
    pub(super) fn offer(&self, protocols: &[&str]) {
        self.tls.send_modify(|tls| tls.alpn_protocols = names(protocols));
    }

    /// How a plane below this path is reached.
    pub(super) fn config(&self, path: &str) -> Config {
        let mut config = Config::new(format!("https://localhost:{}{path}", self.port).parse().unwrap());
        config.root_cert = Some(vec![self.certificate.to_vec()]);
        config
    }

    /// Every watch tells this line.
    pub(super) fn tell(&self, line: &str) {
        self.told.send(Told::Line(line.to_owned())).unwrap();
    }

    /// Breaks every connection off.
    pub(super) fn cut(&self) {
        self.told.send(Told::Cut).unwrap();
    }

    /// Sends GOAWAY on the one connection there is; returns when it has been begun.
    pub(super) async fn retire(&self) {
        self.told.send(Told::Retire).unwrap();
        self.retired.lock().await.recv().await.unwrap();
    }

    /// Returns when this many more requests hang.
    pub(super) async fn hang(&self, count: u32) {
        self.hung.acquire_many(count).await.unwrap().forget();
    }

    /// Closes the socket.
    pub(super) async fn stop(&self) {
        self.stop.send(true).unwrap();
        self.stop.closed().await;
    }
}

fn names(protocols: &[&str]) -> Vec<Vec<u8>> {
    protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect()
}

async fn accept(
    socket: TcpListener,
    parts: Parts,
    accepted: Arc<AtomicUsize>,
    mut stopped: watch::Receiver<bool>,
) {
    loop {
        let stream = tokio::select! {
            biased;
            _ = stopped.changed() => return,
            stream = socket.accept() => stream.unwrap().0,
        };
        accepted.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(serve(stream, parts.clone()));
    }
}

async fn serve(stream: TcpStream, parts: Parts) {
    let mut told = parts.told.subscribe();
    let acceptor = TlsAcceptor::from(Arc::new(parts.tls.borrow().clone()));
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http2().max_concurrent_streams(parts.streams);
    let (lines, hung) = (parts.told.clone(), parts.hung.clone());
    let service = service_fn(move |request| {
        let answer = answer(&request, &lines, &hung);
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            told = told.recv() => match told {
                Ok(Told::Cut) | Err(_) => return,
                Ok(Told::Retire) => {
                    connection.as_mut().graceful_shutdown();
                    parts.has_retired.send(()).await.unwrap();
                }
                Ok(Told::Line(_)) => {}
            },
        }
    }
}

fn answer(
    request: &Request<Incoming>,
    told: &broadcast::Sender<Told>,
    hung: &Semaphore,
) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
    if request.uri().query() == Some("watch=true") {
        let first = stream::iter(["first\n".to_owned()]);
        let later = stream::unfold(told.subscribe(), |mut told| async move {
            loop {
                match told.recv().await {
                    Ok(Told::Line(line)) => return Some((line, told)),
                    Ok(_) => {}
                    Err(_) => return None,
                }
            }
        });
        let lines = first.chain(later).map(|line| Ok(Frame::data(Bytes::from(line))));
        return Response::new(StreamBody::new(lines).boxed_unsync());
    }
    if request.uri().path().ends_with("/hung") {
        hung.add_permits(1);
        return Response::new(StreamBody::new(stream::pending()).boxed_unsync());
    }
    let who = request.headers().get(header::AUTHORIZATION).map_or("", |value| value.to_str().unwrap());
    let text = format!("{who} {:?} {}", request.version(), request.uri().path());
    Response::new(Full::new(Bytes::from(text)).boxed_unsync())
}
