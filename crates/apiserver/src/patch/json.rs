//! JSON patch (RFC 6902) with the liberties kube-apiserver takes.
//!
//! `replace` may create a field, `copy` of a missing field copies null, `test` takes a missing field for null, and
//! negative positions count from the end of a list. `test` compares numbers as written: 3 is not 3.0.

use serde_json::{Map, Value};

use super::{PatchError, go_kind};
use crate::limits::{JSON_PATCH_COPY_BYTES_MAX, NESTING_MAX};

/// The object with all operations applied, in order.
///
/// # Errors
/// [`PatchError::Malformed`] when the document is no list of operations, [`PatchError::Inapplicable`] when an
/// operation is unknown or does not fit.
pub fn json_patch(object: &Value, patch: &Value) -> Result<Value, PatchError> {
    let operations = patch.as_array().ok_or_else(|| undecodable(patch, "[]handlers.jsonPatchOp"))?;
    if let Some(stray) = operations.iter().find(|operation| !operation.is_object() && !operation.is_null()) {
        return Err(undecodable(stray, "handlers.jsonPatchOp"));
    }
    let mut result = object.clone();
    let mut copied = 0;
    for operation in operations {
        apply_operation(&mut result, operation, &mut copied)?;
    }
    Ok(result)
}

/// Refuses a value that would be nested too deep at its place.
fn fits(path: &str, value: &Value) -> Result<(), PatchError> {
    let levels = NESTING_MAX.saturating_sub(path.matches('/').count());
    if is_deeper_than(value, levels) {
        let text = format!("JSON patch path {path:?} would be nested deeper than {NESTING_MAX} levels");
        return Err(PatchError::Inapplicable(text));
    }
    Ok(())
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let deeper = |inner: &Value| levels == 0 || is_deeper_than(inner, levels - 1);
    match value {
        Value::Object(fields) => fields.values().any(deeper),
        Value::Array(items) => items.iter().any(deeper),
        _ => false,
    }
}

fn undecodable(value: &Value, wanted: &str) -> PatchError {
    let kind = go_kind(value);
    PatchError::Malformed(format!(
        "error decoding patch: json: cannot unmarshal {kind} into Go value of type {wanted}"
    ))
}

/// `copied` is the length of what the patch has copied so far, encoded.
fn apply_operation(object: &mut Value, operation: &Value, copied: &mut usize) -> Result<(), PatchError> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let missing =
        |name: &str| PatchError::Inapplicable(format!("JSON patch operation {operation} has no {name:?}"));
    let path = text("path").ok_or_else(|| missing("path"))?;
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    match text("op").unwrap_or_default() {
        "add" => add(object, path, value()),
        "remove" => remove(object, path).map(|_| ()),
        "replace" => replace(object, path, value()),
        "test" => test(object, path, &value()),
        "move" => {
            let moved = remove(object, text("from").ok_or_else(|| missing("from"))?)?;
            add(object, path, moved)
        }
        "copy" => {
            let value =
                read(object, text("from").ok_or_else(|| missing("from"))?)?.cloned().unwrap_or_default();
            *copied += value.to_string().len();
            if *copied > JSON_PATCH_COPY_BYTES_MAX {
                let text = format!("the copies of this JSON patch exceed {JSON_PATCH_COPY_BYTES_MAX} bytes");
                return Err(PatchError::Inapplicable(text));
            }
            add(object, path, value)
        }
        unknown => Err(PatchError::Inapplicable(format!("JSON patch operation {unknown:?} is unknown"))),
    }
}

fn no_such_path(path: &str) -> PatchError {
    PatchError::Inapplicable(format!("JSON patch path {path:?} does not lead to a value of the object"))
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The container the path's last step stands in, and that step.
enum Place<'a> {
    Field(&'a mut Map<String, Value>, String),
    Item(&'a mut Vec<Value>, String),
}

fn place<'a>(object: &'a mut Value, path: &str) -> Result<Place<'a>, PatchError> {
    let (parents, last) = path.rsplit_once('/').ok_or_else(|| no_such_path(path))?;
    let mut steps = parents.split('/');
    if !steps.next().unwrap_or_default().is_empty() {
        return Err(no_such_path(path));
    }
    let mut here = object;
    for step in steps {
        let step = unescape(step);
        here = match here {
            Value::Object(fields) => fields.get_mut(&step),
            Value::Array(items) => position(&step, items.len()).and_then(|position| items.get_mut(position)),
            _ => None,
        }
        .ok_or_else(|| no_such_path(path))?;
    }
    match here {
        Value::Object(fields) => Ok(Place::Field(fields, unescape(last))),
        Value::Array(items) => Ok(Place::Item(items, unescape(last))),
        _ => Err(no_such_path(path)),
    }
}

/// The position a step means in a list of `length` items; negative ones count from the end.
fn position(step: &str, length: usize) -> Option<usize> {
    let written: i64 = step.parse().ok()?;
    let position = if written < 0 { i64::try_from(length).ok()? + written } else { written };
    usize::try_from(position).ok().filter(|position| *position < length)
}

fn add(object: &mut Value, path: &str, value: Value) -> Result<(), PatchError> {
    fits(path, &value)?;
    match place(object, path)? {
        Place::Field(fields, name) => {
            fields.insert(name, value);
        }
        Place::Item(items, step) => {
            // One more place than there are items: an item may be added behind the last.
            let position = if step == "-" { Some(items.len()) } else { position(&step, items.len() + 1) };
            items.insert(position.ok_or_else(|| no_such_path(path))?, value);
        }
    }
    Ok(())
}

fn remove(object: &mut Value, path: &str) -> Result<Value, PatchError> {
    match place(object, path)? {
        Place::Field(fields, name) => fields.remove(&name),
        Place::Item(items, step) => position(&step, items.len()).map(|position| items.remove(position)),
    }
    .ok_or_else(|| no_such_path(path))
}

fn replace(object: &mut Value, path: &str, value: Value) -> Result<(), PatchError> {
    fits(path, &value)?;
    if path.is_empty() {
        *object = value;
        return Ok(());
    }
    match place(object, path)? {
        Place::Field(fields, name) => {
            fields.insert(name, value);
        }
        Place::Item(items, step) => {
            let item = position(&step, items.len()).and_then(|position| items.get_mut(position));
            *item.ok_or_else(|| no_such_path(path))? = value;
        }
    }
    Ok(())
}

/// The value at a path; none if only the last field is missing.
fn read<'a>(object: &'a mut Value, path: &str) -> Result<Option<&'a Value>, PatchError> {
    if path.is_empty() {
        return Ok(Some(object));
    }
    match place(object, path)? {
        Place::Field(fields, name) => Ok(fields.get(&name)),
        Place::Item(items, step) => {
            let item = position(&step, items.len()).and_then(|position| items.get(position));
            item.map(Some).ok_or_else(|| no_such_path(path))
        }
    }
}

fn test(object: &mut Value, path: &str, expected: &Value) -> Result<(), PatchError> {
    let found = read(object, path)?.unwrap_or(&Value::Null);
    if found == expected {
        return Ok(());
    }
    Err(PatchError::Inapplicable(format!(
        "JSON patch test of {path:?} failed: expected {expected}, found {found}"
    )))
}
