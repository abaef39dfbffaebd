//! What every generated definition must hold, whatever its kind.

use super::*;
use crate::cluster::ClusterRole;

fn schema_of(entry: &Entry) -> Value {
    entry.definition().unwrap()["spec"]["versions"][0]["schema"]["openAPIV3Schema"].clone()
}

fn each_node(schema: &Value, path: &str, check: &mut impl FnMut(&str, &Value)) {
    check(path, schema);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        each_node(field, &format!("{path}.{name}"), check);
    }
    for (keyword, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
        if let Some(inner) = schema.get(keyword) {
            each_node(inner, &format!("{path}{suffix}"), check);
        }
    }
}

#[test]
fn every_definition_can_be_made_and_names_its_kind_once() {
    let names: std::collections::BTreeSet<String> =
        ENTRIES.iter().map(|entry| entry.definition().unwrap()["metadata"]["name"].to_string()).collect();
    assert_eq!(names.len(), ENTRIES.len());
}

#[test]
fn kinds_are_defined_where_their_constants_say() {
    for entry in ENTRIES {
        let body = entry.definition().unwrap();
        assert_eq!(body["metadata"]["name"], entry.resource.to_string());
        assert_eq!(body["spec"]["versions"][0]["name"], entry.resource.version);
        assert_eq!(body["spec"]["names"]["kind"], entry.resource.kind);
        assert_eq!(body["spec"]["scope"], format!("{:?}", entry.resource.scope));
    }
}

#[test]
fn no_schema_says_what_only_the_derive_would_say() {
    for entry in ENTRIES {
        each_node(&schema_of(entry), "", &mut |path, node| {
            let place = format!("{}{path}", entry.resource);
            assert!(node.get("title").is_none(), "{place}");
            let nullable_by_contract = path == ".spec.prefixLength" && entry.resource.kind == "IPClaim";
            assert_eq!(node.get("nullable").is_some(), nullable_by_contract, "{place}");
            for keyword in ["$ref", "anyOf", "oneOf"] {
                assert!(node.get(keyword).is_none(), "{place}: {keyword}");
            }
            for bound in ["minimum", "maximum"] {
                assert!(node.get(bound).is_none_or(|bound| bound.is_i64() || bound.is_u64()), "{place}");
            }
            if node["type"] == "array" {
                assert!(node.get("x-kubernetes-list-type").is_some(), "{place}");
            }
            if let Some(format) = node["format"].as_str() {
                assert!(!format.starts_with("uint"), "{place}");
            }
        });
    }
}

#[test]
fn conditions_are_a_map_by_type_in_every_kind() {
    for entry in ENTRIES {
        let schema = schema_of(entry);
        let conditions = &schema["properties"]["status"]["properties"]["conditions"];
        if !conditions.is_null() {
            assert_eq!(conditions["x-kubernetes-list-type"], "map", "{}", entry.resource);
            assert_eq!(conditions["x-kubernetes-list-map-keys"], json!(["type"]), "{}", entry.resource);
        }
    }
}

#[test]
fn kinds_of_others_keep_what_we_do_not_name() {
    for entry in ENTRIES.iter().filter(|entry| entry.open) {
        let spec = &schema_of(entry)["properties"]["spec"];
        assert_eq!(spec["x-kubernetes-preserve-unknown-fields"], true, "{}", entry.resource);
    }
    assert!(ENTRIES.iter().filter(|entry| entry.origin == Origin::Ours).all(|entry| !entry.open));
}

#[test]
fn each_plane_serves_what_its_controllers_read() {
    let kinds = |role| -> Vec<&str> { for_plane(role).map(|entry| entry.resource.kind).collect() };
    assert_eq!(kinds(ClusterRole::Core), ["Location", "Project", "LocationClass", "Location"]);
    assert!(kinds(ClusterRole::Project).starts_with(&["Network", "NetworkBinding", "NetworkContext"]));
    assert!(kinds(ClusterRole::Hub).contains(&"ClusterPropagationPolicy"));
    assert!(!kinds(ClusterRole::Hub).contains(&"Network"));
    assert!(kinds(ClusterRole::Cell).contains(&"NetworkInterfaceClaim"));
    assert!(!kinds(ClusterRole::Cell).contains(&"NetworkBinding"));
    assert_eq!(kinds(ClusterRole::Ipam), ["IPClass", "IPPool", "IPClaim", "IPAllocation"]);
}

#[test]
fn a_rule_that_points_nowhere_is_an_error_that_names_it() {
    let mut schema = json!({"properties": {}});
    let error = ENTRIES[0].fields(&mut schema, "spec.missing", "rules").unwrap_err().to_string();
    assert!(error.contains("networks.networking.datumapis.com"), "{error}");
    assert!(error.contains("spec.missing"), "{error}");
}

#[test]
fn a_list_key_that_may_be_absent_is_refused() {
    let mut schema = json!({"properties": {"status": {"properties": {"conditions": {
        "type": "array", "items": {"type": "object", "properties": {"type": {"type": "string"}}},
    }}}}});
    let error = normalise::Normaliser { resource: "things", open: false }.root(&mut schema).unwrap_err();
    assert!(error.to_string().contains("status.conditions"), "{error}");
}
