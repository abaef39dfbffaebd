//! The built-in kinds: data in `kinds.yaml`, compiled once and shared by all planes.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::resource::{BuiltIn, Catalog, Column, Resource};
use crate::schema::CompiledSchema;
use crate::server::StartError;
use crate::shape::stamp;

const KINDS: &str = include_str!("builtin/kinds.yaml");

/// Compiled built-in kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builtins {
    everywhere: Vec<Arc<Resource>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Declared {
    #[serde(default)]
    group: String,
    version: String,
    plural: String,
    kind: String,
    #[serde(default)]
    namespaced: bool,
    #[serde(default)]
    short_names: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    #[serde(default)]
    status: bool,
    #[serde(default)]
    generation: bool,
    #[serde(default)]
    strategy: BuiltIn,
    /// `group/plural` of the stored form, where it is another resource's.
    storage: Option<String>,
    #[serde(default)]
    selectable_fields: Vec<String>,
    #[serde(default)]
    columns: Vec<DeclaredColumn>,
    /// Top-level fields that every object of the kind shows, set or not.
    #[serde(default)]
    empty: Map<String, Value>,
    schema: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredColumn {
    name: String,
    #[serde(rename = "type")]
    column_type: String,
    path: String,
    #[serde(default)]
    priority: i64,
    #[serde(default)]
    description: String,
}

impl Builtins {
    /// Compiles all of them.
    ///
    /// # Errors
    /// [`StartError::Kind`] for a definition that is broken.
    pub(crate) fn compile() -> Result<Self, StartError> {
        let declared: Vec<Declared> = serde_saphyr::from_str(KINDS)
            .map_err(|error| StartError::Kind { kind: "(all)".to_owned(), error: error.to_string() })?;
        let mut builtins = Self::default();
        for kind in declared {
            builtins.everywhere.push(Arc::new(compile(kind)?));
        }
        Ok(builtins)
    }

    /// The catalog a plane starts with.
    #[must_use]
    pub(crate) fn catalog(&self) -> Catalog {
        let mut catalog = Catalog::default();
        for resource in &self.everywhere {
            catalog.insert(resource.clone());
        }
        catalog
    }
}

fn compile(declared: Declared) -> Result<Resource, StartError> {
    let schema = CompiledSchema::compile(&declared.schema, "schema").map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        StartError::Kind { kind: declared.kind.clone(), error: texts.join(", ") }
    })?;
    let schema = schema.showing(declared.empty);
    let schema = if declared.status { schema.with_separate_status() } else { schema };
    let api_version = crate::status::api_version(&declared.group, &declared.version);
    let storage = declared.storage.unwrap_or_else(|| format!("{}/{}", declared.group, declared.plural));
    Ok(Resource {
        stamp: stamp(&api_version, &declared.kind, &declared.schema),
        singular: declared.kind.to_lowercase(),
        list_kind: format!("{}List", declared.kind),
        preferred: declared.group != "events.k8s.io",
        group: declared.group,
        version: declared.version,
        plural: declared.plural,
        kind: declared.kind,
        short_names: declared.short_names,
        categories: declared.categories,
        namespaced: declared.namespaced,
        storage: storage.into(),
        schema,
        has_status: declared.status,
        scale: None,
        columns: declared.columns.into_iter().map(column).collect(),
        selectable_fields: declared.selectable_fields,
        built_in: declared.strategy,
        registered: None,
        custom: false,
        generation: declared.generation,
        deprecation: None,
    })
}

fn column(declared: DeclaredColumn) -> Column {
    Column {
        name: declared.name,
        column_type: declared.column_type,
        format: String::new(),
        description: declared.description,
        priority: declared.priority,
        path: declared.path,
    }
}
