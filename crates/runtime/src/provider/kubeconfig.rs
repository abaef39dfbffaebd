//! Provider `kubeconfig`: one file whose contexts are named like clusters; read again when it changes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use api::ClusterName;
use futures::FutureExt;
use futures::future::BoxFuture;
use kube_client::config::Kubeconfig;
use tokio::sync::watch;
use tracing::warn;

use super::{Engagements, Provider, ProviderError, keep_engaged, read_config};
use crate::connection::Connections;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The planes of one kubeconfig.
pub struct KubeconfigProvider {
    path: PathBuf,
    kept: BTreeMap<ClusterName, watch::Sender<bool>>,
    seen: Option<String>,
    connections: Connections,
}

impl KubeconfigProvider {
    /// Uses this file.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, kept: BTreeMap::new(), seen: None, connections: Connections::default() }
    }

    /// Looks at the file; if it changed, every plane it names is engaged anew and others are dropped.
    async fn look(&mut self, engagements: &Engagements) {
        let text = match tokio::fs::read_to_string(&self.path).await {
            Ok(text) => text,
            Err(error) => {
                warn!(path = %self.path.display(), %error, "the kubeconfig cannot be read; planes stay as they are");
                return;
            }
        };
        if self.seen.as_ref() == Some(&text) {
            return;
        }
        self.seen = Some(text);
        match self.engage(engagements).await {
            Ok(kept) => self.kept = kept,
            Err(error) => warn!(%error, "the kubeconfig cannot be used; planes stay as they are"),
        }
    }

    async fn engage(
        &self,
        engagements: &Engagements,
    ) -> Result<BTreeMap<ClusterName, watch::Sender<bool>>, ProviderError> {
        let wrong = |source| ProviderError::Kubeconfig { path: self.path.clone(), source: Box::new(source) };
        let kubeconfig = Kubeconfig::read_from(&self.path).map_err(wrong)?;
        let mut kept = BTreeMap::new();
        for context in kubeconfig.contexts {
            let Ok(name) = context.name.parse::<ClusterName>() else {
                warn!(context = context.name, "this context is named like no plane and is not used");
                continue;
            };
            let config = read_config(&self.path, Some(&context.name)).await?;
            let client = self.connections.client(&name, config)?;
            let (stop, stopped) = watch::channel(false);
            tokio::spawn(keep_engaged(engagements.clone(), name.clone(), client, stopped));
            kept.insert(name, stop);
        }
        Ok(kept)
    }
}

impl Provider for KubeconfigProvider {
    fn run(mut self: Box<Self>, engagements: Engagements) -> BoxFuture<'static, ()> {
        async move {
            loop {
                self.look(&engagements).await;
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
        .boxed()
    }
}
