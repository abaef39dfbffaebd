//! The lease under two processes, a paused holder, and a server that does not answer.

use super::*;

fn settings(identity: &str) -> LeaseSettings {
    LeaseSettings {
        identity: identity.to_owned(),
        duration: Duration::from_secs(15),
        renew_deadline: Duration::from_secs(10),
        retry_period: Duration::from_secs(2),
        skew: Duration::from_secs(2),
    }
}

fn at(seconds: u64) -> Now {
    let wall = Timestamp::from_second(1_000_000 + i64::try_from(seconds).unwrap()).unwrap();
    Now { wall, monotonic: Duration::from_secs(seconds) }
}

/// A server with one Lease.
#[derive(Default)]
struct Server {
    record: Option<LeaseRecord>,
    version: u64,
}

impl Server {
    fn serve(&mut self, want: LeaseWant) -> LeaseAnswer {
        match (want, &self.record) {
            (LeaseWant::Read, None) => LeaseAnswer::Missing,
            (LeaseWant::Read, Some(record)) => LeaseAnswer::Record(record.clone()),
            (LeaseWant::Write(new), held) => {
                let current = held.as_ref().map(|held| held.version.clone()).unwrap_or_default();
                if current != new.version {
                    return LeaseAnswer::Conflict;
                }
                self.version += 1;
                let stored = LeaseRecord { version: self.version.to_string(), ..new };
                self.record = Some(stored.clone());
                LeaseAnswer::Record(stored)
            }
        }
    }

    fn run(&mut self, lease: &mut Lease, now: Now) {
        let mut want = lease.tick(now.monotonic);
        while let Some(next) = want {
            let answer = self.serve(next);
            want = lease.answer(answer, now, true);
        }
    }
}

#[test]
fn the_first_takes_it_and_the_second_waits_out_the_duration_it_observed_itself() {
    let (mut server, mut one, mut two) =
        (Server::default(), Lease::new(settings("one")), Lease::new(settings("two")));
    server.run(&mut one, at(0));
    assert!(one.is_held(at(0).monotonic));
    for second in (1..16).step_by(3) {
        server.run(&mut two, at(second));
        assert!(!two.is_held(at(second).monotonic), "at {second}");
    }
    server.run(&mut two, at(17));
    assert!(two.is_held(at(17).monotonic), "the first stopped renewing and two watched it for 15 s");
    assert_eq!(server.record.as_ref().map(|record| record.transitions), Some(2));
}

#[test]
fn a_step_is_sent_only_if_it_ends_before_the_lease() {
    let (mut server, mut one) = (Server::default(), Lease::new(settings("one")));
    server.run(&mut one, at(0));
    let timeout = Duration::from_secs(5);
    assert!(one.may_send(at(7).monotonic, timeout));
    assert!(!one.may_send(at(8).monotonic, timeout), "8 + 5 + 2 is not before 15");
}

#[test]
fn a_holder_that_cannot_renew_stops_at_the_renew_deadline() {
    let (mut server, mut one) = (Server::default(), Lease::new(settings("one")));
    server.run(&mut one, at(0));
    assert_eq!(one.tick(at(2).monotonic), Some(LeaseWant::Read));
    assert_eq!(one.answer(LeaseAnswer::Failed("connection refused".to_owned()), at(2), true), None);
    assert!(one.is_held(at(9).monotonic));
    assert!(!one.is_held(at(10).monotonic));
}

#[test]
fn a_released_lease_is_taken_at_once() {
    let (mut server, mut one, mut two) =
        (Server::default(), Lease::new(settings("one")), Lease::new(settings("two")));
    server.run(&mut one, at(0));
    server.run(&mut two, at(0));
    let want = one.release(at(1)).unwrap();
    let answer = server.serve(want);
    assert_eq!(one.answer(answer, at(1), true), None);
    assert!(one.is_released() && !one.is_held(at(1).monotonic));
    server.run(&mut two, at(2));
    assert!(two.is_held(at(2).monotonic));
}

#[test]
fn of_two_that_read_the_same_expired_record_one_wins() {
    let (mut server, mut one, mut two) =
        (Server::default(), Lease::new(settings("one")), Lease::new(settings("two")));
    let (want_one, want_two) = (one.tick(Duration::ZERO).unwrap(), two.tick(Duration::ZERO).unwrap());
    let (read_one, read_two) = (server.serve(want_one), server.serve(want_two));
    let (write_one, write_two) =
        (one.answer(read_one, at(0), true).unwrap(), two.answer(read_two, at(0), true).unwrap());
    let (answer_one, answer_two) = (server.serve(write_one), server.serve(write_two));
    one.answer(answer_one, at(0), true);
    two.answer(answer_two, at(0), true);
    assert!(one.is_held(Duration::ZERO) && !two.is_held(Duration::ZERO));
}

#[test]
fn a_paused_holder_finds_itself_deposed_when_it_wakes() {
    let (mut server, mut one, mut two) =
        (Server::default(), Lease::new(settings("one")), Lease::new(settings("two")));
    server.run(&mut one, at(0));
    server.run(&mut two, at(0));
    server.run(&mut two, at(16));
    assert!(two.is_held(at(16).monotonic));
    assert!(!one.is_held(at(16).monotonic), "its own clock says so before it asks anybody");
    server.run(&mut one, at(16));
    assert!(!one.is_held(at(16).monotonic));
}

#[test]
fn a_lease_that_ran_out_wakes_nobody_for_it_again() {
    let (mut server, mut one) = (Server::default(), Lease::new(settings("one")));
    server.run(&mut one, at(0));
    let want = one.tick(at(11).monotonic);
    assert_eq!(want, Some(LeaseWant::Read));
    assert_eq!(one.wakes_at(), None, "the answer is awaited, and the expiry is over");
}
