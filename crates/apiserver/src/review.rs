//! Reviews: questions that are answered and never stored.

use serde_json::{Value, json};

use crate::decode::{BodyFormat, decode};
use crate::identity::User;
use crate::rbac::{Attributes, Subject};
use crate::resource::BuiltIn;
use crate::server::{Call, Response, Server};
use crate::status::Failure;

impl Server {
    pub(crate) fn review(&mut self, call: &Call<'_>) -> Result<Response, Failure> {
        let format = BodyFormat::of_object(&call.request.headers.content_type, false)?;
        let decoded = decode(&call.request.body, format).map_err(Failure::bad_request)?;
        let spec = decoded.value.get("spec").cloned().unwrap_or_default();
        let status = match call.resource.built_in {
            BuiltIn::TokenReview => self.review_token(&spec),
            BuiltIn::SelfReview => json!({"userInfo": user_info(&call.user)}),
            BuiltIn::RulesReview => self.review_rules(call, &spec),
            _ => self.review_access(call, &spec)?,
        };
        let mut answer = json!({"kind": call.resource.kind, "apiVersion": call.resource.api_version(),
            "metadata": {}, "status": status});
        if call.resource.built_in != BuiltIn::SelfReview
            && let Some(fields) = answer.as_object_mut()
        {
            fields.insert("spec".to_owned(), spec);
        }
        Ok(crate::read::encoded(call.accepted, 201, &answer))
    }

    fn review_token(&self, spec: &Value) -> Value {
        let token = spec.get("token").and_then(Value::as_str).unwrap_or_default();
        match self.tokens.find(token) {
            Some(user) => json!({"authenticated": true, "user": user_info(&user)}),
            None => json!({"user": {}, "error": "the token speaks for nobody known here"}),
        }
    }

    fn review_access(&self, call: &Call<'_>, spec: &Value) -> Result<Value, Failure> {
        let user = match call.resource.kind.as_str() {
            "SelfSubjectAccessReview" => call.user.clone(),
            _ => reviewed_user(spec),
        };
        let mut wanted = attributes(spec)?;
        if let Some(namespace) = &call.place.namespace {
            wanted.namespace.clone_from(namespace);
        }
        let allowed = self
            .planes
            .get(&call.plane)
            .is_some_and(|plane| plane.rules.allows(&Subject { user: &user }, &wanted));
        let reason = if allowed { "RBAC: allowed" } else { "" };
        Ok(if reason.is_empty() {
            json!({"allowed": allowed})
        } else {
            json!({"allowed": allowed, "reason": reason})
        })
    }

    fn review_rules(&self, call: &Call<'_>, spec: &Value) -> Value {
        let namespace = spec.get("namespace").and_then(Value::as_str).unwrap_or_default();
        let Some(plane) = self.planes.get(&call.plane) else { return Value::Null };
        let mut resources = Vec::new();
        let mut paths = Vec::new();
        if call.user.is_in(crate::identity::MASTERS) {
            resources.push(json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}));
            paths.push(json!({"verbs": ["*"], "nonResourceURLs": ["*"]}));
        }
        for rule in plane.rules.rules_of(&call.user, namespace) {
            match rule.shown() {
                (shown, true) => paths.push(shown),
                (shown, false) => resources.push(shown),
            }
        }
        json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
    }
}

fn user_info(user: &User) -> Value {
    let mut info = json!({"username": user.name, "groups": user.groups});
    if !user.uid.is_empty()
        && let Some(fields) = info.as_object_mut()
    {
        fields.insert("uid".to_owned(), json!(user.uid));
    }
    info
}

fn reviewed_user(spec: &Value) -> User {
    let text = |field: &str| spec.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let groups = spec.get("groups").and_then(Value::as_array).into_iter().flatten();
    let groups = groups.filter_map(Value::as_str).map(str::to_owned);
    User { name: text("user"), groups: groups.collect(), uid: text("uid") }
}

fn attributes(spec: &Value) -> Result<Attributes, Failure> {
    let text = |parent: &Value, field: &str| {
        parent.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    match (spec.get("resourceAttributes"), spec.get("nonResourceAttributes")) {
        (Some(of), None) => Ok(Attributes {
            verb: text(of, "verb"),
            group: text(of, "group"),
            version: text(of, "version"),
            resource: text(of, "resource"),
            subresource: text(of, "subresource"),
            namespace: text(of, "namespace"),
            name: text(of, "name"),
            path: String::new(),
        }),
        (None, Some(of)) => Ok(Attributes::non_resource(&text(of, "verb"), &text(of, "path"))),
        _ => {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            let error = crate::metadata::validate::invalid("spec.resourceAttributes", "null", why);
            Err(Failure::invalid("authorization.k8s.io", "SubjectAccessReview", "", &[error]))
        }
    }
}
