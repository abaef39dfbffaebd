//! Running checked expressions, within a budget.
//!
//! `&&`, `||`, `all` and `exists` may be decided by one side although the other fails. Costs follow the reference
//! roughly: a step is one unit, what walks a text pays a tenth of a unit for each character.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use super::equality::equal;
use super::expression::{Constant, Expression};
use super::value::Value;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// A field or entry is not there.
    NoSuchKey(String),
    /// A list has no such position.
    OutOfBounds(i64),
    /// A function does not take values of these types, which only shows at run time for dynamic values.
    NoSuchOverload,
    /// The budget is used up.
    TooExpensive,
    /// Anything else, in the words of the reference.
    Other(String),
}

impl Failure {
    /// A failure with a text of its own.
    pub(crate) fn other(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchKey(key) => write!(formatter, "no such key: {key}"),
            Self::OutOfBounds(position) => write!(formatter, "index out of bounds: {position}"),
            Self::NoSuchOverload => formatter.write_str("no such overload"),
            Self::TooExpensive => formatter.write_str("operation cancelled: actual cost limit exceeded"),
            Self::Other(text) => formatter.write_str(text),
        }
    }
}

/// The result of a part of an expression.
pub(crate) type Outcome<'v> = Result<Value<'v>, Failure>;

/// The state of one run.
pub(crate) struct Evaluation<'v> {
    pub(super) slots: Vec<Value<'v>>,
    /// Units that may still be spent.
    remaining: u64,
}

impl<'v> Evaluation<'v> {
    /// A run with the given first slots, room for `slots` in all, and `budget` units.
    pub(super) fn new(variables: Vec<Value<'v>>, slots: usize, budget: u64) -> Self {
        let mut all = variables;
        all.resize(slots.max(all.len()), Value::Null);
        Self { slots: all, remaining: budget }
    }

    /// The units left.
    pub(super) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Pays for work.
    pub(crate) fn spend(&mut self, units: u64) -> Result<(), Failure> {
        let rest = self.remaining.checked_sub(units);
        self.remaining = rest.unwrap_or(0);
        rest.map(|_| ()).ok_or(Failure::TooExpensive)
    }

    /// Pays for walking a text.
    pub(crate) fn spend_text(&mut self, length: usize) -> Result<(), Failure> {
        self.spend(length.div_ceil(10) as u64)
    }

    /// Runs an expression.
    pub(crate) fn run(&mut self, expression: &'v Expression) -> Outcome<'v> {
        match expression {
            Expression::Constant(constant) => Ok(constant_value(constant)),
            Expression::Variable(slot) => {
                self.spend(1)?;
                Ok(self.slots.get(*slot).cloned().unwrap_or(Value::Null))
            }
            Expression::Select { operand, field, optional } => self.select(operand, field, *optional),
            Expression::Has { operand, field } => self.has(operand, field),
            Expression::Index { operand, key, optional } => self.index(operand, key, *optional),
            Expression::And(sides) => self.decide(sides, false),
            Expression::Or(sides) => self.decide(sides, true),
            Expression::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                match self.run(condition)? {
                    Value::Bool(true) => self.run(yes),
                    Value::Bool(false) => self.run(no),
                    _ => Err(Failure::NoSuchOverload),
                }
            }
            Expression::List(items) => self.list(items),
            Expression::Map(entries) => self.map(entries),
            Expression::Call { function, arguments } => self.call(*function, arguments),
            Expression::Loop(turns) => self.run_loop(turns),
            Expression::OptionalMap { slot, operand, body, flat } => {
                self.optional_map(*slot, operand, body, *flat)
            }
        }
    }

    fn call(&mut self, function: super::expression::Function, arguments: &'v [Expression]) -> Outcome<'v> {
        self.spend(1)?;
        // Nearly all calls have one or two arguments; those need no allocation.
        match arguments {
            [only] => {
                let arguments = [self.run(only)?];
                function(self, &arguments)
            }
            [first, second] => {
                let arguments = [self.run(first)?, self.run(second)?];
                function(self, &arguments)
            }
            more => {
                let arguments =
                    more.iter().map(|argument| self.run(argument)).collect::<Result<Vec<_>, _>>()?;
                function(self, &arguments)
            }
        }
    }

    /// `&&` (decided by false) and `||` (decided by true): a side that decides wins over one that fails.
    fn decide(&mut self, sides: &'v [Expression; 2], deciding: bool) -> Outcome<'v> {
        let [left, right] = sides;
        let left = self.run(left);
        if let Ok(Value::Bool(value)) = left
            && value == deciding
        {
            return Ok(Value::Bool(deciding));
        }
        let right = self.run(right);
        match (left, right) {
            (_, Ok(Value::Bool(value))) if value == deciding => Ok(Value::Bool(deciding)),
            (Err(failure), _) | (Ok(Value::Bool(_)), Err(failure)) => Err(failure),
            (Ok(Value::Bool(_)), Ok(Value::Bool(_))) => Ok(Value::Bool(!deciding)),
            _ => Err(Failure::NoSuchOverload),
        }
    }

    fn select(&mut self, operand: &'v Expression, field: &str, optional: bool) -> Outcome<'v> {
        self.spend(1)?;
        let operand = self.run(operand)?;
        if let Value::Optional(inner) = &operand {
            let found = inner.as_deref().and_then(|inner| member(inner, field).transpose()).transpose()?;
            return Ok(Value::Optional(found.map(Rc::new)));
        }
        let found = member(&operand, field)?;
        match (found, optional) {
            (found, true) => Ok(Value::Optional(found.map(Rc::new))),
            (Some(found), false) => Ok(found),
            (None, false) => Err(Failure::NoSuchKey(field.to_owned())),
        }
    }

    fn has(&mut self, operand: &'v Expression, field: &str) -> Outcome<'v> {
        self.spend(1)?;
        let operand = self.run(operand)?;
        let inner = if let Value::Optional(inner) = &operand { inner.as_deref() } else { Some(&operand) };
        match inner {
            Some(inner) => Ok(Value::Bool(member(inner, field)?.is_some())),
            None => Ok(Value::Bool(false)),
        }
    }

    fn index(&mut self, operand: &'v Expression, key: &'v Expression, optional: bool) -> Outcome<'v> {
        self.spend(1)?;
        let (operand, key) = (self.run(operand)?, self.run(key)?);
        if let Value::Optional(inner) = &operand {
            let found = inner.as_deref().map(|inner| item(inner, &key)).transpose()?;
            return Ok(Value::Optional(found.and_then(Result::ok).map(Rc::new)));
        }
        let found = item(&operand, &key)?;
        if optional { Ok(Value::Optional(found.ok().map(Rc::new))) } else { found }
    }

    fn list(&mut self, items: &'v [(Expression, bool)]) -> Outcome<'v> {
        self.spend(10)?;
        let mut values = Vec::with_capacity(items.len());
        for (item, optional) in items {
            match self.run(item)? {
                Value::Optional(inner) if *optional => values.extend(inner.as_deref().cloned()),
                value => values.push(value),
            }
        }
        Ok(Value::list(values))
    }

    fn map(&mut self, entries: &'v [(Expression, Expression, bool)]) -> Outcome<'v> {
        self.spend(30)?;
        let mut values: Vec<(Value<'v>, Value<'v>)> = Vec::with_capacity(entries.len());
        for (key, value, optional) in entries {
            let key = self.run(key)?;
            let value = match self.run(value)? {
                Value::Optional(None) if *optional => continue,
                Value::Optional(Some(inner)) if *optional => inner.as_ref().clone(),
                value => value,
            };
            match values.iter_mut().find(|(known, _)| equal(known, &key)) {
                Some((_, known)) => *known = value,
                None => values.push((key, value)),
            }
        }
        Ok(Value::Map(Rc::new(values)))
    }

    fn optional_map(
        &mut self,
        slot: usize,
        operand: &'v Expression,
        body: &'v Expression,
        flat: bool,
    ) -> Outcome<'v> {
        match self.run(operand)? {
            Value::Optional(Some(inner)) => {
                self.set(slot, inner.as_ref().clone());
                let value = self.run(body)?;
                Ok(if flat { value } else { Value::some(value) })
            }
            Value::Optional(None) => Ok(Value::Optional(None)),
            _ => Err(Failure::NoSuchOverload),
        }
    }

    /// Puts a value into a slot.
    pub(super) fn set(&mut self, slot: usize, value: Value<'v>) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = value;
        }
    }
}

/// Adds an entry to a map under construction.
pub(super) fn insert_entry<'v>(
    entries: &mut Vec<(Value<'v>, Value<'v>)>,
    key: Value<'v>,
    value: Value<'v>,
) -> Result<(), Failure> {
    if entries.iter().any(|(known, _)| equal(known, &key)) {
        return Err(Failure::other(format!(
            "insert failed: key {} already exists",
            super::library::show(&key)
        )));
    }
    entries.push((key, value));
    Ok(())
}

fn constant_value(constant: &Constant) -> Value<'_> {
    match constant {
        Constant::Null => Value::Null,
        Constant::Bool(flag) => Value::Bool(*flag),
        Constant::Int(number) => Value::Int(*number),
        Constant::Uint(number) => Value::Uint(*number),
        Constant::Double(number) => Value::Double(*number),
        Constant::Text(text) => Value::Text(Cow::Borrowed(text)),
        Constant::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
        Constant::Type(name) => Value::Type(name),
    }
}

/// The field or entry of that name, if it is there.
fn member<'v>(operand: &Value<'v>, field: &str) -> Result<Option<Value<'v>>, Failure> {
    match operand {
        Value::Fields(fields) => Ok(fields.get(field)),
        Value::Map(entries) => Ok(entries
            .iter()
            .find(|(key, _)| matches!(key, Value::Text(text) if text == field))
            .map(|(_, value)| value.clone())),
        _ => Err(Failure::NoSuchOverload),
    }
}

/// The item or entry under a key: the inner failure says that there is none.
fn item<'v>(operand: &Value<'v>, key: &Value<'v>) -> Result<Outcome<'v>, Failure> {
    match operand {
        Value::List(..) | Value::Items(_) => {
            let position = whole(key).ok_or(Failure::NoSuchOverload)?;
            let found = usize::try_from(position).ok().and_then(|at| match operand {
                Value::List(items, _) => items.get(at).cloned(),
                Value::Items(items) => items.get(at),
                _ => None,
            });
            Ok(found.ok_or(Failure::OutOfBounds(position)))
        }
        Value::Fields(fields) => match key {
            Value::Text(name) => Ok(fields.get(name).ok_or_else(|| Failure::NoSuchKey(name.to_string()))),
            other => Ok(Err(Failure::NoSuchKey(super::library::show(other)))),
        },
        Value::Map(entries) => {
            let found = entries.iter().find(|(known, _)| equal(known, key)).map(|(_, value)| value.clone());
            Ok(found.ok_or_else(|| Failure::NoSuchKey(super::library::show(key))))
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

/// The position a number means; whole floats count too.
fn whole(key: &Value<'_>) -> Option<i64> {
    match key {
        Value::Int(number) => Some(*number),
        Value::Uint(number) => i64::try_from(*number).ok(),
        #[allow(clippy::cast_possible_truncation, reason = "whole, and saturation is out of bounds anyway")]
        Value::Double(number) if number.fract() == 0.0 => Some(*number as i64),
        _ => None,
    }
}
