//! `CellControllerManager`: the configuration of a cell.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::operator::Discovery;
use super::settings::{MetricsServer, NO_ADDRESS_SERVICE};
use super::{ClientLimits, ConfigurationError, LeaderElection};

/// See the module.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CellControllerManager {
    #[serde(rename = "apiVersion")]
    _api_version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    /// The admin endpoint.
    #[serde(default)]
    pub metrics_server: MetricsServer,
    /// Where projects are known from.
    #[serde(default)]
    pub discovery: Discovery,
    /// Numbers of the lease.
    #[serde(default)]
    pub leader_election: LeaderElection,
    /// Limits of the cell's own client.
    #[serde(default)]
    pub control_plane_client: ClientLimits,
    /// Limits of each project's client.
    #[serde(default)]
    pub project_client: ClientLimits,
    ipam: Option<IgnoredAny>,
    /// The hub.
    #[serde(default)]
    pub federation: Federation,
    /// The location of this cell, where the delivered one is missing.
    #[serde(default)]
    pub location: LocationFallback,
}

/// `federation`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Federation {
    /// Connection to the hub.
    pub kubeconfig_path: Option<PathBuf>,
    /// Limits of its client.
    #[serde(default)]
    pub client: ClientLimits,
}

/// `location`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocationFallback {
    /// Its name.
    pub name: Option<String>,
}

impl CellControllerManager {
    pub(super) fn check(&self, path: &Path) -> Result<(), ConfigurationError> {
        if self.ipam.is_some() {
            let (path, key) = (path.to_owned(), "ipam");
            return Err(ConfigurationError::Unsupported { path, key, reason: NO_ADDRESS_SERVICE });
        }
        if self.federation.kubeconfig_path.is_none() {
            return Err(ConfigurationError::Invalid {
                path: path.to_owned(),
                key: "federation.kubeconfigPath",
                problem: "is missing; it leads to the federation hub".to_owned(),
            });
        }
        self.leader_election.check(path)?;
        self.control_plane_client.check(path, "controlPlaneClient")?;
        self.project_client.check(path, "projectClient")?;
        self.federation.client.check(path, "federation.client")
    }
}
