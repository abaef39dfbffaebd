//! Runs every scenario on every platform there is: `<platform>::<scenario>`.

use libtest_mimic::{Arguments, Trial};
use scenarios::http::embedded;
use scenarios::simulated::Simulated;
use scenarios::{Platform, SCENARIOS, Scenario};

fn trial(platform: &'static str, scenario: &'static Scenario, start: fn() -> Box<dyn Platform>) -> Trial {
    Trial::test(format!("{platform}::{}", scenario.name), move || {
        (scenario.run)(start().as_mut());
        Ok(())
    })
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for scenario in SCENARIOS {
        trials.push(trial("simulated", scenario, || Box::new(Simulated::new(1))));
        trials.push(trial("embedded", scenario, || Box::new(embedded::platform())));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
