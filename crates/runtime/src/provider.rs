//! Providers discover clusters and keep them engaged while they are there.

mod keep;
mod kubeconfig;
mod milo;
mod single;

use std::path::PathBuf;

use api::{ClusterName, ProjectName};
use engine::{Identity, Input};
use kube_client::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube_client::{Client, Config};
use thiserror::Error;

pub use self::keep::keep_engaged;
pub use self::kubeconfig::KubeconfigProvider;
pub use self::milo::{MiloProvider, ProjectPlanes};
pub use self::single::SingleProvider;
use crate::cluster::Clusters;
use crate::connection::Connections;
use crate::driver::{Handle, Stopped};

/// What keeps a provider from working.
#[derive(Debug, Error)]
pub enum ProviderError {
    /// A kubeconfig cannot be read or used.
    #[error("kubeconfig {path}: {source}; give a readable kubeconfig with a context for the plane")]
    Kubeconfig {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<KubeconfigError>,
    },
    /// A client cannot be made.
    #[error("a client for plane {cluster} cannot be made: {source}")]
    Client {
        /// The plane.
        cluster: ClusterName,
        /// Why.
        source: Box<kube_client::Error>,
    },
    /// The address of a plane is none.
    #[error("the address of plane {cluster} cannot be made: {text}")]
    Address {
        /// The plane.
        cluster: ClusterName,
        /// Why.
        text: String,
    },
}

/// Discovers clusters until the process ends.
pub trait Provider: Send + 'static {
    /// Runs the provider.
    fn run(self: Box<Self>, engagements: Engagements) -> futures::future::BoxFuture<'static, ()>;
}

/// Where providers report.
#[derive(Clone, Debug)]
pub struct Engagements {
    clusters: Clusters,
    handle: Handle,
}

impl Engagements {
    /// Reports to a driver and the clients it uses.
    #[must_use]
    pub fn new(clusters: Clusters, handle: Handle) -> Self {
        Self { clusters, handle }
    }

    /// Engages a cluster whose server says it is `server`; gives the engagement's number.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn engage(&self, name: &ClusterName, client: Client, server: String) -> Result<u64, Stopped> {
        let engagement = self.clusters.engage(name, client);
        self.handle.input(Input::Engaged(name.clone(), Identity { engagement, server })).await?;
        Ok(engagement)
    }

    /// Ends an engagement.
    ///
    /// # Errors
    /// If the driver is gone.
    pub async fn disengage(&self, name: &ClusterName, engagement: u64) -> Result<(), Stopped> {
        self.clusters.disengage(name, engagement);
        self.handle.input(Input::Disengaged(name.clone(), engagement)).await
    }
}

/// Reads a kubeconfig; `context` picks one, else its current context.
///
/// # Errors
/// If the file cannot be read, or has no such context.
pub async fn read_config(path: &std::path::Path, context: Option<&str>) -> Result<Config, ProviderError> {
    let wrong = |source| ProviderError::Kubeconfig { path: path.to_owned(), source: Box::new(source) };
    let kubeconfig = Kubeconfig::read_from(path).map_err(wrong)?;
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(wrong)
}

/// A client with connections of its own; see [`Connections::client`].
///
/// # Errors
/// If the configuration cannot be used.
pub fn client_of(cluster: &ClusterName, config: Config) -> Result<Client, ProviderError> {
    Connections::default().client(cluster, config)
}

/// Path of a project's control plane under the platform's host; it replaces whatever base path the host has (behaviour IP1).
#[must_use]
pub fn project_path(project: &ProjectName) -> String {
    format!("/apis/resourcemanager.miloapis.com/v1alpha1/projects/{project}/control-plane")
}
