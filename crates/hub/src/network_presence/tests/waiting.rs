//! What cannot be told, and what is refused: then nothing is made and nothing ends.

use reconcile::{Attempt, Attempts, ClusterSight, Target};

use super::*;

type Change = fn(&mut Tables);

/// Every state of a kind in which nothing can be said, with the words for it.
const SILENT: &[ClusterSight] = &[
    ClusterSight::Starting,
    ClusterSight::NotEngaged,
    ClusterSight::NotServed,
    ClusterSight::Unreachable,
    ClusterSight::Forbidden,
];

#[test]
fn contexts_that_cannot_be_told_stop_everything() {
    for sight in SILENT {
        let mut tables = declared();
        tables.set_kind::<NetworkContext>(&plane(), *sight);
        let plan = pass(&mut tables);
        assert_eq!(steps(&plan), Vec::<String>::new(), "{sight:?}");
        let (reason, message) = wait(&plan);
        assert_eq!(reason, "Unknown", "{sight:?}");
        assert!(message.contains("contexts of network default/net at dfw for project p"), "{message}");
    }
    let mut tables = declared();
    tables.put_invalid::<NetworkContext>(&plane(), ObjectKey::namespaced("default", "odd"), "spec");
    let plan = pass(&mut tables);
    assert!(wait(&plan).1.contains("default/odd"), "{plan:?}");
}

#[test]
fn a_network_that_cannot_be_told_neither_makes_nor_ends() {
    for sight in SILENT {
        let mut tables = unclaimed();
        put(&mut tables, with_stamp(context("c", "u1"), "2020-01-01T00:00:00Z"));
        tables.set_kind::<Network>(&plane(), *sight);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"), "{sight:?}");
    }
    let mut tables = declared();
    tables.put_invalid::<Network>(&plane(), ObjectKey::namespaced("default", "net"), "spec");
    let plan = pass(&mut tables);
    assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"));
    assert!(wait(&plan).1.contains("the Network of network default/net at dfw"), "{plan:?}");
}

#[test]
fn holders_that_cannot_be_told_end_nothing_and_stamp_nothing() {
    let cases: &[(&str, Change)] = &[
        ("hub bindings", |tables| {
            tables.set_kind::<NetworkBinding>(&ClusterName::Hub, ClusterSight::Starting);
        }),
        ("the hub", |tables| {
            tables.clusters.insert(ClusterName::Hub, ClusterSight::NotEngaged);
        }),
        ("hub namespaces", |tables| tables.set_kind::<Namespace>(&ClusterName::Hub, ClusterSight::Forbidden)),
        ("interface copies", |tables| {
            tables.set_kind::<NetworkInterface>(&ClusterName::Hub, ClusterSight::Unreachable);
        }),
        ("project bindings", |tables| tables.set_kind::<NetworkBinding>(&plane(), ClusterSight::Starting)),
        ("a binding that does not decode", |tables| {
            tables.put_invalid::<NetworkBinding>(
                &ClusterName::Hub,
                ObjectKey::namespaced("ns-p", "x"),
                "spec",
            );
        }),
    ];
    for (what, change) in cases {
        let mut tables = unclaimed();
        put(&mut tables, context("c", "u1"));
        change(&mut tables);
        let plan = pass(&mut tables);
        assert_eq!(steps(&plan), ["apply c at version"], "{what}: only what is known is written");
        assert_eq!(wait(&plan).0, "Unknown", "{what}");
        assert!(wait(&plan).1.contains("holders of network default/net at dfw"), "{what}: {plan:?}");

        let mut tables = unclaimed();
        put(&mut tables, handmade("c"));
        change(&mut tables);
        assert_eq!(steps(&pass(&mut tables)), Vec::<String>::new(), "{what}: nothing of an unlabelled one");

        let mut tables = unclaimed();
        change(&mut tables);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"), "{what}: nothing is made");
    }
}

#[test]
fn bindings_that_are_not_served_may_hold_a_presence() {
    for cluster in [ClusterName::Hub, plane()] {
        let mut tables = unclaimed();
        tables.set_kind::<NetworkBinding>(&cluster, ClusterSight::NotServed);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"), "{cluster}");
    }
}

#[test]
fn interfaces_that_are_not_served_hold_nothing_and_one_certain_holder_is_enough() {
    let mut tables = declared();
    tables.set_kind::<NetworkInterface>(&ClusterName::Hub, ClusterSight::NotServed);
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
    let mut tables = declared();
    tables.set_kind::<NetworkBinding>(&plane(), ClusterSight::Unreachable);
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
}

#[test]
fn every_refusal_makes_nothing_and_says_which_object_on_which_plane_it_waits_for() {
    let cases: &[(Change, &str, &str)] = &[
        (
            |tables| tables.remove::<LocationBinding>(&plane(), &ObjectKey::cluster_scoped("dfw")),
            "LocationNotAvailable",
            "project p holds no Location dfw",
        ),
        (
            |tables| tables.put(&plane(), location(Some("False"))),
            "LocationNotAvailable",
            "says Available=False",
        ),
        (
            |tables| tables.set_kind::<LocationBinding>(&plane(), ClusterSight::Starting),
            "Unknown",
            "Location dfw in project p",
        ),
    ];
    for (change, reason, text) in cases {
        let mut tables = declared();
        change(&mut tables);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, *reason), "{text}");
        assert!(wait(&plan).1.contains(text), "{plan:?}");
    }
}

#[test]
fn a_project_that_is_not_resolved_shows_nothing_of_its_plane() {
    let cases: &[Change] = &[
        |tables| tables.remove::<Project>(&ClusterName::Core, &ObjectKey::cluster_scoped("p")),
        |tables| tables.set_kind::<Project>(&ClusterName::Core, ClusterSight::Starting),
        |tables| tables.set_kind::<Project>(&ClusterName::Core, ClusterSight::Forbidden),
        |tables| {
            tables.clusters.insert(ClusterName::Core, ClusterSight::NotEngaged);
        },
        |tables| {
            tables.clusters.insert(plane(), ClusterSight::Unreachable);
        },
    ];
    for change in cases {
        let mut tables = declared();
        put(&mut tables, with_stamp(context("c", "u1"), "2020-01-01T00:00:00Z"));
        change(&mut tables);
        let plan = pass(&mut tables);
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"), "{plan:?}");
    }
}

#[test]
fn a_name_that_is_no_label_value_is_refused_before_anything_is_made() {
    let long = PresenceKey { network: "n".repeat(64).into(), ..key() };
    let mut tables = declared();
    let mut network = network("u1", false);
    network.metadata.name = Some("n".repeat(64));
    tables.put(&plane(), network);
    let mut binding = binding("ns-p", "b");
    binding.spec.network.name = "n".repeat(64).into();
    tables.put(&ClusterName::Hub, binding);
    let plan = pass_of(&mut tables, &long);
    assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "NameNotUsable"));
    assert!(wait(&plan).1.contains("has 64 characters"), "{plan:?}");
}

#[test]
fn two_taken_names_are_both_named() {
    let mut tables = declared();
    for name in ["net-dfw".to_owned(), key().hashed_name().to_string()] {
        let mut squatter = handmade(&name);
        squatter["spec"]["network"]["name"] = "other".into();
        put(&mut tables, squatter);
    }
    let plan = pass(&mut tables);
    assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "NameTaken"));
    assert!(wait(&plan).1.contains(&format!("net-dfw and {}", key().hashed_name())), "{plan:?}");
}

#[test]
fn a_creation_that_was_refused_is_not_planned_before_its_time_and_says_why() {
    let attempt = |is_due| Attempt {
        target: Target::of::<NetworkContext>(plane(), ObjectKey::namespaced("default", "net-dfw")),
        verb: Verb::Create,
        code: 403,
        message: "a policy says no".to_owned(),
        causes: Vec::new(),
        count: 1,
        due: NOW.parse().unwrap(),
        is_due,
    };
    let mut tables = declared();
    tables.attempts = Attempts(vec![attempt(false)]);
    let plan = pass(&mut tables);
    assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Refused"));
    assert!(
        wait(&plan).1.contains("NetworkContext default/net-dfw on project/p was refused: a policy says no")
    );
    tables.attempts = Attempts(vec![attempt(true)]);
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
}

fn malformed(tables: &mut Tables, namespace: &str) {
    let key = ObjectKey::namespaced(namespace, "odd");
    tables.put_invalid::<NetworkBinding>(&ClusterName::Hub, key, "spec");
}

#[test]
fn a_declaration_of_another_project_that_does_not_decode_keeps_nobody_waiting() {
    let mut tables = declared();
    malformed(&mut tables, "ns-of-another");
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
    let mut tables = unclaimed();
    put(&mut tables, context("c", "u1"));
    malformed(&mut tables, "ns-of-another");
    assert!(!steps(&pass(&mut tables)).is_empty(), "a context that nobody declares is stamped");
}

#[test]
fn one_holder_that_is_certain_is_enough_whatever_else_does_not_decode() {
    let second = json!({"metadata": {"name": "ns-p-second", "labels": {
        "meta.datumapis.com/upstream-cluster-name": "cluster-p",
        "meta.datumapis.com/upstream-namespace": "default",
    }}});
    let mut tables = declared();
    tables.put(&ClusterName::Hub, decoded::<Namespace>(second.clone()));
    malformed(&mut tables, "ns-p-second");
    assert_eq!(steps(&pass(&mut tables)), ["create net-dfw"]);
    let mut tables = unclaimed();
    tables.put(&ClusterName::Hub, decoded::<Namespace>(second));
    malformed(&mut tables, "ns-p-second");
    put(&mut tables, with_stamp(context("c", "u1"), "2020-01-01T00:00:00Z"));
    let plan = pass(&mut tables);
    assert_eq!(wait(&plan).0, "Unknown", "what does not decode may declare it: {plan:?}");
}
