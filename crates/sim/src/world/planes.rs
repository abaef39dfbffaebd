//! Planes: what happens to a server, and what the world learns from it.

use std::sync::Arc;

use api::ClusterName;
use api::condition::{ConditionType, is_true};
use api::resourcemanager::Project;
use apiserver::request::RequestId;
use engine::Failure;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Author, Commit, Observation, World};
use crate::network::{Purpose, Sent};
use crate::plane::{Changed, Plane};

/// Which way a partition cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    /// Requests do not arrive.
    Out,
    /// Answers do not arrive.
    Back,
}

/// Collection of Projects.
pub(super) const PROJECTS: &str = "/apis/resourcemanager.miloapis.com/v1alpha1/projects";

impl World {
    /// Adds a plane; an existing one is replaced by an empty one with another identity.
    pub fn add_plane(&mut self, cluster: &ClusterName) {
        self.next_identity += 1;
        let identity = format!("{cluster}#{}", self.next_identity);
        let seed = self.options.seed.wrapping_mul(31).wrapping_add(self.next_identity);
        if let Some(plane) = Plane::new(&self.templates, cluster.clone(), identity, seed) {
            self.planes.insert(cluster.clone(), plane);
            self.note_reset(cluster);
        }
    }

    /// Tells whoever sees everything what a plane holds from now on.
    pub(super) fn note_reset(&mut self, cluster: &ClusterName) {
        self.view_rewritten(cluster);
        let objects = self.planes.get(cluster).map(|plane| plane.objects.clone()).unwrap_or_default();
        self.observe(Observation::Reset(self.now, cluster.clone(), objects));
    }

    pub(super) fn due_plane(&self) -> Option<ClusterName> {
        let due = self.planes.values().find(|plane| plane.is_up && plane.wake <= self.now);
        due.map(|plane| plane.cluster.clone())
    }

    pub(super) fn tick_plane(&mut self, cluster: &ClusterName) {
        if let Some(plane) = self.planes.get_mut(cluster) {
            plane.wake = Timestamp::MAX;
        }
        self.drive(cluster, apiserver::Input::Tick, None);
    }

    /// Gives a server an input and does what it wants.
    pub(super) fn drive(
        &mut self,
        cluster: &ClusterName,
        input: apiserver::Input,
        request: Option<&Arc<Sent>>,
    ) {
        let mut inputs = vec![input];
        let mut request = request;
        while let Some(input) = inputs.pop() {
            let Some(plane) = self.planes.get_mut(cluster) else { return };
            for output in plane.server.handle(self.now, input) {
                match output {
                    apiserver::Output::Persist(batch) => {
                        let up_to = batch.revision;
                        self.committed(cluster, &batch, request.take());
                        inputs.push(apiserver::Input::Persisted { up_to });
                    }
                    apiserver::Output::WakeAt(at) => self.wake_plane(cluster, at),
                    apiserver::Output::Respond { id, response } => {
                        self.responded(id, response.status, &response.body);
                    }
                    apiserver::Output::Open { id, .. } => self.opened(id),
                    apiserver::Output::Frame { id, bytes } => self.frame(id, bytes),
                    apiserver::Output::End { id } => self.ended(id, Failure::Ended),
                    _ => {}
                }
            }
        }
    }

    fn wake_plane(&mut self, cluster: &ClusterName, at: Timestamp) {
        if let Some(plane) = self.planes.get_mut(cluster) {
            plane.wake = at;
        }
    }

    /// The first batch of a write is the write's own if it is about the same object; all others are the server's.
    fn committed(
        &mut self,
        cluster: &ClusterName,
        batch: &apiserver::store::Batch,
        request: Option<&Arc<Sent>>,
    ) {
        let Some(plane) = self.planes.get_mut(cluster) else { return };
        let changes = plane.persisted(batch);
        for (key, bytes) in &batch.entries {
            self.trace.take(key.as_str().as_bytes());
            self.trace.take(bytes.as_deref().unwrap_or_default());
        }
        for changed in changes {
            let request = request.filter(|sent| is_about(sent, &changed)).cloned();
            let author = match request.as_ref().map(|sent| sent.manager) {
                Some(Some(manager)) => Author::Manager(manager),
                Some(None) => Author::User,
                None => Author::Server,
            };
            self.note_project(&changed);
            self.observe(Observation::Commit(Commit { at: self.now, author, changed, request }));
        }
    }

    /// Projects mount planes, as in Milo; their providers look after a while.
    fn note_project(&mut self, changed: &Changed) {
        if changed.cluster != ClusterName::Core || changed.object.plural() != "projects" {
            return;
        }
        let cluster = ClusterName::Project(changed.object.name.as_str().into());
        match &changed.after {
            None => self.remove_plane(&cluster),
            Some(_) if !self.planes.contains_key(&cluster) => self.add_plane(&cluster),
            Some(_) => {}
        }
        if let Some(project) = changed.after.as_deref().filter(|project| !is_ready(project)) {
            self.report_ready(project);
        }
        self.look_soon();
    }

    fn report_ready(&mut self, project: &Value) {
        let name = project.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let since = project.pointer("/metadata/creationTimestamp").cloned().unwrap_or_default();
        let ready = json!({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready",
            "message": "the control plane answers", "lastTransitionTime": since}]}});
        let path = format!("{PROJECTS}/{name}/status");
        let content = ("application/merge-patch+json", ready.to_string());
        self.send_as_user(&ClusterName::Core, "PATCH", &path, (content.0, &content.1));
    }

    fn remove_plane(&mut self, cluster: &ClusterName) {
        self.planes.remove(cluster);
        self.note_reset(cluster);
        self.break_streams(cluster, &Failure::NotServed);
    }

    /// Ends every watch of a plane.
    pub(super) fn break_streams(&mut self, cluster: &ClusterName, failure: &Failure) {
        let is_there = |id: &RequestId| {
            self.pending.get(id).is_some_and(|pending| {
                pending.cluster == *cluster && matches!(pending.purpose, Purpose::Watch(..))
            })
        };
        let broken: Vec<RequestId> = self.streams.keys().copied().filter(is_there).collect();
        for id in broken {
            self.ended(id, failure.clone());
        }
    }

    /// Projects that a provider would engage.
    pub(super) fn ready_projects(&self) -> Vec<ClusterName> {
        let Some(core) = self.planes.get(&ClusterName::Core) else { return Vec::new() };
        let ready = core.of_plural("projects").filter(|(_, project)| is_ready(project));
        ready.map(|(object, _)| ClusterName::Project(object.name.as_str().into())).collect()
    }
}

/// Whether a request names the object that changed.
fn is_about(sent: &Sent, changed: &Changed) -> bool {
    let path = sent.request.path.trim_end_matches("/status");
    let collection = format!("/{}", changed.object.plural());
    sent.is_write()
        && (path.ends_with(&format!("{collection}/{}", changed.object.name))
            || (sent.request.method == "POST" && path.ends_with(&collection)))
}

fn is_ready(project: &Value) -> bool {
    let Ok(project) = serde_json::from_value::<Project>(project.clone()) else { return false };
    let conditions = project.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    !api::Kind::is_deleting(&project) && is_true(conditions, ConditionType::Ready)
}
