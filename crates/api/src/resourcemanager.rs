//! Group `resourcemanager.miloapis.com/v1alpha1`: the projects of the platform.

use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::kind::kind;
use crate::text_enum::text_enum;

/// The API group.
pub const GROUP: &str = "resourcemanager.miloapis.com";

/// Whose project it is.
#[derive(CustomResource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "resourcemanager.miloapis.com",
    version = "v1alpha1",
    kind = "Project",
    plural = "projects",
    status = "ProjectStatus",
    derive = "PartialEq",
    doc = "A project: the owner of one control plane.",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type=='Ready')].status"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    crates(kube_core = "::kube_core", k8s_openapi = "::k8s_openapi")
)]
#[serde(rename_all = "camelCase")]
pub struct ProjectSpec {
    /// The owner.
    pub owner_ref: ProjectOwnerReference,
}

/// The owner of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectOwnerReference {
    /// Kind of the owner.
    pub kind: ProjectOwnerKind,
    /// Name of the owner.
    pub name: String,
}

text_enum! {
    /// What may own a project.
    ProjectOwnerKind {
        /// An organization.
        Organization,
    }
}

/// What the platform found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectStatus {
    /// `Ready`: the control plane answers; only then is the project engaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = [{
        "type": "Ready", "status": "Unknown", "reason": "Unknown",
        "message": "Waiting for control plane to reconcile", "lastTransitionTime": "1970-01-01T00:00:00Z",
    }]))]
    pub conditions: Vec<Condition>,
}

text_enum! {
    /// Why a Project is or is not Ready; the embedded platform plane writes them.
    ProjectReason {
        /// The control plane has not been looked at.
        Unknown,
        /// The control plane answers.
        Ready,
    }
}

kind!(Project, "resourcemanager.miloapis.com", "v1alpha1", "projects", Cluster);
