//! Reading by cases.

use serde_json::json;

use super::*;

fn parsed(text: &str) -> Result<Vec<Manifest>, String> {
    parse(Path::new("a.yaml"), text).map_err(|error| error.to_string())
}

#[test]
fn plain_scalars_are_those_of_the_core_schema() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: n, b: yes, c: on, d: true, e: 1_000, f: 0.5, g: ~, y: 12}\n";
    let object = parsed(text).unwrap().remove(0).object;
    let wanted =
        json!({"a": "n", "b": "yes", "c": "on", "d": true, "e": "1_000", "f": 0.5, "g": null, "y": 12});
    assert_eq!(object["data"], wanted);
}

#[test]
fn documents_are_numbered_and_lists_are_their_items() {
    let one = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
    let list =
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: b}}\n";
    let manifests = parsed(&format!("{one}---\n{list}")).unwrap();
    let names: Vec<_> =
        manifests.iter().map(|manifest| (manifest.document, &manifest.object["metadata"]["name"])).collect();
    assert_eq!(names, [(1, &json!("a")), (2, &json!("b"))]);
}

#[test]
fn a_broken_document_is_named_with_its_field_or_line() {
    let good = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n";
    let cases = [
        ("kind: Namespace\nmetadata: {name: a}\n", "field apiVersion is missing"),
        ("apiVersion: v1\nkind: Namespace\nmetadata: {name: 12}\n", "field metadata.name is 12"),
        ("apiVersion: v1\nkind: ''\nmetadata: {name: a}\n", "field kind is empty"),
        ("- a\n", "is no mapping"),
        ("a: [1\n", "line"),
        ("a: 1\na: 2\n", "duplicate"),
    ];
    for (text, wanted) in cases {
        let message = parsed(&format!("{good}{text}")).unwrap_err();
        assert!(message.contains("a.yaml, document 2: ") && message.contains(wanted), "{text:?}: {message}");
    }
}

#[test]
fn folders_are_planes_and_the_platform_comes_first() {
    let of = |name: &str| plane_of(Path::new(name)).map(|plane| plane.to_string()).map_err(|_| ());
    assert_eq!(of("a/project-acme-shop"), Ok("project/acme-shop".to_owned()));
    assert_eq!(of("cell-dfw"), Ok("cell/dfw".to_owned()));
    assert_eq!(of("hub"), Ok("hub".to_owned()));
    assert_eq!(of("project"), Err(()));
    assert_eq!(of("hubs"), Err(()));
}

#[test]
fn nothing_in_the_folder_is_passed_over_silently() {
    let root = std::env::temp_dir().join(format!("network-services-manifests-{}", std::process::id()));
    let plane = root.join("core");
    std::fs::create_dir_all(plane.join("inner")).unwrap();
    assert!(read(&root, None).unwrap_err().to_string().contains("folder inside of a plane's folder"));
    std::fs::remove_dir(plane.join("inner")).unwrap();
    std::fs::write(root.join("stray.yaml"), "").unwrap();
    assert!(read(&root, None).unwrap_err().to_string().contains("outside of every plane's folder"));
    assert!(read(&root.join("stray.yaml"), None).unwrap_err().to_string().contains("--plane"));
    std::fs::remove_dir_all(&root).unwrap();
    let missing = read(&root, None).unwrap_err().to_string();
    assert!(missing.contains("cannot be read"), "{missing}");
}
