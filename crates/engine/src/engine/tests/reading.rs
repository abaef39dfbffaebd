//! Reading is subscribing: whatever changes in what a pass read wakes its key, and nothing else does.

use api::{Kind, ObjectKey};
use reconcile::Verdict;

use super::*;
use crate::explain::Explanation;

#[test]
fn a_source_is_copied_and_then_nothing_more_is_sent() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    assert_eq!(rig.sent(), ["POST copies/configmaps"]);
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "1");
    rig.advance(seconds(3600));
    assert!(rig.sent().is_empty());
    assert!(rig.engine.is_idle());
    assert!(rig.engine.violations.is_empty());
}

#[test]
fn whatever_changes_in_what_a_pass_read_wakes_its_key() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.source("s", &json!({"for": "c", "x": "2"}));
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2", "facts of a source");
    rig.server.put(&project(), "copies", "c", json!({"data": {"for": "c", "x": "drift"}}));
    rig.run();
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2", "facts of the copy");
    rig.server.delete(&project(), "copies", "c");
    rig.run();
    assert!(rig.is_copied("c"), "the copy going");
    rig.server.put(&project(), "copies", "c", json!({"data": {}}));
    rig.run();
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2", "a field of the intent");
}

#[test]
fn an_object_that_was_absent_wakes_whoever_looked_for_it() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"follow": "later"}));
    let waits = |rig: &Rig| rig.engine.verdicts().into_iter().any(|one| one.waiting.is_some());
    assert!(waits(&rig));
    rig.server.put(&project(), "followed", "later", json!({"data": {}}));
    rig.run();
    let followed = rig.engine.verdicts().into_iter().find(|one| one.controller == "follow").unwrap();
    assert_eq!(followed.waiting, None);
}

#[test]
fn what_a_pass_did_not_read_wakes_nobody() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    let before = rig.passes();
    rig.server.put(&ClusterName::Hub, "elsewhere", "other", json!({"data": {"x": "1"}}));
    rig.server.put(&project(), "copies", "c", json!({"metadata": {"labels": {"seen": "by nobody"}}}));
    rig.run();
    assert_eq!(rig.passes(), before);
}

#[test]
fn a_deadline_wakes_its_key_when_it_comes_and_not_before() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "until": "2026-03-01T13:00:00Z"}));
    rig.advance(seconds(3599));
    assert!(!rig.is_copied("c"));
    assert_eq!(rig.verdict("c").unwrap().0, "Until");
    rig.advance(seconds(1));
    assert!(rig.is_copied("c"));
}

#[test]
fn a_clock_that_is_set_forward_makes_deadlines_look_again_at_once() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "until": "2026-03-01T13:00:00Z"}));
    rig.now.wall = "2026-03-01T13:00:00Z".parse().unwrap();
    rig.input(Input::Tick);
    assert!(rig.is_copied("c"));
}

#[test]
fn a_clock_that_is_set_back_does_not_lose_a_deadline() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "until": "2026-03-01T13:00:00Z"}));
    rig.now.wall = "2026-03-01T11:00:00Z".parse().unwrap();
    let before = rig.passes();
    rig.input(Input::Tick);
    assert_eq!(rig.passes(), before + 1, "everything with a deadline is looked at again");
    rig.advance(seconds(2 * 3600 - 1));
    assert!(!rig.is_copied("c"));
    rig.advance(seconds(1));
    assert!(rig.is_copied("c"));
}

#[test]
fn a_new_configuration_wakes_whoever_read_it() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.input(Input::Configured(Arc::new(Mode { mode: "fast" })));
    assert_eq!(rig.copy("c").unwrap()["data"]["mode"], "fast");
}

#[test]
fn a_fresh_process_finds_what_it_left_from_the_roots_alone() {
    let mut rig = Rig::with(Settings::default(), Vec::new());
    rig.server.put(&project(), "copies", "left", json!({"data": {"for": "left"}}));
    rig.engage();
    assert!(!rig.is_copied("left"), "its source went while nobody looked");
    assert!(rig.engine.verdicts().is_empty(), "a settled key that no root names is forgotten");
}

#[test]
fn a_key_stays_while_what_made_it_exist_cannot_be_told() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    let invalid = json!({"data": "no map"});
    rig.server.put(&ClusterName::Hub, "sources", "s", invalid);
    rig.run();
    assert_eq!(rig.verdict("c").unwrap().0, "Unknown");
    assert!(rig.is_copied("c"));
    rig.source("s", &json!({"for": "c", "x": "again"}));
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "again");
}

#[test]
fn a_key_with_one_root_stays_while_that_root_cannot_be_told() {
    let mut rig = Rig::started();
    rig.server.put(&project(), "followed", "x", json!({"data": {}}));
    rig.source("s", &json!({"follow": "x"}));
    assert_eq!(rig.engine.status().keys, 1);
    rig.server.put(&ClusterName::Hub, "sources", "s", json!({"data": "no map"}));
    rig.run();
    assert_eq!(rig.engine.status().keys, 1, "it may follow still");
    rig.source("s", &json!({}));
    assert_eq!(rig.engine.status().keys, 0, "now it certainly does not");
}

#[test]
fn one_pass_per_key_is_made_of_a_plane_that_is_listed_and_none_while_it_is_not() {
    let mut rig = Rig::with(Settings { page_limit: 3, ..Settings::default() }, Vec::new());
    for number in 0..10 {
        let name = format!("c{number}");
        rig.server.put(&ClusterName::Hub, "sources", &name, json!({"data": {"for": name}}));
        rig.server.put(&project(), "copies", &name, json!({"data": {"for": name}}));
    }
    rig.engage();
    let passes = &rig.engine.metrics.passes;
    assert_eq!(passes.get(&("mirror", PassOutcome::Settled)), Some(&10));
    assert!(passes.keys().all(|(_, outcome)| matches!(outcome, PassOutcome::Settled | PassOutcome::Cold)));
    assert!(rig.sent().is_empty());
    let pages: Vec<_> = rig.lists.iter().filter(|(cluster, _)| *cluster == project()).collect();
    assert_eq!(pages.len(), 4, "10 objects by 3");
}

#[test]
fn cold_passes_are_held_at_most_thirty_seconds() {
    let mut rig = Rig::with(Settings::default(), Vec::new());
    rig.server.put(&ClusterName::Hub, "sources", "s", json!({"data": {"for": "c"}}));
    rig.input(Input::Engaged(ClusterName::Hub, identity(1)));
    rig.withhold(What::Lists);
    rig.input(Input::Engaged(project(), identity(1)));
    let cold = |rig: &Rig| rig.engine.metrics.passes.get(&("mirror", PassOutcome::Cold)).copied();
    assert_eq!((cold(&rig), rig.engine.status().holds), (Some(1), 1));
    rig.advance(seconds(29));
    assert_eq!(rig.engine.status().holds, 1);
    rig.advance(seconds(1));
    assert_eq!(rig.engine.status().holds, 0);
    assert_eq!(rig.verdict("c").unwrap().0, "Unknown", "starting is an answer now");
    rig.release(What::Lists);
    rig.run();
    assert!(rig.is_copied("c"));
}

#[test]
fn a_panic_of_one_key_harms_no_other_and_is_tried_again_when_what_it_read_changes() {
    let mut rig = Rig::started();
    rig.source("bad", &json!({"for": "bad", "panic": "yes"}));
    rig.source("good", &json!({"for": "good"}));
    assert!(rig.is_copied("good"));
    let panicked = Violation::Panicked { controller: "mirror", key: "bad".to_owned() };
    assert!(rig.engine.violations.contains(&panicked));
    rig.source("bad", &json!({"for": "bad"}));
    assert!(rig.is_copied("bad"));
}

#[test]
fn a_key_whose_pass_panics_is_explained_as_such() {
    let mut rig = Rig::started();
    rig.source("bad", &json!({"for": "bad", "panic": "yes"}));
    let source = ObjectKey::namespaced("sources", "bad");
    let told = rig.engine.explain(&ClusterName::Hub, ConfigMap::RESOURCE, &source);
    let waits = |told: &Explanation| {
        matches!(told.verdict, Verdict::Waiting { reason: "Panicked", .. }) && !told.reads.is_empty()
    };
    assert!(matches!(&told[..], [one] if waits(one)), "{told:?}");
}

#[test]
fn a_panic_in_a_derivation_harms_no_other_and_keeps_the_keys_it_gave() {
    let mut rig = Rig::started();
    rig.source("bad", &json!({"for": "bad"}));
    rig.source("bad", &json!({"for": "bad", "panic-in-roots": "yes"}));
    rig.source("good", &json!({"for": "good"}));
    assert!(rig.is_copied("good"));
    assert!(rig.engine.violations.iter().any(|one| matches!(one, Violation::Panicked { key, .. }
        if key == "derivation from sources/bad on hub")));
    assert_eq!(rig.copy("bad").unwrap()["data"]["panic-in-roots"], "yes", "its key is still kept");
    rig.source("bad", &json!({"for": "other"}));
    assert!(rig.is_copied("other"));
}
