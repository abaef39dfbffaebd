//! Every presence comes back when the controllers start (S1).

use std::time::Duration;

use api::networking::{Network, NetworkBinding, NetworkContext};
use api::resourcemanager::Project;
use api::{ClusterName, labels, locations};
use serde_json::{Value, json};

use crate::fixture::{
    Fixture, HUB_NAMESPACE, LOCATION, NAMESPACE, NETWORK, PROJECT, assert_ready, project, text,
    unclaimed_since,
};
use crate::objects;
use crate::platform::{Counters, LeaseTiming, ManagerOptions, Platform};

/// Replaces the manager by a new process.
pub(super) fn restart(fixture: &mut Fixture<'_>, options: &ManagerOptions) {
    fixture.platform.kill_manager(fixture.manager);
    fixture.manager = fixture.platform.start_manager(options);
    // The killed process gave nothing back: its lease must run out before the new one leads and comes to rest.
    fixture.settle();
    assert!(fixture.platform.is_leading(fixture.manager), "the new process leads");
}

/// S1.1.
pub fn s1_1_a_restart_in_the_grace_and_then_the_network_is_deleted(platform: &mut dyn Platform) {
    let options = ManagerOptions::default();
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some());
    restart(&mut fixture, &options);
    fixture.delete_network();
    fixture.settle();
    assert_eq!((fixture.context(), fixture.network()), (None, None), "nothing waits the grace out");
}

/// S1.2.
pub fn s1_2_a_restart_neither_restarts_nor_skips_the_grace(platform: &mut dyn Platform) {
    let options = ManagerOptions::with_grace(platform.short_grace() * 3);
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    let stamped = unclaimed_since(&fixture.expect_context());
    let since: jiff::Timestamp = stamped.clone().unwrap().parse().unwrap();
    restart(&mut fixture, &options);
    assert_eq!(unclaimed_since(&fixture.expect_context()), stamped, "the wait goes on where it was");
    let passed = fixture.platform.now().duration_since(since);
    let left = options.grace.saturating_sub(Duration::try_from(passed).unwrap());
    fixture.platform.pass_time(left + Duration::from_secs(1));
    fixture.settle();
    assert_eq!(fixture.context(), None, "it ends on time");
}

/// S1.3.
pub fn s1_3_a_presence_declared_only_in_its_project_survives_a_restart(platform: &mut dyn Platform) {
    let options = ManagerOptions::default();
    let mut fixture = Fixture::new(platform, &options);
    fixture.create_network(&["IPv6"], 1460);
    let binding = objects::binding("one", NETWORK, LOCATION, "Workload");
    fixture.create::<NetworkBinding>(&project(), Some(NAMESPACE), &binding);
    fixture.settle();
    let pointer = format!("/metadata/labels/{}", labels::NETWORK_UID.replace('/', "~1"));
    assert_ne!(text(&fixture.expect_context(), &pointer), "");
    restart(&mut fixture, &options);
    assert_eq!(unclaimed_since(&fixture.expect_context()), None);
    fixture.delete_network();
    fixture.settle();
    assert_eq!((fixture.context(), fixture.network()), (None, None));
}

/// Writes a copy of the context on the hub by hand, as the replicator would.
fn copy_context(fixture: &mut Fixture<'_>, namespace: &str) -> Value {
    let context = fixture.expect_context();
    let copy = objects::context_copy(&context, "cluster-acme");
    fixture.create::<NetworkContext>(&ClusterName::Hub, Some(namespace), &copy)
}

fn presence_passes(counters: &Counters) -> u64 {
    counters.passes.get("network-presence").copied().unwrap_or(0)
}

/// S1.5, as decisions 7 has it.
pub fn s1_5_a_presence_with_nothing_to_change_writes_nothing(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let before = fixture.platform.counters(fixture.manager);
    copy_context(&mut fixture, HUB_NAMESPACE);
    let touched = json!({"metadata": {"annotations": {"example.com/touched": "yes"}}});
    fixture.patch::<NetworkContext>(
        &ClusterName::Hub,
        Some(HUB_NAMESPACE),
        &format!("{NETWORK}-{LOCATION}"),
        &touched,
    );
    fixture.settle();
    let manager = fixture.manager;
    fixture.assert_cost(|platform| {
        let after = platform.counters(manager);
        assert_eq!(after.writes, before.writes, "nothing to change, nothing written");
        assert!(presence_passes(&after) <= presence_passes(&before) + 1, "at most one extra pass");
    });
}

/// S1.6.
pub fn s1_6_a_copy_that_goes_away_ends_nothing(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    copy_context(&mut fixture, HUB_NAMESPACE);
    fixture.unbind("one");
    fixture.settle();
    let waiting = fixture.expect_context();
    fixture.delete::<NetworkContext>(
        &ClusterName::Hub,
        Some(HUB_NAMESPACE),
        &format!("{NETWORK}-{LOCATION}"),
    );
    fixture.settle();
    let still = fixture.expect_context();
    assert_eq!(still["metadata"]["uid"], waiting["metadata"]["uid"]);
    assert_eq!(unclaimed_since(&still), unclaimed_since(&waiting));
}

/// S1.7.
pub fn s1_7_a_copy_outside_a_hub_namespace_is_left_alone(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let copy = copy_context(&mut fixture, "default");
    let project_copy = {
        let context = fixture.expect_context();
        let mut copy = objects::context_copy(&context, "cluster-acme");
        copy["metadata"]["name"] = json!("a-copy");
        fixture.create::<NetworkContext>(&project(), Some(NAMESPACE), &copy)
    };
    fixture.delete_network();
    fixture.settle();
    let left =
        fixture.get::<NetworkContext>(&ClusterName::Hub, Some("default"), &text(&copy, "/metadata/name"));
    assert_eq!(left.unwrap()["metadata"]["resourceVersion"], copy["metadata"]["resourceVersion"]);
    let left = fixture.get::<NetworkContext>(&project(), Some(NAMESPACE), "a-copy");
    assert_eq!(left.unwrap()["metadata"]["resourceVersion"], project_copy["metadata"]["resourceVersion"]);
}

/// S1.8.
pub fn s1_8_a_copy_is_never_written(platform: &mut dyn Platform) {
    let options = ManagerOptions::with_grace(platform.short_grace());
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    let name = format!("{NETWORK}-{LOCATION}");
    let copy = copy_context(&mut fixture, HUB_NAMESPACE);
    let patch = json!({"spec": {"mtu": 8000}});
    fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &patch);
    fixture.unbind("one");
    fixture.settle();
    fixture.platform.pass_time(options.grace + Duration::from_secs(1));
    fixture.settle();
    assert_eq!(fixture.context(), None, "the presence ended");
    let left = fixture.get::<NetworkContext>(&ClusterName::Hub, Some(HUB_NAMESPACE), &name);
    assert_eq!(left.unwrap()["metadata"]["resourceVersion"], copy["metadata"]["resourceVersion"]);
}

/// S1.9; the bench has 10,000.
pub fn s1_9_a_restart_makes_one_pass_per_presence_and_no_write(platform: &mut dyn Platform) {
    let options = ManagerOptions { lease: LeaseTiming::unhurried(), ..ManagerOptions::default() };
    let count = if platform.is_disturbed() { 3 } else { 1000 };
    let mut fixture = Fixture::without_location(platform, &options);
    fixture.create_network(&["IPv6"], 1460);
    for number in 0..count {
        let location = format!("l{number}");
        fixture.create::<locations::Location>(&project(), None, &objects::location(&location));
        let body = objects::binding(&format!("b{number}"), NETWORK, &location, "Workload");
        fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body);
    }
    fixture.settle();
    assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), count);
    assert_ready(&fixture.binding("b0"), "True", "NetworkContextReady");
    restart(&mut fixture, &options);
    let manager = fixture.manager;
    fixture.assert_cost(|platform| {
        let counters = platform.counters(manager);
        assert_eq!(counters.total_writes(), 0, "{:?}", counters.writes);
        assert_eq!(presence_passes(&counters), count as u64, "one pass per presence");
        let answers = counters.passes.get("network-binding").copied();
        assert_eq!(answers, Some(count as u64), "one pass per binding");
    });
}

/// A project that goes takes its keys along; what the hub declares for it says that it is gone, and it may come again.
pub fn a_project_that_is_dropped_leaves_no_key_behind(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some(), "only the context names the presence now");
    fixture.delete::<Project>(&ClusterName::Core, None, PROJECT);
    fixture.settle();
    let left = fixture.platform.verdicts(fixture.manager);
    assert!(left.is_empty(), "{left:?}");
    fixture.bind("two");
    fixture.settle();
    assert_ready(&fixture.binding("two"), "False", "ProjectUnresolved");
}
