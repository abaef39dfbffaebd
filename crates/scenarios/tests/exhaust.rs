//! Every crash point of a few short scenarios, and every order of events in small worlds. The program
//! `network-services-sim exhaust all` does the same for all of them, and more.

use scenarios::exhaust::orders::{SMALL_WORLDS, every_order};
use scenarios::exhaust::{Case, pairs, run, singles};
use scenarios::simulated::templates;
use scenarios::{SCENARIOS, Scenario};
use sim::world::interference::{AtWrite, Interference};

/// Short ones that make, hold and end what there is to make, hold and end.
const SHORT: [&str; 3] = [
    "a1_a_network_is_held_while_it_lives_and_goes_without_contexts",
    "a4_a_presence_becomes_ready_with_the_networks_settings",
    "a_zero_grace_ends_at_once",
];

fn named(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}

#[test]
fn short_scenarios_hold_whatever_write_goes_wrong() {
    let templates = templates();
    let mut findings = Vec::new();
    let mut cases = 0;
    for name in SHORT {
        let scenario = named(name).unwrap();
        let undisturbed = run(&templates, &Case { scenario, interferences: Vec::new() }, None, false);
        assert_eq!(undisturbed.finding, None, "{name}");
        assert!(undisturbed.write_sites >= 3, "{name} writes something");
        for case in singles(scenario, &undisturbed, false) {
            cases += 1;
            let ran = run(&templates, &case, undisturbed.end.as_ref(), false);
            findings.extend(ran.finding.map(|finding| format!("{case}: {finding}")));
        }
    }
    assert_eq!(findings, Vec::<String>::new());
    assert_eq!(cases, 57, "three ways for each of 3 + 7 + 9 writes");
}

#[test]
fn a_scenario_holds_whichever_event_is_withheld_and_whichever_two_processes_die() {
    let templates = templates();
    let scenario = named(SHORT[0]).unwrap();
    let undisturbed = run(&templates, &Case { scenario, interferences: Vec::new() }, None, false);
    let all = singles(scenario, &undisturbed, true);
    let events = all.iter().filter(|case| matches!(case.interferences[..], [Interference::Event(..)]));
    let mut cases: Vec<Case> = events.cloned().collect();
    assert_eq!(cases.len(), 10, "two ways for each of five events");
    for first in all {
        let ran = run(&templates, &first, undisturbed.end.as_ref(), false);
        cases.extend(pairs(&first, &ran));
    }
    assert!(cases.len() > 10 + 12, "{}: after the first of three there are three or more", cases.len());
    for case in cases {
        let finding = run(&templates, &case, undisturbed.end.as_ref(), false).finding;
        assert_eq!(finding, None, "{case}");
    }
}

#[test]
fn a_run_without_its_interference_is_a_finding_and_tells_its_story() {
    let scenario = named(SHORT[0]).unwrap();
    let case =
        |number| Case { scenario, interferences: vec![Interference::Write(number, AtWrite::CrashAfter)] };
    let ran = run(&templates(), &case(1000), None, false);
    assert!(ran.finding.is_some_and(|finding| finding.contains("no such number")), "there is no write 1000");
    let told = run(&templates(), &case(2), None, true);
    assert_eq!(told.finding, None);
    let dies = told.story.iter().position(|line| line.contains("dies before the answer"));
    let comes = told.story.iter().rposition(|line| line.contains("starts as manager-1"));
    assert!(dies.is_some() && dies < comes, "{:#?}", told.story);
}

/// Orders of the first three events of each small world.
const ORDERS: [usize; 9] = [9, 8, 9, 16, 23, 10, 4, 8, 34];

#[test]
fn every_order_of_events_comes_to_one_end() {
    let templates = templates();
    let orders: Vec<usize> = SMALL_WORLDS.iter().map(|small| every_order(&templates, small, 3)).collect();
    assert_eq!(orders, ORDERS);
}
