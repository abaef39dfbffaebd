//! Label selectors.

use super::*;
use serde_json::json;

fn selects(text: &str) -> bool {
    let object = json!({"metadata": {"labels": {"a": "1", "b": "x"}}});
    parse_labels(text).unwrap().iter().all(|requirement| requirement.matches(&object))
}

#[test]
fn every_operator_selects_what_it_says() {
    for yes in
        ["", "a", "!c", "a=1", "a==1", "a!=2", "c!=1", "a in (1,2)", "a notin (3)", "a>0", "a<2", "a=1,b=x"]
    {
        assert!(selects(yes), "{yes}");
    }
    for no in ["c", "!a", "a=2", "a!=1", "a in (2)", "a notin (1)", "a>1", "b>0", "a=1,b=y"] {
        assert!(!selects(no), "{no}");
    }
}

#[test]
fn malformed_selectors_are_refused() {
    for text in ["a=(", "=(", "a in b", "a in (", "a,", "a b", "a>x", "-a=1"] {
        assert_eq!(parse_labels(text).unwrap_err().code, 400, "{text}");
    }
    assert!(parse_labels("a in (,b)").is_ok(), "an empty value is a value");
}
