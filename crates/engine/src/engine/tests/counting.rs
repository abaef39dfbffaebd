//! What is counted, and that it is counted right.

use std::cell::Cell;

use api::ResourceKind;
use api::cluster::ClusterRole;

use super::*;
use crate::metrics::Histogram;

fn maps() -> ResourceKind {
    KindEntry::of::<ConfigMap>().resource
}

fn lags(rig: &Rig) -> (u64, f64) {
    let lags = rig.engine.metrics.informer_lags.get(&(ClusterRole::Project, maps()));
    lags.map(|lags| (lags.count, lags.sum_seconds)).unwrap_or_default()
}

#[test]
fn an_informer_lags_from_the_answer_to_a_write_until_its_event() {
    let mut rig = Rig::started();
    rig.withholds_events_of = Some(project());
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.pass_time(seconds(3));
    assert_eq!(lags(&rig), (0, 0.0), "nothing has been shown yet");
    rig.withholds_events_of = None;
    rig.run();
    assert_eq!(lags(&rig), (1, 3.0));
}

#[test]
fn an_event_that_is_faster_than_the_answer_is_no_lag() {
    let mut rig = Rig::started();
    rig.withhold(What::Answers);
    rig.source("s", &json!({"for": "c", "x": "1"}));
    let sent = rig.on_wire.pop_front().unwrap();
    let answer = rig.answer(&sent);
    rig.run();
    rig.pass_time(seconds(3));
    rig.input(answer);
    assert_eq!(lags(&rig), (1, 0.0));
}

#[test]
fn a_list_that_shows_an_own_write_ends_the_lag_too() {
    let mut rig = Rig::started();
    rig.withholds_events_of = Some(project());
    rig.source("s", &json!({"for": "c", "x": "1"}));
    rig.pass_time(seconds(5));
    let store = rig.store(&project());
    let epoch = rig.watches[&store].epoch;
    rig.input(Input::WatchEnded(store, epoch, Failure::Gone));
    assert_eq!(lags(&rig), (1, 5.0));
}

#[test]
fn a_pass_takes_what_the_stopwatch_says() {
    let rig = Rig::with(Settings::default(), Vec::new());
    let microseconds = Cell::new(0);
    let stopwatch = move || {
        microseconds.set(microseconds.get() + 7);
        Duration::from_micros(microseconds.get())
    };
    let mut rig = Rig { engine: rig.engine.timed_by(Box::new(stopwatch)), ..rig };
    rig.engage();
    rig.source("s", &json!({"for": "c"}));
    let passes: u64 = rig.passes();
    let times = &rig.engine.metrics.pass_times;
    let total = |of: fn(&Histogram) -> f64| times.values().map(of).sum::<f64>();
    assert_eq!(times.values().map(|times| times.count).sum::<u64>(), passes);
    let expected = 7e-6 * f64::from(u32::try_from(passes).unwrap());
    assert!((total(|times| times.sum_seconds) - expected).abs() < 1e-9);
    assert!(times.values().all(|times| times.buckets[1] == times.count), "between five and ten microseconds");
}

#[test]
fn a_key_that_waits_for_its_turn_is_counted_for_its_controller() {
    let mut rig = Rig::started_with(Settings { passes_per_call: 3, ..Settings::default() });
    for number in 0..10 {
        let name = format!("s{number}");
        rig.server.put(&ClusterName::Hub, "sources", &name, json!({"data": {"for": format!("c{number}")}}));
        let event = rig.next_event().unwrap();
        rig.engine.take(rig.now, event);
    }
    assert_eq!(rig.engine.gauges().queue_depth, BTreeMap::from([("follow", 0), ("mirror", 10)]));
    let outputs = rig.engine.handle(rig.now, Input::Tick);
    assert_eq!(rig.engine.gauges().queue_depth["mirror"], 7);
    rig.perform(outputs);
    rig.run();
    assert_eq!(rig.engine.gauges().queue_depth, BTreeMap::from([("follow", 0), ("mirror", 0)]));
}

#[test]
fn the_silence_of_an_informer_ends_with_whatever_the_server_tells() {
    let mut rig = Rig::started();
    rig.pass_time(seconds(90));
    rig.input(Input::Tick);
    let silence = |rig: &Rig, role| rig.engine.gauges().informers[&(role, maps())].silence;
    assert_eq!(silence(&rig, ClusterRole::Hub), seconds(90));
    let store = rig.store(&ClusterName::Hub);
    let epoch = rig.watches[&store].epoch;
    rig.input(Input::Watched(store, epoch, Watched::Bookmark("0".to_owned())));
    assert_eq!(
        (silence(&rig, ClusterRole::Hub), silence(&rig, ClusterRole::Project)),
        (seconds(0), seconds(90))
    );
}

#[test]
fn verdicts_are_counted_by_controller_and_reason() {
    let mut rig = Rig::started();
    let body = json!({"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"});
    rig.server.scripted.push((Method::Post, 403, body));
    rig.source("s", &json!({"for": "c"}));
    rig.source("t", &json!({"for": "d"}));
    let verdicts = rig.engine.gauges().verdicts;
    assert_eq!((verdicts[&("mirror", Some("Refused"))], verdicts[&("mirror", None)]), (1, 1));
}
