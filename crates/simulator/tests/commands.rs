//! The program as whoever calls it sees it: output and exit code.

#![allow(clippy::unwrap_used, reason = "every function here is part of a test")]

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_network-services-sim")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A file of a test, with this text.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Seeds may break rules that nobody has traced yet; both say that the program did what it was asked for.
fn assert_ran(output: &Output) {
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
}

#[test]
fn what_cannot_be_asked_for_is_exit_code_2() {
    for (arguments, told) in [
        (&["swarm", "--sedes", "3"][..], "--sedes"),
        (&["swarm", "--seeds", "0"], "--seeds"),
        (&["swarm", "--jobs", "0"], "--jobs"),
        (&["swarm", "--world", "tiny"], "no world is called \"tiny\""),
        (&["swarm", "--start", "18446744073709551615", "--seeds", "2"], "beyond the last seed"),
        (&["run", "many"], "many"),
        (&["dance"], "dance"),
    ] {
        let output = program(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(told), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let output = program(&["replay", "no/such/file.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("no/such/file.yaml cannot be read: "), "{output:?}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named_before_anything_runs() {
    let taken = file("taken", "");
    let folder = format!("{taken}/below");
    let output = program(&["swarm", "--write", &folder]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with(&format!("{folder} cannot be written: ")), "{output:?}");
    assert_eq!(text(&output.stdout), "");
}

const CALM: &str = "rule: \"L1 what is declared becomes so\"\nseed: 5\nworld: small\nprojects: [p0]\n\
    networks: [n0]\nlocations: [l0]\nreplicas: 1\nstrikes: {}\nacts: []\n";

#[test]
fn an_unknown_field_is_named_with_its_file() {
    let path = file("unknown.yaml", &CALM.replace("seed: 5", "seed: 5\nmoon: full"));
    let output = program(&["replay", &path]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(told.starts_with(&format!("{path}: moon: ")) && told.contains("line 3"), "{told}");
}

#[test]
fn a_case_is_replayed_from_its_file() {
    let path = file("calm.yaml", CALM);
    let output = program(&["replay", &path]);
    let told = text(&output.stdout);
    assert_ran(&output);
    assert!(told.starts_with("seed 5, world small, "), "{told}");
    assert!(told.lines().next().unwrap().contains("commit"), "{told}");
    assert!(told.contains("L1 what is declared becomes so"), "{told}");
    let traced = text(&program(&["replay", &path, "--trace"]).stdout);
    assert!(traced.lines().count() > told.lines().count() + 100, "{traced}");
}

#[test]
fn a_swarm_closes_with_what_it_did_whatever_its_threads() {
    let swarm =
        |jobs: &str| program(&["swarm", "--seeds", "2", "--world", "small", "--hashes", "--jobs", jobs]);
    let (one, two) = (swarm("1"), swarm("2"));
    assert_ran(&one);
    assert_eq!(one.status.code(), two.status.code());
    let hashes = |output: &Output| -> Vec<String> {
        text(&output.stdout).lines().filter(|line| line.contains(" trace ")).map(str::to_owned).collect()
    };
    assert_eq!(hashes(&one).len(), 2);
    assert_eq!(hashes(&one), hashes(&two));
    let told = text(&one.stdout);
    let closing = told.lines().last().unwrap();
    assert!(closing.starts_with("2 seeds, "), "{closing}");
    for part in [
        " virtual seconds, ",
        " events, ",
        " passes, ",
        " faults (",
        " violations; ",
        " virtual seconds per second and job, ",
        " seeds per minute; slowest of ",
        " declarations beside trouble ",
        " s; a seed: ",
        " writes, ",
        " kinds, ",
        " restarts, ",
        " full deletions",
    ] {
        assert!(closing.contains(part), "{part:?} is missing: {closing}");
    }
}

#[test]
fn every_line_of_a_swarm_for_programs_is_json() {
    let output = program(&["swarm", "--seeds", "2", "--world", "small", "--json", "--hashes"]);
    assert_ran(&output);
    let told = text(&output.stdout);
    let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let closing = &lines.last().unwrap()["swarm"];
    assert_eq!(closing["seeds"], 2);
    let breaches = lines.iter().filter(|line| line.get("breach").is_some()).count();
    assert_eq!(closing["violations"], breaches);
    assert_eq!(lines.iter().filter(|line| line.get("hash").is_some()).count(), 2);
}

/// Whether a seed breaks a rule is not for this test to say: it shows what is the same whatever the threads. That the
/// lowest ends it is shown where outcomes are put in order.
#[test]
fn a_swarm_until_a_breach_tells_the_same_whatever_its_threads() {
    let told = |jobs: &str| {
        let output = program(&[
            "swarm",
            "--seeds",
            "3",
            "--world",
            "small",
            "--json",
            "--hashes",
            "--until-breach",
            "--jobs",
            jobs,
        ]);
        assert_ran(&output);
        let lines: Vec<Value> =
            text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of =
            |name: &str| -> Vec<Value> { lines.iter().filter_map(|line| line.get(name)).cloned().collect() };
        let closing = &of("swarm")[0];
        (of("breach"), of("hash"), closing["firstBreach"].clone(), closing["seeds"].clone())
    };
    let one = told("1");
    assert_eq!(one, told("3"));
    let (breaches, hashes, first, seeds) = one;
    assert!(breaches.len() <= 1);
    assert_eq!(hashes.len() as u64, seeds.as_u64().unwrap());
    match breaches.first() {
        Some(breach) => assert_eq!((&breach["seed"], &first), (&seeds, &seeds)),
        None => assert_eq!((first, seeds), (Value::Null, 3.into())),
    }
}

#[test]
fn a_restart_closes_with_what_it_cost() {
    let output = program(&["restart", "--count", "30"]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.starts_with("restart of 30 presences of 10 networks: 100 keys, 100 passes ("), "{told}");
    let output = program(&["restart", "--count", "1", "--json"]);
    let counted: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!((&counted["restart"]["writes"], &counted["restart"]["complaints"]), (&0.into(), &0.into()));
    let output = program(&["restart", "--count", "0"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn coverage_names_every_fault_and_what_was_never_met() {
    let output = program(&["coverage", "--seeds", "1", "--world", "small"]);
    assert_ran(&output);
    let told = text(&output.stdout);
    for fault in sim::fault::Fault::ALL {
        assert!(told.contains(&format!("\n  {fault}: ")), "{fault}: {told}");
    }
    assert!(told.contains("NEVER"), "{told}");
    assert!(told.contains("network-presence: "), "{told}");
}
