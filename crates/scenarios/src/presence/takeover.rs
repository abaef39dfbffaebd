//! Two managers: only the leader acts, and a deposed one has no effect.

use std::time::Duration;

use super::declarations::SHORT_GRACE;
use crate::fixture::{Fixture, assert_ready, unclaimed_since};
use crate::platform::{ManagerOptions, Platform};

/// S1.4: both end of the lease by release and by death are handed over.
pub fn s1_4_a_standby_acts_only_when_it_leads(platform: &mut dyn Platform) {
    let options = ManagerOptions::with_grace(SHORT_GRACE);
    let mut fixture = Fixture::new(platform, &options);
    let standby = fixture.platform.start_manager(&options);
    fixture.settle();
    fixture.present();
    assert_eq!(fixture.platform.counters(standby).total_writes(), 0, "a standby sends nothing");
    assert!(!fixture.platform.is_leading(standby));
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some());
    // The leader dies; the grace ends while nobody leads.
    fixture.platform.kill_manager(fixture.manager);
    fixture.platform.pass_time(options.lease.duration.max(SHORT_GRACE) + options.lease.retry_period * 3);
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
    fixture.platform.pass_time(options.lease.retry_period * 3);
    fixture.settle();
    assert!(fixture.platform.is_leading(third), "a released lease is taken at once");
}

/// S1.11: a process whose requests hang while its lease ends; they arrive after its successor acted.
pub fn s1_11_a_deposed_leader_makes_no_effective_write(platform: &mut dyn Platform) {
    let options = ManagerOptions::with_grace(SHORT_GRACE);
    let mut fixture = Fixture::new(platform, &options);
    fixture.present();
    let deposed = fixture.manager;
    fixture.unbind("one");
    fixture.settle();
    let before = fixture.expect_context();
    assert!(unclaimed_since(&before).is_some());
    // The grace ends, and the deletion that the leader decides on stays on the wire.
    fixture.platform.hold_requests(deposed, true);
    fixture.platform.pass_time(SHORT_GRACE + Duration::from_millis(500));
    let successor = fixture.platform.start_manager(&options);
    fixture.bind("two");
    fixture.platform.pass_time(options.lease.duration + options.lease.retry_period * 3);
    fixture.settle();
    assert!(fixture.platform.is_leading(successor), "the successor leads");
    assert!(!fixture.platform.is_leading(deposed), "the deposed one knows it by its own clock");
    fixture.manager = successor;
    assert_ready(&fixture.binding("two"), "True", "NetworkContextReady");
    let served = fixture.expect_context();
    fixture.platform.hold_requests(deposed, false);
    fixture.settle();
    let after = fixture.expect_context();
    assert_eq!(after["metadata"]["uid"], served["metadata"]["uid"], "what arrives late has no effect");
    assert!(after["metadata"]["deletionTimestamp"].is_null());
    assert_eq!(after["spec"], served["spec"]);
    assert_ready(&fixture.binding("two"), "True", "NetworkContextReady");
}
