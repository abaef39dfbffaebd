//! The way to real planes: which provider finds them, as a configuration or a kubeconfig says.

use std::path::{Path, PathBuf};

use api::{ClusterName, ProjectName};
use federation::ProjectSource;
use http::Uri;
use kube_client::config::{InClusterError, Kubeconfig, KubeconfigError};
use kube_client::{Client, Config};
use runtime::provider::{
    KubeconfigProvider, MiloProvider, ProjectPlanes, SingleProvider, project_path, read_config,
};
use runtime::{Connections, Provider, ProviderError};

use crate::configuration::{ClientLimits, DiscoveryMode, NetworkServicesOperator};
use crate::rate_limit::limited;

/// Planes that cannot be found at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanesError {
    /// A connection.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// Neither a file nor a Pod.
    #[error(
        "no kubeconfig is configured for the platform and this is no Pod ({0}); set discovery.discoveryKubeconfigPath"
    )]
    NotInCluster(#[from] InClusterError),
    /// A kubeconfig that names no planes.
    #[error(
        "kubeconfig {0} has neither contexts core and hub nor one named project/<name>; name its contexts like planes"
    )]
    NoPlanes(PathBuf),
}

/// A provider, and what its way of finding projects means to controllers.
pub(crate) struct Connection {
    /// Finds planes.
    pub(crate) provider: Box<dyn Provider>,
    /// Where projects are known from.
    pub(crate) project_source: ProjectSource,
    /// The cluster this process runs in, if it is a Pod: its leases live there.
    pub(crate) management: Option<Client>,
}

/// Name under which the management cluster is kept for leases. No controller reads it: it is no plane of the product.
pub(crate) fn management() -> ClusterName {
    ClusterName::Cell("management".into())
}

/// The planes of a manager's configuration.
pub(crate) async fn of_configuration(
    configuration: &NetworkServicesOperator,
) -> Result<Connection, PlanesError> {
    let discovery = &configuration.discovery;
    let path = discovery.discovery_kubeconfig_path.as_deref();
    let connections = Connections::default();
    let connection = match discovery.mode {
        DiscoveryMode::Kubeconfig => of_contexts(path.unwrap_or(Path::new(""))),
        DiscoveryMode::Single => {
            let client = connections.client(&ClusterName::Core, platform(path).await?)?;
            let client = limited(client, configuration.control_plane_client);
            Connection {
                provider: Box::new(SingleProvider::new(client)),
                project_source: ProjectSource::Provider,
                management: None,
            }
        }
        DiscoveryMode::Milo => of_milo(configuration, &connections).await?,
    };
    // Whoever is in no Pod keeps its leases on the platform plane.
    let own = Config::incluster().ok().map(|config| connections.client(&management(), config)).transpose()?;
    Ok(Connection { management: own, ..connection })
}

async fn of_milo(
    configuration: &NetworkServicesOperator,
    connections: &Connections,
) -> Result<Connection, PlanesError> {
    let discovery = &configuration.discovery;
    let core = platform(discovery.discovery_kubeconfig_path.as_deref()).await?;
    let projects = match &discovery.project_kubeconfig_path {
        Some(path) => read_config(path, None).await?,
        None => core.clone(),
    };
    let hub = platform(configuration.downstream_resource_management.kubeconfig_path.as_deref()).await?;
    let core = limited(connections.client(&ClusterName::Core, core)?, configuration.control_plane_client);
    let hub = limited(connections.client(&ClusterName::Hub, hub)?, configuration.downstream_client);
    let (connections, limits) = (connections.clone(), configuration.project_client);
    Ok(milo(core, hub, ProjectPaths { config: projects, limits, connections }))
}

/// The planes of a kubeconfig: contexts `core` and `hub`, with projects below core's address, or one context per plane.
pub(crate) async fn of_kubeconfig(path: &Path) -> Result<Connection, PlanesError> {
    let wrong = |source: KubeconfigError| ProviderError::Kubeconfig {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let contexts = Kubeconfig::read_from(path).map_err(wrong)?.contexts;
    let has = |wanted: &str| contexts.iter().any(|context| context.name == wanted);
    let is_project = |name: &str| matches!(name.parse(), Ok(ClusterName::Project(_)));
    if contexts.iter().any(|context| is_project(&context.name)) {
        return Ok(of_contexts(path));
    }
    if !has("core") || !has("hub") {
        return Err(PlanesError::NoPlanes(path.to_owned()));
    }
    let config = read_config(path, Some("core")).await?;
    let connections = Connections::default();
    let hub = connections.client(&ClusterName::Hub, read_config(path, Some("hub")).await?)?;
    let core = connections.client(&ClusterName::Core, config.clone())?;
    Ok(milo(core, hub, ProjectPaths { config, limits: ClientLimits::default(), connections }))
}

fn of_contexts(path: &Path) -> Connection {
    let provider = Box::new(KubeconfigProvider::new(path.to_owned()));
    Connection { provider, project_source: ProjectSource::Provider, management: None }
}

/// Provider `milo` over a platform and a hub.
pub(crate) fn milo(core: Client, hub: Client, projects: impl ProjectPlanes) -> Connection {
    let fixed = vec![(ClusterName::Core, core.clone()), (ClusterName::Hub, hub)];
    Connection {
        provider: Box::new(MiloProvider::new(core, projects, fixed)),
        project_source: ProjectSource::ProjectObjects,
        management: None,
    }
}

async fn platform(path: Option<&Path>) -> Result<Config, PlanesError> {
    match path {
        Some(path) => Ok(read_config(path, None).await?),
        None => Ok(Config::incluster()?),
    }
}

/// Projects below the platform's host.
struct ProjectPaths {
    config: Config,
    limits: ClientLimits,
    connections: Connections,
}

impl ProjectPlanes for ProjectPaths {
    fn project(&self, project: &ProjectName) -> Result<Client, ProviderError> {
        let cluster = ClusterName::Project(project.clone());
        let mut config = self.config.clone();
        let wrong = |text: String| ProviderError::Address { cluster: cluster.clone(), text };
        let mut parts = config.cluster_url.into_parts();
        let path = project_path(project).parse();
        parts.path_and_query = Some(path.map_err(|error: http::uri::InvalidUri| wrong(error.to_string()))?);
        config.cluster_url = Uri::from_parts(parts).map_err(|error| wrong(error.to_string()))?;
        self.connections.client(&cluster, config).map(|client| limited(client, self.limits))
    }
}
