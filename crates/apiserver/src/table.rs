//! The Table form: what kubectl prints, one row an object.

mod cell;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::resource::{Column, Resource};

const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
resources may allow a client to request the generation of an appropriate name automatically. Name is primarily \
intended for creation idempotence and configuration definition. Cannot be updated. More info: \
https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// How much of each object a row carries (`includeObject`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Include {
    /// Metadata only.
    #[default]
    Metadata,
    /// Nothing.
    None,
    /// The whole object.
    Object,
}

impl Include {
    /// Reads the query parameter; unknown texts mean metadata.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "None" => Self::None,
            "Object" => Self::Object,
            _ => Self::Metadata,
        }
    }
}

/// A table of these objects. `metadata` is that of the list, or the object's resourceVersion alone.
#[must_use]
pub(crate) fn table(
    resource: &Resource,
    objects: &[&Value],
    metadata: &Value,
    include: Include,
    now: Timestamp,
) -> Value {
    let rows: Vec<Value> = objects.iter().map(|object| row(resource, object, include, now)).collect();
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": definitions(resource),
        "rows": rows,
    })
}

/// The metadata-only form of an object.
#[must_use]
pub(crate) fn partial(object: &Value) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_default();
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
}

fn definitions(resource: &Resource) -> Vec<Value> {
    let name = definition("Name", "string", "name", NAME, 0);
    let rest = resource.columns.iter().map(|column| {
        definition(&column.name, &column.column_type, &column.format, &column.description, column.priority)
    });
    std::iter::once(name).chain(rest).collect()
}

fn definition(name: &str, column_type: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({"name": name, "type": column_type, "format": format, "description": description, "priority": priority})
}

fn row(resource: &Resource, object: &Value, include: Include, now: Timestamp) -> Value {
    let name = Value::String(crate::metadata::name(object).to_owned());
    let cell = |column: &Column| cell::cell(column, object, now);
    let cells: Vec<Value> = std::iter::once(name).chain(resource.columns.iter().map(cell)).collect();
    let mut row = Map::new();
    row.insert("cells".to_owned(), Value::Array(cells));
    let shown = match include {
        Include::None => Value::Null,
        Include::Metadata => partial(object),
        Include::Object => object.clone(),
    };
    row.insert("object".to_owned(), shown);
    Value::Object(row)
}
