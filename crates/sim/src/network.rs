//! What is on the wire: who asked what of the server, and where the answer goes.

use api::{ClusterName, ObjectName};
use engine::{Epoch, StepId, StoreId};
use reconcile::KindEntry;

/// One manager process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManagerId(pub u32);

/// Why a request was sent.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// A user or test asked; the answer is kept.
    User,
    /// One page of a list.
    Page(ManagerId, StoreId, Epoch, &'static KindEntry),
    /// A watch.
    Watch(ManagerId, StoreId, Epoch, &'static KindEntry),
    /// A step.
    Step(ManagerId, StepId, Option<&'static KindEntry>),
    /// A fence.
    Fence(ManagerId, StoreId),
    /// A lease.
    Lease(ManagerId, usize),
}

impl Purpose {
    /// The process that waits for the answer.
    pub(crate) fn manager(&self) -> Option<ManagerId> {
        match self {
            Self::User => None,
            Self::Page(manager, ..)
            | Self::Watch(manager, ..)
            | Self::Step(manager, ..)
            | Self::Fence(manager, _)
            | Self::Lease(manager, _) => Some(*manager),
        }
    }
}

/// Path prefix of a plane on the embedded server.
#[must_use]
pub fn prefix(cluster: &ClusterName) -> String {
    match cluster {
        ClusterName::Core => String::new(),
        ClusterName::Hub => "/clusters/hub".to_owned(),
        ClusterName::Cell(name) => format!("/clusters/{}", ObjectName::new(name.as_str())),
        ClusterName::Project(project) | ClusterName::Ipam(project) => {
            format!("/apis/resourcemanager.miloapis.com/v1alpha1/projects/{project}/control-plane")
        }
    }
}
