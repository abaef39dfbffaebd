//! What an engine itself calls a programming error: unread targets, unsettled keys without a root, panics.

use std::collections::BTreeMap;

use super::Breach;
use crate::network::ManagerId;
use crate::world::World;

/// Counts what was told already.
#[derive(Default)]
pub(super) struct Engines(BTreeMap<ManagerId, usize>);

impl Engines {
    pub(super) fn look(&mut self, world: &World) -> Option<Breach> {
        for id in world.managers() {
            let violations = world.engine(id).map(|engine| engine.violations.as_slice()).unwrap_or_default();
            let told = self.0.entry(id).or_default();
            let Some(violation) = violations.get(*told) else { continue };
            *told = violations.len();
            let text = format!("in {id}: {violation:?}");
            let rule = "the engine's own assertions";
            return Some(Breach { rule, at: world.now(), cluster: None, object: None, text });
        }
        None
    }
}
