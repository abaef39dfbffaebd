//! Checked expressions: names are resolved to slots and fields, calls to functions, macros to loops.

use super::evaluate::{Evaluation, Failure};
use super::value::Value;

/// A function on evaluated arguments; the receiver is the first.
pub(crate) type Function = for<'v, 'a> fn(&mut Evaluation<'v>, &'a [Value<'v>]) -> Result<Value<'v>, Failure>;

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Type(&'static str),
}

/// An expression ready to run.
#[derive(Debug)]
pub(crate) enum Expression {
    Constant(Constant),
    /// The variable in this slot.
    Variable(usize),
    /// A field or entry. If optional, a missing one gives none instead of a failure.
    Select {
        operand: Box<Expression>,
        field: String,
        optional: bool,
    },
    /// Whether a field or entry is there.
    Has {
        operand: Box<Expression>,
        field: String,
    },
    /// An item or entry by computed key.
    Index {
        operand: Box<Expression>,
        key: Box<Expression>,
        optional: bool,
    },
    And(Box<[Expression; 2]>),
    Or(Box<[Expression; 2]>),
    Conditional(Box<[Expression; 3]>),
    /// A list; optional items are left out where they are none.
    List(Vec<(Expression, bool)>),
    /// A map; optional entries are left out where they are none.
    Map(Vec<(Expression, Expression, bool)>),
    Call {
        function: Function,
        arguments: Vec<Expression>,
    },
    Loop(Box<Loop>),
    /// The body with the optional's value in a slot; `flat` if the body itself gives an optional.
    OptionalMap {
        slot: usize,
        operand: Box<Expression>,
        body: Box<Expression>,
        flat: bool,
    },
}

/// What a loop over a list or map makes of its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    /// A list of the bodies' values.
    List,
    /// A map from the keys to the bodies' values.
    Map,
    /// A map of the entries of the bodies' map values.
    MapEntry,
    /// A list sorted by the bodies' values.
    SortBy,
}

/// A loop.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) kind: LoopKind,
    pub(crate) range: Expression,
    /// The slot of the item, or of the key or position if there are two variables.
    pub(crate) slot: usize,
    /// The slot of the value, with two variables.
    pub(crate) second_slot: Option<usize>,
    /// Turns for which this is false are left out.
    pub(crate) condition: Option<Expression>,
    pub(crate) body: Expression,
}
