//! A restart of many presences: what it costs, and whether that is what it must.

use std::time::Instant;

use serde_json::json;
use sim::plane::Templates;
use sim::restart::restart;

use crate::report::say;
use crate::trouble::Trouble;

/// How many.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Presences that are Ready when the manager is restarted.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Print JSON: one object a complaint, and the closing line.
    #[arg(long)]
    json: bool,
}

/// Restarts and tells; whether it cost one pass a key, no write, and no read too many.
pub(crate) fn run(arguments: &Arguments) -> Result<bool, Trouble> {
    let templates = Templates::new()?;
    let began = Instant::now();
    let restart = restart(&templates, usize::try_from(arguments.count).unwrap_or(usize::MAX))?;
    let seconds = began.elapsed().as_secs_f64();
    let complaints = restart.complaints();
    for complaint in &complaints {
        if arguments.json {
            say(json!({"complaint": complaint}));
        } else {
            say(format!("too much: {complaint}"));
        }
    }
    if arguments.json {
        let sum = |counts: &std::collections::BTreeMap<_, u64>| counts.values().sum::<u64>();
        say(json!({"restart": {
            "presences": restart.presences,
            "networks": restart.networks,
            "keys": restart.keys,
            "passes": restart.passes,
            "coldPasses": restart.cold,
            "writes": restart.requests.steps,
            "lists": restart.requests.pages.len(),
            "pages": sum(&restart.requests.pages),
            "objects": sum(&restart.objects),
            "watches": sum(&restart.requests.watches),
            "fences": restart.requests.fences,
            "leaseRequests": restart.requests.leases,
            "virtualSeconds": restart.lasted.as_secs_f64(),
            "virtualSecondsBefore": restart.built_in.as_secs_f64(),
            "seconds": seconds,
            "complaints": complaints.len(),
        }}));
    } else {
        say(format!("{restart}; {seconds:.1} s in all"));
    }
    Ok(complaints.is_empty())
}
