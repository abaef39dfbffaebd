//! One manager process: the real engine with the real controllers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use api::ClusterName;
use engine::{Engine, Input, LeasePlace, LeaseSettings, Registration, Settings};
use federation::Configuration;
use jiff::{SignedDuration, Timestamp};

use crate::clock::ProcessClock;
use crate::world::requests::Requests;

/// How a manager is started.
#[derive(Clone, Debug)]
pub struct ManagerOptions {
    /// The controllers' configuration.
    pub configuration: Configuration,
    /// Controllers that do not run, by name.
    pub withheld: Vec<&'static str>,
    /// Who it says it is in its leases.
    pub identity: String,
    /// How long a lease renewal holds.
    pub lease_duration: Duration,
    /// After this long without a renewal it stops acting.
    pub renew_deadline: Duration,
    /// How often it renews or looks.
    pub retry_period: Duration,
    /// Margin for a server that applies late.
    pub skew: Duration,
    /// How long a step may take.
    pub step_timeout: Duration,
    /// Objects in one page of a list.
    pub page_limit: u32,
}

impl Default for ManagerOptions {
    fn default() -> Self {
        Self {
            configuration: Configuration::default(),
            withheld: Vec::new(),
            identity: "manager-0".to_owned(),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            skew: Duration::from_secs(2),
            step_timeout: Duration::from_secs(5),
            page_limit: Settings::default().page_limit,
        }
    }
}

/// Controllers of the role `manager`, without those that are withheld.
#[must_use]
pub fn controllers(withheld: &[&str]) -> Vec<Box<dyn Registration>> {
    roles::manager().into_iter().filter(|controller| !withheld.contains(&controller.name())).collect()
}

/// A running process.
pub(crate) struct Manager {
    pub(crate) options: ManagerOptions,
    pub(crate) engine: Engine,
    pub(crate) places: Vec<LeasePlace>,
    /// Which engagement each cluster has, and of which identity.
    pub(crate) engagements: BTreeMap<ClusterName, (u64, String)>,
    pub(crate) next_engagement: u64,
    /// What it sends stays on its machine until released.
    pub(crate) is_held: bool,
    pub(crate) is_drained: bool,
    /// How long nobody takes its place after it has drained.
    pub(crate) away: SignedDuration,
    /// It stands still until then; what comes for it waits.
    pub(crate) paused_until: Option<Timestamp>,
    pub(crate) parked: VecDeque<Input>,
    /// It is busy and not suspended: what waits is one batch for it.
    pub(crate) is_busy: bool,
    pub(crate) clock: ProcessClock,
    /// What it asked for so far.
    pub(crate) requests: Requests,
    pub(crate) wake_at: Timestamp,
}

impl Manager {
    pub(crate) fn start(options: &ManagerOptions, seed: u64, now: Timestamp) -> Self {
        let places: Vec<LeasePlace> = roles::MANAGER_LEASES
            .into_iter()
            .map(|name| LeasePlace {
                cluster: ClusterName::Core,
                namespace: "kube-system".into(),
                name: name.into(),
            })
            .collect();
        let lease = LeaseSettings {
            identity: options.identity.clone(),
            duration: options.lease_duration,
            renew_deadline: options.renew_deadline,
            retry_period: options.retry_period,
            skew: options.skew,
        };
        let settings = places.iter().map(|_| lease.clone()).collect();
        let clock = ProcessClock::start(now);
        let numbers = Settings {
            step_timeout: options.step_timeout,
            page_limit: options.page_limit,
            ..Settings::default()
        };
        let configuration = Arc::new(options.configuration.clone());
        let engine = Engine::new(numbers, seed, clock.at(now), controllers(&options.withheld), configuration)
            .with_leases(settings);
        Self {
            options: options.clone(),
            engine,
            places,
            engagements: BTreeMap::new(),
            next_engagement: 0,
            is_held: false,
            is_drained: false,
            away: SignedDuration::ZERO,
            paused_until: None,
            parked: VecDeque::new(),
            is_busy: false,
            clock,
            requests: Requests::default(),
            wake_at: now,
        }
    }
}
