//! Against a host of our own that counts its connections.

mod host;

use std::time::Duration;

use api::resourcemanager::Project;
use engine::{LeasePlace, LeaseWant, wire};
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use kube_client::config::ExecConfig;
use reconcile::KindEntry;
use tokio::task::JoinSet;

use self::host::TestHost;
use super::lane::{Lane, Lanes};
use super::spoken::{BELIEVED, Spoken};
use super::*;
use crate::transport;

const DEADLINE: Duration = Duration::from_secs(20);
const HTTP2: &[&str] = &["h2", "http/1.1"];

fn client(connections: &Connections, config: Config) -> Client {
    connections.client(&ClusterName::Core, config).unwrap()
}

/// Opens a watch and reads its first line, so that it is known to run.
async fn watch(client: &Client, path: &str) -> Body {
    let request = http::Request::get(format!("{path}?watch=true")).body(Body::empty()).unwrap();
    let opened = tokio::time::timeout(DEADLINE, transport::open(client, request)).await.unwrap().unwrap();
    let mut body = opened.into_body();
    assert_eq!(line(&mut body).await, "first\n");
    body
}

async fn line(body: &mut Body) -> String {
    let frame = tokio::time::timeout(DEADLINE, body.frame()).await.unwrap().unwrap().unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

/// Sends more requests that hang than four connections with two streams each let through; they end with what is given back.
async fn hang(host: &TestHost, client: &Client, method: &http::Method) -> JoinSet<()> {
    let mut hung = JoinSet::new();
    for _ in 0..12 {
        let (client, request) = (client.clone(), request(method, "/hung?limit=500"));
        hung.spawn(async move {
            let answered = transport::send(&client, request, Duration::from_hours(1)).await;
            panic!("it never ends: {answered:?}");
        });
    }
    tokio::time::timeout(DEADLINE, host.hang(8)).await.unwrap();
    hung
}

fn request(method: &http::Method, path: &str) -> http::Request<Body> {
    http::Request::builder().method(method).uri(path).body(Body::empty()).unwrap()
}

async fn get(client: &Client, path: &str) -> String {
    let answered = transport::get(client, path, DEADLINE).await.unwrap();
    String::from_utf8(answered.body.to_vec()).unwrap()
}

#[tokio::test]
async fn watches_of_many_planes_share_connections_and_keep_no_request_waiting() {
    let host = TestHost::start(HTTP2, 10).await;
    let connections = Connections::default();
    let mut watches = Vec::new();
    let planes: Vec<Client> =
        (0..12).map(|plane| client(&connections, host.config(&format!("/p{plane}")))).collect();
    for plane in &planes {
        for kind in 0..5 {
            watches.push(watch(plane, &format!("/kind{kind}")).await);
        }
    }
    assert_eq!(host.accepted(), 6, "ten of sixty watches on each connection");
    for plane in &planes {
        get(plane, "/object").await;
    }
    assert_eq!(host.accepted(), 7, "requests share one more");
}

#[tokio::test]
async fn watches_that_start_at_one_moment_share_connections_too() {
    let host = TestHost::start(HTTP2, 10).await;
    let connections = Connections::default();
    let plane = client(&connections, host.config(""));
    let started = (0..30).map(|kind| {
        let plane = plane.clone();
        async move { watch(&plane, &format!("/kind{kind}")).await }
    });
    let watches = futures::future::join_all(started).await;
    assert_eq!((watches.len(), host.accepted()), (30, 3));
}

#[tokio::test]
async fn no_number_of_lists_keeps_a_write_or_a_fence_waiting_and_no_number_of_writes_a_lease() {
    let host = TestHost::start(HTTP2, 2).await;
    let plane = client(&Connections::default(), host.config(""));
    let _lists = hang(&host, &plane, &http::Method::GET).await;
    for method in [http::Method::POST, http::Method::PUT, http::Method::PATCH, http::Method::DELETE] {
        transport::send(&plane, request(&method, "/object"), DEADLINE).await.unwrap();
    }
    get(&plane, &wire::fence_path(KindEntry::of::<Project>())).await;
    let _writes = hang(&host, &plane, &http::Method::PATCH).await;
    let lease = LeasePlace { cluster: ClusterName::Core, namespace: "n".into(), name: "l".into() };
    let lease = lease.request(&LeaseWant::Read).path;
    get(&plane, &lease).await;
    transport::send(&plane, request(&http::Method::PUT, &lease), DEADLINE).await.unwrap();
}

#[tokio::test]
async fn a_watch_that_was_dropped_gives_its_place_back() {
    let host = TestHost::start(HTTP2, 2).await;
    let plane = client(&Connections::default(), host.config(""));
    for _ in 0..10 {
        drop(watch(&plane, "/kind").await);
    }
    assert_eq!(host.accepted(), 1);
}

#[tokio::test]
async fn each_plane_speaks_for_itself_on_a_shared_connection() {
    let host = TestHost::start(HTTP2, 10).await;
    let connections = Connections::default();
    for name in ["a", "b"] {
        let mut config = host.config(&format!("/plane-{name}"));
        config.auth_info.token = Some(format!("token-{name}").into());
        let plane = client(&connections, config);
        assert_eq!(
            get(&plane, "/object").await,
            format!("Bearer token-{name} HTTP/2.0 /plane-{name}/object")
        );
    }
    assert_eq!(host.accepted(), 1);
}

#[tokio::test]
async fn a_connection_that_breaks_ends_its_watches_and_is_replaced() {
    let host = TestHost::start(HTTP2, 10).await;
    let plane = client(&Connections::default(), host.config(""));
    let mut broken = watch(&plane, "/kind").await;
    get(&plane, "/object").await;
    host.cut();
    let end = tokio::time::timeout(DEADLINE, broken.frame()).await.unwrap().unwrap();
    assert!(end.is_err(), "the watch learns that its connection is gone: {end:?}");
    let mut again = watch(&plane, "/kind").await;
    host.tell("second\n");
    assert_eq!(line(&mut again).await, "second\n");
    get(&plane, "/object").await;
    assert_eq!(host.accepted(), 4);
}

#[tokio::test]
async fn a_host_that_retires_a_connection_ends_no_watch_and_loses_no_request() {
    let host = TestHost::start(HTTP2, 10).await;
    let plane = client(&Connections::default(), host.config(""));
    let mut old = watch(&plane, "/kind").await;
    host.retire().await;
    // This one may still have been taken by the old connection; once it is answered, the client has been told.
    let mut between = watch(&plane, "/kind").await;
    let mut new = watch(&plane, "/kind").await;
    assert_eq!(host.accepted(), 2);
    host.tell("second\n");
    for watch in [&mut old, &mut between, &mut new] {
        assert_eq!(line(watch).await, "second\n");
    }
}

#[tokio::test]
async fn a_host_that_offers_only_http_1_1_is_spoken_to_in_it() {
    for protocols in [&["http/1.1"][..], &[]] {
        let host = TestHost::start(protocols, 10).await;
        let plane = client(&Connections::default(), host.config("/plane"));
        let watches = futures::future::join_all((0..3).map(|_| watch(&plane, "/kind"))).await;
        assert_eq!(get(&plane, "/object").await, " HTTP/1.1 /plane/object");
        assert_eq!(watches.len(), 3);
        assert_eq!(host.accepted(), 5, "it is asked once, and each request has a connection of its own");
    }
}

#[tokio::test]
async fn a_host_that_offered_only_http_1_1_for_a_moment_is_asked_again() {
    let test = TestHost::start(&["http/1.1"], 10).await;
    let host = Host::new(&ClusterName::Core, &test.config("")).unwrap();
    let start = Duration::from_secs(9);
    let version = async |now| {
        let uri = format!("https://localhost:{}/object", test.port());
        host.send(request(&http::Method::GET, &uri), now).await.unwrap().version()
    };
    assert_eq!(version(start).await, http::Version::HTTP_11);
    test.offer(HTTP2);
    assert_eq!(version(start + BELIEVED / 2).await, http::Version::HTTP_11);
    assert_eq!(version(start + BELIEVED).await, http::Version::HTTP_2);
}

#[test]
fn that_a_host_does_not_offer_http_2_is_news_once() {
    let now = Duration::from_secs(9);
    let spoken = Spoken::of(Some("https"));
    assert!(!spoken.is_http1(now) && !spoken.hear(true, now), "HTTP/2 is no news");
    assert!(spoken.hear(false, now));
    assert!(!spoken.hear(false, now + BELIEVED), "it says so again");
    assert!(spoken.is_http1(now + BELIEVED), "and is believed again");
    assert!(!spoken.hear(true, now + BELIEVED * 2));
    assert!(spoken.hear(false, now + BELIEVED * 2), "it had changed in between");
    assert!(Spoken::of(Some("http")).is_http1(now), "nothing tells");
}

#[tokio::test]
async fn a_host_that_cannot_be_dialled_is_named() {
    let host = TestHost::start(HTTP2, 10).await;
    let plane = client(&Connections::default(), host.config(""));
    host.stop().await;
    let failure = transport::get(&plane, "/object", DEADLINE).await.unwrap_err().to_string();
    assert!(failure.contains(&format!("cannot connect to localhost:{}", host.port())), "{failure}");
    assert!(failure.contains("refused"), "{failure}");
}

#[tokio::test]
async fn a_plane_behind_a_proxy_is_refused_and_the_proxy_named() {
    let proxies = ["http://proxy.example:3128", "https://proxy.example:3128", "socks5://proxy.example:3128"];
    for proxy in proxies {
        let mut config = Config::new("https://host:6443".parse().unwrap());
        config.proxy_url = Some(proxy.parse().unwrap());
        let refused = Connections::default().client(&ClusterName::Core, config).err().unwrap();
        let text = refused.to_string();
        assert!(text.contains("plane core") && text.contains(proxy), "{text}");
    }
}

/// Attempts one after the other would take as long as all of them together: more than any deadline.
#[tokio::test]
async fn whoever_waited_for_an_attempt_that_failed_has_failed_with_it() {
    let lanes = Lanes::new(None);
    let (fail, failed) = tokio::sync::oneshot::channel::<()>();
    let error = || ConnectionError::Dial { host: "h".to_owned(), source: Arc::new("no route".into()) };
    let first = lanes.take(|| async {
        failed.await.unwrap();
        Err(error())
    });
    let second = lanes.take(|| async { panic!("it waits for the first") });
    let (first, second, ()) = futures::join!(first, second, async { fail.send(()).unwrap() });
    assert!(first.is_err() && second.is_err());
    let third = lanes.take(|| async { Ok::<Option<Lane>, _>(None) }).await;
    assert!(third.unwrap().is_none(), "whoever comes later makes an attempt of its own");
}

#[test]
fn only_those_who_go_to_the_same_place_as_the_same_one_share() {
    let folder = std::env::temp_dir().join(format!("place-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("client.crt");
    std::fs::write(&file, "one").unwrap();
    let base = || Config::new("https://host:6443/a".parse().unwrap());
    let place = |change: &dyn Fn(&mut Config)| {
        let mut config = base();
        change(&mut config);
        Place::of(&config)
    };
    let by_file = |config: &mut Config| {
        config.auth_info.client_certificate = Some(file.to_str().unwrap().to_owned());
    };
    let same: [&dyn Fn(&mut Config); 3] = [
        &|config| config.cluster_url = "https://host:6443/b".parse().unwrap(),
        &|config| config.auth_info.token = Some("other".to_owned().into()),
        &|config| config.auth_info.impersonate = Some("other".to_owned()),
    ];
    for change in same {
        assert!(place(change) == place(&|_| ()), "a path or a header is no other connection");
    }
    let others: [&dyn Fn(&mut Config); 8] = [
        &|config| config.cluster_url = "https://host:6444/a".parse().unwrap(),
        &|config| config.cluster_url = "http://host:6443/a".parse().unwrap(),
        &|config| config.tls_server_name = Some("other".to_owned()),
        &|config| config.root_cert = Some(vec![vec![1]]),
        &|config| config.accept_invalid_certs = true,
        &|config| config.auth_info.client_certificate_data = Some("other".to_owned()),
        &|config| config.auth_info.client_key_data = Some("other".to_owned().into()),
        &by_file,
    ];
    for (number, change) in others.into_iter().enumerate() {
        assert!(place(change) != place(&|_| ()), "difference {number} is another connection");
    }
    let before = place(&by_file);
    std::fs::write(&file, "two").unwrap();
    assert!(place(&by_file) != before, "the file holds another certificate now");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(place(&by_file).is_none(), "what cannot be read is shared with nobody");
    let by_program = |config: &mut Config| config.auth_info.exec = Some(exec());
    assert!(place(&by_program).is_none(), "nor what a program is asked for");
}

fn exec() -> ExecConfig {
    serde_json::from_value(serde_json::json!({"command": "login"})).unwrap()
}
