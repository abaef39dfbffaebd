//! Typed names, so that two strings can never be swapped in a call.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares a newtype over a shared text with the conversions every name has. Names travel through every read and every
/// record of one, so a copy costs a count and no memory.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(inline)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps the text as it stands; the API server validates names, this type only keeps them apart.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text as it travels on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether the name is the empty string, which no stored object has.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// `metadata.name` of an object of any kind.
    ObjectName
);
name!(
    /// A namespace on some plane.
    NamespaceName
);
name!(
    /// `metadata.uid`: one life of an object; a re-created object has another.
    Uid
);
name!(
    /// `metadata.resourceVersion` as the server wrote it; compared as a number only within one resource of one server.
    ResourceVersion
);
name!(
    /// A project: the owner of one control plane. May contain `/` (`org/p`, behaviour SH1).
    ProjectName
);
name!(
    /// An edge cell.
    CellName
);
name!(
    /// A Network in some namespace.
    NetworkName
);
name!(
    /// A location where networks can be present.
    LocationName
);

/// Where an object lives inside one cluster: its namespace, unless its kind is cluster-scoped, and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectKey {
    /// `None` for cluster-scoped kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<NamespaceName>,
    /// `metadata.name`.
    pub name: ObjectName,
}

impl ObjectKey {
    /// A key of a namespaced kind.
    pub fn namespaced(namespace: impl Into<NamespaceName>, name: impl Into<ObjectName>) -> Self {
        Self { namespace: Some(namespace.into()), name: name.into() }
    }

    /// A key of a cluster-scoped kind.
    pub fn cluster_scoped(name: impl Into<ObjectName>) -> Self {
        Self { namespace: None, name: name.into() }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(formatter, "{namespace}/{}", self.name),
            None => write!(formatter, "{}", self.name),
        }
    }
}
