//! L5 and L6 in numbers: while projects are dead, an object does not decode, and a write is refused for ever, a declaration
//! beside them is served as quickly as ever.

use api::{ClusterName, Kind, networking};
use jiff::SignedDuration;
use serde_json::Value;

use super::{Run, Stopped};
use crate::plane::path_of;
use crate::truth::{condition, text};
use crate::workload::{self, Act, Universe};

/// In how many of a thousand seeds trouble is made.
const ISOLATED: u32 = 400;
/// How long a declaration may take to be served in a world in which messages take up to 30 ms and nothing is wrong with what it
/// needs: a dozen messages, and room for a lost race.
const SERVED_WITHIN: SignedDuration = SignedDuration::from_secs(1);
/// How often it is looked.
const LOOK: SignedDuration = SignedDuration::from_millis(10);
/// How long it takes until what faults left is worked off: the longest wait before a list is asked for again, and dead
/// connections that nobody has noticed.
const WORKED_OFF: SignedDuration = SignedDuration::from_secs(75);
/// How long trouble lasts before the declaration is made: first answers and first repetitions are over.
const TROUBLE: SignedDuration = SignedDuration::from_secs(10);
/// How long it may take until a manager leads again, after the one that led died when the world was healed.
const LED_WITHIN: SignedDuration = SignedDuration::from_mins(1);

const RULE: &str = "L6 what is broken delays nothing else";
const NETWORKS: &str = networking::Network::RESOURCE.plural;
const BINDINGS: &str = networking::NetworkBinding::RESOURCE.plural;

/// A network that is refused for ever, and one that has nothing to do with it.
const STUCK: &str = "stuck";
const FRESH: &str = "fresh";
/// A declaration that does not decode.
const MALFORMED: &str = "malformed";

impl Run<'_> {
    /// Makes trouble in and beside a project that lives, and declares something there.
    pub(super) fn isolated(&mut self, dead: &[ClusterName]) -> Result<(), Stopped> {
        if !self.dice.hits(ISOLATED) {
            return Ok(());
        }
        let Some(project) = self.living_project(dead) else { return Ok(()) };
        self.wait(WORKED_OFF)?;
        self.led()?;
        let stuck = self.refuse_for_ever(&project)?;
        let malformed = self.malform(&project)?;
        self.wait(TROUBLE)?;
        for act in workload::fresh(&project, FRESH) {
            self.act(&act)?;
        }
        let declaration = workload::fresh_declaration(&project, FRESH);
        self.act(&declaration)?;
        let took = self.served(&declaration)?;
        self.totals.take_served(took);
        self.end_trouble(&stuck, malformed);
        Ok(())
    }

    /// The first project that can serve: it is not dead, and managers may engage it.
    fn living_project(&self, dead: &[ClusterName]) -> Option<String> {
        let projects = self.universe.projects.iter();
        let mut living = projects.filter(|project| {
            let cluster = ClusterName::Project(project.as_str().into());
            !dead.contains(&cluster) && self.world.is_offered(&cluster)
        });
        living.next().cloned()
    }

    fn led(&mut self) -> Result<(), Stopped> {
        let end = self.world.now() + LED_WITHIN;
        while !self
            .world
            .managers()
            .into_iter()
            .any(|id| self.world.engine(id).is_some_and(engine::Engine::may_act))
        {
            if self.world.now() > end {
                return Err(self.breach(RULE, format!("nobody leads for {LED_WITHIN:#} in a healed world")));
            }
            self.wait(LOOK)?;
        }
        Ok(())
    }

    fn wait(&mut self, time: SignedDuration) -> Result<(), Stopped> {
        let end = self.world.now() + time;
        self.until(end)
    }

    /// A network of which every write is denied, and a declaration that needs it.
    fn refuse_for_ever(&mut self, project: &str) -> Result<ClusterName, Stopped> {
        let cluster = ClusterName::Project(project.into());
        self.world.deny(&cluster, NETWORKS, STUCK, true);
        for act in workload::fresh(project, STUCK) {
            self.act(&act)?;
        }
        self.act(&workload::fresh_declaration(project, STUCK))?;
        Ok(cluster)
    }

    /// A declaration that does not decode, in the namespace of another project or one that leads nowhere.
    fn malform(&mut self, project: &str) -> Result<Option<(String, String)>, Stopped> {
        let other = self.universe.projects.iter().find(|other| *other != project);
        let other = other.cloned().unwrap_or_else(|| "elsewhere".to_owned());
        let route = workload::route_of(&other);
        self.act(&route)?;
        let declaration = workload::fresh_declaration(&other, MALFORMED);
        self.act(&declaration)?;
        let [namespace, _] = Universe::routes(&other);
        let hub = self.world.plane(&ClusterName::Hub);
        let mut bindings = hub.into_iter().flat_map(|hub| hub.of_plural(BINDINGS));
        let made = bindings.find(|(object, _)| object.namespace == namespace && object.name == MALFORMED);
        let place = |(object, binding): (_, &std::sync::Arc<Value>)| {
            (path_of(object, binding), text(binding, "/metadata/uid").to_owned())
        };
        let Some((path, uid)) = made.map(place) else { return Ok(None) };
        drop(bindings);
        self.world.malform(&ClusterName::Hub, &path, &uid);
        Ok(Some((path, uid)))
    }

    fn end_trouble(&mut self, stuck: &ClusterName, malformed: Option<(String, String)>) {
        self.world.deny(stuck, NETWORKS, STUCK, false);
        if let Some((path, uid)) = malformed {
            self.world.put_right(&ClusterName::Hub, &path, &uid);
        }
    }

    /// Waits until a declaration is served; how long that took.
    fn served(&mut self, declaration: &Act) -> Result<SignedDuration, Stopped> {
        let began = self.world.now();
        while !self.is_served() {
            let waited = self.world.now().duration_since(began);
            if waited > SERVED_WITHIN {
                let text = format!("not served after {waited:#}: {declaration}");
                return Err(self.breach(RULE, text));
            }
            self.wait(LOOK)?;
        }
        Ok(self.world.now().duration_since(began))
    }

    fn is_served(&self) -> bool {
        let hub = self.world.plane(&ClusterName::Hub);
        let mut bindings = hub.into_iter().flat_map(|hub| hub.of_plural(BINDINGS));
        let is_ready =
            |binding: &Value| condition(binding, "Ready").is_some_and(|(status, _)| status == "True");
        bindings.any(|(object, binding)| object.name == FRESH && is_ready(binding))
    }
}
