//! Parts of an object that are carried without being understood.
//!
//! Fields that newer publishers write and this product does not interpret are declared as open objects, so that
//! they are copied and never pruned.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON object kept as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Carried(pub Map<String, Value>);

impl JsonSchema for Carried {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Carried".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
    }
}
