//! Builds the simulator with a defect in it, and counts the seeds until one breaks a rule.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::DefectsError;
use super::copy::Copy;
use super::patch::Patch;
use super::results::{Found, Kept};

/// Seeds of one start and those of the next are this far apart.
const STRIDE: u64 = 1_000_000;
/// Sizes of worlds, smallest first, and by what the number of seeds is divided there.
const WORLDS: [(&str, u64); 2] = [("small", 1), ("presence", 4)];
/// How long one start may take. A defect may keep a process busy for ever, which no virtual clock shows.
const PATIENCE: Duration = Duration::from_mins(20);

/// How much to try.
pub(super) struct Limits {
    /// Starts.
    pub(super) starts: u64,
    /// Small seeds of each.
    pub(super) seeds: u64,
    /// Threads.
    pub(super) jobs: u16,
}

/// What came of it.
pub(super) enum Measured {
    /// Every start found it.
    Found(Kept),
    /// Some start did not; in words.
    NotFound(String),
}

/// Plants, builds and looks.
pub(super) fn measure(copy: &Copy, patch: &Patch, limits: &Limits) -> Result<Measured, DefectsError> {
    copy.plant(patch)?;
    build(copy)?;
    let mut missed = Vec::new();
    for (world, divisor) in WORLDS {
        match look(copy, world, limits.seeds / divisor, limits)? {
            Ok(found) => return Ok(Measured::Found(Kept { world: world.to_owned(), found })),
            Err(text) => missed.push(text),
        }
    }
    Ok(Measured::NotFound(missed.join("; ")))
}

fn build(copy: &Copy) -> Result<(), DefectsError> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--profile", "defects"])
        .args(["--package", "network-services-simulator"])
        .current_dir(&copy.sources)
        .env("CARGO_TARGET_DIR", &copy.target)
        .output()
        .map_err(|source| DefectsError::Program { program: "cargo".to_owned(), source })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(DefectsError::Failed { what: "building the defect".to_owned(), text })
}

/// What each start took, or which did not find it.
fn look(
    copy: &Copy,
    world: &str,
    seeds: u64,
    limits: &Limits,
) -> Result<Result<Vec<Found>, String>, DefectsError> {
    let mut all = Vec::new();
    for number in 0..limits.starts {
        let start = 1 + number * STRIDE;
        match first_breach(copy, world, (start, seeds), limits.jobs)? {
            Some(found) => all.push(found),
            None => return Ok(Err(format!("{seeds} {world} seeds from {start} break no rule"))),
        }
    }
    Ok(Ok(all))
}

fn first_breach(
    copy: &Copy,
    world: &str,
    (start, seeds): (u64, u64),
    jobs: u16,
) -> Result<Option<Found>, DefectsError> {
    let program = copy.target.join("defects").join("network-services-sim");
    let mut command = Command::new(&program);
    command.args(["swarm", "--until-breach", "--json", "--world", world]);
    command.args(["--start", &start.to_string(), "--seeds", &seeds.to_string(), "--jobs", &jobs.to_string()]);
    let text = told(command)?;
    let mut lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let breach = lines.find_map(|mut line| line.get_mut("breach").map(Value::take));
    let Some(breach) = breach else { return Ok(None) };
    let seed = breach["seed"].as_u64().unwrap_or(start);
    let rule = breach["rule"].as_str().unwrap_or_default().to_owned();
    Ok(Some(Found { seeds: seed - start + 1, rule }))
}

/// What a swarm prints; it is stopped where it does not end.
fn told(mut command: Command) -> Result<String, DefectsError> {
    let program = |source| DefectsError::Program { program: "the simulator".to_owned(), source };
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(program)?;
    let reader = child.stdout.take().map(|stdout| std::thread::spawn(|| std::io::read_to_string(stdout)));
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(program)? {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().map_err(program)?;
            child.wait().map_err(program)?;
            let text = format!("it has not ended after {} s", PATIENCE.as_secs());
            return Err(DefectsError::Failed { what: "looking for the defect".to_owned(), text });
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = reader.and_then(|reader| reader.join().ok()).transpose().map_err(program)?.unwrap_or_default();
    if matches!(status.code(), Some(0 | 1)) {
        return Ok(text);
    }
    Err(DefectsError::Failed {
        what: "looking for the defect".to_owned(),
        text: format!("it ended with {status}"),
    })
}
