//! How much the engine holds, by what it is: whatever comes with a plane must go with it.

use std::collections::{BTreeMap, VecDeque};

use super::Engine;
use super::passes::Hold;

/// Counts by what is counted.
pub type Holdings = BTreeMap<&'static str, usize>;

impl Engine {
    /// Counts everything that grows with planes, objects and keys; costs a look at each key. Names of planes that were ever
    /// engaged are kept.
    #[must_use]
    pub fn holdings(&self) -> Holdings {
        let mut holdings = self.world.holdings();
        holdings.extend([
            ("keys", self.keys.len()),
            ("reads of keys", self.keys.iter().map(|(_, state)| state.reads.len()).sum()),
            ("refusals", self.keys.iter().map(|(_, state)| state.refusals.len()).sum()),
            ("names of keys", self.controllers.iter().map(|one| one.keys_len()).sum()),
            ("roots", self.roots.len()),
            ("objects with roots", self.root_of.len()),
            ("stores with roots", self.rooted.len()),
            ("informers", self.informers.len()),
            ("queued keys", self.queue.ready_len()),
            ("keys that wait for a time", self.queue.later_len()),
            ("held keys", self.holds.values().map(Hold::len).sum()),
            ("steps on the wire", self.on_wire.len()),
            ("room taken", self.in_flight.values().sum()),
            ("keys that wait for room", self.waiting_for_room.values().map(VecDeque::len).sum()),
            ("objects that are written", self.on_object.len()),
            ("fences", self.fences.len()),
            ("barriers", self.barriers.len()),
            ("withheld keys", self.withheld.len()),
        ]);
        holdings
    }
}
