//! Schema of field types that come without one.

use schemars::{Schema, SchemaGenerator, json_schema};

/// A time in RFC 3339.
pub(crate) fn date_time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "date-time"})
}
