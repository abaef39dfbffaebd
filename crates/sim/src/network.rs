//! What is on the wire: who asked what of which plane, and where the answer goes.

use std::sync::Arc;

use api::ClusterName;
use apiserver::request::{Request, RequestId};
use engine::{Epoch, Failure, Input, StepId, StoreId};
use reconcile::KindEntry;
use serde_json::Value;

/// One manager process, by number: a process that starts again is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManagerId(pub u32);

impl std::fmt::Display for ManagerId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "manager-{}", self.0)
    }
}

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
    Fence(ManagerId, StoreId, &'static KindEntry),
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
            | Self::Fence(manager, ..)
            | Self::Lease(manager, _) => Some(*manager),
        }
    }
}

/// A request without an answer yet.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) purpose: Purpose,
    pub(crate) cluster: ClusterName,
}

/// A request as its sender sent it.
#[derive(Clone, Debug)]
pub struct Sent {
    /// The sender; none for users.
    pub manager: Option<ManagerId>,
    /// The plane.
    pub cluster: ClusterName,
    /// The request.
    pub request: Request,
}

impl Sent {
    /// Whether it may change something.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.request.method != "GET"
    }

    /// The namespaced object that it is about: namespace, plural, name. One that is made has its name in its body.
    #[must_use]
    pub fn object(&self) -> Option<(&str, &str, String)> {
        let (_, rest) = self.request.path.split_once("/namespaces/")?;
        let mut parts = rest.split('/');
        let (namespace, plural) = (parts.next()?, parts.next()?);
        let name = parts.next().map(str::to_owned).or_else(|| {
            let body: Value = serde_json::from_slice(&self.request.body).ok()?;
            body.pointer("/metadata/name").and_then(Value::as_str).map(str::to_owned)
        });
        Some((namespace, plural, name?))
    }

    /// In a line.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { manager, cluster, request } = self;
        let sender = manager.map_or_else(|| "user".to_owned(), |manager| manager.to_string());
        format!("request {} {} {} from {sender} to {cluster}", request.id.0, request.method, request.path)
    }
}

/// Something that will happen.
#[derive(Debug)]
pub(crate) enum Event {
    /// A request reaches its plane.
    Arrive(Arc<Sent>),
    /// An input reaches a process.
    Inform(ManagerId, Box<Input>),
    /// Whoever waits for this answer stops waiting.
    Deadline(RequestId),
    /// The next piece of a watch reaches its process.
    Deliver(RequestId),
    /// A process pings a plane on every connection to it.
    Ping(ManagerId, ClusterName),
    /// A process that stood still goes on.
    Resume(ManagerId),
    /// The provider of a process looks which planes there are.
    Look(ManagerId),
    /// The world's bad luck has its turn.
    Misfortune,
    /// Something that bad luck began ends.
    Mend(Mending),
}

impl Event {
    /// In a line.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Arrive(sent) => format!("{} arrives", sent.text()),
            Self::Inform(manager, input) => format!("{manager} learns: {}", learnt(input)),
            Self::Deadline(request) => format!("nobody waits for request {} any more", request.0),
            Self::Deliver(request) => format!("a piece of watch {} arrives", request.0),
            Self::Ping(manager, cluster) => format!("{manager} misses answers to its pings of {cluster}"),
            Self::Resume(manager) => format!("{manager} goes on"),
            Self::Look(manager) => format!("{manager} looks which planes there are"),
            Self::Misfortune => "bad luck has its turn".to_owned(),
            Self::Mend(mending) => format!("ends: {mending:?}"),
        }
    }
}

/// What an input says, without what it carries.
fn learnt(input: &Input) -> String {
    match input {
        Input::Listed(store, _, Ok(page)) => format!("{} objects of {store:?}", page.objects.len()),
        Input::Listed(store, _, Err(failure)) => format!("no list of {store:?}: {failure:?}"),
        Input::Watched(store, ..) => format!("an event of {store:?}"),
        Input::WatchEnded(store, _, failure) => format!("the end of the watch of {store:?}: {failure:?}"),
        Input::Answered(step, engine::Answer::Replied { code, .. }) => format!("{code} to {step:?}"),
        other => format!("{other:?}"),
    }
}

/// What ends when its time has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mending {
    /// A partition.
    Partition(ManagerId, ClusterName),
    /// A plane that is down.
    Plane(ClusterName),
    /// A plane that is away to be restored.
    Restored(ClusterName),
    /// A kind that is forbidden.
    Forbidden(ClusterName, String),
    /// A kind that is not served.
    Unserved(ClusterName, String),
    /// A credential that is refused.
    Credential(ClusterName),
    /// A kind whose lists take long.
    Slow(ClusterName, String),
    /// An object that does not decode: where it is, and its uid.
    Malformed(ClusterName, String, String),
    /// A process that ended in good order.
    Drained(ManagerId),
    /// A process that died.
    Replica(u32),
    /// A project whose plane is disengaged.
    Project(ClusterName),
}

/// What an ended watch says to its engine.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// A line.
    Line(bytes::Bytes),
    /// The end.
    End(Failure),
}

/// Path prefix of a plane on an embedded server that mounts all of them.
#[must_use]
pub fn prefix(cluster: &ClusterName) -> String {
    match cluster {
        ClusterName::Core => String::new(),
        ClusterName::Hub => "/clusters/hub".to_owned(),
        ClusterName::Cell(name) => format!("/clusters/{name}"),
        ClusterName::Project(project) | ClusterName::Ipam(project) => {
            format!("/apis/resourcemanager.miloapis.com/v1alpha1/projects/{project}/control-plane")
        }
    }
}
