//! A tiny resource served by code: a ticket takes the next number of a counter that lives in another plane.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::store::Store;
use crate::testing::World;

/// Numbers come from `spec.last` of the counter in plane `core`; a ticket that goes gives its number back.
#[derive(Debug)]
struct Tickets;

const TICKETS: &str = "/apis/tickets.example.com/v1/namespaces/default/tickets";
const COUNTERS: &str = "/core/apis/tickets.example.com/v1/counters";

fn counter() -> Key {
    Key::new("core", "tickets.example.com/counters", None, "main")
}

impl Strategy for Tickets {
    fn fill(&self, new: &mut Value) {
        new["metadata"]["labels"]["tickets.example.com/made"] = json!("here");
    }

    fn validate(&self, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
        let changed = old.is_some_and(|old| old["spec"]["class"] != new["spec"]["class"]);
        let error = || crate::metadata::validate::invalid("spec.class", "", "field is immutable");
        changed.then(error).into_iter().collect()
    }

    fn create(
        &self,
        writing: &Writing<'_>,
        new: &mut Value,
        objects: &mut Transaction<'_>,
    ) -> Result<(), Failure> {
        let mut value =
            objects.get(&counter()).map_or_else(|| json!({"spec": {"last": 0}}), Arc::unwrap_or_clone);
        let number = value["spec"]["last"].as_i64().unwrap() + 1;
        if number > value["spec"]["limit"].as_i64().unwrap_or(1000) {
            let causes =
                json!([{"reason": "Exhausted", "message": "no number is left", "field": "spec.class"}]);
            let failure =
                Failure::conflict(writing.resource, crate::metadata::name(new), "no number is left");
            return Err(failure.with_details(json!({"causes": causes})));
        }
        value["spec"]["last"] = json!(number);
        objects.put(counter(), value)?;
        new["status"] = json!({"number": number, "for": writing.user.map(|user| user.name.clone())});
        Ok(())
    }

    fn update(
        &self,
        writing: &Writing<'_>,
        (_, new): (&Value, &mut Value),
        _: &mut Transaction<'_>,
    ) -> Result<(), Failure> {
        if writing.subresource == "status" {
            let name = crate::metadata::name(new);
            return Err(Failure::forbidden(writing.resource, name, "numbers are given, not written"));
        }
        Ok(())
    }

    fn delete(&self, writing: &Writing<'_>, old: &Value, _: &mut Transaction<'_>) -> Result<(), Failure> {
        if old["spec"]["class"] == "kept" {
            let name = crate::metadata::name(old);
            return Err(Failure::conflict(writing.resource, name, "the ticket is in use"));
        }
        Ok(())
    }

    fn remove(&self, _: &Writing<'_>, _: &Value, objects: &mut Transaction<'_>) -> Result<(), Failure> {
        let mut value = Arc::unwrap_or_clone(objects.get(&counter()).unwrap());
        value["spec"]["last"] = json!(value["spec"]["last"].as_i64().unwrap() - 1);
        objects.put(counter(), value)
    }
}

/// A counter is only written by tickets and by administrators.
#[derive(Debug)]
struct Counters;

impl Strategy for Counters {}

fn definition(kind: &str, scope: &str, spec: &Value) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    json!({"metadata": {"name": format!("{plural}.tickets.example.com")},
        "spec": {"group": "tickets.example.com", "scope": scope, "names": {"kind": kind, "plural": plural},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "selectableFields": [{"jsonPath": ".spec.class"}],
                "additionalPrinterColumns": [{"name": "Number", "type": "integer", "jsonPath": ".status.number"}],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": spec},
                    "status": {"type": "object", "properties": {
                        "number": {"type": "integer"}, "for": {"type": "string"}}}}}}}]}})
}

fn registrations() -> Vec<Registration> {
    let class = json!({"class": {"type": "string", "enum": ["plain", "kept"], "default": "plain"}});
    let counts = json!({"class": {"type": "string"}, "last": {"type": "integer", "minimum": 0},
        "limit": {"type": "integer"}});
    vec![
        Registration {
            definition: definition("Ticket", "Namespaced", &class),
            planes: vec![ServedOn::Plane("hub".to_owned()), ServedOn::Projects],
            strategy: Arc::new(Tickets),
        },
        Registration {
            definition: definition("Counter", "Cluster", &counts),
            planes: vec![ServedOn::Plane("core".to_owned())],
            strategy: Arc::new(Counters),
        },
    ]
}

fn world() -> World {
    World::serving(registrations(), false, Store::default())
}

fn ticket(name: &str) -> Value {
    json!({"apiVersion": "tickets.example.com/v1", "kind": "Ticket", "metadata": {"name": name},
        "spec": {}})
}

fn last(world: &mut World) -> Value {
    world.get(&format!("{COUNTERS}/main")).1["spec"]["last"].clone()
}

#[test]
fn a_create_is_answered_with_what_the_strategy_took_in_the_same_revision() {
    let mut world = world();
    let (code, made) = world.post(TICKETS, &ticket("a"));
    assert_eq!((code, &made["status"]), (201, &json!({"number": 1, "for": "admin"})), "{made}");
    assert_eq!(made["spec"]["class"], "plain");
    assert_eq!(made["metadata"]["labels"]["tickets.example.com/made"], "here");
    assert_eq!(made["metadata"]["generation"], 1);
    let (_, counter) = world.get(&format!("{COUNTERS}/main"));
    assert_eq!(counter["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"]);
    assert!(!crate::metadata::uid(&counter).is_empty());
}

#[test]
fn numbers_are_unique_and_dry_runs_and_refusals_take_none() {
    let mut world = world();
    let mut numbers = BTreeSet::new();
    for index in 0..20 {
        let name = format!("t-{index}");
        let before = world.server.revision();
        let (code, dry) = world.post(&format!("{TICKETS}?dryRun=All"), &ticket(&name));
        assert_eq!((code, &dry["status"]["number"]), (201, &json!(index + 1)));
        assert_eq!(world.server.revision(), before, "a dry run left something");
        let made = world.post(TICKETS, &ticket(&name)).1;
        assert!(numbers.insert(made["status"]["number"].as_i64()), "{made}");
        assert_eq!(world.post(TICKETS, &ticket(&name)).0, 409);
        let bad = json!({"apiVersion": "tickets.example.com/v1", "kind": "Ticket", "metadata": {"name": "bad"},
            "spec": {"class": "gold"}});
        assert_eq!(world.post(TICKETS, &bad).0, 422);
    }
    assert_eq!(last(&mut world), 20);
}

#[test]
fn requests_that_wait_for_the_sink_together_still_take_different_numbers() {
    let mut world = World::serving(registrations(), true, Store::default());
    let up_to = world.batches.last().unwrap().revision;
    world.persisted(up_to);
    let ids = ["a", "b", "c"].map(|name| world.send("POST", TICKETS, &ticket(name).to_string(), ""));
    assert!(ids.iter().all(|id| world.answer(*id).is_none()));
    let batch = world.batches.last().unwrap();
    assert_eq!(batch.entries.len(), 2, "ticket and counter become durable together");
    let up_to = batch.revision;
    world.persisted(up_to);
    let number = |id: &u64| {
        let body: Value = serde_json::from_slice(&world.answer(*id).unwrap().body).unwrap();
        body["status"]["number"].as_i64().unwrap()
    };
    assert_eq!(ids.iter().map(number).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_refusal_of_the_strategy_is_the_answer_with_its_causes() {
    let mut world = world();
    world.post(TICKETS, &ticket("a"));
    let limit = json!({"spec": {"limit": 1}});
    assert_eq!(world.patch(&format!("{COUNTERS}/main"), &limit, crate::testing::MERGE).0, 200);
    let (code, refused) = world.post(TICKETS, &ticket("b"));
    assert_eq!(code, 409);
    assert_eq!(refused["details"]["causes"][0]["reason"], "Exhausted");
    assert_eq!(last(&mut world), 1);
    let status = json!({"status": {"number": 9}});
    let (code, refused) = world.patch(&format!("{TICKETS}/a/status"), &status, crate::testing::MERGE);
    assert_eq!(code, 403, "{refused}");
    let class = json!({"spec": {"class": "kept"}});
    let (code, refused) = world.patch(&format!("{TICKETS}/a"), &class, crate::testing::MERGE);
    assert_eq!((code, &refused["details"]["causes"][0]["field"]), (422, &json!("spec.class")));
}

#[test]
fn what_was_taken_is_given_back_when_the_object_goes_and_not_before() {
    let mut world = world();
    let mut held = ticket("held");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    world.post(TICKETS, &held);
    world.post(TICKETS, &ticket("free"));
    assert_eq!(world.delete(&format!("{TICKETS}/free?dryRun=All"), &Value::Null).0, 200);
    assert_eq!(last(&mut world), 2);
    assert_eq!(world.delete(&format!("{TICKETS}/free"), &Value::Null).0, 200);
    assert_eq!(last(&mut world), 1);
    assert_eq!(world.delete(&format!("{TICKETS}/held"), &Value::Null).0, 200);
    assert_eq!(last(&mut world), 1, "a finalizer still holds the ticket");
    let none = json!({"metadata": {"finalizers": null}});
    assert_eq!(world.patch(&format!("{TICKETS}/held"), &none, crate::testing::MERGE).0, 200);
    assert_eq!(last(&mut world), 0);
    assert_eq!(world.get(&format!("{TICKETS}/held")).0, 404);
}

#[test]
fn objects_that_are_collected_or_go_with_their_namespace_are_given_back_too() {
    let mut world = world();
    world.post("/api/v1/namespaces", &json!({"metadata": {"name": "ns"}}));
    world.post("/apis/tickets.example.com/v1/namespaces/ns/tickets", &ticket("a"));
    let owner = world.post(TICKETS, &ticket("owner")).1;
    for (name, finalizers) in [("dependent", json!([])), ("waiting", json!(["foregroundDeletion"]))] {
        let mut dependent = ticket(name);
        dependent["metadata"]["finalizers"] = finalizers;
        dependent["metadata"]["ownerReferences"] = json!([{"apiVersion": "tickets.example.com/v1", "kind": "Ticket",
            "name": "owner", "uid": owner["metadata"]["uid"]}]);
        assert_eq!(world.post(TICKETS, &dependent).0, 201);
    }
    assert_eq!(last(&mut world), 4);
    world.delete(&format!("{TICKETS}/owner"), &json!({"propagationPolicy": "Foreground"}));
    world.settle();
    assert_eq!(last(&mut world), 1);
    world.delete("/api/v1/namespaces/ns", &Value::Null);
    world.settle();
    assert_eq!(last(&mut world), 0);
}

#[test]
fn a_strategy_may_keep_an_object_from_being_deleted() {
    let mut world = world();
    let mut kept = ticket("kept");
    kept["spec"] = json!({"class": "kept"});
    world.post(TICKETS, &kept);
    let (code, refused) = world.delete(&format!("{TICKETS}/kept"), &Value::Null);
    assert_eq!((code, &refused["reason"]), (409, &json!("Conflict")));
    assert_eq!(last(&mut world), 1);
}

#[test]
fn a_registered_resource_is_served_like_any_other_and_only_where_it_was_registered() {
    let mut world = world();
    world.post(TICKETS, &ticket("a"));
    let resources = world.get("/apis/tickets.example.com/v1").1;
    let names: Vec<&Value> =
        resources["resources"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(json!(names), json!(["tickets", "tickets/status"]));
    assert_eq!(world.get("/core/apis/tickets.example.com/v1/namespaces/default/tickets").0, 404);
    assert_eq!(world.get("/apis/tickets.example.com/v1/counters").0, 404);
    let selected = |class: &str| format!("{TICKETS}?fieldSelector=spec.class%3D{class}");
    assert_eq!(world.get(&selected("plain")).1["items"].as_array().unwrap().len(), 1);
    assert_eq!(world.get(&selected("kept")).1["items"].as_array().unwrap().len(), 0);
    world.accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
    assert_eq!(world.get(TICKETS).1["rows"][0]["cells"], json!(["a", 1]));
    world.accept.clear();
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(world.get(&format!("{crds}/tickets.tickets.example.com")).0, 404);
    let own = definition("Ticket", "Namespaced", &json!({}));
    assert_eq!(world.post(crds, &own).0, 403, "the names are taken");
}

#[test]
fn a_strategy_that_writes_what_its_schema_refuses_is_at_fault_itself() {
    let mut world = world();
    world.post(TICKETS, &ticket("a"));
    let none = json!({"spec": {"last": 0}});
    world.patch(&format!("{COUNTERS}/main"), &none, crate::testing::MERGE);
    let (code, refused) = world.delete(&format!("{TICKETS}/a"), &Value::Null);
    assert_eq!((code, &refused["reason"]), (500, &json!("InternalError")), "{refused}");
    assert_eq!(world.get(&format!("{TICKETS}/a")).0, 200);
}

#[test]
fn a_broken_registration_keeps_the_server_from_starting() {
    let mut broken = registrations();
    broken[0].definition["spec"]["scope"] = json!("Sideways");
    let error = Registry::compile(broken).unwrap_err().to_string();
    assert!(error.contains("tickets.tickets.example.com") && error.contains("spec.scope"), "{error}");
}
