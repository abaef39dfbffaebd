//! Compares a definition of ours with an installed one, so that installing ours loses nothing.
//!
//! A field that the installed schema has and ours lacks would be pruned from stored objects: ours is narrower, and that
//! is said first. Everything else is told as a difference.

use std::collections::BTreeSet;

use serde_json::Value;

/// Differences in sentences; empty if installing ours changes nothing for stored objects or clients.
pub(super) fn findings(ours: &Value, installed: &Value) -> Vec<String> {
    let (ours, installed) = (schema(ours), schema(installed));
    let mut findings = Vec::new();
    compare(ours, installed, "", &mut findings);
    findings
}

fn schema(definition: &Value) -> &Value {
    definition.pointer("/spec/versions/0/schema/openAPIV3Schema").unwrap_or(&Value::Null)
}

fn compare(ours: &Value, installed: &Value, path: &str, findings: &mut Vec<String>) {
    if keeps_everything(ours) && keeps_everything(installed) {
        return;
    }
    compare_words(ours, installed, path, findings);
    let names: BTreeSet<&String> = properties(ours).chain(properties(installed)).collect();
    for name in names {
        let field = format!("{path}.{name}");
        match (property(ours, name), property(installed, name)) {
            (Some(ours), Some(installed)) => compare(ours, installed, &field, findings),
            (None, Some(_)) if !keeps_everything(ours) => findings.push(format!(
                "field {field} is installed and missing here: ours is narrower, and installing it would drop the field"
            )),
            (Some(_), None) => findings.push(format!("field {field} is not installed")),
            _ => {}
        }
    }
    for part in ["items", "additionalProperties"] {
        if let (Some(ours), Some(installed)) = (ours.get(part), installed.get(part)) {
            compare(ours, installed, &format!("{path}[]"), findings);
        }
    }
}

/// What a value may be.
fn compare_words(ours: &Value, installed: &Value, path: &str, findings: &mut Vec<String>) {
    for word in ["type", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "maxItems"] {
        let (ours, installed) = (ours.get(word), installed.get(word));
        if ours != installed {
            let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            findings.push(format!(
                "{word} of {} is {} here and {} there",
                if path.is_empty() { "the object" } else { path },
                shown(ours),
                shown(installed)
            ));
        }
    }
}

fn keeps_everything(schema: &Value) -> bool {
    schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true))
}

fn properties(schema: &Value) -> impl Iterator<Item = &String> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|fields| fields.keys())
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition(properties: &Value) -> Value {
        json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}]}})
    }

    #[test]
    fn an_installed_field_that_ours_lacks_is_told_as_narrower() {
        let ours = definition(&json!({"spec": {"type": "object", "properties": {}}}));
        let installed =
            definition(&json!({"spec": {"type": "object", "properties": {"egress": {"type": "object"}}}}));
        let found = findings(&ours, &installed);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains(".spec.egress") && found[0].contains("narrower"), "{found:?}");
        assert_eq!(findings(&installed, &installed), Vec::<String>::new());
    }

    #[test]
    fn bounds_and_types_are_compared_inside_lists_too() {
        let list = |most: i32| {
            definition(&json!({"tags": {"type": "array", "items": {"type": "string", "maxLength": most}}}))
        };
        let found = findings(&list(5), &list(6));
        assert_eq!(found, ["maxLength of .tags[] is 5 here and 6 there"]);
    }
}
