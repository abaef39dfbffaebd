//! Simulated seeds are the same runs however they are built and on however many threads they run.

use std::process::{Command, Stdio};

use super::Failure;

/// How the same seeds are run: build, and threads.
const WAYS: &[(&str, &str)] = &[("dev", "2"), ("release", "1"), ("release", "3")];

/// Runs small seeds in every way and compares their fingerprints.
pub(super) fn compare(seeds: u64, start: u64) -> Result<(), Failure> {
    let mut first: Option<Vec<String>> = None;
    for (profile, jobs) in WAYS {
        let hashes = hashes(profile, jobs, (seeds, start))?;
        if hashes.len() as u64 != seeds {
            let message = format!("{} fingerprints of {seeds} seeds ({profile}, {jobs} jobs)", hashes.len());
            return Err(Failure { message, code: 1 });
        }
        let first = first.get_or_insert_with(|| hashes.clone());
        if let Some((one, other)) = first.iter().zip(&hashes).find(|(one, other)| one != other) {
            let message = format!("{one} in the first way and {other} ({profile}, {jobs} jobs)");
            return Err(Failure { message, code: 1 });
        }
        println!("{seeds} seeds from {start}: {profile}, {jobs} jobs: the same");
    }
    Ok(())
}

/// Lines `seed N trace H`, in the order of seeds. Seeds that break rules have fingerprints too.
fn hashes(profile: &str, jobs: &str, (seeds, start): (u64, u64)) -> Result<Vec<String>, Failure> {
    let (seeds, start) = (seeds.to_string(), start.to_string());
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--locked", "--profile", profile])
        .args(["--package", "network-services-simulator", "--"])
        .args(["swarm", "--world", "small", "--hashes"])
        .args(["--seeds", &seeds, "--start", &start, "--jobs", jobs])
        .stderr(Stdio::inherit())
        .output()?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(Failure { message: format!("the swarm ended with {}", output.status), code: 1 });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let is_hash = |line: &&str| line.starts_with("seed ") && line.contains(" trace ");
    Ok(text.lines().filter(is_hash).map(str::to_owned).collect())
}
