//! What a restart costs: in a world full of presences that are Ready the manager dies and another one starts.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use engine::metrics::PassOutcome;
use jiff::SignedDuration;

use crate::manager::ManagerOptions;
use crate::network::ManagerId;
use crate::plane::Templates;
use crate::workload::{self, Universe};
use crate::world::requests::{KindPlace, Requests};
use crate::world::{Observation, World, WorldOptions};

/// Networks of each project.
const NETWORKS: usize = 10;
/// Locations of each project.
const LOCATIONS: usize = 100;
/// How often it is looked whether the world is at rest.
const LOOK: Duration = Duration::from_millis(100);
/// How long the world may take to come to rest, by presence: one costs five writes, of which many are on their way at once.
const REST_EACH: Duration = Duration::from_millis(20);
/// And at least.
const REST_MIN: Duration = Duration::from_mins(2);

/// Why nothing can be said of a restart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestartError {
    /// Something that the world is made of was refused.
    #[error("{act} was answered {code}; a world of presences cannot be made")]
    Refused {
        /// What was asked.
        act: String,
        /// The answer.
        code: u16,
    },
    /// A manager is still busy.
    #[error("{when} the manager is not at rest after {waited:#} of virtual time: {engine}")]
    Busy {
        /// At which point.
        when: &'static str,
        /// For how long it was waited.
        waited: SignedDuration,
        /// What it is doing.
        engine: String,
    },
}

/// What was counted of the process that took over, from its start until it leads and is at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    /// Presences, each declared once.
    pub presences: usize,
    /// Networks of all of them.
    pub networks: usize,
    /// Virtual time that making the world took.
    pub built_in: SignedDuration,
    /// Virtual time of the restart; most of it is the lease of the process that died.
    pub lasted: SignedDuration,
    /// Keys by controller.
    pub keys: BTreeMap<&'static str, u64>,
    /// Passes by controller, without those that met a first list that had not ended.
    pub passes: BTreeMap<&'static str, u64>,
    /// Passes that did.
    pub cold: u64,
    /// What it asked for.
    pub requests: Requests,
    /// Objects that are there of each kind that it listed.
    pub objects: BTreeMap<KindPlace, u64>,
    /// Objects that it changed, leases left out.
    pub changes: u64,
    /// Objects in a page.
    pub page_limit: u32,
}

impl Restart {
    /// What is not as it must be: one pass for each key, no write, and no read but each kind's pages and watch.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let Self { requests, .. } = self;
        let mut complaints = Vec::new();
        let mut must = |what: &str, is: u64, should: u64| {
            if is != should {
                complaints.push(format!("{what}: {is} instead of {should}"));
            }
        };
        let (presences, networks) = (number(self.presences), number(self.networks));
        let keys = [
            ("network-presence", presences),
            ("network-binding", presences),
            ("network-context", presences),
            ("network", networks),
        ];
        for (controller, should) in keys {
            must(&format!("keys of {controller}"), of(&self.keys, controller), should);
        }
        for controller in self.keys.keys().chain(self.passes.keys()) {
            // Each key has a verdict, so it has passed; as many passes as keys is one each.
            let keys = of(&self.keys, controller);
            must(&format!("passes of {controller}"), of(&self.passes, controller), keys);
        }
        must("writes", requests.steps, 0);
        must("changed objects", self.changes, 0);
        must("fences", requests.fences, 0);
        for (place, pages) in &requests.pages {
            let (cluster, kind) = place;
            must(&format!("pages of {kind} on {cluster}"), *pages, self.pages_needed(place));
            let watches = requests.watches.get(place).copied().unwrap_or_default();
            must(&format!("watches of {kind} on {cluster}"), watches, 1);
        }
        let unlisted = requests.watches.keys().filter(|place| !requests.pages.contains_key(*place));
        must("kinds that were watched and not listed", unlisted.count() as u64, 0);
        complaints.dedup();
        complaints
    }

    /// Pages that a kind needs: an empty one is a page too.
    fn pages_needed(&self, place: &KindPlace) -> u64 {
        let objects = self.objects.get(place).copied().unwrap_or_default();
        objects.div_ceil(u64::from(self.page_limit.max(1))).max(1)
    }
}

impl fmt::Display for Restart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { presences, networks, requests, .. } = self;
        let sum = |counts: &BTreeMap<KindPlace, u64>| counts.values().sum::<u64>();
        let passes: Vec<String> = self.passes.iter().map(|(name, count)| format!("{name} {count}")).collect();
        write!(
            formatter,
            "restart of {presences} presences of {networks} networks: {} keys, {} passes ({}), {} cold, {} writes, \
             {} pages of {} lists with {} objects, {} watches, {} fences, {} looks at leases; \
             {:.1} virtual seconds, after {:.1} in which they were made",
            self.keys.values().sum::<u64>(),
            self.passes.values().sum::<u64>(),
            passes.join(", "),
            self.cold,
            requests.steps,
            sum(&requests.pages),
            requests.pages.len(),
            sum(&self.objects),
            sum(&requests.watches),
            requests.fences,
            requests.leases,
            self.lasted.as_secs_f64(),
            self.built_in.as_secs_f64(),
        )
    }
}

fn of(counts: &BTreeMap<&'static str, u64>, controller: &str) -> u64 {
    counts.get(controller).copied().unwrap_or_default()
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Makes a world with so many presences that are Ready, restarts its manager, and counts.
///
/// # Errors
/// If the world cannot be made, or a manager does not come to rest.
pub fn restart(templates: &Templates, presences: usize) -> Result<Restart, RestartError> {
    let mut world =
        World::with(templates.clone(), WorldOptions { is_observed: true, ..WorldOptions::calm(1) });
    let began = world.now();
    let networks = make(&mut world, presences)?;
    let options = ManagerOptions::default();
    let first = world.start_manager(&options);
    let limit = REST_MIN.max(REST_EACH.saturating_mul(u32::try_from(presences).unwrap_or(u32::MAX)));
    rest(&mut world, first, "before it is restarted", limit)?;
    let built_in = world.now().duration_since(began);
    world.kill_manager(first);
    world.observed.clear();
    let died = world.now();
    let second = world.start_manager(&ManagerOptions { identity: "manager-1".to_owned(), ..options.clone() });
    rest(&mut world, second, "after the restart", limit)?;
    let lasted = world.now().duration_since(died);
    let requests = world.requests(second);
    let objects = requests.pages.keys().map(|place| (place.clone(), objects(&world, place))).collect();
    let (passes, cold) = passes(&world, second);
    let (keys, changes) = (keys(&world, second), changes(&world));
    let page_limit = options.page_limit;
    Ok(Restart {
        presences,
        networks,
        built_in,
        lasted,
        keys,
        passes,
        cold,
        requests,
        objects,
        changes,
        page_limit,
    })
}

/// Everything that users declare. Answers how many networks.
fn make(world: &mut World, presences: usize) -> Result<usize, RestartError> {
    let names = |prefix: &str, count: usize| (0..count).map(|number| format!("{prefix}{number}")).collect();
    let universe = Universe {
        projects: names("p", presences.div_ceil(NETWORKS * LOCATIONS)),
        networks: names("n", NETWORKS),
        locations: names("l", LOCATIONS),
        bindings: Vec::new(),
        replicas: 1,
        acts: 0,
    };
    let declarations = workload::declarations(&universe);
    let all = workload::beginning(&universe).into_iter().chain(workload::furniture(&universe));
    for act in all.chain(declarations.into_iter().take(presences)) {
        let reply = world.call(&act.cluster, act.method, &act.path, (act.content_type, &act.body));
        if reply.code != 201 {
            return Err(RestartError::Refused { act: act.to_string(), code: reply.code });
        }
    }
    Ok(universe.projects.len() * universe.networks.len())
}

/// Lets time pass until a manager leads and nothing is left to do.
fn rest(world: &mut World, id: ManagerId, when: &'static str, limit: Duration) -> Result<(), RestartError> {
    let began = world.now();
    let end = began.checked_add(limit).unwrap_or(jiff::Timestamp::MAX);
    while world.now() <= end {
        world.advance(LOOK);
        // Only what the manager changes after it starts anew is counted, and nothing must pile up until then.
        world.observed.retain(is_change);
        if world.engine(id).is_some_and(engine::Engine::may_act) && world.is_idle() {
            return Ok(());
        }
    }
    let engine = world.engine(id).map(|engine| format!("{engine:?}")).unwrap_or_default();
    Err(RestartError::Busy { when, waited: world.now().duration_since(began), engine })
}

fn is_change(observation: &Observation) -> bool {
    let Observation::Commit(commit) = observation else { return false };
    matches!(commit.author, crate::world::Author::Manager(_)) && commit.changed.object.plural() != "leases"
}

fn changes(world: &World) -> u64 {
    number(world.observed.iter().filter(|observation| is_change(observation)).count())
}

fn objects(world: &World, (cluster, kind): &KindPlace) -> u64 {
    let storage = format!("{}/{}", kind.group, kind.plural);
    let plane = world.plane(cluster);
    let held = plane.map(|plane| plane.objects.keys().filter(|object| object.storage == storage).count());
    number(held.unwrap_or_default())
}

fn passes(world: &World, id: ManagerId) -> (BTreeMap<&'static str, u64>, u64) {
    let (mut passes, mut cold) = (BTreeMap::new(), 0);
    let metrics = world.engine(id).map(|engine| &engine.metrics.passes);
    for ((controller, outcome), count) in metrics.into_iter().flatten() {
        if *outcome == PassOutcome::Cold {
            cold += count;
        } else {
            *passes.entry(*controller).or_default() += count;
        }
    }
    (passes, cold)
}

fn keys(world: &World, id: ManagerId) -> BTreeMap<&'static str, u64> {
    let mut keys = BTreeMap::new();
    for verdict in world.engine(id).map(engine::Engine::verdicts).unwrap_or_default() {
        *keys.entry(verdict.controller).or_default() += 1;
    }
    keys
}
