//! The embedded server beside a kube-apiserver: random sequences of requests must be answered alike.
//!
//! Garbage collection and the ends of namespaces, which are not kube-apiserver's work, are on neither side. A failing
//! sequence prints its seed, the step, the request and both answers. More or other seeds:
//! `CONFORMANCE_SEEDS=1000..1100`.

mod compare;
mod sequence;
mod servers;

use std::ops::Range;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};

use compare::Comparison;
use sequence::Sequence;
use servers::Servers;

const ASSETS: &str = "KUBEBUILDER_ASSETS";
const SEEDS: &str = "CONFORMANCE_SEEDS";
const LENGTH: usize = 30;

fn main() {
    let arguments = Arguments::from_args();
    let assets = std::env::var_os(ASSETS);
    let name = "random_sequences_are_answered_as_kube_apiserver_answers_them";
    let skipped = assets.is_none();
    let trial = Trial::test(name, move || run(Path::new(&assets.unwrap_or_default())));
    let trial = if skipped { trial.with_kind("needs KUBEBUILDER_ASSETS") } else { trial };
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(skipped)]).exit();
}

fn run(assets: &Path) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let servers = Servers::start(assets).await?;
        for seed in seeds()? {
            answer_alike(&servers, seed).await?;
        }
        Ok(())
    })
}

fn seeds() -> Result<Range<u64>, String> {
    let text = std::env::var(SEEDS).unwrap_or_else(|_| "1..31".to_owned());
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.ok_or_else(|| format!("{SEEDS}={text} is no range such as 1..31"))
}

/// Sends one sequence to both.
async fn answer_alike(servers: &Servers, seed: u64) -> Result<(), String> {
    let mut sequence = Sequence::new(seed);
    let mut comparison = Comparison::default();
    for request in sequence.beginning() {
        servers.send(&request, &comparison).await?;
    }
    for step in 1..=LENGTH {
        let request = sequence.next();
        let answers = servers.send(&request, &comparison).await?;
        comparison
            .judge(&request, answers)
            .map_err(|difference| format!("seed {seed}, step {step}: {request}\n{difference}"))?;
    }
    Ok(())
}
