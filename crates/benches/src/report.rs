//! The figures, as text and JSON.

use std::time::Duration;

use serde::Serialize;

use crate::reactions::Reactions;

/// Latency of many single waits, in milliseconds.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_field_names, reason = "the unit stands last in every name")]
pub(crate) struct Latency {
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

impl Latency {
    /// From samples, in any order.
    pub(crate) fn of(mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        let at = |share: usize| {
            let index = (samples.len() * share / 100).min(samples.len().saturating_sub(1));
            samples.get(index).map_or(0.0, |sample| sample.as_secs_f64() * 1000.0)
        };
        Self { p50_ms: at(50), p99_ms: at(99), max_ms: at(100) }
    }
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) presences: usize,
    pub(crate) cores: usize,
    pub(crate) servers: &'static str,
    pub(crate) server_creates_per_second: f64,
    pub(crate) server_applies_per_second: f64,
    pub(crate) ceiling_presences_per_second: f64,
    pub(crate) seconds_to_all_ready: f64,
    pub(crate) presences_per_second: f64,
    pub(crate) under_load: Latency,
    pub(crate) without_load: Latency,
    pub(crate) reactions: Reactions,
    pub(crate) writes: u64,
    pub(crate) writes_per_presence: f64,
    pub(crate) races: u64,
    pub(crate) passes: u64,
    pub(crate) cpu_seconds: f64,
    pub(crate) resident_start_mib: u64,
    pub(crate) resident_ready_mib: u64,
    pub(crate) restart_seconds_to_quiet: f64,
    pub(crate) restart_passes: u64,
    pub(crate) restart_cold_passes: u64,
    pub(crate) restart_writes: u64,
    pub(crate) restart_fences: u64,
    pub(crate) steady_writes: u64,
    pub(crate) reads_per_key: usize,
}

impl Report {
    /// One JSON object.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_else(|error| error.to_string())
    }

    /// Lines for people.
    pub(crate) fn text(&self) -> String {
        let lines = [
            format!("{} presences on {} servers, {} cores", self.presences, self.servers, self.cores),
            format!(
                "a bare client: {:.0} creates, {:.0} status applies a second; that allows {:.0} presences a second",
                self.server_creates_per_second,
                self.server_applies_per_second,
                self.ceiling_presences_per_second
            ),
            format!(
                "all Ready after {:.2} s: {:.0} presences a second",
                self.seconds_to_all_ready, self.presences_per_second
            ),
            format!(
                "binding to Ready under load: p50 {:.0} ms, p99 {:.0} ms",
                self.under_load.p50_ms, self.under_load.p99_ms
            ),
            format!(
                "binding to Ready without load: p50 {:.1} ms, p99 {:.1} ms",
                self.without_load.p50_ms, self.without_load.p99_ms
            ),
            self.reactions_text(),
            format!(
                "writes {}: {:.2} a presence; lost races {}",
                self.writes, self.writes_per_presence, self.races
            ),
            format!(
                "passes {}; {} reads a key; CPU {:.1} s",
                self.passes, self.reads_per_key, self.cpu_seconds
            ),
            format!(
                "resident {} MiB at the start, {} MiB when all are Ready (servers and load included where embedded)",
                self.resident_start_mib, self.resident_ready_mib
            ),
            format!(
                "restart: quiet after {:.2} s, {} passes ({} cold), {} writes, {} fences",
                self.restart_seconds_to_quiet,
                self.restart_passes,
                self.restart_cold_passes,
                self.restart_writes,
                self.restart_fences
            ),
            format!("writes in steady state: {}", self.steady_writes),
        ];
        lines.join("\n")
    }

    fn reactions_text(&self) -> String {
        let Reactions {
            context_ready_to_binding_ready,
            location_to_binding_ready,
            network_edit_to_context,
            release_to_binding_ready,
        } = &self.reactions;
        let lines = [
            ("context Ready to binding Ready (S3.6)", context_ready_to_binding_ready),
            ("location appears to binding Ready (A6)", location_to_binding_ready),
            ("network edited to context follows (A7)", network_edit_to_context),
            ("context gone to binding served anew (A9)", release_to_binding_ready),
        ];
        let line = |(what, latency): &(&str, &Latency)| {
            format!("{what}: p50 {:.1} ms, p99 {:.1} ms", latency.p50_ms, latency.p99_ms)
        };
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
