//! Loops over lists and maps.

use std::rc::Rc;

use super::evaluate::{Evaluation, Failure, Outcome, insert_entry};
use super::expression::{Loop, LoopKind};
use super::library::compare;
use super::value::Value;

/// What a loop has gathered so far.
#[derive(Default)]
struct Gathered<'v> {
    /// Turns whose body was true.
    hits: usize,
    values: Vec<Value<'v>>,
    entries: Vec<(Value<'v>, Value<'v>)>,
    /// The first failure of a body that a later turn may still overrule.
    failure: Option<Failure>,
}

impl<'v> Evaluation<'v> {
    /// Runs a loop to its end, or to the turn that decides it.
    pub(super) fn run_loop(&mut self, turns: &'v Loop) -> Outcome<'v> {
        let range = self.run(&turns.range)?;
        let mut gathered = Gathered::default();
        match &range {
            Value::List(items, _) => {
                for (position, item) in items.iter().enumerate() {
                    if self.turn(turns, position_value(position), item.clone(), &mut gathered)? {
                        break;
                    }
                }
            }
            Value::Items(items) => {
                for (position, item) in items.iter().enumerate() {
                    if self.turn(turns, position_value(position), item, &mut gathered)? {
                        break;
                    }
                }
            }
            Value::Map(entries) => {
                for (key, value) in entries.iter() {
                    if self.map_turn(turns, key.clone(), value.clone(), &mut gathered)? {
                        break;
                    }
                }
            }
            Value::Fields(fields) => {
                for (key, value) in fields.iter() {
                    if self.map_turn(turns, Value::Text(key.into()), value, &mut gathered)? {
                        break;
                    }
                }
            }
            _ => return Err(Failure::NoSuchOverload),
        }
        finish(turns.kind, gathered)
    }

    /// With one variable a loop over a map is a loop over its keys.
    fn map_turn(
        &mut self,
        turns: &'v Loop,
        key: Value<'v>,
        value: Value<'v>,
        gathered: &mut Gathered<'v>,
    ) -> Result<bool, Failure> {
        let item = if turns.second_slot.is_some() { value } else { key.clone() };
        self.turn(turns, key, item, gathered)
    }

    /// One turn; true if it decided the loop.
    fn turn(
        &mut self,
        turns: &'v Loop,
        key: Value<'v>,
        item: Value<'v>,
        gathered: &mut Gathered<'v>,
    ) -> Result<bool, Failure> {
        self.spend(2)?;
        match turns.second_slot {
            Some(second) => {
                self.set(turns.slot, key.clone());
                self.set(second, item.clone());
            }
            None => self.set(turns.slot, item.clone()),
        }
        if let Some(condition) = &turns.condition {
            match self.run(condition)? {
                Value::Bool(true) => {}
                Value::Bool(false) => return Ok(false),
                _ => return Err(Failure::NoSuchOverload),
            }
        }
        let body = self.run(&turns.body);
        gather(turns.kind, key, item, body, gathered)
    }
}

/// Takes up the value of a turn's body; true if it decided the loop.
fn gather<'v>(
    kind: LoopKind,
    key: Value<'v>,
    item: Value<'v>,
    body: Outcome<'v>,
    gathered: &mut Gathered<'v>,
) -> Result<bool, Failure> {
    match (kind, body) {
        (LoopKind::All | LoopKind::Exists, Err(failure)) if failure != Failure::TooExpensive => {
            gathered.failure.get_or_insert(failure);
        }
        (_, Err(failure)) => return Err(failure),
        (LoopKind::All, Ok(Value::Bool(truth))) => {
            gathered.hits += usize::from(!truth);
            return Ok(!truth);
        }
        (LoopKind::Exists, Ok(Value::Bool(truth))) => {
            gathered.hits += usize::from(truth);
            return Ok(truth);
        }
        (LoopKind::ExistsOne, Ok(Value::Bool(truth))) => gathered.hits += usize::from(truth),
        (LoopKind::Filter, Ok(Value::Bool(truth))) => {
            if truth {
                gathered.values.push(item);
            }
        }
        (LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne | LoopKind::Filter, Ok(_)) => {
            return Err(Failure::NoSuchOverload);
        }
        (LoopKind::List, Ok(value)) => gathered.values.push(value),
        (LoopKind::Map, Ok(value)) => insert_entry(&mut gathered.entries, key, value)?,
        (LoopKind::SortBy, Ok(value)) => gathered.entries.push((value, item)),
        (LoopKind::MapEntry, Ok(Value::Map(entries))) => {
            for (key, value) in entries.iter() {
                insert_entry(&mut gathered.entries, key.clone(), value.clone())?;
            }
        }
        (LoopKind::MapEntry, Ok(_)) => return Err(Failure::NoSuchOverload),
    }
    Ok(false)
}

fn finish(kind: LoopKind, gathered: Gathered<'_>) -> Outcome<'_> {
    match kind {
        LoopKind::All | LoopKind::Exists => match gathered.failure {
            Some(failure) if gathered.hits == 0 => Err(failure),
            _ => Ok(Value::Bool((gathered.hits == 0) == (kind == LoopKind::All))),
        },
        LoopKind::ExistsOne => Ok(Value::Bool(gathered.hits == 1)),
        LoopKind::Filter | LoopKind::List => Ok(Value::list(gathered.values)),
        LoopKind::Map | LoopKind::MapEntry => Ok(Value::Map(Rc::new(gathered.entries))),
        LoopKind::SortBy => sorted(gathered.entries),
    }
}

fn sorted<'v>(mut entries: Vec<(Value<'v>, Value<'v>)>) -> Outcome<'v> {
    let mut failure = None;
    entries.sort_by(|(left, _), (right, _)| {
        compare(left, right).unwrap_or_else(|| {
            failure.get_or_insert(Failure::NoSuchOverload);
            std::cmp::Ordering::Equal
        })
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Value::list(entries.into_iter().map(|(_, item)| item).collect())),
    }
}

fn position_value<'v>(position: usize) -> Value<'v> {
    Value::Int(i64::try_from(position).unwrap_or(i64::MAX))
}
