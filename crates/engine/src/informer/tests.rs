//! One list-and-watch, answer by answer.

use rand_chacha::rand_core::SeedableRng;

use super::*;

const BOUNDS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));
const TIMEOUT: Duration = Duration::from_secs(280);

struct Scene {
    informer: Informer,
    random: ChaCha8Rng,
    now: Duration,
}

impl Scene {
    fn started() -> Self {
        let (informer, want) = Informer::start(Duration::ZERO);
        assert_eq!(want, Want::Page { epoch: Epoch(1), continue_token: None });
        Self { informer, random: ChaCha8Rng::seed_from_u64(1), now: Duration::ZERO }
    }

    fn watching() -> Self {
        let mut scene = Self::started();
        scene.informer.page_done(None, "10", TIMEOUT);
        scene
    }

    fn fail(&mut self, failure: &Failure) -> Result<Want, Duration> {
        let wall = "2026-03-01T12:00:00Z".parse().unwrap();
        self.informer.fail(failure, (self.now, wall), BOUNDS, &mut self.random)
    }

    /// Fails, and waits as long as it takes: what is asked then, and how long it took.
    fn fail_and_wait(&mut self, failure: &Failure) -> (Want, Duration) {
        match self.fail(failure) {
            Ok(want) => (want, Duration::ZERO),
            Err(until) => {
                let waited = until.saturating_sub(self.now);
                assert_eq!(self.informer.waits_until(), Some(until));
                if !waited.is_zero() {
                    assert_eq!(
                        self.informer.tick(until.saturating_sub(Duration::from_micros(1)), TIMEOUT),
                        None
                    );
                }
                self.now = until;
                (self.informer.tick(until, TIMEOUT).unwrap(), waited)
            }
        }
    }
}

fn is_watch_from(want: &Want, version: &str) -> bool {
    matches!(want, Want::Watch { from, .. } if from == version)
}

fn is_first_page(want: &Want) -> bool {
    matches!(want, Want::Page { continue_token: None, .. })
}

#[test]
fn a_list_is_taken_page_by_page_and_the_watch_starts_where_the_list_was() {
    let mut scene = Scene::started();
    let next = scene.informer.page_done(Some("token".to_owned()), "10", TIMEOUT);
    assert_eq!(next, Want::Page { epoch: Epoch(1), continue_token: Some("token".to_owned()) });
    assert!(!scene.informer.is_watching());
    scene.informer.mark(SlotId(1));
    let watch = scene.informer.page_done(None, "10", TIMEOUT);
    assert_eq!(watch, Want::Watch { epoch: Epoch(2), from: "10".to_owned(), timeout_seconds: 280 });
    assert_eq!((scene.informer.is_marked(SlotId(1)), scene.informer.is_marked(SlotId(2))), (true, false));
}

#[test]
fn answers_of_earlier_epochs_and_of_nothing_that_runs_are_not_current() {
    let mut scene = Scene::watching();
    assert_eq!((scene.informer.is_current(Epoch(1)), scene.informer.is_current(Epoch(2))), (false, true));
    scene.fail(&Failure::Unreachable("no route".to_owned())).unwrap_err();
    assert!(!(0..9).any(|epoch| scene.informer.is_current(Epoch(epoch))));
}

#[test]
fn an_expired_token_starts_the_list_over_once_and_then_backs_off() {
    let mut scene = Scene::started();
    scene.informer.page_done(Some("token".to_owned()), "10", TIMEOUT);
    scene.informer.mark(SlotId(1));
    let (want, waited) = scene.fail_and_wait(&Failure::Gone);
    assert!(is_first_page(&want) && waited.is_zero());
    assert!(!scene.informer.is_marked(SlotId(1)), "what an unfinished list showed counts for nothing");
    let (want, waited) = scene.fail_and_wait(&Failure::Gone);
    assert!(is_first_page(&want) && waited >= BOUNDS.0 / 2, "{waited:?}");
}

#[test]
fn a_watch_that_is_too_old_lists_at_once_and_backs_off_if_that_does_not_help() {
    let mut scene = Scene::watching();
    let mut waits = Vec::new();
    for _ in 0..12 {
        let (want, waited) = scene.fail_and_wait(&Failure::Gone);
        assert!(is_first_page(&want));
        waits.push(waited);
        scene.informer.page_done(None, "10", TIMEOUT);
    }
    assert!(waits[0].is_zero() && waits[1] >= BOUNDS.0 / 2);
    assert!(waits[11] >= BOUNDS.1 / 2 && waits[11] <= BOUNDS.1, "{waits:?}");
    scene.informer.advance("11");
    assert!(scene.fail_and_wait(&Failure::Gone).1.is_zero(), "an event says that the server is well again");
}

#[test]
fn a_watch_that_ends_goes_on_from_its_position_at_once_but_not_without_end() {
    let mut scene = Scene::watching();
    scene.informer.advance("15");
    let (want, waited) = scene.fail_and_wait(&Failure::Ended);
    assert!(is_watch_from(&want, "15") && waited.is_zero());
    for _ in 0..5 {
        let (want, waited) = scene.fail_and_wait(&Failure::Ended);
        assert!(is_watch_from(&want, "15"));
        assert_eq!(waited, WATCH_PAUSE);
    }
    scene.now += TIMEOUT;
    assert!(scene.fail_and_wait(&Failure::Ended).1.is_zero(), "one that lasted is renewed at once");
}

#[test]
fn failures_back_off_to_thirty_seconds_and_resume_where_that_is_possible() {
    let cases = [
        (Failure::Unreachable("no route".to_owned()), true),
        (Failure::Other("500".to_owned()), true),
        (Failure::Forbidden("no".to_owned()), false),
        (Failure::NotServed, false),
    ];
    for (failure, resumes) in cases {
        let mut scene = Scene::watching();
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            scene.now += OPENING_MAX;
            scene.informer.heard = scene.now;
            let (want, waited) = scene.fail_and_wait(&failure);
            scene.informer.opens(scene.now);
            assert_eq!(is_watch_from(&want, "10"), resumes, "{failure:?}");
            assert!(waited <= BOUNDS.1);
            last = waited;
        }
        assert!(last >= BOUNDS.1 / 2, "{last:?}");
        assert!(scene.informer.failing_since.is_some());
        scene.informer.advance("11");
        assert_eq!(scene.informer.failing_since, None);
        assert!(scene.fail_and_wait(&failure).1 <= BOUNDS.0);
    }
}

#[test]
fn the_first_failure_keeps_its_time_and_the_last_its_words() {
    let mut scene = Scene::started();
    scene.fail(&Failure::Other("first".to_owned())).unwrap_err();
    let since = scene.informer.failing_since.clone().unwrap().0;
    scene.fail(&Failure::Other("second".to_owned())).unwrap_err();
    assert_eq!(scene.informer.failing_since, Some((since, "second".to_owned())));
}

#[test]
fn only_a_running_watch_can_be_hurried() {
    assert_eq!(Scene::started().informer.hurry(Duration::from_secs(3)), None);
    let hurried = Scene::watching().informer.hurry(Duration::from_secs(3)).unwrap();
    assert!(matches!(hurried, Want::Watch { from, timeout_seconds: 3, .. } if from == "10"));
}

#[test]
fn a_watch_that_told_nothing_for_minutes_is_followed_by_a_list() {
    let mut scene = Scene::watching();
    scene.now = SILENCE_MAX.saturating_sub(Duration::from_secs(1));
    assert!(is_watch_from(&scene.fail_and_wait(&Failure::Ended).0, "10"));
    scene.informer.heard = scene.now;
    scene.now += SILENCE_MAX;
    assert!(is_first_page(&scene.fail_and_wait(&Failure::Ended).0));
    scene.informer.page_done(None, "10", TIMEOUT);
    assert!(is_first_page(&scene.fail_and_wait(&Failure::Unreachable("reset".to_owned())).0));
}

#[test]
fn what_is_older_than_what_was_seen_tells_that_the_server_went_back() {
    let mut scene = Scene::watching();
    assert_eq!((scene.informer.is_past("9"), scene.informer.is_past("10")), (true, false));
    scene.informer.restart();
    scene.informer.page_done(None, "9", TIMEOUT);
    assert_eq!(scene.informer.position(), 9, "a list is believed, however old");
}

#[test]
fn a_watch_that_may_never_have_been_open_is_followed_by_a_list() {
    let reset = Failure::Unreachable("reset".to_owned());
    let mut scene = Scene::watching();
    scene.now = OPENING_MAX.saturating_sub(Duration::from_secs(1));
    assert!(is_first_page(&scene.fail_and_wait(&reset).0), "its server may have been away");
    let mut scene = Scene::watching();
    scene.now = OPENING_MAX;
    scene.informer.opens(scene.now);
    assert!(is_first_page(&scene.fail_and_wait(&reset).0), "so it may when this process stood still");
}
