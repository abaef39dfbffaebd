//! Runs every scenario on every platform there is: `<platform>::<scenario>`.

use libtest_mimic::{Arguments, Trial};
use scenarios::http::{embedded, real};
use scenarios::simulated::Simulated;
use scenarios::{ADVERSITY, Platform, SCENARIOS, Scenario};

fn trial(platform: &'static str, scenario: &'static Scenario, start: fn() -> Box<dyn Platform>) -> Trial {
    Trial::test(format!("{platform}::{}", scenario.name), move || {
        (scenario.run)(start().as_mut());
        Ok(())
    })
}

/// Scenarios wait for leases and graces far more than they compute, so more of them run at once than there are cores.
const AT_ONCE: usize = 8;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let mut trials = Vec::new();
    for scenario in SCENARIOS.iter().chain(ADVERSITY) {
        trials.push(trial("simulated", scenario, || Box::new(Simulated::new(1))));
        trials.push(trial("embedded", scenario, || Box::new(embedded::platform())));
        let on_real = trial("real", scenario, || Box::new(real::platform()));
        let reason = if real::assets().is_some() { "" } else { "needs KUBEBUILDER_ASSETS" };
        trials.push(on_real.with_ignored_flag(!reason.is_empty()).with_kind(reason));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    real::stop();
    conclusion.exit();
}
