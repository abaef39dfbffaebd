//! Bodies as clients encode them.

use super::*;

/// A field with a length.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2, u8::try_from(bytes.len()).unwrap()];
    out.extend_from_slice(bytes);
    out
}

fn envelope(version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let type_meta = [field(1, version.as_bytes()), field(2, kind.as_bytes())].concat();
    [MAGIC.to_vec(), field(1, &type_meta), field(2, raw)].concat()
}

#[test]
fn a_config_map_is_read_with_its_maps_and_without_empty_texts() {
    let label = [field(1, b"a"), field(2, b"b")].concat();
    let metadata = [field(1, b"name"), field(3, b""), field(8, b""), field(11, &label)].concat();
    let data = [field(1, b"k"), field(2, b"v")].concat();
    let raw = [field(1, &metadata), field(2, &data), vec![4 << 3, 1]].concat();
    let value = object(&envelope("v1", "ConfigMap", &raw)).unwrap();
    let wanted = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "name", "labels": {"a": "b"}},
        "data": {"k": "v"}, "immutable": true});
    assert_eq!(value, wanted);
}

#[test]
fn what_is_cut_off_or_not_listed_is_refused() {
    let whole = envelope("v1", "ConfigMap", &field(1, &field(1, b"name")));
    assert!(object(&whole).is_ok());
    assert!(object(&whole[..whole.len() - 1]).is_err());
    assert!(object(b"{}").is_err());
    assert!(object(&envelope("v1", "Pod", &[])).unwrap_err().contains("application/json"));
}
