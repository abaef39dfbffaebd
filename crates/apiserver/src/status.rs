//! Refusals, in kube-apiserver's `Status` form: code, reason, message, details and causes.
//!
//! Every refusal of this crate is a [`Failure`]; texts follow kube-apiserver 1.36, because clients match on them.

use serde_json::{Map, Value, json};

use crate::field_error::FieldError;
use crate::resource::Resource;

/// A refusal as a client will read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// HTTP code, also `Status.code`.
    pub code: u16,
    /// `Status.reason`; empty where kube-apiserver gives none.
    pub reason: &'static str,
    /// `Status.message`.
    pub message: String,
    /// `Status.details`; `Null` where kube-apiserver gives none.
    pub details: Value,
}

impl Failure {
    /// A refusal with a code, a reason and a text.
    #[must_use]
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: Value::Null }
    }

    /// The same refusal with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// 400: the request is malformed.
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 401: nobody known is asking.
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 404 for a path that names nothing: plain text on the wire, as kube-apiserver's mux answers.
    #[must_use]
    pub fn no_such_path() -> Self {
        Self::new(404, "", "404 page not found\n")
    }

    /// 404 for a path under a known group whose resource is not served.
    #[must_use]
    pub fn no_such_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").with_details(json!({}))
    }

    /// 404 for an absent object.
    #[must_use]
    pub fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", resource.qualified());
        Self::new(404, "NotFound", message).with_details(object_details(resource, name))
    }

    /// 404 for something that would be in a namespace that is absent.
    #[must_use]
    pub fn no_such_namespace(namespace: &str) -> Self {
        let message = format!("namespaces \"{namespace}\" not found");
        let details = json!({"name": namespace, "kind": "namespaces"});
        Self::new(404, "NotFound", message).with_details(details)
    }

    /// 409 for a name that is taken.
    #[must_use]
    pub fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", resource.qualified());
        Self::new(409, "AlreadyExists", message).with_details(object_details(resource, name))
    }

    /// 409 for a stale `resourceVersion`.
    #[must_use]
    pub fn modified(resource: &Resource, name: &str) -> Self {
        Self::conflict(
            resource,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 409 with a text of its own.
    #[must_use]
    pub fn conflict(resource: &Resource, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", resource.qualified());
        Self::new(409, "Conflict", message).with_details(object_details(resource, name))
    }

    /// 409 for a precondition that does not hold; it names the resource, as kube-apiserver 1.36 does for built-in kinds,
    /// and the kind for custom resources.
    #[must_use]
    pub fn precondition(resource: &Resource, name: &str, why: &str) -> Self {
        let named = resource.kind_or_resource();
        let message =
            format!("Operation cannot be fulfilled on {} \"{name}\": {why}", resource.qualify(named));
        Self::new(409, "Conflict", message).with_details(details(name, &resource.group, named))
    }

    /// 422 with causes; `kind` is what the object calls itself.
    #[must_use]
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let qualified = qualify(kind, group);
        let mut texts: Vec<String> = Vec::new();
        for text in errors.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let message = match texts.as_slice() {
            [] => format!("{qualified} \"{name}\" is invalid"),
            [only] => format!("{qualified} \"{name}\" is invalid: {only}"),
            many => format!("{qualified} \"{name}\" is invalid: [{}]", many.join(", ")),
        };
        let mut found = details(name, group, kind);
        let causes: Vec<Value> = errors.iter().map(cause).collect();
        if let Value::Object(fields) = &mut found
            && !causes.is_empty()
        {
            fields.insert("causes".to_owned(), Value::Array(causes));
        }
        Self::new(422, "Invalid", message).with_details(found)
    }

    /// 403 for a verb that the caller may not use, or that the object's state forbids.
    #[must_use]
    pub fn forbidden(resource: &Resource, name: &str, why: &str) -> Self {
        let object = if name.is_empty() { String::new() } else { format!(" \"{name}\"") };
        let message = format!("{}{object} is forbidden: {why}", resource.qualified());
        Self::new(403, "Forbidden", message).with_details(object_details(resource, name))
    }

    /// 403 for creating something in a namespace that is going away; clients look for the cause.
    #[must_use]
    pub fn namespace_terminating(resource: &Resource, name: &str, namespace: &str) -> Self {
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let mut failure = Self::forbidden(resource, name, &why);
        if let Value::Object(fields) = &mut failure.details {
            let message = format!("namespace {namespace} is being terminated");
            let cause =
                json!({"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"});
            fields.insert("causes".to_owned(), json!([cause]));
        }
        failure
    }

    /// 405 for a verb that the resource does not know.
    #[must_use]
    pub fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
            .with_details(json!({}))
    }

    /// 406 for an `Accept` that names no form we speak.
    #[must_use]
    pub fn not_acceptable(available: &str) -> Self {
        let message = format!("406: Not Acceptable\n\nAvailable representations: {available}");
        Self::new(406, "NotAcceptable", message).with_details(json!({}))
    }

    /// 415 for a body in a form we do not read.
    #[must_use]
    pub fn unsupported_media_type(accepted: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 413 for a body over the limit.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {limit}"))
    }

    /// 410 for a revision that is no longer kept.
    #[must_use]
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 504 for a revision that has not happened yet.
    #[must_use]
    pub fn too_large_revision(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
        Self::new(504, "Timeout", message).with_details(json!({"causes": [cause], "retryAfterSeconds": 1}))
    }

    pub(crate) fn is_revision_too_large(&self) -> bool {
        self.code == 504 && self.reason == "Timeout"
    }

    /// 429: the server has as much to do as it takes on; plain text, as kube-apiserver's filter answers.
    #[must_use]
    pub fn too_many_requests() -> Self {
        Self::new(429, "", "Too many requests, please try again later.\n")
            .with_details(json!({"retryAfterSeconds": 1}))
    }

    /// 500: we, not the client, are at fault.
    #[must_use]
    pub fn internal(message: impl std::fmt::Display) -> Self {
        let message = message.to_string();
        let cause = json!({"message": message});
        Self::new(500, "InternalError", format!("Internal error occurred: {message}"))
            .with_details(json!({"causes": [cause]}))
    }

    /// The `Status` object.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut status = Map::new();
        status.insert("kind".to_owned(), json!("Status"));
        status.insert("apiVersion".to_owned(), json!("v1"));
        status.insert("metadata".to_owned(), json!({}));
        status.insert("status".to_owned(), json!("Failure"));
        status.insert("message".to_owned(), json!(self.message));
        if !self.reason.is_empty() {
            status.insert("reason".to_owned(), json!(self.reason));
        }
        if !self.details.is_null() {
            status.insert("details".to_owned(), self.details.clone());
        }
        status.insert("code".to_owned(), json!(self.code));
        Value::Object(status)
    }
}

/// The `Status` that answers a completed deletion.
#[must_use]
pub fn deleted(resource: &Resource, name: &str, uid: &str) -> Value {
    let mut found = object_details(resource, name);
    if let Value::Object(fields) = &mut found {
        fields.insert("uid".to_owned(), json!(uid));
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": found})
}

/// `plural.group`, or the plural alone in the core group.
pub(crate) fn qualify(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

fn cause(error: &FieldError) -> Value {
    json!({"reason": error.kind.reason(), "message": error.message, "field": error.field})
}

fn object_details(resource: &Resource, name: &str) -> Value {
    details(name, &resource.group, &resource.plural)
}

fn details(name: &str, group: &str, kind: &str) -> Value {
    let mut fields = Map::new();
    for (key, text) in [("name", name), ("group", group), ("kind", kind)] {
        if !text.is_empty() {
            fields.insert(key.to_owned(), json!(text));
        }
    }
    Value::Object(fields)
}

/// `group/version`, or the version alone in the core group.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}
