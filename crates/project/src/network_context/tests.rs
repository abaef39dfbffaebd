//! Plan tables.

use std::sync::Arc;

use api::networking::{NetworkContext, NetworkContextReason};
use reconcile::{Action, ClusterSight, Expect, Tables, Verdict};
use serde_json::{Value, json};

use super::*;

const NOW: &str = "2026-03-01T12:00:00Z";

fn plane() -> ClusterName {
    ClusterName::Project("p".into())
}

fn key() -> ContextKey {
    ContextKey { cluster: plane(), object: ObjectKey::namespaced("default", "net-dfw") }
}

fn context() -> Value {
    json!({"metadata": {"name": "net-dfw", "namespace": "default", "generation": 2, "labels": {}},
        "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}}})
}

fn tables(context: Option<Value>) -> Tables {
    let mut tables = Tables::new(NOW.parse().unwrap(), Arc::new(()));
    tables.clusters.insert(plane(), ClusterSight::Ready);
    if let Some(context) = context {
        tables.put(&plane(), serde_json::from_value::<NetworkContext>(context).unwrap());
    }
    tables
}

fn pass(tables: &mut Tables) -> Plan {
    NetworkContextController::plan(&NetworkContextController::observe(&View::new(tables), &key()))
}

fn wait(plan: &Plan) -> (&'static str, &str) {
    match &plan.verdict {
        Verdict::Waiting { reason, message } => (reason, message),
        Verdict::Settled => panic!("the plan does not wait: {plan:?}"),
    }
}

/// The one condition that the plan writes.
fn ready(plan: &Plan) -> Value {
    assert_eq!(plan.steps.len(), 1, "{plan:?}");
    match &plan.steps[0].action {
        Action::ApplyStatus(status) => status["conditions"][0].clone(),
        other => panic!("no status: {other:?}"),
    }
}

#[test]
fn a_context_is_ready_as_soon_as_it_exists() {
    let plan = pass(&mut tables(Some(context())));
    let ready = ready(&plan);
    assert_eq!(plan.verdict, Verdict::Settled);
    assert_eq!((&ready["status"], &ready["observedGeneration"]), (&json!("True"), &json!(2)));
    assert_eq!(ready["reason"], NetworkContextReason::Ready.as_str());
}

#[test]
fn a_context_that_is_going_is_not_ready_and_names_what_keeps_it() {
    let mut going = context();
    going["metadata"]["deletionTimestamp"] = NOW.into();
    going["metadata"]["finalizers"] = json!(["cells/hold", "others/one"]);
    let plan = pass(&mut tables(Some(going)));
    let ready = ready(&plan);
    assert_eq!(ready["status"], "False");
    assert_eq!(ready["reason"], NetworkContextReason::Terminating.as_str());
    let (reason, message) = wait(&plan);
    assert_eq!(reason, NetworkContextReason::Terminating.as_str());
    assert_eq!(ready["message"], message);
    assert_eq!(
        message,
        "NetworkContext default/net-dfw on project/p is being deleted and waits for its finalizers: cells/hold, \
         others/one"
    );
}

#[test]
fn the_transition_time_moves_only_when_the_status_does() {
    let before = "2026-02-01T12:00:00Z";
    for (status, since) in [("True", before), ("False", NOW)] {
        let mut held = context();
        held["status"] = json!({"conditions": [{"type": "Ready", "status": status, "reason": "Old", "message": "",
            "lastTransitionTime": before}]});
        assert_eq!(ready(&pass(&mut tables(Some(held))))["lastTransitionTime"], since, "{status}");
    }
}

#[test]
fn every_write_that_says_true_carries_the_version() {
    for status in ["True", "False", "Unknown"] {
        let mut held = context();
        held["status"] = json!({"conditions": [{"type": "Ready", "status": status, "reason": "Old", "message": "",
            "lastTransitionTime": "2026-02-01T12:00:00Z"}]});
        assert_eq!(pass(&mut tables(Some(held))).steps[0].expect, Expect::Version, "{status}");
    }
    let mut going = context();
    going["metadata"]["deletionTimestamp"] = NOW.into();
    assert_eq!(pass(&mut tables(Some(going))).steps[0].expect, Expect::Uid);
}

#[test]
fn a_copy_of_a_context_is_nobodys_here() {
    let mut copy = context();
    copy["metadata"]["labels"]["meta.datumapis.com/upstream-name"] = "net-dfw".into();
    assert!(pass(&mut tables(Some(copy))).is_settled());
}

#[test]
fn a_context_that_is_absent_is_settled_and_one_that_cannot_be_read_says_why() {
    assert!(pass(&mut tables(None)).is_settled());
    let cases = [
        (ClusterSight::Starting, "Unknown", "its first list has not finished"),
        (ClusterSight::Unreachable, "Unknown", "the plane does not answer"),
        (ClusterSight::Forbidden, "Unknown", "refuses to show this kind"),
        (ClusterSight::NotServed, "NotServed", "is not served"),
    ];
    for (sight, reason, text) in cases {
        let mut tables = tables(Some(context()));
        tables.set_kind::<NetworkContext>(&plane(), sight);
        let plan = pass(&mut tables);
        assert_eq!((plan.steps.len(), wait(&plan).0), (0, reason));
        assert!(wait(&plan).1.contains("NetworkContext default/net-dfw on project/p"), "{plan:?}");
        assert!(wait(&plan).1.contains(text), "{plan:?}");
    }
    let mut invalid = tables(None);
    invalid.put_invalid::<NetworkContext>(&plane(), key().object, "spec.location: missing");
    let plan = pass(&mut invalid);
    assert_eq!(wait(&plan).0, "Invalid");
    assert!(wait(&plan).1.ends_with("does not decode: spec.location: missing"), "{plan:?}");
}

#[test]
fn only_contexts_that_are_no_copies_make_keys() {
    let mut tables = tables(Some(context()));
    let roots = NetworkContextController::roots();
    let derive = |tables: &mut Tables, object: &ObjectKey| {
        (roots.roots[0].derive)(&View::new(tables), &plane(), object)
    };
    assert_eq!(derive(&mut tables, &key().object), Some(vec![key()]));
    let mut copy = context();
    copy["metadata"]["labels"]["meta.datumapis.com/upstream-name"] = "net-dfw".into();
    tables.put(&plane(), serde_json::from_value::<NetworkContext>(copy).unwrap());
    assert_eq!(derive(&mut tables, &key().object), Some(Vec::new()));
    assert_eq!(NetworkContextController::project(&key()), Some("p".into()));
}
