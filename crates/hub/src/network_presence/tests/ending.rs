//! How a presence ends: with its Network at once, without holders after its grace.

use super::*;

const HOLD: &str = "apply c at version in hold";

#[test]
fn without_holders_the_time_is_written_down_first() {
    let mut tables = unclaimed();
    put(&mut tables, context("c", "u1"));
    let plan = pass(&mut tables);
    assert_eq!(steps(&plan), [HOLD.to_owned(), format!("record c {}", EventReason::UnclaimedGraceStarted)]);
    let Action::Apply(fields) = &plan.steps[0].action else { panic!("{plan:?}") };
    assert_eq!(
        fields,
        &json!({"metadata": {"annotations": {"networking.datumapis.com/unclaimed-since": NOW}}})
    );
    let (reason, message) = wait(&plan);
    assert_eq!(reason, "UnclaimedGrace");
    assert!(message.contains("network default/net at dfw for project p"), "{message}");
    assert!(message.contains("it ends at 2026-03-02T12:00:00Z unless something does"), "{message}");
    assert_eq!(event(&plan).note, message);
}

#[test]
fn a_stamp_decides_by_when_it_ends_and_one_that_cannot_be_read_starts_again() {
    let unreadable = format!("record c {}", EventReason::UnclaimedSinceUnreadable);
    let ended = format!("record c {}", EventReason::PresenceEnded);
    let cases: &[(&str, &[&str])] = &[
        ("2026-03-01T11:00:00Z", &["apply c at version"]),
        ("2026-02-28T12:00:01Z", &["apply c at version"]),
        ("2026-02-28T12:00:00Z", &["delete c at version, destroying", &ended]),
        ("2020-01-01T00:00:00Z", &["delete c at version, destroying", &ended]),
        ("yesterday", &[HOLD, &unreadable]),
        ("", &[HOLD, &unreadable]),
        ("2026-03-01T12:01:00Z", &["apply c at version"]),
        ("2026-03-01T12:01:01Z", &[HOLD, &unreadable]),
    ];
    for (stamp, expected) in cases {
        let mut tables = unclaimed();
        put(&mut tables, with_stamp(context("c", "u1"), stamp));
        assert_eq!(steps(&pass(&mut tables)), *expected, "{stamp:?}");
    }
}

#[test]
fn a_running_grace_waits_for_its_end_and_for_nothing_else() {
    let mut tables = unclaimed();
    put(&mut tables, with_stamp(context("c", "u1"), "2026-03-01T11:00:00Z"));
    let plan = pass(&mut tables);
    assert!(wait(&plan).1.contains("it ends at 2026-03-02T11:00:00Z"), "{plan:?}");
    assert_eq!(tables.deadlines, ["2026-03-02T11:00:00Z".parse::<Timestamp>().unwrap()]);
}

/// Somebody took its label off; its owner still says whose it is.
#[test]
fn a_context_that_lost_its_label_ends_like_any_other_of_its_network() {
    for stamp in [None, Some("2026-03-01T00:00:00Z"), Some("2026-02-01T00:00:00Z"), Some("yesterday")] {
        let plans = [true, false].map(|is_labelled| {
            let mut context = context("c", "u1");
            if !is_labelled {
                context["metadata"].as_object_mut().unwrap().remove("labels");
            }
            let mut tables = unclaimed();
            put(
                &mut tables,
                stamp.map_or_else(|| context.clone(), |since| with_stamp(context.clone(), since)),
            );
            pass(&mut tables)
        });
        let [labelled, unlabelled] = plans.map(|plan| (steps(&plan), plan.verdict));
        assert!(!labelled.0.is_empty(), "{stamp:?}");
        assert_eq!(unlabelled, labelled, "{stamp:?}");
    }
}

#[test]
fn an_unreadable_stamp_is_quoted_in_a_warning() {
    let mut tables = unclaimed();
    put(&mut tables, with_stamp(context("c", "u1"), "soon"));
    let plan = pass(&mut tables);
    assert!(event(&plan).note.contains("says \"soon\", which is no usable time"), "{}", event(&plan).note);
    assert_eq!(event(&plan).reason, EventReason::UnclaimedSinceUnreadable);
}

#[test]
fn without_grace_a_presence_ends_at_once() {
    let mut tables = unclaimed();
    put(&mut tables, context("c", "u1"));
    let mut observed = NetworkPresenceController::observe(&View::new(&mut tables), &key());
    observed.grace_period = Duration::ZERO;
    let plan = NetworkPresenceController::plan(&observed);
    assert_eq!(
        steps(&plan),
        ["delete c at version, destroying".to_owned(), format!("record c {}", EventReason::PresenceEnded)]
    );
    assert!(event(&plan).note.ends_with("nothing declares it and the grace is zero"));
}

#[test]
fn a_holder_that_comes_back_takes_the_stamp_off_under_its_own_group() {
    let mut tables = declared();
    put(&mut tables, with_stamp(context("c", "u1"), "2026-03-01T11:00:00Z"));
    let plan = pass(&mut tables);
    let cancelled = format!("record c {}", EventReason::UnclaimedGraceCancelled);
    assert_eq!(steps(&plan), ["apply c at version", "remove c at version in hold", &cancelled]);
    assert_eq!(event(&plan).occurrence, "2026-03-01T11:00:00Z");
    assert_eq!(plan.verdict, Verdict::Settled);
}

#[test]
fn a_grace_does_not_go_on_under_a_holder_that_is_refused() {
    let mut tables = declared();
    tables.put(&plane(), location(Some("False")));
    put(&mut tables, with_stamp(context("c", "u1"), "2026-03-01T11:00:00Z"));
    let plan = pass(&mut tables);
    let cancelled = format!("record c {}", EventReason::UnclaimedGraceCancelled);
    assert_eq!(steps(&plan), ["remove c at version in hold", &cancelled]);
    assert_eq!(wait(&plan).0, "LocationNotAvailable");
}

#[test]
fn a_withdrawn_location_neither_stamps_nor_ends_nor_changes_what_is_held() {
    let mut tables = declared();
    tables.put(&plane(), location(Some("False")));
    put(&mut tables, context("c", "u1"));
    let plan = pass(&mut tables);
    assert_eq!(steps(&plan), Vec::<String>::new());
    assert_eq!(wait(&plan).0, "LocationNotAvailable");
}

#[test]
fn a_deleted_network_ends_every_context_that_belongs_to_it_and_no_other() {
    let mut tables = declared();
    tables.put(&plane(), network("u1", true));
    put(&mut tables, context("labelled", "u1"));
    put(&mut tables, handmade("bare"));
    let mut foreign = handmade("foreign");
    foreign["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Network", "name": "net", "uid": "u9", "controller": true}]);
    put(&mut tables, foreign);
    let ended = |name: &str| {
        [
            format!("delete {name} at version, destroying"),
            format!("record {name} {}", EventReason::PresenceEnded),
        ]
    };
    assert_eq!(steps(&pass(&mut tables)), [ended("bare"), ended("labelled")].concat());
}

#[test]
fn an_absent_network_ends_what_was_made_for_a_network_and_leaves_what_was_not() {
    let mut tables = declared();
    tables.remove::<Network>(&plane(), &ObjectKey::namespaced("default", "net"));
    put(&mut tables, context("c", "u1"));
    put(&mut tables, handmade("bare"));
    let plan = pass(&mut tables);
    assert_eq!(
        steps(&plan),
        ["delete c at version, destroying".to_owned(), format!("record c {}", EventReason::PresenceEnded)]
    );
    assert!(event(&plan).note.ends_with("its Network is gone or going"));
    assert_eq!(event(&plan).regarding.as_str(), "c");
}

#[test]
fn a_context_that_is_going_with_its_network_is_waited_for_by_name() {
    let mut tables = unclaimed();
    tables.put(&plane(), network("u1", true));
    put(&mut tables, going(context("c", "u1")));
    let plan = pass(&mut tables);
    assert_eq!(steps(&plan), Vec::<String>::new());
    let (reason, message) = wait(&plan);
    assert_eq!(reason, "NetworkContextTerminating");
    assert!(message.contains("NetworkContext default/c on project/p is being deleted"), "{message}");
}

#[test]
fn nothing_is_left_of_a_presence_without_network_and_context() {
    let mut tables = empty();
    assert!(pass(&mut tables).is_settled());
}
