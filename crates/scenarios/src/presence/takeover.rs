//! Two managers: only the leader acts, and a deposed one has no effect.

use std::time::Duration;

use api::networking::Network;
use serde_json::json;

use crate::fixture::{Fixture, NAMESPACE, NETWORK, assert_ready, project, unclaimed_since};
use crate::platform::{ManagerOptions, Platform};

/// S1.4: both end of the lease by release and by death are handed over.
pub fn s1_4_a_standby_acts_only_when_it_leads(platform: &mut dyn Platform) {
    let options = ManagerOptions::with_grace(platform.short_grace());
    let mut fixture = Fixture::new(platform, &options);
    let standby = fixture.platform.start_manager(&options);
    fixture.settle();
    fixture.present();
    let (_, idle) = fixture.leader_and_standby(fixture.manager, standby);
    assert_eq!(fixture.platform.counters(idle).total_writes(), 0, "a standby sends nothing");
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some());
    // The leader dies; the grace ends while nobody leads.
    let (leader, standby) = fixture.leader_and_standby(fixture.manager, standby);
    fixture.platform.kill_manager(leader);
    fixture.platform.pass_time(options.grace + Duration::from_secs(1));
    fixture.settle();
    assert!(fixture.platform.is_leading(standby), "the standby took the lease over");
    assert_eq!(fixture.context(), None, "the grace that ended during the hand-over is over");
    fixture.manager = standby;
    fixture.bind("two");
    fixture.settle();
    assert_ready(&fixture.binding("two"), "True", "NetworkContextReady");
    // A stopped leader gives the lease back: the next one waits for nothing.
    let third = fixture.platform.start_manager(&options);
    fixture.settle();
    fixture.platform.stop_manager(standby);
    fixture.manager = third;
    fixture.settle();
    assert!(fixture.platform.is_leading(third), "a released lease is taken at once");
}

/// S1.11: a process whose requests hang while its lease ends; they arrive after its successor acted.
pub fn s1_11_a_deposed_leader_makes_no_effective_write(platform: &mut dyn Platform) {
    let options = ManagerOptions::default();
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    let deposed = fixture.manager;
    // It still hears that nothing declares the presence any more, and what it sends then stays on the wire.
    fixture.platform.hold_requests(deposed, true);
    fixture.unbind("one");
    fixture.platform.pass_time(Duration::from_secs(2));
    fixture.bind("two");
    let edit = json!({"spec": {"mtu": 8000}});
    fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &edit);
    let successor = fixture.platform.start_manager(&options);
    fixture.settle();
    assert!(fixture.platform.is_leading(successor), "the successor leads");
    assert!(!fixture.platform.is_leading(deposed), "the deposed one knows it by its own clock");
    fixture.manager = successor;
    let (context, binding) = (fixture.expect_context(), fixture.binding("two"));
    assert_ready(&binding, "True", "NetworkContextReady");
    assert_eq!((&context["spec"]["mtu"], unclaimed_since(&context)), (&json!(8000), None));
    let written = fixture.platform.counters(successor).total_writes();
    fixture.platform.hold_requests(deposed, false);
    fixture.settle();
    let (after, answered) = (fixture.expect_context(), fixture.binding("two"));
    assert_eq!(
        after["metadata"]["resourceVersion"], context["metadata"]["resourceVersion"],
        "what arrives late is refused"
    );
    assert_eq!(answered["metadata"]["resourceVersion"], binding["metadata"]["resourceVersion"]);
    fixture.assert_cost(|platform| {
        assert_eq!(platform.counters(successor).total_writes(), written, "there is nothing to put right");
    });
}
