//! What an answer to a step means. Answers are told apart by step, code and details, not by code alone, and the table is
//! data: each row was measured on kube-apiserver 1.36.3 and is tested against it.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use reconcile::step::Verb;
use reconcile::{KindEntry, Object};
use serde::Deserialize;
use serde_json::Value;

/// The parts of a `Status` that decide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StatusBody {
    /// The server's sentence.
    pub message: String,
    /// Machine-readable reason, such as `AlreadyExists`.
    pub reason: String,
    /// What it is about.
    pub details: Option<StatusDetails>,
}

/// `details` of a `Status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StatusDetails {
    /// Name of the object.
    pub name: String,
    /// API group.
    pub group: String,
    /// Resource or kind.
    pub kind: String,
    /// Causes.
    pub causes: Option<Vec<StatusCause>>,
    /// When to come back, in seconds.
    pub retry_after_seconds: Option<u32>,
}

/// One cause of a `Status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StatusCause {
    /// Machine-readable type; on the wire it is called `reason`.
    pub reason: String,
    /// Sentence.
    pub message: String,
    /// Field path.
    pub field: String,
}

/// What came back for a request.
#[derive(Clone, Debug)]
pub enum Body {
    /// An object of the kind.
    Object(Box<Object>),
    /// A `Status`.
    Status(StatusBody),
    /// Anything else, such as a plain-text 404.
    Plain(String),
}

/// The answer to one step or fence.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The server replied.
    Replied {
        /// HTTP code.
        code: u16,
        /// Body, decoded as far as its type says.
        body: Body,
        /// The server's `Date`, if it sent one.
        date: Option<Timestamp>,
    },
    /// No reply: whether the request was applied is not known.
    Lost {
        /// What happened.
        message: String,
    },
}

impl Answer {
    /// Decodes a reply. `kind` says as what a success is decoded.
    #[must_use]
    pub fn read(code: u16, body: &[u8], kind: Option<&'static KindEntry>, date: Option<Timestamp>) -> Self {
        let body = match (code, kind) {
            (200..300, Some(kind)) if !is_status(body) => Body::Object(Box::new((kind.decode)(body))),
            (200..300, None) => Body::Plain(String::new()),
            _ => serde_json::from_slice::<StatusBody>(body)
                .map_or_else(|_| Body::Plain(String::from_utf8_lossy(body).into_owned()), Body::Status),
        };
        Self::Replied { code, body, date }
    }
}

fn is_status(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct TypeMeta {
        kind: Option<Value>,
    }
    serde_json::from_slice::<TypeMeta>(body).is_ok_and(|meta| meta.kind.is_some_and(|kind| kind == "Status"))
}

/// What the engine does with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// It is done.
    Applied,
    /// Somebody else was faster: counted, short back-off, not an error.
    Race,
    /// The object, or this life of it, is gone: nothing is left to do.
    Gone,
    /// The namespace is missing or going away: a refusal.
    Namespace,
    /// The kind is not served: a refusal until it is.
    NotServed,
    /// The plan was made on a state that has moved on.
    Replan,
    /// The server's schema lacks a field: visible, never retried blindly.
    SchemaTooOld,
    /// The server refuses this: an attempt.
    Refused,
    /// The server is busy and says so.
    Busy,
    /// Anything else: an error with back-off.
    Failed,
}

impl Meaning {
    /// Metric label.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Race => "race",
            Self::Gone => "gone",
            Self::Namespace => "namespace",
            Self::NotServed => "not-served",
            Self::Replan => "replan",
            Self::SchemaTooOld => "schema-too-old",
            Self::Refused => "refused",
            Self::Busy => "busy",
            Self::Failed => "failed",
        }
    }
}

/// What a row looks for beside verb and code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nothing more.
    Any,
    /// The Status has this reason.
    Reason(&'static str),
    /// The message contains this.
    Says(&'static str),
    /// The details name a namespace.
    NamesNamespace,
    /// The details name an object.
    NamesObject,
    /// A cause of this type.
    Cause(&'static str),
    /// A cause about this field.
    Field(&'static str),
    /// The body is no Status.
    PlainText,
}

/// One row: the first that matches decides.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Verbs it is for; empty for all.
    pub verbs: &'static [Verb],
    /// The code.
    pub code: u16,
    /// What else must be seen.
    pub evidence: Evidence,
    /// The meaning.
    pub meaning: Meaning,
    /// Its name in metrics (`cause`) and tests.
    pub name: &'static str,
}

const fn row(
    verbs: &'static [Verb],
    code: u16,
    evidence: Evidence,
    meaning: Meaning,
    name: &'static str,
) -> Row {
    Row { verbs, code, evidence, meaning, name }
}

/// The answer table. Order matters: the more specific row comes first.
pub const TABLE: &[Row] = &[
    row(&[Verb::Record], 409, Evidence::Reason("AlreadyExists"), Meaning::Applied, "event-recorded-before"),
    row(&[Verb::Create], 409, Evidence::Reason("AlreadyExists"), Meaning::Race, "already-exists"),
    row(&[Verb::Delete], 409, Evidence::Says("UID in precondition"), Meaning::Gone, "delete-uid"),
    row(&[Verb::Delete], 409, Evidence::Says("the UID in the precondition"), Meaning::Gone, "delete-uid"),
    row(
        &[Verb::Apply, Verb::ApplyStatus],
        409,
        Evidence::Says("uid mismatch"),
        Meaning::Gone,
        "apply-uid-absent",
    ),
    row(
        &[Verb::Apply, Verb::ApplyStatus],
        422,
        Evidence::Field("metadata.uid"),
        Meaning::Gone,
        "apply-uid-other",
    ),
    row(&[], 409, Evidence::Reason("Conflict"), Meaning::Race, "resource-version"),
    row(&[], 404, Evidence::PlainText, Meaning::NotServed, "kind-not-served"),
    row(&[], 404, Evidence::NamesNamespace, Meaning::Namespace, "namespace-missing"),
    row(&[], 404, Evidence::NamesObject, Meaning::Gone, "object-gone"),
    row(&[], 403, Evidence::Cause("NamespaceTerminating"), Meaning::Namespace, "namespace-terminating"),
    row(
        &[],
        422,
        Evidence::Says("no new finalizers can be added"),
        Meaning::Replan,
        "finalizer-while-deleting",
    ),
    row(&[Verb::Remove], 422, Evidence::Says("the server rejected our request"), Meaning::Race, "patch-test"),
    row(&[], 500, Evidence::Says("field not declared in schema"), Meaning::SchemaTooOld, "schema-too-old"),
    row(&[], 429, Evidence::Any, Meaning::Busy, "too-many-requests"),
    row(&[], 401, Evidence::Any, Meaning::Failed, "unauthorized"),
];

/// What an answer to a step of this verb means, and the name of the row that says so.
#[must_use]
pub fn meaning(verb: Verb, answer: &Answer) -> (Meaning, &'static str) {
    let Answer::Replied { code, body, .. } = answer else { return (Meaning::Failed, "lost") };
    if (200..300).contains(code) {
        return (Meaning::Applied, "applied");
    }
    let matches = |row: &&Row| {
        row.code == *code && (row.verbs.is_empty() || row.verbs.contains(&verb)) && shows(body, row.evidence)
    };
    match TABLE.iter().find(matches) {
        Some(row) => (row.meaning, row.name),
        None if (400..500).contains(code) => (Meaning::Refused, "refused"),
        None => (Meaning::Failed, "failed"),
    }
}

fn shows(body: &Body, evidence: Evidence) -> bool {
    let status = match (body, evidence) {
        (_, Evidence::Any) => return true,
        (Body::Status(status), _) => status,
        (_, evidence) => return evidence == Evidence::PlainText,
    };
    let details = status.details.as_ref();
    let causes = || details.and_then(|details| details.causes.as_deref()).unwrap_or_default().iter();
    match evidence {
        Evidence::Any => true,
        Evidence::PlainText => false,
        Evidence::Reason(reason) => status.reason == reason,
        Evidence::Says(text) => status.message.contains(text),
        Evidence::NamesNamespace => {
            details.is_some_and(|details| details.kind == "namespaces" && details.group.is_empty())
        }
        Evidence::NamesObject => details.is_some_and(|details| !details.name.is_empty()),
        Evidence::Cause(reason) => causes().any(|cause| cause.reason == reason),
        Evidence::Field(field) => causes().any(|cause| cause.field == field),
    }
}
