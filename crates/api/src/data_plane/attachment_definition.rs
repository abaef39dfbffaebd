//! `NetworkAttachmentDefinition`: the record that a runtime reads when it starts a sandbox.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::kind;

/// The record.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "k8s.cni.cncf.io",
    version = "v1",
    kind = "NetworkAttachmentDefinition",
    plural = "network-attachment-definitions",
    singular = "network-attachment-definition",
    shortname = "net-attach-def",
    namespaced,
    derive = "PartialEq",
    doc = "How a sandbox is attached.",
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
pub struct NetworkAttachmentDefinitionSpec {
    /// A list of plugin settings, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}

kind!(NetworkAttachmentDefinition, "k8s.cni.cncf.io", "v1", "network-attachment-definitions", Namespaced);
