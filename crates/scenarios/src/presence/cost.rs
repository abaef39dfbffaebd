//! What presences cost in writes, alone and under churn.

use std::collections::BTreeMap;

use api::networking::{Network, NetworkBinding, NetworkContext};
use api::{ClusterName, locations};
use serde_json::json;

use crate::fixture::{Fixture, HUB_NAMESPACE, NAMESPACE, NETWORK, assert_ready, project};
use crate::objects;
use crate::platform::{LeaseTiming, ManagerOptions, Platform};

/// Decisions 14: binding label, context, context status, and the binding's status once or twice.
pub fn a_presence_costs_at_most_five_writes(platform: &mut dyn Platform) {
    let mut fixture = Fixture::new(platform, &ManagerOptions::default());
    fixture.create_network(&["IPv6"], 1460);
    fixture.settle();
    let before = fixture.platform.counters(fixture.manager).writes;
    fixture.bind("one");
    fixture.settle();
    assert_ready(&fixture.binding("one"), "True", "NetworkContextReady");
    let manager = fixture.manager;
    fixture.assert_cost(|platform| assert_five_writes(platform.counters(manager).writes, before));
    let settled = fixture.platform.counters(manager).total_writes();
    fixture.settle();
    let after = fixture.platform.counters(manager).total_writes();
    assert_eq!(after, settled, "steady state writes nothing");
}

type Writes = BTreeMap<(String, String), u64>;

fn assert_five_writes(mut after: Writes, before: Writes) {
    for (write, count) in before {
        *after.entry(write).or_default() -= count;
    }
    after.retain(|_, count| *count > 0);
    let binding_status = ("network-binding".to_owned(), "apply-status".to_owned());
    let answers = after.remove(&binding_status);
    assert!(answers == Some(1) || answers == Some(2), "{answers:?} answers");
    let expected =
        [("network-binding", "apply"), ("network-context", "apply-status"), ("network-presence", "create")];
    let expected: Writes = expected
        .into_iter()
        .map(|(controller, action)| ((controller.to_owned(), action.to_owned()), 1))
        .collect();
    assert_eq!(after, expected, "each once");
}

/// Presences in the churn.
const CHURNED: usize = 1000;
/// Presences in a churn that is run again for each of its writes.
const CHURNED_OFTEN: usize = 8;

/// Presences that are made, edited, taken back and made again while controllers work on them.
pub fn a_churn_of_presences_loses_no_write_and_few_races(platform: &mut dyn Platform) {
    let count = if platform.is_disturbed() { CHURNED_OFTEN } else { CHURNED };
    let options = ManagerOptions { lease: LeaseTiming::unhurried(), ..ManagerOptions::default() };
    let mut fixture = Fixture::without_location(platform, &options);
    fixture.create_network(&["IPv6"], 1460);
    let declare = |fixture: &mut Fixture<'_>, name: String, number: usize| {
        let body = objects::binding(&name, NETWORK, &format!("l{number}"), "Workload");
        fixture.create::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE), &body);
    };
    for number in 0..count {
        fixture.create::<locations::Location>(&project(), None, &objects::location(&format!("l{number}")));
        declare(&mut fixture, format!("a{number}"), number);
        if number % 7 == 3 {
            let mtu = 1300 + i32::try_from(number).unwrap_or_default();
            fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &json!({"spec": {"mtu": mtu}}));
        }
        if number % 3 == 1 {
            fixture.unbind(&format!("a{number}"));
            declare(&mut fixture, format!("b{number}"), number);
        }
    }
    fixture.patch::<Network>(&project(), Some(NAMESPACE), NETWORK, &json!({"spec": {"mtu": 8000}}));
    fixture.settle();
    let contexts = fixture.list::<NetworkContext>(&project(), Some(NAMESPACE));
    assert_eq!(contexts.len(), count);
    for context in &contexts {
        assert_eq!(context["spec"]["mtu"], json!(8000), "the last edit reaches every presence");
    }
    for binding in fixture.list::<NetworkBinding>(&ClusterName::Hub, Some(HUB_NAMESPACE)) {
        assert_ready(&binding, "True", "NetworkContextReady");
    }
    let manager = fixture.manager;
    fixture.assert_cost(|platform| {
        let counters = platform.counters(manager);
        let (writes, races) = (counters.total_writes(), counters.total_races());
        assert!(races * 100 <= writes, "{races} races in {writes} writes: {:?}", counters.races);
    });
}
