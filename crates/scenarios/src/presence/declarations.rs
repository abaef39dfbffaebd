//! Several declarations of one pair, and declarations that replace each other.

use std::time::Duration;

use api::networking::{NetworkBinding, NetworkContext, NetworkInterface};
use api::{ClusterName, labels};
use serde_json::json;

use super::lifecycle::hold_context;
use crate::fixture::{
    Fixture, HUB_NAMESPACE, LOCATION, NAMESPACE, NETWORK, assert_ready, project, unclaimed_since,
};
use crate::objects;
use crate::platform::{ManagerOptions, Platform};

/// A5.
pub fn a5_bindings_of_one_pair_share_a_context(platform: &mut dyn Platform) {
    let grace = platform.short_grace();
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(grace));
    fixture.create_network(&["IPv6"], 1460);
    for (name, consumer) in [("one", "Workload"), ("two", "Gateway")] {
        let body = objects::binding(name, NETWORK, LOCATION, consumer);
        fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body);
    }
    fixture.settle();
    let (one, two) = (fixture.binding("one"), fixture.binding("two"));
    assert_eq!(one["status"]["networkContextRef"], two["status"]["networkContextRef"]);
    assert_eq!(fixture.list::<NetworkContext>(&project(), Some(NAMESPACE)).len(), 1);
    fixture.unbind("one");
    fixture.settle();
    assert_eq!(unclaimed_since(&fixture.expect_context()), None, "the other binding keeps it");
    fixture.unbind("two");
    fixture.settle();
    fixture.platform.pass_time(grace + Duration::from_secs(1));
    fixture.settle();
    assert_eq!(fixture.context(), None);
}

/// A8.
pub fn a8_a_replacement_within_the_grace_keeps_the_presence(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    let before = fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some());
    fixture.bind("replacement");
    fixture.settle();
    assert_ready(&fixture.binding("replacement"), "True", "NetworkContextReady");
    let after = fixture.expect_context();
    for field in ["uid", "creationTimestamp", "deletionTimestamp"] {
        assert_eq!(after["metadata"][field], before["metadata"][field], "{field}");
    }
    assert_eq!(unclaimed_since(&after), None);
}

/// A9.
pub fn a9_a_rebind_while_the_context_goes_waits_and_is_served_anew(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(Duration::ZERO));
    fixture.present();
    hold_context(&mut fixture, true);
    fixture.unbind("one");
    fixture.settle();
    let going = fixture.expect_context();
    assert!(going["metadata"]["deletionTimestamp"].is_string());
    fixture.bind("two");
    fixture.settle();
    assert_ready(&fixture.binding("two"), "False", "NetworkContextTerminating");
    let still = fixture.expect_context();
    for field in ["uid", "generation"] {
        assert_eq!(still["metadata"][field], going["metadata"][field], "{field}");
    }
    let timers = fixture.platform.counters(fixture.manager).total_timer_passes();
    hold_context(&mut fixture, false);
    fixture.settle();
    assert_ready(&fixture.binding("two"), "True", "NetworkContextReady");
    let anew = fixture.expect_context();
    assert_ne!(anew["metadata"]["uid"], going["metadata"]["uid"]);
    assert!(anew["metadata"]["deletionTimestamp"].is_null());
    let manager = fixture.manager;
    fixture.assert_cost(|platform| {
        let after = platform.counters(manager).total_timer_passes();
        assert_eq!(timers, after, "an event must carry it, not a retry");
    });
}

/// Decisions 2: an interface copy of the pair is a holder; one without a location label is none.
pub fn an_interface_copy_keeps_a_presence(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    let copy = objects::interface_copy("nic", NETWORK, LOCATION);
    fixture.create::<NetworkInterface>(&ClusterName::Hub, Some(HUB_NAMESPACE), &copy);
    fixture.unbind("one");
    fixture.settle();
    assert_eq!(unclaimed_since(&fixture.expect_context()), None, "the interface copy keeps it");
    let unlabelled = json!({"metadata": {"labels": {labels::LOCATION: null}}});
    fixture.patch::<NetworkInterface>(&ClusterName::Hub, Some(HUB_NAMESPACE), "nic", &unlabelled);
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some(), "without its location it keeps nothing");
}
