//! The provider `milo`: which planes each manager has engaged, and that it learns of a change only after a while.

use api::ClusterName;
use api::cluster::ClusterRole;
use engine::{Identity, Input};
use jiff::SignedDuration;

use super::World;
use super::planes::Direction;
use crate::network::{Event, ManagerId};

/// How soon a provider tries again that could not look.
const RETRY: SignedDuration = SignedDuration::from_secs(1);
/// The longest a provider of a faulty world takes to learn of a change, in milliseconds.
const LAG_MAX: u64 = 5_000;

impl World {
    /// Every provider looks, sooner or later.
    pub(super) fn look_soon(&mut self) {
        for id in self.managers() {
            let wait = if self.is_faulty { self.dice.millis(1, LAG_MAX) } else { SignedDuration::ZERO };
            self.schedule_in(wait, Event::Look(id));
        }
    }

    /// A project is offered to no provider any more, although its plane is there.
    pub fn withdraw(&mut self, project: &ClusterName) {
        self.note(format!("{project} is disengaged"));
        self.disengaged.insert(project.clone());
        self.look_soon();
    }

    /// A project that was withdrawn is offered again.
    pub fn offer(&mut self, project: &ClusterName) {
        self.disengaged.remove(project);
        self.look_soon();
    }

    /// Whether providers engage a project: it is there, ready, and not withdrawn.
    #[must_use]
    pub fn is_offered(&self, project: &ClusterName) -> bool {
        self.ready_projects().contains(project)
            && !self.disengaged.contains(project)
            && self.planes.get(project).is_some_and(|plane| plane.is_up)
    }

    /// A provider looks which planes there are, if it can.
    pub(super) fn look(&mut self, id: ManagerId) {
        if !self.managers.contains_key(&id) {
            return;
        }
        let core = self.planes.get(&ClusterName::Core);
        let is_cut = [Direction::Out, Direction::Back]
            .into_iter()
            .any(|direction| self.cut.contains(&(id, ClusterName::Core, direction)));
        if is_cut || !core.is_some_and(|core| core.is_up) {
            self.schedule_in(RETRY, Event::Look(id));
            return;
        }
        let mut wanted = self.ready_projects();
        wanted.retain(|cluster| !self.disengaged.contains(cluster));
        wanted.extend([ClusterName::Core, ClusterName::Hub]);
        for (cluster, engagement) in self.take_gone(id, &wanted) {
            self.inform(id, Input::Disengaged(cluster, engagement));
        }
        for cluster in wanted {
            self.engage(id, &cluster);
        }
    }

    fn engage(&mut self, id: ManagerId, cluster: &ClusterName) {
        let Some(plane) = self.planes.get(cluster) else { return };
        let Some(manager) = self.managers.get_mut(&id) else { return };
        if manager.engagements.contains_key(cluster) {
            return;
        }
        manager.next_engagement += 1;
        let engagement = manager.next_engagement;
        manager.engagements.insert(cluster.clone(), (engagement, plane.identity.clone()));
        let identity = Identity { engagement, server: plane.identity.clone() };
        self.inform(id, Input::Engaged(cluster.clone(), identity));
    }

    /// Engagements of planes that are not wanted any more, or are another plane by now.
    fn take_gone(&mut self, id: ManagerId, wanted: &[ClusterName]) -> Vec<(ClusterName, u64)> {
        let planes = &self.planes;
        let Some(manager) = self.managers.get_mut(&id) else { return Vec::new() };
        let is_gone = |cluster: &ClusterName, identity: &str| {
            let is_other = planes.get(cluster).is_some_and(|plane| plane.identity != identity);
            is_other || (cluster.role() == ClusterRole::Project && !wanted.contains(cluster))
        };
        let engaged = manager.engagements.iter();
        let gone: Vec<(ClusterName, u64)> = engaged
            .filter(|(name, (_, identity))| is_gone(name, identity))
            .map(|(name, (engagement, _))| (name.clone(), *engagement))
            .collect();
        for (cluster, _) in &gone {
            manager.engagements.remove(cluster);
        }
        gone
    }
}
