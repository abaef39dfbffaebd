//! Plan tables: what is on the planes, and what the presence's keeper does about it.

mod content;
mod ending;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use api::builtin::{EventReason, Namespace};
use api::networking::{LocationBinding, Network, NetworkBinding, NetworkContext, NetworkInterface};
use api::resourcemanager::Project;
use api::{ClusterName, Kind, ObjectKey};
use federation::Configuration;
use jiff::Timestamp;
use reconcile::step::Verb;
use reconcile::{Action, Controller, Expect, Plan, Step, Tables, Verdict, View};
use serde_json::{Value, json};

use super::*;

/// The time of every pass.
const NOW: &str = "2026-03-01T12:00:00Z";

fn key() -> PresenceKey {
    PresenceKey {
        project: "p".into(),
        namespace: "default".into(),
        network: "net".into(),
        location: "dfw".into(),
    }
}

fn plane() -> ClusterName {
    ClusterName::Project("p".into())
}

fn decoded<K: Kind>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

/// Planes that are there and empty.
fn empty() -> Tables {
    let configuration =
        Configuration { unclaimed_grace_period: Duration::from_hours(24), ..Default::default() };
    let mut tables = Tables::new(NOW.parse().unwrap(), Arc::new(configuration));
    tables.put(&ClusterName::Core, decoded::<Project>(json!({
        "metadata": {"name": "p", "uid": "project"}, "spec": {"ownerRef": {"kind": "Organization", "name": "o"}},
    })));
    tables.put(
        &ClusterName::Hub,
        decoded::<Namespace>(json!({"metadata": {"name": "ns-p", "labels": {
            "meta.datumapis.com/upstream-cluster-name": "cluster-p",
            "meta.datumapis.com/upstream-namespace": "default",
        }}})),
    );
    tables.put(&plane(), decoded::<Namespace>(json!({"metadata": {"name": "default"}})));
    tables
}

/// A project with a location and a Network, which a hub binding declares.
fn declared() -> Tables {
    let mut tables = unclaimed();
    tables.put(&ClusterName::Hub, binding("ns-p", "b"));
    tables
}

/// The same without a declaration.
fn unclaimed() -> Tables {
    let mut tables = empty();
    tables.put(&plane(), location(None));
    tables.put(&plane(), network("u1", false));
    tables
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

fn network(uid: &str, is_deleting: bool) -> Network {
    let mut value = json!({
        "metadata": {"name": "net", "namespace": "default", "uid": uid, "generation": 3},
        "spec": {"ipam": {"mode": "Auto"}, "ipFamilies": ["IPv6"], "mtu": 1500},
    });
    if is_deleting {
        value["metadata"]["deletionTimestamp"] = NOW.into();
    }
    decoded(value)
}

fn binding(namespace: &str, name: &str) -> NetworkBinding {
    decoded(json!({"metadata": {"name": name, "namespace": namespace, "uid": name},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}}}))
}

fn interface(namespace: &str, location: Option<&str>) -> NetworkInterface {
    let mut labels = json!({"networking.datumapis.com/network-interface-projection": "true"});
    if let Some(location) = location {
        labels["networking.datumapis.com/location"] = location.into();
    }
    decoded(json!({"metadata": {"name": "i", "namespace": namespace, "labels": labels},
        "spec": {"network": {"name": "net"}}}))
}

/// A context of the pair that carries the uid of `life`, and is owned by it.
fn context(name: &str, life: &str) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "default", "uid": name, "creationTimestamp": NOW,
            "labels": {"networking.datumapis.com/network-uid": life},
            "ownerReferences": [{"apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network",
                "name": "net", "uid": life, "controller": true}]},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}},
    })
}

/// A context that nobody made for a Network: no label, no owner.
fn handmade(name: &str) -> Value {
    let mut value = context(name, "");
    value["metadata"].as_object_mut().unwrap().remove("labels");
    value["metadata"].as_object_mut().unwrap().remove("ownerReferences");
    value
}

fn with_stamp(mut context: Value, since: &str) -> Value {
    context["metadata"]["annotations"] = json!({"networking.datumapis.com/unclaimed-since": since});
    context
}

fn going(mut context: Value) -> Value {
    context["metadata"]["deletionTimestamp"] = NOW.into();
    context
}

fn put(tables: &mut Tables, context: Value) {
    tables.put(&plane(), decoded::<NetworkContext>(context));
}

fn pass_of(tables: &mut Tables, key: &PresenceKey) -> Plan {
    let observed = NetworkPresenceController::observe(&View::new(tables), key);
    NetworkPresenceController::plan(&observed)
}

fn pass(tables: &mut Tables) -> Plan {
    pass_of(tables, &key())
}

/// A step in short: verb, object, preconditions, field group and event.
fn told(step: &Step) -> String {
    let version = if step.expect == Expect::Version { " at version" } else { "" };
    let group = step.group.map(|group| format!(" in {group}")).unwrap_or_default();
    let destroying = if step.destroys { ", destroying" } else { "" };
    let event = match &step.action {
        Action::Record(event) => format!(" {}", event.reason),
        _ => String::new(),
    };
    format!("{} {}{version}{group}{destroying}{event}", step.action.verb().as_str(), step.target.key.name)
}

fn steps(plan: &Plan) -> Vec<String> {
    plan.steps.iter().map(told).collect()
}

/// Reason and message of a plan that waits.
fn wait(plan: &Plan) -> (&'static str, &str) {
    match &plan.verdict {
        Verdict::Waiting { reason, message } => (reason, message),
        Verdict::Settled => panic!("the plan does not wait: {plan:?}"),
    }
}

fn event(plan: &Plan) -> &reconcile::Event {
    let mut events = plan.steps.iter().rev().filter_map(|step| match &step.action {
        Action::Record(event) => Some(event),
        _ => None,
    });
    events.next().unwrap()
}
