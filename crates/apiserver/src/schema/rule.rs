//! A validation rule of a schema (`x-kubernetes-validations`), and compiling it.

use std::fmt::Write as _;

use serde_json::Value;

use super::node::{Additional, Node};
use super::text::quote;
use crate::cel::{CompileError, Place, Program, Wanted};
use crate::field_error::{FieldError, FieldErrorKind};

/// One rule of a schema level.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The document, for findings about the rule itself.
    document: Value,
    /// The expression, in CEL.
    pub(crate) expression: String,
    /// What to say when it is false.
    pub(crate) message: Option<String>,
    message_expression: Option<String>,
    /// The kind of finding a false answer makes.
    pub(crate) reason: FieldErrorKind,
    /// Where below the level the finding points, as it is appended to the level's path.
    pub(crate) field_path: String,
    /// Whether `oldSelf` is an optional value, so that the rule also runs on creation.
    pub(crate) optional_old_self: bool,
    /// The compiled expression; set when the whole schema has been read.
    pub(crate) program: Option<Program>,
    /// The compiled expression for the message.
    pub(crate) message_program: Option<Program>,
}

const REASONS: [(&str, FieldErrorKind); 4] = [
    ("FieldValueDuplicate", FieldErrorKind::Duplicate),
    ("FieldValueForbidden", FieldErrorKind::Forbidden),
    ("FieldValueInvalid", FieldErrorKind::Invalid),
    ("FieldValueRequired", FieldErrorKind::Required),
];

impl Rule {
    /// Reads a rule without compiling it.
    pub(crate) fn parse(document: &Value) -> Self {
        let text = |name: &str| {
            document.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let reason = text("reason").and_then(|name| REASONS.iter().find(|(known, _)| *known == name));
        Self {
            document: document.clone(),
            expression: text("rule").unwrap_or_default(),
            message: text("message").map(|message| message.trim().to_owned()),
            message_expression: text("messageExpression"),
            reason: reason.map_or(FieldErrorKind::Invalid, |(_, kind)| *kind),
            field_path: String::new(),
            optional_old_self: document.get("optionalOldSelf").and_then(Value::as_bool).unwrap_or(false),
            program: None,
            message_program: None,
        }
    }

    /// The message, or the rule itself, as failures name it.
    pub(crate) fn name(&self) -> &str {
        self.message.as_deref().unwrap_or_else(|| self.expression.trim())
    }

    /// The rule as the reference writes it into findings.
    fn shown(&self) -> String {
        let text =
            |name: &str| Value::from(self.document.get(name).and_then(Value::as_str).unwrap_or_default());
        let or_null = |name: &str| self.document.get(name).cloned().unwrap_or(Value::Null);
        let shown = format!(
            "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{},\"FieldPath\":{},\"OptionalOldSelf\":{}}}",
            text("rule"),
            text("message"),
            text("messageExpression"),
            or_null("reason"),
            text("fieldPath"),
            or_null("optionalOldSelf")
        );
        shown.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    }
}

/// What compiling one rule gives.
#[derive(Debug, Default)]
struct CompiledRule {
    program: Option<Program>,
    message_program: Option<Program>,
    field_path: String,
}

/// Compiles all rules of a schema.
pub(crate) fn compile_all(root: &mut Node, path: &str, findings: &mut Vec<FieldError>) {
    let mut compiled = Vec::new();
    collect(root, true, path, &mut Collection { compiled: &mut compiled, findings });
    assign(root, &mut compiled.into_iter());
}

struct Collection<'a> {
    compiled: &'a mut Vec<CompiledRule>,
    findings: &'a mut Vec<FieldError>,
}

/// Levels are visited in one order here and when the results are handed back.
fn collect(node: &Node, resource: bool, path: &str, collection: &mut Collection<'_>) {
    if !node.has_rules {
        return;
    }
    for (position, rule) in node.rules.iter().enumerate() {
        let here = format!("{path}.x-kubernetes-validations[{position}]");
        let compiled = compile_rule(rule, (node, resource), &here, collection.findings);
        collection.compiled.push(compiled);
    }
    for (name, child) in &node.properties {
        collect(child, child.embedded_resource, &format!("{path}.properties[{name}]"), collection);
    }
    if let Additional::Schema(child) = &node.additional {
        collect(child, child.embedded_resource, &format!("{path}.additionalProperties"), collection);
    }
    if let Some(child) = &node.items {
        collect(child, child.embedded_resource, &format!("{path}.items"), collection);
    }
}

fn assign(node: &mut Node, compiled: &mut impl Iterator<Item = CompiledRule>) {
    if !node.has_rules {
        return;
    }
    for rule in &mut node.rules {
        if let Some(next) = compiled.next() {
            (rule.program, rule.message_program) = (next.program, next.message_program);
            rule.field_path = next.field_path;
        }
    }
    for child in node.properties.values_mut() {
        assign(child, compiled);
    }
    if let Additional::Schema(child) = &mut node.additional {
        assign(child, compiled);
    }
    if let Some(child) = &mut node.items {
        assign(child, compiled);
    }
}

fn compile_rule(
    rule: &Rule,
    level: (&Node, bool),
    path: &str,
    findings: &mut Vec<FieldError>,
) -> CompiledRule {
    let before = findings.len();
    check_texts(rule, path, findings);
    let mut compiled = CompiledRule {
        field_path: field_path(rule, level.0, path, findings).unwrap_or_default(),
        ..CompiledRule::default()
    };
    if rule.expression.trim().is_empty() || findings.len() > before {
        return compiled;
    }
    let place = Place { node: level.0, resource: level.1, optional_old_self: rule.optional_old_self };
    compiled.program = compile_expression(rule, (&rule.expression, place, Wanted::Truth), path, findings);
    if let Some(expression) = &rule.message_expression {
        compiled.message_program =
            compile_expression(rule, (expression, place, Wanted::Text), path, findings);
    }
    if rule.optional_old_self && compiled.program.as_ref().is_some_and(|program| !program.uses_old_self) {
        let message = "Invalid value: true: may not be set if oldSelf is not used in rule";
        push(findings, FieldErrorKind::Invalid, &format!("{path}.optionalOldSelf"), message);
    }
    compiled
}

fn compile_expression(
    rule: &Rule,
    (source, place, wanted): (&str, Place<'_>, Wanted),
    path: &str,
    findings: &mut Vec<FieldError>,
) -> Option<Program> {
    let (field, failed, wrong) = match wanted {
        Wanted::Truth => ("rule", "compilation failed", "cel expression must evaluate to a bool"),
        Wanted::Text => (
            "messageExpression",
            "messageExpression compilation failed",
            "messageExpression must evaluate to a string",
        ),
    };
    let detail = match Program::compile(source, place, wanted) {
        Ok(program) => return Some(program),
        Err(CompileError::Invalid(text)) => format!("{failed}: {text}"),
        Err(CompileError::WrongResult) => wrong.to_owned(),
    };
    let message = format!("Invalid value: {}: {detail}", rule.shown());
    push(findings, FieldErrorKind::Invalid, &format!("{path}.{field}"), &message);
    None
}

fn check_texts(rule: &Rule, path: &str, findings: &mut Vec<FieldError>) {
    let written = |name: &str| rule.document.get(name).and_then(Value::as_str).unwrap_or_default();
    let (expression, message) = (written("rule"), written("message"));
    if expression.trim().is_empty() {
        push(
            findings,
            FieldErrorKind::Required,
            &format!("{path}.rule"),
            "Required value: rule is not specified",
        );
    }
    let field = format!("{path}.message");
    if !message.is_empty() && message.trim().is_empty() {
        let text = format!("Invalid value: {}: must be non-empty if specified", quote(message));
        push(findings, FieldErrorKind::Invalid, &field, &text);
    } else if message.trim().contains('\n') {
        let text = format!("Invalid value: {}: must not contain line breaks", quote(message));
        push(findings, FieldErrorKind::Invalid, &field, &text);
    } else if message.is_empty() && expression.trim().contains('\n') {
        let text = "Required value: message must be specified if rule contains line breaks";
        push(findings, FieldErrorKind::Required, &field, text);
    }
    let message_expression = written("messageExpression");
    if !message_expression.is_empty() && message_expression.trim().is_empty() {
        let text = "Required value: must be non-empty if specified";
        push(findings, FieldErrorKind::Required, &format!("{path}.messageExpression"), text);
    }
    let reason = written("reason");
    if !reason.is_empty() && !REASONS.iter().any(|(known, _)| *known == reason) {
        let known: Vec<String> = REASONS.iter().map(|(name, _)| quote(name)).collect();
        let text = format!("Unsupported value: {}: supported values: {}", quote(reason), known.join(", "));
        push(findings, FieldErrorKind::NotSupported, &format!("{path}.reason"), &text);
    }
}

/// Checks `fieldPath` against the schema, and writes it as it is appended to a path: `.a.b[c]`.
fn field_path(rule: &Rule, node: &Node, path: &str, findings: &mut Vec<FieldError>) -> Option<String> {
    let written =
        rule.document.get("fieldPath").and_then(Value::as_str).filter(|written| !written.is_empty())?;
    let resolved = resolve_path(node, written);
    if resolved.is_none() {
        let text = format!("Invalid value: {}: must be a valid path", quote(written));
        push(findings, FieldErrorKind::Invalid, &format!("{path}.fieldPath"), &text);
    }
    resolved
}

fn resolve_path(node: &Node, written: &str) -> Option<String> {
    let (mut resolved, mut rest, mut here) = (String::new(), written, node);
    while !rest.is_empty() {
        let name;
        if let Some(quoted) = rest.strip_prefix("['") {
            (name, rest) = quoted.split_once("']")?;
        } else {
            let plain = rest.strip_prefix('.')?;
            (name, rest) = plain.split_at(plain.find(['.', '[']).unwrap_or(plain.len()));
        }
        if let Some(child) = here.properties.get(name) {
            resolved.push('.');
            resolved.push_str(name);
            here = child;
        } else {
            here = here.additional.schema()?;
            // Writing to a String cannot fail.
            let _ = write!(resolved, "[{name}]");
        }
    }
    (!resolved.is_empty()).then_some(resolved)
}

fn push(findings: &mut Vec<FieldError>, kind: FieldErrorKind, field: &str, message: &str) {
    findings.push(FieldError { kind, field: field.to_owned(), message: message.to_owned() });
}
