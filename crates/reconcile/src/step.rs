//! One write, as data: the object, the action, its preconditions, and a constant reason.

use std::fmt;

use api::builtin::EventReason;
use api::{ClusterName, Kind, ObjectKey, ResourceKind, Uid};
use serde::Serialize;
use serde_json::Value;

use crate::intent::Absent;
use crate::view::Stamp;

/// The object a step writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Target {
    /// The plane.
    pub cluster: ClusterName,
    /// The kind.
    pub resource: ResourceKind,
    /// Namespace and name.
    pub key: ObjectKey,
}

impl Target {
    /// Names an object of kind `K`.
    #[must_use]
    pub fn of<K: Kind>(cluster: ClusterName, key: ObjectKey) -> Self {
        Self { cluster, resource: K::RESOURCE, key }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} on {}", self.resource.kind, self.key, self.cluster)
    }
}

/// What a step does to its object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Action {
    /// POST of a new object with a derived name. The body has no `apiVersion`, `kind`, name or namespace: they come from the target.
    Create(Value),
    /// Server-side apply of these fields of the main resource, forced, carrying the observed uid.
    Apply(Value),
    /// Server-side apply of these fields of the status subresource.
    ApplyStatus(Value),
    /// JSON patch that removes what must not be there, testing uid and value.
    Remove(Vec<Absent>),
    /// Deletion, carrying the observed uid.
    Delete(Propagation),
    /// A `Warning` or `Normal` event about the target.
    Record(Event),
}

/// The action without its content: what attempts are remembered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// See [`Action::Create`].
    Create,
    /// See [`Action::Apply`].
    Apply,
    /// See [`Action::ApplyStatus`].
    ApplyStatus,
    /// See [`Action::Remove`].
    Remove,
    /// See [`Action::Delete`].
    Delete,
    /// See [`Action::Record`].
    Record,
}

impl Verb {
    /// Metric label.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Apply => "apply",
            Self::ApplyStatus => "apply-status",
            Self::Remove => "remove",
            Self::Delete => "delete",
            Self::Record => "record",
        }
    }
}

impl Action {
    /// The action without its content.
    #[must_use]
    pub fn verb(&self) -> Verb {
        match self {
            Self::Create(_) => Verb::Create,
            Self::Apply(_) => Verb::Apply,
            Self::ApplyStatus(_) => Verb::ApplyStatus,
            Self::Remove(_) => Verb::Remove,
            Self::Delete(_) => Verb::Delete,
            Self::Record(_) => Verb::Record,
        }
    }
}

/// How dependents of a deleted object go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Propagation {
    /// The collector removes dependents afterwards.
    Background,
    /// The object waits for its dependents.
    Foreground,
    /// Dependents stay.
    Orphan,
}

/// An `events.k8s.io/v1` event about the step's target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Event {
    /// Machine-readable reason; also says whether it is a warning.
    pub reason: EventReason,
    /// This life of the object it is about.
    pub regarding: Uid,
    /// What the controller did, such as `EndPresence`.
    pub action: &'static str,
    /// Sentence for people.
    pub note: String,
    /// When it happened.
    pub at: Stamp,
    /// Tells occurrences apart: the same event with the same occurrence is recorded once, however often it is planned.
    pub occurrence: String,
}

/// What must still hold when a step arrives. The uid that the pass read always travels; this is what comes on top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum Expect {
    /// The same life of the object.
    #[default]
    Uid,
    /// Exactly the version that the pass read: for writes that turn a condition True, record a reference or decide from
    /// the whole object.
    Version,
}

/// One write. No step uses the result of an earlier step of the same plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The object.
    pub target: Target,
    /// What is done to it.
    pub action: Action,
    /// Preconditions beyond the uid.
    pub expect: Expect,
    /// Field group within the controller: part of the field manager, `None` for the controller's main group.
    pub group: Option<&'static str>,
    /// It cannot be undone: every absence that the pass read is confirmed before it is sent.
    pub destroys: bool,
    /// Constant log message and metric label.
    pub why: &'static str,
}

impl Step {
    fn new(target: Target, action: Action, why: &'static str) -> Self {
        Self { target, action, expect: Expect::Uid, group: None, destroys: false, why }
    }

    /// Creates the target with this body.
    #[must_use]
    pub fn create(target: Target, body: Value, why: &'static str) -> Self {
        Self::new(target, Action::Create(body), why)
    }

    /// Holds these fields of the main resource.
    #[must_use]
    pub fn apply(target: Target, fields: Value, why: &'static str) -> Self {
        Self::new(target, Action::Apply(fields), why)
    }

    /// Holds these fields of the status.
    #[must_use]
    pub fn apply_status(target: Target, status: Value, why: &'static str) -> Self {
        Self::new(target, Action::ApplyStatus(status), why)
    }

    /// Takes these fields away.
    #[must_use]
    pub fn remove(target: Target, absent: Vec<Absent>, why: &'static str) -> Self {
        Self::new(target, Action::Remove(absent), why)
    }

    /// Deletes the target; dependents follow in the background.
    #[must_use]
    pub fn delete(target: Target, why: &'static str) -> Self {
        Self::new(target, Action::Delete(Propagation::Background), why)
    }

    /// Records an event about the target.
    #[must_use]
    pub fn record(target: Target, event: Event, why: &'static str) -> Self {
        Self::new(target, Action::Record(event), why)
    }

    /// Sends the version that the pass read as a precondition.
    #[must_use]
    pub fn at_version(mut self) -> Self {
        self.expect = Expect::Version;
        self
    }

    /// The same, if what is written must not be built on anything newer: it turns a condition True or records a reference.
    #[must_use]
    pub fn at_version_if(self, must: bool) -> Self {
        if must { self.at_version() } else { self }
    }

    /// Writes under the field manager of this group.
    #[must_use]
    pub fn in_group(mut self, group: &'static str) -> Self {
        self.group = Some(group);
        self
    }

    /// Marks the step as one that cannot be undone.
    #[must_use]
    pub fn destroying(mut self) -> Self {
        self.destroys = true;
        self
    }
}
