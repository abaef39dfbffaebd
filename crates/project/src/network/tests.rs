//! Plan tables.

use std::sync::Arc;

use api::Kind;
use api::networking::{Network, NetworkContext, NetworkReason};
use reconcile::{Action, ClusterSight, Expect, Step, Tables, Verdict};
use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-03-01T12:00:00Z";
const BEFORE: &str = "2026-02-01T12:00:00Z";
const OURS: &str = "networking.datumapis.com/network-controller";
const PRESENCE: &str = "networking.datumapis.com/network-presence";

fn plane() -> ClusterName {
    ClusterName::Project("p".into())
}

fn key() -> NetworkKey {
    NetworkKey { cluster: plane(), namespace: "default".into(), name: "net".into() }
}

fn decoded<K: Kind>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

fn network(finalizers: &[&str], is_deleting: bool) -> Value {
    let mut value = json!({
        "metadata": {"name": "net", "namespace": "default", "uid": "u1", "generation": 3, "finalizers": finalizers},
        "spec": {"ipam": {"mode": "Auto"}},
    });
    if is_deleting {
        value["metadata"]["deletionTimestamp"] = NOW.into();
    }
    value
}

fn context(name: &str, controller: Option<&str>) -> NetworkContext {
    let owner = |uid| {
        json!({"apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network", "name": "net",
        "uid": uid, "controller": true})
    };
    let owners: Vec<Value> = controller.map(owner).into_iter().collect();
    decoded(json!({"metadata": {"name": name, "namespace": "default", "ownerReferences": owners},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}}}))
}

fn tables(network: Option<Value>) -> Tables {
    let mut tables = Tables::new(NOW.parse().unwrap(), Arc::new(()));
    tables.clusters.insert(plane(), ClusterSight::Ready);
    if let Some(network) = network {
        tables.put(&plane(), decoded::<Network>(network));
    }
    tables
}

fn pass(tables: &mut Tables) -> Plan {
    NetworkController::plan(&NetworkController::observe(&View::new(tables), &key()))
}

fn told(step: &Step) -> String {
    let what = match &step.action {
        Action::Apply(fields) => fields.to_string(),
        Action::ApplyStatus(_) => "status".to_owned(),
        Action::Remove(absent) => format!("{absent:?}"),
        other => format!("{other:?}"),
    };
    let version = if step.expect == Expect::Version { " at version" } else { "" };
    let destroying = if step.destroys { ", destroying" } else { "" };
    format!("{} {what}{version}{destroying}", step.action.verb().as_str())
}

fn steps(plan: &Plan) -> Vec<String> {
    plan.steps.iter().map(told).collect()
}

fn wait(plan: &Plan) -> (&'static str, &str) {
    match &plan.verdict {
        Verdict::Waiting { reason, message } => (reason, message),
        Verdict::Settled => panic!("the plan does not wait: {plan:?}"),
    }
}

fn ready(plan: &Plan) -> Value {
    let status = plan.steps.iter().find_map(|step| match &step.action {
        Action::ApplyStatus(status) => Some(status["conditions"][0].clone()),
        _ => None,
    });
    status.unwrap()
}

#[test]
fn a_network_that_lives_is_held_freed_of_an_old_finalizer_and_reported_ready() {
    let plan = pass(&mut tables(Some(network(&[PRESENCE], false))));
    assert_eq!(
        steps(&plan),
        [
            format!("apply {}", json!({"metadata": {"finalizers": [OURS]}})),
            format!("remove [Finalizer({PRESENCE:?})]"),
            "apply-status status at version".to_owned(),
        ]
    );
    assert_eq!(plan.verdict, Verdict::Settled);
    let ready = ready(&plan);
    assert_eq!(ready["reason"], NetworkReason::Ready.as_str());
    assert_eq!((&ready["status"], &ready["lastTransitionTime"]), (&json!("True"), &json!(NOW)));
    assert_eq!(ready["observedGeneration"], 3);
}

#[test]
fn the_transition_time_moves_only_when_the_status_does() {
    for (status, since) in [("True", BEFORE), ("False", NOW), ("Unknown", NOW)] {
        let mut held = network(&[OURS], false);
        held["status"] = json!({"conditions": [{"type": "Ready", "status": status, "reason": "Old", "message": "",
            "lastTransitionTime": BEFORE}]});
        assert_eq!(ready(&pass(&mut tables(Some(held))))["lastTransitionTime"], since, "{status}");
    }
}

#[test]
fn a_deleted_network_is_let_go_when_no_context_of_it_is_left() {
    type Contexts = &'static [(&'static str, Option<&'static str>)];
    let cases: &[(Contexts, bool)] = &[
        (&[], true),
        (&[("c", Some("u1"))], false),
        (&[("bare", None)], false),
        (&[("other", Some("u0"))], true),
    ];
    for (contexts, goes) in cases {
        let mut tables = tables(Some(network(&[OURS, PRESENCE, "others/one"], true)));
        for (name, controller) in *contexts {
            tables.put(&plane(), context(name, *controller));
        }
        let plan = pass(&mut tables);
        if *goes {
            let both = format!("remove [Finalizer({OURS:?}), Finalizer({PRESENCE:?})], destroying");
            assert_eq!(steps(&plan), [both], "{contexts:?}");
        } else {
            assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "ContextsRemain"), "{contexts:?}");
        }
    }
}

#[test]
fn a_network_that_waits_for_its_contexts_names_them() {
    let mut tables = tables(Some(network(&[OURS], true)));
    tables.put(&plane(), context("b", Some("u1")));
    tables.put(&plane(), context("a", None));
    let plan = pass(&mut tables);
    assert_eq!(
        wait(&plan).1,
        "Network default/net on project/p is being deleted and waits for 2 network context(s) in its namespace to \
         end: a, b"
    );
}

#[test]
fn contexts_that_cannot_be_told_keep_a_deleted_network() {
    let sights =
        [ClusterSight::Starting, ClusterSight::Unreachable, ClusterSight::Forbidden, ClusterSight::NotServed];
    for sight in sights {
        let mut tables = tables(Some(network(&[OURS], true)));
        tables.set_kind::<NetworkContext>(&plane(), sight);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"), "{sight:?}");
        assert!(wait(&plan).1.contains("Network default/net on project/p"), "{plan:?}");
    }
    let mut invalid = tables(Some(network(&[OURS], true)));
    invalid.put_invalid::<NetworkContext>(&plane(), ObjectKey::namespaced("default", "odd"), "spec");
    assert_eq!(wait(&pass(&mut invalid)).0, "Unknown");
}

#[test]
fn a_deleted_network_without_our_finalizers_waits_for_those_of_others_by_name() {
    let plan = pass(&mut tables(Some(network(&["others/one", "others/two"], true))));
    assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "ForeignFinalizers"));
    assert!(wait(&plan).1.ends_with("waits for finalizers of others: others/one, others/two"), "{plan:?}");
}

#[test]
fn a_network_that_is_absent_is_settled_and_one_that_cannot_be_read_says_why() {
    assert!(pass(&mut tables(None)).is_settled());
    let cases = [
        (ClusterSight::Starting, "Unknown", "its first list has not finished"),
        (ClusterSight::Unreachable, "Unknown", "the plane does not answer"),
        (ClusterSight::Forbidden, "Unknown", "refuses to show this kind"),
        (ClusterSight::NotServed, "NotServed", "is not served"),
    ];
    for (sight, reason, text) in cases {
        let mut tables = tables(Some(network(&[OURS], false)));
        tables.set_kind::<Network>(&plane(), sight);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, reason));
        assert!(wait(&plan).1.contains("Network default/net on project/p"), "{plan:?}");
        assert!(wait(&plan).1.contains(text), "{plan:?}");
    }
    let mut invalid = tables(None);
    invalid.put_invalid::<Network>(&plane(), ObjectKey::namespaced("default", "net"), "spec.mtu: text");
    let plan = pass(&mut invalid);
    assert_eq!(wait(&plan).0, "Invalid");
    assert!(wait(&plan).1.ends_with("does not decode: spec.mtu: text"), "{plan:?}");
}
