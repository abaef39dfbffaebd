//! The fence: who may act, and when.

use super::*;
use crate::ids::ControllerId;

const PATIENCE: Duration = Duration::from_secs(4);

fn key(number: u32) -> Waiter {
    Waiter::Key(KeyId { controller: ControllerId(0), number })
}

#[test]
fn keys_pass_when_the_informer_has_passed_the_list() {
    let mut fence = Fence::ask(key(1), 1);
    assert_eq!(fence.look(100, Duration::ZERO, PATIENCE), FenceOutcome::Wait, "not answered yet");
    fence.answered(50, None, Duration::ZERO);
    assert_eq!(
        fence.look(50, Duration::ZERO, PATIENCE),
        FenceOutcome::Passed(BTreeSet::from([key(1)]), None)
    );
}

#[test]
fn an_informer_that_is_behind_is_hurried_and_then_listed_again() {
    let mut fence = Fence::ask(key(1), 1);
    fence.answered(50, None, Duration::ZERO);
    assert_eq!(fence.look(49, Duration::ZERO, PATIENCE), FenceOutcome::Hurry);
    assert_eq!(fence.look(49, Duration::from_secs(3), PATIENCE), FenceOutcome::Wait);
    assert_eq!(fence.look(49, Duration::from_secs(4), PATIENCE), FenceOutcome::Relist);
    assert_eq!(fence.look(49, Duration::from_secs(5), PATIENCE), FenceOutcome::Wait);
}

#[test]
fn a_key_that_comes_after_the_question_waits_for_the_next_one() {
    let mut fence = Fence::ask(key(1), 1);
    fence.join(key(2));
    fence.answered(5, None, Duration::ZERO);
    assert_eq!(fence.look(5, Duration::ZERO, PATIENCE), FenceOutcome::Passed(BTreeSet::from([key(1)]), None));
    let mut next = fence.successor(1).unwrap();
    assert_eq!(next.look(5, Duration::ZERO, PATIENCE), FenceOutcome::Wait);
    next.answered(6, None, Duration::ZERO);
    assert_eq!(next.look(6, Duration::ZERO, PATIENCE), FenceOutcome::Passed(BTreeSet::from([key(2)]), None));
    assert!(next.successor(1).is_none());
}

#[test]
fn a_fence_that_fails_lets_nobody_act() {
    let mut fence = Fence::ask(key(1), 1);
    assert_eq!(fence.failed(), FenceOutcome::Failed(BTreeSet::from([key(1)])));
}

#[test]
fn a_version_that_a_later_list_has_not_reached_is_not_waited_for() {
    let mut fence = Fence::ask(key(1), 10);
    fence.answered(50, None, Duration::from_secs(7));
    assert!(!fence.is_void(Duration::from_secs(6), 49), "the list may have been answered before the fence");
    assert!(!fence.is_void(Duration::from_secs(7), 50));
    assert!(fence.is_void(Duration::from_secs(7), 49));
}

#[test]
fn a_list_that_is_older_than_what_was_seen_proves_nothing() {
    let mut fence = Fence::ask(key(1), 10);
    assert!(!fence.answered(9, None, Duration::ZERO));
    let mut fence = Fence::ask(key(1), 10);
    assert!(fence.answered(10, None, Duration::ZERO));
}
