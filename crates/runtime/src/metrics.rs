//! The engine's counters as Prometheus text. Names are those of `decisions.md` 12; no label holds a project or object name.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use engine::engine::{KeyVerdict, Status};
use engine::metrics::{Metrics, WAIT_BOUNDS, Waits};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

const PREFIX: &str = "network_services";

/// One scrape.
#[derive(Debug)]
struct Scrape {
    metrics: Metrics,
    status: Status,
    verdicts: Vec<KeyVerdict>,
}

/// Writes one scrape.
///
/// # Errors
/// Only if the text cannot be written, which memory does not refuse.
pub fn text(metrics: Metrics, status: Status, verdicts: Vec<KeyVerdict>) -> Result<String, std::fmt::Error> {
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(Scrape { metrics, status, verdicts }));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        self.counters(&mut encoder)?;
        self.waits(&mut encoder)?;
        self.gauges(&mut encoder)
    }
}

type Rows<'a, T> = Vec<(Vec<(&'static str, &'a str)>, T)>;

fn counters(
    encoder: &mut DescriptorEncoder<'_>,
    name: (&str, &str),
    rows: Rows<'_, u64>,
) -> Result<(), std::fmt::Error> {
    let sample = ConstCounter::new(0_u64);
    let mut family = encoder.encode_descriptor(name.0, name.1, None, sample.metric_type())?;
    for (labels, value) in rows {
        ConstCounter::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn gauges(
    encoder: &mut DescriptorEncoder<'_>,
    name: (&str, &str),
    rows: Rows<'_, i64>,
) -> Result<(), std::fmt::Error> {
    let sample = ConstGauge::new(0_i64);
    let mut family = encoder.encode_descriptor(name.0, name.1, None, sample.metric_type())?;
    for (labels, value) in rows {
        ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn count(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl Scrape {
    fn counters(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let metrics = &self.metrics;
        let passes = metrics.passes.iter().map(|((controller, outcome), value)| {
            (vec![("controller", *controller), ("outcome", outcome.as_str())], *value)
        });
        counters(encoder, ("passes", "Passes of keys"), passes.collect())?;
        let steps = metrics.steps.iter().map(|((controller, action, answer), value)| {
            (vec![("controller", *controller), ("action", *action), ("answer", *answer)], *value)
        });
        counters(encoder, ("steps", "Writes sent, by what their answer meant"), steps.collect())?;
        let races = metrics.races.iter().map(|((controller, kind, cause), value)| {
            (vec![("controller", *controller), ("kind", *kind), ("cause", *cause)], *value)
        });
        counters(encoder, ("write_races", "Writes that somebody else was faster than"), races.collect())?;
        counters(
            encoder,
            ("writes_not_kept", "Writes that the server accepted and does not show"),
            vec![(vec![], metrics.not_kept)],
        )
    }

    fn waits(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let kind = prometheus_client::metrics::MetricType::Histogram;
        let mut family =
            encoder.encode_descriptor("queue_wait_seconds", "Time keys waited for their turn", None, kind)?;
        for (controller, waits) in &self.metrics.queue_waits {
            let labels = [("controller", *controller)];
            let mut metric = family.encode_family(&labels)?;
            metric.encode_histogram::<NoLabelSet>(waits.sum_seconds, waits.count, &buckets(waits), None)?;
        }
        Ok(())
    }

    fn gauges(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let states = self.presences();
        let rows = states.iter().map(|(state, value)| (vec![("state", *state)], count(*value)));
        gauges(encoder, ("presences", "Presences by state"), rows.collect())?;
        let mut objects: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut engaged: BTreeMap<&str, usize> = BTreeMap::new();
        for cluster in &self.status.clusters {
            let role = cluster.cluster.role().as_str();
            *engaged.entry(role).or_default() += 1;
            for kind in &cluster.kinds {
                *objects.entry((role, &kind.resource)).or_default() += kind.objects;
            }
        }
        let rows = objects
            .iter()
            .map(|((role, kind), value)| (vec![("cluster_role", *role), ("kind", *kind)], count(*value)));
        gauges(encoder, ("informer_objects", "Objects held, by plane role and kind"), rows.collect())?;
        let rows = engaged.iter().map(|(role, value)| (vec![("role", *role)], count(*value)));
        gauges(encoder, ("cluster_engaged", "Engaged planes by role"), rows.collect())?;
        let one = |value: usize| vec![(vec![], count(value))];
        gauges(encoder, ("queue_depth", "Keys that wait for their turn"), one(self.status.queued))?;
        gauges(
            encoder,
            ("leader", "Whether this process may act"),
            one(usize::from(self.status.is_leading)),
        )?;
        let rootless = usize::try_from(self.metrics.rootless_unsettled).unwrap_or(usize::MAX);
        gauges(encoder, ("rootless_unsettled_keys", "Keys whose roots are incomplete"), one(rootless))
    }

    /// Presences by the state that their last pass found.
    fn presences(&self) -> BTreeMap<&'static str, usize> {
        let mut states = BTreeMap::from([("ready", 0), ("waiting", 0), ("grace", 0), ("terminating", 0)]);
        for verdict in self.verdicts.iter().filter(|verdict| verdict.controller == "network-presence") {
            let state = match verdict.waiting.as_ref().map(|(reason, _)| *reason) {
                None => "ready",
                Some("UnclaimedGrace") => "grace",
                Some("NetworkContextTerminating") => "terminating",
                Some(_) => "waiting",
            };
            *states.entry(state).or_default() += 1;
        }
        states
    }
}

/// Bounds with their counts; the last bound is infinite.
fn buckets(waits: &Waits) -> Vec<(f64, u64)> {
    let bounds = WAIT_BOUNDS.iter().copied().chain([f64::MAX]);
    bounds.zip(waits.buckets.iter().copied()).collect()
}
