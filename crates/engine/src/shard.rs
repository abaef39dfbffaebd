//! Shards: which replica works on which keys, as a state machine over peers and Leases.
//!
//! A key belongs to the shard of its project, or of its cluster and namespace if it has no project; a shard belongs to one
//! of the live peers. Both are rendezvous hashing: the highest hash wins, so a peer that comes or goes moves only its own
//! shards. The hash only proposes; the Lease of the shard is the fence, and nobody sends for a shard without it.
//!
//! On gain the shard's root keys are queued. On loss sending stops, answers drain, then the Lease is given back.
//!
//! Sharding is off by default, and the engine does not use this module yet: it leads with one set of leases for all keys.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use api::{ClusterName, NamespaceName, ProjectName};
use reconcile::facet::stable_hash;

/// One shard by number, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u16);

impl fmt::Display for ShardId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "shard-{}", self.0)
    }
}

/// One replica, by the identity it holds leases under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerName(pub String);

/// What places a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placement {
    /// The key's project: everything of a project is in one shard.
    Project(ProjectName),
    /// The key's cluster and namespace, where it belongs to no project.
    Namespace(ClusterName, NamespaceName),
}

impl Placement {
    /// The shard of the key, of so many; the first if there are none.
    #[must_use]
    pub fn shard(&self, shards: u16) -> ShardId {
        let best = (0..shards).map(ShardId).max_by_key(|shard| (stable_hash(&(self, shard)), *shard));
        best.unwrap_or(ShardId(0))
    }
}

/// The peer that a shard is proposed to; none without peers.
#[must_use]
pub fn proposed(shard: ShardId, peers: &BTreeSet<PeerName>) -> Option<&PeerName> {
    peers.iter().max_by_key(|peer| (stable_hash(&(shard, peer)), *peer))
}

/// What the shards want of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShardWant {
    /// Begin to ask for the Lease, and keep it renewed.
    Acquire(ShardId),
    /// Stop asking for the Lease; it is not held.
    Abandon(ShardId),
    /// The shard is ours: queue its root keys.
    QueueRoots(ShardId),
    /// Send nothing more for its keys.
    StopSending(ShardId),
    /// The last answer is in: give the Lease back.
    Release(ShardId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Somebody else's, as far as we know.
    Foreign,
    /// Proposed to us, without its Lease.
    Acquiring,
    /// Proposed to us, with its Lease.
    Owned,
    /// No longer proposed to us; answers are still to come, and the Lease is held.
    Draining,
    /// The Lease is being given back.
    Releasing,
}

#[derive(Clone, Copy, Debug)]
struct Shard {
    phase: Phase,
    on_wire: usize,
}

/// All shards from the view of one peer.
#[derive(Clone, Debug)]
pub struct Shards {
    me: PeerName,
    peers: BTreeSet<PeerName>,
    states: BTreeMap<ShardId, Shard>,
}

impl Shards {
    /// So many shards, none of them ours.
    #[must_use]
    pub fn new(me: PeerName, count: u16) -> Self {
        let foreign = Shard { phase: Phase::Foreign, on_wire: 0 };
        let states = (0..count).map(|number| (ShardId(number), foreign)).collect();
        Self { me, peers: BTreeSet::new(), states }
    }

    /// Whether a step may be sent for a key of this shard.
    #[must_use]
    pub fn may_send(&self, shard: ShardId) -> bool {
        self.phase(shard) == Some(Phase::Owned)
    }

    /// Shards that may be sent for.
    pub fn owned(&self) -> impl Iterator<Item = ShardId> {
        self.states.iter().filter(|(_, shard)| shard.phase == Phase::Owned).map(|(id, _)| *id)
    }

    /// Whether nothing is held and nothing is on its way, as after a shutdown.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.states.values().all(|shard| shard.phase == Phase::Foreign)
    }

    fn phase(&self, shard: ShardId) -> Option<Phase> {
        self.states.get(&shard).map(|shard| shard.phase)
    }

    fn is_proposed(&self, shard: ShardId) -> bool {
        proposed(shard, &self.peers) == Some(&self.me)
    }

    /// The live peers changed, ourselves included; without us among them every shard is given up.
    pub fn set_peers(&mut self, peers: BTreeSet<PeerName>) -> Vec<ShardWant> {
        self.peers = peers;
        let ids: Vec<ShardId> = self.states.keys().copied().collect();
        ids.into_iter().flat_map(|shard| self.consider(shard)).collect()
    }

    /// Moves a shard towards whom it is proposed to.
    fn consider(&mut self, id: ShardId) -> Vec<ShardWant> {
        let is_proposed = self.is_proposed(id);
        let Some(shard) = self.states.get_mut(&id) else { return Vec::new() };
        let (next, wants) = match (shard.phase, is_proposed) {
            (Phase::Foreign, true) => (Phase::Acquiring, vec![ShardWant::Acquire(id)]),
            (Phase::Acquiring, false) => (Phase::Foreign, vec![ShardWant::Abandon(id)]),
            (Phase::Owned, false) if shard.on_wire == 0 => {
                (Phase::Releasing, vec![ShardWant::StopSending(id), ShardWant::Release(id)])
            }
            (Phase::Owned, false) => (Phase::Draining, vec![ShardWant::StopSending(id)]),
            (Phase::Draining, true) => (Phase::Owned, vec![ShardWant::QueueRoots(id)]),
            (phase, _) => (phase, Vec::new()),
        };
        shard.phase = next;
        wants
    }

    /// The Lease of a shard was acquired. One that is no longer wanted is given back.
    pub fn acquired(&mut self, id: ShardId) -> Vec<ShardWant> {
        let Some(shard) = self.states.get_mut(&id) else { return Vec::new() };
        let (next, want) = match shard.phase {
            Phase::Acquiring => (Phase::Owned, ShardWant::QueueRoots(id)),
            Phase::Foreign => (Phase::Releasing, ShardWant::Release(id)),
            Phase::Owned | Phase::Draining | Phase::Releasing => return Vec::new(),
        };
        shard.phase = next;
        vec![want]
    }

    /// The Lease of a shard is no longer ours: it ran out, or somebody else holds it. Answers that still come are harmless by
    /// their preconditions.
    pub fn lost(&mut self, id: ShardId) -> Vec<ShardWant> {
        let Some(shard) = self.states.get_mut(&id) else { return Vec::new() };
        match shard.phase {
            Phase::Owned => {
                shard.phase = Phase::Acquiring;
                vec![ShardWant::StopSending(id)]
            }
            Phase::Draining | Phase::Releasing => {
                shard.phase = Phase::Foreign;
                let mut wants = vec![ShardWant::Abandon(id)];
                wants.extend(self.consider(id));
                wants
            }
            Phase::Foreign | Phase::Acquiring => Vec::new(),
        }
    }

    /// A step of the shard was put on the wire.
    pub fn sent(&mut self, id: ShardId) {
        if let Some(shard) = self.states.get_mut(&id) {
            shard.on_wire += 1;
        }
    }

    /// A step of the shard was answered or lost.
    pub fn answered(&mut self, id: ShardId) -> Vec<ShardWant> {
        let Some(shard) = self.states.get_mut(&id) else { return Vec::new() };
        shard.on_wire = shard.on_wire.saturating_sub(1);
        if shard.phase == Phase::Draining && shard.on_wire == 0 {
            shard.phase = Phase::Releasing;
            return vec![ShardWant::Release(id)];
        }
        Vec::new()
    }

    /// The Lease was given back.
    pub fn released(&mut self, id: ShardId) -> Vec<ShardWant> {
        match self.states.get_mut(&id) {
            Some(shard) if shard.phase == Phase::Releasing => shard.phase = Phase::Foreign,
            _ => return Vec::new(),
        }
        self.consider(id)
    }
}
