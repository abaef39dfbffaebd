//! Client certificates through TLS.

use std::net::SocketAddr;

use apiserver::identity::{MASTERS, Tokens, User};
use apiserver::plane::PlaneSpec;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube_client::{Api, Client};
use rcgen::date_time_ymd;

use super::*;
use crate::kubeconfig::{self, Context};
use crate::{Listener, Shell};

/// A server, and how clients come to it.
struct Served {
    authority: Authority,
    listener: Listener,
    _shell: Shell,
}

impl Served {
    async fn start() -> Self {
        let mut tokens = Tokens::default();
        tokens.insert("admin", User::new("admin", &[MASTERS]));
        let hub = PlaneSpec { name: "hub".into(), ..PlaneSpec::default() };
        let config = apiserver::Config { planes: vec![hub], tokens, ..apiserver::Config::default() };
        let shell = Shell::start_in_memory(config, [7; 32]).unwrap();
        let authority = Authority::generate().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = Listener::bind(address, &authority, &[], shell.handle()).await.unwrap();
        Self { authority, listener, _shell: shell }
    }

    /// The code with which a read is answered.
    async fn code(&self, issued: Option<&Issued>, token: Option<&str>) -> u16 {
        let url = format!("https://{}", self.listener.address());
        let context = Context { plane: "hub".into(), prefix: String::new(), token: String::new() };
        let text = kubeconfig::write(&url, self.authority.certificate(), &[context]).unwrap();
        let mut parsed = Kubeconfig::from_yaml(&text).unwrap();
        let secret = |text: &str| text.to_owned().into();
        parsed.auth_infos[0].auth_info = Some(AuthInfo {
            client_certificate_data: issued.map(|issued| STANDARD.encode(&issued.certificate)),
            client_key_data: issued.map(|issued| secret(&STANDARD.encode(&issued.key))),
            token: token.map(secret),
            ..AuthInfo::default()
        });
        let options = KubeConfigOptions::default();
        let config = kube_client::Config::from_custom_kubeconfig(parsed, &options).await.unwrap();
        let api = Api::<ConfigMap>::default_namespaced(Client::try_from(config).unwrap());
        match api.get("absent").await {
            Err(kube_client::Error::Api(status)) => status.code,
            other => panic!("{other:?}"),
        }
    }
}

fn expired(authority: &Authority) -> Issued {
    let mut params = client("late", &[MASTERS]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2020, 2, 1));
    authority.issue(&params).unwrap()
}

#[tokio::test]
async fn a_certificate_of_this_authority_says_who_asks_whatever_the_token() {
    let served = Served::start().await;
    let issued = served.authority.issue_client("ada", &[MASTERS]).unwrap();
    for token in [None, Some("admin"), Some("wrong")] {
        assert_eq!(served.code(Some(&issued), token).await, 404, "{token:?}");
    }
}

#[tokio::test]
async fn an_expired_certificate_and_one_of_another_authority_say_nothing_and_a_token_still_does() {
    let served = Served::start().await;
    let foreign = Authority::generate().unwrap().issue_client("ada", &[MASTERS]).unwrap();
    let of_server = served.authority.issue_server(&["ada".to_owned()]).unwrap();
    for issued in [&expired(&served.authority), &foreign, &of_server] {
        assert_eq!(served.code(Some(issued), None).await, 401);
        assert_eq!(served.code(Some(issued), Some("wrong")).await, 401);
        assert_eq!(served.code(Some(issued), Some("admin")).await, 404);
    }
    assert_eq!(served.code(None, None).await, 401);
}
