//! A kube-apiserver with its etcd, and the embedded server.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use apiserver::Config;
use apiserver::identity::{MASTERS, User};
use apiserver::plane::PlaneSpec;
use apiserver_http::Shell;
use http_body_util::BodyExt;
use kube_client::client::{Body, Client};
use rcgen::KeyPair;
use serde_json::Value;
use tempfile::TempDir;

use crate::compare::{Answer, Comparison};
use crate::sequence::{DEFINITIONS, Request, SAMPLES, definition};

const TOKEN: &str = "conformance";
const START_LIMIT: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(100);

/// Both servers; the processes end with this.
pub(crate) struct Servers {
    clients: [Client; 2],
    _shell: Shell,
    _processes: [Process; 2],
    _folder: TempDir,
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Servers {
    pub(crate) async fn start(assets: &Path) -> Result<Self, String> {
        let folder = TempDir::new().map_err(text)?;
        let (etcd_port, port) = (free_port()?, free_port()?);
        let processes =
            [etcd(assets, folder.path(), etcd_port)?, apiserver(assets, folder.path(), (port, etcd_port))?];
        let hub = PlaneSpec { name: "hub".to_owned(), ..PlaneSpec::default() };
        let config = Config { planes: vec![hub], external_controllers: true, ..Config::default() };
        let shell = Shell::start_in_memory(config, [1; 32]).map_err(text)?;
        let handle = shell.handle().speaking_for(User::new("admin", &[MASTERS]));
        let clients = [real(port)?, Client::new(handle, "default")];
        for client in &clients {
            ready(client).await?;
        }
        Ok(Self { clients, _shell: shell, _processes: processes, _folder: folder })
    }

    /// The same request to both, one after the other.
    pub(crate) async fn send(
        &self,
        request: &Request,
        comparison: &Comparison,
    ) -> Result<[Answer; 2], String> {
        let [left, right] = &self.clients;
        Ok([
            send(left, request, &comparison.body(0, request)).await?,
            send(right, request, &comparison.body(1, request)).await?,
        ])
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

async fn send(client: &Client, request: &Request, body: &Value) -> Result<Answer, String> {
    let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let built = http::Request::builder()
        .method(request.method)
        .uri(&request.path)
        .header("content-type", request.content_type)
        .header("user-agent", "conformance")
        .body(Body::from(bytes))
        .map_err(text)?;
    let response = client.send(built).await.map_err(text)?;
    let code = response.status().as_u16();
    let bytes = response.into_body().collect().await.map_err(text)?.to_bytes();
    Ok((code, serde_json::from_slice(&bytes).unwrap_or(Value::Null)))
}

/// Makes the definition and waits until its objects are served.
async fn ready(client: &Client) -> Result<(), String> {
    let request = |method: &'static str, path: &str, body: Value| Request {
        method,
        path: path.to_owned(),
        content_type: "application/json",
        body,
    };
    let (creation, list) = (request("POST", DEFINITIONS, definition()), request("GET", SAMPLES, Value::Null));
    let begun = Instant::now();
    loop {
        let made = send(client, &creation, &creation.body).await;
        let made = made.is_ok_and(|(code, _)| matches!(code, 201 | 409));
        if made && send(client, &list, &Value::Null).await.is_ok_and(|(code, _)| code == 200) {
            return Ok(());
        }
        if begun.elapsed() > START_LIMIT {
            return Err(format!("a server does not serve the definition within {START_LIMIT:?}"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// A port that the kernel says is free.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(text)?;
    Ok(listener.local_addr().map_err(text)?.port())
}

fn spawn(command: &mut Command) -> Result<Process, String> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().map(Process).map_err(|error| format!("{command:?}: {error}"))
}

fn etcd(assets: &Path, folder: &Path, port: u16) -> Result<Process, String> {
    let (client, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", free_port()?));
    let mut command = Command::new(assets.join("etcd"));
    command.arg("--data-dir").arg(folder.join("etcd")).arg("--unsafe-no-fsync");
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.args(["--initial-cluster", &format!("default={peer}")]);
    spawn(&mut command)
}

fn apiserver(assets: &Path, folder: &Path, (port, etcd_port): (u16, u16)) -> Result<Process, String> {
    let key = KeyPair::generate().map_err(text)?;
    let at = |name: &str| folder.join(name).display().to_string();
    std::fs::write(at("private.pem"), key.serialize_pem()).map_err(text)?;
    std::fs::write(at("public.pem"), key.public_key_pem()).map_err(text)?;
    std::fs::write(at("tokens.csv"), format!("{TOKEN},admin,admin,\"system:masters\"\n")).map_err(text)?;
    let mut command = Command::new(assets.join("kube-apiserver"));
    command.arg(format!("--etcd-servers=http://127.0.0.1:{etcd_port}"));
    command.arg(format!("--cert-dir={}", at("certificates")));
    command.arg(format!("--secure-port={port}"));
    command.arg(format!("--token-auth-file={}", at("tokens.csv")));
    command.arg(format!("--service-account-key-file={}", at("public.pem")));
    command.arg(format!("--service-account-signing-key-file={}", at("private.pem")));
    command.args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"]);
    command.args(["--service-account-issuer=https://localhost", "--authorization-mode=RBAC"]);
    command.args(["--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount"]);
    command.arg("--endpoint-reconciler-type=none");
    spawn(&mut command)
}

fn real(port: u16) -> Result<Client, String> {
    let url = format!("https://127.0.0.1:{port}").parse().map_err(text)?;
    let mut config = kube_client::Config::new(url);
    config.accept_invalid_certs = true;
    config.auth_info.token = Some(TOKEN.to_owned().into());
    Client::try_from(config).map_err(text)
}
