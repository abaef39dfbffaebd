//! Provider `milo`: projects come and go as Project objects of the platform plane do.
//!
//! A project is engaged while its condition Ready is True and it is not being deleted, and dropped when either ends.

use std::collections::BTreeMap;
use std::time::Duration;

use api::condition::{ConditionType, is_true};
use api::resourcemanager::Project;
use api::{ClusterName, Kind, ProjectName, Uid};
use engine::{Epoch, Failure, Input, StoreId, Watched};
use futures::FutureExt;
use futures::future::BoxFuture;
use kube_client::Client;
use reconcile::{Content, KindEntry, Object};
use tokio::sync::{mpsc, watch};
use tracing::warn;

use super::{Engagements, Provider, ProviderError, keep_engaged};
use crate::driver::Command;
use crate::informer::{self, Source};

/// Projects in one page.
const PAGE_LIMIT: u32 = 500;
/// How long a watch of Projects runs.
const WATCH_SECONDS: u64 = 280;
/// First and longest wait after a failure.
const RETRY: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));
/// Events that may wait.
const EVENTS_MAX: usize = 256;

/// Makes clients for the planes of projects.
pub trait ProjectPlanes: Send + Sync + 'static {
    /// A client for a project's control plane.
    ///
    /// # Errors
    /// If none can be made.
    fn project(&self, project: &ProjectName) -> Result<Client, ProviderError>;
}

/// Projects of a platform plane, beside planes that are always there.
pub struct MiloProvider<P> {
    core: Client,
    planes: P,
    fixed: Vec<(ClusterName, Client)>,
    engaged: BTreeMap<ProjectName, (Uid, watch::Sender<bool>)>,
}

impl<P: ProjectPlanes> MiloProvider<P> {
    /// Watches Projects with `core`; `fixed` are the other planes (core itself, the hub, cells).
    #[must_use]
    pub fn new(core: Client, planes: P, fixed: Vec<(ClusterName, Client)>) -> Self {
        Self { core, planes, fixed, engaged: BTreeMap::new() }
    }

    fn source(epoch: u64) -> Source {
        Source {
            store: StoreId(0),
            epoch: Epoch(epoch),
            cluster: ClusterName::Core,
            kind: KindEntry::of::<Project>(),
        }
    }

    /// All Projects, with the version to watch from.
    async fn list(&self) -> Result<(Vec<Object>, String), Failure> {
        let (mut objects, mut token) = (Vec::new(), None);
        loop {
            let client = Some(self.core.clone());
            let page = informer::page(client, &Self::source(0), PAGE_LIMIT, token.as_deref()).await?;
            objects.extend(page.objects);
            match page.continue_token {
                Some(next) => token = Some(next),
                None => return Ok((objects, page.version)),
            }
        }
    }

    /// Follows Projects until the watch must start over.
    async fn follow(&mut self, engagements: &Engagements, from: String) -> Failure {
        let (sender, mut receiver) = mpsc::channel(EVENTS_MAX);
        let core = self.core.clone();
        let watching = tokio::spawn(async move {
            informer::watch(Some(core), &Self::source(1), &from, WATCH_SECONDS, &sender).await
        });
        while let Some(command) = receiver.recv().await {
            match command {
                Command::Input(Input::Watched(_, _, Watched::Applied(object))) => {
                    self.take(engagements, &object);
                }
                Command::Input(Input::Watched(_, _, Watched::Deleted(object))) => {
                    self.engaged.remove(object.meta.key.name.as_str());
                }
                _ => {}
            }
        }
        watching.await.unwrap_or(Failure::Ended)
    }

    /// Engages or drops one project.
    fn take(&mut self, engagements: &Engagements, object: &Object) {
        let name = ProjectName::new(object.meta.key.name.as_str());
        let Content::Typed(typed) = &object.content else {
            warn!(project = %name, "the Project does not decode and stays as it is");
            return;
        };
        let is_ready = typed.downcast_ref::<Project>().is_some_and(is_ready);
        if !is_ready {
            self.engaged.remove(&name);
            return;
        }
        if self.engaged.get(&name).is_some_and(|(uid, _)| *uid == object.meta.uid) {
            return;
        }
        match self.planes.project(&name) {
            Ok(client) => {
                let (stop, stopped) = watch::channel(false);
                let cluster = ClusterName::Project(name.clone());
                tokio::spawn(keep_engaged(engagements.clone(), cluster, client, stopped));
                self.engaged.insert(name, (object.meta.uid.clone(), stop));
            }
            Err(error) => warn!(project = %name, %error, "the project's plane cannot be used"),
        }
    }

    fn take_all(&mut self, engagements: &Engagements, objects: &[Object]) {
        let is_listed =
            |name: &ProjectName| objects.iter().any(|object| object.meta.key.name.as_str() == name.as_str());
        self.engaged.retain(|name, _| is_listed(name));
        for object in objects {
            self.take(engagements, object);
        }
    }
}

fn is_ready(project: &Project) -> bool {
    let conditions = project.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    !project.is_deleting() && is_true(conditions, ConditionType::Ready)
}

impl<P: ProjectPlanes> Provider for MiloProvider<P> {
    fn run(mut self: Box<Self>, engagements: Engagements) -> BoxFuture<'static, ()> {
        async move {
            let (_keep, stop) = watch::channel(false);
            for (name, client) in std::mem::take(&mut self.fixed) {
                tokio::spawn(keep_engaged(engagements.clone(), name, client, stop.clone()));
            }
            let mut wait = RETRY.0;
            loop {
                match self.list().await {
                    Ok((objects, version)) => {
                        self.take_all(&engagements, &objects);
                        wait = RETRY.0;
                        let failure = self.follow(&engagements, version).await;
                        if matches!(failure, Failure::Ended | Failure::Gone) {
                            continue;
                        }
                        warn!(?failure, "the watch of Projects failed");
                    }
                    Err(failure) => warn!(?failure, "Projects cannot be listed"),
                }
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(RETRY.1);
            }
        }
        .boxed()
    }
}
