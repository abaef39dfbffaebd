//! Projections and indexes: the only ways to look at an object, so that a key wakes only for what it used.

use std::any::{Any, TypeId};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use api::Kind;
use serde::Serialize;
use serde_json::Value;

use crate::kind_entry::KindEntry;

/// The facts of an object that one decision uses. A key that read a facet wakes when its hash changes, or when the
/// object is another one of the same name.
pub trait Facet: Hash + Serialize + Clone + fmt::Debug + 'static {
    /// The kind it looks at.
    type Kind: Kind;

    /// Takes the facts from the object. Sees the object and nothing else.
    fn of(object: &Self::Kind) -> Self;
}

/// A facet without its type.
#[derive(Clone, Copy)]
pub struct FacetEntry {
    /// The kind it looks at.
    pub kind: &'static KindEntry,
    /// Tells facets apart.
    pub id: TypeId,
    /// Hash of the facts of an object of that kind.
    pub hash: fn(&dyn Any) -> u64,
    /// The facts as JSON, for explanations.
    pub show: fn(&dyn Any) -> Value,
}

impl FacetEntry {
    /// The entry of a facet.
    #[must_use]
    pub fn of<F: Facet>() -> Self {
        Self {
            kind: KindEntry::of::<F::Kind>(),
            id: TypeId::of::<F>(),
            hash: |object| object.downcast_ref::<F::Kind>().map_or(0, |object| stable_hash(&F::of(object))),
            show: |object| {
                let facts = object.downcast_ref::<F::Kind>().map(F::of);
                facts.and_then(|facts| serde_json::to_value(facts).ok()).unwrap_or(Value::Null)
            },
        }
    }
}

/// A hash that is the same in every process: the default hasher starts from fixed keys.
pub fn stable_hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A value that objects are found by; made of parts that cannot run into each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct IndexValue(Arc<str>);

impl IndexValue {
    /// Joins the parts with a byte that no Kubernetes name contains.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let parts: Vec<&str> = parts.into_iter().collect();
        Self(parts.join("\u{0}").into())
    }

    /// The joined text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IndexValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.replace('\u{0}', ", "))
    }
}

/// A declared index over one kind. Its function sees one object and nothing else; what needs two objects is two reads.
pub trait Index: 'static {
    /// The kind it indexes.
    type Kind: Kind;
    /// Its name in explanations.
    const NAME: &'static str;

    /// The values the object is found under.
    fn values(object: &Self::Kind) -> Vec<IndexValue>;
}

/// An index without its type.
#[derive(Clone, Copy)]
pub struct IndexEntry {
    /// The kind it indexes.
    pub kind: &'static KindEntry,
    /// Tells indexes apart.
    pub id: TypeId,
    /// Its name in explanations.
    pub name: &'static str,
    /// The values of one object.
    pub values: fn(&dyn Any) -> Vec<IndexValue>,
}

impl IndexEntry {
    /// The entry of an index.
    #[must_use]
    pub fn of<I: Index>() -> Self {
        Self {
            kind: KindEntry::of::<I::Kind>(),
            id: TypeId::of::<I>(),
            name: I::NAME,
            values: |object| object.downcast_ref::<I::Kind>().map(I::values).unwrap_or_default(),
        }
    }
}
