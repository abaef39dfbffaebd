//! A manager in this process.

use std::sync::Arc;
use std::time::Duration;

use api::ClusterName;
use api::labels::lease;
use engine::engine::Status;
use engine::metrics::{Metrics, PassOutcome};
use engine::{LeasePlace, LeaseSettings, Settings};
use federation::Configuration;
use runtime::provider::{Engagements, MiloProvider, Provider};
use runtime::{Clusters, Driver, Handle, Setup};
use tokio::task::AbortHandle;

use crate::servers::Servers;

/// A running manager.
pub(crate) struct Manager {
    pub(crate) handle: Handle,
    provider: AbortHandle,
}

impl Manager {
    /// Starts one.
    pub(crate) fn start(servers: &Servers, identity: &str) -> Self {
        let clusters = Clusters::default();
        let handle = Driver::start(setup(identity), clusters.clone());
        let core = servers.client(&ClusterName::Core);
        let fixed =
            vec![(ClusterName::Core, core.clone()), (ClusterName::Hub, servers.client(&ClusterName::Hub))];
        let provider = Box::new(MiloProvider::new(core, servers.planes(), fixed));
        let provider = tokio::spawn(provider.run(Engagements::new(clusters, handle.clone()))).abort_handle();
        Self { handle, provider }
    }

    /// Stops it as SIGTERM does.
    pub(crate) async fn stop(self) {
        self.handle.shutdown().await;
        self.provider.abort();
    }

    /// Returns when the project's plane is engaged, everything is listed and nothing is left to do.
    pub(crate) async fn quiet(&self, planes: usize) -> Option<()> {
        let mut idle = self.handle.idle();
        loop {
            // The status is a look at every key: asked while the engine works, it would be measured too.
            idle.wait_for(|idle| *idle).await.ok()?;
            let status = self.handle.status().await.ok()?;
            if is_listed(&status, planes) && status.is_leading && *idle.borrow() {
                return Some(());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The counters.
    pub(crate) async fn metrics(&self) -> Metrics {
        self.handle.metrics().await.map(|(metrics, _)| metrics).unwrap_or_default()
    }
}

fn is_listed(status: &Status, planes: usize) -> bool {
    let kinds = status.clusters.iter().flat_map(|cluster| &cluster.kinds);
    status.clusters.len() >= planes && kinds.into_iter().all(|kind| kind.state != "Starting")
}

/// Steps sent.
pub(crate) fn writes(metrics: &Metrics) -> u64 {
    metrics.steps.values().sum()
}

/// Passes, and how many of them were dropped because a first list had not finished.
pub(crate) fn passes(metrics: &Metrics) -> (u64, u64) {
    let cold = metrics.passes.iter().filter(|((_, outcome), _)| *outcome == PassOutcome::Cold);
    let cold: u64 = cold.map(|(_, count)| count).sum();
    (metrics.passes.values().sum::<u64>() - cold, cold)
}

fn setup(identity: &str) -> Setup {
    let settings = LeaseSettings {
        identity: identity.to_owned(),
        duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period: Duration::from_secs(2),
        skew: Duration::from_secs(2),
    };
    let leases = [lease::MANAGER, lease::MANAGER_SINGLETON].into_iter().map(|name| {
        let (namespace, name) = ("kube-system".into(), name.into());
        (LeasePlace { cluster: ClusterName::Core, namespace, name }, settings.clone())
    });
    Setup {
        settings: Settings::default(),
        seed: 1,
        controllers: Box::new(|| sim::manager::controllers(&[])),
        configuration: Arc::new(Configuration::default()),
        leases: leases.collect(),
        is_read_only: false,
    }
}
