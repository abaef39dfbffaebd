//! A short swarm: what every test run can afford. Continuous integration runs many more seeds, other ones for each commit.

use sim::case::Case;
use sim::plane::Templates;
use sim::run::run;
use sim::workload::Size;

#[test]
fn a_short_swarm_breaks_no_rule() {
    let templates = Templates::new().unwrap();
    let small = (1..=24).map(|seed| Case::of_seed(seed, Size::Small));
    let presence = (1..=4).map(|seed| Case::of_seed(seed, Size::Presence));
    for case in small.chain(presence) {
        let outcome = run(&templates, &case);
        assert_eq!(outcome.breach, None, "seed {} of the {} world", case.seed, case.size.name());
    }
}
