//! How many small writes one core takes, and what many watches cost: numbers for `docs/performance.md`.

use std::time::Instant;

use apiserver::identity::{MASTERS, User};
use apiserver::plane::PlaneSpec;
use apiserver::request::{Headers, Request, RequestId};
use apiserver::store::Store;
use apiserver::{Config, Input, Output, Server};
use jiff::Timestamp;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::{Value, json};

const WRITES: u64 = 20_000;
const WATCHES: u64 = 1_000;
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";

struct Client {
    server: Server,
    next: u64,
    frames: u64,
}

impl Client {
    fn call(&mut self, method: &str, path: &str, body: &Value, content_type: &str) -> u16 {
        self.next += 1;
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = Request {
            id: RequestId(self.next),
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: Headers {
                content_type: content_type.to_owned(),
                user_agent: "bench/1".to_owned(),
                ..Headers::default()
            },
            body: body.to_string().into(),
            identity: Some(User::new("admin", &[MASTERS])),
        };
        let mut code = 0;
        for output in self.server.handle(Timestamp::now(), Input::Request(Box::new(request))) {
            match output {
                Output::Respond { response, .. } => code = response.status,
                Output::Frame { .. } => self.frames += 1,
                _ => {}
            }
        }
        code
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plane = PlaneSpec { name: "hub".to_owned(), ..PlaneSpec::default() };
    let config = Config { planes: vec![plane], ..Config::default() };
    let generator = ChaCha12Rng::seed_from_u64(1);
    let (server, _) = Server::start(config, Store::default(), generator, Timestamp::now())?;
    let mut client = Client { server, next: 0, frames: 0 };
    client.call("POST", CRDS, &definition(), "");
    measure("creates", WRITES, 201, |index| client.call("POST", THINGS, &thing(index, 1), ""))?;
    let apply = "application/apply-patch+yaml";
    let path = |index: u64| format!("{THINGS}/thing-{index}?fieldManager=bench&force=true");
    measure("applies", WRITES, 200, |index| client.call("PATCH", &path(index), &thing(index, 2), apply))?;
    measure("equal applies", WRITES, 200, |index| {
        client.call("PATCH", &path(index), &thing(index, 2), apply)
    })?;
    measure("equal applies again", WRITES, 200, |index| {
        client.call("PATCH", &path(index), &thing(index, 2), apply)
    })?;
    for _ in 0..WATCHES {
        client.call("GET", &format!("{THINGS}?watch=true&resourceVersion=1000000"), &Value::Null, "");
    }
    for _ in 0..WATCHES {
        let revision = client.server.revision();
        client.call("GET", &format!("{THINGS}?watch=true&resourceVersion={revision}"), &Value::Null, "");
    }
    println!(
        "resident: {} MiB for {WRITES} objects and {} commits",
        resident_mib(),
        client.server.revision()
    );
    client.frames = 0;
    measure("applies under watch", 200, 200, |index| {
        client.call("PATCH", &path(index), &thing(index, 3), apply)
    })?;
    println!("frames sent: {}", client.frames);
    Ok(())
}

fn measure(
    what: &str,
    count: u64,
    wanted: u16,
    mut one: impl FnMut(u64) -> u16,
) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    for index in 0..count {
        let code = one(index);
        if code != wanted {
            return Err(format!("{what}: write {index} was answered {code}").into());
        }
    }
    let elapsed = start.elapsed();
    println!(
        "{what}: {:.0} a second ({count} in {elapsed:.1?})",
        f64::from(u32::try_from(count)?) / elapsed.as_secs_f64()
    );
    Ok(())
}

/// Resident memory of this process; 0 where the kernel does not tell.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn thing(index: u64, size: u64) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": format!("thing-{index}"), "labels": {"a": "b"}},
        "spec": {"color": "red", "size": size, "ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}]}})
}

fn definition() -> Value {
    json!({"metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
        "names": {"kind": "Thing", "plural": "things"},
        "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {
                    "color": {"type": "string", "maxLength": 9}, "size": {"type": "integer"},
                    "ports": {"type": "array", "maxItems": 9, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                        "items": {"type": "object", "required": ["name"], "properties": {
                            "name": {"type": "string"}, "port": {"type": "integer", "default": 80}}}}}},
                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}})
}
