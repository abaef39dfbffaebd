//! One presence from nothing to Ready and back.

use std::time::Duration;

use api::ClusterName;
use serde_json::json;
use sim::network::ManagerId;
use sim::{ManagerOptions, World};

const JSON: &str = "application/json";

fn post(world: &mut World, cluster: &ClusterName, path: &str, body: &serde_json::Value) {
    let reply = world.call(cluster, "POST", path, (JSON, &body.to_string()));
    assert!(reply.code < 300, "{path}: {reply:?}");
}

const BINDINGS: &str = "/apis/networking.datumapis.com/v1alpha/namespaces/h/networkbindings";
const LOCATIONS: &str = "/apis/locations.miloapis.com/v1alpha1/locations";

/// Declares binding `b` in a world with a manager.
fn declare(world: &mut World) -> ManagerId {
    let (hub, project) = (ClusterName::Hub, ClusterName::Project("p".into()));
    post(
        world,
        &ClusterName::Core,
        "/apis/resourcemanager.miloapis.com/v1alpha1/projects",
        &json!({
        "apiVersion": "resourcemanager.miloapis.com/v1alpha1", "kind": "Project", "metadata": {"name": "p"},
        "spec": {"ownerRef": {"kind": "Organization", "name": "o"}}}),
    );
    let manager = world.start_manager(&ManagerOptions::default());
    post(
        world,
        &hub,
        "/api/v1/namespaces",
        &json!({"metadata": {"name": "h", "labels": {
        "meta.datumapis.com/upstream-cluster-name": "cluster-p", "meta.datumapis.com/upstream-namespace": "default"}}}),
    );
    settle(world);
    lead(world, manager);
    post(
        world,
        &project,
        LOCATIONS,
        &json!({
        "apiVersion": "locations.miloapis.com/v1alpha1", "kind": "Location", "metadata": {"name": "dfw"},
        "spec": {"locationClassRef": {"name": "c"}, "topology": {"topology.datum.net/city-code": "DFW"}}}),
    );
    post(
        world,
        &project,
        "/apis/networking.datumapis.com/v1alpha/namespaces/default/networks",
        &json!({
        "apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network", "metadata": {"name": "net"},
        "spec": {"ipam": {"mode": "Auto"}}}),
    );
    post(
        world,
        &hub,
        BINDINGS,
        &json!({
        "apiVersion": "networking.datumapis.com/v1alpha", "kind": "NetworkBinding", "metadata": {"name": "b"},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}}}),
    );
    manager
}

/// Lets time pass until the manager holds its leases, which a world at rest does not wait for.
fn lead(world: &mut World, manager: ManagerId) {
    let may_act = |world: &World| world.engine(manager).is_some_and(engine::Engine::may_act);
    for _ in 0..60 {
        if !may_act(world) {
            world.advance(Duration::from_secs(1));
        }
    }
    assert!(may_act(world), "the manager does not lead after a minute");
}

fn settle(world: &mut World) {
    assert!(world.run_until_idle(Duration::from_mins(1)), "it does not come to rest");
}

#[test]
fn a_declared_network_becomes_present() {
    let mut world = World::new(1).unwrap();
    let manager = declare(&mut world);
    settle(&mut world);
    let binding = world.call(&ClusterName::Hub, "GET", &format!("{BINDINGS}/b"), ("", ""));
    assert_eq!(binding.body.pointer("/status/conditions/0/reason").unwrap(), "NetworkContextReady");
    assert_eq!(world.engine(manager).unwrap().violations, []);
}

#[test]
fn the_time_until_a_declaration_is_ready_is_counted_once() {
    let mut world = World::new(1).unwrap();
    let manager = declare(&mut world);
    let created = world.now();
    settle(&mut world);
    let counted = |world: &World| {
        let times = &world.engine(manager).unwrap().metrics.ready_times["network-binding"];
        (times.count, times.sum_seconds)
    };
    let (count, seconds) = counted(&world);
    let at_most = world.now().duration_since(created).as_secs_f64();
    assert!(count == 1 && seconds > 0.0 && seconds <= at_most, "{seconds} s of {at_most} s");
    for status in ["False", "True"] {
        let condition = json!({"type": "Available", "status": status, "reason": "Told", "message": "by hand",
            "lastTransitionTime": "2026-01-01T00:00:00Z"});
        let body = json!({"status": {"conditions": [condition]}}).to_string();
        let project = ClusterName::Project("p".into());
        let path = format!("{LOCATIONS}/dfw/status");
        let reply = world.call(&project, "PATCH", &path, ("application/merge-patch+json", &body));
        assert!(reply.code < 300, "{reply:?}");
        world.advance(Duration::from_secs(30));
        settle(&mut world);
        let binding = world.call(&ClusterName::Hub, "GET", &format!("{BINDINGS}/b"), ("", ""));
        assert_eq!(binding.body.pointer("/status/conditions/0/status").unwrap(), status);
    }
    assert_eq!(counted(&world), (count, seconds), "a declaration that was ready before is not counted again");
}
