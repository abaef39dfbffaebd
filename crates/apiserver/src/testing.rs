//! A server with one user who may do everything, driven by plain calls; for this crate's tests.

use std::collections::BTreeMap;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};

use crate::identity::{MASTERS, User};
use crate::plane::PlaneSpec;
use crate::registry::Registration;
use crate::request::{Headers, Request, RequestId};
use crate::server::{Config, Input, Output, Response, Server};
use crate::store::{Batch, Store};

/// Content types of patches.
pub(crate) const MERGE: &str = "application/merge-patch+json";
pub(crate) const JSON: &str = "application/json-patch+json";
pub(crate) const APPLY: &str = "application/apply-patch+yaml";

pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) now: Timestamp,
    next: u64,
    answers: BTreeMap<u64, Response>,
    pub(crate) frames: BTreeMap<u64, Vec<Value>>,
    pub(crate) ended: Vec<u64>,
    pub(crate) batches: Vec<Batch>,
    /// Who asks.
    pub(crate) user: User,
    /// `Accept` of the following requests.
    pub(crate) accept: String,
}

/// Where definitions live.
pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The plane most tests use.
pub(crate) const HUB: &str = "/clusters/hub";

impl World {
    pub(crate) fn new() -> Self {
        Self::with(false, Store::default())
    }

    pub(crate) fn with(durable: bool, store: Store) -> Self {
        Self::serving(Vec::new(), durable, store)
    }

    pub(crate) fn serving(registrations: Vec<Registration>, durable: bool, store: Store) -> Self {
        let hub = PlaneSpec { name: "hub".into(), prefix: HUB.into(), ..PlaneSpec::default() };
        let core = PlaneSpec { name: "core".into(), mounts_projects: true, ..PlaneSpec::default() };
        let config = Config {
            planes: vec![core, hub],
            project_crds: vec![thing_crd()],
            registrations,
            durable,
            ..Config::default()
        };
        Self::start(config, store)
    }

    /// A world in which nobody collects and no namespace ends.
    pub(crate) fn beside_external_controllers() -> Self {
        let hub = PlaneSpec { name: "hub".into(), prefix: HUB.into(), ..PlaneSpec::default() };
        let config = Config { planes: vec![hub], external_controllers: true, ..Config::default() };
        let mut world = Self::start(config, Store::default());
        world.post(CRDS, &thing_crd());
        world
    }

    fn start(config: Config, store: Store) -> Self {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let generator = ChaCha12Rng::seed_from_u64(7);
        let (server, outputs) = Server::start(config, store, generator, now).unwrap();
        let mut world = Self {
            server,
            now,
            next: 0,
            answers: BTreeMap::new(),
            frames: BTreeMap::new(),
            ended: Vec::new(),
            batches: Vec::new(),
            user: User::new("admin", &[MASTERS]),
            accept: String::new(),
        };
        world.take(outputs);
        world.settle();
        world
    }

    /// A world whose hub serves `things.example.com`.
    pub(crate) fn with_things() -> Self {
        let mut world = Self::new();
        world.post(CRDS, &thing_crd());
        world
    }

    fn take(&mut self, outputs: Vec<Output>) -> bool {
        let mut woken = false;
        for output in outputs {
            match output {
                Output::Respond { id, response } => drop(self.answers.insert(id.0, response)),
                Output::Open { id, .. } => drop(self.frames.insert(id.0, Vec::new())),
                Output::Frame { id, bytes } => {
                    self.frames.entry(id.0).or_default().push(serde_json::from_slice(&bytes).unwrap());
                }
                Output::End { id } => self.ended.push(id.0),
                Output::Persist(batch) => self.batches.push(batch),
                Output::WakeAt(at) => woken |= at <= self.now,
            }
        }
        woken
    }

    /// Lets the inside clients finish.
    pub(crate) fn settle(&mut self) {
        for _ in 0..10_000 {
            let outputs = self.server.handle(self.now, Input::Tick);
            if !self.take(outputs) {
                return;
            }
        }
        panic!("the inside clients never come to rest");
    }

    pub(crate) fn pass(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
        self.settle();
    }

    pub(crate) fn persisted(&mut self, up_to: u64) {
        let outputs = self.server.handle(self.now, Input::Persisted { up_to });
        self.take(outputs);
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        let outputs = self.server.handle(self.now, Input::Cancel(RequestId(id)));
        self.take(outputs);
    }

    /// Sends a request, lets the inside clients finish, and gives the request's number.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str, content_type: &str) -> u64 {
        let id = self.send_only(method, path, body, content_type);
        self.settle();
        id
    }

    /// Sends a request and gives its number; the inside clients do not get their turn.
    pub(crate) fn send_only(&mut self, method: &str, path: &str, body: &str, content_type: &str) -> u64 {
        self.next += 1;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let prefix = if path.starts_with("/core/") { "" } else { HUB };
        let request = Request {
            id: RequestId(self.next),
            method: method.to_owned(),
            path: format!("{prefix}{}", path.strip_prefix("/core").unwrap_or(path)),
            query: query.to_owned(),
            headers: Headers {
                accept: self.accept.clone(),
                content_type: content_type.to_owned(),
                user_agent: "test/1".to_owned(),
                ..Headers::default()
            },
            body: Bytes::from(body.to_owned()),
            identity: Some(self.user.clone()),
        };
        let outputs = self.server.handle(self.now, Input::Request(Box::new(request)));
        self.take(outputs);
        self.next
    }

    pub(crate) fn answer(&self, id: u64) -> Option<&Response> {
        self.answers.get(&id)
    }

    pub(crate) fn call(&mut self, method: &str, path: &str, body: &str, content_type: &str) -> (u16, Value) {
        let id = self.send(method, path, body, content_type);
        let response = self.answer(id).expect("an answer");
        (response.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
    }

    pub(crate) fn get(&mut self, path: &str) -> (u16, Value) {
        self.call("GET", path, "", "")
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> (u16, Value) {
        self.call("POST", path, &body.to_string(), "application/json")
    }

    pub(crate) fn put(&mut self, path: &str, body: &Value) -> (u16, Value) {
        self.call("PUT", path, &body.to_string(), "application/json")
    }

    pub(crate) fn patch(&mut self, path: &str, body: &Value, content_type: &str) -> (u16, Value) {
        self.call("PATCH", path, &body.to_string(), content_type)
    }

    pub(crate) fn delete(&mut self, path: &str, options: &Value) -> (u16, Value) {
        let body = if options.is_null() { String::new() } else { options.to_string() };
        self.call("DELETE", path, &body, "application/json")
    }

    /// Events of a watch so far, as `TYPE name`.
    pub(crate) fn events(&self, id: u64) -> Vec<String> {
        let frames = self.frames.get(&id).cloned().unwrap_or_default();
        let text = |value: &Value, pointer: &str| {
            value.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned()
        };
        frames
            .iter()
            .map(|frame| format!("{} {}", text(frame, "/type"), text(frame, "/object/metadata/name")))
            .collect()
    }
}

/// A definition with a status, a default, a selectable field and a keyed list.
pub(crate) fn thing_crd() -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things", "shortNames": ["th"]},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "additionalPrinterColumns": [{"name": "Color", "type": "string", "jsonPath": ".spec.color"}],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "color": {"type": "string", "enum": ["red", "green", "blue"]},
                        "size": {"type": "integer", "default": 3, "maximum": 9}}},
                    "status": {"type": "object", "properties": {"seen": {"type": "integer"}}}}}}}]}})
}

/// A thing by name.
pub(crate) fn thing(name: &str, color: &str) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"color": color}})
}

/// Where things live.
pub(crate) const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";
