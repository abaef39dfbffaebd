//! What every kind tells about itself: its place in the API and its metadata.

use std::fmt;

use kube_core::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::names::{NamespaceName, ObjectKey, ObjectName, Uid};

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Scope {
    /// Objects have no namespace.
    Cluster,
    /// Objects live in a namespace.
    Namespaced,
}

/// Group, version and names of one resource. The core group is the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ResourceKind {
    /// API group, `""` for the core group.
    pub group: &'static str,
    /// API version, such as `v1alpha`.
    pub version: &'static str,
    /// Kind in singular, such as `NetworkBinding`.
    pub kind: &'static str,
    /// Path segment, such as `networkbindings`.
    pub plural: &'static str,
    /// Whether objects live in a namespace.
    pub scope: Scope,
}

impl ResourceKind {
    /// `group/version`, or `version` alone for the core group.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            formatter.write_str(self.plural)
        } else {
            write!(formatter, "{}.{}", self.plural, self.group)
        }
    }
}

/// A kind that controllers can read: decodable, with metadata and a fixed place in the API.
pub trait Kind: Serialize + DeserializeOwned + Clone + fmt::Debug + Send + Sync + 'static {
    /// The kind's place in the API.
    const RESOURCE: ResourceKind;

    /// The object's metadata.
    fn metadata(&self) -> &ObjectMeta;

    /// Namespace and name; empty text where the server has not named the object yet.
    fn key(&self) -> ObjectKey {
        let metadata = self.metadata();
        ObjectKey {
            namespace: metadata.namespace.as_deref().map(NamespaceName::from),
            name: ObjectName::new(metadata.name.as_deref().unwrap_or_default()),
        }
    }

    /// The object's uid; empty before the server gave one.
    fn uid(&self) -> Uid {
        Uid::new(self.metadata().uid.as_deref().unwrap_or_default())
    }

    /// Whether the object has a deletion timestamp.
    fn is_deleting(&self) -> bool {
        self.metadata().deletion_timestamp.is_some()
    }

    /// The object as a request body, with `apiVersion` and `kind`.
    ///
    /// # Errors
    /// Only if a field cannot be written as JSON, which no kind of this crate has.
    fn to_body(&self) -> Result<Value, serde_json::Error> {
        let mut body = serde_json::to_value(self)?;
        if let Some(fields) = body.as_object_mut() {
            fields.insert("apiVersion".to_owned(), Self::RESOURCE.api_version().into());
            fields.insert("kind".to_owned(), Self::RESOURCE.kind.into());
        }
        Ok(body)
    }
}

/// Implements [`Kind`]. The kind is the type's name unless another word is given.
macro_rules! kind {
    ($type:ident, $($place:tt)+) => {
        $crate::kind::kind!(@named $type, stringify!($type), $($place)+);
    };
    ($type:ident as $kind:literal, $($place:tt)+) => {
        $crate::kind::kind!(@named $type, $kind, $($place)+);
    };
    (@named $type:ident, $kind:expr, $group:literal, $version:literal, $plural:literal, $scope:ident) => {
        impl $crate::kind::Kind for $type {
            const RESOURCE: $crate::kind::ResourceKind = $crate::kind::ResourceKind {
                group: $group,
                version: $version,
                kind: $kind,
                plural: $plural,
                scope: $crate::kind::Scope::$scope,
            };

            fn metadata(&self) -> &kube_core::ObjectMeta {
                &self.metadata
            }
        }
    };
}

pub(crate) use kind;

#[cfg(test)]
mod tests;
