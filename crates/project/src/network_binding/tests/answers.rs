//! Every answer, for what reason, and what is kept beside it.

use super::*;

type Change = fn(&mut Tables);

#[test]
fn a_binding_is_ready_with_a_reference_when_its_context_is() {
    let plan = pass(&mut present(), &on_the_hub());
    assert_eq!(steps(&plan), ["apply b on hub", "apply-status b on hub at version"]);
    let Action::Apply(labels) = &plan.steps[0].action else { panic!("{plan:?}") };
    assert_eq!(labels, &json!({"metadata": {"labels": {"networking.datumapis.com/network-uid": "u1"}}}));
    assert_eq!(
        answer(&plan),
        ("True".to_owned(), NetworkBindingReason::NetworkContextReady.as_str().to_owned())
    );
    assert_eq!(status(&plan)["networkContextRef"], json!({"namespace": "default", "name": "c"}));
    assert_eq!(plan.verdict, Verdict::Settled);
}

#[test]
fn a_project_binding_is_answered_alike_and_carries_no_label() {
    let plan = pass(&mut present(), &in_the_project());
    assert_eq!(steps(&plan), ["apply-status b on project/p at version"]);
    assert_eq!(answer(&plan).0, "True");
}

#[test]
fn without_a_context_and_without_a_refusal_only_the_label_is_written() {
    for (key, expected) in [(on_the_hub(), vec!["apply b on hub"]), (in_the_project(), vec![])] {
        let plan = pass(&mut declared(), &key);
        assert_eq!(steps(&plan), expected);
        assert_eq!(wait(&plan).0, NetworkBindingReason::NetworkContextNotReady.as_str());
        assert!(wait(&plan).1.contains("network default/net at dfw for project p has no context yet"));
    }
}

#[test]
fn a_context_that_is_not_ready_is_named_with_its_own_reason() {
    for (said, text) in [
        (vec![ready_condition("False", "Terminating")], "is not ready yet: Terminating: said before"),
        (vec![ready_condition("Unknown", "Pending")], "is not ready yet: Pending: said before"),
        (vec![], "NetworkContext default/c in project p is not ready yet"),
    ] {
        let mut tables = declared();
        let mut unready = context("c");
        unready["status"]["conditions"] = said.into();
        tables.put(&plane(), decoded::<NetworkContext>(unready));
        let plan = pass(&mut tables, &on_the_hub());
        assert_eq!(answer(&plan), refused(NetworkBindingReason::NetworkContextNotReady));
        assert_eq!(status(&plan)["networkContextRef"]["name"], "c");
        assert!(wait(&plan).1.contains(text), "{plan:?}");
    }
}

#[test]
fn a_context_that_is_going_is_told_as_going() {
    let mut tables = declared();
    let mut going = context("c");
    going["metadata"]["deletionTimestamp"] = NOW.into();
    tables.put(&plane(), decoded::<NetworkContext>(going));
    let plan = pass(&mut tables, &on_the_hub());
    assert_eq!(answer(&plan), refused(NetworkBindingReason::NetworkContextTerminating));
    assert!(wait(&plan).1.contains("NetworkContext default/c in project p is being deleted"), "{plan:?}");
}

#[test]
fn the_context_that_serves_is_the_oldest_that_lives_and_belongs_to_the_network() {
    let with = |name: &str, change: fn(&mut Value)| {
        let mut value = context(name);
        change(&mut value);
        value
    };
    let mut tables = declared();
    let owned_by_another = |value: &mut Value| {
        value["metadata"]["ownerReferences"] =
            json!([{"apiVersion": "v1", "kind": "Network", "name": "net", "uid": "u9", "controller": true}]);
    };
    for value in [
        with("going", |value| {
            value["metadata"]["deletionTimestamp"] = NOW.into();
            value["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z".into();
        }),
        with("of-another-life", |value| {
            value["metadata"]["labels"]["networking.datumapis.com/network-uid"] = "u0".into();
            value["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z".into();
        }),
        with("owned-by-another", owned_by_another),
        with("a-copy", |value| {
            value["metadata"]["labels"]["meta.datumapis.com/upstream-name"] = "x".into();
        }),
        with("younger", |value| value["metadata"]["creationTimestamp"] = NOW.into()),
        context("z-oldest"),
    ] {
        tables.put(&plane(), decoded::<NetworkContext>(value));
    }
    assert_eq!(status(&pass(&mut tables, &on_the_hub()))["networkContextRef"]["name"], "z-oldest");
}

#[test]
fn every_refusal_is_told_with_its_reason_the_object_and_the_plane() {
    let cases: &[(Change, NetworkBindingReason, &str)] = &[
        (
            |tables| tables.remove::<Project>(&ClusterName::Core, &ObjectKey::cluster_scoped("p")),
            NetworkBindingReason::ProjectUnresolved,
            "plane core holds no Project p",
        ),
        (
            |tables| tables.remove::<LocationBinding>(&plane(), &ObjectKey::cluster_scoped("dfw")),
            NetworkBindingReason::LocationNotAvailable,
            "project p holds no Location dfw",
        ),
        (
            |tables| tables.put(&plane(), location(Some("False"))),
            NetworkBindingReason::LocationNotAvailable,
            "Location dfw in project p says Available=False",
        ),
        (
            |tables| tables.remove::<Network>(&plane(), &ObjectKey::namespaced("default", "net")),
            NetworkBindingReason::NetworkNotFound,
            "Network default/net in project p does not exist",
        ),
        (
            |tables| {
                let mut deleted = network();
                deleted["metadata"]["deletionTimestamp"] = NOW.into();
                tables.put(&plane(), decoded::<Network>(deleted));
            },
            NetworkBindingReason::NetworkContextTerminating,
            "Network default/net in project p is being deleted",
        ),
        (
            |tables| {
                let mut long = binding("ns-p");
                long["spec"]["network"]["name"] = "n".repeat(64).into();
                tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(long));
            },
            NetworkBindingReason::NameNotUsable,
            "has 64 characters and a label value holds 63",
        ),
    ];
    for (change, reason, text) in cases {
        let mut tables = present();
        change(&mut tables);
        let plan = pass(&mut tables, &on_the_hub());
        assert_eq!(steps(&plan), ["apply-status b on hub at version"], "{text}");
        assert_eq!(answer(&plan), refused(*reason), "{text}");
        assert_eq!(wait(&plan).0, reason.as_str());
        assert!(wait(&plan).1.contains(text), "{plan:?}");
        assert_eq!(status(&plan)["conditions"][0]["message"], wait(&plan).1);
    }
}

#[test]
fn a_namespace_that_lacks_a_label_leads_to_no_project_and_the_label_is_named() {
    let labels = ["meta.datumapis.com/upstream-cluster-name", "meta.datumapis.com/upstream-namespace"];
    for (held, missing, project) in [(labels[0], labels[1], Some("p")), (labels[1], labels[0], None)] {
        let mut tables = present();
        tables.put(&ClusterName::Hub, hub_namespace(&json!({ held: "cluster-p" })));
        let key = super::BindingKey { project: project.map(Into::into), ..on_the_hub() };
        let plan = pass(&mut tables, &key);
        assert_eq!(answer(&plan), refused(NetworkBindingReason::ProjectUnresolved));
        let text =
            format!("Namespace ns-p on hub lacks label {missing}, so it leads to no project; set the label");
        assert_eq!(wait(&plan).1, text);
    }
}

#[test]
fn a_reference_stays_when_the_answer_turns_into_a_refusal() {
    let mut tables = declared();
    let mut answered = binding("ns-p");
    answered["status"] = json!({"conditions": [ready_condition("True", "NetworkContextReady")],
        "networkContextRef": {"namespace": "default", "name": "c"}});
    tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(answered));
    tables.put(&plane(), location(Some("False")));
    let plan = pass(&mut tables, &on_the_hub());
    assert_eq!(answer(&plan), refused(NetworkBindingReason::LocationNotAvailable));
    assert_eq!(status(&plan)["networkContextRef"], json!({"namespace": "default", "name": "c"}));
    assert_eq!(status(&plan)["conditions"][0]["lastTransitionTime"], NOW);
}

#[test]
fn an_answer_that_stays_keeps_its_transition_time() {
    let mut tables = present();
    let mut answered = binding("ns-p");
    answered["status"] = json!({"conditions": [ready_condition("True", "Other")]});
    tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(answered));
    assert_eq!(status(&pass(&mut tables, &on_the_hub()))["conditions"][0]["lastTransitionTime"], BEFORE);
}

#[test]
fn a_network_in_a_namespace_that_the_binding_names_is_looked_for_there() {
    let mut tables = declared();
    let mut named = binding("ns-p");
    named["spec"]["network"]["namespace"] = "shared".into();
    tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(named));
    let plan = pass(&mut tables, &on_the_hub());
    assert_eq!(answer(&plan), refused(NetworkBindingReason::NetworkNotFound));
    assert!(wait(&plan).1.contains("Network shared/net in project p"), "{plan:?}");
}
