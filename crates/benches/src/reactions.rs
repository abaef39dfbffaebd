//! How long presence takes to follow a change elsewhere, one change at a time and without load: scenarios S3.6, A6, A7
//! and A9, whose tests assert that no timer brings the answer.

use std::time::{Duration, Instant};

use api::networking::{Network, NetworkBinding, NetworkContext};
use api::{ClusterName, Kind, ObjectKey, ResourceKind, locations};
use kube_client::Client;
use serde::Serialize;
use serde_json::{Value, json};

use crate::load::{self, LoadError};
use crate::presence::{HUB_NAMESPACE, NAMESPACE, binding, location, object};
use crate::report::Latency;
use crate::servers::{PROJECT, Servers};
use crate::sightings::Sightings;

/// How often each change is made.
const ROUNDS: u32 = 20;
/// The network that changes; bindings of the load name others.
const NETWORK: &str = "reactions";
/// A finalizer of the bench's own, which keeps a context while it goes.
const HOLD: &str = "bench.example.com/hold";

/// Milliseconds from a change to its answer.
#[derive(Debug, Serialize)]
pub(crate) struct Reactions {
    /// S3.6: a context turns Ready; its binding says so.
    pub(crate) context_ready_to_binding_ready: Latency,
    /// A6: a Location appears; the binding that waited for it is Ready.
    pub(crate) location_to_binding_ready: Latency,
    /// A7: a Network is edited; its context carries the new value.
    pub(crate) network_edit_to_context: Latency,
    /// A9: the last finalizer of a context that goes is taken off; the binding that waited is Ready, served anew.
    pub(crate) release_to_binding_ready: Latency,
}

struct Bench {
    hub: Client,
    project: Client,
    bindings: Sightings,
    contexts: Sightings,
}

/// Measures all of them.
pub(crate) async fn measure(servers: &Servers) -> Result<Reactions, LoadError> {
    let hub = servers.client(&ClusterName::Hub);
    let project = servers.client(&ClusterName::Project(PROJECT.into()));
    let bindings = Sightings::start(hub.clone(), NetworkBinding::RESOURCE);
    let contexts = Sightings::start(project.clone(), NetworkContext::RESOURCE);
    let bench = Bench { hub, project, bindings, contexts };
    let network = object::<Network>(NETWORK, &json!({"ipam": {"mode": "Auto"}}));
    load::create(&bench.project, Network::RESOURCE, Some(NAMESPACE), &network).await?;
    let (readiness, locations) = bench.locations_that_appear().await?;
    Ok(Reactions {
        context_ready_to_binding_ready: readiness,
        location_to_binding_ready: locations,
        network_edit_to_context: bench.edits_of_a_network().await?,
        release_to_binding_ready: bench.contexts_that_go().await?,
    })
}

fn path(kind: ResourceKind, namespace: &str, name: &str) -> String {
    let key = ObjectKey { namespace: Some(namespace.into()), name: name.into() };
    engine::request::object_path(kind, &key)
}

fn place(round: u32) -> String {
    format!("reaction{round}")
}

/// The context of a round; its plain name, which nobody else can have.
fn context_name(round: u32) -> String {
    format!("{NETWORK}-{}", place(round))
}

fn ready(object: &Value) -> Option<(&str, &str)> {
    let conditions = object.pointer("/status/conditions")?.as_array()?;
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready")?;
    Some((ready["status"].as_str()?, ready["reason"].as_str()?))
}

fn is_ready(object: &Value) -> bool {
    ready(object).is_some_and(|(status, _)| status == "True")
}

impl Bench {
    async fn bind(&self, name: &str, round: u32) -> Result<(), LoadError> {
        let body = binding(name, NETWORK, &place(round));
        load::create(&self.hub, NetworkBinding::RESOURCE, Some(HUB_NAMESPACE), &body).await
    }

    /// A6, and S3.6 on the way: the same binding follows its context.
    async fn locations_that_appear(&self) -> Result<(Latency, Latency), LoadError> {
        let (mut readiness, mut locations) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let name = place(round);
            self.bind(&name, round).await?;
            let waits = |object: &Value| ready(object) == Some(("False", "LocationNotAvailable"));
            self.bindings.until(&name, waits).await?;
            let changed = Instant::now();
            load::create(&self.project, locations::Location::RESOURCE, None, &location(&name)).await?;
            let context = self.contexts.until(&context_name(round), is_ready).await?;
            let answered = self.bindings.until(&name, is_ready).await?;
            readiness.push(answered.saturating_duration_since(context));
            locations.push(answered.duration_since(changed));
        }
        Ok((Latency::of(readiness), Latency::of(locations)))
    }

    /// A7.
    async fn edits_of_a_network(&self) -> Result<Latency, LoadError> {
        let mut waits: Vec<Duration> = Vec::new();
        for round in 0..ROUNDS {
            let mtu = 1400 + round;
            let changed = Instant::now();
            let edit = json!({"spec": {"mtu": mtu}});
            load::send(&self.project, "PATCH", &path(Network::RESOURCE, NAMESPACE, NETWORK), &edit).await?;
            let carries = |object: &Value| object.pointer("/spec/mtu") == Some(&json!(mtu));
            let followed = self.contexts.until(&context_name(round), carries).await?;
            waits.push(followed.duration_since(changed));
        }
        Ok(Latency::of(waits))
    }

    /// A9.
    async fn contexts_that_go(&self) -> Result<Latency, LoadError> {
        let mut waits: Vec<Duration> = Vec::new();
        for round in 0..ROUNDS {
            let context = path(NetworkContext::RESOURCE, NAMESPACE, &context_name(round));
            self.hold(&context, json!([HOLD])).await?;
            let before = path(NetworkBinding::RESOURCE, HUB_NAMESPACE, &place(round));
            load::send(&self.hub, "DELETE", &before, &Value::Null).await?;
            load::send(&self.project, "DELETE", &context, &Value::Null).await?;
            let name = format!("again{round}");
            self.bind(&name, round).await?;
            let waits_for_it = |object: &Value| ready(object) == Some(("False", "NetworkContextTerminating"));
            self.bindings.until(&name, waits_for_it).await?;
            let changed = Instant::now();
            self.hold(&context, Value::Null).await?;
            let answered = self.bindings.until(&name, is_ready).await?;
            waits.push(answered.duration_since(changed));
        }
        Ok(Latency::of(waits))
    }

    async fn hold(&self, context: &str, finalizers: Value) -> Result<(), LoadError> {
        let change = json!({"metadata": {"finalizers": finalizers}});
        load::send(&self.project, "PATCH", context, &change).await
    }
}
