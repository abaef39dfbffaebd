//! The servers under the bench: embedded in this process, or those of a kubeconfig.

use std::path::Path;

use api::cluster::ClusterRole;
use api::{ClusterName, ProjectName};
use apiserver::identity::{MASTERS, User};
use apiserver::plane::PlaneSpec;
use apiserver_http::{Handle, Shell};
use kube_client::Client;
use runtime::Connections;
use runtime::provider::{ProjectPlanes, ProviderError, read_config};

/// Name of the bench's project.
pub(crate) const PROJECT: &str = "bench";

/// Clients of the planes.
pub(crate) enum Servers {
    Embedded { handle: Handle, _shell: Box<Shell> },
    Kubeconfig(Box<Clients>),
}

/// One client for each plane.
pub(crate) struct Clients {
    core: Client,
    hub: Client,
    project: Client,
}

/// What keeps servers from being there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServersError {
    #[error(transparent)]
    Start(#[from] apiserver::StartError),
    #[error(transparent)]
    Definition(#[from] api::crd::DefinitionError),
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

impl Servers {
    /// Servers in this process, in memory.
    pub(crate) fn embedded() -> Result<Self, ServersError> {
        let plane = |cluster: ClusterName| -> Result<PlaneSpec, ServersError> {
            Ok(PlaneSpec {
                name: cluster.to_string(),
                prefix: sim::network::prefix(&cluster),
                crds: definitions(cluster.role())?,
                mounts_projects: cluster == ClusterName::Core,
                ..PlaneSpec::default()
            })
        };
        let config = apiserver::Config {
            planes: vec![plane(ClusterName::Core)?, plane(ClusterName::Hub)?],
            project_crds: definitions(ClusterRole::Project)?,
            ..apiserver::Config::default()
        };
        let shell = Shell::start_in_memory(config, [1; 32])?;
        let handle = shell.handle().speaking_for(User::new("bench", &[MASTERS]));
        Ok(Self::Embedded { handle, _shell: Box::new(shell) })
    }

    /// Servers of a kubeconfig with contexts `core`, `hub` and `project/bench`.
    pub(crate) async fn kubeconfig(path: &Path) -> Result<Self, ServersError> {
        let project = ClusterName::Project(PROJECT.into());
        let connections = Connections::default();
        let client = async |cluster: &ClusterName| -> Result<Client, ServersError> {
            let config = read_config(path, Some(&cluster.to_string())).await?;
            Ok(connections.client(cluster, config)?)
        };
        let (core, hub) = (client(&ClusterName::Core).await?, client(&ClusterName::Hub).await?);
        let project = client(&project).await?;
        Ok(Self::Kubeconfig(Box::new(Clients { core, hub, project })))
    }

    /// A client of a plane.
    pub(crate) fn client(&self, cluster: &ClusterName) -> Client {
        match (self, cluster) {
            (Self::Embedded { handle, .. }, cluster) => {
                Client::new(handle.at(&sim::network::prefix(cluster)), "default")
            }
            (Self::Kubeconfig(clients), ClusterName::Core) => clients.core.clone(),
            (Self::Kubeconfig(clients), ClusterName::Hub) => clients.hub.clone(),
            (Self::Kubeconfig(clients), _) => clients.project.clone(),
        }
    }

    /// What to call them.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Embedded { .. } => "embedded",
            Self::Kubeconfig(_) => "real",
        }
    }

    /// Whether a Project's plane is mounted by the server.
    pub(crate) fn mounts_projects(&self) -> bool {
        matches!(self, Self::Embedded { .. })
    }

    /// Makes clients for projects.
    pub(crate) fn planes(&self) -> Planes {
        Planes(self.client(&ClusterName::Project(PROJECT.into())))
    }
}

/// The one project there is.
pub(crate) struct Planes(Client);

impl ProjectPlanes for Planes {
    fn project(&self, _: &ProjectName) -> Result<Client, ProviderError> {
        Ok(self.0.clone())
    }
}

/// CRDs of the kinds installed on planes of a role.
pub(crate) fn definitions(role: ClusterRole) -> Result<Vec<serde_json::Value>, api::crd::DefinitionError> {
    api::crd::for_plane(role).map(api::crd::Entry::definition).collect()
}
