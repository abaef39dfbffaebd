//! What each process asked of the planes, counted when it was sent.

use std::collections::BTreeMap;

use api::{ClusterName, ResourceKind};

use super::World;
use crate::network::{ManagerId, Purpose};

/// One kind on one plane.
pub type KindPlace = (ClusterName, ResourceKind);

/// Requests of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Pages of lists, by what they list.
    pub pages: BTreeMap<KindPlace, u64>,
    /// Watches, by what they watch.
    pub watches: BTreeMap<KindPlace, u64>,
    /// Fences.
    pub fences: u64,
    /// Steps: every write but those of leases.
    pub steps: u64,
    /// Looks at leases and renewals.
    pub leases: u64,
}

impl World {
    /// What a process that runs has asked for so far.
    #[must_use]
    pub fn requests(&self, id: ManagerId) -> Requests {
        self.managers.get(&id).map(|manager| manager.requests.clone()).unwrap_or_default()
    }

    /// Requests of a process that wait for an answer, and watches of it that are open; leases left out.
    #[must_use]
    pub fn open_requests(&self, id: ManagerId) -> (usize, usize) {
        let is_its_own =
            |purpose: &Purpose| purpose.manager() == Some(id) && !matches!(purpose, Purpose::Lease(..));
        let pending = self.pending.iter().filter(|(_, pending)| is_its_own(&pending.purpose));
        let (watches, others): (Vec<_>, Vec<_>) =
            pending.partition(|(_, pending)| matches!(pending.purpose, Purpose::Watch(..)));
        (others.len(), watches.len())
    }

    /// Watches that the network keeps open, of every process.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.streams.len()
    }

    /// A request is sent.
    pub(super) fn count_request(&mut self, id: ManagerId, purpose: &Purpose, cluster: &ClusterName) {
        let Some(requests) = self.managers.get_mut(&id).map(|manager| &mut manager.requests) else { return };
        match purpose {
            Purpose::User => {}
            Purpose::Page(.., kind) => {
                *requests.pages.entry((cluster.clone(), kind.resource)).or_default() += 1;
            }
            Purpose::Watch(.., kind) => {
                *requests.watches.entry((cluster.clone(), kind.resource)).or_default() += 1;
            }
            Purpose::Step(..) => requests.steps += 1,
            Purpose::Fence(..) => requests.fences += 1,
            Purpose::Lease(..) => requests.leases += 1,
        }
    }
}
