//! The bench of presence.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use api::networking::{Network, NetworkBinding};
use api::resourcemanager::Project;
use api::{ClusterName, Kind, labels, locations};
use serde_json::{Value, json};

use crate::PresenceArguments;
use crate::ceiling;
use crate::load::{self, ReadyTimes};
use crate::manager::{Manager, passes, writes};
use crate::process::{cpu_seconds, resident_mib};
use crate::reactions;
use crate::report::{Latency, Report};
use crate::servers::{PROJECT, Servers};

pub(crate) const HUB_NAMESPACE: &str = "ns-bench";
pub(crate) const NAMESPACE: &str = "default";
/// Bindings one after the other, for latency without load.
const SINGLES: usize = 40;
/// How long all presences may take.
const LIMIT: Duration = Duration::from_mins(30);
/// Core, hub and the project.
const PLANES: usize = 3;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs it.
pub(crate) async fn run(arguments: &PresenceArguments) -> Result<Report, Failure> {
    let servers = match &arguments.kubeconfig {
        Some(path) => Servers::kubeconfig(path).await?,
        None => Servers::embedded()?,
    };
    let resident_start_mib = resident_mib();
    prepare(&servers, arguments).await?;
    let project = servers.client(&ClusterName::Project(PROJECT.into()));
    let ceiling = ceiling::measure(&project, arguments.clients).await?;
    let manager = Manager::start(&servers, "one");
    manager.quiet(PLANES).await.ok_or("the manager is gone")?;
    let times = ReadyTimes::default();
    let watching = tokio::spawn(load::watch_ready(servers.client(&ClusterName::Hub), times.clone()));
    let before = manager.metrics().await;
    let cpu_before = cpu_seconds();
    let (seconds, under_load) = loaded(&servers, arguments, &times).await?;
    manager.quiet(PLANES).await.ok_or("the manager is gone")?;
    let after = manager.metrics().await;
    let (cpu, resident_ready_mib) = (cpu_seconds() - cpu_before, resident_mib());
    let without_load = singles(&servers, &times).await?;
    let reactions = reactions::measure(&servers).await?;
    manager.quiet(PLANES).await.ok_or("the manager is gone")?;
    let steady = manager.metrics().await;
    manager.handle.catch_up().await?;
    let steady_writes = writes(&manager.metrics().await) - writes(&steady);
    let reads_per_key = manager.handle.status().await?.reads_per_key;
    manager.stop().await;
    watching.abort();
    let (restart_seconds_to_quiet, restarted) = restart(&servers).await?;
    let (restart_passes, restart_cold_passes) = passes(&restarted);
    let total = writes(&after) - writes(&before);
    let count = arguments.count;
    let writes_per_presence = ratio(usize::try_from(total).unwrap_or(usize::MAX), ratio(count, 1.0));
    let ceiling_presences = ceiling.presences(writes_per_presence);
    Ok(Report {
        server_creates_per_second: ceiling.creates,
        server_applies_per_second: ceiling.applies,
        ceiling_presences_per_second: ceiling_presences,
        presences: count,
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        servers: servers.name(),
        seconds_to_all_ready: seconds,
        presences_per_second: ratio(count, seconds),
        under_load,
        without_load,
        reactions,
        writes: total,
        writes_per_presence,
        races: after.races.values().sum(),
        passes: passes(&after).0 - passes(&before).0,
        cpu_seconds: cpu,
        resident_start_mib,
        resident_ready_mib,
        restart_seconds_to_quiet,
        restart_passes,
        restart_cold_passes,
        restart_writes: writes(&restarted),
        restart_fences: restarted.fences,
        steady_writes,
        reads_per_key,
    })
}

#[allow(clippy::cast_precision_loss, reason = "counts of a bench are far below 2^52")]
pub(crate) fn ratio(count: usize, of: f64) -> f64 {
    count as f64 / of
}

pub(crate) fn object<K: Kind>(name: &str, spec: &Value) -> Value {
    json!({"apiVersion": K::RESOURCE.api_version(), "kind": K::RESOURCE.kind, "metadata": {"name": name}, "spec": spec})
}

/// Project, hub namespace, locations and networks.
async fn prepare(servers: &Servers, arguments: &PresenceArguments) -> Result<(), Failure> {
    let core = servers.client(&ClusterName::Core);
    let spec = json!({"ownerRef": {"kind": "Organization", "name": "bench"}});
    load::create(&core, Project::RESOURCE, None, &object::<Project>(PROJECT, &spec)).await?;
    if !servers.mounts_projects() {
        let path = format!("{}/{PROJECT}/status", engine::request::collection_path(Project::RESOURCE, None));
        let condition = json!({"type": "Ready", "status": "True", "reason": "Ready", "message": "its plane answers",
            "lastTransitionTime": "2026-01-01T00:00:00Z"});
        load::send(&core, "PATCH", &path, &json!({"status": {"conditions": [condition]}})).await?;
    }
    let hub = servers.client(&ClusterName::Hub);
    let routing = json!({labels::UPSTREAM_CLUSTER_NAME: format!("cluster-{PROJECT}"), labels::UPSTREAM_NAMESPACE: NAMESPACE});
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HUB_NAMESPACE, "labels": routing}});
    load::send(&hub, "POST", "/api/v1/namespaces", &namespace).await?;
    let project = servers.client(&ClusterName::Project(PROJECT.into()));
    let per_network = arguments.count.div_ceil(arguments.networks.max(1)).max(1);
    let bodies = (0..per_network).map(|number| location(&format!("l{number}"))).collect();
    load::create_all(&project, locations::Location::RESOURCE, None, bodies, arguments.clients).await?;
    let spec = json!({"ipam": {"mode": "Auto"}});
    let bodies =
        (0..=arguments.networks).map(|number| object::<Network>(&format!("n{number}"), &spec)).collect();
    load::create_all(&project, Network::RESOURCE, Some(NAMESPACE), bodies, arguments.clients).await?;
    let bodies = (0..SINGLES).map(|number| location(&format!("single{number}"))).collect();
    load::create_all(&project, locations::Location::RESOURCE, None, bodies, arguments.clients).await?;
    Ok(())
}

/// A Location.
pub(crate) fn location(name: &str) -> Value {
    let spec = json!({"locationClassRef": {"name": "edge"}, "topology": {labels::CITY_CODE: "DFW"}});
    object::<locations::Location>(name, &spec)
}

/// A declaration that a network is used in a location.
pub(crate) fn binding(name: &str, network: &str, location: &str) -> Value {
    let spec = json!({"network": {"name": network}, "location": {"name": location}});
    object::<NetworkBinding>(name, &spec)
}

/// All bindings as fast as the clients can; seconds until the last is Ready, and how long each took.
async fn loaded(
    servers: &Servers,
    arguments: &PresenceArguments,
    times: &ReadyTimes,
) -> Result<(f64, Latency), Failure> {
    use futures::stream::{self, StreamExt};
    let hub = servers.client(&ClusterName::Hub);
    let networks = arguments.networks.max(1);
    let started = Instant::now();
    let made = stream::iter(0..arguments.count).map(|number| {
        let hub = hub.clone();
        async move {
            let name = format!("b{number}");
            let network = format!("n{}", number % networks);
            let body = binding(&name, &network, &format!("l{}", number / networks));
            let sent = Instant::now();
            load::create(&hub, NetworkBinding::RESOURCE, Some(HUB_NAMESPACE), &body)
                .await
                .map(|()| (name, sent))
        }
    });
    let results: Vec<Result<(String, Instant), load::LoadError>> =
        made.buffer_unordered(arguments.clients).collect().await;
    let sent: BTreeMap<String, Instant> = results.into_iter().collect::<Result<_, _>>()?;
    while times.len() < arguments.count {
        if started.elapsed() > LIMIT {
            return Err(format!(
                "{} of {} presences are Ready after {LIMIT:?}",
                times.len(),
                arguments.count
            )
            .into());
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let seconds = started.elapsed().as_secs_f64();
    let waits = sent.iter().filter_map(|(name, sent)| Some(times.get(name)?.duration_since(*sent)));
    Ok((seconds, Latency::of(waits.collect())))
}

/// One binding after the other, each when the one before is Ready.
async fn singles(servers: &Servers, times: &ReadyTimes) -> Result<Latency, Failure> {
    let hub = servers.client(&ClusterName::Hub);
    let mut waits = Vec::new();
    for number in 0..SINGLES {
        let name = format!("single{number}");
        let sent = Instant::now();
        let body = binding(&name, "n0", &name);
        load::create(&hub, NetworkBinding::RESOURCE, Some(HUB_NAMESPACE), &body).await?;
        let ready = loop {
            if let Some(ready) = times.get(&name) {
                break ready;
            }
            if sent.elapsed() > Duration::from_mins(2) {
                return Err(format!("binding {name} is not Ready after two minutes").into());
            }
            tokio::time::sleep(Duration::from_micros(200)).await;
        };
        waits.push(ready.duration_since(sent));
    }
    Ok(Latency::of(waits))
}

/// A new process on what is there: seconds until it is quiet, and what it counted.
async fn restart(servers: &Servers) -> Result<(f64, engine::metrics::Metrics), Failure> {
    let started = Instant::now();
    let manager = Manager::start(servers, "two");
    manager.quiet(PLANES).await.ok_or("the manager is gone")?;
    let seconds = started.elapsed().as_secs_f64();
    let metrics = manager.metrics().await;
    manager.stop().await;
    Ok((seconds, metrics))
}
