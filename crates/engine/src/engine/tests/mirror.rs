//! The controllers under test. `mirror` keeps a copy in the project of every source on the hub and destroys it with the
//! last source; words in the source's data switch its quirks on. `follow` looks at another map and writes
//! nothing.

use std::collections::BTreeMap;

use api::builtin::ConfigMap;
use api::cluster::ClusterRole;
use api::{ClusterName, Kind, NamespaceName, ObjectKey, ProjectName};
use jiff::Timestamp;
use reconcile::step::Verb;
use reconcile::{
    Absent, Attempts, Controller, Facet, Index, IndexValue, Plan, Roots, Sight, Step, Target, View,
};
use serde::Serialize;
use serde_json::json;

/// The configuration.
#[derive(Clone, Debug, Default)]
pub(super) struct Mode {
    /// Value of `mode` in every copy, if not empty.
    pub(super) mode: &'static str,
}

/// The facts of a map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Map {
    words: BTreeMap<String, String>,
    note: Option<String>,
    is_deleting: bool,
}

impl Facet for Map {
    type Kind = ConfigMap;

    fn of(map: &ConfigMap) -> Self {
        let note = map.metadata.annotations.as_ref().and_then(|all| all.get("note").cloned());
        Self { words: map.data.clone(), note, is_deleting: map.is_deleting() }
    }
}

/// Sources by the copy they are for.
pub(super) struct ByCopy;

impl Index for ByCopy {
    type Kind = ConfigMap;
    const NAME: &'static str = "copy";

    fn values(map: &ConfigMap) -> Vec<IndexValue> {
        map.data.get("for").map(|copy| IndexValue::of([copy.as_str()])).into_iter().collect()
    }
}

pub(super) struct MirrorController;

pub(super) struct Observed {
    key: String,
    sources: Sight<Vec<(ObjectKey, Map)>>,
    copy: Sight<Map>,
    is_waiting: Option<Timestamp>,
    is_expired: bool,
    mode: &'static str,
    attempts: Attempts,
}

fn project() -> ClusterName {
    ClusterName::Project("p".into())
}

fn copy_of(key: &str) -> ObjectKey {
    ObjectKey::namespaced("copies", key)
}

impl Controller for MirrorController {
    const NAME: &'static str = "mirror";
    type Key = String;
    type Observed = Observed;

    fn roots() -> Roots<String> {
        Roots::new()
            .on::<Map>(ClusterRole::Hub, |_, _, _, source| {
                assert!(!source.words.contains_key("panic-in-roots"), "the source says so");
                source.words.get("for").cloned().into_iter().collect()
            })
            .on::<Map>(ClusterRole::Project, |_, _, object, _| {
                let is_copy =
                    object.namespace.as_ref().is_some_and(|namespace| namespace.as_str() == "copies");
                is_copy.then(|| object.name.to_string()).into_iter().collect()
            })
    }

    fn project(key: &String) -> Option<ProjectName> {
        key.split_once('.').map(|(project, _)| project.into())
    }

    fn observe(view: &View<'_>, key: &String) -> Observed {
        let namespace = NamespaceName::new("sources");
        let value = IndexValue::of([key.as_str()]);
        let sources = view.members::<Map, ByCopy>(&ClusterName::Hub, Some(&namespace), &value);
        let says = |word: &str| {
            let first = sources.present().and_then(|sources| sources.first());
            first.and_then(|(_, source)| source.words.get(word).cloned())
        };
        assert!(says("panic").is_none(), "the source says so");
        if says("twin").is_some() {
            let _ = view.object::<Map>(&ClusterName::Hub, &copy_of(key));
        }
        let expires = says("expires").and_then(|text| text.parse::<Timestamp>().ok());
        let until = says("until").and_then(|text| text.parse::<Timestamp>().ok());
        Observed {
            key: key.clone(),
            copy: view.object::<Map>(&project(), &copy_of(key)),
            is_waiting: until.filter(|until| !view.reached(*until)),
            is_expired: expires.is_some_and(|at| view.reached(at)),
            mode: view.configuration(|mode: &Mode| mode.mode).unwrap_or_default(),
            attempts: view.attempts(),
            sources,
        }
    }

    fn plan(observed: &Observed) -> Plan {
        let target = Target::of::<ConfigMap>(project(), copy_of(&observed.key));
        let (Sight::Present(sources), Sight::Present(_) | Sight::Absent) =
            (&observed.sources, &observed.copy)
        else {
            return Plan::waiting("Unknown", "source or copy cannot be told");
        };
        if let Some(until) = observed.is_waiting {
            return Plan::waiting("Until", until.to_string());
        }
        match (sources.first().filter(|_| !observed.is_expired), observed.copy.present()) {
            (None, None) => Plan::settled(),
            (None, Some(copy)) if copy.is_deleting => Plan::waiting("Going", "the copy is going"),
            (None, Some(_)) => Plan::settled().with([Step::delete(target, "no source is left").destroying()]),
            (Some((_, source)), copy) => hold(observed, &target, source, copy.is_some()),
        }
    }
}

/// What a copy holds: the data, and whatever quirk the source asks for.
fn hold(observed: &Observed, target: &Target, source: &Map, is_there: bool) -> Plan {
    let mut data = source.words.clone();
    if !observed.mode.is_empty() {
        data.insert("mode".to_owned(), observed.mode.to_owned());
    }
    if let Some(attempt) = observed.attempts.holding_back(target, Verb::Create) {
        return Plan::waiting("Refused", attempt.message.clone());
    }
    if !is_there {
        return Plan::settled().with([Step::create(target.clone(), json!({"data": data}), "make the copy")]);
    }
    let quirk = |word: &str| source.words.contains_key(word);
    let held = Step::apply(target.clone(), json!({"data": data}), "hold the data");
    let mut plan = Plan::settled().with([if quirk("at-version") { held.at_version() } else { held }]);
    if quirk("clean") {
        plan =
            plan.with([Step::remove(target.clone(), vec![Absent::annotation("note")], "take the note off")]);
    }
    if quirk("twin") {
        let fields = json!({"data": data});
        let twin = Target::of::<ConfigMap>(ClusterName::Hub, target.key.clone());
        plan = plan.with([Step::apply(twin, fields, "hold the twin of the same name")]);
    }
    if quirk("unread") {
        let other = Target::of::<ConfigMap>(project(), ObjectKey::namespaced("copies", "unread"));
        plan = plan.with([Step::create(other, json!({}), "write what was not read")]);
    }
    plan
}

pub(super) struct FollowController;

impl Controller for FollowController {
    const NAME: &'static str = "follow";
    type Key = String;
    type Observed = bool;

    fn roots() -> Roots<String> {
        Roots::new().on::<Map>(ClusterRole::Hub, |_, _, _, source| {
            source.words.get("follow").cloned().into_iter().collect()
        })
    }

    fn project(_: &String) -> Option<ProjectName> {
        None
    }

    fn observe(view: &View<'_>, key: &String) -> bool {
        view.object::<Map>(&project(), &ObjectKey::namespaced("followed", key.as_str())).present().is_some()
    }

    fn plan(is_there: &bool) -> Plan {
        if *is_there { Plan::settled() } else { Plan::waiting("NotThere", "the map is not there") }
    }
}
