//! The exposition: names, labels and values.

use std::collections::BTreeMap;

use engine::engine::KeyVerdict;
use engine::metrics::PassOutcome;

use super::*;

fn status() -> Status {
    Status {
        is_leading: true,
        lease_holders: Vec::new(),
        clusters: Vec::new(),
        keys: 0,
        reads_per_key: 0,
        queued: 3,
        later: 0,
        in_flight: 0,
        fences: 0,
        holds: 0,
        waiting: BTreeMap::new(),
    }
}

fn verdict(waiting: Option<&'static str>) -> KeyVerdict {
    let waiting = waiting.map(|reason| (reason, String::new()));
    KeyVerdict { controller: "network-presence", key: String::new(), waiting }
}

#[test]
fn counters_and_gauges_carry_their_names_and_no_object() {
    let mut metrics = Metrics::default();
    metrics.passes.insert(("network-presence", PassOutcome::Settled), 7);
    metrics.steps.insert(("network-presence", "create", "applied"), 2);
    metrics.races.insert(("network-presence", "NetworkContext", "resource-version"), 1);
    metrics.queue_waits.entry("network-presence").or_default().observe(std::time::Duration::from_millis(3));
    let verdicts =
        [None, None, Some("UnclaimedGrace"), Some("NetworkContextTerminating"), Some("NetworkNotFound")];
    let text = text(metrics, status(), verdicts.into_iter().map(verdict).collect()).unwrap();
    for line in [
        r#"network_services_passes_total{controller="network-presence",outcome="settled"} 7"#,
        r#"network_services_steps_total{controller="network-presence",action="create",answer="applied"} 2"#,
        r#"network_services_write_races_total{controller="network-presence",kind="NetworkContext",cause="resource-version"} 1"#,
        r#"network_services_queue_wait_seconds_count{controller="network-presence"} 1"#,
        r#"network_services_queue_wait_seconds_bucket{le="0.005",controller="network-presence"} 1"#,
        r#"network_services_presences{state="ready"} 2"#,
        r#"network_services_presences{state="grace"} 1"#,
        r#"network_services_presences{state="terminating"} 1"#,
        r#"network_services_presences{state="waiting"} 1"#,
        "network_services_queue_depth 3",
        "network_services_leader 1",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
    }
}
