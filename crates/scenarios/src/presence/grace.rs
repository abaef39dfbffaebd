//! How a presence ends when nothing declares it.

use std::time::Duration;

use api::builtin::Event;
use api::labels::annotation::UNCLAIMED_SINCE;
use api::networking::NetworkContext;
use serde_json::{Value, json};

use crate::fixture::{Fixture, LOCATION, NAMESPACE, NETWORK, project, text, unclaimed_since};
use crate::platform::{ManagerOptions, Platform};

/// Reasons of the events about the context, sorted.
fn event_reasons(fixture: &mut Fixture<'_>) -> Vec<String> {
    let events = fixture.list::<Event>(&project(), Some(NAMESPACE));
    let about = |event: &&Value| text(event, "/regarding/name") == format!("{NETWORK}-{LOCATION}");
    let mut reasons: Vec<String> = events.iter().filter(about).map(|event| text(event, "/reason")).collect();
    reasons.sort();
    reasons
}

/// Asserts for which reasons events were told about the context. An event is told after what it tells of and only once, so
/// one whose process dies in between is not told at all.
fn assert_told(fixture: &mut Fixture<'_>, told: &[String], expected: &[&str]) {
    if fixture.platform.is_disturbed() {
        let mut left = expected.to_vec();
        for reason in told {
            let found = left.iter().position(|one| one == reason);
            left.remove(found.unwrap_or_else(|| panic!("{reason} is told in {told:?}, not in {expected:?}")));
        }
    } else {
        assert_eq!(told, expected);
    }
}

/// A33.
pub fn a33_an_expired_grace_ends_the_presence(platform: &mut dyn Platform) {
    let grace = platform.short_grace();
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(grace));
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert!(unclaimed_since(&fixture.expect_context()).is_some(), "the grace is running");
    fixture.platform.pass_time(grace + Duration::from_secs(1));
    fixture.settle();
    assert_eq!(fixture.context(), None);
    let told = event_reasons(&mut fixture);
    assert_told(&mut fixture, &told, &["PresenceEnded", "UnclaimedGraceStarted"]);
}

/// S1.10.
pub fn s1_10_an_unreadable_stamp_starts_the_grace_again(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    for unreadable in ["not a time", "2999-01-01T00:00:00Z"] {
        let patch = json!({"metadata": {"annotations": {UNCLAIMED_SINCE: unreadable}}});
        let written = fixture.platform.now();
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
        let is_anew = written.duration_since(since).as_secs() < 60;
        assert!(since <= now && is_anew, "{since} at {now}, made unreadable at {written}");
    }
    // Two graces that begin in one second are told of once.
    let mut told = event_reasons(&mut fixture);
    told.dedup();
    assert_told(&mut fixture, &told, &["UnclaimedGraceStarted", "UnclaimedSinceUnreadable"]);
}

/// Grace 0 ends a presence with its last declaration.
pub fn a_zero_grace_ends_at_once(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::with_grace(Duration::ZERO));
    fixture.present();
    fixture.unbind("one");
    fixture.settle();
    assert_eq!(fixture.context(), None);
    let told = event_reasons(&mut fixture);
    assert_told(&mut fixture, &told, &["PresenceEnded"]);
}
