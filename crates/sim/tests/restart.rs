//! A restart reads everything once, decides everything once, and writes nothing.

use sim::plane::Templates;
use sim::restart::{RestartError, restart};

/// More than two pages of declarations, and of contexts in one of two projects. `network-services-sim restart` has 10,000.
const PRESENCES: usize = 1200;

#[test]
fn a_restart_makes_one_pass_per_key_no_write_and_no_read_but_each_kinds_pages_and_watch() {
    let restart = restart(&Templates::new().unwrap(), PRESENCES).unwrap();
    assert_eq!(restart.complaints(), Vec::<String>::new(), "{restart}");
    let pages = |plane: &str, plural: &str| {
        let of = restart.requests.pages.iter();
        let found = of.filter(|((cluster, kind), _)| cluster.to_string() == plane && kind.plural == plural);
        found.map(|(_, pages)| *pages).sum::<u64>()
    };
    // A copy beside its thousand contexts makes the third page.
    assert_eq!((pages("hub", "networkbindings"), pages("project/p0", "networkcontexts")), (3, 3));
    assert_eq!(pages("project/p1", "networkcontexts"), 1);
}

#[test]
fn whatever_a_restart_costs_too_much_is_told() {
    let mut counted = restart(&Templates::new().unwrap(), 3).unwrap();
    assert_eq!(counted.complaints(), Vec::<String>::new(), "{counted}");
    counted.requests.steps = 2;
    *counted.passes.get_mut("network-presence").unwrap() += 1;
    counted.requests.fences = 1;
    *counted.requests.pages.values_mut().next().unwrap() += 1;
    *counted.requests.watches.values_mut().next().unwrap() += 1;
    let told = counted.complaints();
    assert_eq!(told.len(), 5, "{told:#?}");
    for part in
        ["passes of network-presence: 4 instead of 3", "writes: 2", "fences: 1", "pages of ", "watches of "]
    {
        assert!(told.iter().any(|text| text.starts_with(part)), "{part}: {told:#?}");
    }
}

#[test]
fn a_world_that_cannot_be_made_is_told() {
    let refused = RestartError::Refused { act: "hub POST /x {}".to_owned(), code: 409 };
    assert_eq!(refused.to_string(), "hub POST /x {} was answered 409; a world of presences cannot be made");
}
