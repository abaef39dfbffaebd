//! What a read says, and who is woken by what.

use api::builtin::ConfigMap;
use api::{Kind, Uid};
use reconcile::{Facet, FacetEntry, Index};
use serde_json::{Value, json};

use super::*;
use crate::ids::{ControllerId, KeyId};

/// Only the data.
#[derive(Clone, Debug, Hash, serde::Serialize)]
struct Data(BTreeMap<String, String>);

impl Facet for Data {
    type Kind = ConfigMap;

    fn of(map: &ConfigMap) -> Self {
        Self(map.data.clone())
    }
}

/// Objects by their colour.
struct Colour;

impl Index for Colour {
    type Kind = ConfigMap;
    const NAME: &'static str = "colour";

    fn values(map: &ConfigMap) -> Vec<IndexValue> {
        map.data.get("colour").map(|colour| IndexValue::of([colour.as_str()])).into_iter().collect()
    }
}

const READER: Reader = Reader::Key(KeyId { controller: ControllerId(0), number: 7 });

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("ns", name)
}

fn object(name: &str, version: u64, data: &Value) -> Object {
    object_of(name, "u", version, data)
}

fn object_of(name: &str, uid: &str, version: u64, data: &Value) -> Object {
    let value = json!({"metadata": {"name": name, "namespace": "ns", "uid": uid,
        "resourceVersion": version.to_string()}, "data": data});
    (KindEntry::of::<ConfigMap>().decode)(value.to_string().as_bytes())
}

fn synced() -> Store {
    let mut store = Store::new(ClusterId(0), KindEntry::of::<ConfigMap>());
    store.set_state(StoreState::Synced, &mut Vec::new());
    store
}

fn set(store: &mut Store, object: Object) -> Vec<Reader> {
    let mut woken = Vec::new();
    store.set_base(&object.meta.key.clone(), Some(object), &mut woken);
    woken
}

fn look_at(store: &mut Store, name: &str) {
    let slot = store.slot_id(&key(name));
    store.subscribe(slot, READER, &Look::of(FacetEntry::of::<Data>()));
}

fn data_of(store: &Store, name: &str) -> Option<BTreeMap<String, String>> {
    let sight = store.read(&key(name));
    sight.present().map(|object| object.downcast_ref::<ConfigMap>().unwrap().data.clone())
}

fn ask(store: &mut Store, colour: &str, membership: fn(usize) -> Membership) {
    let value = IndexValue::of([colour]);
    let namespace = NamespaceName::new("ns");
    let index = IndexEntry::of::<Colour>();
    let count = store.read_names(index, Some(&namespace), &value).present().map_or(0, Vec::len);
    store.subscribe_index(index, Some(&namespace), &value, (READER, membership(count)));
}

fn names(store: &mut Store, namespace: Option<&str>, colour: &str) -> Sight<Vec<String>> {
    let namespace = namespace.map(NamespaceName::new);
    let sight = store.read_names(IndexEntry::of::<Colour>(), namespace.as_ref(), &IndexValue::of([colour]));
    sight.map(|keys| keys.into_iter().map(|key| key.name.to_string()).collect())
}

#[test]
fn a_store_that_cannot_be_read_says_why_and_wakes_its_readers_when_that_changes() {
    let cases: [(StoreState, Sight<()>); 4] = [
        (StoreState::Starting, Sight::Unknown(Unknown::Starting)),
        (StoreState::Unreachable, Sight::Unknown(Unknown::Unreachable)),
        (StoreState::Forbidden, Sight::Unknown(Unknown::Forbidden)),
        (StoreState::NotServed, Sight::NotServed),
    ];
    for (state, expected) in cases {
        let mut store = synced();
        set(&mut store, object("a", 1, &json!({"colour": "red"})));
        store.subscribe_state(READER);
        let mut woken = Vec::new();
        store.set_state(state, &mut woken);
        assert_eq!(woken, [READER]);
        assert_eq!(store.read(&key("a")).map(|_| ()), expected);
        assert_eq!(names(&mut store, None, "red").map(|_| ()), expected);
        store.set_state(state, &mut woken);
        assert_eq!(woken.len(), 1, "the same state again is no change");
    }
}

#[test]
fn an_index_follows_its_objects_within_a_namespace_and_everywhere() {
    let mut store = synced();
    set(&mut store, object("b", 1, &json!({"colour": "red"})));
    assert_eq!(names(&mut store, Some("ns"), "red"), Sight::Present(vec!["b".to_owned()]));
    set(&mut store, object("a", 2, &json!({"colour": "red"})));
    assert_eq!(
        names(&mut store, None, "red"),
        Sight::Present(vec!["a".to_owned(), "b".to_owned()]),
        "in order"
    );
    assert_eq!(names(&mut store, Some("other"), "red"), Sight::Present(Vec::new()));
    set(&mut store, object("b", 3, &json!({"colour": "blue"})));
    assert_eq!(names(&mut store, Some("ns"), "red"), Sight::Present(vec!["a".to_owned()]));
    store.set_base(&key("a"), None, &mut Vec::new());
    assert_eq!(names(&mut store, Some("ns"), "red"), Sight::Present(Vec::new()));
}

#[test]
fn members_wake_who_asked_for_names_and_numbers_wake_who_counted() {
    for (membership, wakes_on_swap) in [
        ((|_| Membership::Names) as fn(usize) -> Membership, true),
        (|count| Membership::Count(count), false),
    ] {
        let mut store = synced();
        ask(&mut store, "red", membership);
        assert_eq!(set(&mut store, object("a", 1, &json!({"colour": "red"}))), [READER], "one comes");
        ask(&mut store, "red", membership);
        assert_eq!(set(&mut store, object("b", 2, &json!({"colour": "blue"}))), [], "another colour");
        assert_eq!(
            set(&mut store, object("a", 3, &json!({"colour": "red", "x": "1"}))),
            [],
            "a member changes"
        );
        let mut woken = Vec::new();
        store.set_base(&key("a"), None, &mut woken);
        assert_eq!(woken, [READER], "the last one goes");
        woken.clear();
        store.set_base(&key("c"), Some(object("c", 4, &json!({"colour": "red"}))), &mut woken);
        assert_eq!(!woken.is_empty(), wakes_on_swap, "another one makes the number what it was");
    }
}

#[test]
fn an_object_that_does_not_decode_makes_only_the_indexes_of_its_namespace_unknown() {
    let mut store = synced();
    set(&mut store, object("a", 1, &json!({"colour": "red"})));
    ask(&mut store, "red", |_| Membership::Names);
    assert_eq!(set(&mut store, object("odd", 2, &json!("no map"))), [READER]);
    assert!(matches!(store.read(&key("odd")), Sight::Invalid(_)));
    let unknown = Sight::Unknown(Unknown::InvalidMember("ns/odd".to_owned()));
    assert_eq!(names(&mut store, Some("ns"), "red"), unknown);
    assert_eq!(names(&mut store, None, "red"), unknown);
    assert_eq!(names(&mut store, Some("other"), "red"), Sight::Present(Vec::new()));
    assert_eq!(set(&mut store, object("odd", 3, &json!({}))), [READER], "it decodes again");
    assert_eq!(names(&mut store, Some("ns"), "red"), Sight::Present(vec!["a".to_owned()]));
}

#[test]
fn a_facet_wakes_for_its_facts_and_for_another_life_and_for_nothing_else() {
    let mut store = synced();
    look_at(&mut store, "a");
    assert_eq!(set(&mut store, object("a", 1, &json!({"x": "1"}))), [READER], "it comes");
    look_at(&mut store, "a");
    assert_eq!(set(&mut store, object("a", 2, &json!({"x": "1"}))), [], "another version of the same facts");
    assert_eq!(set(&mut store, object("b", 3, &json!({"x": "1"}))), [], "another object");
    assert_eq!(set(&mut store, object_of("a", "other", 4, &json!({"x": "1"}))), [READER], "another life");
    look_at(&mut store, "a");
    assert_eq!(set(&mut store, object_of("a", "other", 5, &json!({"x": "2"}))), [READER], "other facts");
    let mut woken = Vec::new();
    store.set_base(&key("a"), None, &mut woken);
    assert_eq!(woken, [READER], "it goes");
}

#[test]
fn fields_of_an_intent_wake_when_they_drift() {
    let mut store = synced();
    set(&mut store, object("a", 1, &json!({"x": "1", "y": "1"})));
    let slot = store.slot_id(&key("a"));
    let look = Look::Fields(vec!["/data/x".to_owned(), "/data/absent".to_owned()]);
    store.subscribe(slot, READER, &look);
    assert_eq!(set(&mut store, object("a", 2, &json!({"x": "1", "y": "2"}))), []);
    assert_eq!(set(&mut store, object("a", 3, &json!({"x": "2", "y": "2"}))), [READER]);
    assert_eq!(set(&mut store, object("a", 4, &json!({"x": "1", "absent": "no more"}))), [READER]);
}

#[test]
fn who_took_its_look_back_is_not_woken() {
    let mut store = synced();
    look_at(&mut store, "a");
    let slot = store.slot_id(&key("a"));
    let look = store.subscribe(slot, READER, &Look::of(FacetEntry::of::<Data>()));
    store.unsubscribe(slot, READER, look);
    assert_eq!(set(&mut store, object("a", 1, &json!({}))), []);
}

#[test]
fn an_own_write_lies_over_what_is_older_and_goes_when_the_watch_has_passed_it() {
    let mut store = synced();
    set(&mut store, object("a", 5, &json!({"x": "old"})));
    let x = |store: &Store| data_of(store, "a").and_then(|data| data.get("x").cloned());
    let own = Overlay::Object(object("a", 9, &json!({"x": "own"})));
    store.set_overlay(&key("a"), own, Duration::ZERO, &mut Vec::new());
    assert_eq!(x(&store).as_deref(), Some("own"));
    store.set_base(&key("a"), None, &mut Vec::new());
    store.drop_overlays(6, &mut Vec::new());
    assert_eq!(x(&store).as_deref(), Some("own"), "a list of version 6 lacks it, and is older");
    set(&mut store, object("a", 7, &json!({"x": "between"})));
    assert_eq!(x(&store).as_deref(), Some("own"));
    set(&mut store, object("a", 12, &json!({"x": "newer"})));
    assert_eq!(x(&store).as_deref(), Some("newer"));
    let late = Overlay::Object(object("a", 9, &json!({"x": "late"})));
    store.set_overlay(&key("a"), late, Duration::ZERO, &mut Vec::new());
    assert_eq!(x(&store).as_deref(), Some("newer"), "an answer that is older than the cache");
}

#[test]
fn an_own_creation_that_somebody_deleted_meanwhile_goes_when_the_watch_passes_it() {
    let mut store = synced();
    let own = Overlay::Object(object("a", 9, &json!({})));
    store.set_overlay(&key("a"), own, Duration::ZERO, &mut Vec::new());
    assert_eq!(store.len(), 1);
    store.drop_overlays(8, &mut Vec::new());
    assert!(data_of(&store, "a").is_some());
    look_at(&mut store, "a");
    let mut woken = Vec::new();
    store.drop_overlays(9, &mut woken);
    assert_eq!((data_of(&store, "a"), woken, store.len()), (None, vec![READER], 0));
}

#[test]
fn a_tombstone_hides_one_life_and_lets_the_next_be_seen() {
    let mut store = synced();
    set(&mut store, object("a", 5, &json!({})));
    store.set_overlay(&key("a"), Overlay::Tombstone(Uid::new("u")), Duration::ZERO, &mut Vec::new());
    assert!(store.read(&key("a")).is_absent());
    set(&mut store, object("a", 6, &json!({"x": "a late event of the same life"})));
    assert!(store.read(&key("a")).is_absent());
    set(&mut store, object_of("a", "next", 8, &json!({"x": "next"})));
    assert!(data_of(&store, "a").is_some());
    store.set_overlay(&key("a"), Overlay::Tombstone(Uid::new("u")), Duration::ZERO, &mut Vec::new());
    assert!(data_of(&store, "a").is_some(), "a late answer about an earlier life hides nothing");
    store.set_base(&key("a"), None, &mut Vec::new());
    assert_eq!((store.read(&key("a")).is_absent(), store.len()), (true, 0));
}

#[test]
fn a_version_is_compared_as_a_number() {
    assert!(version_number(&"10".into()) > version_number(&"9".into()));
    assert_eq!(version_number(&"no number".into()), 0);
    assert_eq!(ConfigMap::RESOURCE.plural, "configmaps");
}
