//! What comes with a plane goes with it, however often.

#![allow(clippy::unwrap_used, reason = "every function here is part of a test")]

use std::time::Duration;

use api::ClusterName;
use engine::engine::Holdings;
use sim::network::ManagerId;
use sim::plane::Templates;
use sim::workload::{self, Universe};
use sim::{ManagerOptions, World, WorldOptions};

/// Everything that a process and the network around it hold.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    engine: Holdings,
    requests_and_watches: (usize, usize),
    streams: usize,
    passes_wanted: bool,
}

fn held(world: &World, manager: ManagerId) -> Held {
    let engine = world.engine(manager).unwrap();
    assert_eq!(engine.violations, []);
    let mut holdings = engine.holdings();
    // A bounded memory of what was looked at last, which is not what is held.
    holdings.remove("kept encodings");
    Held {
        engine: holdings,
        requests_and_watches: world.open_requests(manager),
        streams: world.open_streams(),
        passes_wanted: !engine.is_idle(),
    }
}

/// Two projects with presences that are Ready, and their manager.
fn presences() -> (World, ManagerId) {
    let mut world = World::with(Templates::new().unwrap(), WorldOptions::calm(1));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let universe = Universe {
        projects: names(&["p0", "p1"]),
        networks: names(&["n0"]),
        locations: names(&["l0", "l1"]),
        bindings: Vec::new(),
        replicas: 1,
        acts: 0,
    };
    let furniture = workload::furniture(&universe);
    let declarations = workload::declarations(&universe);
    for act in workload::beginning(&universe).iter().chain(&furniture).chain(&declarations) {
        let reply = world.call(&act.cluster, act.method, &act.path, (act.content_type, &act.body));
        assert_eq!(reply.code, 201, "{act}");
    }
    let manager = world.start_manager(&ManagerOptions::default());
    world.advance(Duration::from_mins(1));
    assert!(world.is_idle());
    (world, manager)
}

fn flap(world: &mut World, project: &ClusterName) {
    world.withdraw(project);
    assert!(world.run_until_idle(Duration::from_mins(1)), "it comes to rest without {project}");
    world.offer(project);
    assert!(world.run_until_idle(Duration::from_mins(1)), "it comes to rest with {project}");
}

#[test]
fn a_project_that_is_engaged_a_thousand_times_leaves_nothing_behind() {
    let (mut world, manager) = presences();
    let project = ClusterName::Project("p1".into());
    let writes = world.requests(manager).steps;
    flap(&mut world, &project);
    let before = held(&world, manager);
    assert!(before.engine["keys"] > 8 && before.engine["stores"] > 8, "{before:?}");
    world.withdraw(&project);
    assert!(world.run_until_idle(Duration::from_mins(1)));
    let without = held(&world, manager);
    assert!(without.engine["stores"] < before.engine["stores"] && without.streams < before.streams);
    world.offer(&project);
    assert!(world.run_until_idle(Duration::from_mins(1)));
    for _ in 0..1000 {
        flap(&mut world, &project);
    }
    assert_eq!(held(&world, manager), before);
    world.withdraw(&project);
    assert!(world.run_until_idle(Duration::from_mins(1)));
    assert_eq!(held(&world, manager), without);
    assert_eq!(world.requests(manager).steps, writes, "nothing is written because of it");
}
