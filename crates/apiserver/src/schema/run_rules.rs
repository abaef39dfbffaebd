//! Running the rules of a schema over an object.
//!
//! A rule that reads `oldSelf` runs only where the value can be paired with a stored one: fields and map entries by
//! name, items of keyed lists by their keys, nothing inside lists of other kinds or atomic maps. A rule that does not
//! read it is not held against an update where nothing changed; such findings become warnings.

use serde_json::Value as Json;

use super::Findings;
use super::keyed::KeyedItems;
use super::node::{ListType, Node};
use super::path::Path;
use super::rule::Rule;
use super::text::{quote, show};
use crate::cel::{CALL_BUDGET, Failure, OBJECT_BUDGET, Value};
use crate::field_error::{FieldError, FieldErrorKind};

/// The longest message an expression may give, in bytes.
const MESSAGE_MAX: usize = 5120;

/// Runs all rules of the schema over `new`, with `old` as the stored object.
pub(super) fn run(root: &Node, new: &Json, old: Option<&Json>) -> Findings {
    let mut runner = Runner { findings: Findings::default(), budget: OBJECT_BUDGET, stopped: false };
    let pairing = Pairing { current: old.map(|old| (new, old)), parent: None };
    runner.walk((root, true), &Path::ROOT, (new, old), pairing);
    runner.findings
}

/// Runs the rules of one level and below over a value that is no whole object.
pub(super) fn run_level(node: &Node, value: &Json) -> Findings {
    let mut runner = Runner { findings: Findings::default(), budget: OBJECT_BUDGET, stopped: false };
    runner.walk((node, false), &Path::ROOT, (value, None), Pairing { current: None, parent: None });
    runner.findings
}

/// A value and the stored one it is compared with.
type Pair<'v> = (&'v Json, &'v Json);

/// What decides whether a finding is about something unchanged: the value itself if it can be paired, else the
/// nearest part around it that can.
#[derive(Clone, Copy)]
struct Pairing<'v> {
    current: Option<Pair<'v>>,
    parent: Option<Pair<'v>>,
}

impl<'v> Pairing<'v> {
    fn inside(self, pair: impl FnOnce(Pair<'v>) -> Option<Pair<'v>>) -> Self {
        match self.current {
            None => self,
            Some(current) => Self { current: pair(current), parent: Some(current) },
        }
    }

    fn unchanged(self) -> bool {
        self.current.or(self.parent).is_some_and(|(new, old)| new == old)
    }
}

struct Runner {
    findings: Findings,
    budget: u64,
    stopped: bool,
}

/// What a rule runs on.
#[derive(Clone, Copy)]
struct Subject<'v> {
    node: &'v Node,
    resource: bool,
    new: &'v Json,
    old: Option<&'v Json>,
    unchanged: Pairing<'v>,
}

impl Runner {
    fn walk<'v>(
        &mut self,
        (node, resource): (&'v Node, bool),
        path: &Path<'_>,
        (new, old): (&'v Json, Option<&'v Json>),
        pairing: Pairing<'v>,
    ) {
        if !node.has_rules || new.is_null() || self.stopped {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        let subject =
            Subject { node, resource: resource || node.embedded_resource, new, old, unchanged: pairing };
        for rule in &node.rules {
            if self.stopped {
                return;
            }
            self.run_rule(rule, path, subject);
        }
        match new {
            Json::Object(fields) => {
                for (name, value) in fields {
                    let Some(child) = node.child(name) else { continue };
                    let declared = node.properties.contains_key(name);
                    let here = if declared { path.field(name) } else { path.key(name) };
                    let old_value = old.filter(|_| !node.atomic_map).and_then(|old| old.get(name));
                    let pairing = pairing.inside(|(_, old)| Some((value, old.get(name)?)));
                    self.walk((child, false), &here, (value, old_value), pairing);
                }
            }
            Json::Array(items) => self.walk_items(node, path, (items, old), pairing),
            _ => {}
        }
    }

    fn walk_items<'v>(
        &mut self,
        node: &'v Node,
        path: &Path<'_>,
        (items, old): (&'v [Json], Option<&'v Json>),
        pairing: Pairing<'v>,
    ) {
        let Some(child) = &node.items else { return };
        let keyed = |list: &'v Json| {
            let keyed = matches!(node.list_type, ListType::Map(_));
            list.as_array().filter(|_| keyed).map(|items| KeyedItems::new(node, items))
        };
        let old_items = old.and_then(keyed);
        let paired_items = pairing.current.and_then(|(_, old)| keyed(old));
        for (position, item) in items.iter().enumerate() {
            let old_item = old_items.as_ref().and_then(|old| old.get(item));
            let pairing = pairing.inside(|_| Some((item, paired_items.as_ref()?.get(item)?)));
            self.walk((child, false), &path.index(position), (item, old_item), pairing);
        }
    }

    fn run_rule(&mut self, rule: &Rule, path: &Path<'_>, subject: Subject<'_>) {
        let Some(program) = &rule.program else { return };
        if program.uses_old_self && subject.old.is_none() && !rule.optional_old_self {
            return;
        }
        if self.budget == 0 {
            return self.stop(path, subject, OUT_OF_BUDGET);
        }
        let (new, old) = values(rule, subject);
        let (answer, spent) = program.run(new, old, self.budget.min(CALL_BUDGET));
        let within_call = self.budget > CALL_BUDGET;
        self.budget -= spent;
        match answer {
            Ok(Value::Bool(true)) => {}
            Ok(_) => self.broken(rule, path, subject),
            Err(failure) => self.failed((&failure, within_call), rule, path, subject),
        }
    }

    /// The rule has no answer.
    fn failed(
        &mut self,
        (failure, within_call): (&Failure, bool),
        rule: &Rule,
        path: &Path<'_>,
        subject: Subject<'_>,
    ) {
        let name = rule.name();
        let detail = match failure {
            Failure::TooExpensive if !within_call => return self.stop(path, subject, OUT_OF_BUDGET),
            Failure::TooExpensive => {
                let text = format!(
                    "'{failure}': no further validation rules will be run due to call cost exceeds limit for rule: {name}"
                );
                return self.stop(path, subject, &text);
            }
            Failure::NoSuchOverload => format!(
                "'{failure}': call arguments did not match a supported operator, function or macro signature for rule: {name}"
            ),
            other => format!("{other} evaluating rule: {name}"),
        };
        let message = format!("Invalid value: {}: {detail}", quote(type_name(subject.node)));
        self.findings.errors.push(FieldError {
            kind: FieldErrorKind::Invalid,
            field: path.bracketed(),
            message,
        });
    }

    /// The rule's answer is no.
    fn broken(&mut self, rule: &Rule, path: &Path<'_>, subject: Subject<'_>) {
        let detail = self.message(rule, subject).unwrap_or_else(|| {
            rule.message.clone().unwrap_or_else(|| format!("failed rule: {}", rule.name()))
        });
        // Objects and lists are not shown, they may be large.
        let shown = match subject.new {
            Json::Object(_) | Json::Array(_) => String::new(),
            scalar => format!(": {}", show(scalar)),
        };
        let message = match rule.reason {
            FieldErrorKind::Forbidden => format!("Forbidden: {detail}"),
            FieldErrorKind::Required => format!("Required value: {detail}"),
            FieldErrorKind::Duplicate => format!("Duplicate value{shown}"),
            _ => format!("Invalid value{shown}: {detail}"),
        };
        let finding = FieldError { kind: rule.reason, field: field_of(path, &rule.field_path), message };
        let reads_old = rule.program.as_ref().is_some_and(|program| program.uses_old_self);
        if !reads_old && subject.unchanged.unchanged() {
            self.findings.warnings.push(finding);
        } else {
            self.findings.errors.push(finding);
        }
    }

    /// The message by expression; none if there is none or it gives nothing that can be shown.
    fn message(&mut self, rule: &Rule, subject: Subject<'_>) -> Option<String> {
        let program = rule.message_program.as_ref()?;
        let (new, old) = values(rule, subject);
        let (answer, spent) = program.run(new, old, self.budget.min(CALL_BUDGET));
        self.budget -= spent;
        let Ok(Value::Text(text)) = answer else { return None };
        let text = text.trim();
        let usable = !text.is_empty() && !text.contains('\n') && text.len() <= MESSAGE_MAX;
        usable.then(|| text.to_owned())
    }

    fn stop(&mut self, path: &Path<'_>, subject: Subject<'_>, detail: &str) {
        self.stopped = true;
        let message = format!("Invalid value: {}: {detail}", quote(type_name(subject.node)));
        self.findings.errors.push(FieldError {
            kind: FieldErrorKind::Invalid,
            field: path.bracketed(),
            message,
        });
    }
}

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

fn values<'v>(rule: &Rule, subject: Subject<'v>) -> (Value<'v>, Value<'v>) {
    let value = |json: &'v Json| Value::of(json, Some(subject.node), subject.resource);
    let old = match (rule.optional_old_self, subject.old) {
        (true, old) => old.map_or(Value::Optional(None), |old| Value::some(value(old))),
        (false, old) => old.map_or(Value::Null, value),
    };
    (value(subject.new), old)
}

fn type_name(node: &Node) -> &'static str {
    node.kind.map_or("", super::node::Type::name)
}

/// The level's path with the rule's own path below it.
fn field_of(path: &Path<'_>, below: &str) -> String {
    let level = path.dotted();
    match (level.is_empty(), below) {
        (_, "") => path.bracketed(),
        (true, below) => below.trim_start_matches('.').to_owned(),
        (false, below) => format!("{}{below}", path.bracketed()),
    }
}
