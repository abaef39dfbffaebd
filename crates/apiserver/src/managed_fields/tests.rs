//! Entries against values recorded from kube-apiserver.

use serde_json::{Value, json};

use super::ManagedFields;

fn entry(manager: &str, operation: &str, time: &str) -> Value {
    json!({ "apiVersion": "conformance.example.com/v1", "fieldsType": "FieldsV1", "manager": manager,
        "operation": operation, "time": time, "fieldsV1": { "f:spec": { "f:color": {} } } })
}

#[test]
fn entries_are_sorted_by_operation_then_time_then_manager() {
    let updated = entry("b", "Update", "2026-11-30T10:00:00Z");
    let late = entry("a", "Apply", "2026-11-30T10:00:02Z");
    let second = entry("d", "Apply", "2026-11-30T10:00:01Z");
    let first = entry("c", "Apply", "2026-11-30T10:00:01Z");
    let managers = ManagedFields::parse(&json!([updated, late, second, first])).unwrap();
    assert_eq!(managers.to_value(), json!([first, second, late, updated]));
}

#[test]
fn two_values_that_differ_only_in_times_are_equal() {
    let early = ManagedFields::parse(&json!([entry("a", "Apply", "2026-11-30T10:00:00Z")])).unwrap();
    let late = ManagedFields::parse(&json!([entry("a", "Apply", "2026-11-30T11:00:00Z")])).unwrap();
    assert_eq!(early, late);
    let other = ManagedFields::parse(&json!([entry("b", "Apply", "2026-11-30T10:00:00Z")])).unwrap();
    assert_ne!(early, other);
}

#[test]
fn an_update_that_sends_one_empty_entry_forgets_all_ownership() {
    let live = json!({ "metadata": { "managedFields": [entry("a", "Apply", "2026-11-30T10:00:00Z")] } });
    let reset = json!({ "metadata": { "managedFields": [{}] } });
    assert!(ManagedFields::for_update(Some(&live), &reset, None).is_empty());
    let unset = json!({ "metadata": { "managedFields": [] } });
    assert!(!ManagedFields::for_update(Some(&live), &unset, None).is_empty());
    assert!(!ManagedFields::for_update(Some(&live), &reset, Some("status")).is_empty());
}

#[test]
fn an_entry_of_an_unknown_operation_is_refused() {
    assert!(ManagedFields::parse(&json!([entry("a", "Delete", "2026-11-30T10:00:00Z")])).is_err());
    assert!(ManagedFields::parse(&json!([entry("a", "Apply", "yesterday")])).is_err());
}
