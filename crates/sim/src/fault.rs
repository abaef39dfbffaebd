//! The faults, by name, and how often each may happen: every seed draws its own mixture (swarm testing), so that rare
//! combinations happen and no fault hides another.

mod luck;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::dice::Dice;

pub use luck::Luck;

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// One kind of fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Fault {
            $($(#[$doc])* $name,)*
        }

        impl Fault {
            /// Every kind, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name on the command line and in a regression file.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

faults! {
    /// A request never arrives.
    RequestLost = "request-lost",
    /// A request is applied and its answer never arrives.
    AnswerLost = "answer-lost",
    /// A write arrives a second time, later, even if its sender is dead by then.
    RequestDoubled = "request-doubled",
    /// A request takes up to a minute.
    RequestSlow = "request-slow",
    /// 429 with Retry-After; nothing is applied.
    TooManyRequests = "too-many-requests",
    /// 500; nothing is applied.
    InternalError = "internal-error",
    /// 503; nothing is applied.
    Unavailable = "unavailable",
    /// A write loses against another hand: 409 on its version although nothing changed.
    Conflict = "conflict",
    /// A webhook denies a write: 403.
    Denied = "denied",
    /// A user edits an object just before a manager's write of it arrives.
    EditedMeanwhile = "edited-meanwhile",
    /// A user deletes something after a list and before the watch that follows it.
    DeletedInGap = "deleted-in-gap",
    /// A watch tells an event twice.
    WatchDoubled = "watch-doubled",
    /// A watch breaks off.
    WatchDropped = "watch-dropped",
    /// A watch stays open and says nothing more.
    WatchHung = "watch-hung",
    /// A watch lags up to eight versions behind.
    WatchBehind = "watch-behind",
    /// A watch never sends bookmarks.
    BookmarksMissing = "bookmarks-missing",
    /// A watch or a page is answered with 410.
    Expired = "expired",
    /// A process dies between two inputs; what it sent stays on the wire.
    Crash = "crash",
    /// A process stands still for longer than its lease and goes on.
    Pause = "pause",
    /// A process is busy when an answer comes, and takes everything that has come until then in one batch.
    InputsPileUp = "inputs-pile-up",
    /// A process's wall clock is set.
    ClockSet = "clock-set",
    /// A process ends in good order and another takes over.
    Replace = "replace",
    /// Nothing gets from one process to one plane, or back.
    Partition = "partition",
    /// A plane's server stops and comes back as it was.
    PlaneDown = "plane-down",
    /// A plane comes back with an older state.
    PlaneRestored = "plane-restored",
    /// A plane comes back empty, under another identity.
    PlaneReplaced = "plane-replaced",
    /// A plane refuses everybody's credential for a while: 401.
    CredentialRefused = "credential-refused",
    /// An object is told in a form that does not decode, for a while.
    ObjectMalformed = "object-malformed",
    /// Lists of one kind on one plane take long for a while.
    KindSlow = "kind-slow",
    /// A kind is not served for a while.
    KindNotServed = "kind-not-served",
    /// A kind is forbidden for a while.
    KindForbidden = "kind-forbidden",
    /// A project's plane is disengaged and engaged again.
    ProjectFlaps = "project-flaps",
    /// Somebody edits or deletes what the controllers keep.
    ForeignHand = "foreign-hand",
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::str::FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        let found = Self::ALL.iter().find(|fault| fault.name() == text);
        found.copied().ok_or_else(|| UnknownFault(text.to_owned()))
    }
}

/// A name that is no fault's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no fault is called {0:?}; `network-services-sim coverage` names them all")]
pub struct UnknownFault(pub String);

/// How often each fault may happen, in thousandths of its occasions; absent is never.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mixture(BTreeMap<Fault, u32>);

impl Mixture {
    /// No faults at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// A random mixture: each fault is out, rare, or common.
    #[must_use]
    pub fn draw(dice: &mut Dice) -> Self {
        let mut mixture = Self::default();
        for fault in Fault::ALL {
            let rate = match dice.below(3) {
                0 => 0,
                1 => dice.between(5, 30),
                _ => dice.between(30, 200),
            };
            mixture.set(*fault, u32::try_from(rate).unwrap_or_default());
        }
        mixture
    }

    /// Sets the rate of one fault.
    pub fn set(&mut self, fault: Fault, per_mille: u32) {
        if per_mille == 0 {
            self.0.remove(&fault);
        } else {
            self.0.insert(fault, per_mille);
        }
    }

    /// The rate of one fault.
    #[must_use]
    pub fn rate(&self, fault: Fault) -> u32 {
        self.0.get(&fault).copied().unwrap_or_default()
    }

    /// Faults that may happen, with their rates.
    pub fn iter(&self) -> impl Iterator<Item = (Fault, u32)> {
        self.0.iter().map(|(fault, rate)| (*fault, *rate))
    }
}

/// Occasions by fault, counted from zero: those on which it struck, or shall strike.
pub type Strikes = BTreeMap<Fault, BTreeSet<u64>>;

/// How it is decided which faults happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Faults {
    /// By dice, each at its rate.
    Drawn(Mixture),
    /// Exactly on these occasions.
    Listed(Strikes),
}

impl Faults {
    /// No faults at all.
    #[must_use]
    pub fn none() -> Self {
        Self::Drawn(Mixture::none())
    }
}

/// How often each fault happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts(pub BTreeMap<Fault, u64>);

impl FaultCounts {
    /// One more.
    pub fn count(&mut self, fault: Fault) {
        *self.0.entry(fault).or_default() += 1;
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Adds another run's.
    pub fn add(&mut self, other: &Self) {
        for (fault, count) in &other.0 {
            *self.0.entry(*fault).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_found_by_its_name() {
        for fault in Fault::ALL {
            assert_eq!(fault.name().parse(), Ok(*fault));
        }
        assert_eq!("flood".parse::<Fault>(), Err(UnknownFault("flood".to_owned())));
    }

    #[test]
    fn mixtures_differ_between_seeds_and_each_fault_is_in_some_and_out_of_some() {
        let mixtures: Vec<Mixture> = (0..40).map(|seed| Mixture::draw(&mut Dice::new(seed, 0))).collect();
        for fault in Fault::ALL {
            assert!(mixtures.iter().any(|mixture| mixture.rate(*fault) > 0), "{fault}");
            assert!(mixtures.iter().any(|mixture| mixture.rate(*fault) == 0), "{fault}");
        }
    }
}
