//! How long objects took until a write of ours first turned them Ready. Nothing decides by it.

use std::time::Duration;

use api::Uid;
use api::condition::{ConditionStatus, ConditionType};
use jiff::{SignedDuration, Timestamp};
use reconcile::{Action, Step};
use serde_json::Value;

use super::Engine;
use crate::ids::KeyId;
use crate::metrics;
use crate::time::Now;

/// Servers tell the time of creation in whole seconds.
const CREATED_WITHIN: SignedDuration = SignedDuration::from_secs(1);

impl Engine {
    /// A step is about to be sent. Remembers whether it is the first that turns this life of its object Ready: when it is
    /// answered, the watch may have told the result already.
    pub(super) fn expect_ready(&mut self, key: KeyId, step: &Step) {
        let turned = self.turned_ready(step);
        if let Some(state) = self.keys.get_mut(&key) {
            let is_counted = |uid: &Uid| state.readied.as_ref() == Some(uid);
            state.readying = turned.filter(|(uid, _)| !is_counted(uid));
        }
    }

    /// Life and creation of the object that a step turns Ready.
    fn turned_ready(&mut self, step: &Step) -> Option<(Uid, Timestamp)> {
        let Action::ApplyStatus(status) = &step.action else { return None };
        if !is_ready(status.get("conditions")) {
            return None;
        }
        let held = self.world.encoded(&step.target)?;
        if is_ready(held.pointer("/status/conditions")) {
            return None;
        }
        let text = |pointer| held.pointer(pointer).and_then(Value::as_str);
        Some((text("/metadata/uid")?.into(), text("/metadata/creationTimestamp")?.parse().ok()?))
    }

    /// The step was answered with success: if it turned its object Ready, the object's age is counted.
    pub(super) fn note_ready(&mut self, key: KeyId) {
        let name = self.controller_name(key.controller);
        let Some(state) = self.keys.get_mut(&key) else { return };
        let Some((uid, created)) = state.readying.take() else { return };
        state.readied = Some(uid);
        let age = age(created, state.since, self.world.now);
        metrics::observe(&mut self.metrics.ready_times, metrics::READY_BOUNDS, name, age);
    }
}

/// The age of an object that was created in the second that begins at `created` and of which a key has been known since
/// `since`: it cannot have been seen before it was there.
fn age(created: Timestamp, since: Duration, now: Now) -> Duration {
    let known_for = now.monotonic.saturating_sub(since);
    let seen = now.wall.saturating_sub(known_for).unwrap_or(now.wall);
    let latest = created.saturating_add(CREATED_WITHIN).unwrap_or(created);
    Duration::try_from(now.wall.duration_since(seen.clamp(created, latest))).unwrap_or(Duration::ZERO)
}

fn is_ready(conditions: Option<&Value>) -> bool {
    let conditions = conditions.and_then(Value::as_array);
    conditions.into_iter().flatten().any(|one| {
        one["type"] == ConditionType::Ready.as_str() && one["status"] == ConditionStatus::True.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(wall_ms: i64, monotonic_ms: u64) -> Now {
        let wall = Timestamp::from_millisecond(wall_ms).unwrap();
        Now { wall, monotonic: Duration::from_millis(monotonic_ms) }
    }

    #[test]
    fn an_object_that_was_seen_when_it_was_made_has_the_age_since_then() {
        let created = Timestamp::from_millisecond(5_000).unwrap();
        assert_eq!(age(created, Duration::from_millis(400), now(5_730, 500)), Duration::from_millis(100));
    }

    #[test]
    fn an_object_that_was_there_before_this_process_has_its_age_to_the_second() {
        let created = Timestamp::from_millisecond(5_000).unwrap();
        assert_eq!(age(created, Duration::from_millis(400), now(65_000, 500)), Duration::from_secs(59));
    }

    #[test]
    fn a_key_that_is_older_than_the_object_does_not_make_it_older() {
        let created = Timestamp::from_millisecond(5_000).unwrap();
        assert_eq!(age(created, Duration::ZERO, now(5_300, 60_000)), Duration::from_millis(300));
    }

    #[test]
    fn a_clock_behind_the_servers_gives_no_age_below_zero() {
        let created = Timestamp::from_millisecond(9_000).unwrap();
        assert_eq!(age(created, Duration::from_millis(400), now(5_300, 500)), Duration::ZERO);
    }
}
