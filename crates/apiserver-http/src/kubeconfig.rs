//! A kubeconfig with one context per plane: `core`, `hub`, `project-<name>`, `cell-<name>`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A context to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The plane's name: `core`, `hub`, `project/<name>`, `cell/<name>`.
    pub plane: String,
    /// The plane's path prefix.
    pub prefix: String,
    /// The bearer token of its user.
    pub token: String,
}

/// The kubeconfig as YAML. `server` is the URL without a path, `authority` the PEM that clients trust. The first
/// context is the current one.
///
/// # Errors
/// The writer's text, should the document not be writable.
pub fn write(server: &str, authority: &str, contexts: &[Context]) -> Result<String, String> {
    let trusted = STANDARD.encode(authority);
    let named = |what: &str, make: &dyn Fn(&Context) -> Value| -> Vec<Value> {
        contexts.iter().map(|context| json!({"name": name(&context.plane), what: make(context)})).collect()
    };
    let clusters = named(
        "cluster",
        &|context| json!({"server": format!("{server}{}", context.prefix), "certificate-authority-data": trusted}),
    );
    let users = named("user", &|context| json!({"token": context.token}));
    let list =
        named("context", &|context| json!({"cluster": name(&context.plane), "user": name(&context.plane)}));
    let current = contexts.first().map(|context| name(&context.plane)).unwrap_or_default();
    let document = json!({"apiVersion": "v1", "kind": "Config", "clusters": clusters, "users": users,
        "contexts": list, "current-context": current});
    serde_saphyr::to_string(&document).map_err(|error| error.to_string())
}

/// The context's name: the plane's, with a dash.
#[must_use]
pub fn name(plane: &str) -> String {
    plane.replace('/', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plane_gets_a_context_of_its_name() {
        let context = |plane: &str, prefix: &str| Context {
            plane: plane.to_owned(),
            prefix: prefix.to_owned(),
            token: "t".to_owned(),
        };
        let planes = [context("core", ""), context("cell/dfw", "/clusters/dfw")];
        let text = write("https://127.0.0.1:1", "PEM", &planes).unwrap();
        let read: Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read["current-context"], "core");
        assert_eq!(read["clusters"][1]["cluster"]["server"], "https://127.0.0.1:1/clusters/dfw");
        assert_eq!(read["contexts"][1]["name"], "cell-dfw");
    }
}
