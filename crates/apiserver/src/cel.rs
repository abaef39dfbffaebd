//! The expression language of validation rules (CEL), as kube-apiserver 1.36 offers it.
//!
//! The parser is the `cel` crate's; everything after it is ours, because rules need what no crate has: values that
//! borrow the object and take their types from the schema, static checks against the schema, sets and keyed lists,
//! and a budget. An expression is compiled once with its schema and runs without copying the object.

use cel::Env;
use cel::parser::Parser;

mod check;
mod equality;
mod evaluate;
mod expression;
mod library;
mod macros;
mod names;
mod quantity;
mod semver;
mod turns;
mod types;
mod url;
mod value;

#[cfg(test)]
mod tests;

use check::Checker;
use evaluate::Evaluation;
pub(crate) use evaluate::Failure;
use expression::Expression;
use types::Type;
pub(crate) use value::Value;

use crate::schema::node::Node;

/// Units one rule may spend on one value.
pub(crate) const CALL_BUDGET: u64 = 1_000_000;
/// Units all rules together may spend on one object.
pub(crate) const OBJECT_BUDGET: u64 = 10_000_000;

/// What an expression must give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A truth value.
    Truth,
    /// A text.
    Text,
}

/// A compiled expression over `self` and `oldSelf`.
#[derive(Debug)]
pub(crate) struct Program {
    expression: Expression,
    slots: usize,
    /// Whether the expression reads `oldSelf`.
    pub(crate) uses_old_self: bool,
}

/// Why an expression was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompileError {
    /// It does not parse or does not fit the schema; the text marks the places.
    Invalid(String),
    /// It gives something else than wanted.
    WrongResult,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'s> {
    /// The schema of `self`.
    pub(crate) node: &'s Node,
    /// Whether `self` is a whole object.
    pub(crate) resource: bool,
    /// Whether `oldSelf` is an optional.
    pub(crate) optional_old_self: bool,
}

impl Program {
    /// Compiles an expression.
    pub(crate) fn compile(source: &str, place: Place<'_>, wanted: Wanted) -> Result<Self, CompileError> {
        let (tree, info) = parser()
            .parse_with_source_info(source)
            .map_err(|errors| CompileError::Invalid(errors.to_string()))?;
        let self_type = Type::of(place.node, place.resource)
            .ok_or_else(|| CompileError::Invalid("a schema without type has no value to check".to_owned()))?;
        let old_type = if place.optional_old_self {
            Type::Optional(Box::new(self_type.clone()))
        } else {
            self_type.clone()
        };
        let mut checker =
            Checker::new(vec![("self".to_owned(), self_type), ("oldSelf".to_owned(), old_type)]);
        let (expression, kind) = checker.check(&tree);
        if !checker.issues.is_empty() {
            return Err(CompileError::Invalid(check::describe(&checker.issues, &info)));
        }
        let result = if wanted == Wanted::Truth { Type::Bool } else { Type::Text };
        if kind != result && !kind.is_dynamic() {
            return Err(CompileError::WrongResult);
        }
        let uses_old_self = checker.used.get(1).copied().unwrap_or(false);
        Ok(Self { expression, slots: checker.slots, uses_old_self })
    }

    /// Runs the expression; answers its value and the units spent.
    pub(crate) fn run<'v>(
        &'v self,
        new: Value<'v>,
        old: Value<'v>,
        budget: u64,
    ) -> (Result<Value<'v>, Failure>, u64) {
        let mut evaluation = Evaluation::new(vec![new, old], self.slots, budget);
        let value = evaluation.run(&self.expression);
        (value, budget - evaluation.remaining())
    }
}

/// The parser leaves macros as calls: the checker expands them with the types at hand.
fn parser() -> Parser {
    Env::default().parser()
}
