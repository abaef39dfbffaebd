//! Absence that destroys is confirmed by the server itself, after the pass that saw it.

use super::*;

#[test]
fn nothing_is_destroyed_before_the_fence_has_passed() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.withhold(What::Fences);
    rig.delete_source("s");
    rig.advance(seconds(60));
    assert!(rig.is_copied("c"));
    assert_eq!(rig.engine.status().fences, 1);
    rig.release(What::Fences);
    rig.run();
    assert!(!rig.is_copied("c"));
    assert!(rig.engine.is_idle());
}

#[test]
fn an_index_that_is_empty_only_because_the_watch_lags_destroys_nothing() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.withhold(What::Fences);
    rig.delete_source("s");
    rig.withhold(What::Events);
    rig.server.put(&ClusterName::Hub, "sources", "t", json!({"data": {"for": "c", "x": "2"}}));
    rig.release(What::Fences);
    rig.run();
    assert!(rig.is_copied("c"), "the server has passed what the cache shows");
    rig.release(What::Events);
    rig.run();
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "2");
    assert!(!rig.sent().iter().any(|request| request.starts_with("DELETE")));
}

#[test]
fn a_hub_that_does_not_answer_destroys_nothing_until_it_does() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.withhold(What::Fences);
    rig.delete_source("s");
    rig.server.unreachable.push(ClusterName::Hub);
    rig.release(What::Fences);
    rig.advance(seconds(120));
    assert!(rig.is_copied("c"));
    assert!(rig.fences < 40, "asked again with back-off, {} times", rig.fences);
    rig.server.unreachable.clear();
    rig.advance(seconds(300));
    assert!(!rig.is_copied("c"));
}

#[test]
fn without_bookmarks_the_cache_is_listed_again_when_patience_ends() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.has_no_bookmarks = true;
    rig.withhold(What::Fences);
    rig.delete_source("s");
    rig.server.put(&project(), "elsewhere", "x", json!({"data": {"moves": "the version"}}));
    rig.release(What::Fences);
    rig.run();
    let lists = rig.lists.len();
    rig.advance(Duration::from_millis(3999));
    assert_eq!((rig.is_copied("c"), rig.lists.len()), (true, lists));
    rig.advance(Duration::from_millis(1));
    assert_eq!((rig.is_copied("c"), rig.lists.len()), (false, lists + 1));
}

#[test]
fn what_a_new_list_lacks_is_deleted() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.source("t", &json!({"for": "d"}));
    rig.server.lose(&ClusterName::Hub, "sources", "s");
    let store = rig.store(&ClusterName::Hub);
    let epoch = rig.watches[&store].epoch;
    rig.input(Input::WatchEnded(store, epoch, Failure::Gone));
    assert!(!rig.is_copied("c"));
    assert!(rig.is_copied("d"));
}

#[test]
fn keys_that_wait_at_the_same_time_share_fences() {
    let mut rig = Rig::started();
    for number in 0..20 {
        rig.source(&format!("s{number}"), &json!({"for": format!("c{number}")}));
    }
    rig.withhold(What::Fences);
    for number in 0..20 {
        rig.delete_source(&format!("s{number}"));
    }
    rig.release(What::Fences);
    rig.run();
    assert!((0..20).all(|number| !rig.is_copied(&format!("c{number}"))));
    assert_eq!(rig.fences, 2, "one under way, and one for everybody who came meanwhile");
}

#[test]
fn a_key_that_is_woken_while_it_waits_decides_anew() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.withhold(What::Fences);
    rig.delete_source("s");
    rig.source("s", &json!({"for": "c", "x": "back"}));
    rig.release(What::Fences);
    rig.run();
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "back");
}

#[test]
fn a_plane_that_is_dropped_while_it_is_asked_destroys_nothing() {
    let mut rig = Rig::started();
    rig.source("s", &json!({"for": "c"}));
    rig.withhold(What::Fences);
    rig.delete_source("s");
    rig.input(Input::Disengaged(ClusterName::Hub, 1));
    rig.release(What::Fences);
    rig.advance(seconds(60));
    assert!(rig.is_copied("c"));
    assert_eq!(rig.verdict("c").unwrap().0, "Unknown");
    assert_eq!(rig.engine.status().fences, 0);
}

#[test]
fn a_deadline_that_destroys_is_confirmed_by_the_servers_clock() {
    let mut rig = Rig::started();
    rig.server.clock_behind = seconds(600);
    rig.source("s", &json!({"for": "c", "expires": "2026-03-01T12:30:00Z"}));
    rig.advance(seconds(1800));
    assert!(rig.is_copied("c"), "the engine's clock is ahead");
    rig.advance(seconds(599));
    assert!(rig.is_copied("c"));
    assert!(rig.fences < 40, "the server is not asked without end, {} times", rig.fences);
    rig.advance(seconds(400));
    assert!(!rig.is_copied("c"));
}

#[test]
fn an_object_that_finalizers_keep_is_deleted_once_and_waited_for() {
    let mut rig = Rig::started();
    rig.server.finalizer = Some("others/one");
    rig.source("s", &json!({"for": "c"}));
    rig.sent();
    rig.delete_source("s");
    rig.advance(seconds(120));
    assert_eq!(rig.sent(), ["DELETE copies/configmaps/c"]);
    assert_eq!(rig.verdict("c").unwrap().0, "Going");
}
