//! One version of one object: its encoding, and the parsed form for as long as somebody has it.
//!
//! The parsed form takes ten times the memory of the encoding, so versions do not keep it: the store holds that of the
//! newest commits, a request that of the object it works on, and for everything else it is read again from the bytes.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use serde_json::Value;

use crate::metadata;

/// The stamp of an object whose resource is not known yet; no resource has it.
pub(super) const LOADED: u64 = 0;

/// See the module.
#[derive(Debug)]
pub struct Stored {
    /// The object as JSON, resourceVersion included.
    pub bytes: Bytes,
    /// The revision of its last change.
    pub revision: u64,
    /// The stamp of the resource that wrote it (see `Resource::stamp`).
    pub stamp: u64,
    facts: Facts,
    parsed: Weak<Value>,
}

/// What the inside clients ask of every object at every commit.
#[derive(Debug, PartialEq, Eq)]
struct Facts {
    uid: Box<str>,
    /// Uids of the owners.
    owners: Box<[Box<str>]>,
    is_deleting: bool,
}

impl Facts {
    fn of(value: &Value) -> Self {
        let owners = metadata::owners(value).filter_map(|owner| owner.get("uid").and_then(Value::as_str));
        Self {
            uid: metadata::uid(value).into(),
            owners: owners.map(Box::from).collect(),
            is_deleting: metadata::is_deleting(value),
        }
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        (&self.bytes, self.revision, self.stamp) == (&other.bytes, other.revision, other.stamp)
    }
}

impl Stored {
    /// The object; read from the bytes when nobody has it parsed.
    #[must_use]
    pub fn value(&self) -> Arc<Value> {
        // The bytes were written by `Opened`, or were read once when the store was loaded, so they are JSON.
        self.parsed
            .upgrade()
            .unwrap_or_else(|| Arc::new(serde_json::from_slice(&self.bytes).unwrap_or_default()))
    }

    /// The object with its parsed form.
    pub(crate) fn open(self: &Arc<Self>) -> Opened {
        Opened { value: self.value(), stored: self.clone() }
    }

    /// `metadata.uid`, empty when absent.
    pub(crate) fn uid(&self) -> &str {
        &self.facts.uid
    }

    /// Uids of `metadata.ownerReferences`.
    pub(crate) fn owner_uids(&self) -> impl Iterator<Item = &str> {
        self.facts.owners.iter().map(AsRef::as_ref)
    }

    /// Whether the object has a deletion timestamp.
    pub(crate) fn is_deleting(&self) -> bool {
        self.facts.is_deleting
    }

    /// An object as the sink kept it. Answers `None` when it carries no revision.
    pub(super) fn loaded(bytes: Bytes, value: &Value) -> Option<Self> {
        let revision = metadata::revision(value)?;
        Some(Self { bytes, revision, stamp: LOADED, facts: Facts::of(value), parsed: Weak::new() })
    }
}

/// A version that is being worked on, with its parsed form.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) stored: Arc<Stored>,
    pub(crate) value: Arc<Value>,
}

impl Opened {
    /// An object under a revision, encoded.
    pub(crate) fn new(mut value: Value, revision: u64, stamp: u64) -> Self {
        metadata::set_revision(&mut value, revision);
        Self::as_it_is(value, revision, stamp)
    }

    /// An object that shows another revision than its own, or none.
    pub(crate) fn as_it_is(value: Value, revision: u64, stamp: u64) -> Self {
        // Without the room that a growing text keeps: the bytes stay for long.
        let bytes = Bytes::from(value.to_string().into_bytes().into_boxed_slice());
        let (facts, value) = (Facts::of(&value), Arc::new(value));
        let stored = Stored { bytes, revision, stamp, facts, parsed: Arc::downgrade(&value) };
        Self { stored: Arc::new(stored), value }
    }
}
