//! A server of config maps: versions, watches, preconditions, and refusals that a test asks for. It knows nothing of schema
//! or field managers: an apply merges.

use std::collections::BTreeMap;

use super::*;
use crate::engine::{FenceAnswer, Page, Watched};
use crate::informer::Failure;

type Place = (ClusterName, String, String);

#[derive(Clone, Default)]
pub(super) struct Server {
    objects: BTreeMap<Place, Value>,
    log: Vec<(u64, ClusterName, bool, Value)>,
    version: u64,
    next_uid: u64,
    /// Clusters that do not answer.
    pub(super) unreachable: Vec<ClusterName>,
    /// Answers to the next writes, by method: code and body.
    pub(super) scripted: Vec<(Method, u16, Value)>,
    /// A value that the server writes in place of what was asked for, as a defaulting webhook would.
    pub(super) overwrites: Option<(&'static str, &'static str)>,
    /// How far the server's clock is from the engine's.
    pub(super) clock_behind: Duration,
    /// A finalizer on every new object.
    pub(super) finalizer: Option<&'static str>,
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn status(code: u16, reason: &str, message: &str, name: &str) -> Answer {
    let body = json!({"kind": "Status", "code": code, "reason": reason, "message": message,
        "details": {"name": name, "kind": "configmaps"}});
    Answer::read(code, body.to_string().as_bytes(), None, None)
}

impl Server {
    pub(super) fn get(&self, cluster: &ClusterName, namespace: &str, name: &str) -> Option<&Value> {
        self.objects.get(&(cluster.clone(), namespace.to_owned(), name.to_owned()))
    }

    /// A write of somebody else.
    pub(super) fn put(&mut self, cluster: &ClusterName, namespace: &str, name: &str, fields: Value) {
        let place = (cluster.clone(), namespace.to_owned(), name.to_owned());
        let mut object = self.objects.get(&place).cloned().unwrap_or_else(|| self.fresh(namespace, name));
        if let Value::Object(fields) = fields {
            for (field, value) in fields {
                if field == "metadata" {
                    merge(&mut object["metadata"], &value);
                } else {
                    object[field] = value;
                }
            }
        }
        self.keep(place, object);
    }

    fn fresh(&mut self, namespace: &str, name: &str) -> Value {
        self.next_uid += 1;
        let mut object =
            json!({"metadata": {"name": name, "namespace": namespace, "uid": format!("u{}", self.next_uid)}});
        if let Some(finalizer) = self.finalizer {
            object["metadata"]["finalizers"] = json!([finalizer]);
        }
        object
    }

    fn keep(&mut self, place: Place, mut object: Value) -> Value {
        if let Some(held) = self.objects.get(&place) {
            object["metadata"]["resourceVersion"] = held["metadata"]["resourceVersion"].clone();
            if *held == object {
                return object;
            }
        }
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.log.push((self.version, place.0.clone(), false, object.clone()));
        self.objects.insert(place, object.clone());
        object
    }

    /// A deletion by somebody else.
    pub(super) fn delete(&mut self, cluster: &ClusterName, namespace: &str, name: &str) {
        let place = (cluster.clone(), namespace.to_owned(), name.to_owned());
        if let Some(mut object) = self.objects.remove(&place) {
            self.version += 1;
            object["metadata"]["resourceVersion"] = self.version.to_string().into();
            self.log.push((self.version, place.0, true, object));
        }
    }

    /// Takes an object away without telling any watch: it went while nobody looked.
    pub(super) fn lose(&mut self, cluster: &ClusterName, namespace: &str, name: &str) {
        self.objects.remove(&(cluster.clone(), namespace.to_owned(), name.to_owned()));
        self.version += 1;
    }

    pub(super) fn page(&self, listing: &Listing) -> Result<Page, Failure> {
        let Listing { cluster, kind, limit, token, .. } = listing;
        if self.unreachable.contains(cluster) {
            return Err(Failure::Unreachable("no route".to_owned()));
        }
        let start: usize = token.as_ref().map_or(0, |token| token.parse().unwrap());
        let objects = self.objects.iter().filter(|((of, ..), _)| of == cluster);
        let all: Vec<&Value> = objects.map(|(_, object)| object).collect();
        let end = (start + *limit as usize).min(all.len());
        let objects = all[start..end].iter().map(|one| (kind.decode)(one.to_string().as_bytes())).collect();
        let continue_token = (end < all.len()).then(|| end.to_string());
        Ok(Page { objects, continue_token, version: self.version.to_string() })
    }

    pub(super) fn bookmark(&self, cluster: &ClusterName) -> Option<(u64, Watched)> {
        let is_reachable = !self.unreachable.contains(cluster);
        is_reachable.then(|| (self.version, Watched::Bookmark(self.version.to_string())))
    }

    pub(super) fn event_after(
        &self,
        cluster: &ClusterName,
        kind: &'static KindEntry,
        told: u64,
    ) -> Option<(u64, Watched)> {
        if self.unreachable.contains(cluster) {
            return None;
        }
        let (version, _, is_deletion, object) =
            self.log.iter().find(|(version, of, ..)| of == cluster && *version > told)?;
        let object = (kind.decode)(object.to_string().as_bytes());
        Some((*version, if *is_deletion { Watched::Deleted(object) } else { Watched::Applied(object) }))
    }

    pub(super) fn fence(&self, cluster: &ClusterName, _: &'static KindEntry, now: Timestamp) -> FenceAnswer {
        if self.unreachable.contains(cluster) {
            return FenceAnswer::Failed("no route".to_owned());
        }
        let behind = jiff::SignedDuration::try_from(self.clock_behind).unwrap();
        FenceAnswer::At { version: self.version.to_string(), server_time: now.checked_sub(behind).ok() }
    }

    pub(super) fn answer(&mut self, request: &Request) -> Answer {
        if self.unreachable.contains(&request.cluster) {
            return Answer::Lost { message: "no route".to_owned() };
        }
        if let Some(at) = self.scripted.iter().position(|(method, ..)| *method == request.method) {
            let (_, code, body) = self.scripted.remove(at);
            return Answer::read(code, body.to_string().as_bytes(), None, None);
        }
        let path = path_of(request);
        let parts: Vec<&str> = path.split('/').collect();
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let name = parts.get(2).copied().or(body["metadata"]["name"].as_str()).unwrap();
        let place = (request.cluster.clone(), parts[0].to_owned(), name.to_owned());
        let held = self.objects.get(&place).cloned();
        match (request.method, held) {
            (Method::Post, Some(_)) => status(409, "AlreadyExists", "it is there already", name),
            (Method::Post, None) => {
                let mut object = self.fresh(parts[0], name);
                merge(&mut object["data"], &body["data"]);
                self.done(place, object, request)
            }
            (Method::Patch, None) if body["kind"].is_string() && body["metadata"].get("uid").is_none() => {
                let object = self.fresh(parts[0], name);
                self.done(place, object, request)
            }
            (_, None) => status(404, "NotFound", "not found", name),
            (Method::Patch, Some(held)) if body.is_array() => self.patch(place, held, request),
            (Method::Patch, Some(mut held)) => {
                if let Some(answer) = broken_precondition(&body["metadata"], &held) {
                    return answer;
                }
                merge(&mut held["data"], &body["data"]);
                self.done(place, held, request)
            }
            (Method::Delete, Some(held)) => {
                let preconditions = &body["preconditions"];
                broken_precondition(preconditions, &held)
                    .unwrap_or_else(|| self.remove(&place, held, request))
            }
            (method, _) => panic!("the server does not know {method:?}"),
        }
    }

    fn patch(&mut self, place: Place, mut held: Value, request: &Request) -> Answer {
        let operations: Vec<Value> = serde_json::from_slice(&request.body).unwrap();
        for operation in operations {
            let pointer = operation["path"].as_str().unwrap();
            if operation["op"] == "test" && held.pointer(pointer) != Some(&operation["value"]) {
                return status(
                    422,
                    "Invalid",
                    "the server rejected our request due to an error in our request",
                    "",
                );
            }
            if operation["op"] == "remove" {
                let (parent, last) = pointer.rsplit_once('/').unwrap();
                match held.pointer_mut(parent).unwrap() {
                    Value::Object(fields) => drop(fields.remove(last)),
                    Value::Array(items) => drop(items.remove(last.parse().unwrap())),
                    other => panic!("nothing to remove in {other}"),
                }
            }
        }
        self.done(place, held, request)
    }

    fn done(&mut self, place: Place, mut object: Value, request: &Request) -> Answer {
        if let Some((field, value)) = self.overwrites {
            object["data"][field] = value.into();
        }
        let object = self.keep(place, object);
        Answer::read(200, object.to_string().as_bytes(), request.kind, None)
    }

    fn remove(&mut self, place: &Place, mut held: Value, request: &Request) -> Answer {
        if held["metadata"]["finalizers"].as_array().is_some_and(|list| !list.is_empty()) {
            held["metadata"]["deletionTimestamp"] = START.into();
            return self.done(place.clone(), held, request);
        }
        self.delete(&place.0, &place.1, &place.2);
        Answer::read(200, br#"{"kind":"Status","status":"Success"}"#, request.kind, None)
    }
}

/// 409 where the wanted uid or version is not the held one.
fn broken_precondition(wanted: &Value, held: &Value) -> Option<Answer> {
    let differs = |field: &str| wanted.get(field).is_some_and(|value| *value != held["metadata"][field]);
    if differs("uid") {
        return Some(status(409, "Conflict", "uid mismatch: the UID in the precondition differs", ""));
    }
    differs("resourceVersion").then(|| status(409, "Conflict", "the object has been modified", ""))
}
