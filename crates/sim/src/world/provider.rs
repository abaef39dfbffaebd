//! The provider `milo` without its latency: which planes each manager has engaged.

use api::ClusterName;
use api::Kind;
use api::cluster::ClusterRole;
use api::condition::{ConditionType, is_true};
use api::resourcemanager::Project;
use engine::{Identity, Input};
use serde_json::Value;

use super::World;
use crate::network::{ManagerId, Purpose};

impl World {
    /// Engages the planes that are there.
    pub(super) fn engage(&mut self, id: ManagerId) {
        for cluster in [ClusterName::Core, ClusterName::Hub] {
            self.engage_one(id, &cluster);
        }
        self.follow_projects();
    }

    fn engage_one(&mut self, id: ManagerId, cluster: &ClusterName) {
        let server = self.server.plane_identity(&cluster.to_string()).unwrap_or_default();
        let Some(manager) = self.managers.get_mut(&id) else { return };
        if manager.engagements.contains_key(cluster) {
            return;
        }
        manager.next_engagement += 1;
        let engagement = manager.next_engagement;
        manager.engagements.insert(cluster.clone(), engagement);
        self.send_to_manager(id, Input::Engaged(cluster.clone(), Identity { engagement, server }));
    }

    /// The provider `milo`, without its latency: projects are engaged while they are Ready and not being deleted.
    pub(super) fn follow_projects(&mut self) {
        let ready = self.ready_projects();
        for id in self.managers() {
            for cluster in &ready {
                self.engage_one(id, cluster);
            }
            for (cluster, engagement) in self.take_gone(id, &ready) {
                self.send_to_manager(id, Input::Disengaged(cluster, engagement));
            }
        }
    }

    /// Engagements of projects that are not ready any more.
    fn take_gone(&mut self, id: ManagerId, ready: &[ClusterName]) -> Vec<(ClusterName, u64)> {
        let Some(manager) = self.managers.get_mut(&id) else { return Vec::new() };
        let is_gone =
            |cluster: &ClusterName| cluster.role() == ClusterRole::Project && !ready.contains(cluster);
        let engaged = manager.engagements.iter();
        let gone: Vec<(ClusterName, u64)> =
            engaged.filter(|(name, _)| is_gone(name)).map(|(name, of)| (name.clone(), *of)).collect();
        manager.engagements.retain(|name, _| !is_gone(name));
        gone
    }

    fn ready_projects(&mut self) -> Vec<ClusterName> {
        let id = self.request_id(Purpose::User);
        let request = super::with_every_right(id, ("GET", PROJECTS), ("", ""), "provider");
        let outputs = self.server.handle(self.now, apiserver::Input::Request(Box::new(request)));
        self.take(outputs);
        let body = self.replies.remove(&id).map(|reply| reply.body).unwrap_or_default();
        let items = body.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let projects = items.into_iter().filter_map(|item| serde_json::from_value::<Project>(item).ok());
        let ready = projects.filter(is_ready).filter_map(|project| project.metadata.name);
        ready.map(|name| ClusterName::Project(name.into())).collect()
    }
}

/// Where Projects are.
pub(super) const PROJECTS: &str = "/apis/resourcemanager.miloapis.com/v1alpha1/projects";

fn is_ready(project: &Project) -> bool {
    let conditions = project.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    !project.is_deleting() && is_true(conditions, ConditionType::Ready)
}
