//! The constants of `Kind` and the generated definitions name the same place.

use kube_core::CustomResourceExt;

use super::*;
use crate::builtin::{ConfigMap, Event, Lease, Namespace};
use crate::{locations, networking, resourcemanager};

fn defined_as_declared<K: Kind + CustomResourceExt>() {
    let definition = K::crd();
    let declared = K::RESOURCE;
    assert_eq!(definition.spec.group, declared.group);
    assert_eq!(definition.spec.versions[0].name, declared.version);
    assert_eq!(definition.spec.names.kind, declared.kind);
    assert_eq!(definition.spec.names.plural, declared.plural);
    let scope = if declared.scope == Scope::Cluster { "Cluster" } else { "Namespaced" };
    assert_eq!(definition.spec.scope, scope, "{declared}");
}

#[test]
fn each_kind_is_defined_where_it_says() {
    defined_as_declared::<networking::Network>();
    defined_as_declared::<networking::NetworkBinding>();
    defined_as_declared::<networking::NetworkContext>();
    defined_as_declared::<networking::NetworkInterface>();
    defined_as_declared::<networking::Location>();
    defined_as_declared::<networking::LocationBinding>();
    defined_as_declared::<locations::Location>();
    defined_as_declared::<resourcemanager::Project>();
}

#[test]
fn a_body_says_its_version_and_kind() {
    let body = Event::default().to_body().unwrap();
    assert_eq!(body["apiVersion"], "events.k8s.io/v1");
    assert_eq!(body["kind"], "Event");
    assert_eq!(ConfigMap::default().to_body().unwrap()["apiVersion"], "v1");
    assert_eq!(Lease::default().to_body().unwrap()["kind"], "Lease");
}

#[test]
fn unknown_fields_and_missing_types_are_read_over() {
    let namespace: Namespace =
        serde_json::from_str(r#"{"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]}}"#).unwrap();
    assert_eq!(namespace.key().to_string(), "a");
    let context: networking::NetworkContext = serde_json::from_value(serde_json::json!({
        "metadata": {"name": "n-l", "namespace": "default", "uid": "u"},
        "spec": {"network": {"name": "n"}, "location": {"name": "l"}, "later": {"added": 1}},
        "status": {"conditions": [], "programmed": true},
    }))
    .unwrap();
    assert_eq!(context.key().to_string(), "default/n-l");
    assert_eq!(context.uid().as_str(), "u");
    assert!(!context.is_deleting());
    assert_eq!(context.spec.ip_families, None);
}

#[test]
fn defaults_of_the_schema_are_also_read_where_the_server_has_not_written_them() {
    let network: networking::Network = serde_json::from_value(serde_json::json!({
        "metadata": {"name": "n"}, "spec": {"ipam": {"mode": "Auto"}},
    }))
    .unwrap();
    assert_eq!(network.spec.mtu, 1460);
    assert_eq!(network.spec.ip_families, [networking::IpFamily::IPv6]);
}

#[test]
fn carried_parts_come_out_as_they_went_in() {
    let wire = serde_json::json!({
        "apiVersion": "networking.datumapis.com/v1alpha", "kind": "Network", "metadata": {"name": "n"},
        "spec": {"ipFamilies": ["IPv6"], "ipam": {"mode": "Auto"}, "mtu": 1460,
                 "egress": {"internet": {"mode": "Enabled", "new": [1, {"a": null}]}}},
    });
    let network: networking::Network = serde_json::from_value(wire.clone()).unwrap();
    assert_eq!(network.to_body().unwrap(), wire);
}
