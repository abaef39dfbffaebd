//! The platform over HTTP: managers are the real runtime with real clients, servers are embedded or kube-apiservers.

pub mod embedded;
mod gate;
mod managers;
mod marks;
pub mod real;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use api::resourcemanager::Project;
use api::{ClusterName, ProjectName};
use engine::Explanation;
use engine::engine::{KeyVerdict, Violation};
use http::Request;
use jiff::Timestamp;
use kube_client::client::Body;
use kube_client::{Client, Config};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use self::managers::{Goal, Managers};
use self::marks::Marks;
use crate::fixture::MERGE;
use crate::platform::{Counters, ManagerOptions, ManagerRef, Platform, Reply};
use crate::simulated::counters;

/// How long a request of a scenario may take.
const CALL_DEADLINE: Duration = Duration::from_secs(20);
/// How long managers may take to become idle without writing anything.
const REST_LIMIT: Duration = Duration::from_mins(1);
/// How long they may take in all: whoever writes for so long fights somebody.
const SETTLE_LIMIT: Duration = Duration::from_mins(5);

/// Servers that a platform stands on.
pub trait Servers {
    /// How to reach a plane with every right.
    fn config(&self, cluster: &ClusterName) -> Config;

    /// Whether Projects become Ready by themselves; otherwise the platform says so for them.
    fn mounts_projects(&self) -> bool;

    /// Puts a project's plane where it can be reached.
    fn mount(&mut self, _project: &ProjectName) {}
}

/// See the module.
pub struct HttpPlatform {
    managers: Managers,
    clients: BTreeMap<ClusterName, Client>,
    marks: Marks,
    servers: Box<dyn Servers>,
    runtime: Runtime,
}

impl HttpPlatform {
    /// A platform on servers that run on this runtime.
    #[must_use]
    pub fn new(servers: Box<dyn Servers>, runtime: Runtime) -> Self {
        Self {
            managers: Managers::default(),
            clients: BTreeMap::new(),
            marks: Marks::default(),
            servers,
            runtime,
        }
    }

    fn client(&mut self, cluster: &ClusterName) -> Client {
        if let Some(client) = self.clients.get(cluster) {
            return client.clone();
        }
        let _guard = self.runtime.enter();
        let client = self.new_client(cluster);
        self.clients.insert(cluster.clone(), client.clone());
        client
    }

    fn new_client(&self, cluster: &ClusterName) -> Client {
        runtime::provider::client_of(cluster, self.servers.config(cluster))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn send(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(http::header::ACCEPT, "application/json")
            .header(http::header::CONTENT_TYPE, content.0)
            .body(Body::from(content.1.as_bytes().to_vec()))
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let client = self.client(cluster);
        let answered = self.runtime.block_on(runtime::transport::send(&client, request, CALL_DEADLINE));
        let answered = answered.unwrap_or_else(|error| panic!("{method} {path} on {cluster}: {error}"));
        let text = || Value::String(String::from_utf8_lossy(&answered.body).into_owned());
        Reply { code: answered.code, body: serde_json::from_slice(&answered.body).unwrap_or_else(|_| text()) }
    }

    /// Where nothing mounts planes, a Project is Ready as soon as it is made.
    fn make_ready(&mut self, project: &Value) {
        let name = project.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        self.servers.mount(&name.into());
        let path = format!("/apis/resourcemanager.miloapis.com/v1alpha1/projects/{name}/status");
        let condition = json!({"type": "Ready", "status": "True", "reason": "Ready", "message": "its plane answers",
            "lastTransitionTime": "2026-01-01T00:00:00Z"});
        let status = json!({"status": {"conditions": [condition]}}).to_string();
        let reply = self.send(&ClusterName::Core, "PATCH", &path, (MERGE, &status));
        assert_eq!(reply.code, 200, "{}", reply.body);
    }

    /// Planes that every manager must have engaged.
    fn expected(&mut self) -> Vec<ClusterName> {
        let path = "/apis/resourcemanager.miloapis.com/v1alpha1/projects";
        let reply = self.send(&ClusterName::Core, "GET", path, ("", ""));
        let items = reply.body["items"].as_array().cloned().unwrap_or_default();
        let projects = items.into_iter().filter_map(|item| serde_json::from_value::<Project>(item).ok());
        let live = projects.filter(|project| project.metadata.deletion_timestamp.is_none());
        let names = live.filter_map(|project| project.metadata.name);
        let planes = [ClusterName::Core, ClusterName::Hub].into_iter();
        planes.chain(names.map(|name| ClusterName::Project(name.into()))).collect()
    }
}

impl Platform for HttpPlatform {
    fn call(&mut self, cluster: &ClusterName, method: &str, path: &str, content: (&str, &str)) -> Reply {
        let reply = self.send(cluster, method, path, content);
        if method != "GET" {
            self.marks.written(cluster, path, &reply);
        }
        let makes_project = method == "POST" && path.ends_with("/projects") && reply.code == 201;
        if makes_project && !self.servers.mounts_projects() {
            self.make_ready(&reply.body);
        }
        reply
    }

    fn start_manager(&mut self, options: &ManagerOptions) -> ManagerRef {
        let configs = (self.servers.config(&ClusterName::Core), self.servers.config(&ClusterName::Hub));
        self.managers.start(&self.runtime, options, configs)
    }

    fn stop_manager(&mut self, manager: ManagerRef) {
        self.managers.stop(&self.runtime, manager);
    }

    fn kill_manager(&mut self, manager: ManagerRef) {
        self.managers.kill(&self.runtime, manager);
    }

    fn hold_requests(&mut self, manager: ManagerRef, is_held: bool) {
        self.managers.hold(manager, is_held);
    }

    fn settle(&mut self) -> Result<(), String> {
        let last_end = Instant::now() + SETTLE_LIMIT;
        let mut end = Instant::now() + REST_LIMIT;
        let goal = Goal { expected: self.expected(), marks: self.marks.all() };
        // One manager has come to rest when it has seen what the scenario and itself wrote. Nobody can say so of what other
        // managers write, or of what was on the wire for a while: then every cache must catch up, until nothing is written.
        let is_alone = self.managers.is_alone();
        loop {
            let before = self.managers.writes(&self.runtime);
            let unready = self.managers.settle_once(&self.runtime, &goal, is_alone, end);
            let has_written = before != self.managers.writes(&self.runtime);
            if has_written {
                end = last_end.min(Instant::now() + REST_LIMIT);
            }
            match unready {
                None if is_alone || !has_written => break,
                Some(text) if Instant::now() > end => return Err(text),
                _ if Instant::now() > end => return Err("writes go on and on".to_owned()),
                _ => {}
            }
        }
        self.managers.settled();
        self.marks.clear();
        Ok(())
    }

    fn pass_time(&mut self, by: Duration) {
        std::thread::sleep(by);
    }

    fn now(&mut self) -> Timestamp {
        Timestamp::now()
    }

    fn counters(&mut self, manager: ManagerRef) -> Counters {
        self.managers.metrics(&self.runtime, manager).map(|metrics| counters(&metrics)).unwrap_or_default()
    }

    fn is_leading(&mut self, manager: ManagerRef) -> bool {
        self.managers.status(&self.runtime, manager).is_some_and(|status| status.is_leading)
    }

    fn verdicts(&mut self, manager: ManagerRef) -> Vec<KeyVerdict> {
        self.managers.verdicts(&self.runtime, manager)
    }

    fn explain(
        &mut self,
        manager: ManagerRef,
        cluster: &ClusterName,
        resource: api::ResourceKind,
        key: &api::ObjectKey,
    ) -> Vec<Explanation> {
        let Some(handle) = self.managers.handle(manager) else { return Vec::new() };
        let asked = handle.explain(cluster.clone(), resource, key.clone());
        self.runtime.block_on(asked).unwrap_or_default()
    }

    fn violations(&mut self) -> Vec<Violation> {
        self.managers.violations(&self.runtime)
    }
}

impl Drop for HttpPlatform {
    fn drop(&mut self) {
        self.managers.kill_all(&self.runtime);
    }
}
