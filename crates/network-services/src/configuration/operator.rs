//! `NetworkServicesOperator`: the configuration of `manager`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::settings::{KubeconfigFile, MetricsServer, NO_ADDRESS_SERVICE};
use super::{ClientLimits, ConfigurationError, LeaderElection, duration};

/// See the module.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkServicesOperator {
    #[serde(rename = "apiVersion")]
    _api_version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    /// The admin endpoint.
    #[serde(default)]
    pub metrics_server: MetricsServer,
    webhook_server: Option<WebhookServer>,
    /// Where projects are known from.
    #[serde(default)]
    pub discovery: Discovery,
    /// The hub.
    #[serde(default)]
    pub downstream_resource_management: KubeconfigFile,
    /// Numbers of the leases.
    #[serde(default)]
    pub leader_election: LeaderElection,
    /// Limits of the platform's client.
    #[serde(default)]
    pub control_plane_client: ClientLimits,
    /// Limits of the hub's client.
    #[serde(default)]
    pub downstream_client: ClientLimits,
    /// Limits of each project's client.
    #[serde(default)]
    pub project_client: ClientLimits,
    ipam: Option<IgnoredAny>,
    /// Presences.
    #[serde(default)]
    pub network_presence: NetworkPresence,
    location_publisher: Option<IgnoredAny>,
    gateway: Option<BTreeMap<String, serde_json::Value>>,
    http_proxy: Option<IgnoredAny>,
    connector: Option<IgnoredAny>,
    redis: Option<IgnoredAny>,
    domain_verification_config: Option<IgnoredAny>,
    domain_registration: Option<IgnoredAny>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "decoded so that unknown keys are told")]
struct WebhookServer {
    host: Option<String>,
    port: Option<u16>,
    tls: Option<IgnoredAny>,
    #[serde(rename = "clientCAName")]
    client_ca_name: Option<String>,
}

/// `discovery`: where projects are known from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the keys are those of the reference")]
pub struct Discovery {
    /// How.
    #[serde(default)]
    pub mode: DiscoveryMode,
    /// Connection to the platform (`single`, `milo`), or the file whose contexts are planes (`kubeconfig`).
    pub discovery_kubeconfig_path: Option<PathBuf>,
    /// Connection to projects; that of the platform where absent.
    pub project_kubeconfig_path: Option<PathBuf>,
    internal_service_discovery: Option<bool>,
}

/// How projects are discovered.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum DiscoveryMode {
    /// One server is every plane.
    #[default]
    Single,
    /// Project objects of the platform.
    Milo,
    /// Contexts of one file.
    Kubeconfig,
}

/// `networkPresence`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkPresence {
    /// How long a presence stays that nothing declares; 24 h where absent, 0 ends it at once.
    #[serde(default, deserialize_with = "duration::optional")]
    pub unclaimed_grace_period: Option<Duration>,
}

/// The part of `gateway` that is ours.
const REPLICATOR: &str = "resourceReplicator";

impl NetworkServicesOperator {
    pub(super) fn check(&self, path: &Path) -> Result<(), ConfigurationError> {
        self.check_supported(path)?;
        self.leader_election.check(path)?;
        self.control_plane_client.check(path, "controlPlaneClient")?;
        self.downstream_client.check(path, "downstreamClient")?;
        self.project_client.check(path, "projectClient")?;
        self.check_discovery(path)
    }

    /// What this build cannot do is refused, not left undone.
    fn check_supported(&self, path: &Path) -> Result<(), ConfigurationError> {
        let replicates = self.gateway.as_ref().is_some_and(|gateway| gateway.contains_key(REPLICATOR));
        let asked = [
            (self.ipam.is_some(), "ipam", NO_ADDRESS_SERVICE),
            (
                self.location_publisher.is_some(),
                "locationPublisher",
                "this build has no location publisher yet; remove the key and let another component publish locations",
            ),
            (
                replicates,
                "gateway.resourceReplicator",
                "this build copies nothing to the hub yet; remove the key",
            ),
            (
                self.metrics_server.secure_serving == Some(true) || self.metrics_server.tls.is_some(),
                "metricsServer.secureServing",
                "the admin endpoint is served without TLS; set it to false and bind it to an address that only its readers reach",
            ),
            (
                self.discovery.internal_service_discovery == Some(true),
                "discovery.internalServiceDiscovery",
                "projects are reached below the platform's own address; remove the key",
            ),
        ];
        match asked.into_iter().find(|(is_asked, ..)| *is_asked) {
            Some((_, key, reason)) => {
                Err(ConfigurationError::Unsupported { path: path.to_owned(), key, reason })
            }
            None => Ok(()),
        }
    }

    fn check_discovery(&self, path: &Path) -> Result<(), ConfigurationError> {
        let discovery = &self.discovery;
        let invalid = |key, problem: &str| {
            Err(ConfigurationError::Invalid { path: path.to_owned(), key, problem: problem.to_owned() })
        };
        let has_hub = self.downstream_resource_management.kubeconfig_path.is_some();
        let is_limited = [self.control_plane_client, self.downstream_client, self.project_client]
            .iter()
            .any(|limits| *limits != ClientLimits::default());
        match discovery.mode {
            DiscoveryMode::Milo if !has_hub => invalid(
                "downstreamResourceManagement.kubeconfigPath",
                "is missing; with discovery.mode milo it leads to the federation hub",
            ),
            DiscoveryMode::Single if has_hub => invalid(
                "downstreamResourceManagement.kubeconfigPath",
                "is given, but with discovery.mode single one server is every plane; remove it, or set the mode to milo",
            ),
            DiscoveryMode::Kubeconfig if has_hub => invalid(
                "downstreamResourceManagement.kubeconfigPath",
                "is given, but with discovery.mode kubeconfig the hub is the context \"hub\" of the one file; remove it",
            ),
            DiscoveryMode::Kubeconfig if discovery.discovery_kubeconfig_path.is_none() => invalid(
                "discovery.discoveryKubeconfigPath",
                "is missing; with discovery.mode kubeconfig it names the file whose contexts are planes",
            ),
            DiscoveryMode::Kubeconfig if is_limited => {
                invalid("qps", "cannot be honoured with discovery.mode kubeconfig; remove qps and burst")
            }
            _ => Ok(()),
        }
    }

    /// What it says that has no effect here.
    pub(super) fn warnings(&self) -> Vec<String> {
        let unneeded = [
            ("webhookServer", self.webhook_server.is_some()),
            ("httpProxy", self.http_proxy.is_some()),
            ("connector", self.connector.is_some()),
            ("redis", self.redis.is_some()),
            ("domainVerificationConfig", self.domain_verification_config.is_some()),
            ("domainRegistration", self.domain_registration.is_some()),
        ];
        let top = unneeded.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key.to_owned());
        let gateway = self.gateway.iter().flat_map(BTreeMap::keys).map(|key| format!("gateway.{key}"));
        top.chain(gateway).map(|key| format!("key {key} has no effect: nothing here needs it")).collect()
    }
}
