//! What lists, watches, fences and leases look like on the wire: paths out, bytes in. Both shells use it.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use api::{ClusterName, NamespaceName, ObjectName};
use jiff::Timestamp;
use reconcile::KindEntry;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::StatusBody;
use crate::engine::{FenceAnswer, Page, Watched};
use crate::informer::Failure;
use crate::lease::{LeaseAnswer, LeaseRecord, LeaseWant};
use crate::request::{JSON, Method, Request, collection_path};

#[derive(Deserialize)]
struct ListBody<'a> {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListMeta {
    resource_version: String,
    r#continue: String,
}

#[derive(Deserialize)]
struct EventBody<'a> {
    r#type: String,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// What is read of a Lease every few seconds; the rest of it is skipped.
#[derive(Deserialize)]
struct LeaseBody {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(default)]
    spec: LeaseTerms,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct LeaseTerms {
    holder_identity: Option<String>,
    lease_duration_seconds: Option<i64>,
    acquire_time: Option<String>,
    renew_time: Option<String>,
    lease_transitions: Option<i64>,
}

#[derive(Deserialize)]
struct Coded {
    code: Option<u16>,
}

/// Path of one page.
#[must_use]
pub fn page_path(kind: &KindEntry, limit: u32, continue_token: Option<&str>) -> String {
    let mut path = format!("{}?limit={limit}", collection_path(kind.resource, None));
    if let Some(token) = continue_token {
        path.push_str("&continue=");
        path.push_str(&encoded(token));
    }
    path
}

/// Path of a watch.
#[must_use]
pub fn watch_path(kind: &KindEntry, from: &str, timeout_seconds: u64) -> String {
    format!(
        "{}?watch=true&allowWatchBookmarks=true&resourceVersion={from}&timeoutSeconds={timeout_seconds}",
        collection_path(kind.resource, None)
    )
}

/// Path of a fence. It asks for no particular version, so no cache may answer it.
#[must_use]
pub fn fence_path(kind: &KindEntry) -> String {
    format!("{}?limit=1", collection_path(kind.resource, None))
}

/// Reads a page.
///
/// # Errors
/// Why there is none; a refusal is one too.
pub fn read_page(code: u16, body: &[u8], kind: &'static KindEntry) -> Result<Page, Failure> {
    if code != 200 {
        return Err(refused(code, body));
    }
    let list: ListBody<'_> = serde_json::from_slice(body)
        .map_err(|error| Failure::Other(format!("the list does not decode: {error}")))?;
    let items = list.items.unwrap_or_default();
    let objects = items.into_iter().map(|item| (kind.decode)(item.get().as_bytes())).collect();
    let continue_token = (!list.metadata.r#continue.is_empty()).then_some(list.metadata.r#continue);
    Ok(Page { objects, continue_token, version: list.metadata.resource_version })
}

/// Reads one line of a watch; an empty line is nothing.
///
/// # Errors
/// An event that says the watch is over, or one that does not decode.
pub fn read_event(line: &[u8], kind: &'static KindEntry) -> Result<Option<Watched>, Failure> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let event: EventBody<'_> = serde_json::from_slice(line)
        .map_err(|error| Failure::Other(format!("an event does not decode: {error}")))?;
    let bytes = event.object.get().as_bytes();
    let object = || (kind.decode)(bytes);
    match event.r#type.as_str() {
        "ADDED" | "MODIFIED" => Ok(Some(Watched::Applied(object()))),
        "DELETED" => Ok(Some(Watched::Deleted(object()))),
        "BOOKMARK" => Ok(Some(Watched::Bookmark(object().meta.version.as_str().to_owned()))),
        _ => {
            let code = serde_json::from_slice::<Coded>(bytes).ok().and_then(|coded| coded.code);
            Err(refused(code.unwrap_or(500), bytes))
        }
    }
}

/// What a code other than 200 means for a list or watch.
#[must_use]
pub fn refused(code: u16, body: &[u8]) -> Failure {
    let text = status_text(body);
    match code {
        410 => Failure::Gone,
        401 | 403 => Failure::Forbidden(text),
        404 => Failure::NotServed,
        502..=504 => Failure::Unreachable(text),
        _ => Failure::Other(format!("{code}: {text}")),
    }
}

/// Reads the answer to a fence.
#[must_use]
pub fn read_fence(code: u16, body: &[u8], server_time: Option<Timestamp>) -> FenceAnswer {
    if code != 200 {
        return FenceAnswer::Failed(status_text(body));
    }
    match serde_json::from_slice::<ListBody<'_>>(body) {
        Ok(list) => FenceAnswer::At { version: list.metadata.resource_version, server_time },
        Err(error) => FenceAnswer::Failed(format!("the list does not decode: {error}")),
    }
}

/// The words of a Status, or the body as text.
#[must_use]
pub fn status_text(body: &[u8]) -> String {
    match serde_json::from_slice::<StatusBody>(body) {
        Ok(status) if !status.message.is_empty() => status.message,
        _ => String::from_utf8_lossy(body).into_owned(),
    }
}

/// Percent-encodes everything that is not unreserved (RFC 3986).
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Where a Lease lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasePlace {
    /// The management plane.
    pub cluster: ClusterName,
    /// Namespace.
    pub namespace: NamespaceName,
    /// Name.
    pub name: ObjectName,
}

/// How long one lease request may take; well below the renew deadline.
const LEASE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(4);

impl LeasePlace {
    /// The request that does what the lease wants.
    #[must_use]
    pub fn request(&self, want: &LeaseWant) -> Request {
        let collection = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace);
        let object = format!("{collection}/{}", self.name);
        let (method, path, body) = match want {
            LeaseWant::Read => (Method::Get, object, Vec::new()),
            LeaseWant::Write(record) if record.version.is_empty() => {
                (Method::Post, collection, self.body(record).to_string().into_bytes())
            }
            LeaseWant::Write(record) => (Method::Put, object, self.body(record).to_string().into_bytes()),
        };
        let cluster = self.cluster.clone();
        Request { cluster, method, path, content_type: JSON, body, timeout: LEASE_TIMEOUT, kind: None }
    }

    /// What came back for it.
    #[must_use]
    pub fn read(&self, code: u16, body: &[u8]) -> LeaseAnswer {
        match code {
            200 | 201 => match serde_json::from_slice::<LeaseBody>(body) {
                Ok(lease) => LeaseAnswer::Record(lease.into()),
                Err(error) => self.failed(&format!("the answer does not decode: {error}")),
            },
            404 if is_missing_lease(body) => LeaseAnswer::Missing,
            409 => LeaseAnswer::Conflict,
            code => self.failed(&format!("{code}: {}", status_text(body))),
        }
    }

    /// A failure in words that name the Lease.
    #[must_use]
    pub fn failed(&self, text: &str) -> LeaseAnswer {
        LeaseAnswer::Failed(format!("Lease {}/{} on {}: {text}", self.namespace, self.name, self.cluster))
    }

    fn body(&self, record: &LeaseRecord) -> Value {
        let micro = |time: Option<Timestamp>| time.map(|time| format!("{time:.6}"));
        let mut metadata = json!({"name": self.name, "namespace": self.namespace});
        if !record.version.is_empty() {
            metadata["resourceVersion"] = record.version.as_str().into();
        }
        json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": metadata,
            "spec": {
                "holderIdentity": record.holder,
                "leaseDurationSeconds": record.duration_seconds.max(1),
                "acquireTime": micro(record.acquired),
                "renewTime": micro(record.renewed),
                "leaseTransitions": record.transitions,
            },
        })
    }
}

/// A 404 that names the Lease; one that names the namespace or no object is a failure.
fn is_missing_lease(body: &[u8]) -> bool {
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    status.pointer("/details/kind").and_then(Value::as_str) == Some("leases")
}

impl From<LeaseBody> for LeaseRecord {
    fn from(LeaseBody { metadata, spec }: LeaseBody) -> Self {
        let time = |text: Option<String>| text.and_then(|text| text.parse().ok());
        Self {
            version: metadata.resource_version,
            holder: spec.holder_identity.unwrap_or_default(),
            duration_seconds: spec.lease_duration_seconds.unwrap_or_default(),
            acquired: time(spec.acquire_time),
            renewed: time(spec.renew_time),
            transitions: spec.lease_transitions.unwrap_or_default(),
        }
    }
}
