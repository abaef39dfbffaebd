//! What a presence's pass looks at.

use std::time::Duration;

use api::networking::NetworkContext;
use api::{ObjectKey, ObjectName};
use federation::context::ContextsByPair;
use federation::verdict::Facts;
use federation::{
    Configuration, ContextFacts, LocationSight, NetworkFacts, PresenceKey, ProjectSight, holder, location,
    project,
};
use jiff::{SignedDuration, Timestamp};
use reconcile::{Attempts, Sight, Stamp, Target, View};

use super::names::{self, Place};

/// A recorded time further ahead than this counts as unreadable (design section 2).
const FUTURE_TOLERANCE: SignedDuration = SignedDuration::from_secs(60);

/// What the stamp on a context says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grace {
    /// No stamp.
    Unstamped,
    /// A stamp that is no time, or one that lies in the future.
    Unreadable,
    /// The wait ends then, and has not ended.
    Running(Timestamp),
    /// The wait has ended.
    Over,
}

/// One context of the pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The object.
    pub target: Target,
    /// Its facts.
    pub facts: ContextFacts,
    /// What its stamp says.
    pub grace: Grace,
}

/// Facts of one pass.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The presence.
    pub key: PresenceKey,
    /// Project, location and network.
    pub facts: Facts,
    /// Contexts of the pair, in order of name.
    pub contexts: Sight<Vec<Context>>,
    /// How many holders; counted only while the Network lives, because otherwise nothing can hold it.
    pub holders: Sight<usize>,
    /// Where a new context would go.
    pub(super) place: Place,
    /// How long a presence without holders stays.
    pub grace_period: Duration,
    /// Time to write.
    pub stamp: Stamp,
    /// Answers to earlier steps.
    pub attempts: Attempts,
}

/// Reads.
pub(super) fn observe(view: &View<'_>, key: &PresenceKey) -> Observed {
    let facts = facts(view, key);
    let live = facts.network.present().filter(|network| !network.is_deleting);
    let lives = live.is_some();
    let grace_period = view
        .configuration(|configuration: &Configuration| configuration.unclaimed_grace_period)
        .unwrap_or(federation::configuration::UNCLAIMED_GRACE_PERIOD);
    let contexts = contexts(view, key, grace_period);
    let is_missing = live.zip(contexts.present()).is_some_and(|(network, contexts)| {
        !contexts.iter().any(|context| context.facts.belongs_to(&network.uid))
    });
    Observed {
        holders: if lives { holder::observe(view, key) } else { Sight::Present(0) },
        place: if is_missing { names::observe(view, key) } else { Place::Unknown },
        key: key.clone(),
        facts,
        contexts,
        grace_period,
        stamp: view.stamp(),
        attempts: view.attempts(),
    }
}

fn facts(view: &View<'_>, key: &PresenceKey) -> Facts {
    let cluster = key.cluster();
    let project = project::observe(view, &key.project);
    let network = ObjectKey::namespaced(key.namespace.clone(), key.network.as_str());
    if project != ProjectSight::Resolved {
        let nothing = reconcile::Unknown::NotEngaged;
        let location = LocationSight::Unknown(nothing.clone());
        return Facts { project, location, network: Sight::Unknown(nothing) };
    }
    Facts {
        project,
        location: location::observe(view, &cluster, &key.location),
        network: view.object::<NetworkFacts>(&cluster, &network),
    }
}

fn contexts(view: &View<'_>, key: &PresenceKey, grace_period: Duration) -> Sight<Vec<Context>> {
    let cluster = key.cluster();
    let members = view.members::<ContextFacts, ContextsByPair>(&cluster, Some(&key.namespace), &key.pair());
    members.map(|members| {
        let context = |(object, facts): (ObjectKey, ContextFacts)| Context {
            grace: grace(view, &facts, grace_period),
            target: Target::of::<NetworkContext>(cluster.clone(), object),
            facts,
        };
        members.into_iter().map(context).collect()
    })
}

fn grace(view: &View<'_>, facts: &ContextFacts, period: Duration) -> Grace {
    let Some(text) = &facts.unclaimed_since else { return Grace::Unstamped };
    let Ok(since) = text.parse::<Timestamp>() else { return Grace::Unreadable };
    let earliest = since.checked_sub(FUTURE_TOLERANCE).unwrap_or(since);
    if !view.reached(earliest) {
        return Grace::Unreadable;
    }
    let period = SignedDuration::try_from(period).unwrap_or(SignedDuration::MAX);
    let end = since.checked_add(period).unwrap_or(Timestamp::MAX);
    if view.reached(end) { Grace::Over } else { Grace::Running(end) }
}

impl Context {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &ObjectName {
        &self.target.key.name
    }
}
