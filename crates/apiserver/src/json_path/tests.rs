//! Paths as CRDs write them.

use super::*;
use serde_json::json;

#[test]
fn kubernetes_paths_find_what_they_name() {
    let value = json!({"spec": {"color": "red", "a.b": 1, "list": [1, 2]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Done", "status": "False"}]}});
    let find =
        |path: &str| JsonPath::parse(path).unwrap().find(&value).into_iter().cloned().collect::<Vec<_>>();
    assert_eq!(find(".spec.color"), [json!("red")]);
    assert_eq!(find("{.spec.color}"), [json!("red")]);
    assert_eq!(find(r".spec.a\.b"), [json!(1)]);
    assert_eq!(find(".spec.list[1]"), [json!(2)]);
    assert_eq!(find(".spec.list[*]"), [json!(1), json!(2)]);
    assert_eq!(find(".status.conditions[?(@.type=='Ready')].status"), [json!("True")]);
    assert_eq!(find(r#".status.conditions[?(@.type=="Done")].status"#), [json!("False")]);
    assert_eq!(find(".spec.absent.deep"), Vec::<Value>::new());
}

#[test]
fn a_malformed_path_is_an_error() {
    assert!(JsonPath::parse(".spec[").is_err());
}
