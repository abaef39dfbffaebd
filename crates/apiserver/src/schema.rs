//! Structural schemas, compiled once per version of a resource: defaults, pruning and validation.
//!
//! Custom resources and built-in kinds are described by the same documents (`OpenAPI` v3 with the `x-kubernetes-*`
//! extensions), so defaulting, pruning, validation and server-side apply have one path. What the documents mean, and
//! the words of the findings, follow kube-apiserver 1.36.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::field_error::{FieldError, FieldErrorKind};

mod bounds;
mod default_values;
mod defaults;
pub(crate) mod format;
mod keyed;
pub(crate) mod metadata;
pub(crate) mod node;
pub(crate) mod parse;
mod path;
mod prune;
mod rule;
mod run_rules;
mod structural;
pub(crate) mod text;
mod validate;

#[cfg(test)]
mod tests;

use node::Node;
use path::Path;

/// A compiled schema; cloning shares it.
#[derive(Clone, Debug)]
pub struct CompiledSchema {
    compiled: Arc<Compiled>,
    separate_status: bool,
    /// What every object shows, set or not; null for nothing.
    empty: Arc<Value>,
}

#[derive(Debug)]
struct Compiled {
    root: Node,
    published: Value,
}

/// What validation has to say: errors refuse the write, warnings are shown to the writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Reasons to refuse the object.
    pub errors: Vec<FieldError>,
    /// Findings about parts that did not change; the server sends them as `Warning` headers.
    pub warnings: Vec<FieldError>,
}

impl CompiledSchema {
    /// Compiles an `OpenAPI` v3 schema document.
    ///
    /// # Errors
    /// Everything that kube-apiserver would hold against the schema, with fields below `path`.
    pub fn compile(open_api_v3_schema: &Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let mut findings = Vec::new();
        let mut root = parse::parse(open_api_v3_schema, path, &mut findings);
        structural::check(open_api_v3_schema, path, &mut findings);
        rule::compile_all(&mut root, path, &mut findings);
        default_values::check(&root, path, &mut findings);
        if findings.is_empty() {
            let compiled = Arc::new(Compiled { root, published: open_api_v3_schema.clone() });
            Ok(Self { compiled, separate_status: false, empty: Arc::default() })
        } else {
            Err(findings)
        }
    }

    /// The same schema for a resource whose status is written through its own subresource, so that no manager owns
    /// a status by writing the resource itself.
    #[must_use]
    pub fn with_separate_status(self) -> Self {
        Self { separate_status: true, ..self }
    }

    /// The same schema for a kind of which every object shows these top-level fields. Nobody owns them as they are here.
    #[must_use]
    pub fn showing(self, empty: Map<String, Value>) -> Self {
        Self { empty: Arc::new(if empty.is_empty() { Value::Null } else { Value::Object(empty) }), ..self }
    }

    /// The object before anybody set a field of it.
    pub(crate) fn empty(&self) -> &Value {
        &self.empty
    }

    /// Whether the status is written through its own subresource.
    pub(crate) fn has_separate_status(&self) -> bool {
        self.separate_status
    }

    /// Drops nulls that may not stay and sets defaults. Stored objects get it too when they are read.
    pub fn apply_defaults(&self, object: &mut Value) {
        defaults::drop_nulls(object, &self.compiled.root);
        self.fill_defaults(object);
    }

    /// Sets defaults, also in place of nulls, but drops no nulls. This is what follows a server-side apply: there a
    /// null without default is held against the object.
    pub fn fill_defaults(&self, object: &mut Value) {
        defaults::drop_metadata_nulls(object);
        defaults::fill(object, &self.compiled.root);
        if let (Some(fields), Some(empty)) = (object.as_object_mut(), self.empty.as_object()) {
            for (name, value) in
                empty.iter().filter(|(name, _)| !fields.contains_key(*name)).collect::<Vec<_>>()
            {
                fields.insert(name.clone(), value.clone());
            }
        }
    }

    /// Sets the default of a status that is not there.
    pub(crate) fn fill_status(&self, object: &mut Value) {
        let has_default = self.root().child("status").is_some_and(|status| status.default.is_some());
        if has_default && object.get("status").is_none() {
            self.fill_defaults(object);
        }
    }

    /// Removes fields the schema does not know and returns their paths in order, such as `spec.rules[0].colour`.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        prune::prune_object(object, &self.compiled.root)
    }

    /// Validates a whole object, against the stored one on update. An empty answer means valid.
    #[must_use]
    pub fn validate(&self, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
        self.check(new, old, &[]).errors
    }

    /// Like [`Self::validate`], with the warnings, and knowing what was found outside the schema (in the metadata):
    /// rules do not run on an object with `prior` findings that make their answers meaningless.
    #[must_use]
    pub fn check(&self, new: &Value, old: Option<&Value>, prior: &[FieldError]) -> Findings {
        let errors = validate::validate(self.root(), &Path::ROOT, new, old).findings;
        self.check_rest((new, old), errors, prior)
    }

    /// Runs the rules alone. This is all that kube-apiserver does with an object that calls itself another kind.
    #[must_use]
    pub fn check_rules(&self, new: &Value, old: Option<&Value>, prior: &[FieldError]) -> Findings {
        self.check_rest((new, old), Vec::new(), prior)
    }

    /// Like [`Self::check`] for a write through the status subresource: types and bounds are only looked at in the
    /// status, rules everywhere.
    #[must_use]
    pub fn check_status(&self, new: &Value, old: Option<&Value>, prior: &[FieldError]) -> Findings {
        let mut errors = Vec::new();
        if let (Some(node), Some(status)) = (self.root().properties.get("status"), new.get("status")) {
            let old_status = old.and_then(|old| old.get("status"));
            errors = validate::validate(node, &Path::ROOT, status, old_status).findings;
        }
        for error in &mut errors {
            error.field = match error.field.as_str() {
                "" | "<nil>" => "status".to_owned(),
                field => format!("status.{field}"),
            };
        }
        self.check_rest((new, old), errors, prior)
    }

    fn check_rest(
        &self,
        objects: (&Value, Option<&Value>),
        errors: Vec<FieldError>,
        prior: &[FieldError],
    ) -> Findings {
        let (root, (new, old), mut errors) = (self.root(), objects, errors);
        self.add_duplicates(new, old, &mut errors);
        if !root.has_rules {
            return Findings { errors, warnings: Vec::new() };
        }
        if prior.iter().chain(&errors).any(blocks_rules) {
            errors.push(rules_not_run());
            return Findings { errors, warnings: Vec::new() };
        }
        let mut ruled = run_rules::run(root, new, old);
        errors.append(&mut ruled.errors);
        Findings { errors, warnings: ruled.warnings }
    }

    /// Duplicates are held against an update only if the stored object had none.
    fn add_duplicates(&self, new: &Value, old: Option<&Value>, errors: &mut Vec<FieldError>) {
        let find = |object: &Value| {
            let mut findings = Vec::new();
            keyed::duplicates(&self.compiled.root, &Path::ROOT, object, &mut findings);
            findings
        };
        let mut found = find(new);
        if !found.is_empty() && old.is_none_or(|old| find(old).is_empty()) {
            errors.append(&mut found);
        }
    }

    /// The schema as it was given, for `OpenAPI` publishing.
    #[must_use]
    pub fn published(&self) -> &Value {
        &self.compiled.published
    }

    /// The root of the parsed schema.
    pub(crate) fn root(&self) -> &Node {
        &self.compiled.root
    }
}

/// Whether a finding says so little about the object's shape that rules cannot be asked.
fn blocks_rules(finding: &FieldError) -> bool {
    matches!(
        finding.kind,
        FieldErrorKind::NotSupported
            | FieldErrorKind::Required
            | FieldErrorKind::TooLong
            | FieldErrorKind::TooMany
            | FieldErrorKind::TypeInvalid
    )
}

fn rules_not_run() -> FieldError {
    FieldError {
        kind: FieldErrorKind::Invalid,
        field: "<nil>".to_owned(),
        message:
            "Invalid value: null: some validation rules were not checked because the object was invalid; \
                  correct the existing errors to complete validation"
                .to_owned(),
    }
}
