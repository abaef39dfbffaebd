//! A breach as a story: what befell the world, and what happened to the objects that the broken rule is about, in one
//! timeline over all planes; then what each process sees of the object, decides and waits for.

use std::collections::VecDeque;

use api::{ClusterName, Kind, ObjectKey, ResourceKind, labels};
use jiff::Timestamp;
use serde_json::Value;

use crate::check::Breach;
use crate::plane::ObjectRef;
use crate::truth::contexts::pair_of;
use crate::truth::pairs::Declared;
use crate::truth::{Pair, Truth, label, text};
use crate::world::{Author, Commit, Observation, World};

/// Lines of a story at most.
const LINES_MAX: usize = 120;
/// Lines that are remembered.
const KEPT_MAX: usize = 50_000;
/// The longest value that is shown.
const VALUE_MAX: usize = 100;

struct Line {
    at: Timestamp,
    about: Option<(ClusterName, ObjectRef)>,
    /// Network and location that the object declares, if it declares any.
    declares: Option<(String, String)>,
    text: String,
}

/// What happened, as text.
#[derive(Default)]
pub struct Journal(VecDeque<Line>);

impl Journal {
    /// Takes an observation in.
    pub fn take(&mut self, observation: &Observation) {
        let Some(line) = told_of(observation) else { return };
        if self.0.len() >= KEPT_MAX {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }

    /// Tells a breach.
    #[must_use]
    pub fn story(&self, breach: &Breach, truth: &Truth, world: &mut World) -> Vec<String> {
        let pair = breach
            .cluster
            .as_ref()
            .zip(breach.object.as_ref())
            .and_then(|(cluster, object)| pair_about(truth, cluster, object));
        let concerns = |line: &&Line| match &line.about {
            None => {
                !line.text.starts_with("sent") || pair.as_ref().is_none_or(|pair| names(&line.text, pair))
            }
            Some((cluster, object)) => {
                breach.object.as_ref() == Some(object)
                    || pair
                        .as_ref()
                        .is_none_or(|pair| is_about(pair, cluster, object) || declares(line, pair))
            }
        };
        let lines: Vec<&Line> = self.0.iter().filter(concerns).collect();
        let from = lines.len().saturating_sub(LINES_MAX);
        let mut story: Vec<String> =
            lines[from..].iter().map(|line| format!("{} {}", line.at, line.text)).collect();
        story.push(format!("{} !! {breach}", breach.at));
        if let Some((cluster, object)) = breach.cluster.as_ref().zip(breach.object.as_ref()) {
            story.extend(minds(world, cluster, object));
        }
        story
    }
}

/// An observation in a line with its time; leases are nobody's business.
pub(crate) fn line(observation: &Observation) -> Option<String> {
    told_of(observation).map(|line| format!("{} {}", line.at, line.text))
}

fn told_of(observation: &Observation) -> Option<Line> {
    Some(match observation {
        Observation::Sent(at, sent) if !sent.request.path.contains("/leases") => {
            Line { at: *at, about: None, declares: None, text: format!("sent {}", sent.text()) }
        }
        Observation::Sent(..) | Observation::Answered(..) | Observation::Reset(..) => return None,
        Observation::Note(at, text) => {
            Line { at: *at, about: None, declares: None, text: format!("-- {text}") }
        }
        Observation::Commit(commit) if commit.changed.object.plural() == "leases" => return None,
        Observation::Commit(commit) => {
            let about = (commit.changed.cluster.clone(), commit.changed.object.clone());
            Line { at: commit.at, about: Some(about), declares: declaration(commit), text: told(commit) }
        }
    })
}

/// A change in a line.
fn told(commit: &Commit) -> String {
    let author = match &commit.author {
        Author::Manager(id) => id.to_string(),
        Author::User => "user".to_owned(),
        Author::Server => "server".to_owned(),
    };
    let request = commit.request.as_ref().map(|sent| format!(" (request {})", sent.request.id.0));
    let changed = &commit.changed;
    let what = match (&changed.before, &changed.after) {
        (None, _) => format!(
            "made {}",
            changed.after.as_deref().map(|after| short(&after["spec"])).unwrap_or_default()
        ),
        (Some(_), None) => "removed".to_owned(),
        (Some(before), Some(after)) => changes(before, after),
    };
    format!("{}: {} by {author}{}: {what}", changed.cluster, changed.object, request.unwrap_or_default())
}

fn changes(before: &Value, after: &Value) -> String {
    let mut paths = Vec::new();
    crate::check::differences(before, after, &mut String::new(), &mut paths);
    paths.retain(|path| !path.starts_with("/metadata/managedFields") && path != "/metadata/resourceVersion");
    let shown = |path: &String| format!("{path}={}", after.pointer(path).map(short).unwrap_or_default());
    paths.iter().map(shown).collect::<Vec<_>>().join(" ")
}

fn short(value: &Value) -> String {
    let conditions = value.as_array().filter(|all| all.iter().any(|one| one["reason"].is_string()));
    let mut text = match conditions {
        Some(all) => all
            .iter()
            .map(|one| format!("{}={}/{}", one["type"], one["status"], one["reason"]).replace('"', ""))
            .collect::<Vec<_>>()
            .join(","),
        None => value.to_string(),
    };
    if text.len() > VALUE_MAX {
        let end = (0..=VALUE_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// The pair that an object is about.
fn pair_about(truth: &Truth, cluster: &ClusterName, object: &ObjectRef) -> Option<Pair> {
    let plural: &'static str =
        ["networkbindings", "networkcontexts"].into_iter().find(|one| *one == object.plural())?;
    let value = truth.get(cluster, plural, &object.namespace, &object.name)?;
    match plural {
        "networkbindings" => match truth.declared(cluster, object, value) {
            Declared::Pair(pair) => Some(pair),
            Declared::Nowhere | Declared::Nothing => None,
        },
        _ => pair_of(cluster, object, value),
    }
}

fn is_about(pair: &Pair, cluster: &ClusterName, object: &ObjectRef) -> bool {
    let is_in_project = *cluster == pair.cluster();
    match object.plural() {
        "networks" => is_in_project && object.name == pair.network,
        "networkcontexts" => is_in_project && object.name == format!("{}-{}", pair.network, pair.location),
        "locations" => is_in_project && object.name == pair.location,
        "projects" => object.name == pair.project,
        "namespaces" => object.name.contains(pair.project.as_str()),
        _ => false,
    }
}

/// Whether a line is of something that holds the pair, wherever it is declared.
fn declares(line: &Line, pair: &Pair) -> bool {
    let declared = line.declares.as_ref();
    declared.is_some_and(|(network, location)| (network, location) == (&pair.network, &pair.location))
}

/// Network and location of a declaration: a binding, or an interface copy.
fn declaration(commit: &Commit) -> Option<(String, String)> {
    let object = commit.changed.after.as_deref().or(commit.changed.before.as_deref())?;
    let location = match commit.changed.object.plural() {
        "networkbindings" => text(object, "/spec/location/name"),
        "networkinterfaces" => label(object, labels::LOCATION),
        _ => return None,
    };
    Some((text(object, "/spec/network/name").to_owned(), location.to_owned()))
}

fn names(text: &str, pair: &Pair) -> bool {
    text.contains(&format!("{}-{}", pair.network, pair.location))
}

/// What each process sees of an object.
fn minds(world: &mut World, cluster: &ClusterName, object: &ObjectRef) -> Vec<String> {
    let Some(resource) = resource_of(object.plural()) else { return Vec::new() };
    let namespace = (!object.namespace.is_empty()).then(|| object.namespace.as_str().into());
    let key = ObjectKey { namespace, name: object.name.as_str().into() };
    let mut told = Vec::new();
    for id in world.managers() {
        let Some(engine) = world.engine_mut(id) else { continue };
        told.push(format!("{id} leads: {}", engine.is_leading()));
        for explanation in engine.explain(cluster, resource, &key) {
            told.push(format!(
                "  {} of {}: {:?}",
                explanation.key, explanation.controller, explanation.verdict
            ));
            for trace in &explanation.reads {
                told.push(format!("    read {} on {}: {}", trace.read, trace.cluster, trace.said));
            }
            for step in &explanation.steps {
                told.push(format!("    would {} ({})", step.target, step.why));
            }
            if !explanation.attempts.0.is_empty() {
                told.push(format!("    attempts {:?}", explanation.attempts));
            }
        }
    }
    told
}

fn resource_of(plural: &str) -> Option<ResourceKind> {
    use api::networking::{Network, NetworkBinding, NetworkContext};
    let all = [Network::RESOURCE, NetworkBinding::RESOURCE, NetworkContext::RESOURCE];
    all.into_iter().find(|resource| resource.plural == plural)
}
