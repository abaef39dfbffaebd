//! Paths into a schema: `spec.addresses[].family` goes through a list, `spec.topology{}` into a map's values.

use serde_json::Value;

/// The schema at `path`; the empty path is the schema itself.
pub(super) fn node_mut<'a>(schema: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    steps(path).try_fold(schema, |node, step| match step {
        Step::Field(name) => node.get_mut("properties")?.get_mut(name),
        Step::Items => node.get_mut("items"),
        Step::Values => node.get_mut("additionalProperties"),
    })
}

enum Step<'a> {
    Field(&'a str),
    Items,
    Values,
}

fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split('.').filter(|part| !part.is_empty()).flat_map(|part| {
        let bare = part.trim_end_matches(['[', ']', '{', '}']);
        let suffix = part.get(bare.len()..).unwrap_or_default();
        let inner = match suffix {
            "[]" => Some(Step::Items),
            "{}" => Some(Step::Values),
            _ => None,
        };
        std::iter::once(Step::Field(bare)).chain(inner)
    })
}
