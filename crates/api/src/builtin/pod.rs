//! Pod: what the injection webhook and the attachments need of it, which is its metadata.

use kube_core::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::kind::kind;

/// A pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pod {
    /// Metadata: labels, annotations and owners.
    #[serde(default)]
    pub metadata: ObjectMeta,
}

kind!(Pod, "", "v1", "pods", Namespaced);
