//! When a context is made, what it says, and which one serves.

use super::*;

type Change = Box<dyn Fn(&mut Tables)>;

fn body(plan: &Plan) -> &Value {
    match &plan.steps.first().unwrap().action {
        Action::Create(body) | Action::Apply(body) => body,
        other => panic!("no content in {other:?}"),
    }
}

#[test]
fn a_declared_network_is_made_present_with_its_settings_labels_and_owner() {
    let plan = pass(&mut declared());
    assert_eq!(steps(&plan), ["create net-dfw"]);
    assert_eq!(
        body(&plan),
        &json!({
            "metadata": {
                "labels": {
                    "meta.datumapis.com/upstream-cluster-name": "cluster-p",
                    "meta.datumapis.com/upstream-namespace": "default",
                    "networking.datumapis.com/network": "net",
                    "networking.datumapis.com/location": "dfw",
                    "networking.datumapis.com/network-uid": "u1",
                },
                "ownerReferences": [{"apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network",
                    "name": "net", "uid": "u1", "controller": true, "blockOwnerDeletion": true}],
            },
            "spec": {"network": {"name": "net"}, "location": {"name": "dfw"}, "ipFamilies": ["IPv6"],
                "mtu": 1500, "networkGeneration": 3},
        })
    );
    assert_eq!(plan.steps[0].target.cluster, plane());
}

#[test]
fn whatever_uses_the_network_there_is_a_holder_and_nothing_else_is() {
    let hub = ClusterName::Hub;
    let other = |namespace: Option<&str>, network: &str| -> NetworkBinding {
        let mut value = json!({"metadata": {"name": "o", "namespace": "elsewhere"},
            "spec": {"network": {"name": network}, "location": {"name": "dfw"}}});
        if let Some(namespace) = namespace {
            value["spec"]["network"]["namespace"] = namespace.into();
        }
        decoded(value)
    };
    let mut deleted = binding("ns-p", "b");
    deleted.metadata.deletion_timestamp = network("u", true).metadata.deletion_timestamp;
    let cases: Vec<(&str, bool, Change)> = vec![
        ("a hub binding", true, Box::new(|tables| tables.put(&ClusterName::Hub, binding("ns-p", "b")))),
        (
            "a deleted hub binding",
            false,
            Box::new(move |tables| tables.put(&ClusterName::Hub, deleted.clone())),
        ),
        ("a project binding", true, Box::new(|tables| tables.put(&plane(), binding("default", "b")))),
        ("a project binding that names the namespace", true, {
            let named = other(Some("default"), "net");
            Box::new(move |tables| tables.put(&plane(), named.clone()))
        }),
        ("a project binding to another namespace", false, {
            let named = other(None, "net");
            Box::new(move |tables| tables.put(&plane(), named.clone()))
        }),
        ("a hub binding to another network", false, {
            let named = other(Some("default"), "other");
            Box::new(move |tables| tables.put(&ClusterName::Hub, named.clone()))
        }),
        ("a hub binding in a namespace that leads nowhere", false, {
            let hub = hub.clone();
            Box::new(move |tables| tables.put(&hub, binding("stray", "b")))
        }),
        (
            "an interface copy",
            true,
            Box::new(|tables| {
                tables.put(&ClusterName::Hub, interface("ns-p", Some("dfw")));
            }),
        ),
        (
            "an interface copy without location",
            false,
            Box::new(|tables| {
                tables.put(&ClusterName::Hub, interface("ns-p", None));
            }),
        ),
        (
            "an interface in the project",
            false,
            Box::new(|tables| {
                tables.put(&plane(), interface("default", Some("dfw")));
            }),
        ),
    ];
    for (what, holds, change) in cases {
        let mut tables = unclaimed();
        change(&mut tables);
        let expected: &[&str] = if holds { &["create net-dfw"] } else { &[] };
        assert_eq!(steps(&pass(&mut tables)), expected, "{what}");
    }
}

#[test]
fn a_binding_in_a_hub_namespace_of_a_shared_server_is_not_counted_as_a_project_binding() {
    let mut tables = unclaimed();
    tables.put(
        &plane(),
        decoded::<Namespace>(json!({"metadata": {"name": "default", "labels": {
        "meta.datumapis.com/upstream-cluster-name": "cluster-q"}}})),
    );
    tables.put(&plane(), binding("default", "b"));
    assert!(pass(&mut tables).is_settled());
}

#[test]
fn a_taken_name_gives_way_to_the_hashed_one() {
    let mut tables = declared();
    let mut squatter = handmade("net-dfw");
    squatter["spec"]["network"]["name"] = "net-dfw".into();
    put(&mut tables, squatter);
    let plan = pass(&mut tables);
    let hashed = key().hashed_name();
    assert_eq!(steps(&plan), [format!("create {hashed}")]);
    assert!(hashed.as_str().starts_with("net-dfw-"));
}

#[test]
fn the_content_of_a_held_context_follows_its_network() {
    let mut tables = declared();
    put(&mut tables, context("c", "u1"));
    let plan = pass(&mut tables);
    assert_eq!(steps(&plan), ["apply c at version"]);
    assert_eq!(body(&plan)["spec"]["mtu"], 1500);
    assert_eq!(plan.verdict, Verdict::Settled);
}

#[test]
fn a_cluster_label_that_leads_to_the_project_is_kept_and_another_is_corrected() {
    for (label, expected) in
        [("p", "p"), ("cluster-p", "cluster-p"), ("cluster-q", "cluster-p"), ("", "cluster-p")]
    {
        let mut tables = declared();
        let mut held = context("c", "u1");
        held["metadata"]["labels"]["meta.datumapis.com/upstream-cluster-name"] = label.into();
        put(&mut tables, held);
        let plan = pass(&mut tables);
        let labels = &body(&plan)["metadata"]["labels"];
        assert_eq!(labels["meta.datumapis.com/upstream-cluster-name"], expected, "{label:?}");
    }
}

#[test]
fn an_unlabelled_context_is_adopted_when_somebody_declares_it_and_left_alone_when_nobody_does() {
    for (mut tables, expected) in [(declared(), vec!["apply c at version"]), (unclaimed(), vec![])] {
        put(&mut tables, handmade("c"));
        let plan = pass(&mut tables);
        assert_eq!(steps(&plan), expected);
        assert_eq!(plan.verdict, Verdict::Settled);
    }
}

#[test]
fn a_context_that_another_object_controls_is_not_ours_and_keeps_its_name() {
    let mut tables = declared();
    let mut foreign = handmade("net-dfw");
    foreign["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Other", "name": "x", "uid": "x", "controller": true}]);
    put(&mut tables, foreign);
    assert_eq!(steps(&pass(&mut tables)), [format!("create {}", key().hashed_name())]);
}

#[test]
fn of_several_contexts_the_oldest_serves_and_the_others_end() {
    let mut tables = declared();
    let mut old = context("z", "u1");
    old["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z".into();
    put(&mut tables, old);
    put(&mut tables, context("a", "u1"));
    put(&mut tables, context("b", "u1"));
    let plan = pass(&mut tables);
    assert_eq!(steps(&plan), ["delete a at version, destroying", "delete b at version, destroying"]);
}

#[test]
fn a_handmade_context_beside_the_one_that_serves_is_left_alone() {
    let mut tables = declared();
    let mut old = context("z", "u1");
    old["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z".into();
    put(&mut tables, old);
    put(&mut tables, handmade("a"));
    assert_eq!(steps(&pass(&mut tables)), ["apply z at version"]);
}

#[test]
fn a_context_of_another_life_of_its_network_ends_and_is_made_anew_when_it_is_gone() {
    let mut tables = declared();
    put(&mut tables, context("net-dfw", "u0"));
    assert_eq!(steps(&pass(&mut tables)), ["delete net-dfw at version, destroying"]);
    put(&mut tables, going(context("net-dfw", "u0")));
    let plan = pass(&mut tables);
    assert_eq!(steps(&plan), Vec::<String>::new());
    let (reason, message) = wait(&plan);
    assert_eq!(reason, "NetworkContextTerminating");
    assert!(message.contains("NetworkContext default/net-dfw on project/p is being deleted"), "{message}");
    tables.remove::<NetworkContext>(&plane(), &ObjectKey::namespaced("default", "net-dfw"));
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
}

#[test]
fn copies_of_contexts_are_nobodys_presence() {
    let mut tables = declared();
    let mut copy = context("copy", "u1");
    copy["metadata"]["labels"]["meta.datumapis.com/upstream-name"] = "net-dfw".into();
    put(&mut tables, copy);
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
}
