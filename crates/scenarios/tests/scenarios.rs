//! Runs every scenario on every platform there is: `<platform>::<scenario>`.

use libtest_mimic::{Arguments, Trial};
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
    let simulated =
        SCENARIOS.iter().map(|scenario| trial("simulated", scenario, || Box::new(Simulated::new(1))));
    libtest_mimic::run(&arguments, simulated.collect()).exit();
}
