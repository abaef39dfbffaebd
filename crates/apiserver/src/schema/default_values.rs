//! Defaults must be what they stand in for: of the declared type, within its bounds, without undeclared fields.

use serde_json::Value;

use super::node::Node;
use super::path::Path;
use super::text::show;
use super::{prune, run_rules, validate};
use crate::field_error::{FieldError, FieldErrorKind};

/// Checks every default of a schema, with defaults below it filled in.
pub(crate) fn check(node: &Node, path: &str, findings: &mut Vec<FieldError>) {
    if !node.has_defaults {
        return;
    }
    if let Some(default) = &node.default {
        check_default(node, default, &format!("{path}.default"), findings);
    }
    for (name, child) in &node.properties {
        check(child, &format!("{path}.properties[{name}]"), findings);
    }
    if let Some(child) = node.additional.schema() {
        check(child, &format!("{path}.additionalProperties"), findings);
    }
    if let Some(child) = &node.items {
        check(child, &format!("{path}.items"), findings);
    }
}

fn check_default(node: &Node, default: &Value, path: &str, findings: &mut Vec<FieldError>) {
    let mut known = default.clone();
    if !prune::prune_value(&mut known, node).is_empty() {
        let message = format!("Invalid value: {}: must not have unknown fields", show(default));
        findings.push(FieldError { kind: FieldErrorKind::Invalid, field: path.to_owned(), message });
        return;
    }
    super::defaults::fill(&mut known, node);
    let found = validate::validate(node, &Path::ROOT, &known, None).findings;
    let rules_make_sense = found.is_empty();
    findings.extend(found.into_iter().map(|finding| below(path, finding)));
    if rules_make_sense && node.has_rules {
        let ruled = run_rules::run_level(node, &known).errors;
        findings.extend(ruled.into_iter().map(|finding| below(path, finding)));
    }
}

fn below(path: &str, finding: FieldError) -> FieldError {
    let field = match finding.field.as_str() {
        "" | "<nil>" => path.to_owned(),
        inner => format!("{path}.{inner}"),
    };
    FieldError { field, ..finding }
}
