//! One case: of a seed or from a file, told as a story if it breaks a rule, and made smaller to be written down.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sim::case::Case;
use sim::fault::Faults;
use sim::plane::Templates;
use sim::regression::Regression;
use sim::run::{Onlooker, Outcome, run, run_before};
use sim::shrink::{Attempt, shrink};
use sim::workload::Size;

use crate::report::{commit, say};
use crate::trouble::Trouble;

/// Which seed.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The seed.
    seed: u64,
    /// How large the world is: small, presence or large.
    #[arg(long, default_value = "presence")]
    world: Size,
    /// Print every event.
    #[arg(long)]
    trace: bool,
    /// Shrink a breach, write it to this file as a regression file, and tell the story of the smaller case.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Runs that shrinking may take.
    #[arg(long, default_value_t = 2000)]
    tries: usize,
}

/// Which file.
#[derive(clap::Args, Debug)]
pub(crate) struct ReplayArguments {
    /// The regression file.
    file: PathBuf,
    /// Print every event.
    #[arg(long)]
    trace: bool,
}

/// Runs one seed; whether no rule was broken.
pub(crate) fn seed(arguments: &Arguments) -> Result<bool, Trouble> {
    if let Some(folder) = arguments.write.as_deref().and_then(Path::parent) {
        create_folder(folder)?;
    }
    let templates = Templates::new()?;
    let case = Case::of_seed(arguments.seed, arguments.world);
    say(header(&case));
    let Some(file) = &arguments.write else {
        return Ok(tell(&observed(&templates, &case, arguments.trace)));
    };
    let outcome = run(&templates, &case);
    match write_shrunk(&templates, &case, &outcome, file, arguments.tries)? {
        None => Ok(tell(&outcome)),
        Some(shrunk) => {
            let is_whole = tell(&observed(&templates, &shrunk.case, arguments.trace));
            say(shrunk.told);
            Ok(is_whole)
        }
    }
}

/// Runs the case of a file; whether no rule was broken.
pub(crate) fn file(arguments: &ReplayArguments) -> Result<bool, Trouble> {
    let path = &arguments.file;
    let text = fs::read_to_string(path).map_err(|source| Trouble::Read { path: path.clone(), source })?;
    let regression = Regression::read(&path.display().to_string(), &text)?;
    let templates = Templates::new()?;
    say(header(&regression.case));
    let outcome = observed(&templates, &regression.case, arguments.trace);
    let is_whole = tell(&outcome);
    let broken = outcome.breach.map(|breach| breach.rule);
    match broken {
        None => say(format!("written down for {:?}; no rule is broken now", regression.rule)),
        Some(rule) if rule == regression.rule => say(format!("still breaks {rule:?}")),
        Some(rule) => say(format!("written down for {:?}; now breaks {rule:?}", regression.rule)),
    }
    Ok(is_whole)
}

fn header(case: &Case) -> String {
    format!("seed {}, world {}, {}", case.seed, case.size.name(), commit())
}

fn observed(templates: &Templates, case: &Case, is_traced: bool) -> Outcome {
    let mut print = |line: &str| say(line);
    let trace = is_traced.then_some(&mut print as &mut dyn FnMut(&str));
    run_before(templates, case, Onlooker { wants_story: true, trace, ..Onlooker::default() })
}

/// Prints what one run showed; whether no rule was broken.
fn tell(outcome: &Outcome) -> bool {
    for line in &outcome.story {
        say(line);
    }
    let totals = &outcome.totals;
    let faults: Vec<String> =
        totals.faults.0.iter().map(|(fault, count)| format!("{fault} {count}")).collect();
    say(format!(
        "trace {:016x}: {} virtual seconds, {} events, {} passes, {} writes, {} restarts, {} full deletions, faults: {}",
        outcome.trace,
        outcome.lasted.as_secs(),
        totals.events,
        totals.passes,
        totals.writes,
        totals.restarts,
        totals.deletions,
        if faults.is_empty() { "none".to_owned() } else { faults.join(", ") },
    ));
    outcome.breach.is_none()
}

/// A case that was made smaller and written down.
pub(crate) struct Written {
    case: Case,
    /// What became of it, in a line.
    pub(crate) told: String,
}

/// Shrinks a case that broke a rule and writes it; none if it broke none.
pub(crate) fn write_shrunk(
    templates: &Templates,
    case: &Case,
    outcome: &Outcome,
    file: &Path,
    tries: usize,
) -> Result<Option<Written>, Trouble> {
    let Some(breach) = &outcome.breach else { return Ok(None) };
    let mut attempt = |candidate: &Case| {
        let outcome = run(templates, candidate);
        Attempt { rule: outcome.breach.map(|breach| breach.rule.to_owned()), strikes: outcome.strikes }
    };
    let shrunk = shrink(case, breach.rule, outcome.strikes.clone(), tries, &mut attempt);
    let regression = Regression { rule: breach.rule.to_owned(), case: shrunk.case };
    let text = regression.text()?;
    fs::write(file, text).map_err(|source| Trouble::Write { path: file.to_owned(), source })?;
    let case = regression.case;
    let strikes = match &case.faults {
        Faults::Listed(strikes) => strikes.values().map(BTreeSet::len).sum(),
        Faults::Drawn(_) => 0,
    };
    let told = format!(
        "{} acts and {strikes} strikes are left after {} runs{}, written to {}",
        case.acts.len(),
        shrunk.tries,
        if shrunk.is_minimal { "" } else { " (--tries ran out)" },
        file.display()
    );
    Ok(Some(Written { case, told }))
}

/// Makes a folder, unless it is there.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Trouble> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|source| Trouble::Write { path: folder.to_owned(), source })
}
