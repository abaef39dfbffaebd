//! Names of contexts (decisions 9, behaviour Z17).

use super::*;

fn key(network: &str, location: &str) -> PresenceKey {
    PresenceKey {
        project: "p".into(),
        namespace: "default".into(),
        network: network.into(),
        location: location.into(),
    }
}

#[test]
fn pairs_that_share_a_plain_name_have_distinct_hashed_names() {
    let (one, two) = (key("a-b", "c"), key("a", "b-c"));
    assert_eq!(one.plain_name(), two.plain_name());
    assert_ne!(one.hashed_name(), two.hashed_name());
    assert!(one.hashed_name().as_str().starts_with("a-b-c-"));
}

#[test]
fn a_hashed_name_always_fits() {
    let long = key(&"n".repeat(253), &"l".repeat(253));
    assert_eq!(long.plain_name(), None);
    assert!(long.hashed_name().as_str().len() <= 253);
    assert_eq!(long.unusable_name().map(str::len), Some(253));
}

#[test]
fn a_name_is_usable_up_to_the_length_of_a_label_value() {
    assert_eq!(key(&"n".repeat(63), "l").unusable_name(), None);
    assert!(key("n", &"l".repeat(64)).unusable_name().is_some());
}
