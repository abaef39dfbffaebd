//! What is sent, what is not, and what an answer is good for.

use api::{ObjectKey, Uid};

use super::*;

/// The bodies of requests on the wire.
fn body(rig: &Rig, at: usize) -> Value {
    serde_json::from_slice(&rig.on_wire[at].request.body).unwrap()
}

fn refusal(code: u16, reason: &str, message: &str) -> Value {
    json!({"kind": "Status", "code": code, "reason": reason, "message": message})
}

#[test]
fn an_own_write_is_known_before_the_watch_tells_it() {
    let mut rig = Rig::started();
    rig.withholds_events_of = Some(project());
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.source("s", &json!({"for": "c", "x": "2"}));
    assert_eq!(rig.sent(), ["POST copies/configmaps", "PATCH copies/configmaps/c"], "no second creation");
    rig.withholds_events_of = None;
    rig.run();
    assert!(rig.sent().is_empty(), "old events change nothing that is known");
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2");
}

#[test]
fn an_own_write_survives_a_list_that_is_older() {
    let mut rig = Rig::started();
    rig.withholds_events_of = Some(project());
    rig.withhold(What::Lists);
    let store = rig.store(&project());
    let epoch = rig.watches[&store].epoch;
    rig.input(Input::WatchEnded(store, epoch, Failure::Gone));
    let listing = rig.listed.pop_front().unwrap();
    let page = rig.server.page(&listing);
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.input(Input::Listed(listing.store, listing.epoch, page));
    rig.source("s", &json!({"for": "c", "x": "2"}));
    assert_eq!(rig.sent(), ["POST copies/configmaps", "PATCH copies/configmaps/c"]);
}

#[test]
fn a_late_answer_brings_nothing_back_that_the_watch_has_seen_go() {
    let mut rig = Rig::started();
    rig.withhold(What::Answers);
    rig.source("s", &json!({"for": "c"}));
    let sent = rig.on_wire.pop_front().unwrap();
    let late = rig.answer(&sent);
    rig.run();
    rig.server.delete(&project(), "copies", "c");
    rig.run();
    rig.release(What::Answers);
    rig.input(late);
    assert!(rig.is_copied("c"), "it is made again and not believed to be there");
}

#[test]
fn a_late_answer_to_a_deletion_hides_no_later_life_of_the_object() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.withhold(What::Answers);
    rig.delete_source("s");
    let sent = rig.on_wire.pop_front().unwrap();
    let late = rig.answer(&sent);
    rig.run();
    rig.server.put(&project(), "copies", "c", json!({"data": {"for": "c", "x": "by hand"}}));
    rig.run();
    rig.release(What::Answers);
    rig.input(late);
    assert!(!rig.is_copied("c"), "the later life is seen, and nothing declares it either");
}

/// The copy went and came again while a step for its first life was on the wire, and the watch told all of it before the answer.
fn answered_for_an_earlier_life(code: u16, body: Value) -> Rig {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.withhold(What::Answers);
    rig.source("s", &json!({"for": "c", "x": "2"}));
    rig.server.delete(&project(), "copies", "c");
    rig.server.put(&project(), "copies", "c", json!({"data": {"for": "c", "x": "by hand"}}));
    rig.run();
    rig.server.scripted.push((Method::Patch, code, body));
    rig.sent();
    rig.release(What::Answers);
    rig.run();
    rig.advance(seconds(5));
    rig
}

#[test]
fn a_step_that_came_too_late_for_one_life_of_an_object_is_sent_for_the_next() {
    let cause = json!({"field": "metadata.uid", "reason": "FieldValueInvalid"});
    let gone = json!({"kind": "Status", "code": 422, "reason": "Invalid", "details": {"causes": [cause]}});
    let mut rig = answered_for_an_earlier_life(422, gone);
    assert_eq!(rig.sent(), ["PATCH copies/configmaps/c"]);
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2");
    assert_eq!(rig.verdict("c"), None, "nothing stands against the second life");
}

#[test]
fn what_was_refused_for_one_life_of_an_object_is_asked_for_the_next() {
    let mut rig =
        answered_for_an_earlier_life(403, refusal(403, "Forbidden", "a policy is against this one"));
    assert_eq!(rig.sent(), ["PATCH copies/configmaps/c"]);
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2");
    assert_eq!(rig.verdict("c"), None);
}

#[test]
fn a_write_counts_as_seen_when_the_watch_has_told_it() {
    let mut rig = Rig::started();
    rig.withhold(What::Events);
    rig.source("s", &json!({"for": "c"}));
    let collection = || "/api/v1/configmaps".to_owned();
    let mark = |news| [Mark { cluster: ClusterName::Hub, collection: collection(), news }];
    let written = mark(News::Version(1));
    assert!(!rig.engine.has_seen(&written), "nothing was told");
    rig.release(What::Events);
    rig.run();
    assert!(rig.engine.has_seen(&written), "told, and what it brought about as well");
    let source = ObjectKey::namespaced("sources", "s");
    let uid = rig.server.get(&ClusterName::Hub, "sources", "s").unwrap()["metadata"]["uid"].clone();
    let gone = mark(News::Gone(source, Uid::new(uid.as_str().unwrap())));
    rig.withhold(What::Events);
    rig.delete_source("s");
    assert!(!rig.engine.has_seen(&gone), "the deletion was not told");
    rig.release(What::Events);
    rig.run();
    assert!(rig.engine.has_seen(&gone));
}

#[test]
fn an_own_write_counts_as_seen_when_the_watch_has_told_it() {
    let mut rig = Rig::started();
    rig.withholds_events_of = Some(project());
    rig.source("s", &json!({"for": "c"}));
    assert!(rig.is_copied("c") && !rig.engine.has_seen(&[]), "created");
    rig.withholds_events_of = None;
    rig.run();
    assert!(rig.engine.has_seen(&[]));
    rig.withholds_events_of = Some(project());
    rig.delete_source("s");
    assert!(!rig.is_copied("c") && !rig.engine.has_seen(&[]), "deleted");
    rig.withholds_events_of = None;
    rig.run();
    assert!(rig.engine.has_seen(&[]));
}

#[test]
fn a_deletion_that_was_answered_is_known_before_the_watch_tells_it() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.sent();
    rig.withholds_events_of = Some(project());
    rig.delete_source("s");
    rig.source("s", &json!({"for": "c", "x": "new"}));
    assert_eq!(rig.sent(), ["DELETE copies/configmaps/c", "POST copies/configmaps"]);
    rig.withholds_events_of = None;
    rig.run();
    assert!(rig.sent().is_empty());
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "new");
}

#[test]
fn an_apply_carries_the_uid_so_that_nothing_deleted_comes_back() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.withholds_events_of = Some(project());
    rig.server.delete(&project(), "copies", "c");
    rig.withhold(What::Answers);
    rig.source("s", &json!({"for": "c", "x": "2"}));
    assert_eq!(body(&rig, 0)["metadata"]["uid"], "u2");
    rig.release(What::Answers);
    rig.run();
    assert!(!rig.is_copied("c"), "the object is gone, and stays so until the watch has told it");
    rig.withholds_events_of = None;
    rig.run();
    assert!(rig.sent().ends_with(&["POST copies/configmaps".to_owned()]));
}

#[test]
fn what_must_not_be_there_is_taken_away_by_name() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "clean": "yes"}));
    assert_eq!(rig.sent(), ["POST copies/configmaps"]);
    for _ in 0..2 {
        rig.server.put(
            &project(),
            "copies",
            "c",
            json!({"metadata": {"annotations": {"note": "x", "kept": "y"}}}),
        );
        rig.run();
        assert_eq!(rig.copy("c").unwrap()["metadata"]["annotations"], json!({"kept": "y"}));
        assert_eq!(rig.sent(), ["PATCH copies/configmaps/c"]);
    }
}

#[test]
fn a_write_that_would_change_nothing_is_not_sent() {
    let mut rig = Rig::started();
    rig.server.put(&project(), "copies", "c", json!({"data": {"for": "c", "x": "1", "of others": "y"}}));
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.server.put(&project(), "copies", "c", json!({"data": {"for": "c", "x": "1", "of others": "z"}}));
    rig.run();
    assert!(rig.sent().is_empty());
}

#[test]
fn a_write_that_the_server_does_not_keep_is_not_sent_without_end() {
    let mut rig = Rig::started();
    rig.server.overwrites = Some(("x", "the server's"));
    rig.source("s", &json!({"for": "c", "x": "ours"}));
    assert_eq!(rig.sent(), ["POST copies/configmaps", "PATCH copies/configmaps/c"]);
    assert_eq!(rig.engine.metrics.not_kept, 1);
    let (reason, message) = rig.verdict("c").unwrap();
    assert_eq!(reason, "Refused");
    assert!(message.contains("apply of ConfigMap copies/c on project/p"), "{message}");
    assert!(message.contains("does not show it"), "{message}");
    rig.advance(seconds(59));
    assert!(rig.sent().is_empty());
    rig.advance(seconds(1));
    assert_eq!(rig.sent(), ["PATCH copies/configmaps/c"]);
    rig.server.overwrites = None;
    rig.advance(seconds(61));
    assert_eq!((rig.copy("c").unwrap()["data"]["x"].clone(), rig.verdict("c")), (json!("ours"), None));
}

#[test]
fn a_refusal_is_a_value_of_the_next_pass_and_tried_again_after_its_time() {
    let mut rig = Rig::started();
    rig.server.scripted.push((Method::Post, 403, refusal(403, "Forbidden", "a policy says no")));
    rig.source("s", &json!({"for": "c"}));
    assert_eq!(rig.verdict("c"), Some(("Refused", "a policy says no".to_owned())));
    rig.advance(seconds(59));
    assert_eq!(rig.sent().len(), 1);
    rig.advance(seconds(1));
    assert_eq!((rig.sent().len(), rig.is_copied("c"), rig.verdict("c")), (1, true, None));
}

#[test]
fn a_key_with_a_step_that_was_refused_is_not_settled_whatever_its_plan_says() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.server.scripted.push((Method::Patch, 422, refusal(422, "Invalid", "no such value")));
    rig.source("s", &json!({"for": "c", "x": "odd"}));
    let (reason, message) = rig.verdict("c").unwrap();
    assert_eq!(reason, "Refused");
    assert!(message.contains("no such value; it is tried again at 2026-03-01T12:01:00Z"), "{message}");
}

#[test]
fn a_failure_is_tried_again_soon_and_told_only_when_it_repeats() {
    let mut rig = Rig::started();
    for _ in 0..4 {
        rig.server.scripted.push((Method::Post, 500, refusal(500, "InternalError", "etcd has no leader")));
    }
    rig.source("s", &json!({"for": "c"}));
    assert_eq!(rig.verdict("c").unwrap().0, "Retrying");
    rig.advance(Duration::from_millis(15));
    assert_eq!(rig.verdict("c"), Some(("Refused", "etcd has no leader".to_owned())));
    rig.advance(seconds(1));
    assert!(rig.is_copied("c"));
    assert_eq!(rig.sent().len(), 5);
}

/// Otherwise a server that fails and somebody who is faster, in turns, are met without a pause.
#[test]
fn a_race_counts_on_after_a_failure_between() {
    let mut rig = Rig::started();
    let others = || refusal(409, "AlreadyExists", "somebody was faster");
    for answer in [(409, others()), (500, refusal(500, "InternalError", "no leader")), (409, others())] {
        rig.server.scripted.push((Method::Post, answer.0, answer.1));
    }
    rig.source("s", &json!({"for": "c"}));
    let races = |rig: &Rig| rig.engine.keys.iter().map(|(_, state)| state.races).max();
    for _ in 0..100 {
        if rig.requests.len() == 3 {
            break;
        }
        rig.advance(Duration::from_millis(1));
    }
    assert_eq!((rig.requests.len(), races(&rig)), (3, Some(2)));
    rig.advance(seconds(1));
    assert!(rig.is_copied("c"));
    assert_eq!(races(&rig), Some(0), "what was written begins anew");
}

#[test]
fn a_busy_server_is_left_alone_as_long_as_it_asks() {
    let mut rig = Rig::started();
    let mut busy = refusal(429, "TooManyRequests", "slow down");
    busy["details"] = json!({"retryAfterSeconds": 7});
    rig.server.scripted.push((Method::Post, 429, busy));
    rig.source("s", &json!({"for": "c"}));
    rig.advance(Duration::from_millis(6900));
    assert_eq!(rig.sent().len(), 1);
    rig.advance(Duration::from_millis(200));
    assert!(rig.is_copied("c"));
}

#[test]
fn an_answer_that_was_lost_is_found_out_without_a_second_object() {
    let mut rig = Rig::started();
    rig.withhold(What::Answers);
    rig.withholds_events_of = Some(project());
    rig.source("s", &json!({"for": "c"}));
    rig.apply_and_lose();
    rig.release(What::Answers);
    rig.advance(seconds(1));
    assert!(rig.engine.metrics.races.keys().any(|(_, _, cause)| *cause == "already-exists"));
    rig.withholds_events_of = None;
    rig.advance(seconds(2));
    assert_eq!(rig.verdict("c"), None);
    assert_eq!(rig.copy("c").unwrap()["metadata"]["uid"], "u2");
    assert!(rig.engine.is_idle());
}

#[test]
fn a_write_that_decides_from_a_version_loses_to_somebody_faster_and_is_made_again() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "at-version": "yes"}));
    rig.withholds_events_of = Some(project());
    rig.server.put(&project(), "copies", "c", json!({"metadata": {"labels": {"of": "others"}}}));
    rig.source("s", &json!({"for": "c", "at-version": "yes", "x": "1"}));
    assert_eq!(rig.engine.metrics.races.values().sum::<u64>(), 1);
    assert_eq!(rig.copy("c").unwrap()["data"].get("x"), None);
    rig.withholds_events_of = None;
    rig.run();
    rig.advance(seconds(1));
    let copy = rig.copy("c").unwrap();
    assert_eq!((&copy["data"]["x"], &copy["metadata"]["labels"]["of"]), (&json!("1"), &json!("others")));
    assert_eq!(rig.engine.metrics.races.values().sum::<u64>(), 1);
}

#[test]
fn a_plan_is_made_again_before_its_next_step_if_somebody_changed_what_it_read() {
    let mut rig = Rig::started();
    rig.server.put(
        &project(),
        "copies",
        "c",
        json!({"data": {"for": "c"}, "metadata": {"annotations": {"note": "n"}}}),
    );
    rig.withhold(What::Answers);
    rig.source("s", &json!({"for": "c", "clean": "yes", "x": "1"}));
    rig.source("s", &json!({"for": "c", "clean": "yes", "x": "2"}));
    assert_eq!(rig.on_wire.len(), 1);
    let first = rig.on_wire.pop_front().unwrap();
    let answer = rig.answer(&first);
    rig.input(answer);
    assert_eq!(body(&rig, 0)["data"]["x"], "2", "and not the second step of the old plan");
}

#[test]
fn without_a_change_the_steps_of_a_plan_follow_each_other() {
    let mut rig = Rig::started();
    rig.server.put(
        &project(),
        "copies",
        "c",
        json!({"data": {"for": "c"}, "metadata": {"annotations": {"note": "n"}}}),
    );
    let before = rig.passes();
    rig.source("s", &json!({"for": "c", "clean": "yes", "x": "1"}));
    assert_eq!(rig.sent(), ["PATCH copies/configmaps/c", "PATCH copies/configmaps/c"]);
    assert!(rig.passes() - before <= 3, "one to plan both, and what the watch tells of them");
}

#[test]
fn steps_for_objects_of_one_name_on_two_planes_are_told_apart() {
    let mut rig = Rig::started();
    rig.server.put(&ClusterName::Hub, "copies", "c", json!({"data": {"x": "old"}}));
    rig.server.put(&project(), "copies", "c", json!({"data": {"for": "c", "twin": "yes", "x": "1"}}));
    rig.source("s", &json!({"for": "c", "twin": "yes", "x": "1"}));
    let twin = rig.server.get(&ClusterName::Hub, "copies", "c").unwrap();
    assert_eq!(twin["data"]["x"], "1", "what the other plane's object holds says nothing about this one");
}

#[test]
fn a_step_for_an_object_that_was_not_read_is_not_sent_and_counted() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.source("s", &json!({"for": "c", "unread": "yes"}));
    assert!(!rig.is_copied("unread"));
    let target = "ConfigMap copies/unread on project/p".to_owned();
    assert!(rig.engine.violations.contains(&Violation::UnreadTarget { controller: "mirror", target }));
    assert!(rig.engine.metrics.unread_targets > 0);
    assert_eq!(rig.copy("c").unwrap()["data"]["unread"], "yes", "the steps before it are sent");
}

#[test]
fn a_key_that_somebody_fights_spends_its_budget_and_goes_on_a_minute_later() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "ours"}));
    rig.sent();
    for round in 0..50 {
        rig.server.put(
            &project(),
            "copies",
            "c",
            json!({"data": {"for": "c", "x": format!("theirs {round}")}}),
        );
        rig.run();
    }
    assert_eq!(rig.sent().len(), 29, "30 a minute, with the creation");
    rig.source("t", &json!({"for": "other"}));
    assert!(rig.is_copied("other"), "others have their own budget");
    rig.advance(seconds(60));
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "ours");
}

#[test]
fn a_cluster_gets_no_more_steps_at_once_than_it_is_allowed() {
    let mut rig = Rig::started_with(Settings { steps_in_flight_per_cluster: 2, ..Settings::default() });
    rig.withhold(What::Answers);
    for name in ["a", "b", "c", "d", "e"] {
        rig.source(name, &json!({"for": name}));
    }
    assert_eq!(rig.on_wire.len(), 2);
    rig.release(What::Answers);
    rig.run();
    assert!(["a", "b", "c", "d", "e"].iter().all(|name| rig.is_copied(name)));
    assert_eq!(rig.sent().len(), 5);
}

#[test]
fn no_more_objects_are_kept_as_json_than_plans_need() {
    let mut rig = Rig::with(Settings::default(), Vec::new());
    for number in 0..1100 {
        let name = format!("c{number}");
        rig.server.put(&project(), "copies", &name, json!({"data": {"for": name}}));
        rig.server.put(&ClusterName::Hub, "sources", &name, json!({"data": {"for": name}}));
    }
    rig.engage();
    let kept: usize = rig.engine.world.stores().map(|(_, store)| store.encoded_len()).sum();
    assert!((1..=1024).contains(&kept), "{kept} are kept");
}
