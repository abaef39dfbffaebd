//! A run can be listed, told, made smaller and written down without becoming another.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use sim::case::Case;
use sim::check::{Check, Finding};
use sim::fault::{Fault, Faults, Strikes};
use sim::plane::Templates;
use sim::regression::Regression;
use sim::run::{Onlooker, Outcome, run, run_before};
use sim::shrink::{Attempt, Shrunk, shrink};
use sim::truth::Truth;
use sim::workload::Size;
use sim::world::Observation;

#[test]
fn listing_what_struck_is_the_same_run() {
    let templates = Templates::new().unwrap();
    let mut struck = BTreeSet::new();
    let small = (1..9).map(|seed| Case::of_seed(seed, Size::Small));
    let presence = (1..3).map(|seed| Case::of_seed(seed, Size::Presence));
    for case in small.chain(presence) {
        let seed = case.seed;
        let drawn = run(&templates, &case);
        let listed = Case { faults: Faults::Listed(drawn.strikes.clone()), ..case };
        let again = run(&templates, &listed);
        assert_eq!(again.trace, drawn.trace, "seed {seed}");
        assert_eq!((again.totals, again.strikes), (drawn.totals, drawn.strikes.clone()), "seed {seed}");
        assert_eq!(again.breach, drawn.breach, "seed {seed}");
        struck.extend(drawn.strikes.into_keys());
    }
    assert!(struck.len() * 2 > Fault::ALL.len(), "most faults are in it: {struck:?}");
}

#[test]
fn looking_on_changes_nothing() {
    let templates = Templates::new().unwrap();
    let case = Case::of_seed(1, Size::Small);
    let unseen = run(&templates, &case);
    let mut lines = 0;
    let mut count = |_: &str| lines += 1;
    let seen = run_before(
        &templates,
        &case,
        Onlooker { wants_story: true, trace: Some(&mut count), ..Onlooker::default() },
    );
    assert_eq!((seen.trace, seen.totals), (unseen.trace, unseen.totals.clone()));
    assert!(lines > unseen.totals.events, "{lines} lines of {} events", unseen.totals.events);
}

/// A rule that worlds break on purpose: nobody may declare anything under this name.
struct Unwanted(&'static str);

impl Check for Unwanted {
    fn rule(&self) -> &'static str {
        "a planted rule"
    }

    fn look(&mut self, _: &Truth, observation: &Observation) -> Option<Finding> {
        let Observation::Commit(commit) = observation else { return None };
        let object = &commit.changed.object;
        let is_it = object.plural() == "networkbindings" && object.name == self.0;
        is_it.then(|| Finding::of(&commit.changed.cluster, object, "is unwanted"))
    }
}

fn unwanted(templates: &Templates, case: &Case) -> Outcome {
    run_before(templates, case, Onlooker { rules: vec![Box::new(Unwanted("b1"))], ..Onlooker::default() })
}

fn shrunk(templates: &Templates, case: &Case, tries_max: usize) -> Option<Shrunk> {
    let outcome = unwanted(templates, case);
    let rule = outcome.breach?.rule;
    let mut attempt = |candidate: &Case| {
        let outcome = unwanted(templates, candidate);
        Attempt { rule: outcome.breach.map(|breach| breach.rule.to_owned()), strikes: outcome.strikes }
    };
    (rule == "a planted rule").then(|| shrink(case, rule, outcome.strikes, tries_max, &mut attempt))
}

#[test]
fn a_planted_breach_shrinks_to_one_act() {
    let templates = Templates::new().unwrap();
    let mut cases = (1..40).map(|seed| Case::of_seed(seed, Size::Small));
    let (case, shrunk) =
        cases.find_map(|case| shrunk(&templates, &case, 500).map(|shrunk| (case, shrunk))).unwrap();
    let left = &shrunk.case;
    assert!(case.acts.len() > 10 && shrunk.is_minimal, "{shrunk:?}");
    assert_eq!(left.faults, Faults::Listed(Strikes::new()));
    let [only] = left.acts.as_slice() else { panic!("{} acts are left", left.acts.len()) };
    assert!(only.act.body.contains("\"b1\""), "{}", only.act);
    let universe = &left.universe;
    assert_eq!((universe.networks.len(), universe.locations.len(), universe.replicas), (0, 0, 1));
    let text = Regression { rule: "a planted rule".to_owned(), case: left.clone() }.text().unwrap();
    let read = Regression::read("planted.yaml", &text).unwrap();
    assert_eq!(unwanted(&templates, &read.case).breach.unwrap().rule, read.rule, "{text}");
}

#[test]
fn shrinking_stops_when_its_tries_are_spent_and_is_repeatable() {
    let templates = Templates::new().unwrap();
    let mut cases = (1..40).map(|seed| Case::of_seed(seed, Size::Small));
    let (case, first) =
        cases.find_map(|case| shrunk(&templates, &case, 3).map(|first| (case, first))).unwrap();
    assert_eq!((first.tries, first.is_minimal), (3, false));
    assert_eq!(shrunk(&templates, &case, 3), Some(first));
}

#[test]
fn what_was_broken_once_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let templates = Templates::new().unwrap();
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| !path.ends_with("README.md"));
    assert!(!files.is_empty());
    let mut broken = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let regression = Regression::read(&name, &fs::read_to_string(&path).unwrap()).unwrap();
        if let Some(breach) = run(&templates, &regression.case).breach {
            broken.push(format!("{name}: {breach} (written down for {:?})", regression.rule));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
