//! The shared setting of `scenarios.md`, part A: a project P, a hub namespace H that leads to it, a location L; and the
//! requests scenarios make of it.

use api::networking::{Network, NetworkBinding, NetworkContext};
use api::resourcemanager::Project;
use api::{ClusterName, Kind, ObjectKey, labels, locations};
use serde_json::{Value, json};

use crate::objects;
use crate::platform::{ManagerOptions, ManagerRef, Platform, Reply};

/// Content type of a JSON body.
pub const JSON: &str = "application/json";
/// Content type of a merge patch (RFC 7396).
pub const MERGE: &str = "application/merge-patch+json";

/// The project.
pub const PROJECT: &str = "acme";
/// Namespace of the Network in the project.
pub const NAMESPACE: &str = "default";
/// The hub namespace that leads there.
pub const HUB_NAMESPACE: &str = "ns-acme";
/// The location.
pub const LOCATION: &str = "dfw";
/// The network.
pub const NETWORK: &str = "net";

/// A platform with the shared setting.
pub struct Fixture<'a> {
    /// The platform.
    pub platform: &'a mut dyn Platform,
    /// The manager that was started first.
    pub manager: ManagerRef,
}

impl<'a> Fixture<'a> {
    /// Makes the setting, with location L, and starts a manager.
    pub fn new(platform: &'a mut dyn Platform, options: &ManagerOptions) -> Self {
        let mut fixture = Self::without_location(platform, options);
        fixture.create::<locations::Location>(&project(), None, &objects::location(LOCATION));
        fixture.settle();
        fixture
    }

    /// Makes the setting without a location.
    pub fn without_location(platform: &'a mut dyn Platform, options: &ManagerOptions) -> Self {
        let mut fixture = Self { platform, manager: ManagerRef(0) };
        fixture.create::<Project>(&ClusterName::Core, None, &objects::project(PROJECT));
        fixture.hub_namespace(HUB_NAMESPACE, NAMESPACE);
        fixture.manager = fixture.platform.start_manager(options);
        fixture.settle();
        fixture
    }

    /// Makes a hub namespace that leads to a namespace of the project.
    pub fn hub_namespace(&mut self, name: &str, upstream: &str) {
        let labels = json!({
            labels::UPSTREAM_CLUSTER_NAME: format!("cluster-{PROJECT}"),
            labels::UPSTREAM_NAMESPACE: upstream,
        });
        let body =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
        let reply =
            self.platform.call(&ClusterName::Hub, "POST", "/api/v1/namespaces", (JSON, &body.to_string()));
        assert_eq!(reply.code, 201, "namespace {name}: {}", reply.body);
    }

    /// Waits until every manager is idle, and asserts that none saw a programming error.
    pub fn settle(&mut self) {
        if let Err(text) = self.platform.settle() {
            panic!("the managers do not become idle: {text}");
        }
        assert_eq!(self.platform.violations(), [], "managers saw programming errors");
    }

    /// Asserts what something cost: numbers of writes, passes and timers. Where processes die and answers are lost, work is
    /// done again, so there nothing is asserted.
    pub fn assert_cost(&mut self, assert: impl FnOnce(&mut dyn Platform)) {
        if !self.platform.is_disturbed() {
            assert(self.platform);
        }
    }

    /// Of two managers the one that leads and the one that does not. Where no process dies, the first to lead leads on.
    pub fn leader_and_standby(&mut self, one: ManagerRef, two: ManagerRef) -> (ManagerRef, ManagerRef) {
        let (leader, standby) = if self.platform.is_leading(two) { (two, one) } else { (one, two) };
        assert!(self.platform.is_leading(leader), "one of them leads");
        assert!(!self.platform.is_leading(standby), "only one of them leads");
        assert!(leader == one || self.platform.is_disturbed(), "whoever leads goes on to");
        (leader, standby)
    }

    fn path<K: Kind>(namespace: Option<&str>, name: &str) -> String {
        let key = ObjectKey { namespace: namespace.map(Into::into), name: name.into() };
        engine::request::object_path(K::RESOURCE, &key)
    }

    /// Creates an object, which must succeed.
    pub fn create<K: Kind>(&mut self, cluster: &ClusterName, namespace: Option<&str>, body: &Value) -> Value {
        let reply = self.try_create::<K>(cluster, namespace, body);
        assert_eq!(reply.code, 201, "create {} on {cluster}: {}", K::RESOURCE.kind, reply.body);
        reply.body
    }

    /// Creates an object.
    pub fn try_create<K: Kind>(
        &mut self,
        cluster: &ClusterName,
        namespace: Option<&str>,
        body: &Value,
    ) -> Reply {
        let path = engine::request::collection_path(K::RESOURCE, namespace);
        self.platform.call(cluster, "POST", &path, (JSON, &body.to_string()))
    }

    /// Reads an object; `None` if it is absent.
    pub fn get<K: Kind>(
        &mut self,
        cluster: &ClusterName,
        namespace: Option<&str>,
        name: &str,
    ) -> Option<Value> {
        let reply = self.platform.call(cluster, "GET", &Self::path::<K>(namespace, name), ("", ""));
        match reply.code {
            200 => Some(reply.body),
            404 => None,
            code => panic!("get {} {name} on {cluster}: {code}: {}", K::RESOURCE.kind, reply.body),
        }
    }

    /// All objects of a kind in a namespace.
    pub fn list<K: Kind>(&mut self, cluster: &ClusterName, namespace: Option<&str>) -> Vec<Value> {
        let path = engine::request::collection_path(K::RESOURCE, namespace);
        let reply = self.platform.call(cluster, "GET", &path, ("", ""));
        assert_eq!(reply.code, 200, "list {} on {cluster}: {}", K::RESOURCE.kind, reply.body);
        reply.body["items"].as_array().cloned().unwrap_or_default()
    }

    /// Deletes an object, which must be there.
    pub fn delete<K: Kind>(&mut self, cluster: &ClusterName, namespace: Option<&str>, name: &str) {
        let reply = self.platform.call(cluster, "DELETE", &Self::path::<K>(namespace, name), ("", ""));
        assert!(reply.code < 300, "delete {} {name} on {cluster}: {}", K::RESOURCE.kind, reply.body);
    }

    /// Merge-patches an object, which must succeed.
    pub fn patch<K: Kind>(
        &mut self,
        cluster: &ClusterName,
        namespace: Option<&str>,
        name: &str,
        change: &Value,
    ) -> Value {
        let path = Self::path::<K>(namespace, name);
        let reply = self.platform.call(cluster, "PATCH", &path, (MERGE, &change.to_string()));
        assert_eq!(reply.code, 200, "patch {} {name} on {cluster}: {}", K::RESOURCE.kind, reply.body);
        reply.body
    }

    /// Creates the Network.
    pub fn create_network(&mut self, families: &[&str], mtu: i32) -> Value {
        self.create::<Network>(&project(), Some(NAMESPACE), &objects::network(NETWORK, families, mtu))
    }

    /// Deletes the Network.
    pub fn delete_network(&mut self) {
        self.delete::<Network>(&project(), Some(NAMESPACE), NETWORK);
    }

    /// The Network.
    pub fn network(&mut self) -> Option<Value> {
        self.get::<Network>(&project(), Some(NAMESPACE), NETWORK)
    }

    /// Declares the pair on the hub.
    pub fn bind(&mut self, name: &str) -> Value {
        let body = objects::binding(name, NETWORK, LOCATION, "Workload");
        self.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body)
    }

    /// Takes a declaration on the hub back.
    pub fn unbind(&mut self, name: &str) {
        self.delete::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), name);
    }

    /// A declaration on the hub.
    pub fn binding(&mut self, name: &str) -> Value {
        let found = self.get::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), name);
        found.unwrap_or_else(|| panic!("binding {name} is gone"))
    }

    /// The context of the pair, if there is one.
    pub fn context(&mut self) -> Option<Value> {
        self.get::<NetworkContext>(&project(), Some(NAMESPACE), &format!("{NETWORK}-{LOCATION}"))
    }

    /// The context of the pair, which must be there.
    pub fn expect_context(&mut self) -> Value {
        self.context().unwrap_or_else(|| panic!("the context is absent"))
    }

    /// Network, binding `one` and a Ready presence.
    pub fn present(&mut self) -> Value {
        self.create_network(&["IPv6"], 1460);
        self.bind("one");
        self.settle();
        assert_ready(&self.binding("one"), "True", "NetworkContextReady");
        self.expect_context()
    }
}

/// The project's plane.
#[must_use]
pub fn project() -> ClusterName {
    ClusterName::Project(PROJECT.into())
}

/// Condition `Ready` of an object: status and reason.
#[must_use]
pub fn ready(object: &Value) -> (String, String) {
    let conditions =
        object.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready").cloned().unwrap_or_default();
    let text = |field: &str| ready[field].as_str().unwrap_or_default().to_owned();
    (text("status"), text("reason"))
}

/// Asserts what condition `Ready` says.
pub fn assert_ready(object: &Value, status: &str, reason: &str) {
    let (is, because) = ready(object);
    assert_eq!((is.as_str(), because.as_str()), (status, reason), "{}", object["status"]);
}

/// A text in an object, empty where there is none.
#[must_use]
pub fn text(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Annotation `unclaimed-since` of a context.
#[must_use]
pub fn unclaimed_since(context: &Value) -> Option<String> {
    let pointer = format!("/metadata/annotations/{}", labels::annotation::UNCLAIMED_SINCE.replace('/', "~1"));
    context.pointer(&pointer).and_then(Value::as_str).map(str::to_owned)
}
