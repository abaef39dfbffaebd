//! The engine's counters as Prometheus text. Names are those of `decisions.md` 12; no label holds a project or object name.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use api::ResourceKind;
use api::cluster::ClusterRole;
use engine::engine::Gauges;
use engine::metrics::{Histogram, Metrics, READY_BOUNDS};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

const PREFIX: &str = "network_services";
/// The controller whose keys are presences.
const PRESENCES: &str = "network-presence";
/// The controller whose keys are bindings.
const DECLARATIONS: &str = "network-binding";

/// One scrape.
#[derive(Debug)]
struct Scrape {
    metrics: Metrics,
    gauges: Gauges,
}

/// Writes one scrape.
///
/// # Errors
/// Only if the text cannot be written, which memory does not refuse.
pub fn text(metrics: Metrics, gauges: Gauges) -> Result<String, std::fmt::Error> {
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(Scrape { metrics, gauges }));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

impl Collector for Scrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        self.counters(&mut encoder)?;
        self.times(&mut encoder)?;
        self.gauges(&mut encoder)
    }
}

type Labels<'a> = Vec<(&'static str, Cow<'a, str>)>;
type Rows<'a, T> = Vec<(Labels<'a>, T)>;

fn counters(
    encoder: &mut DescriptorEncoder<'_>,
    name: (&str, &str),
    rows: Rows<'_, u64>,
) -> Result<(), std::fmt::Error> {
    let mut family = encoder.encode_descriptor(name.0, name.1, None, MetricType::Counter)?;
    for (labels, value) in rows {
        ConstCounter::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn gauges<T: EncodeGaugeValue + Copy>(
    encoder: &mut DescriptorEncoder<'_>,
    name: (&str, &str),
    rows: Rows<'_, T>,
) -> Result<(), std::fmt::Error>
where
    ConstGauge<T>: EncodeMetric,
{
    let mut family = encoder.encode_descriptor(name.0, name.1, None, MetricType::Gauge)?;
    for (labels, value) in rows {
        ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn histograms(
    encoder: &mut DescriptorEncoder<'_>,
    name: (&str, &str),
    rows: Rows<'_, Histogram>,
) -> Result<(), std::fmt::Error> {
    let mut family = encoder.encode_descriptor(name.0, name.1, None, MetricType::Histogram)?;
    for (labels, times) in rows {
        let mut metric = family.encode_family(&labels)?;
        metric.encode_histogram::<NoLabelSet>(times.sum_seconds, times.count, &buckets(&times), None)?;
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
            (vec![("controller", (*controller).into()), ("outcome", outcome.as_str().into())], *value)
        });
        counters(encoder, ("passes", "Passes of keys"), passes.collect())?;
        let steps = metrics.steps.iter().map(|((controller, action, answer), value)| {
            let labels = [("controller", *controller), ("action", *action), ("answer", *answer)];
            (labels.map(|(name, value)| (name, value.into())).to_vec(), *value)
        });
        counters(encoder, ("steps", "Writes sent, by what their answer meant"), steps.collect())?;
        let races = metrics.races.iter().map(|((controller, kind, cause), value)| {
            let labels = [("controller", *controller), ("kind", *kind), ("cause", *cause)];
            (labels.map(|(name, value)| (name, value.into())).to_vec(), *value)
        });
        counters(encoder, ("write_races", "Writes that somebody else was faster than"), races.collect())?;
        counters(
            encoder,
            ("writes_not_kept", "Writes that the server accepted and does not show"),
            vec![(vec![], metrics.not_kept)],
        )
    }

    fn times(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let by_controller = |times: &BTreeMap<&'static str, Histogram>| -> Rows<'static, Histogram> {
            times.iter().map(|(name, times)| (vec![("controller", (*name).into())], times.clone())).collect()
        };
        let waits = by_controller(&self.metrics.queue_waits);
        histograms(encoder, ("queue_wait_seconds", "Time keys waited for their turn"), waits)?;
        let passes = by_controller(&self.metrics.pass_times);
        histograms(encoder, ("pass_duration_seconds", "Time one pass of one key took"), passes)?;
        let ready = self.metrics.ready_times.get(DECLARATIONS).cloned();
        let ready = ready.unwrap_or_else(|| Histogram::new(READY_BOUNDS));
        let help = "Time from the creation of a binding until it was first answered Ready";
        histograms(encoder, ("presence_ready_seconds", help), vec![(vec![], ready)])?;
        let lags = self.metrics.informer_lags.iter().map(|((role, kind), lags)| {
            (vec![("cluster_role", role.as_str().into()), ("kind", kind.to_string().into())], lags.clone())
        });
        let help = "Time from the answer to an own write until list or watch showed it";
        histograms(encoder, ("informer_lag_seconds", help), lags.collect())
    }

    fn gauges(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let now = &self.gauges;
        let states = self.presences();
        let rows = states.iter().map(|(state, value)| (vec![("state", (*state).into())], count(*value)));
        gauges(encoder, ("presences", "Presences by state"), rows.collect())?;
        self.informers(encoder)?;
        let rows =
            now.engaged.iter().map(|(role, value)| (vec![("role", role.as_str().into())], count(*value)));
        gauges(encoder, ("cluster_engaged", "Engaged planes by role"), rows.collect())?;
        let rows = now.queue_depth.iter();
        let rows = rows.map(|(name, value)| (vec![("controller", (*name).into())], count(*value)));
        gauges(encoder, ("queue_depth", "Keys that wait for their turn"), rows.collect())?;
        let one = |value: usize| vec![(vec![], count(value))];
        gauges(encoder, ("leader", "Whether this process may act"), one(usize::from(now.is_leading)))?;
        let rootless = usize::try_from(self.metrics.rootless_unsettled).unwrap_or(usize::MAX);
        gauges(encoder, ("rootless_unsettled_keys", "Keys whose roots are incomplete"), one(rootless))
    }

    fn informers(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let labels = |role: ClusterRole, kind: &ResourceKind| -> Labels<'static> {
            vec![("cluster_role", role.as_str().into()), ("kind", kind.to_string().into())]
        };
        let informers = &self.gauges.informers;
        let rows = informers.iter().map(|((role, kind), one)| (labels(*role, kind), count(one.objects)));
        gauges(encoder, ("informer_objects", "Objects held, by plane role and kind"), rows.collect())?;
        let rows =
            informers.iter().map(|((role, kind), one)| (labels(*role, kind), one.silence.as_secs_f64()));
        let help = "Time since the most silent informer was told anything; a bookmark comes every minute";
        gauges(encoder, ("informer_silence_seconds", help), rows.collect())
    }

    /// Presences by the state that their last pass found.
    fn presences(&self) -> BTreeMap<&'static str, usize> {
        let mut states = BTreeMap::from([("ready", 0), ("waiting", 0), ("grace", 0), ("terminating", 0)]);
        for ((_, reason), keys) in self.gauges.verdicts.iter().filter(|((name, _), _)| *name == PRESENCES) {
            let state = match reason {
                None => "ready",
                Some("UnclaimedGrace") => "grace",
                Some("NetworkContextTerminating") => "terminating",
                Some(_) => "waiting",
            };
            *states.entry(state).or_default() += keys;
        }
        states
    }
}

/// Bounds with their counts; the last bound is infinite.
fn buckets(histogram: &Histogram) -> Vec<(f64, u64)> {
    let bounds = histogram.bounds.iter().copied().chain([f64::INFINITY]);
    bounds.zip(histogram.buckets.iter().copied()).collect()
}
