//! A simulated run that is interfered with: every rule looks at everything that happens, and at its end the world must be
//! at rest, quiet, and stay so when every process forgets everything.

use std::time::Duration;

use jiff::SignedDuration;
use sim::canonical::Canonical;
use sim::check::{Breach, Checks};
use sim::declared;
use sim::story::Journal;
use sim::truth::Truth;

use super::Simulated;
use crate::platform::{LeaseTiming, ManagerOptions, Platform};

/// How long managers may take to become idle when a watch may hang: the longest a watch is read, and room.
const DISTURBED_SETTLE_LIMIT: Duration = Duration::from_mins(10);
/// How long what a manager knows may have been overtaken: here every message takes a millisecond.
const OVERTAKEN: SignedDuration = SignedDuration::from_millis(50);
/// What has been so for this long has been so for longer than [`OVERTAKEN`].
const UNTIL_KNOWN: Duration = Duration::from_millis(100);
/// How long a lease holds. Renewals are nearly all that happens in a world at rest, so they are rare; waiting costs nothing here.
const LEASE: Duration = Duration::from_mins(1);
/// A grace that is still running when a lease has run out a few times, or a watch has hung.
pub(super) const GRACE: Duration = DISTURBED_SETTLE_LIMIT;
/// Graces up to this are waited for at the end.
const GRACE_WAITED_FOR: Duration = Duration::from_hours(1);
/// How long a world at rest must write nothing.
const QUIET: Duration = Duration::from_mins(10);
/// How long a fresh process must write nothing after it came to rest.
const FRESH_QUIET: Duration = Duration::from_mins(1);

/// Who looks on, and what is remembered.
pub(crate) struct Disturbance {
    checks: Option<Checks>,
    options: Option<ManagerOptions>,
    journal: Option<Journal>,
}

impl Disturbance {
    pub(super) fn new(tells: bool) -> Self {
        Self { checks: None, options: None, journal: tells.then(Journal::default) }
    }

    /// A manager was started. The rules need to know its grace; what happened before waits for them.
    pub(super) fn started(&mut self, options: &mut ManagerOptions) {
        options.lease = LeaseTiming {
            duration: LEASE,
            renew_deadline: LEASE * 3 / 4,
            retry_period: LEASE / 3,
            ..options.lease
        };
        let grace = SignedDuration::try_from(options.grace).unwrap_or(SignedDuration::MAX);
        self.checks.get_or_insert_with(|| Checks::over(Truth::with_times(grace, OVERTAKEN)));
        self.options = Some(options.clone());
    }
}

impl Simulated {
    /// Every rule looks at what happened since the last look.
    pub(super) fn look(&mut self) {
        let Some(disturbance) = &mut self.disturbance else { return };
        let Some(checks) = &mut disturbance.checks else { return };
        if let Some(journal) = &mut disturbance.journal {
            self.world.observed.iter().for_each(|observation| journal.take(observation));
        }
        if let Some(breach) = checks.look(&mut self.world) {
            panic!("{breach}");
        }
    }

    pub(super) fn settle_disturbed(&mut self) -> Result<(), String> {
        let settled = self.come_to_rest(DISTURBED_SETTLE_LIMIT);
        self.look();
        settled?;
        self.pass_time(UNTIL_KNOWN);
        Ok(())
    }

    /// What must hold when a scenario is over. Answers the state in which the world is left.
    ///
    /// # Panics
    /// Where something does not hold.
    pub(crate) fn conclude(&mut self) -> Canonical {
        self.at_rest("when the scenario is over");
        let options = self.disturbance.as_ref().and_then(|disturbance| disturbance.options.clone());
        let options = options.unwrap_or_default();
        if options.grace > Duration::ZERO && options.grace <= GRACE_WAITED_FOR {
            self.pass_time(options.grace * 2);
            self.at_rest("after every grace");
        }
        self.must_be_as_declared(&options);
        self.must_write_nothing("L4 a world at rest is quiet", |platform| platform.pass_time(QUIET));
        for id in self.world.managers() {
            self.world.kill_manager(id);
        }
        self.must_write_nothing("L2 a fresh process finds nothing to do in a world at rest", |platform| {
            platform.start_manager(&options);
            platform.at_rest("after a fresh process started");
            platform.pass_time(FRESH_QUIET);
        });
        assert_eq!(self.violations(), [], "managers saw programming errors");
        Canonical::of(&self.world)
    }

    fn at_rest(&mut self, when: &str) {
        if let Err(text) = self.settle() {
            panic!("the managers do not become idle {when}: {text}");
        }
        assert_eq!(self.violations(), [], "managers saw programming errors");
    }

    /// The world is as its declarations have it, where every controller runs.
    fn must_be_as_declared(&mut self, options: &ManagerOptions) {
        let checks = self.disturbance.as_mut().and_then(|disturbance| disturbance.checks.as_mut());
        let Some(checks) = checks.filter(|_| options.withheld.is_empty()) else { return };
        checks.truth.now = self.world.now();
        if let Some(finding) = declared::complaint(&checks.truth, &|_| true) {
            panic!("{}", finding.breaks("L1 what is declared becomes so", self.world.now()));
        }
    }

    fn must_write_nothing(&mut self, rule: &str, during: impl FnOnce(&mut Self)) {
        let before = self.world.writes().len();
        during(self);
        let writes = self.world.writes();
        assert!(writes.len() == before, "{rule}: {:?}", &writes[before..]);
    }

    /// What happened, in lines, ending with why it is told.
    pub(crate) fn story(&mut self, why: &str) -> Vec<String> {
        let Some(disturbance) = &mut self.disturbance else { return Vec::new() };
        let (Some(checks), Some(journal)) = (&disturbance.checks, &disturbance.journal) else {
            return Vec::new();
        };
        let (at, text) = (self.world.now(), why.to_owned());
        let breach = Breach { rule: "the scenario", at, cluster: None, object: None, text };
        journal.story(&breach, &checks.truth, &mut self.world)
    }
}
