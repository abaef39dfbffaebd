//! What is counted at the moment of a scrape: sums over keys and informers, without any name of a project or object.

use std::collections::BTreeMap;
use std::time::Duration;

use api::ResourceKind;
use api::cluster::ClusterRole;

use super::Engine;

/// All informers of one kind on the planes of one role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InformerGauge {
    /// Objects held.
    pub objects: usize,
    /// How long the one that has been silent longest has told nothing; a watch that lives tells a bookmark every minute.
    pub silence: Duration,
}

/// The engine's sums now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    /// Whether this process may act.
    pub is_leading: bool,
    /// Keys that wait for their turn, by controller; every controller has an entry.
    pub queue_depth: BTreeMap<&'static str, usize>,
    /// Keys by controller and what they wait for; `None`: settled.
    pub verdicts: BTreeMap<(&'static str, Option<&'static str>), usize>,
    /// Informers by role of the plane and kind.
    pub informers: BTreeMap<(ClusterRole, ResourceKind), InformerGauge>,
    /// Engaged planes by role.
    pub engaged: BTreeMap<ClusterRole, usize>,
}

impl Engine {
    /// Counts everything once; costs a look at each key.
    #[must_use]
    pub fn gauges(&self) -> Gauges {
        let mut gauges = Gauges { is_leading: self.is_leading(), ..Gauges::default() };
        for controller in &self.controllers {
            gauges.queue_depth.insert(controller.name(), 0);
        }
        for key in self.queue.ready() {
            *gauges.queue_depth.entry(self.controller_name(key.controller)).or_default() += 1;
        }
        for (key, state) in self.keys.iter() {
            if let Some(waiting) = &state.waiting {
                let reason = waiting.as_ref().map(|(reason, _)| *reason);
                *gauges.verdicts.entry((self.controller_name(key.controller), reason)).or_default() += 1;
            }
        }
        for (_, cluster) in self.world.engaged() {
            *gauges.engaged.entry(cluster.name.role()).or_default() += 1;
        }
        self.count_informers(&mut gauges);
        gauges
    }

    fn count_informers(&self, gauges: &mut Gauges) {
        let now = self.world.now.monotonic;
        for (store, held) in self.world.stores() {
            let Some(cluster) = self.world.cluster(held.cluster) else { continue };
            let label = (cluster.name.role(), held.kind.resource);
            let gauge = gauges.informers.entry(label).or_default();
            gauge.objects += held.len();
            let heard = self.informers.get(&store).map_or(now, |informer| informer.heard);
            gauge.silence = gauge.silence.max(now.saturating_sub(heard));
        }
    }
}
