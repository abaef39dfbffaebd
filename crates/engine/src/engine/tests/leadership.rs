//! Who may act, until when, and how it ends.

use super::*;

fn settings() -> LeaseSettings {
    LeaseSettings {
        identity: "us".to_owned(),
        duration: seconds(15),
        renew_deadline: seconds(10),
        retry_period: seconds(2),
        skew: seconds(2),
    }
}

fn started() -> Rig {
    let mut rig = Rig::with(Settings::default(), vec![settings()]);
    rig.engage();
    rig
}

#[test]
fn a_standby_makes_passes_and_sends_nothing_until_it_leads() {
    let mut rig = Rig::with(Settings::default(), vec![settings()]);
    rig.lease = LeaseRecord {
        version: "1".to_owned(),
        holder: "them".to_owned(),
        duration_seconds: 15,
        ..LeaseRecord::default()
    };
    rig.engage();
    rig.source("s", &json!({"for": "c"}));
    rig.advance(seconds(14));
    assert!(rig.sent().is_empty());
    assert!(rig.engine.metrics.passes.contains_key(&("mirror", PassOutcome::Withheld)));
    rig.advance(seconds(4));
    assert!(rig.engine.is_leading());
    assert!(rig.is_copied("c"), "what was withheld is planned again");
}

/// What two leases are asked for, while nobody answers by itself.
fn two_leases() -> Rig {
    let mut rig = Rig::with(Settings::default(), vec![settings(), settings()]);
    rig.withhold(What::Leases);
    rig.engage();
    rig
}

fn held_by(holder: &str) -> LeaseAnswer {
    let (version, holder) = ("1".to_owned(), holder.to_owned());
    LeaseAnswer::Record(LeaseRecord { version, holder, duration_seconds: 15, ..LeaseRecord::default() })
}

/// Which leases are written, of those that are on the wire.
fn written(rig: &mut Rig) -> Vec<usize> {
    let asked = std::mem::take(&mut rig.leases).into_iter();
    asked.filter(|(_, want)| matches!(want, LeaseWant::Write(_))).map(|(lease, _)| lease).collect()
}

#[test]
fn a_lease_is_taken_only_while_those_before_it_are_held() {
    let mut rig = two_leases();
    for _ in 0..6 {
        rig.input(Input::Lease(0, held_by("them")));
        rig.input(Input::Lease(1, LeaseAnswer::Missing));
        assert_eq!(written(&mut rig), [0_usize; 0], "two processes with one each would wait for ever");
        rig.advance(seconds(2));
    }
    rig.input(Input::Lease(0, held_by("")));
    assert_eq!(written(&mut rig), [0]);
    rig.input(Input::Lease(0, held_by("us")));
    rig.input(Input::Lease(1, LeaseAnswer::Missing));
    assert_eq!(written(&mut rig), [1]);
}

#[test]
fn leases_of_a_dead_holder_are_all_taken_after_the_duration_of_one() {
    let mut rig = two_leases();
    for _ in 0..8 {
        rig.input(Input::Lease(0, held_by("them")));
        rig.input(Input::Lease(1, held_by("them")));
        rig.advance(seconds(2));
    }
    rig.leases.clear();
    rig.input(Input::Lease(0, held_by("them")));
    assert_eq!(written(&mut rig), [0], "its holder has been silent for 16 s");
    rig.input(Input::Lease(0, held_by("us")));
    rig.input(Input::Lease(1, held_by("them")));
    assert_eq!(written(&mut rig), [1], "so has that of the second");
}

#[test]
fn a_step_is_sent_only_if_it_is_over_before_the_lease_is() {
    let mut rig = started();
    rig.withhold(What::Leases);
    rig.advance(Duration::from_millis(7900));
    rig.source("a", &json!({"for": "a"}));
    assert!(rig.is_copied("a"), "5 s for the step and 2 s of skew end before 15 s");
    rig.advance(Duration::from_millis(200));
    assert!(rig.engine.is_leading());
    rig.source("b", &json!({"for": "b"}));
    assert!(!rig.is_copied("b"), "it might still be on its way when somebody else leads");
    rig.release(What::Leases);
    rig.run();
    assert!(rig.is_copied("b"), "the renewal makes room");
}

/// A busy shell takes many inputs in before it lets passes run.
#[test]
fn what_was_withheld_and_allowed_again_within_one_batch_is_not_forgotten() {
    let numbers = Settings { steps_in_flight_per_cluster: 1, ..Settings::default() };
    let mut rig = Rig::with(numbers, vec![settings()]);
    rig.engage();
    rig.withhold(What::Answers);
    rig.withhold(What::Leases);
    rig.source("a", &json!({"for": "a"}));
    rig.source("b", &json!({"for": "b"}));
    rig.advance(seconds(3));
    let (sent, renewal) = (rig.on_wire.pop_front().unwrap(), rig.leases.pop().unwrap());
    let late = Now { wall: rig.now.wall + seconds(6), monotonic: rig.now.monotonic + seconds(6) };
    rig.now = late;
    let answer = rig.answer(&sent);
    rig.engine.take(late, answer);
    let renewed = rig.answer_lease(renewal.1);
    rig.engine.take(late, Input::Lease(renewal.0, renewed));
    let outputs = rig.engine.finish();
    rig.perform(outputs);
    rig.release(What::Answers);
    rig.release(What::Leases);
    rig.run();
    assert!(rig.is_copied("b"), "the step that had no time left is sent after the renewal");
}

#[test]
fn a_leader_that_cannot_renew_stops_before_its_lease_is_over() {
    let mut rig = started();
    rig.withhold(What::Leases);
    rig.advance(Duration::from_millis(9999));
    assert!(rig.engine.is_leading());
    rig.advance(Duration::from_millis(1));
    assert!(!rig.engine.is_leading());
}

#[test]
fn a_shutdown_lets_answers_drain_and_then_gives_the_lease_back() {
    let mut rig = started();
    rig.withhold(What::Answers);
    rig.source("a", &json!({"for": "a"}));
    rig.input(Input::Shutdown);
    rig.source("b", &json!({"for": "b"}));
    rig.advance(seconds(5));
    assert_eq!((rig.on_wire.len(), rig.is_drained, rig.lease.holder.as_str()), (1, false, "us"));
    rig.release(What::Answers);
    rig.run();
    assert_eq!((rig.is_drained, rig.lease.holder.as_str()), (true, ""));
    assert!(!rig.is_copied("b"), "nothing new is sent");
}

#[test]
fn a_shutdown_beside_a_renewal_gives_the_lease_back_after_it() {
    let mut rig = started();
    rig.withhold(What::Leases);
    rig.advance(seconds(3));
    rig.input(Input::Shutdown);
    assert_eq!(rig.leases.len(), 1, "a release sent now would lose to the renewal");
    rig.release(What::Leases);
    rig.run();
    assert_eq!((rig.is_drained, rig.lease.holder.as_str()), (true, ""));
}

#[test]
fn without_leases_an_engine_leads_until_it_is_stopped() {
    let mut rig = Rig::started();
    assert!(rig.engine.is_leading());
    rig.input(Input::Shutdown);
    assert!(!rig.engine.is_leading());
    assert!(rig.is_drained);
}
