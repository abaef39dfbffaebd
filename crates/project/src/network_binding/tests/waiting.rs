//! What cannot be told is not answered; only a plane that is away is named to those that nobody has answered.

use super::*;

type Change = fn(&mut Tables);

#[test]
fn what_cannot_be_told_leaves_the_answer_as_it_is() {
    let cases: &[(Change, &str)] = &[
        (
            |tables| tables.set_kind::<Project>(&ClusterName::Core, ClusterSight::Starting),
            "project p has not been listed",
        ),
        (
            |tables| tables.set_kind::<LocationBinding>(&plane(), ClusterSight::Forbidden),
            "Location dfw in project p",
        ),
        (
            |tables| tables.set_kind::<Network>(&plane(), ClusterSight::Starting),
            "Network default/net in project p",
        ),
        (|tables| tables.set_kind::<Network>(&plane(), ClusterSight::NotServed), "does not serve Networks"),
        (
            |tables| {
                tables.put_invalid::<Network>(&plane(), ObjectKey::namespaced("default", "net"), "spec.mtu");
            },
            "does not decode: spec.mtu",
        ),
        (
            |tables| tables.set_kind::<NetworkContext>(&plane(), ClusterSight::Unreachable),
            "contexts of network default/net at dfw",
        ),
        (
            |tables| tables.set_kind::<Namespace>(&ClusterName::Hub, ClusterSight::Starting),
            "Namespace ns-p on hub",
        ),
    ];
    for (change, text) in cases {
        let mut tables = present();
        change(&mut tables);
        let plan = pass(&mut tables, &on_the_hub());
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, "Unknown"), "{text}");
        assert!(wait(&plan).1.contains(text), "{plan:?}");
    }
}

#[test]
fn a_plane_that_is_away_is_told_only_to_bindings_that_nobody_has_answered() {
    let away: &[(Change, &str)] = &[
        (
            |tables| {
                tables.clusters.insert(plane(), ClusterSight::NotEngaged);
            },
            "project/p",
        ),
        (
            |tables| {
                tables.clusters.insert(plane(), ClusterSight::Unreachable);
            },
            "project/p",
        ),
        (|tables| tables.set_kind::<Project>(&ClusterName::Core, ClusterSight::Unreachable), "core"),
    ];
    let said: &[(Option<Value>, bool)] = &[
        (None, true),
        (Some(ready_condition("Unknown", "Pending")), true),
        (Some(ready_condition("False", "ProjectUnresolved")), true),
        (Some(ready_condition("True", "NetworkContextReady")), false),
        (Some(ready_condition("False", "NetworkNotFound")), false),
    ];
    for (change, named) in away {
        for (condition, is_told) in said {
            let mut tables = present();
            let mut answered = binding("ns-p");
            answered["status"] = json!({"conditions": condition.iter().collect::<Vec<_>>()});
            tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(answered));
            change(&mut tables);
            let plan = pass(&mut tables, &on_the_hub());
            assert_eq!(wait(&plan).0, NetworkBindingReason::ProjectUnresolved.as_str());
            assert!(wait(&plan).1.contains(&format!("plane {named} is not engaged")), "{plan:?}");
            assert_eq!(steps(&plan).len(), usize::from(*is_told), "{condition:?}");
            if *is_told {
                assert_eq!(answer(&plan), refused(NetworkBindingReason::ProjectUnresolved));
            }
        }
    }
}

#[test]
fn a_binding_that_is_going_or_gone_is_told_nothing() {
    let mut tables = present();
    let mut going = binding("ns-p");
    going["metadata"]["deletionTimestamp"] = NOW.into();
    tables.put(&ClusterName::Hub, decoded::<NetworkBinding>(going));
    assert!(pass(&mut tables, &on_the_hub()).is_settled());
    tables.remove::<NetworkBinding>(&ClusterName::Hub, &ObjectKey::namespaced("ns-p", "b"));
    assert!(pass(&mut tables, &on_the_hub()).is_settled());
}

#[test]
fn a_binding_whose_namespace_is_gone_waits_for_nothing() {
    let mut tables = present();
    tables.remove::<Namespace>(&ClusterName::Hub, &ObjectKey::cluster_scoped("ns-p"));
    assert!(pass(&mut tables, &on_the_hub()).is_settled(), "no root names its key any more");
}

#[test]
fn a_binding_that_cannot_be_read_says_why() {
    for (sight, reason) in [
        (ClusterSight::Starting, "Unknown"),
        (ClusterSight::Unreachable, "Unknown"),
        (ClusterSight::Forbidden, "Unknown"),
        (ClusterSight::NotServed, "NotServed"),
    ] {
        let mut tables = present();
        tables.set_kind::<NetworkBinding>(&ClusterName::Hub, sight);
        let plan = pass(&mut tables, &on_the_hub());
        assert_eq!((steps(&plan).len(), wait(&plan).0), (0, reason));
        assert!(wait(&plan).1.contains("NetworkBinding ns-p/b on hub"), "{plan:?}");
    }
    let mut tables = present();
    tables.put_invalid::<NetworkBinding>(&ClusterName::Hub, ObjectKey::namespaced("ns-p", "b"), "spec");
    let plan = pass(&mut tables, &on_the_hub());
    assert_eq!(wait(&plan), ("Invalid", "NetworkBinding ns-p/b on hub does not decode: spec"));
}
