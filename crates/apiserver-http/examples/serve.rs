//! Serves core, hub, one project and a cell: for trying kubectl and for comparing with a kube-apiserver.

use std::net::SocketAddr;
use std::path::PathBuf;

use apiserver::Config;
use apiserver::identity::{MASTERS, Tokens, User, project_token};
use apiserver::plane::PlaneSpec;
use apiserver_http::kubeconfig::{self, Context};
use apiserver_http::{Authority, DataDirectory, Handle, Listener, Secrets, Shell};
use clap::Parser;
use http_body_util::{BodyExt, Full};
use serde_json::json;
use tower::Service;

#[derive(Parser)]
struct Arguments {
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Bearer token of the administrator; generated without it.
    #[arg(long)]
    token: Option<String>,
    /// Keep everything here; in memory without it.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Write a kubeconfig here.
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
    /// Leave garbage collection and the ends of namespaces to clients, as a kube-apiserver without a controller manager.
    #[arg(long)]
    external_controllers: bool,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse();
    let seed = apiserver_http::random_bytes()?;
    let (shell, authority, mut secrets) = if let Some(path) = &arguments.data {
        let data = DataDirectory::open(path)?;
        let config = config(&data.secrets, &arguments);
        (Shell::start_durable(config, seed, Box::new(data.sink), data.store)?, data.authority, data.secrets)
    } else {
        let secrets = Secrets::generate()?;
        let config = config(&secrets, &arguments);
        (Shell::start_in_memory(config, seed)?, Authority::generate()?, secrets)
    };
    if let Some(token) = arguments.token {
        secrets.admin_token = token;
    }
    make_project(shell.handle()).await?;
    let address = SocketAddr::from(([127, 0, 0, 1], arguments.port));
    let listener = Listener::bind(address, &authority, &[], shell.handle()).await?;
    let url = format!("https://{}", listener.address());
    println!("serving {url}");
    if let Some(path) = arguments.kubeconfig {
        let contexts = contexts(&shell.handle(), &secrets).await;
        std::fs::write(path, kubeconfig::write(&url, authority.certificate(), &contexts)?)?;
    }
    tokio::signal::ctrl_c().await?;
    listener.shutdown().await;
    shell.stop();
    Ok(())
}

fn config(secrets: &Secrets, arguments: &Arguments) -> Config {
    let mut tokens = Tokens::default();
    let token = arguments.token.as_deref().unwrap_or(&secrets.admin_token);
    tokens.insert(token, User::new("admin", &[MASTERS]));
    tokens.accept_projects(&secrets.project_secret);
    let plane = |name: &str, prefix: &str| PlaneSpec {
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        mounts_projects: name == "core",
        ..PlaneSpec::default()
    };
    let planes = vec![plane("core", ""), plane("hub", "/clusters/hub"), plane("cell/one", "/clusters/one")];
    let external_controllers = arguments.external_controllers;
    Config { planes, tokens, external_controllers, ..Config::default() }
}

async fn make_project(handle: Handle) -> Result<(), Failure> {
    let project = json!({"apiVersion": "resourcemanager.miloapis.com/v1alpha1", "kind": "Project",
        "metadata": {"name": "demo"}, "spec": {"ownerRef": {"kind": "Organization", "name": "demo"}}});
    let request = http::Request::post("/apis/resourcemanager.miloapis.com/v1alpha1/projects")
        .body(Full::new(bytes::Bytes::from(project.to_string())))?;
    let response = handle.speaking_for(User::new("setup", &[MASTERS])).call(request).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    if status.is_success() || status == http::StatusCode::CONFLICT {
        return Ok(());
    }
    Err(format!("the project was refused: {status} {}", String::from_utf8_lossy(&body)).into())
}

async fn contexts(handle: &Handle, secrets: &Secrets) -> Vec<Context> {
    let token = |plane: &str| match plane.strip_prefix("project/") {
        Some(project) => project_token(&secrets.project_secret, project),
        None => secrets.admin_token.clone(),
    };
    let planes = handle.planes().await.into_iter();
    planes.map(|(plane, prefix)| Context { token: token(&plane), plane, prefix }).collect()
}
