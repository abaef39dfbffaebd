//! The embedded API servers behind a TLS socket.

use std::net::SocketAddr;

use api::ClusterName;
use api::cluster::ClusterRole;
use apiserver::identity::{MASTERS, Tokens, User};
use apiserver::plane::PlaneSpec;
use apiserver_http::kubeconfig::{self, Context};
use apiserver_http::{Authority, Listener, Shell};
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};

use super::managers::under;
use super::{HttpPlatform, Servers};

/// Token of the scenario's user.
const TOKEN: &str = "scenario-token";

struct Embedded {
    config: Config,
    _listener: Listener,
    _shell: Shell,
}

impl Servers for Embedded {
    fn config(&self, cluster: &ClusterName) -> Config {
        let mut config = self.config.clone();
        config.cluster_url = under(&config, &format!("{}/", sim::network::prefix(cluster)));
        config
    }

    fn mounts_projects(&self) -> bool {
        true
    }
}

/// Starts the embedded servers: core, hub and two cells.
#[must_use]
pub fn platform() -> HttpPlatform {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    let servers = runtime.block_on(start());
    HttpPlatform::new(Box::new(servers), runtime)
}

async fn start() -> Embedded {
    let mut tokens = Tokens::default();
    tokens.insert(TOKEN, User::new("scenario", &[MASTERS]));
    let plane = |cluster: ClusterName| PlaneSpec {
        name: cluster.to_string(),
        prefix: sim::network::prefix(&cluster),
        crds: definitions(cluster.role()),
        mounts_projects: cluster == ClusterName::Core,
        ..PlaneSpec::default()
    };
    let cells = ["one", "two"].map(|name| ClusterName::Cell(name.into()));
    let planes = [ClusterName::Core, ClusterName::Hub].into_iter().chain(cells).map(plane).collect();
    let project_crds = definitions(ClusterRole::Project);
    let config = apiserver::Config { planes, project_crds, tokens, ..apiserver::Config::default() };
    let shell = Shell::start_in_memory(config, [7; 32]).unwrap_or_else(|error| panic!("{error}"));
    let authority = Authority::generate().unwrap_or_else(|error| panic!("{error}"));
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = Listener::bind(address, &authority, &[], shell.handle()).await;
    let listener = listener.unwrap_or_else(|error| panic!("{error}"));
    let config = client_config(&listener, &authority).await;
    Embedded { config, _listener: listener, _shell: shell }
}

async fn client_config(listener: &Listener, authority: &Authority) -> Config {
    let url = format!("https://{}", listener.address());
    let context = Context { plane: "core".to_owned(), prefix: String::new(), token: TOKEN.to_owned() };
    let text = kubeconfig::write(&url, authority.certificate(), &[context]);
    let text = text.unwrap_or_else(|error| panic!("{error}"));
    let parsed = Kubeconfig::from_yaml(&text).unwrap_or_else(|error| panic!("{error}"));
    let options = KubeConfigOptions::default();
    Config::from_custom_kubeconfig(parsed, &options).await.unwrap_or_else(|error| panic!("{error}"))
}

/// CRDs of the kinds installed on planes of a role.
pub(super) fn definitions(role: ClusterRole) -> Vec<serde_json::Value> {
    let entries = api::crd::for_plane(role);
    entries.map(|entry| entry.definition().unwrap_or_else(|error| panic!("{error}"))).collect()
}
