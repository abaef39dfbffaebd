//! The parts of the language that do not evaluate all their arguments: macros and operators with their own rules.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

use super::check::{Checker, Typed};
use super::expression::{Expression, Loop, LoopKind};
use super::types::Type;

/// The parts of a loop. The same variable twice stands for one variable.
struct Turns<'a> {
    kind: LoopKind,
    target: &'a IdedExpr,
    variables: [&'a IdedExpr; 2],
    condition: Option<&'a IdedExpr>,
    body: &'a IdedExpr,
}

impl<'s> Checker<'s> {
    /// Checks a macro; none if the call is an ordinary one.
    pub(super) fn check_macro(&mut self, id: u64, call: &CallExpr) -> Option<Typed<'s>> {
        let Some(target) = call.target.as_deref() else {
            return match (call.func_name.as_str(), call.args.as_slice()) {
                ("has", [argument]) => Some(self.check_has(id, argument)),
                _ => None,
            };
        };
        let name = call.func_name.as_str();
        match (name, call.args.as_slice()) {
            ("optMap" | "optFlatMap", [variable, body]) => {
                Some(self.check_optional_map(target, variable, body, name == "optFlatMap"))
            }
            ("all", arguments) => self.check_loop(LoopKind::All, target, arguments),
            ("exists", arguments) => self.check_loop(LoopKind::Exists, target, arguments),
            ("exists_one", arguments @ [_, _]) | ("existsOne", arguments @ [_, _, _]) => {
                self.check_loop(LoopKind::ExistsOne, target, arguments)
            }
            ("filter", arguments @ [_, _]) => self.check_loop(LoopKind::Filter, target, arguments),
            ("sortBy", arguments @ [_, _]) => self.check_loop(LoopKind::SortBy, target, arguments),
            ("map", [variable, body]) => Some(self.check_turns(&Turns {
                kind: LoopKind::List,
                target,
                variables: [variable, variable],
                condition: None,
                body,
            })),
            ("map", [variable, condition, body]) => Some(self.check_turns(&Turns {
                kind: LoopKind::List,
                target,
                variables: [variable, variable],
                condition: Some(condition),
                body,
            })),
            ("transformList" | "transformMap" | "transformMapEntry", [first, second, rest @ ..]) => {
                let kind = match name {
                    "transformList" => LoopKind::List,
                    "transformMap" => LoopKind::Map,
                    _ => LoopKind::MapEntry,
                };
                match rest {
                    [body] => Some(self.check_turns(&Turns {
                        kind,
                        target,
                        variables: [first, second],
                        condition: None,
                        body,
                    })),
                    [condition, body] => Some(self.check_turns(&Turns {
                        kind,
                        target,
                        variables: [first, second],
                        condition: Some(condition),
                        body,
                    })),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn check_has(&mut self, id: u64, argument: &IdedExpr) -> Typed<'s> {
        let Expr::Select(select) = &argument.expr else {
            return self.issue(argument.id, "invalid argument to has() macro".to_owned());
        };
        let (operand, kind) = self.check(&select.operand);
        let (field, _) = self.field_of(id, &kind, &select.field);
        (Expression::Has { operand: Box::new(operand), field }, Type::Bool)
    }

    fn check_optional_map(
        &mut self,
        target: &IdedExpr,
        variable: &IdedExpr,
        body: &IdedExpr,
        flat: bool,
    ) -> Typed<'s> {
        let Some(name) = simple_name(variable) else {
            return self.issue(variable.id, "optMap() variable name must be a simple identifier".to_owned());
        };
        let (operand, kind) = self.check(target);
        let inner = match kind {
            Type::Optional(inner) => *inner,
            kind if kind.is_dynamic() => Type::Dyn,
            other => {
                return self.issue(target.id, format!("expected type 'optional_type' but found '{other}'"));
            }
        };
        self.with_variable(name, inner, |checker, slot| {
            let (checked, kind) = checker.check(body);
            let kind = if flat { kind } else { Type::Optional(Box::new(kind)) };
            (
                Expression::OptionalMap { slot, operand: Box::new(operand), body: Box::new(checked), flat },
                kind,
            )
        })
    }

    fn check_loop(&mut self, kind: LoopKind, target: &IdedExpr, arguments: &[IdedExpr]) -> Option<Typed<'s>> {
        match arguments {
            [variable, body] => Some(self.check_turns(&Turns {
                kind,
                target,
                variables: [variable, variable],
                condition: None,
                body,
            })),
            [first, second, body] => Some(self.check_turns(&Turns {
                kind,
                target,
                variables: [first, second],
                condition: None,
                body,
            })),
            _ => None,
        }
    }

    fn check_turns(&mut self, turns: &Turns<'_>) -> Typed<'s> {
        let [first, second] = turns.variables;
        let (Some(first_name), Some(second_name)) = (simple_name(first), simple_name(second)) else {
            return self.issue(first.id, "argument must be a simple name".to_owned());
        };
        let (range, range_type) = self.check(turns.target);
        let Some((key_type, value_type)) = turn_types(&range_type) else {
            let text = format!(
                "expression of type '{range_type}' cannot be range of a comprehension (must be list, map, or dynamic)"
            );
            return self.issue(turns.target.id, text);
        };
        if first.id == second.id {
            let item_type = if matches!(range_type, Type::Map(..)) { key_type } else { value_type };
            return self.with_variable(first_name, item_type, |checker, slot| {
                checker.check_body(turns, (range, range_type), (slot, None))
            });
        }
        self.with_variable(first_name, key_type, |checker, slot| {
            checker.with_variable(second_name, value_type, |checker, second| {
                checker.check_body(turns, (range, range_type), (slot, Some(second)))
            })
        })
    }

    fn check_body(
        &mut self,
        turns: &Turns<'_>,
        (range, range_type): Typed<'s>,
        (slot, second_slot): (usize, Option<usize>),
    ) -> Typed<'s> {
        let (kind, body) = (turns.kind, turns.body);
        let condition = turns.condition.map(|condition| self.check_truth(condition));
        let (body, body_type) = match kind {
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne | LoopKind::Filter => {
                (self.check_truth(body), Type::Bool)
            }
            _ => self.check(body),
        };
        let result = match kind {
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => Type::Bool,
            LoopKind::Filter | LoopKind::SortBy => match range_type {
                Type::Map(keys, _) => Type::List(keys),
                Type::List(items) => Type::List(items),
                _ => Type::List(Box::new(Type::Dyn)),
            },
            LoopKind::List => Type::List(Box::new(body_type)),
            LoopKind::MapEntry => body_type,
            LoopKind::Map => {
                let keys = if let Type::Map(keys, _) = range_type { *keys } else { Type::Int };
                Type::Map(Box::new(keys), Box::new(body_type))
            }
        };
        (Expression::Loop(Box::new(Loop { kind, range, slot, second_slot, condition, body })), result)
    }

    /// An expression that must be a truth value.
    fn check_truth(&mut self, node: &IdedExpr) -> Expression {
        let (checked, kind) = self.check(node);
        if !kind.fits(&Type::Bool) {
            self.issue(node.id, format!("expected type 'bool' but found '{kind}'"));
        }
        checked
    }

    /// Checks the operators that decide themselves what they evaluate, or whose result depends on their operands.
    pub(super) fn check_operator(&mut self, id: u64, name: &str, call: &CallExpr) -> Option<Typed<'s>> {
        match (name, call.args.as_slice()) {
            (operators::LOGICAL_AND, [left, right]) => {
                Some(self.check_logical(id, name, [left, right], Expression::And))
            }
            (operators::LOGICAL_OR, [left, right]) => {
                Some(self.check_logical(id, name, [left, right], Expression::Or))
            }
            (operators::CONDITIONAL, [condition, yes, no]) => {
                Some(self.check_conditional(id, [condition, yes, no]))
            }
            (operators::INDEX, [operand, key]) => Some(self.check_index(id, [operand, key], false)),
            (operators::OPT_INDEX, [operand, key]) => Some(self.check_index(id, [operand, key], true)),
            (operators::OPT_SELECT, [operand, field]) => self.check_optional_select(id, operand, field),
            _ => None,
        }
    }

    fn check_logical(
        &mut self,
        id: u64,
        name: &str,
        [left, right]: [&IdedExpr; 2],
        make: fn(Box<[Expression; 2]>) -> Expression,
    ) -> Typed<'s> {
        let ((left, left_type), (right, right_type)) = (self.check(left), self.check(right));
        if !left_type.fits(&Type::Bool) || !right_type.fits(&Type::Bool) {
            return self.issue(id, no_overload(name, &[left_type, right_type]));
        }
        (make(Box::new([left, right])), Type::Bool)
    }

    fn check_conditional(&mut self, id: u64, [condition, yes, no]: [&IdedExpr; 3]) -> Typed<'s> {
        let (condition, condition_type) = self.check(condition);
        let ((yes, yes_type), (no, no_type)) = (self.check(yes), self.check(no));
        if !condition_type.fits(&Type::Bool) || !yes_type.fits(&no_type) {
            return self.issue(id, no_overload(operators::CONDITIONAL, &[condition_type, yes_type, no_type]));
        }
        (Expression::Conditional(Box::new([condition, yes, no])), yes_type.joined(no_type))
    }

    fn check_index(&mut self, id: u64, [operand, key]: [&IdedExpr; 2], optional: bool) -> Typed<'s> {
        let ((operand, operand_type), (key, key_type)) = (self.check(operand), self.check(key));
        let (inside, was_optional) = match &operand_type {
            Type::Optional(inner) => (inner.as_ref().clone(), true),
            other => (other.clone(), false),
        };
        let found = match &inside {
            Type::List(items) if key_type.fits(&Type::Int) => Some(items.as_ref().clone()),
            Type::Map(keys, values) if key_type.fits(keys) => Some(values.as_ref().clone()),
            Type::Dyn | Type::Unknown => Some(Type::Dyn),
            _ => None,
        };
        let Some(found) = found else {
            let name = if optional { operators::OPT_INDEX } else { operators::INDEX };
            return self.issue(id, no_overload(name, &[operand_type, key_type]));
        };
        let result = if optional || was_optional { Type::Optional(Box::new(found)) } else { found };
        (Expression::Index { operand: Box::new(operand), key: Box::new(key), optional }, result)
    }

    fn check_optional_select(&mut self, id: u64, operand: &IdedExpr, field: &IdedExpr) -> Option<Typed<'s>> {
        let Expr::Literal(LiteralValue::String(name)) = &field.expr else { return None };
        let (operand, kind) = self.check(operand);
        let (field, found) = self.field_of(id, &kind, name.inner());
        let found = if let Type::Optional(inner) = found { *inner } else { found };
        let select = Expression::Select { operand: Box::new(operand), field, optional: true };
        Some((select, Type::Optional(Box::new(found))))
    }
}

/// The types of the two variables of a loop over a value: position or key, and value.
fn turn_types<'s>(range: &Type<'s>) -> Option<(Type<'s>, Type<'s>)> {
    match range {
        Type::List(items) => Some((Type::Int, items.as_ref().clone())),
        Type::Map(keys, values) => Some((keys.as_ref().clone(), values.as_ref().clone())),
        Type::Dyn | Type::Unknown => Some((Type::Dyn, Type::Dyn)),
        _ => None,
    }
}

fn simple_name(node: &IdedExpr) -> Option<&str> {
    if let Expr::Ident(name) = &node.expr { Some(name) } else { None }
}

/// The text for arguments that no overload takes.
pub(super) fn no_overload(name: &str, kinds: &[Type<'_>]) -> String {
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    format!("found no matching overload for '{name}' applied to '({})'", kinds.join(", "))
}
