//! From a declaration to a Ready presence, and what changes reach it.

use api::networking::{Network, NetworkBinding, NetworkContext};
use api::{ClusterName, labels, locations};
use serde_json::{Value, json};

use crate::fixture::{
    Fixture, HUB_NAMESPACE, LOCATION, NAMESPACE, NETWORK, assert_ready, project, ready, text,
};
use crate::objects;
use crate::platform::{ManagerOptions, Platform};

fn label(object: &Value, key: &str) -> String {
    text(object, &format!("/metadata/labels/{}", key.replace('/', "~1")))
}

/// A1.
pub fn a1_a_network_is_held_while_it_lives_and_goes_without_contexts(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.create_network(&["IPv6"], 1460);
    fixture.settle();
    let network = fixture.network().unwrap();
    assert_eq!(network["metadata"]["finalizers"], json!([labels::finalizer::NETWORK_CONTROLLER]));
    assert_ready(&network, "True", "Ready");
    fixture.delete_network();
    fixture.settle();
    assert_eq!(fixture.network(), None);
}

/// A2.
pub fn a2_a_network_waits_for_its_context(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let network = fixture.create_network(&["IPv6"], 1460);
    let binding = objects::binding("one", NETWORK, LOCATION, "Workload");
    fixture.create::<NetworkBinding>(&project(), Some(NAMESPACE), &binding);
    fixture.settle();
    let context = fixture.expect_context();
    let owners = context["metadata"]["ownerReferences"].as_array().unwrap();
    assert_eq!(owners.len(), 1);
    assert_eq!((&owners[0]["uid"], &owners[0]["controller"]), (&network["metadata"]["uid"], &json!(true)));
    assert_ready(&context, "True", "Ready");
    hold_context(&mut fixture, true);
    fixture.delete_network();
    fixture.settle();
    let waiting = fixture.network().expect("the network waits for its context");
    assert!(waiting["metadata"]["deletionTimestamp"].is_string());
    hold_context(&mut fixture, false);
    fixture.settle();
    assert_eq!((fixture.context(), fixture.network()), (None, None));
}

/// Puts a foreign finalizer on the context, or takes it off.
pub(super) fn hold_context(fixture: &mut Fixture<'_>, is_held: bool) {
    let finalizers = if is_held { json!(["example.com/hold"]) } else { Value::Null };
    let name = format!("{NETWORK}-{LOCATION}");
    let patch = json!({"metadata": {"finalizers": finalizers}});
    fixture.patch::<NetworkContext>(&project(), Some(NAMESPACE), &name, &patch);
}

/// A3.
pub fn a3_a_project_binding_is_ready_when_its_context_is(platform: &mut dyn Platform) {
    let options = ManagerOptions::default().without("network-context");
    let mut fixture = Fixture::new(platform, &options);
    fixture.create_network(&["IPv6"], 1460);
    let binding = objects::binding("one", NETWORK, LOCATION, "Workload");
    fixture.create::<NetworkBinding>(&project(), Some(NAMESPACE), &binding);
    fixture.settle();
    let waiting = fixture.get::<NetworkBinding>(&project(), Some(NAMESPACE), "one").unwrap();
    assert_ready(&waiting, "False", "NetworkContextNotReady");
    make_context_ready(&mut fixture, "True");
    fixture.settle();
    let binding = fixture.get::<NetworkBinding>(&project(), Some(NAMESPACE), "one").unwrap();
    assert_ready(&binding, "True", "NetworkContextReady");
    assert_eq!(label(&binding, labels::NETWORK_UID), "", "only hub bindings carry the network's uid");
}

/// Writes the context's readiness in place of the controller that is withheld.
fn make_context_ready(fixture: &mut Fixture<'_>, status: &str) {
    let name = format!("{NETWORK}-{LOCATION}");
    let path = format!(
        "/apis/networking.datumapis.com/v1alpha/namespaces/{NAMESPACE}/networkcontexts/{name}/status"
    );
    let condition = json!({"type": "Ready", "status": status, "reason": "ByHand", "message": "written by a test",
        "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let status = json!({"status": {"conditions": [condition]}}).to_string();
    let reply = fixture.platform.call(&project(), "PATCH", &path, (crate::fixture::MERGE, &status));
    assert_eq!(reply.code, 200, "{}", reply.body);
}

/// A4.
pub fn a4_a_presence_becomes_ready_with_the_networks_settings(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let network = fixture.create_network(&["IPv6", "IPv4"], 8000);
    fixture.bind("one");
    fixture.settle();
    let context = fixture.expect_context();
    assert_eq!(label(&context, labels::NETWORK), NETWORK);
    assert_eq!(label(&context, labels::LOCATION), LOCATION);
    assert_eq!(label(&context, labels::UPSTREAM_CLUSTER_NAME), "cluster-acme");
    assert_eq!(label(&context, labels::UPSTREAM_NAMESPACE), NAMESPACE);
    assert_eq!(json!(label(&context, labels::NETWORK_UID)), network["metadata"]["uid"]);
    let spec = &context["spec"];
    assert_eq!((&spec["ipFamilies"], &spec["mtu"]), (&json!(["IPv6", "IPv4"]), &json!(8000)));
    assert!(spec["networkGeneration"].as_i64().unwrap() > 0);
    let binding = fixture.binding("one");
    assert_ready(&binding, "True", "NetworkContextReady");
    let reference = json!({"namespace": NAMESPACE, "name": format!("{NETWORK}-{LOCATION}")});
    assert_eq!(binding["status"]["networkContextRef"], reference);
    assert_eq!(json!(label(&binding, labels::NETWORK_UID)), network["metadata"]["uid"]);
}

/// A4, the reference before readiness.
pub fn a4_a_binding_names_its_context_before_it_is_ready(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default().without("network-context"));
    fixture.create_network(&["IPv6"], 1460);
    fixture.bind("one");
    fixture.settle();
    let binding = fixture.binding("one");
    assert_ready(&binding, "False", "NetworkContextNotReady");
    assert_eq!(text(&binding, "/status/networkContextRef/name"), format!("{NETWORK}-{LOCATION}"));
    make_context_ready(&mut fixture, "True");
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// A6.
pub fn a6_a_location_that_appears_wakes_the_declaration(platform: &mut dyn Platform) {
    let mut fixture = Fixture::without_location(platform, &ManagerOptions::default());
    fixture.create_network(&["IPv6"], 1460);
    fixture.bind("one");
    fixture.settle();
    let refused = fixture.binding("one");
    assert_ready(&refused, "False", "LocationNotAvailable");
    let message = text(&refused, "/status/conditions/0/message");
    assert!(message.contains(LOCATION) && message.contains("acme"), "{message}");
    assert_eq!(fixture.context(), None);
    let before = fixture.platform.counters(fixture.manager).total_timer_passes();
    fixture.create::<locations::Location>(&project(), None, &objects::location(LOCATION));
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
    let manager = fixture.manager;
    fixture.assert_cost(|platform| {
        let after = platform.counters(manager).total_timer_passes();
        assert_eq!(before, after, "the location's own event must bring it about, not a time");
    });
}

/// A7.
pub fn a7_an_edit_of_the_network_reaches_the_context(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    let timers = fixture.platform.counters(fixture.manager).total_timer_passes();
    let patch = json!({"spec": {"mtu": 8856, "ipFamilies": ["IPv6", "IPv4"]}});
    fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &patch);
    fixture.settle();
    let context = fixture.expect_context();
    assert_eq!(context["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(context["spec"]["mtu"], json!(8856));
    assert_eq!(context["spec"]["ipFamilies"], json!(["IPv6", "IPv4"]));
    assert!(context["spec"]["networkGeneration"].as_i64() > before["spec"]["networkGeneration"].as_i64());
    let manager = fixture.manager;
    fixture.assert_cost(|platform| assert_eq!(platform.counters(manager).total_timer_passes(), timers));
}

/// S3.6.
pub fn s3_6_readiness_comes_by_watch(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default().without("network-context"));
    fixture.create_network(&["IPv6"], 1460);
    fixture.bind("one");
    fixture.settle();
    assert_ready(&fixture.binding("one"), "False", "NetworkContextNotReady");
    let timers = fixture.platform.counters(fixture.manager).total_timer_passes();
    make_context_ready(&mut fixture, "True");
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
    let manager = fixture.manager;
    fixture.assert_cost(|platform| {
        let after = platform.counters(manager).total_timer_passes();
        assert_eq!(after, timers, "no timer may bring it about");
    });
}

/// A33.
pub fn a33_a_regression_flips_the_binding_and_keeps_the_reference(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default().without("network-context"));
    fixture.create_network(&["IPv6"], 1460);
    fixture.bind("one");
    fixture.settle();
    make_context_ready(&mut fixture, "True");
    fixture.settle();
    let reference = fixture.binding("one")["status"]["networkContextRef"].clone();
    make_context_ready(&mut fixture, "False");
    fixture.settle();
    let binding = fixture.binding("one");
    assert_ready(&binding, "False", "NetworkContextNotReady");
    assert_eq!(binding["status"]["networkContextRef"], reference);
}

/// A33.
pub fn a33_a_context_deleted_by_hand_is_rebuilt(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    fixture.delete::<NetworkContext>(&project(), Some(NAMESPACE), &format!("{NETWORK}-{LOCATION}"));
    fixture.settle();
    let context = fixture.expect_context();
    assert_ne!(context["metadata"]["uid"], before["metadata"]["uid"]);
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// Z17: `a-b` at `c` and `a` at `b-c` compose one name and never share a context.
pub fn z17_pairs_with_one_plain_name_get_a_context_each(platform: &mut dyn Platform) {
    let mut fixture = Fixture::without_location(platform, &ManagerOptions::default());
    for location in ["c", "b-c"] {
        fixture.create::<locations::Location>(&project(), None, &objects::location(location));
    }
    for (binding, network, location) in [("one", "a-b", "c"), ("two", "a", "b-c")] {
        let body = objects::network(network, &["IPv6"], 1460);
        fixture.create::<Network>(&project(), Some(NAMESPACE), &body);
        let body = objects::binding(binding, network, location, "Workload");
        fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body);
    }
    fixture.settle();
    let contexts = fixture.list::<NetworkContext>(&project(), Some(NAMESPACE));
    let pairs: Vec<(String, String)> = contexts
        .iter()
        .map(|context| (text(context, "/spec/network/name"), text(context, "/spec/location/name")))
        .collect();
    assert_eq!(pairs.len(), 2, "{pairs:?}");
    assert!(
        pairs.contains(&("a-b".into(), "c".into())) && pairs.contains(&("a".into(), "b-c".into())),
        "{pairs:?}"
    );
    for binding in ["one", "two"] {
        let binding = fixture.binding(binding);
        assert_ready(&binding, "True", "NetworkContextReady");
        let name = text(&binding, "/status/networkContextRef/name");
        let served = contexts.iter().find(|context| text(context, "/metadata/name") == name).unwrap();
        assert_eq!(served["spec"]["network"]["name"], binding["spec"]["network"]["name"]);
    }
}

/// Z17: a name over 63 characters is refused with its reason.
pub fn z17_a_name_that_is_no_label_value_is_refused(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let long = "n".repeat(64);
    fixture.create::<Network>(&project(), Some(NAMESPACE), &objects::network(&long, &["IPv6"], 1460));
    let body = objects::binding("one", &long, LOCATION, "Workload");
    fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body);
    fixture.settle();
    assert_eq!(ready(&fixture.binding("one")), ("False".to_owned(), "NameNotUsable".to_owned()));
    assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), 0);
}
