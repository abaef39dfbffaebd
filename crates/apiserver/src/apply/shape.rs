//! How a value is merged: what the schema says about the place it stands in.

use serde_json::Value;

use crate::field_set::{PathElement, Scalar};
use crate::schema::CompiledSchema;
use crate::schema::metadata::METADATA;
use crate::schema::node::{Additional, ListType, Node, Type};

/// The schema's view of one place in an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    /// A declared level; a resource also has `apiVersion`, `kind` and `metadata`.
    Declared {
        /// The level.
        node: &'a Node,
        /// Whether a whole object stands here.
        resource: bool,
    },
    /// A text the schema does not mention (`apiVersion`, `kind`).
    Text,
    /// Nothing is declared: the value itself tells. Maps are merged, lists are one value.
    Deduced,
}

/// What kind of merge a value gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom<'a> {
    /// One value.
    Leaf(Type),
    /// One value of any scalar type.
    AnyLeaf,
    /// A list, whose items are told apart as stated.
    List(&'a ListType),
    /// A map or struct; one value if atomic.
    Map {
        /// Whether it is one value.
        atomic: bool,
    },
}

static ATOMIC: ListType = ListType::Atomic;

impl<'a> Shape<'a> {
    /// The shape of a whole object.
    pub(super) fn root(schema: &'a CompiledSchema) -> Self {
        Self::Declared { node: schema.root(), resource: true }
    }

    fn of(node: &'a Node) -> Self {
        if node.kind.is_none() && !node.int_or_string {
            return Self::Deduced;
        }
        Self::Declared { node, resource: node.embedded_resource }
    }

    /// The shape of the field or entry `name`; none if the schema does not allow it.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        match self {
            Self::Text | Self::Deduced => Some(Self::Deduced),
            Self::Declared { node, resource } => {
                if resource && (name == "apiVersion" || name == "kind") {
                    return Some(Self::Text);
                }
                if resource && name == "metadata" {
                    return Some(Self::Declared { node: &METADATA, resource: false });
                }
                if let Some(child) = node.properties.get(name) {
                    return Some(Self::of(child));
                }
                match &node.additional {
                    Additional::Schema(child) => Some(Self::of(child)),
                    Additional::Any => Some(Self::Deduced),
                    Additional::None if node.preserve_unknown || node.properties.is_empty() => {
                        Some(Self::Deduced)
                    }
                    Additional::None => None,
                }
            }
        }
    }

    /// Whether `name` is a declared field and not an entry with a key of the writer's choice.
    pub(super) fn declares(self, name: &str) -> bool {
        match self {
            Self::Text | Self::Deduced => false,
            Self::Declared { node, resource } => {
                node.properties.contains_key(name)
                    || resource && matches!(name, "apiVersion" | "kind" | "metadata")
            }
        }
    }

    /// The shape of the items of a list.
    pub(super) fn items(self) -> Self {
        match self {
            Self::Declared { node, .. } => node.items.as_deref().map_or(Self::Deduced, Self::of),
            Self::Text | Self::Deduced => Self::Deduced,
        }
    }

    /// How `value` is merged here. Where nothing is declared the value's own type decides.
    pub(super) fn atom(self, value: &Value) -> Atom<'a> {
        match self {
            Self::Text => Atom::Leaf(Type::String),
            Self::Deduced => match value {
                Value::Array(_) => Atom::List(&ATOMIC),
                Value::Object(_) | Value::Null => Atom::Map { atomic: false },
                _ => Atom::AnyLeaf,
            },
            Self::Declared { node, .. } => match node.kind {
                Some(Type::Object) => Atom::Map { atomic: node.atomic_map },
                Some(Type::Array) => Atom::List(&node.list_type),
                // A text with a format may be written as any scalar.
                Some(Type::String) if node.format.is_some() => Atom::AnyLeaf,
                Some(scalar) => Atom::Leaf(scalar),
                None if node.int_or_string => Atom::AnyLeaf,
                None => Atom::Map { atomic: false },
            },
        }
    }

    /// The step to an item of a set or keyed list, or why there is none. Keys that are left out have their default.
    pub(super) fn item_step(self, list_type: &ListType, item: &Value) -> Result<PathElement, String> {
        let ListType::Map(keys) = list_type else { return set_step(item) };
        let fields = match item {
            Value::Object(fields) => fields,
            Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
            _ => return Err("associative list with keys may not have non-map elements".to_owned()),
        };
        let defaults = match self.items() {
            Self::Declared { node, .. } => Some(&node.properties),
            Self::Text | Self::Deduced => None,
        };
        let default = |key: &String| defaults.and_then(|nodes| nodes.get(key)?.default.as_ref());
        let mut pairs: Vec<(String, Scalar)> = keys
            .iter()
            .filter_map(|key| Some((key.clone(), Scalar(fields.get(key).or_else(|| default(key))?.clone()))))
            .collect();
        if pairs.is_empty() {
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
                keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(" ")
            ));
        }
        pairs.sort();
        Ok(PathElement::Key(pairs))
    }
}

fn set_step(item: &Value) -> Result<PathElement, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".to_owned()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".to_owned()),
        _ => Ok(PathElement::Value(Scalar(item.clone()))),
    }
}
