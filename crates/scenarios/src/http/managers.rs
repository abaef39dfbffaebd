//! Managers in this process, each with its own driver, provider and clients.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::cluster::ClusterRole;
use api::{ClusterName, ProjectName};
use engine::engine::{KeyVerdict, Status, Violation};
use engine::metrics::Metrics;
use engine::{LeasePlace, LeaseSettings, Mark, Settings};
use federation::Configuration;
use kube_client::client::ClientBuilder;
use kube_client::{Client, Config};
use runtime::provider::{Engagements, MiloProvider, ProjectPlanes, Provider, ProviderError, project_path};
use runtime::{Clusters, Driver, Handle, Setup};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::gate::{GateLayer, Late};
use crate::platform::{ManagerOptions, ManagerRef};
use crate::simulated::counters;

/// How long one wait of a round may take before the round is tried again.
const ROUND: Duration = Duration::from_secs(10);

struct Running {
    handle: Handle,
    provider: AbortHandle,
    gate: watch::Sender<bool>,
    late: Late,
}

/// What managers must have seen to be at rest.
pub(super) struct Goal {
    /// Planes that they must have engaged; of projects, these and no other.
    pub(super) expected: Vec<ClusterName>,
    /// What was written.
    pub(super) marks: Vec<Mark>,
}

/// All managers of a platform.
#[derive(Default)]
pub(super) struct Managers {
    running: BTreeMap<ManagerRef, Running>,
    next: u32,
    /// Requests were held since the managers last came to rest: they may have arrived after all.
    had_held: bool,
}

/// Makes clients for project planes under the core's host.
struct Planes {
    core: Config,
    gate: GateLayer,
}

impl ProjectPlanes for Planes {
    fn project(&self, project: &ProjectName) -> Result<Client, ProviderError> {
        let mut config = self.core.clone();
        config.cluster_url = under(&config, &project_path(project));
        Ok(gated(config, &self.gate))
    }
}

/// The configuration's host with this path.
pub(super) fn under(config: &Config, path: &str) -> http::Uri {
    let mut parts = config.cluster_url.clone().into_parts();
    parts.path_and_query = path.parse().ok();
    http::Uri::from_parts(parts).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn gated(mut config: Config, gate: &GateLayer) -> Client {
    config.default_retry = false;
    config.read_timeout = None;
    let builder = ClientBuilder::try_from(config).unwrap_or_else(|error| panic!("{error}"));
    builder.with_layer(gate).build()
}

impl Managers {
    pub(super) fn start(
        &mut self,
        runtime: &Runtime,
        options: &ManagerOptions,
        configs: (Config, Config),
    ) -> ManagerRef {
        let id = ManagerRef(self.next);
        self.next += 1;
        let _guard = runtime.enter();
        let (gate, is_shut) = watch::channel(false);
        let late = Late::default();
        let layer = GateLayer { is_shut, late: late.clone() };
        let clusters = Clusters::default();
        let handle = Driver::start(setup(id, options), clusters.clone());
        let (core, hub) = (gated(configs.0.clone(), &layer), gated(configs.1, &layer));
        let fixed = vec![(ClusterName::Core, core.clone()), (ClusterName::Hub, hub)];
        let provider = MiloProvider::new(core, Planes { core: configs.0, gate: layer }, fixed);
        let provider = Box::new(provider).run(Engagements::new(clusters, handle.clone()));
        let provider = tokio::spawn(provider).abort_handle();
        self.running.insert(id, Running { handle, provider, gate, late });
        id
    }

    pub(super) fn handle(&self, id: ManagerRef) -> Option<&Handle> {
        self.running.get(&id).map(|running| &running.handle)
    }

    pub(super) fn stop(&mut self, runtime: &Runtime, id: ManagerRef) {
        if let Some(running) = self.running.remove(&id) {
            runtime.block_on(running.handle.shutdown());
            running.provider.abort();
        }
    }

    pub(super) fn kill(&mut self, runtime: &Runtime, id: ManagerRef) {
        if let Some(running) = self.running.remove(&id) {
            running.provider.abort();
            runtime.block_on(running.handle.abort());
        }
    }

    pub(super) fn kill_all(&mut self, runtime: &Runtime) {
        let ids: Vec<ManagerRef> = self.running.keys().copied().collect();
        for id in ids {
            self.kill(runtime, id);
        }
    }

    pub(super) fn hold(&mut self, id: ManagerRef, is_held: bool) {
        self.had_held = true;
        if let Some(running) = self.running.get(&id) {
            running.gate.send_replace(is_held);
        }
    }

    pub(super) fn status(&self, runtime: &Runtime, id: ManagerRef) -> Option<Status> {
        runtime.block_on(self.handle(id)?.status()).ok()
    }

    pub(super) fn verdicts(&self, runtime: &Runtime, id: ManagerRef) -> Vec<KeyVerdict> {
        let asked = self.handle(id).and_then(|handle| runtime.block_on(handle.verdicts()).ok());
        asked.unwrap_or_default()
    }

    pub(super) fn metrics(&self, runtime: &Runtime, id: ManagerRef) -> Option<Metrics> {
        runtime.block_on(self.handle(id)?.metrics()).ok().map(|(metrics, _)| metrics)
    }

    /// What each manager wrote so far.
    pub(super) fn writes(&self, runtime: &Runtime) -> Vec<BTreeMap<(String, String), u64>> {
        let metrics = self.running.keys().filter_map(|id| self.metrics(runtime, *id));
        metrics.map(|metrics| counters(&metrics).writes).collect()
    }

    /// Whether nothing but one manager and the scenario has written since the managers last came to rest.
    pub(super) fn is_alone(&self) -> bool {
        self.running.len() <= 1 && !self.had_held
    }

    /// All managers that are not held have come to rest.
    pub(super) fn settled(&mut self) {
        self.had_held = self.running.values().any(|running| *running.gate.borrow());
    }

    pub(super) fn violations(&self, runtime: &Runtime) -> Vec<Violation> {
        let handles = self.running.values().map(|running| &running.handle);
        handles.filter_map(|handle| runtime.block_on(handle.violations()).ok()).flatten().collect()
    }

    /// One round: every manager that is not held has engaged what is there, has seen all and is idle, and one of them leads.
    /// Says what is not so.
    pub(super) fn settle_once(
        &self,
        runtime: &Runtime,
        goal: &Goal,
        is_alone: bool,
        end: Instant,
    ) -> Option<String> {
        let mut free = self.running.iter().filter(|(_, running)| !*running.gate.borrow()).peekable();
        let mut is_led = free.peek().is_none();
        for (id, running) in free {
            let wait = ROUND.min(end.saturating_duration_since(Instant::now()));
            let round = async {
                running.late.all_answered().await;
                engaged(&running.handle, &goal.expected).await;
                // A driver that is gone shows as no status below.
                if !is_alone {
                    let _ = running.handle.catch_up().await;
                }
                running.handle.settled(goal.marks.clone()).await.unwrap_or_default()
            };
            if let Ok(leads) = runtime.block_on(async { tokio::time::timeout(wait, round).await }) {
                is_led |= leads;
            } else {
                let waiting: Vec<_> =
                    self.verdicts(runtime, *id).into_iter().filter(|one| one.waiting.is_some()).collect();
                return Some(format!("manager {}: {waiting:?} {:?}", id.0, self.status(runtime, *id)));
            }
        }
        (!is_led).then(|| "no manager leads".to_owned())
    }
}

/// Returns when a manager has engaged and listed these planes, no project besides, and knows who leads.
async fn engaged(handle: &Handle, expected: &[ClusterName]) {
    loop {
        let Ok(status) = handle.status().await else { return };
        let is_listed = |plane: &ClusterName| {
            let cluster = status.clusters.iter().find(|cluster| cluster.cluster == *plane);
            cluster.is_some_and(|cluster| cluster.kinds.iter().all(|kind| kind.state != "Starting"))
        };
        let is_led = status.is_leading
            || status.lease_holders.iter().all(|holder| holder.as_ref().is_some_and(|name| !name.is_empty()));
        let is_wanted =
            |cluster: &ClusterName| cluster.role() != ClusterRole::Project || expected.contains(cluster);
        let is_engaged = expected.iter().all(is_listed);
        if is_led && is_engaged && status.clusters.iter().all(|status| is_wanted(&status.cluster)) {
            return;
        }
        // Nothing tells when a provider engages a plane; this only looks again, it does not assume.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn setup(id: ManagerRef, options: &ManagerOptions) -> Setup {
    let timing = options.lease;
    let settings = LeaseSettings {
        identity: format!("manager-{}", id.0),
        duration: timing.duration,
        renew_deadline: timing.renew_deadline,
        retry_period: timing.retry_period,
        skew: timing.skew,
    };
    let leases = roles::MANAGER_LEASES.into_iter().map(|name| {
        let (namespace, name) = ("kube-system".into(), name.into());
        (LeasePlace { cluster: ClusterName::Core, namespace, name }, settings.clone())
    });
    let withheld = options.withheld.clone();
    Setup {
        settings: Settings { step_timeout: timing.step_timeout, ..Settings::default() },
        seed: u64::from(id.0),
        controllers: Box::new(move || sim::manager::controllers(&withheld)),
        configuration: Arc::new(Configuration {
            unclaimed_grace_period: options.grace,
            ..Configuration::default()
        }),
        leases: leases.collect(),
        is_read_only: false,
    }
}
