//! Which project a declaration of the hub is for: routes that meet, part, move and end, and managers that miss it.

use std::time::Duration;

use api::networking::{Network, NetworkBinding, NetworkContext};
use api::resourcemanager::Project;
use api::{ClusterName, labels, locations};
use serde_json::{Value, json};

use super::restart::restart;
use crate::fixture::{
    Fixture, HUB_NAMESPACE, LOCATION, MERGE, NAMESPACE, NETWORK, PROJECT, assert_ready, project, text,
    unclaimed_since,
};
use crate::objects;
use crate::platform::{ManagerOptions, Platform};

const OTHER: &str = "globex";

fn other() -> ClusterName {
    ClusterName::Project(OTHER.into())
}

/// Another project with a network and a location of the same names.
fn other_project(fixture: &mut Fixture<'_>) {
    fixture.create::<Project>(&ClusterName::Core, None, &objects::project(OTHER));
    fixture.settle();
    fixture.create::<locations::Location>(&other(), None, &objects::location(LOCATION));
    let network = objects::network(NETWORK, &["IPv6"], 8000);
    fixture.create::<Network>(&other(), Some(NAMESPACE), &network);
}

/// Where the hub namespace leads: to a project, or nowhere.
fn lead_to(fixture: &mut Fixture<'_>, namespace: &str, project: Option<&str>) {
    let cluster = project.map(|name| format!("cluster-{name}"));
    let change = json!({"metadata": {"labels": {labels::UPSTREAM_CLUSTER_NAME: cluster}}}).to_string();
    let path = format!("/api/v1/namespaces/{namespace}");
    let reply = fixture.platform.call(&ClusterName::Hub, "PATCH", &path, (MERGE, &change));
    assert_eq!(reply.code, 200, "{}", reply.body);
}

fn bind_in(fixture: &mut Fixture<'_>, namespace: &str, name: &str) {
    let body = objects::binding(name, NETWORK, LOCATION, "Workload");
    fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(namespace), &body);
}

fn other_context(fixture: &mut Fixture<'_>) -> Option<Value> {
    fixture.get::<NetworkContext>(&other(), Some(NAMESPACE), &format!("{NETWORK}-{LOCATION}"))
}

/// Equal names in two projects are two presences.
pub fn projects_with_equal_names_have_a_presence_each(platform: &mut dyn Platform) {
    let grace = platform.short_grace();
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(grace));
    other_project(&mut fixture);
    fixture.hub_namespace("ns-globex", NAMESPACE);
    lead_to(&mut fixture, "ns-globex", Some(OTHER));
    fixture.present();
    bind_in(&mut fixture, "ns-globex", "one");
    fixture.settle();
    let (mine, theirs) = (fixture.expect_context(), other_context(&mut fixture).unwrap());
    assert_eq!((&mine["spec"]["mtu"], &theirs["spec"]["mtu"]), (&json!(1460), &json!(8000)));
    fixture.unbind("one");
    fixture.settle();
    fixture.platform.pass_time(grace + Duration::from_secs(1));
    fixture.settle();
    assert_eq!(fixture.context(), None);
    let left = other_context(&mut fixture).unwrap();
    assert_eq!(left["metadata"]["resourceVersion"], theirs["metadata"]["resourceVersion"]);
}

/// A hub namespace that leads elsewhere takes its declarations along; one that leads nowhere says so.
pub fn a_hub_namespace_that_leads_elsewhere_takes_its_declarations_along(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    other_project(&mut fixture);
    fixture.present();
    lead_to(&mut fixture, HUB_NAMESPACE, Some(OTHER));
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some(), "the old presence lost its holder");
    let (binding, theirs) = (fixture.binding("one"), other_context(&mut fixture).unwrap());
    assert_ready(&binding, "True", "NetworkContextReady");
    let pointer = format!("/metadata/labels/{}", labels::NETWORK_UID.replace('/', "~1"));
    assert_eq!(text(&binding, &pointer), text(&theirs, &pointer));
    lead_to(&mut fixture, HUB_NAMESPACE, None);
    fixture.settle();
    assert!(unclaimed_since(&other_context(&mut fixture).unwrap()).is_some());
    assert_ready(&fixture.binding("one"), "False", "ProjectUnresolved");
    lead_to(&mut fixture, HUB_NAMESPACE, Some(PROJECT));
    fixture.settle();
    assert_eq!(unclaimed_since(&fixture.expect_context()), None);
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// A namespace that stops being a hub namespace: the answer is taken back, and the declaration is nobody's.
pub fn a_namespace_that_stops_being_a_hub_namespace_lets_go(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let labels = json!({labels::UPSTREAM_CLUSTER_NAME: null, labels::UPSTREAM_NAMESPACE: null});
    let change = json!({"metadata": {"labels": labels}}).to_string();
    let path = format!("/api/v1/namespaces/{HUB_NAMESPACE}");
    let reply = fixture.platform.call(&ClusterName::Hub, "PATCH", &path, (MERGE, &change));
    assert_eq!(reply.code, 200, "{}", reply.body);
    fixture.settle();
    assert_ready(&fixture.binding("one"), "False", "ProjectUnresolved");
    assert!(unclaimed_since(&fixture.expect_context()).is_some(), "the presence lost its holder");
    let pointer = format!("/metadata/labels/{}", labels::NETWORK_UID.replace('/', "~1"));
    assert_eq!(text(&fixture.binding("one"), &pointer), "");
}

/// Two hub namespaces that lead to one namespace, and the project itself, hold one presence together.
pub fn every_route_to_a_presence_holds_it(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.hub_namespace("ns-second", NAMESPACE);
    fixture.hub_namespace("ns-third", "another");
    let before = fixture.present();
    bind_in(&mut fixture, "ns-second", "one");
    let mut named = objects::binding("one", NETWORK, LOCATION, "Workload");
    fixture.create::<NetworkBinding>(&project(), Some(NAMESPACE), &named);
    named["spec"]["network"]["namespace"] = json!(NAMESPACE);
    fixture.create::<NetworkBinding>(&ClusterName::Hub, Some("ns-third"), &named);
    fixture.settle();
    let holders = [
        (ClusterName::Hub, HUB_NAMESPACE),
        (ClusterName::Hub, "ns-second"),
        (project(), NAMESPACE),
        (ClusterName::Hub, "ns-third"),
    ];
    for (cluster, namespace) in &holders {
        let binding = fixture.get::<NetworkBinding>(cluster, Some(namespace), "one").unwrap();
        assert_ready(&binding, "True", "NetworkContextReady");
    }
    for (cluster, namespace) in &holders {
        assert_eq!(unclaimed_since(&fixture.expect_context()), None, "before {namespace} lets go");
        fixture.delete::<NetworkBinding>(cluster, Some(namespace), "one");
        fixture.settle();
    }
    let after = fixture.expect_context();
    assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"]);
    assert!(unclaimed_since(&after).is_some());
}

/// A manager that dies before it writes the stamp; its successor counts from when it saw that nobody is left.
pub fn a_declaration_that_goes_while_no_manager_runs_starts_the_grace(platform: &mut dyn Platform) {
    let options = ManagerOptions::default();
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    fixture.platform.hold_requests(fixture.manager, true);
    fixture.unbind("one");
    restart(&mut fixture, &options);
    assert!(unclaimed_since(&fixture.expect_context()).is_some());
}

/// A Network that is deleted while no manager runs ends with its contexts when one comes.
pub fn a_network_deleted_while_no_manager_runs_ends_later(platform: &mut dyn Platform) {
    let options = ManagerOptions::default();
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    fixture.platform.kill_manager(fixture.manager);
    fixture.delete_network();
    assert!(fixture.network().is_some());
    restart(&mut fixture, &options);
    assert_eq!((fixture.context(), fixture.network()), (None, None));
    assert_ready(&fixture.binding("one"), "False", "NetworkNotFound");
}

/// Declarations that come and go faster than anybody answers leave the pair as the last of them has it.
pub fn declarations_that_come_and_go_quickly_leave_one_context(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    for number in 0..25 {
        fixture.unbind("one");
        fixture.bind("one");
        let name = format!("short-{number}");
        fixture.bind(&name);
        fixture.unbind(&name);
    }
    fixture.settle();
    let contexts = fixture.list::<NetworkContext>(&project(), Some(NAMESPACE));
    assert_eq!(contexts.len(), 1);
    assert_eq!(contexts[0]["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(unclaimed_since(&contexts[0]), None);
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// A manager that dies in the middle of much work: its successor finishes it, and nothing is there twice.
pub fn a_successor_finishes_what_a_killed_manager_began(platform: &mut dyn Platform) {
    let options = ManagerOptions::default();
    let mut fixture = Fixture::new(platform, &options);
    fixture.create_network(&["IPv6"], 1460);
    for number in 0..20 {
        let location = format!("l{number}");
        fixture.create::<locations::Location>(&project(), None, &objects::location(&location));
        let body = objects::binding(&format!("b{number}"), NETWORK, &location, "Workload");
        fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body);
        fixture.platform.pass_time(Duration::from_millis(2));
    }
    restart(&mut fixture, &options);
    assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), 20);
    for number in 0..20 {
        assert_ready(&fixture.binding(&format!("b{number}")), "True", "NetworkContextReady");
    }
}

/// A project that comes again under its name is another one: what the hub declares is made in it anew.
pub fn a_project_that_comes_again_is_served_anew(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    fixture.delete::<Project>(&ClusterName::Core, None, PROJECT);
    fixture.settle();
    assert_ready(&fixture.binding("one"), "False", "ProjectUnresolved");
    fixture.create::<Project>(&ClusterName::Core, None, &objects::project(PROJECT));
    fixture.settle();
    if fixture.network().is_none() {
        fixture.create::<locations::Location>(&project(), None, &objects::location(LOCATION));
        fixture.create_network(&["IPv6"], 1460);
        fixture.settle();
    }
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
}

/// A leader whose writes hang for a moment acts on what is true when they arrive.
pub fn a_leader_that_hangs_acts_on_what_is_true_then(platform: &mut dyn Platform) {
    let options = ManagerOptions::with_grace(platform.short_grace());
    let mut fixture = Fixture::new(platform, &options);
    let before = fixture.present();
    fixture.unbind("one");
    fixture.settle();
    let since: jiff::Timestamp = unclaimed_since(&fixture.expect_context()).unwrap().parse().unwrap();
    let passed = Duration::try_from(fixture.platform.now().duration_since(since)).unwrap();
    fixture.platform.pass_time(options.grace.saturating_sub(passed + Duration::from_secs(1)));
    // The grace ends while nothing it sends arrives, and a declaration comes back before anything does.
    fixture.platform.hold_requests(fixture.manager, true);
    fixture.platform.pass_time(Duration::from_secs(2));
    fixture.bind("two");
    fixture.platform.hold_requests(fixture.manager, false);
    fixture.platform.pass_time(options.lease.duration + options.lease.retry_period * 2);
    fixture.settle();
    let after = fixture.expect_context();
    assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"], "the context outlived the late deletion");
    assert_eq!(unclaimed_since(&after), None);
    assert_ready(&fixture.binding("two"), "True", "NetworkContextReady");
}
