//! The rules that must hold after every event, one file each. A check looks at one observation at a time, with the truth
//! as it is after it.

mod copies;
mod engine;
mod fencing;
mod finalizers;
pub mod holders;
mod incarnations;
mod proofs;
mod readiness;
mod refusals;
mod repeats;
mod unique;
mod views;
mod writers;

pub(crate) use writers::differences;

use std::fmt;

use api::ClusterName;
use jiff::{SignedDuration, Timestamp};

use crate::plane::ObjectRef;
use crate::truth::Truth;
use crate::world::{Observation, World};

/// How long what a manager knew may have been overtaken when its write lands, in a world that a seed makes: the slowest
/// requests, twice, and the slowest watch. A fact that has held for longer must have been respected.
pub const OVERTAKEN: SignedDuration = SignedDuration::from_secs(200);

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The rule.
    pub rule: &'static str,
    /// When.
    pub at: Timestamp,
    /// The plane of the object.
    pub cluster: Option<ClusterName>,
    /// The object, if it is about one.
    pub object: Option<ObjectRef>,
    /// What happened, in words.
    pub text: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.rule)?;
        if let Some(object) = &self.object {
            write!(formatter, "{object} ")?;
        }
        formatter.write_str(&self.text)?;
        self.cluster.as_ref().map_or(Ok(()), |cluster| write!(formatter, " (plane {cluster})"))
    }
}

/// One rule.
pub trait Check {
    /// Its name, as a breach tells it.
    fn rule(&self) -> &'static str;

    /// Looks at what just happened. `truth` is as it is after it. Answers what is wrong.
    fn look(&mut self, truth: &Truth, observation: &Observation) -> Option<Finding>;
}

/// What a check finds wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The plane of the object.
    pub cluster: Option<ClusterName>,
    /// The object, if it is one.
    pub object: Option<ObjectRef>,
    /// What happened.
    pub text: String,
}

impl Finding {
    /// About an object.
    #[must_use]
    pub fn of(cluster: &ClusterName, object: &ObjectRef, text: impl Into<String>) -> Self {
        Self { cluster: Some(cluster.clone()), object: Some(object.clone()), text: text.into() }
    }

    /// As a breach of a rule.
    #[must_use]
    pub fn breaks(self, rule: &'static str, at: Timestamp) -> Breach {
        let Self { cluster, object, text } = self;
        Breach { rule, at, cluster, object, text }
    }
}

/// All rules, and the truth they look at.
pub struct Checks {
    /// What is so.
    pub truth: Truth,
    rules: Vec<Box<dyn Check>>,
    engines: engine::Engines,
}

impl Default for Checks {
    fn default() -> Self {
        Self::over(Truth::default())
    }
}

impl Checks {
    /// All rules over what is known.
    #[must_use]
    pub fn over(truth: Truth) -> Self {
        let rules: Vec<Box<dyn Check>> = vec![
            Box::new(writers::Writers),
            Box::new(copies::Copies),
            Box::new(incarnations::Incarnations),
            Box::new(holders::Holders),
            Box::new(finalizers::Finalizers),
            Box::new(proofs::Proofs::default()),
            Box::new(readiness::Readiness::default()),
            Box::new(refusals::Refusals),
            Box::new(repeats::Repeats::default()),
            Box::new(unique::Unique),
            Box::new(fencing::Fencing::default()),
        ];
        Self { truth, rules, engines: engine::Engines::default() }
    }

    /// These rules too.
    #[must_use]
    pub fn and(mut self, rules: Vec<Box<dyn Check>>) -> Self {
        self.rules.extend(rules);
        self
    }

    /// Looks at everything that happened since the last look; the first breach ends it.
    pub fn look(&mut self, world: &mut World) -> Option<Breach> {
        while let Some(observation) = world.observed.pop_front() {
            self.truth.take(&observation);
            for check in &mut self.rules {
                if let Some(finding) = check.look(&self.truth, &observation) {
                    return Some(finding.breaks(check.rule(), self.truth.now));
                }
            }
        }
        self.engines.look(world).or_else(|| views::look(world))
    }
}
