//! Between the write pipeline and `apply`: who owns what after a write, kept in the object's `managedFields`.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::apply::{self, ApplyError};
use crate::managed_fields::ManagedFields;
use crate::resource::Resource;
use crate::status::Failure;

/// Who writes, through what, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) manager: &'a str,
    /// Empty for the resource itself.
    pub(crate) subresource: &'a str,
    pub(crate) now: Timestamp,
}

impl<'a> Writer<'a> {
    fn with<'b>(self, api_version: &'b str) -> apply::Writer<'b>
    where
        'a: 'b,
    {
        let subresource = Some(self.subresource).filter(|name| !name.is_empty());
        apply::Writer { manager: self.manager, subresource, api_version, now: self.now }
    }
}

/// Records what an update (anything but an apply) takes over.
pub(crate) fn record(resource: &Resource, live: Option<&Value>, new: &mut Value, writer: &Writer<'_>) {
    let subresource = Some(writer.subresource).filter(|name| !name.is_empty());
    let before = ManagedFields::for_update(live, new, subresource);
    let api_version = resource.api_version();
    let after = apply::record_update(&resource.schema, live, new, &before, writer.with(&api_version));
    after.write_into(new);
}

/// Applies an intent. The answer carries its final `managedFields`.
pub(crate) fn apply(
    resource: &Resource,
    live: Option<&Value>,
    applied: &Value,
    writer: &Writer<'_>,
    force: bool,
) -> Result<Value, Failure> {
    let managers = live.map(|live| ManagedFields::of_object(live).unwrap_or_default()).unwrap_or_default();
    let api_version = resource.api_version();
    let state = (live, &managers);
    let (mut object, after) =
        apply::apply(&resource.schema, state, applied, writer.with(&api_version), force).map_err(refuse)?;
    after.write_into(&mut object);
    Ok(object)
}

fn refuse(error: ApplyError) -> Failure {
    let message = error.to_string();
    match error {
        ApplyError::Conflicts(conflicts) => {
            let cause = |conflict: &apply::Conflict| json!({"reason": "FieldManagerConflict", "message": conflict.message(), "field": conflict.field});
            let causes: Vec<Value> = conflicts.iter().map(cause).collect();
            Failure::new(409, "Conflict", message).with_details(json!({"causes": causes}))
        }
        ApplyError::BadRequest(_) => Failure::bad_request(message),
        ApplyError::Untypable(_) => Failure::new(500, "", message),
    }
}
