//! Runs the built program, and clients of the planes it serves.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use api::ClusterName;
use kube_client::Client;
use kube_client::client::Body;
use runtime::provider::{client_of, read_config};
use runtime::transport;
use serde_json::{Value, json};

/// Longest wait for anything; only a broken program takes as long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
/// Pause between two looks at something that takes its time.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The quickstart's manifests.
pub(crate) fn quickstart() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quickstart")
}

/// A directory that goes with the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("network-services-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_network-services"));
    command.args(arguments).env_remove("NETWORK_SERVICES_LOG").env_remove("NETWORK_SERVICES_ADMIN");
    command
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Runs the program to its end, which must be this exit code, with this in its messages.
pub(crate) fn refused(arguments: &[&str], code: i32, wanted: &[&str]) {
    let output = run(arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    for part in wanted {
        assert!(told.contains(part), "{arguments:?} says {told:?}, which lacks {part:?}");
    }
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
}

/// Standard output as text.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A running program, killed when it is dropped.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let (out, told) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        for reader in [Box::new(out) as Box<dyn std::io::Read + Send>, Box::new(told)] {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let lines = BufReader::new(reader).lines().map_while(Result::ok);
                lines.for_each(|line| drop(sender.send(line)));
            });
        }
        Self { child, lines, seen: Vec::new() }
    }

    /// Waits for a line with this in it.
    pub(crate) fn line(&mut self, part: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(part) {
                        return line;
                    }
                }
                Err(error) => panic!("no line with {part:?} ({error}); it said {:#?}", self.seen),
            }
        }
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end and gives the exit code; none if a signal ended it.
    pub(crate) fn end(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of one context of a kubeconfig.
pub(crate) async fn client(kubeconfig: &Path, context: &str) -> Client {
    client_of(&ClusterName::Core, read_config(kubeconfig, Some(context)).await.unwrap()).unwrap()
}

/// Sends a request; gives code and body.
pub(crate) async fn send(client: &Client, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let content = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let request = http::Request::builder().method(method).uri(path).header("content-type", content);
    let answered = transport::send(client, request.body(Body::from(body)).unwrap(), PATIENCE).await.unwrap();
    (answered.code, serde_json::from_slice(&answered.body).unwrap_or_default())
}

/// Reads an object or a list that must be there.
pub(crate) async fn get(client: &Client, path: &str) -> Value {
    let (code, body) = send(client, "GET", path, &Value::Null).await;
    assert_eq!(code, 200, "{path}: {body}");
    body
}

/// Creates an object, which must work.
pub(crate) async fn create(client: &Client, path: &str, body: &Value) -> Value {
    let (code, body) = send(client, "POST", path, body).await;
    assert_eq!(code, 201, "{path}: {body}");
    body
}

/// Waits until an object satisfies this.
pub(crate) async fn eventually(client: &Client, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        let (_, object) = send(client, "GET", path, &Value::Null).await;
        if holds(&object) {
            return object;
        }
        assert!(Instant::now() < end, "{path} stays {object}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Reason of the condition Ready.
pub(crate) fn reason(object: &Value) -> &str {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    let ready = conditions.into_iter().flatten().find(|condition| condition["type"] == "Ready");
    ready.and_then(|condition| condition["reason"].as_str()).unwrap_or_default()
}

/// Where bindings of a namespace are.
pub(crate) fn bindings(namespace: &str) -> String {
    format!("/apis/networking.datumapis.com/v1alpha/namespaces/{namespace}/networkbindings")
}

/// A binding.
pub(crate) fn binding(name: &str, network: &str, location: &str) -> Value {
    json!({"apiVersion": "networking.datumapis.com/v1alpha", "kind": "NetworkBinding",
        "metadata": {"name": name}, "spec": {"network": {"name": network}, "location": {"name": location}}})
}

/// Planes with the quickstart on them, and whatever else is asked.
pub(crate) fn standalone(scratch: &Scratch, more: &[&str]) -> (Program, PathBuf) {
    let kubeconfig = scratch.path().join("kubeconfig");
    let (quickstart, path) = (quickstart(), kubeconfig.clone());
    let mut arguments = vec!["standalone", "--apply", quickstart.to_str().unwrap()];
    arguments.extend(["--kubeconfig", path.to_str().unwrap()]);
    arguments.extend(more);
    let mut program = Program::start(&arguments);
    program.line("applied");
    (program, kubeconfig)
}
