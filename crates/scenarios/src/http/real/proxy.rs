//! One host in front of several servers: a project's path leads to the project's server, every other to core's.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use api::ProjectName;
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use kube_client::client::Body;
use kube_client::{Client, Config};
use tokio::net::{TcpListener, TcpStream};

use super::sweep;

/// Where project planes are below core's host.
const PROJECTS: &str = "/apis/resourcemanager.miloapis.com/v1alpha1/projects/";
/// What ends the project's name.
const CONTROL_PLANE: &str = "/control-plane";

pub(super) struct Proxy {
    address: SocketAddr,
    backends: Backends,
}

#[derive(Clone)]
struct Backends {
    core: Client,
    projects: Arc<Mutex<BTreeMap<ProjectName, Client>>>,
}

impl Backends {
    fn project(&self, name: &str) -> Option<Client> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

type Answer = Response<Either<Body, Full<Bytes>>>;

impl Proxy {
    /// Listens on a free port.
    pub(super) async fn start(core: Config) -> Self {
        let backends = Backends { core: sweep::client(core), projects: Arc::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap_or_else(|error| panic!("{error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let served = backends.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone()));
            }
        });
        Self { address, backends }
    }

    /// Where a project's paths lead from now on; nowhere without a server.
    pub(super) fn mount(&self, project: &ProjectName, server: Option<Config>) {
        let mut projects = self.backends.projects.lock().unwrap_or_else(PoisonError::into_inner);
        match server {
            Some(server) => projects.insert(project.clone(), sweep::client(server)),
            None => projects.remove(project),
        };
    }

    /// How to reach core, and projects below it.
    pub(super) fn config(&self) -> Config {
        let url = format!("http://{}/", self.address);
        Config::new(url.parse().unwrap_or_else(|error| panic!("{url}: {error}")))
    }
}

async fn serve(stream: TcpStream, backends: Backends) {
    let service = service_fn(move |request| forward(request, backends.clone()));
    // A connection that breaks is the client's business.
    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

async fn forward(request: Request<Incoming>, backends: Backends) -> Result<Answer, Infallible> {
    let uri = request.uri().to_string();
    let (client, path) = match project_path(&uri) {
        Some((project, rest)) => (backends.project(project), rest),
        None => (Some(backends.core), uri.as_str()),
    };
    let Some(client) = client else {
        return Ok(failed(StatusCode::SERVICE_UNAVAILABLE, format!("no control plane serves {uri}")));
    };
    let forwarded = try_forward(request, &client, path).await;
    Ok(forwarded.unwrap_or_else(|text| failed(StatusCode::BAD_GATEWAY, text)))
}

fn failed(code: StatusCode, text: String) -> Answer {
    let mut answer = Response::new(Either::Right(Full::from(text)));
    *answer.status_mut() = code;
    answer
}

/// The project whose control plane the path is below, and what follows there.
fn project_path(uri: &str) -> Option<(&str, &str)> {
    let (project, rest) = uri.strip_prefix(PROJECTS)?.split_once(CONTROL_PLANE)?;
    rest.starts_with('/').then_some((project, rest))
}

async fn try_forward(request: Request<Incoming>, client: &Client, path: &str) -> Result<Answer, String> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    let mut forwarded = Request::builder().method(parts.method).uri(path);
    for name in [header::ACCEPT, header::CONTENT_TYPE, header::USER_AGENT] {
        if let Some(value) = parts.headers.get(&name) {
            forwarded = forwarded.header(name, value);
        }
    }
    let forwarded = forwarded.body(Body::from(body.to_vec())).map_err(|error| error.to_string())?;
    let answer = client.send(forwarded).await.map_err(|error| error.to_string())?;
    let (mut parts, body) = answer.into_parts();
    parts.headers.remove(header::TRANSFER_ENCODING);
    parts.headers.remove(header::CONTENT_LENGTH);
    Ok(Response::from_parts(parts, Either::Left(body)))
}
