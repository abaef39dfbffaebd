//! Namespace: on the hub its labels tell which project it stands for.

use kube_core::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::kind::kind;
use crate::text_enum::text_enum;

/// A namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Namespace {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// Life of the namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<NamespaceStatus>,
}

/// Life of a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceStatus {
    /// Whether content may still be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<NamespacePhase>,
}

text_enum! {
    /// Whether content may be added to a namespace.
    NamespacePhase {
        /// It may.
        Active,
        /// It may not: the namespace is being deleted.
        Terminating,
    }
}

kind!(Namespace, "", "v1", "namespaces", Cluster);
