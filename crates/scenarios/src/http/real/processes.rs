//! etcd and one kube-apiserver for each plane, as child processes that end with this one.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use api::cluster::ClusterRole;
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::{sweep, text};

const TOKEN: &str = "scenario-token";
/// The planes that get a server.
const ROLES: [ClusterRole; 4] =
    [ClusterRole::Core, ClusterRole::Hub, ClusterRole::Project, ClusterRole::Cell];
/// How long a server may take to be ready.
const START_LIMIT: Duration = Duration::from_secs(90);

pub(super) struct Processes {
    configs: BTreeMap<ClusterRole, Config>,
    _children: Vec<Child>,
    _folder: TempDir,
}

impl Processes {
    pub(super) async fn start(assets: &Path) -> Self {
        let folder = TempDir::new().unwrap_or_else(|error| panic!("{error}"));
        std::fs::write(
            folder.path().join("tokens.csv"),
            format!("{TOKEN},scenario,scenario,\"system:masters\"\n"),
        )
        .unwrap_or_else(|error| panic!("{error}"));
        make_key(folder.path()).await;
        let etcd_port = free_port();
        let mut children = vec![spawn(&mut etcd(assets, folder.path(), etcd_port))];
        let mut configs = BTreeMap::new();
        for role in ROLES {
            let port = free_port();
            children.push(spawn(&mut apiserver(assets, folder.path(), (role, port, etcd_port))));
            configs.insert(role, config(port).await);
        }
        for config in configs.values() {
            let ready = wait_ready(config.clone());
            assert!(
                tokio::time::timeout(START_LIMIT, ready).await.is_ok(),
                "{} is not ready within {START_LIMIT:?}",
                config.cluster_url
            );
        }
        Self { configs, _children: children, _folder: folder }
    }

    pub(super) fn config(&self, role: ClusterRole) -> Config {
        self.configs.get(&role).cloned().unwrap_or_else(|| panic!("no server for {role}"))
    }
}

/// A port that the kernel says is free.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
    listener.local_addr().unwrap_or_else(|error| panic!("{error}")).port()
}

fn spawn(command: &mut Command) -> Child {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
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

fn etcd(assets: &Path, folder: &Path, port: u16) -> Command {
    let (client, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", free_port()));
    let mut command = Command::new(assets.join("etcd"));
    command.args(["--data-dir", &text(folder, "etcd"), "--unsafe-no-fsync"]);
    command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
    command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
    command.args(["--initial-cluster", &format!("default={peer}")]);
    command
}

fn apiserver(assets: &Path, folder: &Path, place: (ClusterRole, u16, u16)) -> Command {
    let (role, port, etcd_port) = place;
    let mut command = Command::new(assets.join("kube-apiserver"));
    command.arg(format!("--etcd-servers=http://127.0.0.1:{etcd_port}"));
    command.arg(format!("--etcd-prefix=/{role}"));
    command.arg(format!("--cert-dir={}", text(folder, role.as_str())));
    command.arg(format!("--secure-port={port}"));
    command.arg(format!("--token-auth-file={}", text(folder, "tokens.csv")));
    command.arg(format!("--service-account-key-file={}", text(folder, "sa.key")));
    command.arg(format!("--service-account-signing-key-file={}", text(folder, "sa.key")));
    command.args(["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"]);
    command.args(["--service-account-issuer=https://localhost", "--authorization-mode=RBAC"]);
    command.args(["--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount"]);
    command.arg("--endpoint-reconciler-type=none");
    command
}

async fn config(port: u16) -> Config {
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: real\n\
         clusters: [{{name: real, cluster: {{server: \"https://127.0.0.1:{port}\", insecure-skip-tls-verify: true}}}}]\n\
         users: [{{name: admin, user: {{token: {TOKEN}}}}}]\n\
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
