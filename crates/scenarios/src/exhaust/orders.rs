//! Small worlds in which watch events arrive in every order there is: each order of two objects' three events, and of what
//! follows from them, must come to the same end.

use std::time::Duration;

use api::locations;
use api::networking::{Network, NetworkBinding, NetworkContext};
use serde_json::json;
use sim::canonical::Canonical;
use sim::plane::Templates;

use crate::fixture::{Fixture, LOCATION, NAMESPACE, NETWORK, project};
use crate::objects;
use crate::platform::{ManagerOptions, Platform};
use crate::simulated::Simulated;

/// The next event comes when nothing is left to do, or after this long: a process that was refused because of what it has not
/// been told yet tries again until it is.
const PATIENCE: Duration = Duration::from_millis(500);

/// A grace that lasts longer than any order, and is over in every end.
const GRACE: Duration = Duration::from_secs(30);

/// Three changes of two objects, and what is there before.
pub struct SmallWorld {
    /// In words.
    pub name: &'static str,
    grace: Duration,
    before: fn(&mut Fixture<'_>),
    events: fn(&mut Fixture<'_>),
}

fn nothing(_: &mut Fixture<'_>) {}

fn present(fixture: &mut Fixture<'_>) {
    fixture.present();
}

fn network_exists(fixture: &mut Fixture<'_>) {
    fixture.create_network(&["IPv6"], 1460);
}

fn edit_network(fixture: &mut Fixture<'_>, mtu: i32) {
    let edit = json!({"spec": {"mtu": mtu}});
    fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &edit);
}

fn edit_context(fixture: &mut Fixture<'_>) {
    let edit = json!({"spec": {"mtu": 1300}});
    let name = format!("{NETWORK}-{LOCATION}");
    fixture.patch::<NetworkContext>(&project(), Some(NAMESPACE), &name, &edit);
}

/// Every small world.
pub const SMALL_WORLDS: &[SmallWorld] = &[
    SmallWorld {
        name: "a network that is made and edited, and its declaration",
        grace: GRACE,
        before: nothing,
        events: |fixture| {
            fixture.create_network(&["IPv6"], 1460);
            fixture.bind("one");
            edit_network(fixture, 8000);
        },
    },
    SmallWorld {
        name: "a network that is made and deleted, and its declaration",
        grace: GRACE,
        before: nothing,
        events: |fixture| {
            fixture.create_network(&["IPv6"], 1460);
            fixture.bind("one");
            fixture.delete_network();
        },
    },
    SmallWorld {
        name: "a declaration that comes and goes, and its network",
        grace: GRACE,
        before: nothing,
        events: |fixture| {
            fixture.bind("one");
            fixture.create_network(&["IPv6"], 1460);
            fixture.unbind("one");
        },
    },
    SmallWorld {
        name: "a declaration that is replaced, and a network that is edited",
        grace: GRACE,
        before: present,
        events: |fixture| {
            fixture.unbind("one");
            edit_network(fixture, 8000);
            fixture.bind("one");
        },
    },
    SmallWorld {
        name: "a declaration that is replaced without a grace, and a network that is edited",
        grace: Duration::ZERO,
        before: present,
        events: |fixture| {
            fixture.unbind("one");
            edit_network(fixture, 8000);
            fixture.bind("one");
        },
    },
    SmallWorld {
        name: "a declaration that goes, and a network that is edited and deleted",
        grace: GRACE,
        before: present,
        events: |fixture| {
            edit_network(fixture, 8000);
            fixture.unbind("one");
            fixture.delete_network();
        },
    },
    SmallWorld {
        name: "a location that goes and comes, and a declaration",
        grace: GRACE,
        before: network_exists,
        events: |fixture| {
            fixture.delete::<locations::Location>(&project(), None, LOCATION);
            fixture.bind("one");
            fixture.create::<locations::Location>(&project(), None, &objects::location(LOCATION));
        },
    },
    SmallWorld {
        name: "a context that is edited by hand, and a declaration that is replaced",
        grace: GRACE,
        before: present,
        events: |fixture| {
            edit_context(fixture);
            fixture.unbind("one");
            fixture.bind("one");
        },
    },
    SmallWorld {
        name: "a declaration in the project that replaces one on the hub, and a network that is edited",
        grace: Duration::ZERO,
        before: present,
        events: |fixture| {
            fixture.unbind("one");
            let body = objects::binding("two", NETWORK, LOCATION, "Workload");
            fixture.create::<NetworkBinding>(&project(), Some(NAMESPACE), &body);
            edit_network(fixture, 8000);
        },
    },
];

/// Which of several comes next, for each time that is asked: one way through all of them.
#[derive(Debug, Default)]
struct Way {
    /// What was chosen, and of how many.
    taken: Vec<(usize, usize)>,
    at: usize,
    /// How often there is a choice.
    depth: usize,
}

impl Way {
    fn choose(&mut self, of: usize) -> usize {
        if self.at == self.taken.len() {
            self.taken.push((0, if self.at < self.depth { of } else { 1 }));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    /// The next way: the last choice that has another is made otherwise. False if there is none.
    fn turn(&mut self) -> bool {
        self.at = 0;
        while let Some((chosen, of)) = self.taken.pop() {
            if chosen + 1 < of {
                self.taken.push((chosen + 1, of));
                return true;
            }
        }
        false
    }
}

/// Runs a small world in every order of its first `depth` events, those that follow from the three included, and answers
/// how many orders there are. Later events arrive one by one as well, the oldest watch first.
///
/// # Panics
/// If an order breaks a rule, or comes to another end than the first.
#[must_use]
pub fn every_order(templates: &Templates, small: &SmallWorld, depth: usize) -> usize {
    let mut way = Way { depth, ..Way::default() };
    let mut first: Option<Canonical> = None;
    let mut orders = 0;
    loop {
        let (end, order) = in_order(templates, small, &mut way);
        orders += 1;
        match &first {
            None => first = Some(end),
            Some(first) => {
                let difference = end.difference(first);
                assert_eq!(difference, None, "{}, in the order {order:#?}", small.name);
            }
        }
        if !way.turn() {
            return orders;
        }
    }
}

/// One order: lets events in one by one.
fn in_order(templates: &Templates, small: &SmallWorld, way: &mut Way) -> (Canonical, Vec<String>) {
    let mut platform = Simulated::disturbed(templates.clone(), &[], false);
    let mut fixture = Fixture::new(&mut platform, &ManagerOptions::with_grace(small.grace));
    (small.before)(&mut fixture);
    fixture.settle();
    let manager = fixture.manager;
    platform.world.close_gate(true);
    (small.events)(&mut Fixture { platform: &mut platform, manager });
    let mut order = Vec::new();
    loop {
        platform.world.run_until_idle(PATIENCE);
        let waiting = platform.world.waiting_at_gate();
        if waiting.is_empty() {
            break;
        }
        let next = &waiting[way.choose(waiting.len())];
        order.push(format!("{} on {}", next.plural, next.cluster));
        platform.world.let_in(next);
    }
    platform.world.close_gate(false);
    assert_eq!(platform.settle(), Ok(()), "after {order:#?}");
    platform.pass_time(GRACE * 2);
    assert_eq!(platform.settle(), Ok(()), "after the grace of what came in the order {order:#?}");
    (Canonical::of(&platform.world), order)
}
