//! What every kind tells about itself: its place in the API and its metadata.

use std::fmt;

use kube_core::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;

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
}
