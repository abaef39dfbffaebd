//! `ConfigMap`: anchors of copies made by the reference, and shared settings.

use std::collections::BTreeMap;

use kube_core::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::kind::kind;

/// A set of texts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfigMap {
    /// Metadata.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// The texts by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
}

kind!(ConfigMap, "", "v1", "configmaps", Namespaced);
