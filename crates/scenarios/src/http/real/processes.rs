//! etcd and any number of kube-apiservers on it, as child processes that end with this one.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use futures::future::join_all;
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::{sweep, text};

/// How long a server may take to be ready.
const START_LIMIT: Duration = Duration::from_secs(90);
/// How often a server is started on another port because somebody else took the one that was free a moment before.
const STARTS_MAX: usize = 5;
/// Runs a program until it ends, or until the pipe on standard input ends, which it also does when this process dies,
/// however it dies. A signal to the whole group must not take the shell away before it has ended the program.
const UNTIL_LEFT: &str = r#"trap : HUP INT TERM; exec 3<&0
"$@" </dev/null 3<&- & program=$!
(read -r _ <&3; kill -KILL "$program") & reader=$!
exec 3<&-; wait "$program"; kill -KILL "$program" "$reader" 2>/dev/null; wait "$program""#;

pub(super) struct Processes {
    assets: PathBuf,
    etcd_port: u16,
    children: Vec<Child>,
    folder: TempDir,
}

impl Processes {
    /// Starts etcd.
    pub(super) async fn start(assets: &Path) -> Self {
        let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
        make_key(folder.path()).await;
        let (etcd, etcd_port) = start_etcd(assets, folder.path()).await;
        Self { assets: assets.to_owned(), etcd_port, children: vec![etcd], folder }
    }

    /// Starts a kube-apiserver for each name, all with this etcd, and waits until they are ready.
    pub(super) async fn add(&mut self, names: &[String]) -> Vec<Config> {
        let started = join_all(names.iter().map(|name| self.start_apiserver(name))).await;
        let (children, configs): (Vec<_>, Vec<_>) = started.into_iter().unzip();
        self.children.extend(children);
        configs
    }

    async fn start_apiserver(&self, name: &str) -> (Child, Config) {
        for _ in 0..STARTS_MAX {
            let port = free_port();
            // Of this one server alone: whoever else took the port does not know it.
            let token = format!("{name}-{port}-{}", text(self.folder.path(), "").replace('/', "-"));
            self.write_token(name, &token);
            let mut child = spawn(self.apiserver(name, port));
            let config = config(port, &token).await;
            if is_ready(&mut child, name, wait_ready(config.clone())).await {
                return (child, config);
            }
        }
        panic!("the server of {name} ended {STARTS_MAX} times before it was ready");
    }

    fn write_token(&self, name: &str, token: &str) {
        let line = format!("{token},scenario,scenario,\"system:masters\"\n");
        let written = std::fs::write(self.folder.path().join(tokens(name)), line);
        written.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Ends all of them, the last that was started first, and removes what they wrote.
    pub(super) async fn stop(mut self) {
        while let Some(mut child) = self.children.pop() {
            drop(child.stdin.take());
            // It has ended in any case: there is nothing left to do about how.
            let _ = child.wait().await;
        }
    }

    fn apiserver(&self, name: &str, port: u16) -> Command {
        let folder = self.folder.path();
        let mut command = command(&self.assets.join("kube-apiserver"));
        command.arg(format!("--etcd-servers=http://127.0.0.1:{}", self.etcd_port));
        command.arg(format!("--etcd-prefix=/{name}"));
        command.arg(format!("--cert-dir={}", text(folder, name)));
        command.arg(format!("--secure-port={port}"));
        command.arg(format!("--token-auth-file={}", text(folder, &tokens(name))));
        command.arg(format!("--service-account-key-file={}", text(folder, "sa.key")));
        command.arg(format!("--service-account-signing-key-file={}", text(folder, "sa.key")));
        command.args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"]);
        command.args(["--service-account-issuer=https://localhost", "--authorization-mode=RBAC"]);
        command
            .args(["--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount"]);
        command.args(["--endpoint-reconciler-type=none", "--delete-collection-workers=8"]);
        command
    }
}

/// The file with the tokens of a server.
fn tokens(name: &str) -> String {
    format!("{name}.tokens.csv")
}

/// A port that the kernel says is free. Until a program listens there, somebody else may take it.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
    listener.local_addr().unwrap_or_else(|error| panic!("{error}")).port()
}

/// A program that ends with this process.
fn command(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", UNTIL_LEFT, "sh"]).arg(program);
    command
}

fn spawn(mut command: Command) -> Child {
    let quiet = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The key that service account tokens would be signed with; kube-apiserver does not start without one.
async fn make_key(folder: &Path) {
    let made = Command::new("openssl")
        .args(["genrsa", "-out", &text(folder, "sa.key"), "2048"])
        .stderr(Stdio::null())
        .status()
        .await;
    assert!(made.is_ok_and(|status| status.success()), "openssl cannot make a key");
}

fn etcd(assets: &Path, data: &Path, port: u16) -> Command {
    let (client, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", free_port()));
    let mut command = command(&assets.join("etcd"));
    command.args(["--data-dir", &data.display().to_string(), "--unsafe-no-fsync"]);
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.args(["--initial-cluster", &format!("default={peer}")]);
    command
}

/// Starts etcd and waits until it answers.
async fn start_etcd(assets: &Path, folder: &Path) -> (Child, u16) {
    for start in 0..STARTS_MAX {
        let port = free_port();
        let data = folder.join(format!("etcd-{start}"));
        let mut child = spawn(etcd(assets, &data, port));
        if is_ready(&mut child, "etcd", listens(port)).await {
            return (child, port);
        }
    }
    panic!("etcd ended {STARTS_MAX} times before it was ready");
}

/// Whether a program became ready; false if it ended before.
async fn is_ready(child: &mut Child, name: &str, ready: impl Future<Output = ()>) -> bool {
    // To wait for a child closes its standard input, which is what ends it here.
    let stdin = child.stdin.take();
    let is_ready = tokio::select! {
        () = ready => true,
        _ = child.wait() => false,
        () = tokio::time::sleep(START_LIMIT) => panic!("{name} is not ready within {START_LIMIT:?}"),
    };
    child.stdin = stdin;
    is_ready
}

async fn listens(port: u16) {
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn config(port: u16, token: &str) -> Config {
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: real\n\
         clusters: [{{name: real, cluster: {{server: \"https://127.0.0.1:{port}\", insecure-skip-tls-verify: true}}}}]\n\
         users: [{{name: admin, user: {{token: \"{token}\"}}}}]\n\
         contexts: [{{name: real, context: {{cluster: real, user: admin}}}}]\n"
    );
    let parsed = Kubeconfig::from_yaml(&text).unwrap_or_else(|error| panic!("{error}"));
    let made = Config::from_custom_kubeconfig(parsed, &KubeConfigOptions::default()).await;
    made.unwrap_or_else(|error| panic!("{error}"))
}

async fn wait_ready(config: Config) {
    let client = sweep::client(config);
    let path = "/readyz";
    loop {
        let deadline = Duration::from_secs(2);
        if runtime::transport::get(&client, path, deadline).await.is_ok_and(|answered| answered.code == 200) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
