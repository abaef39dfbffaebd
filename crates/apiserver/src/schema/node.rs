//! A structural schema after parsing: what every other part of the schema machinery walks.
//!
//! The same node describes a level of the structure and the alternatives in `allOf`, `anyOf`, `oneOf` and `not`,
//! which may only constrain what the structure declares.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::format::Format;
use super::rule::Rule;

/// The JSON types a schema can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A JSON object, as a struct or as a map.
    Object,
    /// A list.
    Array,
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
}

impl Type {
    /// The type of that name in `OpenAPI`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }

    /// The name in `OpenAPI`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}

/// How the items of a list are told apart when two versions of it are merged or compared.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) enum ListType {
    /// Not at all: the list is one value.
    #[default]
    Atomic,
    /// By value.
    Set,
    /// By these fields of the items, in the order of the schema.
    Map(Vec<String>),
}

/// What a map says about keys that are not declared.
#[derive(Debug)]
pub(crate) enum Additional {
    /// Nothing was said, or `false`.
    None,
    /// `true`: any key, nothing is known of its value.
    Any,
    /// Any key, with values of this shape.
    Schema(Box<Node>),
}

impl Additional {
    /// The shape of the values, where one is declared.
    pub(crate) fn schema(&self) -> Option<&Node> {
        match self {
            Self::Schema(node) => Some(node),
            Self::None | Self::Any => None,
        }
    }
}

/// The bounds of a value, all inclusive unless said otherwise.
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) pattern: Option<(String, Regex)>,
    pub(crate) enumeration: Vec<Value>,
}

/// The constraints that combine other schemas.
#[derive(Debug, Default)]
pub(crate) struct Combined {
    pub(crate) all_of: Vec<Node>,
    pub(crate) any_of: Vec<Node>,
    pub(crate) one_of: Vec<Node>,
    pub(crate) not: Option<Box<Node>>,
}

/// One level of a schema.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one keyword of the schema language")]
pub(crate) struct Node {
    pub(crate) kind: Option<Type>,
    pub(crate) nullable: bool,
    pub(crate) int_or_string: bool,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded_resource: bool,
    pub(crate) atomic_map: bool,
    pub(crate) list_type: ListType,
    pub(crate) format: Option<Format>,
    pub(crate) default: Option<Value>,
    pub(crate) properties: BTreeMap<String, Node>,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) required: Vec<String>,
    pub(crate) bounds: Bounds,
    pub(crate) combined: Combined,
    pub(crate) rules: Vec<Rule>,
    /// Whether this level or one below it has rules; what has none is not walked when rules run.
    pub(crate) has_rules: bool,
    /// Whether this level or one below it has a default or checks list keys, so other walks can stop early.
    pub(crate) has_defaults: bool,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            kind: None,
            nullable: false,
            int_or_string: false,
            preserve_unknown: false,
            embedded_resource: false,
            atomic_map: false,
            list_type: ListType::Atomic,
            format: None,
            default: None,
            properties: BTreeMap::new(),
            additional: Additional::None,
            items: None,
            required: Vec::new(),
            bounds: Bounds::default(),
            combined: Combined::default(),
            rules: Vec::new(),
            has_rules: false,
            has_defaults: false,
        }
    }
}

impl Node {
    /// The schema of the field or map entry `name`, where one is declared.
    pub(crate) fn child(&self, name: &str) -> Option<&Node> {
        self.properties.get(name).or_else(|| self.additional.schema())
    }

    /// The keys by which items of this list are told apart; empty unless it is a map.
    pub(crate) fn list_keys(&self) -> &[String] {
        match &self.list_type {
            ListType::Map(keys) => keys,
            ListType::Atomic | ListType::Set => &[],
        }
    }
}
