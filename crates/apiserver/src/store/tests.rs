//! Keys, publication, history and loading.

use super::*;
use crate::limits::HISTORY_BYTES_MAX;
use serde_json::json;

fn key(name: &str) -> Key {
    Key::new("hub", "example.com/things", Some("n"), name)
}

fn put(store: &mut Store, name: &str, data: i64) -> Batch {
    let mut writes = WriteSet::default();
    writes.put(key(name), json!({"metadata": {"name": name}, "data": data}), 1);
    store.commit(writes).0
}

fn remove(store: &mut Store, name: &str) {
    let mut writes = WriteSet::default();
    writes.delete(key(name));
    store.commit(writes);
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn names(state: &[(Key, Arc<Stored>)]) -> Vec<String> {
    state.iter().map(|(key, stored)| format!("{}={}", key.name(), stored.value()["data"])).collect()
}

#[test]
fn a_key_gives_its_parts_back() {
    let key = Key::new("project/org/p", "example.com/things", Some("n"), "a:b");
    assert_eq!((key.plane(), key.storage()), ("project/org/p", "example.com/things"));
    assert_eq!((key.namespace(), key.name()), (Some("n"), "a:b"));
    let key = Key::new("hub", "/namespaces", None, "n");
    assert_eq!((key.storage(), key.namespace(), key.name()), ("/namespaces", None, "n"));
}

#[test]
fn a_commit_is_invisible_until_it_is_published() {
    let mut store = Store::default();
    let batch = put(&mut store, "a", 1);
    assert_eq!((batch.revision, batch.entries.len()), (1, 1));
    assert!(store.head(&key("a")).is_some());
    assert!(store.get(&key("a")).is_none());
    assert_eq!(store.publish(1, at(0)).len(), 1);
    assert_eq!(store.get(&key("a")).unwrap().value()["metadata"]["resourceVersion"], "1");
}

#[test]
fn an_earlier_revision_is_rebuilt_from_changes() {
    let mut store = Store::default();
    put(&mut store, "a", 1);
    put(&mut store, "b", 1);
    put(&mut store, "a", 2);
    remove(&mut store, "b");
    store.publish(4, at(0));
    let state = |revision| names(&store.under_at("hub|example.com/things|", revision).unwrap());
    assert_eq!(state(1), ["a=1"]);
    assert_eq!(state(2), ["a=1", "b=1"]);
    assert_eq!(state(3), ["a=2", "b=1"]);
    assert_eq!(state(4), ["a=2"]);
}

#[test]
fn history_older_than_five_minutes_is_refused_but_a_kept_page_state_serves() {
    let mut store = Store::default();
    put(&mut store, "a", 1);
    store.publish(1, at(0));
    put(&mut store, "a", 2);
    store.publish(2, at(200));
    store.keep_snapshot(at(200));
    put(&mut store, "a", 3);
    store.publish(3, at(290));
    store.compact(at(400));
    assert_eq!(store.changes_after("hub|", 0).unwrap_err(), TooOld { oldest: 1 });
    assert_eq!(store.changes_after("hub|", 1).unwrap().len(), 2);
    store.compact(at(600));
    assert!(store.under_at("hub|", 1).is_err());
    assert!(store.under_at("hub|", 2).is_err(), "the kept state is over five minutes old too");
}

#[test]
fn a_deletion_carries_its_own_revision() {
    let mut store = Store::default();
    put(&mut store, "a", 1);
    remove(&mut store, "a");
    let changes = store.publish(2, at(0));
    assert!(changes[1].deleted);
    assert_eq!(changes[1].current.value()["metadata"]["resourceVersion"], "2");
}

#[test]
fn a_loaded_store_refuses_revisions_before_its_start() {
    let bytes = Bytes::from_static(br#"{"metadata":{"name":"a","resourceVersion":"7"}}"#);
    let store = Store::load(9, [(key("a"), bytes)]).unwrap();
    assert_eq!((store.revision(), store.published_revision()), (9, 9));
    assert_eq!(store.get(&key("a")).unwrap().revision, 7);
    assert!(store.changes_after("hub|", 8).is_err());
    assert!(store.changes_after("hub|", 9).is_ok());
}

#[test]
fn only_the_newest_commits_keep_their_parsed_form() {
    let kept = |stored: &Stored| Arc::ptr_eq(&stored.value(), &stored.value());
    let mut store = Store::default();
    put(&mut store, "a", 1);
    assert!(kept(store.head(&key("a")).unwrap()));
    for index in 0..RECENT_PARSED_MAX {
        put(&mut store, &format!("b{index}"), 2);
    }
    let old = store.head(&key("a")).unwrap();
    assert!(!kept(old));
    assert_eq!((&old.value()["data"], &old.value()["metadata"]["resourceVersion"]), (&json!(1), &json!("1")));
    assert!(kept(store.head(&key("b0")).unwrap()));
}

#[test]
fn large_objects_keep_fewer_parsed_forms() {
    let mut store = Store::default();
    for index in 0..10 {
        let mut writes = WriteSet::default();
        let name = format!("a{index}");
        let object = json!({"metadata": {"name": name}, "data": "x".repeat(1024 * 1024)});
        writes.put(key(&name), object, 1);
        store.commit(writes);
    }
    assert_eq!(store.recent.len(), RECENT_PARSED_BYTES_MAX / (1024 * 1024) - 1);
}

#[test]
fn a_burst_ends_the_snapshots_that_it_has_left_behind() {
    let object = json!({"metadata": {"name": "a"}, "data": "x".repeat(1024 * 1024)});
    let current = Opened::new(object, 1, 1).stored;
    let mut history = History::default();
    history.keep(1, &OrdMap::new(), at(0));
    for revision in 2..=70 {
        let change =
            Change { key: key("a"), revision, previous: None, current: current.clone(), deleted: false };
        history.record(change, at(0));
        history.compact(at(0));
    }
    assert!(history.under_at("hub|", 1, &OrdMap::new()).is_err());
}

#[test]
fn a_burst_of_changes_shortens_the_history_instead_of_filling_the_memory() {
    let object = json!({"metadata": {"name": "a"}, "data": "x".repeat(1024 * 1024)});
    let current = Opened::new(object, 1, 1).stored;
    let mut history = History::default();
    for revision in 1..=70 {
        let change =
            Change { key: key("a"), revision, previous: None, current: current.clone(), deleted: false };
        history.record(change, at(0));
        history.compact(at(0));
    }
    let oldest = history.changes_after("hub|", 0).unwrap_err().oldest;
    let kept = history.changes_after("hub|", oldest).unwrap().len();
    assert_eq!(kept, HISTORY_BYTES_MAX / current.bytes.len());
}
