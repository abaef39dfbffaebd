//! Plan tables: what a declaration is told.

mod answers;
mod roots;
mod waiting;

use std::sync::Arc;

use api::Kind;
use api::builtin::Namespace;
use api::networking::{LocationBinding, Network, NetworkBinding, NetworkBindingReason, NetworkContext};
use api::resourcemanager::Project;
use federation::Configuration;
use reconcile::{Action, ClusterSight, Expect, Step, Tables, Verdict};
use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-03-01T12:00:00Z";
const BEFORE: &str = "2026-02-01T12:00:00Z";

fn plane() -> ClusterName {
    ClusterName::Project("p".into())
}

fn decoded<K: Kind>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

fn on_the_hub() -> BindingKey {
    let (namespace, name) = ("ns-p".into(), "b".into());
    BindingKey { cluster: ClusterName::Hub, namespace, name, project: Some("p".into()) }
}

fn in_the_project() -> BindingKey {
    let (namespace, name) = ("default".into(), "b".into());
    BindingKey { cluster: plane(), namespace, name, project: Some("p".into()) }
}

fn binding(namespace: &str) -> Value {
    json!({"metadata": {"name": "b", "namespace": namespace, "uid": "b", "generation": 4},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}}})
}

fn network() -> Value {
    json!({"metadata": {"name": "net", "namespace": "default", "uid": "u1", "generation": 1},
        "spec": {"ipam": {"mode": "Auto"}}})
}

fn location(available: Option<&str>) -> LocationBinding {
    let condition = |status| {
        json!({"type": "Available", "status": status, "reason": "R", "message": "",
        "lastTransitionTime": NOW})
    };
    let conditions: Vec<Value> = available.map(condition).into_iter().collect();
    decoded(json!({"metadata": {"name": "dfw"}, "spec": {"locationRef": {"name": "dfw"}},
        "status": {"conditions": conditions}}))
}

fn ready_condition(status: &str, reason: &str) -> Value {
    json!({"type": "Ready", "status": status, "reason": reason, "message": "said before",
        "lastTransitionTime": BEFORE})
}

fn context(name: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "default", "uid": name, "creationTimestamp": BEFORE,
            "labels": {"networking.datumapis.com/network-uid": "u1"}},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}},
        "status": {"conditions": [ready_condition("True", "Ready")]}})
}

fn hub_namespace(labels: &Value) -> Namespace {
    decoded(json!({"metadata": {"name": "ns-p", "labels": labels}}))
}

/// A declaration on the hub and one in the project, for a network that is not present yet.
fn declared() -> Tables {
    let mut tables = Tables::new(NOW.parse().unwrap(), Arc::new(Configuration::default()));
    tables.put(&ClusterName::Core, decoded::<Project>(json!({
        "metadata": {"name": "p", "uid": "project"}, "spec": {"ownerRef": {"kind": "Organization", "name": "o"}},
    })));
    tables.put(
        &ClusterName::Hub,
        hub_namespace(&json!({
            "meta.datumapis.com/upstream-cluster-name": "cluster-p",
            "meta.datumapis.com/upstream-namespace": "default",
        })),
    );
    tables.put(&plane(), decoded::<Namespace>(json!({"metadata": {"name": "default"}})));
    tables.put(&plane(), location(None));
    tables.put(&plane(), decoded::<Network>(network()));
    tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(binding("ns-p")));
    tables.put(&plane(), decoded::<NetworkBinding>(binding("default")));
    tables
}

/// The same with a context that is ready.
fn present() -> Tables {
    let mut tables = declared();
    tables.put(&plane(), decoded::<NetworkContext>(context("c")));
    tables
}

fn pass(tables: &mut Tables, key: &BindingKey) -> Plan {
    NetworkBindingController::plan(&NetworkBindingController::observe(&View::new(tables), key))
}

fn told(step: &Step) -> String {
    let version = if step.expect == Expect::Version { " at version" } else { "" };
    format!("{} {} on {}{version}", step.action.verb().as_str(), step.target.key.name, step.target.cluster)
}

fn steps(plan: &Plan) -> Vec<String> {
    assert!(plan.steps.iter().all(|step| !step.destroys));
    plan.steps.iter().map(told).collect()
}

fn wait(plan: &Plan) -> (&'static str, &str) {
    match &plan.verdict {
        Verdict::Waiting { reason, message } => (reason, message),
        Verdict::Settled => panic!("the plan does not wait: {plan:?}"),
    }
}

/// The status that the plan writes.
fn status(plan: &Plan) -> Value {
    let status = plan.steps.iter().find_map(|step| match &step.action {
        Action::ApplyStatus(status) => Some(status.clone()),
        _ => None,
    });
    status.unwrap_or_else(|| panic!("no status: {plan:?}"))
}

/// Status and reason of the condition that the plan writes.
fn answer(plan: &Plan) -> (String, String) {
    let condition = &status(plan)["conditions"][0];
    assert_eq!(condition["observedGeneration"], 4);
    let text = |field: &str| condition[field].as_str().unwrap().to_owned();
    (text("status"), text("reason"))
}

fn refused(reason: NetworkBindingReason) -> (String, String) {
    ("False".to_owned(), reason.as_str().to_owned())
}
