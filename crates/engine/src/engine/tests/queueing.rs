//! Whose turn it is.

use super::*;

#[test]
fn a_project_with_many_keys_does_not_keep_another_waiting() {
    let mut rig = Rig::with(Settings { passes_per_call: 1, ..Settings::default() }, Vec::new());
    for number in 0..50 {
        let name = format!("loud.{number}");
        rig.server.put(&ClusterName::Hub, "sources", &name, json!({"data": {"for": name}}));
    }
    rig.server.put(&ClusterName::Hub, "sources", "quiet.0", json!({"data": {"for": "quiet.0"}}));
    rig.withhold(What::Answers);
    rig.engage();
    let names: Vec<Value> = rig
        .on_wire
        .iter()
        .map(|sent| serde_json::from_slice::<Value>(&sent.request.body).unwrap()["metadata"]["name"].clone())
        .collect();
    assert_eq!(names.len(), 51);
    let place = names.iter().position(|name| name == "quiet.0").unwrap();
    assert!(place < 2, "its turn comes after one key of the other project, not after {place}");
}

#[test]
fn one_call_makes_no_more_passes_than_it_may_and_asks_for_the_next() {
    let mut rig = Rig::started_with(Settings { passes_per_call: 3, ..Settings::default() });
    rig.withhold(What::Answers);
    for number in 0..10 {
        rig.server.put(
            &ClusterName::Hub,
            "sources",
            &format!("s{number}"),
            json!({"data": {"for": format!("c{number}")}}),
        );
        let event = rig.next_event().unwrap();
        rig.engine.take(rig.now, event);
    }
    let before = rig.passes();
    let outputs = rig.engine.handle(rig.now, Input::Tick);
    assert_eq!(rig.passes() - before, 3);
    assert!(outputs.iter().any(|output| matches!(output, Output::WakeAfter(wait) if wait.is_zero())));
    rig.perform(outputs);
    rig.run();
    assert_eq!(rig.on_wire.len(), 10);
}

#[test]
fn a_change_while_a_step_is_on_the_wire_is_not_lost() {
    let mut rig = Rig::started();
    rig.withhold(What::Answers);
    rig.source("s", &json!({"for": "c", "x": "1"}));
    for round in 2..9 {
        rig.source("s", &json!({"for": "c", "x": round.to_string()}));
    }
    assert_eq!(rig.on_wire.len(), 1, "one plan per key is on its way");
    rig.release(What::Answers);
    rig.run();
    assert_eq!(rig.copy("c").unwrap()["data"]["x"], "8");
    assert_eq!(rig.sent().len(), 2);
}
