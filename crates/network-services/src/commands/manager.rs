//! `manager`: the controllers of the platform, the hub and the projects, against real planes.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use api::{ClusterName, NamespaceName};
use clap::Args;
use engine::{LeasePlace, LeaseSettings, Settings};
use federation::Configuration;
use federation::configuration::UNCLAIMED_GRACE_PERIOD;
use runtime::provider::Engagements;
use runtime::{Clusters, Driver, Handle, Setup, admin};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tracing::{info, warn};

use crate::commands::explain;
use crate::configuration::{ConfigurationError, LeaderElection, NetworkServicesOperator, read_operator};
use crate::failure::Failure;
use crate::planes::{self, Connection};
use crate::signals;

/// How late a server may apply what was sent before a lease ran out.
const LEASE_SKEW: Duration = Duration::from_secs(2);
/// How long the end may take: answers drain, leases are given back.
const END_MAX: Duration = Duration::from_secs(15);
/// Where a Pod reads its namespace.
const POD_NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// How to run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Configuration file, of kind `NetworkServicesOperator`.
    #[arg(long, alias = "server-config", value_name = "FILE")]
    config: PathBuf,
    /// Act only while holding the leases, so that one of several replicas acts.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, value_name = "BOOL")]
    leader_elect: bool,
    /// Namespace of the leases; that of the Pod where absent.
    #[arg(long, value_name = "NAMESPACE")]
    leader_elect_namespace: Option<String>,
}

/// Runs until a signal comes.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let loaded = read_operator(&arguments.config)?;
    for warning in &loaded.warnings {
        warn!(file = %arguments.config.display(), "{warning}");
    }
    let configuration = loaded.value;
    let namespace = lease_namespace(&arguments)?;
    let listener = listen(&arguments, &configuration).await?;
    let connection = planes::of_configuration(&configuration).await?;
    let plane = if connection.management.is_some() { planes::management() } else { ClusterName::Core };
    let leases = namespace
        .map(|namespace| lease_settings((&plane, &namespace), &identity(), &configuration.leader_election));
    let leases = leases.unwrap_or_default();
    let grace = configuration.network_presence.unclaimed_grace_period.unwrap_or(UNCLAIMED_GRACE_PERIOD);
    let controllers = Controllers::start(connection, leases, grace);
    let admin = listener.map(|listener| serve_admin(listener, controllers.handle.clone()));
    signals::asked_to_end().await;
    info!("asked to end: nothing new is sent, answers drain, leases are given back");
    controllers.stop().await;
    if let Some(admin) = admin {
        admin.abort();
    }
    Ok(())
}

/// Running controllers.
pub(crate) struct Controllers {
    /// Talks to them.
    pub(crate) handle: Handle,
    provider: JoinHandle<()>,
}

impl Controllers {
    /// Starts the manager's controllers on the planes of a connection.
    pub(crate) fn start(
        connection: Connection,
        leases: Vec<(LeasePlace, LeaseSettings)>,
        unclaimed_grace_period: Duration,
    ) -> Self {
        let project_source = connection.project_source;
        let configuration = Configuration { project_source, unclaimed_grace_period };
        Self::start_with(connection, leases, configuration, false)
    }

    /// The same, without ever sending anything.
    pub(crate) fn observe(connection: Connection) -> Self {
        let project_source = connection.project_source;
        let configuration = Configuration { project_source, ..Configuration::default() };
        Self::start_with(connection, Vec::new(), configuration, true)
    }

    fn start_with(
        connection: Connection,
        leases: Vec<(LeasePlace, LeaseSettings)>,
        configuration: Configuration,
        is_read_only: bool,
    ) -> Self {
        let clusters = Clusters::default();
        if let Some(client) = connection.management {
            clusters.engage(&planes::management(), client);
        }
        let setup = Setup {
            settings: Settings::default(),
            seed: u64::from(std::process::id()),
            controllers: Box::new(roles::manager),
            configuration: Arc::new(configuration),
            leases,
            is_read_only,
        };
        let handle = Driver::start(setup, clusters.clone());
        let engagements = Engagements::new(clusters, handle.clone());
        let provider = tokio::spawn(connection.provider.run(engagements));
        Self { handle, provider }
    }

    /// Stops sending, lets answers drain and gives the leases back.
    pub(crate) async fn stop(self) {
        if tokio::time::timeout(END_MAX, self.handle.shutdown()).await.is_err() {
            warn!("answers did not drain in time; the leases run out by themselves");
        }
        self.provider.abort();
    }
}

/// The leases of a manager, on a plane and in a namespace of it.
pub(crate) fn lease_settings(
    (plane, namespace): (&ClusterName, &NamespaceName),
    identity: &str,
    election: &LeaderElection,
) -> Vec<(LeasePlace, LeaseSettings)> {
    let (duration, renew_deadline, retry_period) = election.numbers();
    let settings = LeaseSettings {
        identity: identity.to_owned(),
        duration,
        renew_deadline,
        retry_period,
        skew: LEASE_SKEW,
    };
    let lease = |name: &&str| {
        let (cluster, namespace) = (plane.clone(), namespace.clone());
        (LeasePlace { cluster, namespace, name: (*name).into() }, settings.clone())
    };
    roles::MANAGER_LEASES.iter().map(lease).collect()
}

/// Where the leases are; none without leader election.
fn lease_namespace(arguments: &Arguments) -> Result<Option<NamespaceName>, ConfigurationError> {
    if !arguments.leader_elect {
        warn!("without leader election a second replica would act at the same time");
        return Ok(None);
    }
    let of_pod = || std::fs::read_to_string(POD_NAMESPACE).ok();
    let namespace = arguments.leader_elect_namespace.clone().or_else(of_pod);
    let namespace = namespace.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let Some(namespace) = namespace else {
        return Err(ConfigurationError::Invalid {
            path: arguments.config.clone(),
            key: "leader election",
            problem: "has no namespace: this is no Pod, and --leader-elect-namespace is not given".to_owned(),
        });
    };
    Ok(Some(NamespaceName::new(namespace.as_str())))
}

/// Who this process is in its leases: no other process has host name and number.
fn identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "network-services" } else { host.trim() };
    format!("{host}_{}_{}", std::process::id(), jiff::Timestamp::now().as_microsecond())
}

async fn listen(
    arguments: &Arguments,
    configuration: &NetworkServicesOperator,
) -> Result<Option<TcpListener>, ConfigurationError> {
    let Some(text) = configuration.metrics_server.bind_address.as_deref() else { return Ok(None) };
    if matches!(text, "" | "0") {
        return Ok(None);
    }
    let invalid = |problem: String| ConfigurationError::Invalid {
        path: arguments.config.clone(),
        key: "metricsServer.bindAddress",
        problem,
    };
    let full = if text.starts_with(':') { format!("0.0.0.0{text}") } else { text.to_owned() };
    let address: SocketAddr = full
        .parse()
        .map_err(|_| invalid(format!("is {text:?}; write an IP address and a port, or :port")))?;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| {
        invalid(format!("{address} cannot be bound: {error}; free the port or name another"))
    })?;
    if let Ok(address) = admin::address(&listener) {
        info!(%address, "the admin endpoint answers");
    }
    Ok(Some(listener))
}

/// Serves health, metrics and explanations.
pub(crate) fn serve_admin(listener: TcpListener, handle: Handle) -> JoinHandle<()> {
    let router = admin::router(handle, explain::kind_by_name);
    tokio::spawn(async move {
        if let Err(error) = admin::serve(listener, router, std::future::pending()).await {
            warn!(%error, "the admin endpoint ended");
        }
    })
}
