//! S11: what a process sees of an object only ever gets newer within an engagement, and is never older than its own write.

use super::Breach;
use crate::world::World;

pub(super) fn look(world: &World) -> Option<Breach> {
    let back = world.step_back()?;
    let text = format!(
        "{} of {} is seen by {} at version {} after {}",
        back.object, back.cluster, back.manager, back.seen, back.floor
    );
    let rule = "S11 nobody goes back to an older version";
    Some(Breach { rule, at: world.now(), cluster: Some(back.cluster.clone()), object: None, text })
}
