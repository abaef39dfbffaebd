//! Hands other than the controllers' reach into what a presence consists of; it is put right or left alone, never half there.

use api::networking::{LocationBinding, Network, NetworkBinding, NetworkContext};
use api::{ClusterName, Kind, ObjectKey, labels, locations};
use serde_json::{Value, json};

use crate::fixture::{
    Fixture, HUB_NAMESPACE, LOCATION, MERGE, NAMESPACE, NETWORK, assert_ready, project, text, unclaimed_since,
};
use crate::objects;
use crate::platform::{ManagerOptions, Platform};

fn context_name() -> String {
    format!("{NETWORK}-{LOCATION}")
}

fn label(object: &Value, key: &str) -> String {
    text(object, &format!("/metadata/labels/{}", key.replace('/', "~1")))
}

fn patch_context(fixture: &mut Fixture<'_>, change: &Value) {
    fixture.patch::<NetworkContext>(&project(), Some(NAMESPACE), &context_name(), change);
    fixture.settle();
}

fn patch_status<K: Kind>(
    fixture: &mut Fixture<'_>,
    cluster: &ClusterName,
    object: (Option<&str>, &str),
    status: &Value,
) {
    let key = ObjectKey { namespace: object.0.map(Into::into), name: object.1.into() };
    let path = format!("{}/status", engine::request::object_path(K::RESOURCE, &key));
    let body = json!({"status": status}).to_string();
    let reply = fixture.platform.call(cluster, "PATCH", &path, (MERGE, &body));
    assert_eq!(reply.code, 200, "{path}: {}", reply.body);
}

fn condition(type_: &str, status: &str, reason: &str) -> Value {
    json!({"type": type_, "status": status, "reason": reason, "message": "written by hand",
        "lastTransitionTime": "2026-01-01T00:00:00Z"})
}

/// Labels, owner and settings of a context that somebody changed are the Network's again, on the same context.
pub fn an_edited_context_is_put_right(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    let edits = [
        json!({"metadata": {"labels": {labels::NETWORK_UID: null}}}),
        json!({"metadata": {"labels": {labels::NETWORK: "another", labels::LOCATION: null}}}),
        json!({"metadata": {"ownerReferences": null}}),
        json!({"spec": {"mtu": 1300}}),
        json!({"metadata": {"labels": {labels::NETWORK_UID: null}, "ownerReferences": null}}),
    ];
    for edit in edits {
        patch_context(&mut fixture, &edit);
        let after = fixture.expect_context();
        for pointer in ["/metadata/uid", "/metadata/labels", "/metadata/ownerReferences", "/spec"] {
            assert_eq!(after.pointer(pointer), before.pointer(pointer), "{pointer} after {edit}");
        }
        assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
    }
}

/// An answer that somebody overwrote is given again.
pub fn an_edited_answer_of_a_binding_is_given_again(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let answered = fixture.binding("one");
    let edits = [
        json!({"networkContextRef": {"namespace": "elsewhere", "name": "another"}}),
        json!({"conditions": [condition("Ready", "False", "ByHand")]}),
        json!({"networkContextRef": null, "conditions": []}),
    ];
    for edit in edits {
        patch_status::<NetworkBinding>(&mut fixture, &ClusterName::Hub, (Some(HUB_NAMESPACE), "one"), &edit);
        fixture.settle();
        let binding = fixture.binding("one");
        assert_ready(&binding, "True", "NetworkContextReady");
        let reference = &binding["status"]["networkContextRef"];
        assert_eq!(reference, &answered["status"]["networkContextRef"], "after {edit}");
    }
    let unlabelled = json!({"metadata": {"labels": {labels::NETWORK_UID: null}}});
    fixture.patch::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), "one", &unlabelled);
    fixture.settle();
    assert_eq!(label(&fixture.binding("one"), labels::NETWORK_UID), label(&answered, labels::NETWORK_UID));
}

/// The finalizer comes back, and the Network still waits for its context.
pub fn a_network_whose_finalizer_was_taken_off_is_held_again(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let stripped = json!({"metadata": {"finalizers": null}});
    fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &stripped);
    fixture.settle();
    let held = fixture.network().unwrap();
    assert_eq!(held["metadata"]["finalizers"], json!([labels::finalizer::NETWORK_CONTROLLER]));
    super::lifecycle::hold_context(&mut fixture, true);
    fixture.delete_network();
    fixture.settle();
    assert!(fixture.network().is_some(), "the network waits for its context");
    super::lifecycle::hold_context(&mut fixture, false);
    fixture.settle();
    assert_eq!((fixture.context(), fixture.network()), (None, None));
}

/// A Network that went without its finalizer, and came again, gets a context of its own; the declaration follows.
pub fn a_network_that_comes_again_gets_a_context_of_its_own(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    for is_stripped in [false, true] {
        if is_stripped {
            fixture.platform.hold_requests(fixture.manager, true);
            let stripped = json!({"metadata": {"finalizers": null}});
            fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &stripped);
        }
        fixture.delete_network();
        if is_stripped {
            assert_eq!(fixture.network(), None, "nothing holds it");
        } else {
            fixture.settle();
            assert_ready(&fixture.binding("one"), "False", "NetworkNotFound");
            assert_eq!(fixture.context(), None);
        }
        let network = fixture.create_network(&["IPv6"], 1500);
        fixture.platform.hold_requests(fixture.manager, false);
        fixture.settle();
        let (context, binding) = (fixture.expect_context(), fixture.binding("one"));
        assert_ready(&binding, "True", "NetworkContextReady");
        assert_ne!(context["metadata"]["uid"], before["metadata"]["uid"]);
        assert_eq!(context["spec"]["mtu"], json!(1500));
        for object in [&context, &binding] {
            assert_eq!(json!(label(object, labels::NETWORK_UID)), network["metadata"]["uid"]);
        }
        assert_eq!(context["metadata"]["ownerReferences"][0]["uid"], network["metadata"]["uid"]);
        assert_eq!(text(&binding, "/status/networkContextRef/name"), text(&context, "/metadata/name"));
        assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), 1);
    }
}

/// A withdrawn location refuses what is new and touches nothing that is there; its return is enough.
pub fn a_withdrawn_location_ends_nothing(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    let reference = fixture.binding("one")["status"]["networkContextRef"].clone();
    let available = |status: &str| json!({"conditions": [condition("Available", status, "ByHand")]});
    patch_status::<locations::Location>(&mut fixture, &project(), (None, LOCATION), &available("False"));
    fixture.settle();
    let binding = fixture.binding("one");
    assert_ready(&binding, "False", "LocationNotAvailable");
    assert_eq!(binding["status"]["networkContextRef"], reference);
    let context = fixture.expect_context();
    assert_eq!(context["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!((unclaimed_since(&context), &context["spec"]), (None, &before["spec"]));
    patch_status::<locations::Location>(&mut fixture, &project(), (None, LOCATION), &available("True"));
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// A location that only the older group names serves as well as one of the current group.
pub fn a_location_of_the_older_group_alone_serves(platform: &mut dyn Platform) {
    let mut fixture = Fixture::without_location(platform, &ManagerOptions::default());
    fixture.create_network(&["IPv6"], 1460);
    fixture.bind("one");
    fixture.settle();
    assert_ready(&fixture.binding("one"), "False", "LocationNotAvailable");
    fixture.create::<LocationBinding>(&project(), None, &objects::location_binding(LOCATION));
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
    fixture.create::<locations::Location>(&project(), None, &objects::location(LOCATION));
    fixture.delete::<LocationBinding>(&project(), None, LOCATION);
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

fn handmade(network: &str) -> Value {
    let spec = json!({"network": {"name": network}, "location": {"name": LOCATION}});
    json!({"apiVersion": NetworkContext::RESOURCE.api_version(), "kind": NetworkContext::RESOURCE.kind,
        "metadata": {"name": context_name()}, "spec": spec})
}

/// Made by hand for the pair: left alone while nothing declares it, then it serves.
pub fn a_context_made_by_hand_serves_when_it_is_declared(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let network = fixture.create_network(&["IPv6"], 1460);
    let made = fixture.create::<NetworkContext>(&project(), Some(NAMESPACE), &handmade(NETWORK));
    fixture.settle();
    let left = fixture.expect_context();
    assert_eq!((unclaimed_since(&left), label(&left, labels::NETWORK_UID)), (None, String::new()));
    fixture.bind("one");
    fixture.settle();
    let context = fixture.expect_context();
    assert_eq!(context["metadata"]["uid"], made["metadata"]["uid"]);
    assert_eq!(json!(label(&context, labels::NETWORK_UID)), network["metadata"]["uid"]);
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// The plain name belongs to a context of another pair: that one is left alone, and the pair is served under another name.
pub fn a_foreign_context_with_the_plain_name_is_left_alone(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.create_network(&["IPv6"], 1460);
    let foreign = fixture.create::<NetworkContext>(&project(), Some(NAMESPACE), &handmade("foreign"));
    fixture.bind("one");
    fixture.settle();
    let binding = fixture.binding("one");
    assert_ready(&binding, "True", "NetworkContextReady");
    assert_ne!(text(&binding, "/status/networkContextRef/name"), context_name());
    assert_eq!(fixture.expect_context()["spec"], foreign["spec"]);
    fixture.delete_network();
    fixture.settle();
    assert_eq!(fixture.network(), None);
    assert_eq!(fixture.expect_context()["metadata"]["uid"], foreign["metadata"]["uid"]);
}

/// A context that somebody labels as the other life's, or as a copy: one context is left, and it is the Network's.
pub fn a_context_that_is_passed_off_as_another_is_not_trusted(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let network = fixture.network().unwrap();
    let is_a_copy = |name: Option<&str>| json!({"metadata": {"labels": {labels::UPSTREAM_NAME: name}}});
    let edits = [
        json!({"metadata": {"labels": {labels::NETWORK_UID: "00000000-0000-0000-0000-000000000000"}}}),
        is_a_copy(Some("somewhere")),
        is_a_copy(None),
    ];
    for edit in edits {
        patch_context(&mut fixture, &edit);
        let binding = fixture.binding("one");
        assert_ready(&binding, "True", "NetworkContextReady");
        let name = text(&binding, "/status/networkContextRef/name");
        let served = fixture.get::<NetworkContext>(&project(), Some(NAMESPACE), &name).unwrap();
        assert_eq!(label(&served, labels::UPSTREAM_NAME), "", "no copy serves");
        assert_eq!(json!(label(&served, labels::NETWORK_UID)), network["metadata"]["uid"]);
    }
    assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), 1, "no surplus is left");
    fixture.delete_network();
    fixture.settle();
    assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), 0);
    assert_eq!(fixture.network(), None);
}

/// A location that is deleted under a presence, during its grace as well, decides nothing about what is there.
pub fn a_deleted_location_ends_no_presence(platform: &mut dyn Platform) {
    let grace = platform.short_grace();
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(grace));
    let before = fixture.present();
    fixture.delete::<locations::Location>(&project(), None, LOCATION);
    fixture.platform.pass_time(grace * 2);
    fixture.settle();
    assert_ready(&fixture.binding("one"), "False", "LocationNotAvailable");
    let context = fixture.expect_context();
    assert_eq!((&context["metadata"]["uid"], unclaimed_since(&context)), (&before["metadata"]["uid"], None));
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some());
    fixture.bind("two");
    fixture.settle();
    assert_eq!(unclaimed_since(&fixture.expect_context()), None, "a refused holder is a holder");
    fixture.unbind("two");
    fixture.settle();
    fixture.platform.pass_time(grace * 2);
    fixture.settle();
    assert_eq!(fixture.context(), None);
}
