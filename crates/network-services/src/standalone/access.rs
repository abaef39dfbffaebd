//! Puts the controllers' roles on planes, also on those of projects that come later.
//!
//! A project's client lets nothing through before its roles are there: otherwise the first questions of a new plane
//! would be refused, and it would look forbidden until they are asked again.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use api::cluster::ClusterRole;
use api::{ClusterName, ProjectName};
use apiserver::identity::{MASTERS, User};
use apiserver_http::{Body, Handle};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use http::{Request, Response, header};
use kube_client::Client;
use kube_client::client::Body as RequestBody;
use runtime::provider::{ProjectPlanes, ProviderError};
use serde_json::Value;
use tower::Service;

use super::StandaloneError;
use super::platform::{Platform, prefix};
use crate::access::{MANAGER_USER, objects};
use crate::planes::{Connection, milo};

/// Field manager of the roles, and the user that puts them.
const GRANTER: &str = "network-services-access";
/// How long a plane in this process may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// The planes as the controllers see them: in process, as their own user.
pub(crate) async fn connect(platform: &Platform) -> Result<Connection, StandaloneError> {
    let granter = platform.handle(User::new(GRANTER, &[MASTERS]));
    let controllers = platform.handle(User::new(MANAGER_USER, &[]));
    for cluster in [ClusterName::Core, ClusterName::Hub] {
        grant(&granter, &cluster)
            .await
            .map_err(|problem| StandaloneError::Access { plane: cluster.to_string(), problem })?;
    }
    let client = |cluster: &ClusterName| Client::new(controllers.at(&prefix(cluster)), "default");
    let (core, hub) = (client(&ClusterName::Core), client(&ClusterName::Hub));
    Ok(milo(core, hub, EmbeddedProjects { granter, controllers }))
}

async fn grant(granter: &Handle, cluster: &ClusterName) -> Result<(), String> {
    let client = Client::new(granter.at(&prefix(cluster)), "default");
    let role = if matches!(cluster, ClusterName::Project(_)) { ClusterRole::Project } else { cluster.role() };
    for (collection, object) in objects(role, MANAGER_USER) {
        put(&client, &collection, &object).await?;
    }
    Ok(())
}

async fn put(client: &Client, collection: &str, object: &Value) -> Result<(), String> {
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let request = Request::patch(format!("{collection}/{name}?fieldManager={GRANTER}&force=true"))
        .header(header::CONTENT_TYPE, "application/apply-patch+yaml")
        .body(RequestBody::from(object.to_string().into_bytes()))
        .map_err(|error| error.to_string())?;
    let answered =
        runtime::transport::send(client, request, DEADLINE).await.map_err(|error| error.to_string())?;
    match answered.code {
        200 | 201 => Ok(()),
        code => Err(format!("{collection}/{name}: {code}: {}", engine::wire::status_text(&answered.body))),
    }
}

/// Clients of projects.
struct EmbeddedProjects {
    granter: Handle,
    controllers: Handle,
}

impl ProjectPlanes for EmbeddedProjects {
    fn project(&self, project: &ProjectName) -> Result<Client, ProviderError> {
        let cluster = ClusterName::Project(project.clone());
        let handle = self.controllers.at(&prefix(&cluster));
        let granter = self.granter.clone();
        let roles = async move {
            if let Err(problem) = grant(&granter, &cluster).await {
                tracing::error!(plane = %cluster, problem, "the controllers' roles cannot be put on the plane");
            }
        };
        Ok(Client::new(Granted { handle, granted: roles.boxed().shared() }, "default"))
    }
}

/// A plane that answers once its roles are there.
struct Granted {
    handle: Handle,
    granted: Shared<BoxFuture<'static, ()>>,
}

impl Service<Request<RequestBody>> for Granted {
    type Response = Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        let (mut handle, granted) = (self.handle.clone(), self.granted.clone());
        Box::pin(async move {
            granted.await;
            handle.call(request).await
        })
    }
}
