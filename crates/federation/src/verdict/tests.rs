//! The order and the words of refusals.

use super::*;

fn key() -> PresenceKey {
    PresenceKey {
        project: "p".into(),
        namespace: "default".into(),
        network: "net".into(),
        location: "dfw".into(),
    }
}

fn network(is_deleting: bool) -> NetworkFacts {
    NetworkFacts { uid: "u".into(), generation: 1, is_deleting, ip_families: Vec::new(), mtu: 1460 }
}

fn clear() -> Facts {
    Facts {
        project: ProjectSight::Resolved,
        location: LocationSight::Available,
        network: Sight::Present(network(false)),
    }
}

fn reason(facts: &Facts) -> Option<NetworkBindingReason> {
    match judge(&key(), facts) {
        Judgement::Refused(reason, _) => Some(reason),
        _ => None,
    }
}

#[test]
fn what_is_there_is_clear() {
    assert_eq!(judge(&key(), &clear()), Judgement::Clear(network(false)));
}

#[test]
fn the_first_thing_that_is_missing_is_named() {
    let mut facts =
        Facts { project: ProjectSight::Absent, location: LocationSight::Missing, network: Sight::Absent };
    assert_eq!(reason(&facts), Some(NetworkBindingReason::ProjectUnresolved));
    facts.project = ProjectSight::Resolved;
    assert_eq!(reason(&facts), Some(NetworkBindingReason::LocationNotAvailable));
    facts.location = LocationSight::Available;
    assert_eq!(reason(&facts), Some(NetworkBindingReason::NetworkNotFound));
    facts.network = Sight::Present(network(true));
    assert_eq!(reason(&facts), Some(NetworkBindingReason::NetworkContextTerminating));
}

#[test]
fn a_name_that_is_no_label_value_is_refused_before_the_location_is_asked() {
    let long = PresenceKey { network: "n".repeat(64).into(), ..key() };
    let judgement = judge(&long, &Facts { location: LocationSight::Missing, ..clear() });
    assert!(matches!(judgement, Judgement::Refused(NetworkBindingReason::NameNotUsable, _)), "{judgement:?}");
}

#[test]
fn what_cannot_be_told_refuses_nothing() {
    for facts in [
        Facts { project: ProjectSight::Starting, ..clear() },
        Facts { location: LocationSight::Unknown(Unknown::Forbidden), ..clear() },
        Facts { network: Sight::Unknown(Unknown::Unreachable), ..clear() },
        Facts { network: Sight::Invalid("spec".to_owned()), ..clear() },
    ] {
        assert!(matches!(judge(&key(), &facts), Judgement::Undecided(_)), "{facts:?}");
    }
    let away = Facts { project: ProjectSight::Unreachable(key().cluster()), ..clear() };
    assert!(matches!(judge(&key(), &away), Judgement::Unreachable(text) if text.contains("project/p")));
}

#[test]
fn a_withdrawn_location_is_told_from_a_missing_one() {
    let Judgement::Refused(_, withdrawn) =
        judge(&key(), &Facts { location: LocationSight::Withdrawn, ..clear() })
    else {
        panic!("a withdrawn location is not available");
    };
    assert!(withdrawn.contains("Available=False"));
}
