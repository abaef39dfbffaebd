//! The lists of a strategic merge patch: merging by value or key, and the order of the result.

use serde_json::Value;

use super::PatchError;
use super::strategic::{Level, merge_maps};
use crate::schema::text::go_text;

/// How items of a list are told apart.
#[derive(Clone, Copy)]
pub(super) enum ListKey<'a> {
    /// By value.
    Value,
    /// By this field.
    Field(&'a str),
}

impl ListKey<'_> {
    fn of(self, item: &Value) -> Option<&Value> {
        match self {
            Self::Value => Some(item),
            Self::Field(name) => item.get(name),
        }
    }

    fn same(self, left: &Value, right: &Value) -> bool {
        self.of(left).is_some() && self.of(left) == self.of(right)
    }

    fn position(self, list: &[Value], item: &Value) -> Option<usize> {
        list.iter().position(|known| self.same(known, item))
    }
}

/// Merges the items of a patch into a list.
pub(super) fn merge_lists(
    original: &[Value],
    patch: &[Value],
    key: ListKey<'_>,
    level: Level<'_>,
) -> Result<Vec<Value>, PatchError> {
    let directive = |item: &Value| item.get("$patch").and_then(Value::as_str).map(str::to_owned);
    let plain: Vec<Value> = patch.iter().filter(|item| directive(item).is_none()).cloned().collect();
    if patch.iter().any(|item| directive(item).as_deref() == Some("replace")) {
        return Ok(plain);
    }
    let deleted = |item: &Value| {
        let mut directives = patch.iter().filter(|one| directive(one).as_deref() == Some("delete"));
        directives.any(|one| key.same(one, item))
    };
    let mut merged: Vec<Value> = original.iter().filter(|item| !deleted(item)).cloned().collect();
    for item in &plain {
        if let (ListKey::Field(name), None) = (key, key.of(item)) {
            let text = format!("map: {} does not contain declared merge key: {name}", go_text(item));
            return Err(PatchError::Contradictory(text));
        }
        match merged.iter_mut().find(|known| key.same(known, item)) {
            None => merged.push(item.clone()),
            Some(known) => {
                if let (Value::Object(old), Value::Object(new)) = (&*known, item) {
                    *known = Value::Object(merge_maps(old.clone(), new, level.items())?);
                }
            }
        }
    }
    Ok(interleave(&merged, &plain, original, key))
}

/// Removes values from a list of scalars.
pub(super) fn remove_values(list: Option<&mut Value>, values: &Value) {
    if let (Some(Value::Array(items)), Value::Array(values)) = (list, values) {
        items.retain(|item| !values.contains(item));
    }
}

/// The items of a patch must come in the order the same patch asks for.
pub(super) fn check_order(items: &[Value], order: &[Value], key: ListKey<'_>) -> Result<(), PatchError> {
    let items: Vec<&Value> = items.iter().filter(|item| item.get("$patch").is_none()).collect();
    let mut rest = order.iter();
    if items.iter().all(|item| rest.any(|wanted| key.same(wanted, item))) {
        return Ok(());
    }
    let list = |items: Vec<&Value>| go_text(&Value::Array(items.into_iter().cloned().collect()));
    Err(PatchError::Contradictory(format!(
        "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
        list(items),
        list(order.iter().collect())
    )))
}

/// The items in the asked order; items it does not name keep their place among each other.
pub(super) fn order_by(items: &[Value], order: &[Value], key: ListKey<'_>) -> Vec<Value> {
    interleave(items, order, items, key)
}

/// The items that `first` names in its order, the others in the order of `before`; of two that both have a place in
/// `before` the earlier one comes first, otherwise the named one.
fn interleave(items: &[Value], first: &[Value], before: &[Value], key: ListKey<'_>) -> Vec<Value> {
    let (mut named, mut others): (Vec<&Value>, Vec<&Value>) =
        items.iter().partition(|item| key.position(first, item).is_some());
    named.sort_by_key(|item| key.position(first, item));
    others.sort_by_key(|item| key.position(before, item));
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    let mut result = Vec::with_capacity(items.len());
    loop {
        let other_first = match (named.peek(), others.peek()) {
            (None, None) => return result,
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (Some(one), Some(other)) => match (key.position(before, other), key.position(before, one)) {
                (Some(other), Some(one)) => other < one,
                _ => false,
            },
        };
        result.extend(if other_first { others.next() } else { named.next() }.cloned());
    }
}
