//! The rules for names, labels, annotations, finalizers and owners that kube-apiserver applies to every object.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::field_error::{FieldError, FieldErrorKind};
use crate::metadata;

const LABEL_VALUE_MAX: usize = 63;
const ANNOTATIONS_MAX: usize = 256 * 1024;
const SUBDOMAIN_MAX: usize = 253;
const LABEL_MAX: usize = 63;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// How the names of a kind are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// RFC 1123 subdomain: most kinds.
    Subdomain,
    /// RFC 1123 label: namespaces.
    Label,
    /// Anything that can be a path segment: RBAC.
    PathSegment,
}

/// A finding about a field whose value is shown.
#[must_use]
pub fn invalid(field: &str, value: &str, why: &str) -> FieldError {
    FieldError {
        kind: FieldErrorKind::Invalid,
        field: field.to_owned(),
        message: format!("Invalid value: {}: {why}", quoted(value)),
    }
}

/// A finding about a missing field.
#[must_use]
pub fn required(field: &str, why: &str) -> FieldError {
    let message = if why.is_empty() { "Required value".to_owned() } else { format!("Required value: {why}") };
    FieldError { kind: FieldErrorKind::Required, field: field.to_owned(), message }
}

/// A finding about a field that may not be set.
#[must_use]
pub fn forbidden(field: &str, why: &str) -> FieldError {
    FieldError {
        kind: FieldErrorKind::Forbidden,
        field: field.to_owned(),
        message: format!("Forbidden: {why}"),
    }
}

/// A finding about a value outside a fixed set.
#[must_use]
pub fn not_supported(field: &str, value: &str, supported: &[&str]) -> FieldError {
    let list: Vec<String> = supported.iter().map(|text| quoted(text)).collect();
    FieldError {
        kind: FieldErrorKind::NotSupported,
        field: field.to_owned(),
        message: format!("Unsupported value: {}: supported values: {}", quoted(value), list.join(", ")),
    }
}

/// The text in double quotes, escaped as Go's `%q` does for the texts that occur here.
#[must_use]
pub fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// All findings about the metadata of a new object; `name` was already generated where one was to be.
#[must_use]
pub fn object(object: &Value, rule: NameRule, namespaced: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let generate_name = metadata::text(object, "generateName");
    if !generate_name.is_empty() {
        check_name(&mut errors, "metadata.generateName", generate_name.trim_end_matches('-'), rule);
    }
    match metadata::name(object) {
        "" => errors.push(required("metadata.name", "name or generateName is required")),
        name => check_name(&mut errors, "metadata.name", name, rule),
    }
    check_namespace(&mut errors, metadata::namespace(object), namespaced);
    check_rest(&mut errors, object);
    errors
}

/// All findings about the metadata of an update; both sides carry the system fields already.
#[must_use]
pub fn update(new: &Value, old: &Value, custom: bool) -> Vec<FieldError> {
    let mut rest = Vec::new();
    check_rest(&mut rest, new);
    let mut errors = rest.clone();
    check_new_finalizers(&mut errors, new, old);
    for field in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] {
        let (before, after) = (metadata::field(old, field), metadata::field(new, field));
        if before != after {
            let shown = after.and_then(Value::as_str).unwrap_or_default();
            errors.push(invalid(&format!("metadata.{field}"), shown, "field is immutable"));
        }
    }
    // kube-apiserver asks in several places and repeats the causes, not the text (measured).
    let more = if custom { 1 } else { 2 };
    let twice = errors.clone().into_iter().chain(errors);
    twice.chain(std::iter::repeat_n(rest, more).flatten()).collect()
}

fn check_new_finalizers(errors: &mut Vec<FieldError>, new: &Value, old: &Value) {
    if !metadata::is_deleting(old) {
        return;
    }
    let before: BTreeSet<&str> = metadata::finalizers(old).collect();
    let after: BTreeSet<&str> = metadata::finalizers(new).collect();
    let added: Vec<String> = after.difference(&before).copied().map(quoted).collect();
    if !added.is_empty() {
        let why = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.join(", ")
        );
        errors.push(forbidden("metadata.finalizers", &why));
    }
}

fn check_name(errors: &mut Vec<FieldError>, field: &str, name: &str, rule: NameRule) {
    for why in name_problems(name, rule) {
        errors.push(invalid(field, name, &why));
    }
}

/// What is wrong with a name.
#[must_use]
pub fn name_problems(name: &str, rule: NameRule) -> Vec<String> {
    match rule {
        NameRule::Subdomain => formed(name, SUBDOMAIN_MAX, is_subdomain(name), SUBDOMAIN),
        NameRule::Label => formed(name, LABEL_MAX, is_label(name), LABEL),
        NameRule::PathSegment => path_segment_problems(name),
    }
}

fn formed(text: &str, longest: usize, is_formed: bool, rule: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > longest {
        problems.push(format!("must be no more than {longest} bytes"));
    }
    if !is_formed {
        problems.push(rule.to_owned());
    }
    problems
}

fn path_segment_problems(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    ['/', '%'].iter().filter(|c| name.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}

fn check_namespace(errors: &mut Vec<FieldError>, namespace: &str, namespaced: bool) {
    if namespaced {
        if namespace.is_empty() {
            errors.push(required("metadata.namespace", ""));
        } else {
            check_name(errors, "metadata.namespace", namespace, NameRule::Label);
        }
    } else if !namespace.is_empty() {
        errors.push(forbidden("metadata.namespace", "not allowed on this type"));
    }
}

fn check_rest(errors: &mut Vec<FieldError>, object: &Value) {
    check_labels(errors, object);
    check_annotations(errors, object);
    check_owners(errors, object);
    for finalizer in metadata::finalizers(object) {
        for why in qualified_problems(finalizer) {
            errors.push(invalid("metadata.finalizers", finalizer, &why));
        }
    }
}

fn check_labels(errors: &mut Vec<FieldError>, object: &Value) {
    for (key, value) in metadata::labels(object) {
        for why in qualified_problems(key) {
            errors.push(invalid("metadata.labels", key, &why));
        }
        for why in label_value_problems(value) {
            errors.push(invalid("metadata.labels", value, &why));
        }
    }
}

fn check_annotations(errors: &mut Vec<FieldError>, object: &Value) {
    let annotations = metadata::field(object, "annotations").and_then(Value::as_object);
    let mut total = 0;
    for (key, value) in annotations.into_iter().flatten() {
        total += key.len() + value.as_str().map_or(0, str::len);
        for why in qualified_problems(&key.to_lowercase()) {
            errors.push(invalid("metadata.annotations", key, &why));
        }
    }
    if total > ANNOTATIONS_MAX {
        let message = format!("Too long: may not be more than {ANNOTATIONS_MAX} bytes");
        errors.push(FieldError {
            kind: FieldErrorKind::TooLong,
            field: "metadata.annotations".to_owned(),
            message,
        });
    }
}

fn check_owners(errors: &mut Vec<FieldError>, object: &Value) {
    let mut controllers = Vec::new();
    for owner in metadata::owners(object) {
        let text = |field: &str| owner.get(field).and_then(Value::as_str).unwrap_or_default();
        for field in ["apiVersion", "kind", "name", "uid"] {
            if text(field).is_empty() {
                errors.push(invalid(
                    &format!("metadata.ownerReferences.{field}"),
                    "",
                    if field == "apiVersion" { "version must not be empty" } else { "must not be empty" },
                ));
            }
        }
        if owner.get("controller") == Some(&Value::Bool(true)) {
            controllers.push(owner);
        }
    }
    if let [first, second, ..] = controllers.as_slice() {
        let shown = Value::Array(metadata::owners(object).cloned().collect()).to_string();
        let name = |owner: &Value| owner.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let why = format!(
            "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
            name(first),
            name(second)
        );
        errors.push(FieldError {
            kind: FieldErrorKind::Invalid,
            field: "metadata.ownerReferences".to_owned(),
            message: format!("Invalid value: {shown}: {why}"),
        });
    }
}

/// What is wrong with a label key, an annotation key or a finalizer.
#[must_use]
pub fn qualified_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, name)) if name.contains('/') => {
            return vec![format!(
                "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
                 with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
                 validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix \
                 and '/' (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", name)) => {
            problems.push("prefix part must be non-empty".to_owned());
            name
        }
        Some((prefix, name)) => {
            problems.extend(
                name_problems(prefix, NameRule::Subdomain)
                    .into_iter()
                    .map(|why| format!("prefix part {why}")),
            );
            name
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_VALUE_MAX {
        problems.push(format!("name part must be no more than {LABEL_VALUE_MAX} bytes"));
    }
    if !is_qualified_part(name) {
        problems.push(QUALIFIED.to_owned());
    }
    problems
}

/// What is wrong with a label's value.
#[must_use]
pub fn label_value_problems(value: &str) -> Vec<String> {
    formed(value, LABEL_VALUE_MAX, value.is_empty() || is_qualified_part(value), LABEL_VALUE)
}

fn is_qualified_part(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    framed(text, |byte| byte.is_ascii_alphanumeric(), inner)
}

fn is_label(text: &str) -> bool {
    let edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    framed(text, edge, |byte| edge(byte) || byte == b'-')
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

/// Non-empty, every byte allowed inside, first and last allowed at the edge.
fn framed(text: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => edge(*first) && edge(*last) && bytes.iter().all(|byte| inner(*byte)),
        _ => false,
    }
}
