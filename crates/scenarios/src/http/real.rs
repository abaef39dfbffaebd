//! Real kube-apiservers, one for each plane, behind a path proxy: so provider `milo` is what runs.
//!
//! Servers start once per process, in sets: a set serves one scenario at a time and is swept before the next one. The server
//! of a project starts when a scenario first makes that many projects.

mod pool;
mod processes;
mod proxy;
mod set;
mod sweep;

use std::path::{Path, PathBuf};

use api::{ClusterName, ProjectName};
use kube_client::Config;
use tokio::runtime::Runtime;

use self::pool::Turn;
pub use self::pool::stop;
use super::managers::under;
use super::{HttpPlatform, Servers};

/// The folder with kube-apiserver and etcd, if the environment names one.
#[must_use]
pub fn assets() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("KUBEBUILDER_ASSETS")?);
    folder.join("kube-apiserver").is_file().then_some(folder)
}

struct Real {
    turn: Turn,
}

impl Servers for Real {
    fn config(&self, cluster: &ClusterName) -> Config {
        let set = self.turn.set();
        match cluster {
            ClusterName::Core => set.core(),
            ClusterName::Hub => set.hub(),
            ClusterName::Cell(_) => set.cell(),
            ClusterName::Project(project) | ClusterName::Ipam(project) => {
                let mut config = set.core();
                config.cluster_url = under(&config, &runtime::provider::project_path(project));
                config
            }
        }
    }

    fn mounts_projects(&self) -> bool {
        false
    }

    fn mount(&mut self, project: &ProjectName) {
        self.turn.set_mut().mount(project);
    }
}

/// Waits for a set of real servers, and sweeps it.
#[must_use]
pub fn platform() -> HttpPlatform {
    let mut turn = Turn::take();
    turn.set_mut().sweep();
    let runtime = Runtime::new().unwrap_or_else(|error| panic!("{error}"));
    HttpPlatform::new(Box::new(Real { turn }), runtime)
}

/// A file in a folder, as text.
fn text(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}
