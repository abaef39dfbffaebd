//! The exposition: names, labels and values.

use std::time::Duration;

use api::Kind;
use api::networking::{NetworkBinding, NetworkContext};
use engine::engine::InformerGauge;
use engine::metrics::{LAG_BOUNDS, PASS_BOUNDS, PassOutcome, QUEUE_BOUNDS};

use super::*;

fn one(bounds: &'static [f64], milliseconds: u64) -> Histogram {
    let mut histogram = Histogram::new(bounds);
    histogram.observe(Duration::from_millis(milliseconds));
    histogram
}

fn counted() -> Metrics {
    let mut metrics = Metrics::default();
    metrics.passes.insert(("network-presence", PassOutcome::Settled), 7);
    metrics.steps.insert(("network-presence", "create", "applied"), 2);
    metrics.races.insert(("network-presence", "NetworkContext", "resource-version"), 1);
    metrics.queue_waits.insert("network-presence", one(QUEUE_BOUNDS, 3));
    metrics.pass_times.insert("network-presence", one(PASS_BOUNDS, 1));
    metrics.ready_times.insert("network-binding", one(READY_BOUNDS, 30));
    metrics.ready_times.insert("network-context", one(READY_BOUNDS, 30));
    metrics.informer_lags.insert((ClusterRole::Hub, NetworkBinding::RESOURCE), one(LAG_BOUNDS, 4));
    metrics
}

fn now() -> Gauges {
    let presences = [
        (None, 2),
        (Some("UnclaimedGrace"), 1),
        (Some("NetworkContextTerminating"), 1),
        (Some("NetworkNotFound"), 1),
        (Some("LocationNotAvailable"), 2),
    ];
    let mut verdicts: BTreeMap<_, _> =
        presences.into_iter().map(|(reason, keys)| (("network-presence", reason), keys)).collect();
    verdicts.insert(("network-binding", None), 9);
    let gauge = InformerGauge { objects: 5, silence: Duration::from_millis(1500) };
    Gauges {
        is_leading: true,
        queue_depth: BTreeMap::from([("network-binding", 0), ("network-presence", 3)]),
        verdicts,
        informers: BTreeMap::from([((ClusterRole::Project, NetworkContext::RESOURCE), gauge)]),
        engaged: BTreeMap::from([(ClusterRole::Hub, 1), (ClusterRole::Project, 4)]),
    }
}

#[test]
fn every_metric_carries_its_name_and_labels_and_no_object() {
    let text = text(counted(), now()).unwrap();
    for line in [
        r#"network_services_passes_total{controller="network-presence",outcome="settled"} 7"#,
        r#"network_services_steps_total{controller="network-presence",action="create",answer="applied"} 2"#,
        r#"network_services_write_races_total{controller="network-presence",kind="NetworkContext",cause="resource-version"} 1"#,
        r#"network_services_queue_wait_seconds_count{controller="network-presence"} 1"#,
        r#"network_services_queue_wait_seconds_bucket{le="0.005",controller="network-presence"} 1"#,
        r#"network_services_pass_duration_seconds_count{controller="network-presence"} 1"#,
        r#"network_services_pass_duration_seconds_bucket{le="0.00025",controller="network-presence"} 0"#,
        r#"network_services_pass_duration_seconds_bucket{le="0.001",controller="network-presence"} 1"#,
        "network_services_presence_ready_seconds_count 1",
        r#"network_services_presence_ready_seconds_bucket{le="0.05"} 1"#,
        r#"network_services_informer_lag_seconds_bucket{le="0.005",cluster_role="hub",kind="networkbindings.networking.datumapis.com"} 1"#,
        r#"network_services_informer_objects{cluster_role="project",kind="networkcontexts.networking.datumapis.com"} 5"#,
        r#"network_services_informer_silence_seconds{cluster_role="project",kind="networkcontexts.networking.datumapis.com"} 1.5"#,
        r#"network_services_presences{state="ready"} 2"#,
        r#"network_services_presences{state="grace"} 1"#,
        r#"network_services_presences{state="terminating"} 1"#,
        r#"network_services_presences{state="waiting"} 3"#,
        r#"network_services_cluster_engaged{role="project"} 4"#,
        r#"network_services_queue_depth{controller="network-binding"} 0"#,
        r#"network_services_queue_depth{controller="network-presence"} 3"#,
        "network_services_leader 1",
        "network_services_rootless_unsettled_keys 0",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
    }
}

#[test]
fn every_metric_says_what_it_is_before_anything_was_counted() {
    let text = text(Metrics::default(), Gauges::default()).unwrap();
    for (name, kind) in [
        ("presences", "gauge"),
        ("presence_ready_seconds", "histogram"),
        ("passes", "counter"),
        ("pass_duration_seconds", "histogram"),
        ("steps", "counter"),
        ("write_races", "counter"),
        ("queue_depth", "gauge"),
        ("queue_wait_seconds", "histogram"),
        ("informer_objects", "gauge"),
        ("informer_lag_seconds", "histogram"),
        ("cluster_engaged", "gauge"),
        ("rootless_unsettled_keys", "gauge"),
        ("leader", "gauge"),
    ] {
        let typed = format!("# TYPE network_services_{name} {kind}");
        assert!(text.lines().any(|line| line == typed), "{typed} is not in\n{text}");
        let help = format!("# HELP network_services_{name} ");
        assert!(text.lines().any(|line| line.starts_with(&help)), "{help} is not in\n{text}");
    }
}

#[test]
fn a_presence_is_counted_in_the_bucket_of_its_time_and_in_every_larger_one() {
    let mut metrics = Metrics::default();
    metrics.ready_times.insert("network-binding", one(READY_BOUNDS, 700));
    let text = text(metrics, Gauges::default()).unwrap();
    for (bound, count) in [("0.5", 0), ("1.0", 1), ("300.0", 1), ("+Inf", 1)] {
        let line = format!(r#"network_services_presence_ready_seconds_bucket{{le="{bound}"}} {count}"#);
        assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
    }
}
