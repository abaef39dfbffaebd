//! Fairness, de-duplication and time of the queue.

use std::time::Duration;

use proptest::prelude::*;

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

/// What is done to a queue: a push now, a push for a time, a removal, a pop, or time that passes.
#[derive(Clone, Copy, Debug)]
enum Doing {
    Push(u32),
    PushAt(u32, u64),
    Remove(u32),
    Pop,
    Pass(u64),
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        (0_u32..12).prop_map(Doing::Push),
        (0_u32..12, 0_u64..20).prop_map(|(number, wait)| Doing::PushAt(number, wait)),
        (0_u32..12).prop_map(Doing::Remove),
        Just(Doing::Pop),
        (0_u64..10).prop_map(Doing::Pass),
    ]
}

proptest! {
    #[test]
    fn no_key_is_lost_none_comes_twice_and_none_before_its_time(all in prop::collection::vec(doing(), 0..200)) {
        let mut queue = Queue::default();
        let mut now = 0;
        // When each waiting key may come; the model of the whole queue.
        let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
        for one in all {
            let time = Duration::from_secs(now);
            match one {
                Doing::Push(number) => {
                    queue.push(key(number), turn(["p", "q", ""][number as usize % 3]), time);
                    expected.entry(number).and_modify(|at| *at = now.min(*at)).or_insert(now);
                }
                Doing::PushAt(number, wait) => {
                    let at = Duration::from_secs(now + wait);
                    queue.push_at(key(number), turn(["p", "q", ""][number as usize % 3]), at);
                    expected.entry(number).and_modify(|at| *at = (now + wait).min(*at)).or_insert(now + wait);
                }
                Doing::Remove(number) => {
                    queue.remove(key(number));
                    expected.remove(&number);
                }
                Doing::Pop => match queue.pop(time) {
                    Some(popped) => {
                        let at = expected.remove(&popped.key.number);
                        prop_assert!(at.is_some_and(|at| at <= now), "{} was due at {:?}", popped.key.number, at);
                    }
                    None => prop_assert!(expected.values().all(|at| *at > now)),
                },
                Doing::Pass(seconds) => now += seconds,
            }
            for number in 0..12 {
                prop_assert_eq!(queue.contains(key(number)), expected.contains_key(&number));
            }
        }
        let rest = drain(&mut queue, Duration::from_secs(now + 100));
        prop_assert_eq!(rest.len(), expected.len());
        prop_assert_eq!(rest.into_iter().collect::<BTreeSet<_>>(), expected.into_keys().collect::<BTreeSet<_>>());
    }

    #[test]
    fn nobody_waits_for_more_than_one_key_of_each_other_project(
        counts in prop::collection::vec(1_u32..20, 1..6),
    ) {
        let mut queue = Queue::default();
        let mut number = 0;
        for (project, count) in (0..).zip(&counts) {
            for _ in 0..*count {
                queue.push(key(project * 100 + number % 100), turn(&format!("p{project}")), Duration::ZERO);
                number += 1;
            }
        }
        let order: Vec<u32> = drain(&mut queue, Duration::ZERO).into_iter().map(|one| one / 100).collect();
        for window in order.windows(2) {
            let left = order.iter().rev().take_while(|project| *project == &window[0]).count();
            prop_assert!(window[0] != window[1] || left > 1, "{order:?}");
        }
    }
}
