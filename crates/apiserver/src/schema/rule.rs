//! A validation rule as a schema states it (`x-kubernetes-validations`).

use serde_json::Value;

use crate::field_error::FieldErrorKind;

/// One rule of a schema level.
#[derive(Debug)]
#[expect(dead_code, reason = "rules are read here and run once expressions are compiled")]
pub(crate) struct Rule {
    /// The expression, in CEL.
    pub(crate) expression: String,
    /// What to say when it is false.
    pub(crate) message: Option<String>,
    /// An expression for what to say, tried before `message`.
    pub(crate) message_expression: Option<String>,
    /// The kind of finding a false answer makes.
    pub(crate) reason: FieldErrorKind,
    /// Where below the level the finding points, as written.
    pub(crate) field_path: Option<String>,
    /// Whether `oldSelf` is an optional value, so that the rule also runs on creation.
    pub(crate) optional_old_self: bool,
}

impl Rule {
    /// Reads a rule; unknown reasons are found by the structural checks.
    pub(crate) fn parse(document: &Value) -> Self {
        let text = |name: &str| {
            document.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        Self {
            expression: text("rule").unwrap_or_default(),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason: reason(document.get("reason").and_then(Value::as_str)),
            field_path: text("fieldPath"),
            optional_old_self: document.get("optionalOldSelf").and_then(Value::as_bool).unwrap_or(false),
        }
    }
}

fn reason(name: Option<&str>) -> FieldErrorKind {
    match name {
        Some("FieldValueForbidden") => FieldErrorKind::Forbidden,
        Some("FieldValueRequired") => FieldErrorKind::Required,
        Some("FieldValueDuplicate") => FieldErrorKind::Duplicate,
        _ => FieldErrorKind::Invalid,
    }
}
