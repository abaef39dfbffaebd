//! Provider `single`: one server is every plane, and the project is called `single`.

use api::ClusterName;
use futures::FutureExt;
use futures::future::BoxFuture;
use kube_client::Client;
use tokio::sync::watch;

use super::{Engagements, Provider, keep_engaged};

/// One server as core, hub and project.
pub struct SingleProvider {
    client: Client,
}

/// Name of the only project.
const PROJECT: &str = "single";

impl SingleProvider {
    /// Uses this client for every plane.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }
}

impl Provider for SingleProvider {
    fn run(self: Box<Self>, engagements: Engagements) -> BoxFuture<'static, ()> {
        async move {
            let planes = [ClusterName::Core, ClusterName::Hub, ClusterName::Project(PROJECT.into())];
            let (_keep, stop) = watch::channel(false);
            let kept = planes
                .into_iter()
                .map(|plane| keep_engaged(engagements.clone(), plane, self.client.clone(), stop.clone()));
            futures::future::join_all(kept).await;
        }
        .boxed()
    }
}
