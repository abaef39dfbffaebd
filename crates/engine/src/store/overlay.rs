//! Own writes: what a server answered is known before the watch tells it.

use std::time::Duration;

use api::{ObjectKey, Uid};
use reconcile::Object;

use super::{Slot, Store, version_number};
use crate::ids::{Reader, SlotId};

/// An own write that the watch has not passed yet. It survives a list that was asked for before it was answered.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The object as the server answered it.
    Object(Object),
    /// The deletion of this life of the object was answered; its revision is not known, so only the watch ends it.
    Tombstone(Uid),
}

impl Store {
    /// Lays an own write over the object until the watch has passed it; `now` is when it was answered.
    pub fn set_overlay(&mut self, key: &ObjectKey, overlay: Overlay, now: Duration, woken: &mut Vec<Reader>) {
        let id = self.slot_id(key);
        match &overlay {
            Overlay::Object(object) => {
                self.overlays.insert((version_number(&object.meta.version), id), now);
            }
            Overlay::Tombstone(_) => {
                self.tombstones.insert(id, now);
            }
        }
        self.change(id, woken, |slot| slot.set_overlay(overlay));
    }

    /// Drops own writes that the watch has passed: it has reached `position`. Says when each of them was answered.
    pub fn drop_overlays(&mut self, position: u64, woken: &mut Vec<Reader>) -> Vec<Duration> {
        let mut passed = Vec::new();
        while let Some(((version, id), answered)) =
            self.overlays.first_key_value().map(|(at, now)| (*at, *now))
        {
            if version > position {
                break;
            }
            self.overlays.pop_first();
            passed.push(answered);
            self.change(id, woken, |slot| slot.drop_overlay(position));
        }
        passed
    }

    /// Drops own writes that were answered before a list was asked for, which has ended: lists are read from the newest state,
    /// so it shows them, or the server came back with a state from before them. Says whose deletions were taken back: they may be
    /// there again, and nobody looked at them while they were hidden.
    pub fn drop_overlays_before(&mut self, asked: Duration, woken: &mut Vec<Reader>) -> Vec<SlotId> {
        let written: Vec<(u64, SlotId)> =
            self.overlays.iter().filter(|(_, answered)| **answered < asked).map(|(at, _)| *at).collect();
        for (version, id) in written {
            self.overlays.remove(&(version, id));
            self.replace(id, woken, true, |slot| slot.drop_overlay(version));
        }
        let deleted: Vec<SlotId> =
            self.tombstones.iter().filter(|(_, answered)| **answered < asked).map(|(id, _)| *id).collect();
        for id in &deleted {
            self.tombstones.remove(id);
            self.replace(*id, woken, true, Slot::drop_tombstone);
        }
        deleted
    }
}
