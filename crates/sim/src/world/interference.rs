//! Interference: single writes and single watch events, by number, at which something goes wrong. Where a seed draws
//! faults by chance, this names one, so that every one can be tried.
//!
//! A process that dies here is followed at once by another with the same options. What the dead one held of its leases
//! runs out in time, as in reality.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use apiserver::request::RequestId;
use engine::engine::Violation;
use engine::{Failure, Input, StoreId, Watched};

use super::World;
use crate::manager::ManagerOptions;
use crate::network::ManagerId;

/// What goes wrong at a write of a manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AtWrite {
    /// The process dies before the request leaves.
    CrashBefore,
    /// The request is applied; the process dies before the answer arrives.
    CrashAfter,
    /// The request is applied; the answer never arrives, and the process goes on.
    AnswerLost,
}

/// What goes wrong at a watch event. On a stream that is well no event can be skipped, so these are the two ways in which
/// a process does not learn of one when it could.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AtEvent {
    /// The connection breaks before it; the process watches again from what it saw last.
    WatchBroken,
    /// The connection stays open and says nothing more, until the process has waited for its end for too long.
    WatchHung,
}

/// One thing that goes wrong: at the n-th write of a manager, or at the n-th watch event that reaches one, both counted
/// from 1 over all managers since the world began. Leases do not count, nor do bookmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interference {
    /// At a write.
    Write(u64, AtWrite),
    /// At a watch event.
    Event(u64, AtEvent),
}

impl AtWrite {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::CrashBefore, Self::CrashAfter, Self::AnswerLost];
    /// The ways in which the process dies.
    pub const CRASHES: [Self; 2] = [Self::CrashBefore, Self::CrashAfter];

    fn name(self) -> &'static str {
        match self {
            Self::CrashBefore => "crash-before",
            Self::CrashAfter => "crash-after",
            Self::AnswerLost => "answer-lost",
        }
    }
}

impl AtEvent {
    /// Every way.
    pub const ALL: [Self; 2] = [Self::WatchBroken, Self::WatchHung];

    fn name(self) -> &'static str {
        match self {
            Self::WatchBroken => "watch-broken",
            Self::WatchHung => "watch-hung",
        }
    }
}

impl fmt::Display for Interference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(number, way) => write!(formatter, "{number}:{}", way.name()),
            Self::Event(number, way) => write!(formatter, "{number}:{}", way.name()),
        }
    }
}

/// A text that names no interference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no interference; write NUMBER:WAY with a number from 1 and one of crash-before, crash-after, answer-lost \
     (at a write), watch-broken, watch-hung (at a watch event), such as 12:crash-after"
)]
pub struct UnknownInterference(String);

impl std::str::FromStr for Interference {
    type Err = UnknownInterference;

    fn from_str(text: &str) -> Result<Self, UnknownInterference> {
        let parts = text.trim().split_once(':');
        let parsed = parts.and_then(|(number, way)| Some((number.parse::<u64>().ok()?, way)));
        let found = parsed.filter(|(number, _)| *number > 0).and_then(|(number, name)| {
            let write = AtWrite::ALL.into_iter().find(|way| way.name() == name);
            let event = AtEvent::ALL.into_iter().find(|way| way.name() == name);
            write.map(|way| Self::Write(number, way)).or_else(|| event.map(|way| Self::Event(number, way)))
        });
        found.ok_or_else(|| UnknownInterference(text.to_owned()))
    }
}

/// What is to go wrong, and what came of it.
#[derive(Debug, Default)]
pub(super) struct Interferences {
    at_write: BTreeMap<u64, AtWrite>,
    at_event: BTreeMap<u64, AtEvent>,
    writes: u64,
    events: u64,
    /// Requests on the wire that something happens to when they have been answered, and whose they are. Their senders may have
    /// given up on them by then.
    marked: BTreeMap<RequestId, (ManagerId, AtWrite)>,
    /// Who came after whom.
    heirs: BTreeMap<ManagerId, ManagerId>,
    /// Watches that kept an event from their process, which has not made up for it yet.
    behind: BTreeSet<(ManagerId, StoreId)>,
    violations: Vec<Violation>,
}

impl World {
    /// From now on these go wrong. Of two at one number the later counts.
    pub fn interfere(&mut self, with: &[Interference]) {
        for interference in with {
            match *interference {
                Interference::Write(number, way) => drop(self.interferences.at_write.insert(number, way)),
                Interference::Event(number, way) => drop(self.interferences.at_event.insert(number, way)),
            }
        }
    }

    /// Writes that managers have sent so far or died over, leases left out.
    #[must_use]
    pub fn write_sites(&self) -> u64 {
        self.interferences.writes
    }

    /// Watch events that reached managers so far or were withheld from them, bookmarks left out.
    #[must_use]
    pub fn watch_events(&self) -> u64 {
        self.interferences.events
    }

    /// Whether everything that was to go wrong has: nothing waits for its number or its answer.
    #[must_use]
    pub fn has_interfered(&self) -> bool {
        let Interferences { at_write, at_event, marked, .. } = &self.interferences;
        at_write.is_empty() && at_event.is_empty() && marked.is_empty()
    }

    /// Who stands in a manager's place: itself, or the last of those that came after it.
    #[must_use]
    pub fn heir(&self, id: ManagerId) -> ManagerId {
        std::iter::successors(Some(id), |id| self.interferences.heirs.get(id).copied()).last().unwrap_or(id)
    }

    /// Programming errors that processes had seen which died of interference.
    #[must_use]
    pub fn violations_of_the_dead(&self) -> &[Violation] {
        &self.interferences.violations
    }

    /// A step is about to be sent. False if its process dies over it.
    pub(super) fn outlives_sending(&mut self, id: ManagerId, request: RequestId) -> bool {
        self.interferences.writes += 1;
        let number = self.interferences.writes;
        match self.interferences.at_write.remove(&number) {
            None => return true,
            Some(AtWrite::CrashBefore) => {
                self.note(format!("{id} dies before write {number} leaves"));
                self.die(id);
                return false;
            }
            Some(way) => self.interferences.marked.insert(request, (id, way)),
        };
        true
    }

    /// A request was answered. False if its process never learns of it.
    pub(super) fn outlives_answer(&mut self, request: RequestId) -> bool {
        let Some((id, way)) = self.interferences.marked.remove(&request) else { return true };
        if way == AtWrite::AnswerLost {
            self.note(format!("the answer to request {} is lost", request.0));
        } else {
            self.note(format!("{id} dies before the answer to request {} arrives", request.0));
            self.die(id);
        }
        false
    }

    /// A process dies and another takes its place.
    fn die(&mut self, id: ManagerId) {
        let Some(manager) = self.managers.get_mut(&id) else { return };
        let (options, is_held) = (manager.options.clone(), manager.is_held);
        let violations = std::mem::take(&mut manager.engine.violations);
        self.interferences.violations.extend(violations);
        self.restarts += 1;
        self.kill_manager(id);
        let identity = format!("manager-{}", self.next_manager);
        let heir = self.start_manager(&ManagerOptions { identity, ..options });
        self.hold_requests(heir, is_held);
        self.interferences.heirs.insert(id, heir);
    }

    /// A watch event is about to reach its process. False if it does not.
    pub(super) fn gets_through(&mut self, request: RequestId, input: &Input, id: ManagerId) -> bool {
        let Input::Watched(store, epoch, Watched::Applied(_) | Watched::Deleted(_)) = *input else {
            return true;
        };
        self.interferences.events += 1;
        let number = self.interferences.events;
        let Some(way) = self.interferences.at_event.remove(&number) else { return true };
        self.note(format!("watch event {number} does not reach {id}: {}", way.name()));
        self.interferences.behind.insert((id, store));
        match way {
            AtEvent::WatchHung => self.hang(request),
            AtEvent::WatchBroken => {
                self.close(request);
                let failure = Failure::Unreachable("the connection broke".to_owned());
                self.feed(id, Input::WatchEnded(store, epoch, failure));
            }
        }
        false
    }

    /// An input reaches a process: a list, or the first event of another watch, makes up for what was withheld.
    pub(super) fn caught_up_by(&mut self, id: ManagerId, input: &Input) {
        if let Input::Listed(store, _, Ok(_))
        | Input::Watched(store, _, Watched::Applied(_) | Watched::Deleted(_)) = input
        {
            self.interferences.behind.remove(&(id, *store));
        }
    }

    /// A process stopped watching a kind: nothing of it is owed to it any more.
    pub(super) fn stops_watching(&mut self, id: ManagerId, store: StoreId) {
        self.interferences.behind.remove(&(id, store));
    }

    /// A process is gone: nothing is owed to it, and no answer can kill it.
    pub(super) fn needs_nothing(&mut self, id: ManagerId) {
        self.interferences.behind.retain(|(of, _)| *of != id);
        self.interferences.marked.retain(|_, (of, _)| *of != id);
    }

    /// Whether a process that can still be reached has not learned yet of what was withheld from it.
    pub(super) fn is_anybody_behind(&self) -> bool {
        let is_reached = |id: &ManagerId| self.managers.get(id).is_some_and(|manager| !manager.is_held);
        self.interferences.behind.iter().any(|(id, _)| is_reached(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interference_is_read_as_it_is_written() {
        let all = AtWrite::ALL.map(|way| Interference::Write(12, way)).into_iter();
        for interference in all.chain(AtEvent::ALL.map(|way| Interference::Event(7, way))) {
            assert_eq!(interference.to_string().parse(), Ok(interference));
        }
        for text in ["", "12", "crash-after", "0:crash-after", "x:crash-after", "12:crash", "-1:watch-hung"] {
            assert_eq!(text.parse::<Interference>(), Err(UnknownInterference(text.to_owned())));
        }
    }
}
