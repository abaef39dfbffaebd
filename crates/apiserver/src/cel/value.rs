//! The values expressions compute with. Objects and lists of the resource are borrowed, never copied; a scalar turns
//! into a value of the type its schema gives it when it is read.

use std::borrow::Cow;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::LazyLock;

use base64::Engine as _;
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::quantity::Quantity;
use super::url::Url;
use crate::schema::format::{Format, duration_nanoseconds};
use crate::schema::node::{ListType, Node, Type as SchemaType};

/// What expressions see of `metadata`.
pub(crate) static METADATA: LazyLock<Node> = LazyLock::new(|| {
    let text = json!({ "type": "string" });
    crate::schema::parse::trusted(
        &json!({ "type": "object", "properties": { "name": text, "generateName": text } }),
    )
});

/// A value while an expression runs.
#[derive(Clone, Debug)]
pub(crate) enum Value<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Cow<'v, str>),
    Bytes(Rc<[u8]>),
    Timestamp(Timestamp),
    /// In nanoseconds.
    Duration(i64),
    /// A list made by the expression; one made from a set or keyed list of the resource stays one.
    List(Rc<Vec<Value<'v>>>, &'v ListType),
    /// A map made by the expression, in the order of making.
    Map(Rc<Vec<(Value<'v>, Value<'v>)>>),
    /// A list of the resource.
    Items(Items<'v>),
    /// A struct or map of the resource.
    Fields(Fields<'v>),
    Optional(Option<Rc<Value<'v>>>),
    /// A type, by its name.
    Type(&'static str),
    Ip(IpAddr),
    Cidr(ipnet::IpNet),
    Url(Rc<Url>),
    Quantity(Rc<Quantity>),
    Semver(Rc<super::semver::Semver>),
    /// A named text format of the format library.
    NamedFormat(&'static str),
}

/// A list of the resource with its schema, if it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items<'v> {
    pub(crate) items: &'v [Json],
    pub(crate) node: Option<&'v Node>,
}

/// A struct or map of the resource with its schema, if it has one.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_field_names, reason = "they are the fields of an object")]
pub(crate) struct Fields<'v> {
    pub(crate) fields: &'v Map<String, Json>,
    pub(crate) node: Option<&'v Node>,
    /// Whether the struct is a whole object.
    pub(crate) resource: bool,
}

impl<'v> Value<'v> {
    /// A value of the resource as its schema describes it.
    pub(crate) fn of(json: &'v Json, node: Option<&'v Node>, resource: bool) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => {
                let float = node.is_some_and(|node| node.kind == Some(SchemaType::Number));
                match number.as_i64() {
                    Some(whole) if !float => Self::Int(whole),
                    _ => Self::number(number.as_f64().unwrap_or(0.0), node),
                }
            }
            Json::String(text) => Self::text(text, node.and_then(|node| node.format)),
            Json::Array(items) => Self::Items(Items { items, node }),
            Json::Object(fields) => {
                let resource = resource || node.is_some_and(|node| node.embedded_resource);
                Self::Fields(Fields { fields, node, resource })
            }
        }
    }

    /// A whole number written as a float still is an integer where the schema says so.
    fn number(number: f64, node: Option<&Node>) -> Self {
        if node.is_some_and(|node| node.kind == Some(SchemaType::Integer)) && number.fract() == 0.0 {
            #[allow(clippy::cast_possible_truncation, reason = "saturates, and validation has bounded it")]
            return Self::Int(number as i64);
        }
        Self::Double(number)
    }

    fn text(text: &'v str, format: Option<Format>) -> Self {
        let parsed = match format {
            Some(Format::DateTime) => text.parse().ok().map(Self::Timestamp),
            Some(Format::Date) => text
                .parse::<jiff::civil::Date>()
                .ok()
                .and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok())
                .map(|midnight| Self::Timestamp(midnight.timestamp())),
            Some(Format::Duration) => duration_nanoseconds(text).map(Self::Duration),
            Some(Format::Byte) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .ok()
                .map(|bytes| Self::Bytes(bytes.into())),
            _ => None,
        };
        parsed.unwrap_or(Self::Text(Cow::Borrowed(text)))
    }

    /// A text made by the expression.
    pub(crate) fn owned(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }

    /// A list made by the expression.
    pub(crate) fn list(items: Vec<Value<'v>>) -> Self {
        Self::List(Rc::new(items), &ListType::Atomic)
    }

    /// An optional with a value.
    pub(crate) fn some(value: Value<'v>) -> Self {
        Self::Optional(Some(Rc::new(value)))
    }

    /// The name of the value's type, as `type()` gives it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(..) | Self::Items(_) => "list",
            Self::Map(_) | Self::Fields(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Semver(_) => "kubernetes.Semver",
            Self::NamedFormat(_) => "kubernetes.NamedFormat",
        }
    }

    /// The items, if the value is a list.
    pub(crate) fn items(&self) -> Option<Vec<Value<'v>>> {
        match self {
            Self::List(items, _) => Some(items.as_ref().clone()),
            Self::Items(items) => Some(items.iter().collect()),
            _ => None,
        }
    }

    /// How many items or entries the value has, if it is a list or a map.
    pub(crate) fn length(&self) -> Option<usize> {
        match self {
            Self::List(items, _) => Some(items.len()),
            Self::Items(items) => Some(items.items.len()),
            Self::Map(entries) => Some(entries.len()),
            Self::Fields(fields) => Some(fields.fields.len()),
            _ => None,
        }
    }
}

impl<'v> Items<'v> {
    /// The items as values.
    pub(crate) fn iter(self) -> impl Iterator<Item = Value<'v>> {
        let node = self.node.and_then(|node| node.items.as_deref());
        self.items.iter().map(move |item| Value::of(item, node, false))
    }

    /// The item at `position`.
    pub(crate) fn get(self, position: usize) -> Option<Value<'v>> {
        let node = self.node.and_then(|node| node.items.as_deref());
        self.items.get(position).map(|item| Value::of(item, node, false))
    }

    /// How items of the list are told apart.
    pub(crate) fn list_type(self) -> &'v ListType {
        self.node.map_or(&ListType::Atomic, |node| &node.list_type)
    }
}

impl<'v> Fields<'v> {
    /// The value of a field or entry. A declared field that is null counts as missing.
    pub(crate) fn get(self, name: &str) -> Option<Value<'v>> {
        let value = self.fields.get(name)?;
        if value.is_null() && self.node.is_some_and(|node| node.properties.contains_key(name)) {
            return None;
        }
        let node = match (self.resource, name) {
            (true, "metadata") => Some(&*METADATA),
            (true, "apiVersion" | "kind") => None,
            _ => self.node.and_then(|node| node.child(name)),
        };
        Some(Value::of(value, node, false))
    }

    /// All entries.
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'v str, Value<'v>)> {
        let fields = self.fields;
        fields.keys().filter_map(move |name| Some((name.as_str(), self.get(name)?)))
    }
}
