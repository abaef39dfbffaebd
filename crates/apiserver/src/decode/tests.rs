//! Duplicates, YAML, and what follows the value.

use super::*;
use serde_json::json;

#[test]
fn duplicates_are_named_and_the_last_one_counts() {
    let decoded = decode(br#"{"spec":{"a":1,"l":[{"x":1,"x":2}],"a":2}}"#, BodyFormat::Json).unwrap();
    assert_eq!(decoded.value, json!({"spec": {"a": 2, "l": [{"x": 2}]}}));
    assert_eq!(decoded.duplicates, ["spec.l[0].x", "spec.a"]);
}

#[test]
fn yaml_is_read_and_json_in_a_yaml_body_stays_json() {
    let yaml = decode(b"spec:\n  a: 1\n  b: [x, 'true']\n", BodyFormat::Yaml).unwrap();
    assert_eq!(yaml.value, json!({"spec": {"a": 1, "b": ["x", "true"]}}));
    assert_eq!(decode(b" {\"a\":1.5}", BodyFormat::Yaml).unwrap().value, json!({"a": 1.5}));
}

#[test]
fn what_follows_the_value_is_refused() {
    assert!(decode(b"{} x", BodyFormat::Json).is_err());
    assert_eq!(decode(b"{\"a\":", BodyFormat::Json).unwrap_err(), "unexpected end of JSON input");
}

#[test]
fn whole_floats_are_integers_and_all_others_stay() {
    let decoded = decode(b"{\"a\":2.0,\"b\":2.5,\"c\":1e3,\"d\":1e300}", BodyFormat::Json).unwrap();
    assert_eq!(decoded.value.to_string(), r#"{"a":2,"b":2.5,"c":1000,"d":1e+300}"#);
}

/// Several of these came back with another last digit from a parser that rounds on its fast path.
#[test]
fn a_float_keeps_every_digit() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..2000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = f64::from_bits((state >> 12) | 0x3fe0_0000_0000_0000);
        let text = format!("{number:?}");
        let decoded = decode(text.as_bytes(), BodyFormat::Json).unwrap();
        assert_eq!(decoded.value.as_f64().map(f64::to_bits), Some(number.to_bits()), "{text}");
    }
}
