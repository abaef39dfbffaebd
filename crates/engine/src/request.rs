//! Requests as data: paths, queries and bodies of what a step sends.

use std::time::Duration;

use api::{ClusterName, ObjectKey, ResourceKind, Scope};
use reconcile::facet::stable_hash;
use reconcile::intent::is_held;
use reconcile::{Absent, Action, Event, Expect, KindEntry, Meta, Propagation, Step, Target};
use serde_json::{Map, Value, json};

/// HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// GET
    Get,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
}

impl Method {
    /// The method's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// One request, to be sent as it is.
#[derive(Clone, Debug)]
pub struct Request {
    /// The plane.
    pub cluster: ClusterName,
    /// Method.
    pub method: Method,
    /// Path without the plane's prefix, query included.
    pub path: String,
    /// `Content-Type` of the body, empty without a body.
    pub content_type: &'static str,
    /// Body.
    pub body: Vec<u8>,
    /// After this the request counts as lost.
    pub timeout: Duration,
    /// As what a success is decoded; `None` if only the code matters.
    pub kind: Option<&'static KindEntry>,
}

/// `Content-Type` of a JSON body.
pub const JSON: &str = "application/json";
/// `Content-Type` of a server-side apply.
pub const APPLY: &str = "application/apply-patch+yaml";
/// `Content-Type` of a JSON patch (RFC 6902).
pub const JSON_PATCH: &str = "application/json-patch+json";

/// Path of a collection.
#[must_use]
pub fn collection_path(resource: ResourceKind, namespace: Option<&str>) -> String {
    let root = if resource.group.is_empty() {
        format!("/api/{}", resource.version)
    } else {
        format!("/apis/{}/{}", resource.group, resource.version)
    };
    match (resource.scope, namespace) {
        (Scope::Namespaced, Some(namespace)) => format!("{root}/namespaces/{namespace}/{}", resource.plural),
        _ => format!("{root}/{}", resource.plural),
    }
}

/// Path of one object.
#[must_use]
pub fn object_path(resource: ResourceKind, key: &ObjectKey) -> String {
    let namespace = key.namespace.as_ref().map(AsRef::as_ref);
    format!("{}/{}", collection_path(resource, namespace), key.name)
}

/// The object a step is for, as the cache holds it.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// Its metadata.
    pub meta: &'a Meta,
    /// The whole object as JSON.
    pub encoded: &'a Value,
}

/// Whether a step has anything to send, given the object the cache holds: most have not, in most passes.
#[must_use]
pub fn is_needed(step: &Step, held: Option<Held<'_>>) -> bool {
    match (&step.action, held) {
        (Action::Create(_), None) | (Action::Record(_), _) => true,
        (Action::Apply(fields), Some(held)) => !is_held(fields, held.encoded),
        (Action::ApplyStatus(status), Some(held)) => !is_status_held(status, held.encoded),
        (Action::Remove(absent), Some(held)) => {
            absent.iter().any(|absent| absent.is_violated_by(held.encoded))
        }
        (Action::Delete(_), Some(held)) => !held.meta.deleting,
        (Action::Create(_), Some(_)) | (_, None) => false,
    }
}

/// What a step sends now, given the object the cache holds. `None` if the object is already as the step wants it.
#[must_use]
pub fn of_step(step: &Step, held: Option<Held<'_>>, manager: &str, timeout: Duration) -> Option<Request> {
    if !is_needed(step, held) {
        return None;
    }
    let target = &step.target;
    let path = object_path(target.resource, &target.key);
    let request = |method, path: String, content_type, body: Value| Request {
        cluster: target.cluster.clone(),
        method,
        path,
        content_type,
        body: body.to_string().into_bytes(),
        timeout,
        kind: None,
    };
    let applied = |path: String, fields: Value, held: Held<'_>| {
        let query = format!("{path}?fieldManager={manager}&force=true&fieldValidation=Strict");
        request(Method::Patch, query, APPLY, with_identity(fields, step, Some(held)))
    };
    Some(match (&step.action, held) {
        (Action::Create(body), None) => {
            let namespace = target.key.namespace.as_ref().map(AsRef::as_ref);
            let path = collection_path(target.resource, namespace);
            let query = format!("{path}?fieldManager={manager}&fieldValidation=Strict");
            request(Method::Post, query, JSON, with_identity(body.clone(), step, None))
        }
        (Action::Apply(fields), Some(held)) => applied(path, fields.clone(), held),
        (Action::ApplyStatus(status), Some(held)) => {
            applied(format!("{path}/status"), json!({ "status": status }), held)
        }
        (Action::Remove(absent), Some(held)) => request(
            Method::Patch,
            format!("{path}?fieldManager={manager}"),
            JSON_PATCH,
            removal(absent, step, held)?,
        ),
        (Action::Delete(propagation), Some(held)) => {
            request(Method::Delete, path, JSON, deletion(*propagation, step.expect, held))
        }
        (Action::Record(event), _) => {
            let namespace = target.key.namespace.as_ref().map_or("default", |namespace| namespace.as_str());
            let path = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events?fieldManager={manager}");
            request(Method::Post, path, JSON, event_body(event, target, namespace, manager))
        }
        _ => return None,
    })
}

/// Adds what every write says about its object.
fn with_identity(mut body: Value, step: &Step, held: Option<Held<'_>>) -> Value {
    let target = &step.target;
    if let Value::Object(fields) = &mut body {
        fields.insert("apiVersion".to_owned(), target.resource.api_version().into());
        fields.insert("kind".to_owned(), target.resource.kind.into());
        let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(metadata) = metadata {
            metadata.insert("name".to_owned(), target.key.name.as_str().into());
            if let Some(namespace) = &target.key.namespace {
                metadata.insert("namespace".to_owned(), namespace.as_str().into());
            }
            if let Some(held) = held {
                metadata.insert("uid".to_owned(), held.meta.uid.as_str().into());
                if step.expect == Expect::Version {
                    metadata.insert("resourceVersion".to_owned(), held.meta.version.as_str().into());
                }
            }
        }
    }
    body
}

fn is_status_held(status: &Value, encoded: &Value) -> bool {
    encoded.get("status").is_some_and(|held| is_held(status, held))
}

fn removal(absent: &[Absent], step: &Step, held: Held<'_>) -> Option<Value> {
    let mut operations = vec![json!({"op": "test", "path": "/metadata/uid", "value": held.meta.uid})];
    if step.expect == Expect::Version {
        operations
            .push(json!({"op": "test", "path": "/metadata/resourceVersion", "value": held.meta.version}));
    }
    let tests = operations.len();
    for absent in absent.iter().filter(|absent| absent.is_violated_by(held.encoded)) {
        let pointer = match absent {
            Absent::Field(pointer) => pointer.clone(),
            Absent::Finalizer(finalizer) => {
                let index = held.meta.finalizers.iter().position(|entry| entry == finalizer)?;
                format!("/metadata/finalizers/{index}")
            }
        };
        let value = held.encoded.pointer(&pointer)?.clone();
        operations.push(json!({"op": "test", "path": pointer, "value": value}));
        operations.push(json!({"op": "remove", "path": pointer}));
    }
    (operations.len() > tests).then_some(Value::Array(operations))
}

fn deletion(propagation: Propagation, expect: Expect, held: Held<'_>) -> Value {
    let mut preconditions = json!({ "uid": held.meta.uid });
    if expect == Expect::Version {
        preconditions["resourceVersion"] = held.meta.version.as_str().into();
    }
    json!({
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": preconditions,
        "propagationPolicy": format!("{propagation:?}"),
    })
}

fn event_body(event: &Event, target: &Target, namespace: &str, manager: &str) -> Value {
    let hash = stable_hash(&(event.regarding.as_str(), event.reason, &event.occurrence));
    json!({
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": { "namespace": namespace, "name": event_name(target.key.name.as_str(), hash) },
        "eventTime": format!("{:.6}", event.at.to_write()),
        "reportingController": manager,
        "reportingInstance": manager,
        "action": event.action,
        "reason": event.reason,
        "type": event.reason.event_type(),
        "note": event.note,
        "regarding": {
            "apiVersion": target.resource.api_version(),
            "kind": target.resource.kind,
            "namespace": target.key.namespace,
            "name": target.key.name,
            "uid": event.regarding,
        },
    })
}

/// `<object>.<16 hex>`, cut so that it stays a valid object name.
fn event_name(object: &str, hash: u64) -> String {
    let end =
        object.char_indices().map(|(at, _)| at).take_while(|at| *at < 236).last().map_or(0, |at| at + 1);
    format!("{}.{hash:016x}", object.get(..end).unwrap_or(object))
}
