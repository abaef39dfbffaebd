//! How a presence ends when nothing declares it.

use std::time::Duration;

use api::builtin::Event;
use api::labels::annotation::UNCLAIMED_SINCE;
use api::networking::NetworkContext;
use serde_json::{Value, json};

use super::declarations::SHORT_GRACE;
use crate::fixture::{Fixture, LOCATION, NAMESPACE, NETWORK, project, text, unclaimed_since};
use crate::platform::{ManagerOptions, Platform};

/// Reasons of the events about the context, sorted.
pub(super) fn event_reasons(fixture: &mut Fixture<'_>) -> Vec<String> {
    let events = fixture.list::<Event>(&project(), Some(NAMESPACE));
    let about = |event: &&Value| text(event, "/regarding/name") == format!("{NETWORK}-{LOCATION}");
    let mut reasons: Vec<String> = events.iter().filter(about).map(|event| text(event, "/reason")).collect();
    reasons.sort();
    reasons
}

/// A33.
pub fn a33_an_expired_grace_ends_the_presence(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(SHORT_GRACE));
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some(), "the grace is running");
    fixture.platform.pass_time(SHORT_GRACE + Duration::from_secs(1));
    fixture.settle();
    assert_eq!(fixture.context(), None);
    assert_eq!(event_reasons(&mut fixture), ["PresenceEnded", "UnclaimedGraceStarted"]);
}

/// S1.10.
pub fn s1_10_an_unreadable_stamp_starts_the_grace_again(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    for unreadable in ["not a time", "2999-01-01T00:00:00Z"] {
        let patch = json!({"metadata": {"annotations": {UNCLAIMED_SINCE: unreadable}}});
        fixture.patch::<NetworkContext>(
            &project(),
            Some(NAMESPACE),
            &format!("{NETWORK}-{LOCATION}"),
            &patch,
        );
        fixture.settle();
        let now = fixture.platform.now();
        let since = unclaimed_since(&fixture.expect_context()).unwrap();
        let since: jiff::Timestamp =
            since.parse().unwrap_or_else(|_| panic!("{unreadable:?} stays as {since:?}"));
        assert!(since <= now && since.duration_since(now).as_secs().abs() < 60, "{since} at {now}");
    }
    assert!(event_reasons(&mut fixture).contains(&"UnclaimedSinceUnreadable".to_owned()));
}

/// Grace 0 ends a presence with its last declaration.
pub fn a_zero_grace_ends_at_once(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(Duration::ZERO));
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert_eq!(fixture.context(), None);
    assert_eq!(event_reasons(&mut fixture), ["PresenceEnded"]);
}
