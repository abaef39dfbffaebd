//! From a definition to served resources.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{is_true, text, versions};
use crate::field_error::FieldError;
use crate::json_path::JsonPath;
use crate::metadata::validate::{invalid, not_supported};
use crate::registry::Strategy;
use crate::resource::{BuiltIn, Column, Resource, ScalePaths};
use crate::schema::CompiledSchema;
use crate::server::StartError;
use crate::shape::stamp;

const SCHEMAS_MAX: usize = 1024;

/// Compiled schemas by stamp, so that a thousand planes with the same definitions share one schema each.
#[derive(Clone, Debug, Default)]
pub(crate) struct SchemaCache {
    compiled: BTreeMap<u64, CompiledSchema>,
}

impl SchemaCache {
    fn get(&mut self, stamp: u64, document: &Value) -> Result<CompiledSchema, Vec<FieldError>> {
        if let Some(schema) = self.compiled.get(&stamp) {
            return Ok(schema.clone());
        }
        let schema = CompiledSchema::compile(document, "schema")?;
        if self.compiled.len() >= SCHEMAS_MAX {
            self.compiled.clear();
        }
        self.compiled.insert(stamp, schema.clone());
        Ok(schema)
    }
}

/// The served versions of a definition.
///
/// # Errors
/// What is wrong with a schema; validation has refused such definitions before.
pub(super) fn resources(
    definition: &Value,
    cache: &mut SchemaCache,
) -> Result<Vec<Resource>, Vec<FieldError>> {
    let served = versions(definition).filter(|version| is_true(version, "served"));
    served.map(|version| resource(definition, version, cache)).collect()
}

/// The served versions of a resource that code decides about: everything but the definition object itself.
///
/// # Errors
/// [`StartError::Kind`] naming what is wrong with the definition.
pub(crate) fn compile_registered(
    definition: &Value,
    strategy: &Arc<dyn Strategy>,
) -> Result<Vec<Arc<Resource>>, StartError> {
    let fail = |errors: &[FieldError]| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        StartError::Kind { kind: crate::metadata::name(definition).to_owned(), error: texts.join(", ") }
    };
    let mut definition = definition.clone();
    super::default(&mut definition);
    let errors = super::validate(&definition, None);
    if !errors.is_empty() {
        return Err(fail(&errors));
    }
    let compiled = resources(&definition, &mut SchemaCache::default()).map_err(|errors| fail(&errors))?;
    let registered = compiled.into_iter().map(|resource| {
        let registered = Some(strategy.clone());
        Arc::new(Resource { custom: false, registered, ..resource })
    });
    Ok(registered.collect())
}

fn resource(
    definition: &Value,
    version: &Value,
    cache: &mut SchemaCache,
) -> Result<Resource, Vec<FieldError>> {
    let spec = |pointer: &str| text(definition, &format!("/spec{pointer}")).to_owned();
    let texts = |pointer: &str| -> Vec<String> {
        let list = definition.pointer(pointer).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (group, plural, kind) = (spec("/group"), spec("/names/plural"), spec("/names/kind"));
    let version_name = text(version, "/name").to_owned();
    let document = version.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default();
    let api_version = crate::status::api_version(&group, &version_name);
    let names = definition.pointer("/spec/names").cloned().unwrap_or_default();
    let mut schema = cache.get(stamp(&api_version, &kind, &document), &document)?;
    if version.pointer("/subresources/status").is_some() {
        schema = schema.with_separate_status();
    }
    Ok(Resource {
        // Columns and subresources count too: a change of them must be seen.
        stamp: stamp(&api_version, &kind, &Value::Array(vec![version.clone(), names])),
        storage: format!("{group}/{plural}").into(),
        singular: spec("/names/singular"),
        list_kind: spec("/names/listKind"),
        short_names: texts("/spec/names/shortNames"),
        categories: texts("/spec/names/categories"),
        namespaced: spec("/scope") == "Namespaced",
        has_status: version.pointer("/subresources/status").is_some(),
        scale: version.pointer("/subresources/scale").map(scale),
        columns: columns(version),
        selectable_fields: selectable(version),
        built_in: BuiltIn::Plain,
        registered: None,
        custom: true,
        preferred: is_true(version, "storage"),
        generation: true,
        deprecation: deprecation(version, &api_version, &kind),
        group,
        version: version_name,
        plural,
        kind,
        schema,
    })
}

fn scale(value: &Value) -> ScalePaths {
    ScalePaths {
        spec_replicas: text(value, "/specReplicasPath").to_owned(),
        status_replicas: text(value, "/statusReplicasPath").to_owned(),
        label_selector: value.get("labelSelectorPath").and_then(Value::as_str).map(str::to_owned),
    }
}

fn selectable(version: &Value) -> Vec<String> {
    let list = version.get("selectableFields").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|field| text(field, "/jsonPath").trim_start_matches('.').to_owned())
        .collect()
}

fn deprecation(version: &Value, api_version: &str, kind: &str) -> Option<String> {
    is_true(version, "deprecated").then(|| match version.get("deprecationWarning").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => format!("{api_version} {kind} is deprecated"),
    })
}

fn columns(version: &Value) -> Vec<Column> {
    let list = version.get("additionalPrinterColumns").and_then(Value::as_array);
    let declared: Vec<Column> = list.into_iter().flatten().map(column).collect();
    if declared.is_empty() {
        return vec![Column {
            name: "Age".to_owned(),
            column_type: "date".to_owned(),
            format: String::new(),
            description: "When the object was created.".to_owned(),
            priority: 0,
            path: ".metadata.creationTimestamp".to_owned(),
        }];
    }
    declared
}

fn column(value: &Value) -> Column {
    let path = text(value, "/jsonPath").to_owned();
    let description = match text(value, "/description") {
        "" => format!("Custom resource definition column (in JSONPath format): {path}"),
        described => described.to_owned(),
    };
    Column {
        name: text(value, "/name").to_owned(),
        column_type: text(value, "/type").to_owned(),
        format: text(value, "/format").to_owned(),
        description,
        priority: value.get("priority").and_then(Value::as_i64).unwrap_or_default(),
        path,
    }
}

/// Findings about a version's printer columns.
pub(super) fn check_columns(version: &Value, index: usize) -> Vec<FieldError> {
    const TYPES: [&str; 5] = ["integer", "number", "string", "boolean", "date"];
    let mut errors = Vec::new();
    let list = version.get("additionalPrinterColumns").and_then(Value::as_array);
    for (at, column) in list.into_iter().flatten().enumerate() {
        let path = format!("spec.versions[{index}].additionalPrinterColumns[{at}]");
        let found = text(column, "/type");
        if !TYPES.contains(&found) {
            errors.push(not_supported(&format!("{path}.type"), found, &TYPES));
        }
        if let Err(why) = JsonPath::parse(text(column, "/jsonPath")) {
            errors.push(invalid(&format!("{path}.jsonPath"), text(column, "/jsonPath"), &why));
        }
    }
    errors
}
