//! A kind without its type: how an object of it is decoded and shown again. This is what stores and executors hold.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use api::names::ResourceVersion;
use api::{Kind, ObjectKey, ResourceKind, Uid};
use serde::Deserialize;
use serde_json::Value;

/// Functions of one kind, as data.
pub struct KindEntry {
    /// The kind's place in the API.
    pub resource: ResourceKind,
    /// Decodes one object from JSON; never fails: what does not decode is an invalid object.
    pub decode: fn(&[u8]) -> Object,
    /// The object as JSON again, without managed fields.
    pub encode: fn(&dyn Any) -> Value,
}

impl fmt::Debug for KindEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "KindEntry({})", self.resource)
    }
}

struct Entry<K>(std::marker::PhantomData<K>);

impl<K: Kind> Entry<K> {
    const ENTRY: KindEntry = KindEntry { resource: K::RESOURCE, decode: decode::<K>, encode: encode::<K> };
}

impl KindEntry {
    /// The entry of a kind.
    #[must_use]
    pub fn of<K: Kind>() -> &'static Self {
        &Entry::<K>::ENTRY
    }
}

/// One manager's entry in `metadata.managedFields`, reduced to its top-level fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manager {
    /// The field manager.
    pub name: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// Top-level fields it owns something in, such as `spec`.
    pub fields: Vec<String>,
}

/// What the engine needs of any object, decodable or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Namespace and name.
    pub key: ObjectKey,
    /// This life of the object.
    pub uid: Uid,
    /// The version this object was read at.
    pub version: ResourceVersion,
    /// Whether it has a deletion timestamp.
    pub deleting: bool,
    /// Its finalizers, in order.
    pub finalizers: Vec<String>,
    /// Who manages fields of it, reduced.
    pub managers: Vec<Manager>,
}

/// An object as the cache holds it.
#[derive(Clone)]
pub struct Object {
    /// Metadata.
    pub meta: Meta,
    /// The typed object, or why there is none.
    pub content: Content,
}

/// The typed half of an [`Object`].
#[derive(Clone)]
pub enum Content {
    /// Decoded as its kind.
    Typed(Arc<dyn Any + Send + Sync>),
    /// Did not decode; says where.
    Invalid(String),
}

impl fmt::Debug for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = match &self.content {
            Content::Typed(_) => "typed",
            Content::Invalid(text) => text,
        };
        write!(formatter, "Object({} at {}, {content})", self.meta.key, self.meta.version)
    }
}

#[derive(Deserialize)]
struct MetadataOnly {
    #[serde(default)]
    metadata: WireMeta,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WireMeta {
    name: String,
    namespace: Option<String>,
    uid: String,
    resource_version: String,
    deletion_timestamp: Option<String>,
    finalizers: Option<Vec<String>>,
    managed_fields: Option<Vec<WireManager>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireManager {
    #[serde(default)]
    manager: String,
    #[serde(default)]
    operation: String,
    #[serde(default)]
    fields_v1: serde_json::Map<String, Value>,
}

fn decode<K: Kind>(bytes: &[u8]) -> Object {
    let meta = match serde_json::from_slice::<MetadataOnly>(bytes) {
        Ok(wire) => wire.metadata.into_meta(),
        Err(error) => {
            return Object { meta: Meta::default(), content: Content::Invalid(format!("metadata: {error}")) };
        }
    };
    let content = match serde_json::from_slice::<K>(bytes) {
        Ok(object) => Content::Typed(Arc::new(object)),
        Err(error) => Content::Invalid(error.to_string()),
    };
    Object { meta, content }
}

fn encode<K: Kind>(object: &dyn Any) -> Value {
    object.downcast_ref::<K>().and_then(|object| serde_json::to_value(object).ok()).unwrap_or(Value::Null)
}

impl WireMeta {
    fn into_meta(self) -> Meta {
        Meta {
            key: ObjectKey { namespace: self.namespace.map(Into::into), name: self.name.into() },
            uid: self.uid.into(),
            version: self.resource_version.into(),
            deleting: self.deletion_timestamp.is_some(),
            finalizers: self.finalizers.unwrap_or_default(),
            managers: self.managed_fields.unwrap_or_default().into_iter().map(WireManager::reduce).collect(),
        }
    }
}

impl WireManager {
    fn reduce(self) -> Manager {
        let fields = self.fields_v1.keys().map(|field| field.trim_start_matches("f:").to_owned()).collect();
        Manager { name: self.manager, operation: self.operation, fields }
    }
}
