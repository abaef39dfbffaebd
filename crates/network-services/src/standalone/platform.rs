//! The embedded planes as one server: what is mounted where, who may come in.
//!
//! The platform plane answers like Milo, so projects are reached below it by the same paths as in production.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use api::ClusterName;
use api::cluster::ClusterRole;
use api::crd::{Origin, for_plane};
use apiserver::identity::{MASTERS, Tokens, User};
use apiserver::plane::PlaneSpec;
use apiserver::store::Store;
use apiserver_http::{Authority, DataDirectory, DataError, Handle, Listener, Secrets, Shell, random_bytes};
use kube_client::Client;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::StandaloneError;

/// The user that applies manifests and looks at results for whoever started the program.
const STARTER: &str = "network-services:standalone";

/// How to run the planes.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Where state is kept; in memory alone where absent.
    pub(crate) data: Option<PathBuf>,
    /// Where the planes listen.
    pub(crate) listen: SocketAddr,
    /// Further names for the server's certificate.
    pub(crate) names: Vec<String>,
    /// Cells to mount, besides those that the data directory knows.
    pub(crate) cells: BTreeSet<String>,
}

/// Running planes.
pub(crate) struct Platform {
    shell: Shell,
    listener: Listener,
    pub(crate) authority: Authority,
    pub(crate) secrets: Secrets,
}

impl Platform {
    /// Starts them.
    pub(crate) async fn start(options: Options) -> Result<Self, StandaloneError> {
        let seed = random_bytes()?;
        let (shell, authority, secrets) = if let Some(path) = &options.data {
            make_private(path)?;
            let data = DataDirectory::open(path)?;
            let cells = known_cells(&data.store).union(&options.cells).cloned().collect();
            let config = config(&cells, &data.secrets)?;
            let shell = Shell::start_durable(config, seed, Box::new(data.sink), data.store)?;
            (shell, data.authority, data.secrets)
        } else {
            let secrets = Secrets::generate()?;
            let shell = Shell::start_in_memory(config(&options.cells, &secrets)?, seed)?;
            (shell, Authority::generate()?, secrets)
        };
        let listener = Listener::bind(options.listen, &authority, &options.names, shell.handle()).await?;
        Ok(Self { shell, listener, authority, secrets })
    }

    /// Where kubectl connects.
    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.listener.address())
    }

    /// Names and path prefixes of the mounted planes.
    pub(crate) async fn planes(&self) -> Vec<(String, String)> {
        self.shell.handle().planes().await
    }

    /// The server seen by a user.
    pub(crate) fn handle(&self, user: User) -> Handle {
        self.shell.handle().speaking_for(user)
    }

    /// A client of one plane with every right, for whoever started the program.
    pub(crate) fn client(&self, prefix: &str) -> Client {
        Client::new(self.handle(User::new(STARTER, &[MASTERS])).at(prefix), "default")
    }

    /// Who this installation is in its leases. Nobody else can have its data directory, so a process that follows one
    /// that was killed need not wait for the leases of its own installation to run out.
    pub(crate) fn identity(&self) -> String {
        let digest = Sha256::digest(&self.secrets.project_secret);
        let short = u64::from_be_bytes(std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default()));
        format!("standalone_{short:016x}")
    }

    /// Why the store can no longer be written, if so.
    pub(crate) fn failure(&self) -> Option<String> {
        self.shell.failure()
    }

    /// Ends connections, then the server.
    pub(crate) async fn stop(self) {
        self.listener.shutdown().await;
        self.shell.stop();
    }
}

/// The path prefix of a plane that is always there.
pub(super) fn prefix(cluster: &ClusterName) -> String {
    match cluster {
        ClusterName::Core => String::new(),
        ClusterName::Hub => "/clusters/hub".to_owned(),
        ClusterName::Cell(name) => format!("/clusters/{}", name.as_str()),
        ClusterName::Project(project) | ClusterName::Ipam(project) => {
            runtime::provider::project_path(project)
        }
    }
}

/// A new data directory lets only its owner in: objects may hold secrets. One that exists stays as it is.
fn make_private(path: &Path) -> Result<(), StandaloneError> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    // Whatever is there already is judged by whoever opens it.
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    let made = builder.recursive(true).create(path);
    made.map_err(|error| StandaloneError::Data(DataError::Io { path: path.to_owned(), error }))
}

/// Cells whose objects a store holds.
fn known_cells(store: &Store) -> BTreeSet<String> {
    let cell = |plane: &str| plane.strip_prefix("cell/").map(str::to_owned);
    store.head_under("cell/").filter_map(|(key, _)| cell(key.plane())).collect()
}

fn config(cells: &BTreeSet<String>, secrets: &Secrets) -> Result<apiserver::Config, StandaloneError> {
    let mut tokens = Tokens::default();
    tokens.insert(&secrets.admin_token, User::new("admin", &[MASTERS]));
    tokens.accept_projects(&secrets.project_secret);
    let mut clusters = vec![ClusterName::Core, ClusterName::Hub];
    for name in cells {
        check_cell(name)?;
        clusters.push(ClusterName::Cell(name.as_str().into()));
    }
    let planes = clusters.iter().map(plane).collect::<Result<_, _>>()?;
    let project_crds = definitions(ClusterRole::Project)?;
    Ok(apiserver::Config { planes, project_crds, tokens, ..apiserver::Config::default() })
}

fn plane(cluster: &ClusterName) -> Result<PlaneSpec, StandaloneError> {
    Ok(PlaneSpec {
        name: cluster.to_string(),
        prefix: prefix(cluster),
        crds: definitions(cluster.role())?,
        mounts_projects: *cluster == ClusterName::Core,
        ..PlaneSpec::default()
    })
}

/// Definitions of a plane's kinds. Projects are served by the platform plane itself, as in Milo.
fn definitions(role: ClusterRole) -> Result<Vec<Value>, StandaloneError> {
    let wanted = for_plane(role).filter(|entry| entry.origin != Origin::AddressService);
    wanted.map(|entry| entry.definition().map_err(StandaloneError::from)).collect()
}

fn check_cell(name: &str) -> Result<(), StandaloneError> {
    let is_label = name.len() <= 63
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-');
    let problem = match name {
        "" => "is empty; name the cell",
        "hub" => "is the hub's own path; choose another name",
        _ if !is_label => "is no DNS label; use at most 63 of a-z, 0-9 and -, neither first nor last a dash",
        _ => return Ok(()),
    };
    Err(StandaloneError::Cell { name: name.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_may_not_take_the_path_of_the_hub() {
        let wrong = |name: &str| check_cell(name).unwrap_err().to_string();
        assert!(wrong("hub").contains("hub's own path"));
        assert!(wrong("Edge").contains("DNS label"));
        assert!(wrong("-a").contains("DNS label"));
        check_cell("dfw-1").unwrap();
    }
}
