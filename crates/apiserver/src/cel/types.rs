//! The static types of expressions, which the schema gives to `self` and everything below it.

use std::fmt;

use crate::schema::format::Format;
use crate::schema::node::{Node, Type as SchemaType};

use super::names::{escape, unescape};

/// A static type. `Unknown` stands for what the place decides: the items of an empty list, the value of
/// `optional.none()`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type<'s> {
    /// Checked when the expression runs.
    Dyn,
    /// Compatible with everything.
    Unknown,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Timestamp,
    Duration,
    List(Box<Type<'s>>),
    Map(Box<Type<'s>>, Box<Type<'s>>),
    Optional(Box<Type<'s>>),
    /// The type of a type.
    Meta(Box<Type<'s>>),
    Ip,
    Cidr,
    Url,
    Quantity,
    Semver,
    NamedFormat,
    /// A struct whose fields the schema declares.
    Object(Object<'s>),
}

/// A struct type; two are equal if they are the same place of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'s> {
    pub(crate) node: &'s Node,
    /// Whether the struct also has `apiVersion`, `kind` and `metadata`.
    pub(crate) resource: bool,
}

impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.node, other.node) && self.resource == other.resource
    }
}

impl<'s> Type<'s> {
    /// The type of values described by `node`; none if expressions cannot see them.
    pub(crate) fn of(node: &'s Node, resource: bool) -> Option<Self> {
        if node.int_or_string {
            return Some(Self::Dyn);
        }
        match node.kind? {
            SchemaType::Boolean => Some(Self::Bool),
            SchemaType::Integer => Some(Self::Int),
            SchemaType::Number => Some(Self::Double),
            SchemaType::String => Some(Self::of_text(node.format)),
            SchemaType::Array => {
                let items =
                    node.items.as_deref().and_then(|items| Self::of(items, items.embedded_resource))?;
                Some(Self::List(Box::new(items)))
            }
            SchemaType::Object => match node.additional.schema() {
                Some(values) => {
                    let values = Self::of(values, values.embedded_resource)?;
                    Some(Self::Map(Box::new(Self::Text), Box::new(values)))
                }
                None => Some(Self::Object(Object { node, resource: resource || node.embedded_resource })),
            },
        }
    }

    fn of_text(format: Option<Format>) -> Self {
        match format {
            Some(Format::Byte) => Self::Bytes,
            Some(Format::Duration) => Self::Duration,
            Some(Format::Date | Format::DateTime) => Self::Timestamp,
            _ => Self::Text,
        }
    }

    /// Whether nothing is known before the expression runs.
    pub(crate) fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dyn | Self::Unknown)
    }

    /// Whether a value of one type may stand where the other is expected, in equality and in arguments.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (left, right) if left.is_dynamic() || right.is_dynamic() => true,
            (Self::List(left), Self::List(right)) | (Self::Optional(left), Self::Optional(right)) => {
                left.fits(right)
            }
            // Types may always be compared with types.
            (Self::Meta(_), Self::Meta(_)) => true,
            (Self::Map(left_key, left), Self::Map(right_key, right)) => {
                left_key.fits(right_key) && left.fits(right)
            }
            // An object built as a map literal cannot be compared to a struct, and a null only to what may be null.
            (left, right) => {
                left == right
                    || left.is_opaque() && *right == Self::Null
                    || right.is_opaque() && *left == Self::Null
            }
        }
    }

    fn is_opaque(&self) -> bool {
        matches!(
            self,
            Self::Object(_)
                | Self::Timestamp
                | Self::Duration
                | Self::Ip
                | Self::Cidr
                | Self::Url
                | Self::Quantity
                | Self::Semver
                | Self::NamedFormat
        )
    }

    /// The more telling of two types that fit.
    pub(crate) fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown | Self::Null, right) => right,
            (Self::Dyn, _) | (_, Self::Dyn) => Self::Dyn,
            (Self::List(left), Self::List(right)) => Self::List(Box::new(left.joined(*right))),
            (Self::Optional(left), Self::Optional(right)) => Self::Optional(Box::new(left.joined(*right))),
            (Self::Map(left_key, left), Self::Map(right_key, right)) => {
                Self::Map(Box::new(left_key.joined(*right_key)), Box::new(left.joined(*right)))
            }
            (left, _) => left,
        }
    }
}

impl<'s> Object<'s> {
    /// The schema's name and the type of a field as an expression writes it.
    pub(crate) fn field(&self, written: &str) -> Option<(String, Type<'s>)> {
        let name = unescape(written)?;
        if self.resource {
            match name.as_str() {
                "apiVersion" | "kind" => return Some((name, Type::Text)),
                "metadata" => {
                    return Some((
                        name,
                        Type::Object(Object { node: &super::value::METADATA, resource: false }),
                    ));
                }
                _ => {}
            }
        }
        let child = self.node.properties.get(&name)?;
        (escape(&name)? == written).then_some(())?;
        Type::of(child, child.embedded_resource).map(|kind| (name, kind))
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Dyn => "dyn",
            Self::Unknown => "_var0",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::Text => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
            Self::Ip => "net.IP",
            Self::Cidr => "net.CIDR",
            Self::Url => "kubernetes.URL",
            Self::Quantity => "kubernetes.Quantity",
            Self::Semver => "kubernetes.Semver",
            Self::NamedFormat => "kubernetes.NamedFormat",
            Self::Object(_) => "object",
            Self::List(items) => return write!(formatter, "list({items})"),
            Self::Map(keys, values) => return write!(formatter, "map({keys}, {values})"),
            Self::Optional(inner) => return write!(formatter, "optional_type({inner})"),
            Self::Meta(inner) => return write!(formatter, "type({inner})"),
        };
        formatter.write_str(name)
    }
}
