//! One presence from nothing to Ready and back.

use std::time::Duration;

use api::ClusterName;
use serde_json::json;
use sim::{ManagerOptions, World};

const JSON: &str = "application/json";

fn post(world: &mut World, cluster: &ClusterName, path: &str, body: &serde_json::Value) {
    let reply = world.call(cluster, "POST", path, (JSON, &body.to_string()));
    assert!(reply.code < 300, "{path}: {reply:?}");
}

#[test]
fn a_declared_network_becomes_present() {
    let mut world = World::new(1).unwrap();
    let (hub, project) = (ClusterName::Hub, ClusterName::Project("p".into()));
    post(
        &mut world,
        &ClusterName::Core,
        "/apis/resourcemanager.miloapis.com/v1alpha1/projects",
        &json!({
        "apiVersion": "resourcemanager.miloapis.com/v1alpha1", "kind": "Project", "metadata": {"name": "p"},
        "spec": {"ownerRef": {"kind": "Organization", "name": "o"}}}),
    );
    let manager = world.start_manager(&ManagerOptions::default());
    post(
        &mut world,
        &hub,
        "/api/v1/namespaces",
        &json!({"metadata": {"name": "h", "labels": {
        "meta.datumapis.com/upstream-cluster-name": "cluster-p", "meta.datumapis.com/upstream-namespace": "default"}}}),
    );
    assert!(world.run_until_idle(Duration::from_mins(1)), "{:?}", world.engine(manager).unwrap().status());
    post(
        &mut world,
        &project,
        "/apis/locations.miloapis.com/v1alpha1/locations",
        &json!({
        "apiVersion": "locations.miloapis.com/v1alpha1", "kind": "Location", "metadata": {"name": "dfw"},
        "spec": {"locationClassRef": {"name": "c"}, "topology": {"topology.datum.net/city-code": "DFW"}}}),
    );
    post(
        &mut world,
        &project,
        "/apis/networking.datumapis.com/v1alpha/namespaces/default/networks",
        &json!({
        "apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network", "metadata": {"name": "net"},
        "spec": {"ipam": {"mode": "Auto"}}}),
    );
    let bindings = "/apis/networking.datumapis.com/v1alpha/namespaces/h/networkbindings";
    post(
        &mut world,
        &hub,
        bindings,
        &json!({
        "apiVersion": "networking.datumapis.com/v1alpha", "kind": "NetworkBinding", "metadata": {"name": "b"},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}}}),
    );
    assert!(world.run_until_idle(Duration::from_mins(1)), "{:?}", world.engine(manager).unwrap().status());
    let binding = world.call(&hub, "GET", &format!("{bindings}/b"), ("", ""));
    assert_eq!(binding.body.pointer("/status/conditions/0/reason").unwrap(), "NetworkContextReady");
    assert_eq!(world.engine(manager).unwrap().violations, []);
}
