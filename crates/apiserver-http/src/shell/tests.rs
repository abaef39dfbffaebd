//! The shell from outside: tower, TLS, restarts, and a sink that fails.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::mpsc;

use apiserver::identity::{MASTERS, Tokens, User, project_token};
use apiserver::plane::PlaneSpec;
use apiserver::store::{Batch, Store};
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{DeleteParams, ListParams, ObjectMeta, PostParams, WatchEvent, WatchParams};
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Api, Client, Config as ClientConfig};

use super::*;
use crate::kubeconfig::{self, Context};
use crate::{Authority, DataDirectory, Listener};

fn config() -> Config {
    let mut tokens = Tokens::default();
    tokens.insert("admin", User::new("admin", &[MASTERS]));
    tokens.accept_projects("secret");
    let core = PlaneSpec { name: "core".into(), mounts_projects: true, ..PlaneSpec::default() };
    let hub = PlaneSpec { name: "hub".into(), prefix: "/clusters/hub".into(), ..PlaneSpec::default() };
    Config { planes: vec![core, hub], tokens, ..Config::default() }
}

fn client(shell: &Shell) -> Client {
    let handle = shell.handle().at("/clusters/hub").speaking_for(User::new("admin", &[MASTERS]));
    Client::new(handle, "default")
}

fn config_map(name: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        data: Some(BTreeMap::from([("key".to_owned(), "value".to_owned())])),
        ..ConfigMap::default()
    }
}

#[tokio::test]
async fn a_kube_client_works_without_any_socket() {
    let shell = Shell::start_in_memory(config(), [7; 32]).unwrap();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&shell));
    let made = api.create(&PostParams::default(), &config_map("a")).await.unwrap();
    let revision = made.metadata.resource_version.unwrap();
    let mut events = api.watch(&WatchParams::default(), &revision).await.unwrap().boxed();
    api.create(&PostParams::default(), &config_map("b")).await.unwrap();
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let Some(Ok(WatchEvent::Added(added))) = events.next().await else { panic!("no ADDED event") };
    assert_eq!(added.metadata.name.as_deref(), Some("b"));
    assert!(matches!(events.next().await, Some(Ok(WatchEvent::Deleted(_)))));
    assert_eq!(api.list(&ListParams::default()).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn a_reader_that_goes_takes_its_watch_along() {
    let shell = Shell::start_in_memory(config(), [7; 32]).unwrap();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&shell));
    let events = api.watch(&WatchParams::default(), "0").await.unwrap();
    assert_eq!(shell.handle().ask(Server::open_watches).await, Some(1));
    drop(events);
    // The cancel travels the same queue as the question, but the client drops its connection in its own time.
    while shell.handle().ask(Server::open_watches).await != Some(0) {
        tokio::task::yield_now().await;
    }
}

/// A sink that waits for permission, so that a test sees the moment before the commit.
struct Gate {
    permits: mpsc::Receiver<()>,
}

impl Sink for Gate {
    fn write(&mut self, group: &[Batch]) -> Result<(), SinkError> {
        self.permits.recv().map_err(|error| SinkError::Io {
            action: "write",
            path: format!("revision {}", group.len()).into(),
            error: error.to_string(),
        })
    }
}

#[tokio::test]
async fn a_failed_sink_is_told_to_everybody_who_waits_and_to_all_who_come() {
    let (permit, permits) = mpsc::channel();
    let sink = Box::new(Gate { permits });
    let shell = Shell::start_durable(config(), [7; 32], sink, Store::default()).unwrap();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&shell));
    let waiting = tokio::spawn({
        let api = api.clone();
        async move { api.create(&PostParams::default(), &config_map("a")).await }
    });
    assert_eq!(shell.failure(), None);
    drop(permit);
    let refused = waiting.await.unwrap().unwrap_err().to_string();
    assert!(refused.contains("cannot write"), "{refused}");
    assert!(api.get("a").await.unwrap_err().to_string().contains("cannot write"));
    assert!(shell.failure().is_some());
}

#[tokio::test]
async fn what_was_answered_is_there_after_a_restart() {
    let directory = std::env::temp_dir().join(format!("apiserver-http-{}", std::process::id()));
    let open = || {
        let data = DataDirectory::open(&directory).unwrap();
        (Shell::start_durable(config(), [7; 32], Box::new(data.sink), data.store).unwrap(), data.secrets)
    };
    let (shell, secrets) = open();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&shell));
    let made = api.create(&PostParams::default(), &config_map("a")).await.unwrap();
    let locked = DataDirectory::open(&directory).unwrap_err().to_string();
    assert!(locked.contains("in use by another process"), "{locked}");
    let revision = shell.handle().ask(Server::revision).await.unwrap();
    shell.stop();
    let (shell, again) = open();
    assert_eq!(again.admin_token, secrets.admin_token);
    let api: Api<ConfigMap> = Api::default_namespaced(client(&shell));
    assert_eq!(api.get("a").await.unwrap(), made);
    assert!(shell.handle().ask(Server::revision).await.unwrap() >= revision);
    shell.stop();
    std::fs::remove_dir_all(&directory).unwrap();
}

#[tokio::test]
async fn the_kubeconfig_leads_through_tls_to_its_plane() {
    let shell = Shell::start_in_memory(config(), [7; 32]).unwrap();
    let authority = Authority::generate().unwrap();
    let authority = Authority::from_pem(&authority.to_pem()).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = Listener::bind(address, &authority, &[], shell.handle()).await.unwrap();
    let context = |plane: &str, prefix: &str, token: &str| Context {
        plane: plane.to_owned(),
        prefix: prefix.to_owned(),
        token: token.to_owned(),
    };
    let contexts = [
        context("hub", "/clusters/hub", "admin"),
        context("wrong", "/clusters/hub", "wrong"),
        context("project/p", "/clusters/hub", &project_token("secret", "p")),
    ];
    let url = format!("https://{}", listener.address());
    let text = kubeconfig::write(&url, authority.certificate(), &contexts).unwrap();
    let connect = async |context: &str| {
        let options = KubeConfigOptions { context: Some(context.to_owned()), ..KubeConfigOptions::default() };
        let parsed = Kubeconfig::from_yaml(&text).unwrap();
        let config = ClientConfig::from_custom_kubeconfig(parsed, &options).await.unwrap();
        Api::<ConfigMap>::default_namespaced(Client::try_from(config).unwrap())
    };
    connect("hub").await.create(&PostParams::default(), &config_map("a")).await.unwrap();
    let code = |result: kube_client::Result<ConfigMap>| match result {
        Err(kube_client::Error::Api(status)) => status.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code(connect("wrong").await.get("a").await), 401);
    assert_eq!(code(connect("project-p").await.get("a").await), 403);
    listener.shutdown().await;
}

#[tokio::test]
async fn requests_beyond_the_limit_are_told_to_come_back_and_may_do_so_when_others_are_done() {
    use apiserver::limits::REQUESTS_IN_FLIGHT_MAX;
    use http_body_util::{Empty, StreamBody};
    use tower::Service;
    type Frame = Result<http_body::Frame<bytes::Bytes>, std::convert::Infallible>;
    let shell = Shell::start_in_memory(config(), [7; 32]).unwrap();
    let admin = || shell.handle().speaking_for(User::new("admin", &[MASTERS]));
    let endless = || {
        let body = StreamBody::new(futures::stream::pending::<Frame>());
        admin().call(http::Request::post("/api/v1/namespaces").body(body).unwrap())
    };
    let version = || admin().call(http::Request::get("/version").body(Empty::<bytes::Bytes>::new()).unwrap());
    let mut under_way: Vec<_> = (0..REQUESTS_IN_FLIGHT_MAX).map(|_| endless()).collect();
    for request in &mut under_way {
        assert!(futures::poll!(request).is_pending());
    }
    let refused = version().await.unwrap();
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "1");
    under_way.pop();
    assert_eq!(version().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_crowd_of_requests_does_not_keep_an_owner_waiting_for_the_collector() {
    use http_body_util::{BodyExt, Full};
    use tower::Service;
    let shell = Shell::start_in_memory(config(), [7; 32]).unwrap();
    let api: Api<ConfigMap> = Api::default_namespaced(client(&shell));
    api.create(&PostParams::default(), &config_map("a")).await.unwrap();
    let (release, released) = mpsc::channel::<()>();
    let (told, waits) = oneshot::channel::<()>();
    let handle = shell.handle();
    let holding = tokio::spawn(async move {
        let question = move |_: &Server| {
            told.send(()).unwrap();
            released.recv().unwrap();
        };
        handle.ask(question).await
    });
    waits.await.unwrap();
    let call = |method: &str, body: &'static str| {
        let path = "/api/v1/namespaces/default/configmaps/a";
        let request = http::Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json").body(Full::from(body)).unwrap();
        shell.handle().at("/clusters/hub").speaking_for(User::new("admin", &[MASTERS])).call(request)
    };
    let mut asked: Vec<_> = std::iter::once(call("DELETE", r#"{"propagationPolicy": "Foreground"}"#))
        .chain((0..3).map(|_| call("GET", "")))
        .collect();
    for request in &mut asked {
        assert!(futures::poll!(request).is_pending());
    }
    release.send(()).unwrap();
    holding.await.unwrap().unwrap();
    let answers = futures::future::join_all(asked).await;
    let codes: Vec<u16> = answers.iter().map(|answer| answer.as_ref().unwrap().status().as_u16()).collect();
    assert_eq!(codes, [200, 404, 404, 404]);
    for answer in answers {
        answer.unwrap().into_body().collect().await.unwrap();
    }
}

#[tokio::test]
async fn a_certificate_that_ends_during_a_connection_counts_no_longer() {
    use http_body_util::Empty;
    use tower::Service;
    let shell = Shell::start_in_memory(config(), [7; 32]).unwrap();
    for (until, code) in [(Timestamp::MAX, 200), (Timestamp::UNIX_EPOCH, 401)] {
        let mut handle = shell.handle().speaking_until(User::new("admin", &[MASTERS]), until);
        let request = http::Request::get("/version").body(Empty::<bytes::Bytes>::new()).unwrap();
        assert_eq!(handle.call(request).await.unwrap().status(), code);
    }
}
