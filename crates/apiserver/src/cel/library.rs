//! The functions of the language, with the types they take: the standard library and the extensions that
//! kube-apiserver 1.36 offers to validation rules. Nothing else can be called.

#![allow(clippy::unnecessary_wraps, reason = "functions have one signature, also those that cannot fail")]

use std::cmp::Ordering;

use super::equality::compare_numbers;
use super::expression::Function;
use super::macros::no_overload;
use super::types::Type;
use super::value::Value;

mod conversions;
mod format;
mod lists;
mod named_formats;
mod network;
mod operators;
mod optionals;
mod quantities;
mod regexes;
mod sets;
mod strings;
mod times;
mod urls;
mod versions;

pub(super) use conversions::show;

/// Whether a function is called on its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Global,
    Member,
}

/// A type in a signature; `A` and `B` stand for the same type wherever they occur.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sig {
    A,
    B,
    Dyn,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Timestamp,
    Duration,
    Ip,
    Cidr,
    Url,
    Quantity,
    Semver,
    NamedFormat,
    List(&'static Sig),
    Map(&'static Sig, &'static Sig),
    Optional(&'static Sig),
    Meta(&'static Sig),
}

/// One way to call a function.
pub(super) struct Overload {
    name: &'static str,
    style: Style,
    parameters: &'static [Sig],
    result: Sig,
    function: Function,
}

/// A function called as `name(...)`.
const fn global(name: &'static str, parameters: &'static [Sig], result: Sig, function: Function) -> Overload {
    Overload { name, style: Style::Global, parameters, result, function }
}

/// A function called as `receiver.name(...)`; the receiver is the first parameter.
const fn member(name: &'static str, parameters: &'static [Sig], result: Sig, function: Function) -> Overload {
    Overload { name, style: Style::Member, parameters, result, function }
}

fn overloads() -> impl Iterator<Item = &'static Overload> {
    [
        operators::OVERLOADS,
        conversions::OVERLOADS,
        strings::OVERLOADS,
        format::OVERLOADS,
        lists::OVERLOADS,
        sets::OVERLOADS,
        times::OVERLOADS,
        optionals::OVERLOADS,
        regexes::OVERLOADS,
        urls::OVERLOADS,
        network::OVERLOADS,
        quantities::OVERLOADS,
        versions::OVERLOADS,
        named_formats::OVERLOADS,
    ]
    .into_iter()
    .flatten()
    .chain(operators::comparisons())
    .chain(times::parts())
}

/// Whether a function of that name exists.
pub(super) fn exists(name: &str) -> bool {
    overloads().any(|overload| overload.name == name)
}

/// The function for a call with arguments of these types, and the type of its result.
pub(super) fn resolve<'s>(
    name: &str,
    style: Style,
    kinds: &[Type<'s>],
) -> Result<(Function, Type<'s>), String> {
    let mut found: Option<(Function, Type<'s>)> = None;
    for overload in overloads().filter(|overload| overload.name == name && overload.style == style) {
        let Some(result) = overload.result_for(kinds) else { continue };
        found = Some(match found {
            None => (overload.function, result),
            Some((function, known)) if known == result => (function, known),
            Some((function, _)) => (function, Type::Dyn),
        });
    }
    found.ok_or_else(|| match (style, kinds.split_first()) {
        (Style::Member, Some((receiver, rest))) => {
            let rest: Vec<String> = rest.iter().map(ToString::to_string).collect();
            format!("found no matching overload for '{name}' applied to '{receiver}.({})'", rest.join(", "))
        }
        _ => no_overload(name, kinds),
    })
}

impl Overload {
    fn result_for<'s>(&self, kinds: &[Type<'s>]) -> Option<Type<'s>> {
        if kinds.len() != self.parameters.len() {
            return None;
        }
        let mut bound = [None, None];
        let matches = self.parameters.iter().zip(kinds).all(|(sig, kind)| sig.matches(kind, &mut bound));
        matches.then(|| self.result.instantiate(&bound))
    }
}

/// What `A` and `B` stand for in one call.
type Bound<'s> = [Option<Type<'s>>; 2];

impl Sig {
    fn matches<'s>(self, kind: &Type<'s>, bound: &mut Bound<'s>) -> bool {
        if let Self::A | Self::B = self {
            let place = if matches!(self, Self::A) { &mut bound[0] } else { &mut bound[1] };
            let fits = place.as_ref().is_none_or(|known| known.fits(kind));
            if fits {
                *place = Some(place.take().map_or_else(|| kind.clone(), |known| known.joined(kind.clone())));
            }
            return fits;
        }
        match (self, kind) {
            (Self::Dyn, _) | (_, Type::Dyn | Type::Unknown) => true,
            (Self::List(inner), Type::List(kind))
            | (Self::Optional(inner), Type::Optional(kind))
            | (Self::Meta(inner), Type::Meta(kind)) => inner.matches(kind, bound),
            (Self::Map(key, value), Type::Map(key_kind, value_kind)) => {
                key.matches(key_kind, bound) && value.matches(value_kind, bound)
            }
            _ => self.simple().is_some_and(|simple| simple == *kind),
        }
    }

    fn instantiate<'s>(self, bound: &Bound<'s>) -> Type<'s> {
        match self {
            Self::A => bound[0].clone().unwrap_or(Type::Unknown),
            Self::B => bound[1].clone().unwrap_or(Type::Unknown),
            Self::List(inner) => Type::List(Box::new(inner.instantiate(bound))),
            Self::Optional(inner) => Type::Optional(Box::new(inner.instantiate(bound))),
            Self::Meta(inner) => Type::Meta(Box::new(inner.instantiate(bound))),
            Self::Map(key, value) => {
                Type::Map(Box::new(key.instantiate(bound)), Box::new(value.instantiate(bound)))
            }
            other => other.simple().unwrap_or(Type::Dyn),
        }
    }

    fn simple<'s>(self) -> Option<Type<'s>> {
        Some(match self {
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Uint => Type::Uint,
            Self::Double => Type::Double,
            Self::Text => Type::Text,
            Self::Bytes => Type::Bytes,
            Self::Timestamp => Type::Timestamp,
            Self::Duration => Type::Duration,
            Self::Ip => Type::Ip,
            Self::Cidr => Type::Cidr,
            Self::Url => Type::Url,
            Self::Quantity => Type::Quantity,
            Self::Semver => Type::Semver,
            Self::NamedFormat => Type::NamedFormat,
            _ => return None,
        })
    }
}

/// The type an identifier names: its name at run time, and the static type.
pub(super) fn named_type<'s>(name: &str) -> Option<(&'static str, Type<'s>)> {
    let dynamic = || Box::new(Type::Dyn);
    Some(match name {
        "bool" => ("bool", Type::Bool),
        "int" => ("int", Type::Int),
        "uint" => ("uint", Type::Uint),
        "double" => ("double", Type::Double),
        "string" => ("string", Type::Text),
        "bytes" => ("bytes", Type::Bytes),
        "list" => ("list", Type::List(dynamic())),
        "map" => ("map", Type::Map(dynamic(), dynamic())),
        "null_type" => ("null_type", Type::Null),
        "type" => ("type", Type::Meta(dynamic())),
        "optional_type" => ("optional_type", Type::Optional(dynamic())),
        "timestamp" | "google.protobuf.Timestamp" => ("google.protobuf.Timestamp", Type::Timestamp),
        "duration" | "google.protobuf.Duration" => ("google.protobuf.Duration", Type::Duration),
        "net.IP" => ("net.IP", Type::Ip),
        "net.CIDR" => ("net.CIDR", Type::Cidr),
        "kubernetes.URL" => ("kubernetes.URL", Type::Url),
        "kubernetes.Quantity" => ("kubernetes.Quantity", Type::Quantity),
        "kubernetes.Semver" => ("kubernetes.Semver", Type::Semver),
        _ => return None,
    })
}

/// Whether a constant text can work as the last argument of a function.
pub(super) fn accepts_constant(function: &str, text: &str) -> bool {
    match function {
        "matches" => regex::Regex::new(text).is_ok(),
        "duration" => times::parse_duration(text).is_some(),
        "timestamp" => times::parse_timestamp(text).is_some(),
        _ => true,
    }
}

/// The order of two values of one ordered type; none if they have no order.
pub(super) fn compare(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    if let Some(order) = compare_numbers(left, right) {
        return Some(order);
    }
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (Value::Bytes(left), Value::Bytes(right)) => Some(left.cmp(right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => Some(left.cmp(right)),
        (Value::Duration(left), Value::Duration(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
