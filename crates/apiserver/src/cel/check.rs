//! From the parsed expression to a checked one: every name, field and call is resolved against static types, so that
//! a rule with a mistake is refused when its schema is written and not when an object is.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, SourceInfo};

use super::expression::{Constant, Expression};
use super::library::{self, Style};
use super::types::Type;

/// What is wrong with an expression, with the place in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    /// The node of the parsed expression.
    pub(super) id: u64,
    /// What is wrong.
    pub(super) text: String,
}

/// A checked expression and its type.
pub(super) type Typed<'s> = (Expression, Type<'s>);

/// The state of checking one expression: the variables in sight, by name, each with its slot and type.
pub(super) struct Checker<'s> {
    scope: Vec<(String, Type<'s>)>,
    /// The most variables that were in sight at once.
    pub(super) slots: usize,
    pub(super) issues: Vec<Issue>,
    /// Which of the outermost variables the expression reads.
    pub(super) used: Vec<bool>,
    /// Whether literals may mix types, as in the arguments of `format`.
    mixed_literals: bool,
}

impl<'s> Checker<'s> {
    /// A checker with these variables in the first slots.
    pub(super) fn new(variables: Vec<(String, Type<'s>)>) -> Self {
        let used = vec![false; variables.len()];
        Self { slots: variables.len(), scope: variables, issues: Vec::new(), used, mixed_literals: false }
    }

    /// Notes an issue, and goes on with something that fits everywhere.
    pub(super) fn issue(&mut self, id: u64, text: String) -> Typed<'s> {
        self.issues.push(Issue { id, text });
        (Expression::Constant(Constant::Null), Type::Unknown)
    }

    /// Checks with one more variable in sight; answers its slot too.
    pub(super) fn with_variable<T>(
        &mut self,
        name: &str,
        kind: Type<'s>,
        check: impl FnOnce(&mut Self, usize) -> T,
    ) -> T {
        let slot = self.scope.len();
        self.scope.push((name.to_owned(), kind));
        self.slots = self.slots.max(self.scope.len());
        let result = check(self, slot);
        self.scope.pop();
        result
    }

    /// Checks one expression.
    pub(super) fn check(&mut self, node: &IdedExpr) -> Typed<'s> {
        match &node.expr {
            Expr::Literal(literal) => check_literal(literal),
            Expr::Ident(name) => self.check_name(node.id, name),
            Expr::Select(select) => self.check_select(node, &select.operand, &select.field),
            Expr::List(list) => self.check_list(list),
            Expr::Map(map) => self.check_map(map),
            Expr::Call(call) => self.check_call(node.id, call),
            Expr::Struct(object) => self
                .issue(node.id, format!("undeclared reference to '{}' (in container '')", object.type_name)),
            Expr::Comprehension(_) | Expr::Unspecified => {
                self.issue(node.id, "unexpected expression".to_owned())
            }
        }
    }

    fn check_name(&mut self, id: u64, name: &str) -> Typed<'s> {
        if let Some(slot) = self.scope.iter().rposition(|(known, _)| known == name) {
            if let Some(used) = self.used.get_mut(slot) {
                *used = true;
            }
            let kind = self.scope.get(slot).map_or(Type::Dyn, |(_, kind)| kind.clone());
            return (Expression::Variable(slot), kind);
        }
        match library::named_type(name) {
            Some((runtime_name, kind)) => {
                (Expression::Constant(Constant::Type(runtime_name)), Type::Meta(Box::new(kind)))
            }
            None => self.issue(id, format!("undeclared reference to '{name}' (in container '')")),
        }
    }

    /// A field, or a name with dots that no variable starts.
    fn check_select(&mut self, node: &IdedExpr, operand: &IdedExpr, field: &str) -> Typed<'s> {
        if let Some(path) = dotted_name(node)
            && !self.scope.iter().any(|(known, _)| path.split('.').next() == Some(known))
            && library::named_type(&path).is_some()
        {
            return self.check_name(node.id, &path);
        }
        let (checked, kind) = self.check(operand);
        let (field, kind) = self.field_of(node.id, &kind, field);
        (Expression::Select { operand: Box::new(checked), field, optional: false }, kind)
    }

    /// The runtime name and the type of a field; an optional is looked into.
    pub(super) fn field_of(&mut self, id: u64, kind: &Type<'s>, field: &str) -> (String, Type<'s>) {
        match kind {
            Type::Dyn | Type::Unknown => (field.to_owned(), Type::Dyn),
            Type::Map(_, values) => (field.to_owned(), values.as_ref().clone()),
            Type::Object(object) => object.field(field).unwrap_or_else(|| {
                self.issue(id, format!("undefined field '{field}'"));
                (field.to_owned(), Type::Unknown)
            }),
            Type::Optional(inner) => {
                let (name, inner) = self.field_of(id, inner, field);
                let inner = if let Type::Optional(inner) = inner { *inner } else { inner };
                (name, Type::Optional(Box::new(inner)))
            }
            other => {
                self.issue(id, format!("type '{other}' does not support field selection"));
                (field.to_owned(), Type::Unknown)
            }
        }
    }

    fn check_list(&mut self, list: &ListExpr) -> Typed<'s> {
        let (mut items, mut item_type) = (Vec::new(), Type::Unknown);
        for (position, item) in list.elements.iter().enumerate() {
            let optional = list.optional_indices.contains(&position);
            let (checked, kind) = self.check_entry(item, optional);
            item_type = self.join(item.id, item_type, kind);
            items.push((checked, optional));
        }
        (Expression::List(items), Type::List(Box::new(item_type)))
    }

    fn check_map(&mut self, map: &MapExpr) -> Typed<'s> {
        let (mut entries, mut key_type, mut value_type) = (Vec::new(), Type::Unknown, Type::Unknown);
        for entry in &map.entries {
            let EntryExpr::MapEntry(pair) = &entry.expr else { continue };
            let (key, kind) = self.check(&pair.key);
            key_type = self.join(pair.key.id, key_type, kind);
            let (value, kind) = self.check_entry(&pair.value, pair.optional);
            value_type = self.join(pair.value.id, value_type, kind);
            entries.push((key, value, pair.optional));
        }
        (Expression::Map(entries), Type::Map(Box::new(key_type), Box::new(value_type)))
    }

    /// An item or entry value; an optional one must be an optional and has the type inside.
    fn check_entry(&mut self, node: &IdedExpr, optional: bool) -> Typed<'s> {
        let (checked, kind) = self.check(node);
        match kind {
            Type::Optional(inner) if optional => (checked, *inner),
            kind if optional && !kind.is_dynamic() => {
                self.issue(node.id, format!("expected type 'optional_type({kind})' but found '{kind}'"))
            }
            kind => (checked, kind),
        }
    }

    /// The items of a literal must have one type, and what is only known at run time is a type of its own.
    fn join(&mut self, id: u64, known: Type<'s>, found: Type<'s>) -> Type<'s> {
        let told_apart = matches!((&known, &found), (Type::Meta(_), Type::Meta(_))) && known != found;
        let half_dynamic = (known == Type::Dyn) != (found == Type::Dyn) && known != Type::Unknown;
        if !self.mixed_literals && (!known.fits(&found) || told_apart || half_dynamic) {
            self.issue(id, format!("expected type '{known}' but found '{found}'"));
            return known;
        }
        if known.fits(&found) { known.joined(found) } else { Type::Dyn }
    }

    fn check_call(&mut self, id: u64, call: &CallExpr) -> Typed<'s> {
        if let Some(typed) = self.check_macro(id, call) {
            return typed;
        }
        let (name, namespaced) = self.function_name(call);
        if let Some(typed) = self.check_operator(id, &name, call) {
            return typed;
        }
        if !library::exists(&name) {
            // A call on an unknown name is about the name.
            if let Some(target) = &call.target {
                self.check(target);
            }
            if self.issues.is_empty() {
                return self.issue(id, format!("undeclared reference to '{name}' (in container '')"));
            }
            return (Expression::Constant(Constant::Null), Type::Unknown);
        }
        let receiver = call.target.as_deref().filter(|_| !namespaced);
        let style = if receiver.is_some() { Style::Member } else { Style::Global };
        let outside = self.mixed_literals;
        self.mixed_literals |= name == "format";
        let (arguments, kinds): (Vec<Expression>, Vec<Type<'s>>) =
            receiver.into_iter().chain(&call.args).map(|argument| self.check(argument)).unzip();
        self.mixed_literals = outside;
        match library::resolve(&name, style, &kinds) {
            Ok((function, result)) => {
                self.check_constants(call, &name);
                (Expression::Call { function, arguments }, result)
            }
            Err(text) => self.issue(id, text),
        }
    }

    /// The function's name, with the dotted name before it if that is a namespace and not a value.
    fn function_name(&self, call: &CallExpr) -> (String, bool) {
        if let Some(path) = call.target.as_deref().and_then(dotted_name)
            && !self.scope.iter().any(|(known, _)| path.split('.').next() == Some(known))
        {
            let name = format!("{path}.{}", call.func_name);
            if library::exists(&name) {
                return (name, true);
            }
        }
        (call.func_name.clone(), false)
    }

    /// Constant arguments that can never work are refused at once.
    fn check_constants(&mut self, call: &CallExpr, name: &str) {
        let Some(last) = call.args.last() else { return };
        let accepted = match &last.expr {
            Expr::Literal(LiteralValue::String(text)) => library::accepts_constant(name, text.inner()),
            Expr::Literal(LiteralValue::Int(_)) => name != "duration",
            _ => true,
        };
        if !accepted {
            self.issue(last.id, format!("invalid {name} argument"));
        }
    }
}

fn check_literal<'s>(literal: &LiteralValue) -> Typed<'s> {
    let (constant, kind) = match literal {
        LiteralValue::Null => (Constant::Null, Type::Null),
        LiteralValue::Boolean(flag) => (Constant::Bool(*flag.inner()), Type::Bool),
        LiteralValue::Int(number) => (Constant::Int(*number.inner()), Type::Int),
        LiteralValue::UInt(number) => (Constant::Uint(*number.inner()), Type::Uint),
        LiteralValue::Double(number) => (Constant::Double(*number.inner()), Type::Double),
        LiteralValue::String(text) => (Constant::Text(text.inner().to_owned()), Type::Text),
        LiteralValue::Bytes(bytes) => (Constant::Bytes(bytes.inner().to_vec()), Type::Bytes),
    };
    (Expression::Constant(constant), kind)
}

/// `a.b.c`, if the expression is nothing but names.
pub(super) fn dotted_name(node: &IdedExpr) -> Option<String> {
    match &node.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) => Some(format!("{}.{}", dotted_name(&select.operand)?, select.field)),
        _ => None,
    }
}

/// The issues in the words of the reference, each with the line and a mark under the place.
pub(super) fn describe(issues: &[Issue], info: &SourceInfo) -> String {
    let texts: Vec<String> = issues.iter().map(|issue| describe_one(issue, info)).collect();
    texts.join("\n")
}

fn describe_one(issue: &Issue, info: &SourceInfo) -> String {
    let offset = info.offset_for(issue.id).map_or(0, |(start, _)| start as usize);
    let before = info.source.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    let shown = info.source.lines().nth(line).unwrap_or_default();
    format!(
        "ERROR: <input>:{}:{}: {}\n | {shown}\n | {}^",
        line + 1,
        column + 1,
        issue.text,
        ".".repeat(column)
    )
}
