//! SH9 as a table.

use super::*;

fn finding(status: ConditionStatus, message: &str) -> Finding {
    Finding {
        type_: ConditionType::Ready,
        status,
        reason: "Pending",
        message: message.to_owned(),
        observed_generation: Some(3),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn an_equal_finding_changes_nothing() {
    let mut list = vec![];
    assert!(set_if_changed(&mut list, &finding(ConditionStatus::False, "a"), at(1)));
    let before = list.clone();
    assert!(!set_if_changed(&mut list, &finding(ConditionStatus::False, "a"), at(9)));
    assert_eq!(list, before);
}

#[test]
fn the_transition_time_moves_only_with_the_status() {
    let mut list = vec![];
    set_if_changed(&mut list, &finding(ConditionStatus::False, "a"), at(1));
    assert!(set_if_changed(&mut list, &finding(ConditionStatus::False, "b"), at(2)));
    assert_eq!(list[0].last_transition_time, Time(at(1)));
    assert_eq!(list[0].message, "b");
    assert!(set_if_changed(&mut list, &finding(ConditionStatus::True, "b"), at(3)));
    assert_eq!(list[0].last_transition_time, Time(at(3)));
    assert_eq!(list.len(), 1);
}

#[test]
fn another_generation_is_a_change() {
    let mut list = vec![];
    set_if_changed(&mut list, &finding(ConditionStatus::True, "a"), at(1));
    let newer = Finding { observed_generation: Some(4), ..finding(ConditionStatus::True, "a") };
    assert!(set_if_changed(&mut list, &newer, at(2)));
    assert_eq!(list[0].last_transition_time, Time(at(1)));
}

#[test]
fn other_conditions_stay_where_they_are() {
    let mut list = vec![];
    set_if_changed(&mut list, &finding(ConditionStatus::True, "a"), at(1));
    let other = Finding { type_: ConditionType::IpamAllocated, ..finding(ConditionStatus::False, "x") };
    set_if_changed(&mut list, &other, at(1));
    set_if_changed(&mut list, &finding(ConditionStatus::False, "b"), at(2));
    let types: Vec<&str> = list.iter().map(|condition| condition.type_.as_str()).collect();
    assert_eq!(types, ["Ready", "IPAMAllocated"]);
}

#[test]
fn an_absent_entry_is_neither_true_nor_false() {
    assert!(!is_true(&[], ConditionType::Available));
    assert!(!is_false(&[], ConditionType::Available));
    assert_eq!(status(&[], ConditionType::Available), ConditionStatus::Unknown);
}
