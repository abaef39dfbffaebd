//! Fairness, de-duplication and time of the queue.

use std::time::Duration;

use super::*;
use crate::ids::ControllerId;

fn key(number: u32) -> KeyId {
    KeyId { controller: ControllerId(0), number }
}

fn turn(project: &str) -> Turn {
    (!project.is_empty()).then(|| project.into())
}

fn drain(queue: &mut Queue, now: Duration) -> Vec<u32> {
    std::iter::from_fn(|| queue.pop(now)).map(|popped| popped.key.number).collect()
}

#[test]
fn projects_take_turns_however_many_keys_one_has() {
    let mut queue = Queue::default();
    for number in 0..4 {
        queue.push(key(number), turn("loud"), Duration::ZERO);
    }
    queue.push(key(10), turn("quiet"), Duration::ZERO);
    queue.push(key(20), turn(""), Duration::ZERO);
    assert_eq!(drain(&mut queue, Duration::ZERO), [0, 10, 20, 1, 2, 3]);
}

#[test]
fn a_key_is_queued_once() {
    let mut queue = Queue::default();
    queue.push(key(1), turn("p"), Duration::ZERO);
    queue.push(key(1), turn("p"), Duration::ZERO);
    queue.push_at(key(1), turn("p"), Duration::from_secs(1));
    assert_eq!(drain(&mut queue, Duration::from_secs(5)), [1]);
}

#[test]
fn the_earlier_of_two_times_wins_and_a_push_comes_at_once() {
    let mut queue = Queue::default();
    queue.push_at(key(1), turn("p"), Duration::from_secs(5));
    queue.push_at(key(1), turn("p"), Duration::from_secs(2));
    queue.push_at(key(1), turn("p"), Duration::from_secs(9));
    assert_eq!(queue.next_due(), Some(Duration::from_secs(2)));
    assert_eq!(queue.pop(Duration::from_secs(1)), None);
    queue.push(key(1), turn("p"), Duration::from_secs(1));
    let popped = queue.pop(Duration::from_secs(1)).unwrap();
    assert_eq!((popped.key.number, popped.by_timer), (1, false));
    assert_eq!(queue.next_due(), None);
}

#[test]
fn a_removed_key_leaves_no_empty_turn_behind() {
    let mut queue = Queue::default();
    queue.push(key(1), turn("p"), Duration::ZERO);
    queue.push(key(2), turn("q"), Duration::ZERO);
    queue.remove(key(1));
    assert!(!queue.contains(key(1)));
    assert_eq!(drain(&mut queue, Duration::ZERO), [2]);
}
