//! Real kube-apiservers, one for each plane, behind a path proxy: so provider `milo` is what runs.
//!
//! The servers start once per process and are swept between scenarios, which therefore take turns.

mod processes;
mod proxy;
mod sweep;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use api::ClusterName;
use api::cluster::ClusterRole;
use kube_client::Config;
use serde_json::Value;
use tokio::runtime::Runtime;

use self::processes::Processes;
use self::proxy::Proxy;
use super::embedded::definitions;
use super::managers::under;
use super::{HttpPlatform, Servers};

/// The folder with kube-apiserver and etcd, if the environment names one.
#[must_use]
pub fn assets() -> Option<std::path::PathBuf> {
    let folder = std::path::PathBuf::from(std::env::var_os("KUBEBUILDER_ASSETS")?);
    folder.join("kube-apiserver").is_file().then_some(folder)
}

/// Everything that runs for all scenarios together.
struct Shared {
    processes: Processes,
    proxy: Proxy,
    runtime: Runtime,
}

static SHARED: OnceLock<Mutex<Shared>> = OnceLock::new();

struct Real {
    core: Config,
    hub: Config,
    cell: Config,
    _turn: MutexGuard<'static, Shared>,
}

impl Servers for Real {
    fn config(&self, cluster: &ClusterName) -> Config {
        match cluster {
            ClusterName::Core => self.core.clone(),
            ClusterName::Hub => self.hub.clone(),
            ClusterName::Cell(_) => self.cell.clone(),
            ClusterName::Project(project) | ClusterName::Ipam(project) => {
                let mut config = self.core.clone();
                config.cluster_url = under(&config, &runtime::provider::project_path(project));
                config
            }
        }
    }

    fn mounts_projects(&self) -> bool {
        false
    }

    fn scale(&self) -> usize {
        50
    }
}

/// Waits for its turn on the real servers, and sweeps them.
#[must_use]
pub fn platform() -> HttpPlatform {
    let shared = SHARED.get_or_init(|| Mutex::new(start()));
    let turn = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let config = |role| turn.processes.config(role);
    for role in [ClusterRole::Core, ClusterRole::Hub, ClusterRole::Project, ClusterRole::Cell] {
        turn.runtime.block_on(sweep::sweep(role, config(role)));
    }
    let (core, hub, cell) = (turn.proxy.config(), config(ClusterRole::Hub), config(ClusterRole::Cell));
    let runtime = Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    HttpPlatform::new(Box::new(Real { core, hub, cell, _turn: turn }), runtime)
}

fn start() -> Shared {
    let folder = assets().unwrap_or_else(|| panic!("KUBEBUILDER_ASSETS names no folder with kube-apiserver"));
    let runtime = Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    let processes = runtime.block_on(Processes::start(&folder));
    for role in [ClusterRole::Core, ClusterRole::Hub, ClusterRole::Project, ClusterRole::Cell] {
        runtime.block_on(install(role, processes.config(role)));
    }
    let (core, project) = (processes.config(ClusterRole::Core), processes.config(ClusterRole::Project));
    let proxy = runtime.block_on(Proxy::start(core, project));
    Shared { processes, proxy, runtime }
}

/// Installs the kinds of a plane and waits until they are served.
async fn install(role: ClusterRole, config: Config) {
    let client = sweep::client(config);
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let definitions = definitions(role);
    for definition in &definitions {
        sweep::send(&client, "POST", path, &definition.to_string()).await;
    }
    for definition in &definitions {
        let name = definition.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        loop {
            let (_, body) = sweep::send(&client, "GET", &format!("{path}/{name}"), "").await;
            let conditions =
                body.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
            if conditions.iter().any(|one| one["type"] == "Established" && one["status"] == "True") {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

/// A file in a folder, as text.
fn text(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}
