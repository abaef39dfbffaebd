//! What read tracking costs alone: time of a pass and memory of a key, for 10,000 keys of twelve reads each.
//!
//! A plain program that prints figures (`cargo bench -p network-services-engine`); it asserts nothing about time. Memory is
//! the growth of `VmRSS`, so it includes what the allocator rounds up: once for the cache of objects, once for keys, roots
//! and read records on top of it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::builtin::ConfigMap;
use api::cluster::ClusterRole;
use api::{ClusterName, NamespaceName, ObjectKey, ProjectName};
use engine::engine::Page;
use engine::{Engine, Identity, Input, Now, Output, Registration, Settings, register};
use reconcile::{Controller, Facet, Index, IndexValue, KindEntry, Object, Plan, Roots, View};
use serde::Serialize;
use serde_json::json;

const KEYS: usize = 10_000;
const NEIGHBOURS: usize = 5;
const ROUNDS: usize = 20;

/// The facts of a map.
#[derive(Clone, Debug, Hash, Serialize)]
struct Data(BTreeMap<String, String>);

impl Facet for Data {
    type Kind = ConfigMap;

    fn of(map: &ConfigMap) -> Self {
        Self(map.data.clone())
    }
}

/// Maps by group; a group has ten members.
struct Group;

impl Index for Group {
    type Kind = ConfigMap;
    const NAME: &'static str = "group";

    fn values(map: &ConfigMap) -> Vec<IndexValue> {
        map.data.get("group").map(|group| IndexValue::of([group.as_str()])).into_iter().collect()
    }
}

/// Has the same keys, and reads nothing.
struct Bare;

impl Controller for Bare {
    const NAME: &'static str = "bare";
    type Key = usize;
    type Observed = ();

    fn roots() -> Roots<usize> {
        roots()
    }

    fn project(_: &usize) -> Option<ProjectName> {
        None
    }

    fn observe(_: &View<'_>, _: &usize) {}

    fn plan((): &()) -> Plan {
        Plan::settled()
    }
}

/// Reads twelve things and writes nothing: the object and five others, an index by names, two by number, the kind, the
/// cluster and the configuration.
struct Reading;

impl Controller for Reading {
    const NAME: &'static str = "reading";
    type Key = usize;
    type Observed = usize;

    fn roots() -> Roots<usize> {
        roots()
    }

    fn project(_: &usize) -> Option<ProjectName> {
        None
    }

    fn observe(view: &View<'_>, key: &usize) -> usize {
        let hub = ClusterName::Hub;
        let seen = |offset: &usize| view.object::<Data>(&hub, &name(key + offset)).present().is_some();
        let objects = (0..=NEIGHBOURS).filter(seen).count();
        let namespace = NamespaceName::new("ns");
        let here = Some(&namespace);
        let members = view.names::<Group>(&hub, here, &group(*key)).present().map_or(0, Vec::len);
        let others = [key + 10, key + 20].map(|other| view.count::<Group>(&hub, here, &group(other)));
        let counted: usize = others.iter().filter_map(|count| count.present()).sum();
        let _ = (view.kind::<ConfigMap>(&hub), view.cluster(&hub), view.configuration(|(): &()| ()));
        objects + members + counted
    }

    fn plan(_: &usize) -> Plan {
        Plan::settled()
    }
}

fn roots() -> Roots<usize> {
    Roots::new()
        .on::<Data>(ClusterRole::Hub, |_, _, object, _| object.name.as_str().parse().into_iter().collect())
}

fn name(number: usize) -> ObjectKey {
    ObjectKey::namespaced("ns", (number % KEYS).to_string())
}

fn group(number: usize) -> IndexValue {
    IndexValue::of([(number % KEYS / 10).to_string().as_str()])
}

fn object(number: usize, version: usize) -> Object {
    let value = json!({
        "metadata": {"name": number.to_string(), "namespace": "ns", "uid": format!("uid-{number}"),
            "resourceVersion": version.to_string()},
        "data": {"group": (number / 10).to_string(), "version": version.to_string()},
    });
    (KindEntry::of::<ConfigMap>().decode)(value.to_string().as_bytes())
}

/// Resident memory in bytes; zero where the system does not tell.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    number.unwrap_or(0) * 1024
}

fn now() -> Now {
    Now { wall: jiff::Timestamp::UNIX_EPOCH, monotonic: Duration::from_secs(1) }
}

/// Runs passes until none is ready; answers whatever list is asked for with `objects`.
fn settle(engine: &mut Engine, mut outputs: Vec<Output>, objects: &mut Option<Vec<Object>>) {
    loop {
        let mut next = Vec::new();
        let mut is_ready = false;
        for output in outputs {
            match output {
                Output::List { store, epoch, .. } => {
                    let objects = objects.take().unwrap_or_default();
                    let page = Page { objects, continue_token: None, version: "1".to_owned() };
                    next.extend(engine.handle(now(), Input::Listed(store, epoch, Ok(page))));
                }
                Output::WakeAfter(wait) => is_ready = wait.is_zero(),
                _ => {}
            }
        }
        if next.is_empty() && !is_ready {
            return;
        }
        outputs = if next.is_empty() { engine.handle(now(), Input::Tick) } else { next };
    }
}

/// An engine whose plane has been listed, and by how much it made the process grow; the objects themselves are not counted.
fn started(controller: Box<dyn Registration>) -> (Engine, usize) {
    let objects: Vec<Object> = (0..KEYS).map(|number| object(number, 1)).collect();
    let before = resident();
    let mut engine = Engine::new(Settings::default(), 1, now(), vec![controller], Arc::new(()));
    let identity = Identity { engagement: 1, server: "bench".to_owned() };
    let outputs = engine.handle(now(), Input::Engaged(ClusterName::Hub, identity));
    settle(&mut engine, outputs, &mut Some(objects));
    (engine, resident().saturating_sub(before))
}

/// Microseconds of one pass, when all keys look again because the configuration was read again.
fn pass_microseconds(engine: &mut Engine) -> f64 {
    let passes = |engine: &Engine| engine.metrics.passes.values().sum::<u64>();
    let before = passes(engine);
    let start = Instant::now();
    for _ in 0..ROUNDS {
        let outputs = engine.handle(now(), Input::Configured(Arc::new(())));
        settle(engine, outputs, &mut None);
    }
    let made = passes(engine) - before;
    start.elapsed().as_secs_f64() * 1e6 / u32::try_from(made).map_or(f64::NAN, f64::from)
}

fn main() {
    let (bare, of_keys) = started(register::<Bare>());
    let start = Instant::now();
    let (mut engine, of_all) = started(register::<Reading>());
    let first = start.elapsed();
    println!("{KEYS} keys, {} reads each ({} without)", engine.reads_per_key(), bare.reads_per_key());
    println!("{} bytes a key without reads, {} with", of_keys / KEYS, of_all / KEYS);
    println!("{} bytes of that are read records", of_all.saturating_sub(of_keys) / KEYS);
    println!(
        "{:.2} microseconds a pass, {first:?} to decode, list and pass all once",
        pass_microseconds(&mut engine)
    );
}
