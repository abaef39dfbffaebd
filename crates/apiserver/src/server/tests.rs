//! The crash rule, restarts, planes, projects and permissions.

use serde_json::{Value, json};

use crate::identity::User;
use crate::store::{Key, Store};
use crate::testing::{HUB, THINGS, World, thing, thing_crd};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[test]
fn an_answer_waits_for_the_sink_and_so_does_every_read() {
    let mut world = World::with(true, Store::default());
    let config_map = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    let up_to = world.batches.last().unwrap().revision;
    world.persisted(up_to);
    let path = "/api/v1/namespaces/default/configmaps";
    let id = world.send("POST", path, &config_map.to_string(), "");
    assert!(world.answer(id).is_none());
    assert_eq!(world.get(&format!("{path}/a")).0, 404);
    let refused = world.send("POST", path, &config_map.to_string(), "");
    assert!(world.answer(refused).is_none(), "a refusal would betray the unpublished object");
    let up_to = world.batches.last().unwrap().revision;
    world.persisted(up_to);
    assert_eq!(world.answer(id).unwrap().status, 201);
    assert_eq!(world.answer(refused).unwrap().status, 409);
    assert_eq!(world.get(&format!("{path}/a")).0, 200);
}

#[test]
fn what_the_sink_kept_is_served_after_a_restart_under_higher_revisions() {
    let mut world = World::with(true, Store::default());
    world.send("POST", CRDS, &thing_crd().to_string(), "");
    let mut revision = world.batches.last().unwrap().revision;
    for _ in 0..5 {
        world.persisted(revision);
        revision = world.batches.last().unwrap().revision;
    }
    world.send("POST", THINGS, &thing("a", "red").to_string(), "");
    let mut kept = std::collections::BTreeMap::new();
    let mut newest = 0;
    for batch in &world.batches {
        newest = batch.revision;
        for (key, value) in &batch.entries {
            match value {
                Some(bytes) => kept.insert(key.clone(), bytes.clone()),
                None => kept.remove(key),
            };
        }
    }
    let identity = world.server.plane_identity("hub");
    let mut again = World::with(true, Store::load(newest, kept).unwrap());
    assert_eq!(again.server.plane_identity("hub"), identity);
    assert_eq!(again.batches, [], "nothing is written again");
    let kept = Key::new("hub", "example.com/things", Some("default"), "a");
    let stamp = again.server.resource_of(&kept).unwrap().stamp;
    assert_eq!(again.server.store.get(&kept).unwrap().stamp, stamp, "shaped once, not at every read");
    assert_eq!(again.get(&format!("{THINGS}/a")).1["spec"]["size"], 3);
    assert!(again.server.revision() >= newest);
}

#[test]
fn planes_do_not_see_each_other() {
    let mut world = World::with_things();
    world.post(THINGS, &thing("a", "red"));
    assert_eq!(world.get(&format!("/core{THINGS}")).0, 404);
    let config_map = json!({"metadata": {"name": "a"}});
    assert_eq!(world.post("/core/api/v1/namespaces/default/configmaps", &config_map).0, 201);
    assert_eq!(world.get("/api/v1/namespaces/default/configmaps/a").0, 404);
    assert_ne!(world.server.plane_identity("core"), world.server.plane_identity("hub"));
    let _ = HUB;
}

#[test]
fn strangers_are_refused_and_basic_users_may_discover() {
    let mut world = World::with_things();
    world.user = User::new("eve", &[]);
    let (code, refused) = world.get(THINGS);
    assert_eq!((code, &refused["reason"]), (403, &json!("Forbidden")));
    assert_eq!(world.get("/version").0, 200);
    let review = json!({"spec": {"resourceAttributes": {"verb": "get", "group": "example.com", "resource": "things"}}});
    let (code, answer) = world.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review);
    assert_eq!((code, &answer["status"]["allowed"]), (201, &json!(false)));
}

#[test]
fn nobody_grants_what_they_do_not_have() {
    let mut world = World::with_things();
    let rules = json!([{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "verbs": ["create"]}]);
    let role = json!({"metadata": {"name": "role-maker"}, "rules": rules});
    let binding = json!({"metadata": {"name": "role-maker"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "role-maker"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "eve"}]});
    let collection = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    assert_eq!(world.post(collection, &role).0, 201);
    assert_eq!(world.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding).0, 201);
    world.user = User::new("eve", &[]);
    let mut mine = role.clone();
    mine["metadata"]["name"] = json!("same");
    assert_eq!(world.post(collection, &mine).0, 201);
    mine["metadata"]["name"] = json!("more");
    mine["rules"][0]["verbs"] = json!(["delete"]);
    assert_eq!(world.post(collection, &mine).0, 403);
}

#[test]
fn a_project_mounts_its_plane_and_takes_it_along() {
    let mut world = World::new();
    let projects = "/core/apis/resourcemanager.miloapis.com/v1alpha1/projects";
    let plane = format!("{projects}/p/control-plane");
    assert_eq!(world.get(&format!("{plane}/api/v1/namespaces")).0, 404);
    let project = json!({"apiVersion": "resourcemanager.miloapis.com/v1alpha1", "kind": "Project", "metadata": {"name": "p"},
        "spec": {"ownerRef": {"kind": "Organization", "name": "o"}}});
    assert_eq!(world.post(projects, &project).0, 201);
    let (_, shown) = world.get(&format!("{projects}/p"));
    assert_eq!(shown["status"]["conditions"][0]["status"], "True", "{shown}");
    assert_eq!(shown["status"]["conditions"][0]["reason"], "Ready");
    assert_eq!(world.post(&format!("{plane}{THINGS}"), &thing("a", "red")).0, 201);
    world.delete(&format!("{projects}/p"), &Value::Null);
    world.settle();
    assert_eq!(world.get(&format!("{plane}{THINGS}/a")).0, 404);
    world.post(projects, &project);
    assert_eq!(world.get(&format!("{plane}{THINGS}/a")).0, 404, "the new project is not the old one");
    let key = Key::new("project/p", "/namespaces", None, "default");
    assert!(world.server.store.head(&key).is_some());
}

#[test]
fn a_read_waits_for_its_revision_and_is_answered_when_it_comes() {
    let mut world = World::with_things();
    let next = world.server.revision() + 1;
    let id = world.send("GET", &format!("{THINGS}?resourceVersion={next}"), "", "");
    assert!(world.answer(id).is_none());
    world.post(THINGS, &thing("a", "red"));
    let list: Value = serde_json::from_slice(&world.answer(id).unwrap().body).unwrap();
    assert_eq!(list["items"][0]["metadata"]["name"], "a");
}

#[test]
fn a_read_of_a_revision_that_never_comes_is_refused_after_three_seconds() {
    let mut world = World::with_things();
    let far = world.server.revision() + 1000;
    let id = world.send("GET", &format!("{THINGS}?resourceVersion={far}"), "", "");
    let gone = world.send("GET", &format!("{THINGS}?resourceVersion={far}"), "", "");
    let initial =
        "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
    let watch = world.send("GET", &format!("{THINGS}?{initial}&resourceVersion={far}"), "", "");
    world.cancel(gone);
    world.pass(2);
    assert!(world.answer(id).is_none());
    world.pass(1);
    let response = world.answer(id).unwrap();
    assert_eq!(response.status, 504);
    assert_eq!(response.headers, [("Retry-After", "1".to_owned())]);
    assert!(world.answer(gone).is_none(), "its client had gone");
    assert_eq!(world.frames[&watch][0]["type"], "ERROR");
    assert_eq!(world.frames[&watch][0]["object"]["code"], 504);
    assert!(world.ended.contains(&watch));
}

#[test]
fn a_project_is_checked_and_its_user_reads_it_and_no_other() {
    let mut world = World::new();
    let projects = "/core/apis/resourcemanager.miloapis.com/v1alpha1/projects";
    let project = |name: &str, spec: Value| {
        json!({"apiVersion": "resourcemanager.miloapis.com/v1alpha1", "kind": "Project",
            "metadata": {"name": name}, "spec": spec})
    };
    assert_eq!(world.post(projects, &project("p", json!({}))).0, 422, "ownerRef is required");
    let owner = json!({"ownerRef": {"kind": "Organization", "name": "o"}});
    for name in ["p", "q"] {
        assert_eq!(world.post(projects, &project(name, owner.clone())).0, 201);
    }
    world.user = User::new(&crate::identity::project_user("p"), &[]);
    let (code, own) = world.get(&format!("{projects}/p"));
    assert_eq!((code, &own["status"]["conditions"][0]["type"]), (200, &json!("Ready")));
    assert_eq!(world.get(&format!("{projects}/q")).0, 403);
    assert_eq!(world.get(projects).0, 403);
    assert_eq!(world.delete(&format!("{projects}/p"), &Value::Null).0, 403);
}
