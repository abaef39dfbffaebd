//! Bad luck: what befalls processes and planes, and how it ends.

use api::ClusterName;
use engine::{Failure, Input};
use jiff::SignedDuration;

use super::World;
use super::planes::Direction;
use crate::dice::Dice;
use crate::fault::Fault;
use crate::network::{Event, ManagerId, Mending};

/// Shortest and longest time between two turns of bad luck, in milliseconds.
const TURN: (u64, u64) = (200, 8_000);
/// The longest a process stays away after it died, in milliseconds.
const AWAY_MAX: u64 = 30_000;
/// The longest a process stands still; longer than any lease.
const PAUSE_MAX: u64 = 60_000;
/// The longest a partition, a plane that is down, or a kind that is gone lasts.
const OUTAGE_MAX: u64 = 90_000;
/// How often in a thousand turns some plane's state is kept, to come back to.
const SAVED: u32 = 100;
/// How long a plane is away to be restored: longer than a dead connection stays unnoticed.
const RESTORING: (u64, u64) = (45_000, 120_000);
/// How long a connection is dead before its pings tell.
const KEEPALIVE: SignedDuration = SignedDuration::from_secs(30);
/// The furthest a wall clock is wrong.
const CLOCK_MAX: u64 = 30_000;

/// Kinds that may be forbidden or not served for a while.
pub(super) const KINDS: &[&str] =
    &["networks", "networkbindings", "networkcontexts", "networkinterfaces", "locations", "namespaces"];

impl World {
    /// From now on faults happen.
    pub fn begin_faults(&mut self) {
        self.is_faulty = true;
        self.schedule_misfortune();
    }

    /// No fault happens any more; what is broken stays so until it is healed.
    pub fn end_faults(&mut self) {
        self.is_faulty = false;
    }

    /// Whether faults happen.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.is_faulty
    }

    /// Ends faults, and puts everything right but what `stays_broken`.
    pub fn heal(&mut self, stays_broken: &[ClusterName]) {
        self.end_faults();
        self.free_streams();
        // A restore goes on to its end: it takes longer than a dead connection stays unnoticed.
        let mending = |event: &Event| match event {
            Event::Mend(Mending::Restored(cluster)) => stays_broken.contains(cluster),
            Event::Mend(_) | Event::Resume(_) => true,
            _ => false,
        };
        // Mending one thing may begin another, such as the restart of a process that has just drained.
        while let Some(at) = self.queue.iter().find(|(_, event)| mending(event)).map(|(at, _)| *at) {
            match self.queue.remove(&at) {
                Some(Event::Mend(Mending::Plane(cluster) | Mending::Restored(cluster)))
                    if stays_broken.contains(&cluster) => {}
                Some(Event::Mend(mending)) => self.mend(mending),
                Some(Event::Resume(manager)) => self.wake_up(manager),
                _ => {}
            }
        }
        for manager in self.managers.values_mut() {
            manager.clock.set(SignedDuration::ZERO);
        }
        for cluster in stays_broken {
            self.take_down(cluster);
        }
    }

    /// A plane's server stops, until somebody brings it back.
    pub fn take_down(&mut self, cluster: &ClusterName) {
        if let Some(plane) = self.planes.get_mut(cluster) {
            plane.is_up = false;
            self.note(format!("{cluster} is down"));
            self.break_streams(cluster, &Failure::Unreachable("connection reset".to_owned()));
        }
    }

    /// A plane's server comes back as it was.
    pub fn bring_back(&mut self, cluster: &ClusterName) {
        self.mend(Mending::Restored(cluster.clone()));
    }

    fn wake_up(&mut self, id: ManagerId) {
        if let Some(manager) = self.managers.get_mut(&id) {
            manager.paused_until = Some(self.now);
            self.resume(id);
        }
    }

    fn schedule_misfortune(&mut self) {
        let wait = self.turns.millis(TURN.0, TURN.1);
        self.schedule_in(wait, Event::Misfortune);
    }

    /// One turn: each kind of fault has its chance.
    pub(super) fn misfortune(&mut self) {
        if !self.is_faulty {
            return;
        }
        self.befall_processes();
        self.befall_planes();
        self.befall_kinds();
        self.befall_objects();
        self.schedule_misfortune();
    }

    /// One occasion of a fault: the dice of its strike, or none. Counted if it strikes; while faults are off there is none.
    pub(super) fn strikes(&mut self, fault: Fault) -> Option<Dice> {
        self.strikes_if(fault, true)
    }

    /// The same where it may be that there is nothing to strike.
    pub(super) fn strikes_if(&mut self, fault: Fault, can_strike: bool) -> Option<Dice> {
        let strike = if self.is_faulty { self.luck.strikes(fault, can_strike) } else { None };
        if strike.is_some() {
            self.faults.count(fault);
        }
        strike
    }

    /// The same for a fault that has one victim of several.
    pub(super) fn strikes_one_of<T: Clone>(&mut self, fault: Fault, victims: &[T]) -> Option<(T, Dice)> {
        let mut dice = self.strikes_if(fault, !victims.is_empty())?;
        let victim = dice.pick(victims)?.clone();
        Some((victim, dice))
    }

    fn befall_processes(&mut self) {
        if let Some((id, mut dice)) = self.strikes_one_of(Fault::Crash, &self.managers()) {
            self.restarts += 1;
            self.kill_manager(id);
            self.bury(id, dice.millis(1, AWAY_MAX));
        }
        if let Some((id, mut dice)) = self.strikes_one_of(Fault::Replace, &self.managers()) {
            self.restarts += 1;
            if let Some(manager) = self.managers.get_mut(&id) {
                manager.away = dice.millis(1, AWAY_MAX);
            }
            self.inform(id, Input::Shutdown);
        }
        if let Some((id, mut dice)) = self.strikes_one_of(Fault::Pause, &self.managers()) {
            self.pause(id, dice.millis(100, PAUSE_MAX));
        }
        if let Some((id, mut dice)) = self.strikes_one_of(Fault::ClockSet, &self.managers()) {
            let ahead = dice.millis(0, CLOCK_MAX);
            let error = if dice.hits(500) { ahead } else { -ahead };
            if let Some(manager) = self.managers.get_mut(&id) {
                manager.clock.set(error);
                self.note(format!("the clock of {id} is wrong by {error:#}"));
            }
        }
    }

    /// Another process takes the place of one that is gone, after a while.
    fn bury(&mut self, id: ManagerId, away: SignedDuration) {
        let place = self.replicas.iter_mut().find(|(_, (_, running))| *running == Some(id));
        if let Some((number, (_, running))) = place {
            *running = None;
            let number = *number;
            self.schedule_in(away, Event::Mend(Mending::Replica(number)));
        }
    }

    fn names_of_planes(&self) -> Vec<ClusterName> {
        self.planes.keys().cloned().collect()
    }

    fn befall_planes(&mut self) {
        if let Some((id, dice)) = self.strikes_one_of(Fault::Partition, &self.managers()) {
            self.part(id, dice);
        }
        if let Some((cluster, mut dice)) = self.strikes_one_of(Fault::PlaneDown, &self.names_of_planes()) {
            self.take_down(&cluster);
            self.mend_later(Mending::Plane(cluster), &mut dice);
        }
        self.befall_states();
        if let Some((project, mut dice)) = self.strikes_one_of(Fault::ProjectFlaps, &self.ready_projects()) {
            self.withdraw(&project);
            self.mend_later(Mending::Project(project), &mut dice);
        }
    }

    /// Cuts a process from a plane.
    fn part(&mut self, id: ManagerId, mut dice: Dice) {
        let Some(cluster) = dice.pick(&self.names_of_planes()).cloned() else { return };
        let directions: &[Direction] = match dice.below(3) {
            0 => &[Direction::Out],
            1 => &[Direction::Back],
            _ => &[Direction::Out, Direction::Back],
        };
        self.note(format!("{id} and {cluster} are cut: {directions:?}"));
        for direction in directions {
            self.cut.insert((id, cluster.clone(), *direction));
        }
        self.schedule_in(KEEPALIVE, Event::Ping(id, cluster.clone()));
        self.mend_later(Mending::Partition(id, cluster), &mut dice);
    }

    /// Planes that come back old, or empty. Core is left alone: what it holds is other systems' to restore.
    fn befall_states(&mut self) {
        let planes = self.planes.values().filter(|plane| plane.cluster != ClusterName::Core);
        let (all, saved): (Vec<_>, Vec<_>) = planes
            .map(|plane| (plane.cluster.clone(), plane.has_saved().then(|| plane.cluster.clone())))
            .unzip();
        let saved: Vec<ClusterName> = saved.into_iter().flatten().collect();
        if let Some((cluster, mut dice)) = self.strikes_one_of(Fault::PlaneRestored, &saved)
            && self.planes.get_mut(&cluster).is_some_and(crate::plane::Plane::restore)
        {
            self.note(format!("{cluster} will come back with an older state"));
            self.note_reset(&cluster);
            self.take_down(&cluster);
            if let Some(plane) = self.planes.get_mut(&cluster) {
                plane.is_restoring = true;
            }
            let away = dice.millis(RESTORING.0, RESTORING.1);
            self.schedule_in(away, Event::Mend(Mending::Restored(cluster)));
        }
        if let Some((cluster, _)) = self.strikes_one_of(Fault::PlaneReplaced, &all) {
            self.note(format!("{cluster} comes back empty, as another"));
            self.break_streams(&cluster, &Failure::Unreachable("connection reset".to_owned()));
            self.add_plane(&cluster);
            self.look_soon();
        }
        self.save_one(&all);
    }

    /// Now and then a plane's state is kept, to come back to.
    fn save_one(&mut self, planes: &[ClusterName]) {
        let is_saved = self.turns.hits(SAVED);
        if let Some(cluster) = self.turns.pick(planes)
            && is_saved
            && let Some(plane) = self.planes.get_mut(cluster)
        {
            plane.save();
        }
    }

    fn befall_kinds(&mut self) {
        let planes = self.names_of_planes();
        if let Some((cluster, mut dice)) = self.strikes_one_of(Fault::KindForbidden, &planes)
            && let Some(kind) = dice.pick(KINDS).map(|kind| (*kind).to_owned())
            && let Some(plane) = self.planes.get_mut(&cluster)
        {
            plane.forbidden.insert(kind.clone());
            self.note(format!("{kind} are forbidden on {cluster}"));
            self.mend_later(Mending::Forbidden(cluster, kind), &mut dice);
        }
        if let Some((cluster, mut dice)) = self.strikes_one_of(Fault::KindNotServed, &planes)
            && let Some(kind) = dice.pick(KINDS).map(|kind| (*kind).to_owned())
            && let Some(plane) = self.planes.get_mut(&cluster)
        {
            plane.unserved.insert(kind.clone());
            self.note(format!("{kind} are not served on {cluster}"));
            self.break_streams(&cluster, &Failure::Ended);
            self.mend_later(Mending::Unserved(cluster, kind), &mut dice);
        }
        self.befall_access(&planes);
    }

    pub(super) fn mend_later(&mut self, mending: Mending, dice: &mut Dice) {
        let wait = dice.millis(100, OUTAGE_MAX);
        self.schedule_in(wait, Event::Mend(mending));
    }

    pub(super) fn mend(&mut self, mending: Mending) {
        self.note(format!("over: {mending:?}"));
        match mending {
            Mending::Partition(id, cluster) => {
                self.cut.retain(|(cut, plane, _)| (*cut, plane) != (id, &cluster));
            }
            Mending::Plane(cluster) => {
                if let Some(plane) = self.planes.get_mut(&cluster) {
                    plane.is_up = !plane.is_restoring;
                }
            }
            Mending::Restored(cluster) => {
                if let Some(plane) = self.planes.get_mut(&cluster) {
                    (plane.is_up, plane.is_restoring) = (true, false);
                }
            }
            Mending::Forbidden(cluster, kind) => {
                if let Some(plane) = self.planes.get_mut(&cluster) {
                    plane.forbidden.remove(&kind);
                }
            }
            Mending::Unserved(cluster, kind) => {
                if let Some(plane) = self.planes.get_mut(&cluster) {
                    plane.unserved.remove(&kind);
                }
            }
            Mending::Credential(cluster) => {
                if let Some(plane) = self.planes.get_mut(&cluster) {
                    plane.refuses_credentials = false;
                }
            }
            Mending::Slow(cluster, kind) => {
                if let Some(plane) = self.planes.get_mut(&cluster) {
                    plane.slow.remove(&kind);
                }
            }
            Mending::Malformed(cluster, path, uid) => self.put_right(&cluster, &path, &uid),
            Mending::Drained(id) => {
                let away = self.managers.get(&id).map(|manager| manager.away);
                self.kill_manager(id);
                self.bury(id, away.unwrap_or_default());
            }
            Mending::Replica(number) => {
                if let Some((options, None)) = self.replicas.get(&number).cloned() {
                    self.start_replica(number, options);
                }
            }
            Mending::Project(cluster) => self.offer(&cluster),
        }
    }
}
