//! Planes come and go, and each engagement is another one.

use super::*;
use crate::informer::Failure;

#[test]
fn a_plane_that_goes_makes_reads_unknown_and_one_that_comes_back_is_listed_anew() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.input(Input::Disengaged(project(), 1));
    assert_eq!(rig.verdict("c").unwrap().0, "Unknown");
    rig.server.delete(&project(), "copies", "c");
    let lists = rig.lists.len();
    rig.input(Input::Engaged(project(), identity(2)));
    assert!(rig.lists.len() > lists);
    assert!(rig.is_copied("c"));
}

#[test]
fn an_older_engagement_cannot_remove_a_newer_one() {
    let mut rig = Rig::started();
    rig.input(Input::Engaged(project(), identity(2)));
    rig.input(Input::Disengaged(project(), 1));
    rig.source("s", &json!({"for": "c"}));
    assert!(rig.is_copied("c"));
    rig.input(Input::Disengaged(project(), 2));
    assert_eq!(rig.verdict("c").unwrap().0, "Unknown");
}

#[test]
fn the_same_engagement_again_changes_nothing() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    let (lists, passes) = (rig.lists.len(), rig.passes());
    rig.engage();
    assert_eq!((rig.lists.len(), rig.passes()), (lists, passes));
}

#[test]
fn a_plane_restored_from_backup_is_started_over_and_believed() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.input(Input::Disengaged(ClusterName::Hub, 1));
    rig.input(Input::Disengaged(project(), 1));
    let mut restored = Server::default();
    restored.put(&ClusterName::Hub, "sources", "s", json!({"data": {"for": "c", "x": "old"}}));
    rig.server = restored;
    rig.input(Input::Engaged(ClusterName::Hub, Identity { engagement: 2, server: "restored".to_owned() }));
    rig.input(Input::Engaged(project(), Identity { engagement: 2, server: "restored".to_owned() }));
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "old", "though its versions are lower");
}

#[test]
fn keys_live_as_long_as_the_plane_that_made_them() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"follow": "x"}));
    assert_eq!(rig.engine.status().keys, 1);
    rig.input(Input::Disengaged(ClusterName::Hub, 1));
    assert_eq!(
        (rig.engine.status().keys, rig.engine.violations.as_slice()),
        (0, [].as_slice()),
        "settled or not"
    );
}

#[test]
fn answers_of_an_earlier_list_or_watch_are_not_believed() {
    let mut rig = Rig::started();
    let store = rig.store(&ClusterName::Hub);
    let old = rig.watches[&store].epoch;
    rig.input(Input::WatchEnded(store, old, Failure::Gone));
    let object = (KindEntry::of::<ConfigMap>().decode)(
        br#"{"metadata":{"name":"s","namespace":"sources","uid":"u","resourceVersion":"99"},"data":{"for":"c"}}"#,
    );
    rig.input(Input::Watched(store, old, Watched::Applied(object)));
    assert!(!rig.is_copied("c"));
}

#[test]
fn a_plane_that_refuses_a_kind_harms_only_what_reads_it() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    let store = rig.store(&project());
    let epoch = rig.watches[&store].epoch;
    rig.withhold(What::Lists);
    rig.input(Input::WatchEnded(store, epoch, Failure::Forbidden("no list for you".to_owned())));
    assert_eq!(rig.verdict("c").unwrap().0, "Unknown");
    rig.release(What::Lists);
    rig.advance(seconds(31));
    assert_eq!(rig.verdict("c"), None);
}

#[test]
fn a_server_that_closes_every_watch_is_not_asked_without_end() {
    let mut rig = Rig::started();
    let store = rig.store(&ClusterName::Hub);
    let mut watches = 0;
    for _ in 0..100 {
        if let Some(epoch) = rig.watches.remove(&store).map(|watch| watch.epoch) {
            watches += 1;
            rig.input(Input::WatchEnded(store, epoch, Failure::Ended));
        }
        rig.advance(Duration::from_millis(50));
    }
    assert!((3..=8).contains(&watches), "{watches} watches in five seconds");
}

#[test]
fn names_that_came_and_went_cost_nothing() {
    let mut rig = Rig::started();
    let kept =
        |rig: &Rig| -> Vec<usize> { rig.engine.world.stores().map(|(_, store)| store.names_len()).collect() };
    let before = kept(&rig);
    for number in 0..20 {
        let name = format!("s{number}");
        rig.source(&name, &json!({"for": format!("c{number}")}));
        rig.delete_source(&name);
    }
    assert_eq!(rig.engine.status().keys, 0);
    assert_eq!(kept(&rig), before, "neither objects that are gone nor names that were looked for are kept");
}

#[test]
fn watches_that_end_together_because_they_shared_a_connection_are_one_failure() {
    let mut rig = Rig::started();
    let (id, _) = rig.engine.world.cluster_named(&project()).unwrap();
    let is_unreachable = |rig: &Rig| rig.engine.world.cluster(id).unwrap().unreachable_since().is_some();
    for _ in 0..5 {
        rig.engine.world.note_failure(id);
    }
    assert!(!is_unreachable(&rig));
    rig.pass_time(Duration::from_millis(200));
    rig.engine.world.now = rig.now;
    rig.engine.world.note_failure(id);
    assert!(is_unreachable(&rig), "the next attempt failed as well");
}

/// A plane restored from a backup keeps its identity, and its versions begin again where the backup was made.
#[test]
fn a_plane_that_comes_back_with_an_older_state_is_listed_again() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    let backup = rig.server.clone();
    rig.withholds_events_of = Some(project());
    rig.delete_source("s");
    rig.source("u", &json!({"for": "e", "x": "3"}));
    assert_eq!((rig.is_copied("c"), rig.is_copied("e")), (false, true));
    rig.withholds_events_of = None;
    rig.server = backup;
    list_everything_again(&mut rig);
    rig.source("t", &json!({"for": "d", "x": "2"}));
    rig.delete_source("s");
    assert!(rig.is_copied("d"), "a version below those of before is seen");
    assert!(!rig.is_copied("c"), "the copy that came back goes when its source goes again");
    rig.source("u", &json!({"for": "e", "x": "3"}));
    assert!(rig.is_copied("e"), "what was written to the state that is gone is written again");
}

/// The deletion that hides the copy here never happened there, and no key was left to look after it.
#[test]
fn what_a_restored_plane_shows_again_is_ended_again() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    let backup = rig.server.clone();
    rig.withholds_events_of = Some(project());
    rig.delete_source("s");
    assert!(!rig.is_copied("c"), "it is ended, and the watch has not told it");
    rig.withholds_events_of = None;
    rig.server = backup;
    rig.server.delete(&ClusterName::Hub, "sources", "s");
    assert!(rig.is_copied("c"), "it is back");
    list_everything_again(&mut rig);
    assert!(!rig.is_copied("c"), "it is ended again");
}

/// Watches are silent for so long, and then end, that what they last said is believed no more.
fn list_everything_again(rig: &mut Rig) {
    rig.run();
    rig.pass_time(seconds(280));
    let watches: Vec<_> = rig.watches.iter().map(|(store, watch)| (*store, watch.epoch)).collect();
    for (store, epoch) in watches {
        rig.input(Input::WatchEnded(store, epoch, Failure::Ended));
    }
    rig.advance(seconds(2));
}
