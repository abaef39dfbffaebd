//! What a scenario wrote, as the managers' caches will see it.

use std::collections::BTreeMap;

use api::{ClusterName, ObjectKey, Uid};
use engine::{Mark, News};
use serde_json::Value;

use crate::platform::Reply;

/// News of collections that managers have yet to see.
#[derive(Default)]
pub(super) struct Marks {
    versions: BTreeMap<(ClusterName, String), u64>,
    gone: Vec<Mark>,
}

impl Marks {
    /// Takes in what a server answered to a write.
    pub(super) fn written(&mut self, cluster: &ClusterName, path: &str, reply: &Reply) {
        if !(200..300).contains(&reply.code) {
            return;
        }
        let (collection, key) = place(path);
        let field = |pointer: &str| reply.body.pointer(pointer).and_then(Value::as_str);
        let gone = if reply.body["kind"] == "Status" {
            field("/details/uid")
        } else if field("/metadata/deletionTimestamp").is_some() && !is_held(&reply.body) {
            field("/metadata/uid")
        } else {
            None
        };
        if let (Some(uid), Some(key)) = (gone, key) {
            let news = News::Gone(key, Uid::new(uid));
            self.gone.push(Mark { cluster: cluster.clone(), collection, news });
        } else if let Some(version) =
            field("/metadata/resourceVersion").and_then(|text| text.parse::<u64>().ok())
        {
            let last = self.versions.entry((cluster.clone(), collection)).or_default();
            *last = version.max(*last);
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Mark> {
        let versions = self.versions.iter().map(|((cluster, collection), version)| Mark {
            cluster: cluster.clone(),
            collection: collection.clone(),
            news: News::Version(*version),
        });
        versions.chain(self.gone.iter().cloned()).collect()
    }

    /// Every manager has seen them.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn is_held(object: &Value) -> bool {
    object.pointer("/metadata/finalizers").and_then(Value::as_array).is_some_and(|held| !held.is_empty())
}

/// The collection in all namespaces and the object that a path is about; no object for a path of a collection.
fn place(path: &str) -> (String, Option<ObjectKey>) {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let root = if parts.first() == Some(&"api") { 2 } else { 3 };
    let (root, rest) = parts.split_at(root.min(parts.len()));
    let collection = |plural: &str| format!("/{}/{plural}", root.join("/"));
    match rest {
        ["namespaces", namespace, plural, name, ..] => {
            (collection(plural), Some(ObjectKey::namespaced(*namespace, *name)))
        }
        ["namespaces", _, plural] | [plural] => (collection(plural), None),
        [plural, name, ..] => (collection(plural), Some(ObjectKey::cluster_scoped(*name))),
        [] => (String::new(), None),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NETWORKS: &str = "/apis/networking.datumapis.com/v1alpha/networks";

    fn marks(path: &str, body: Value) -> Vec<Mark> {
        let mut marks = Marks::default();
        marks.written(&ClusterName::Hub, path, &Reply { code: 200, body });
        marks.all()
    }

    fn mark(collection: &str, news: News) -> Mark {
        Mark { cluster: ClusterName::Hub, collection: collection.to_owned(), news }
    }

    #[test]
    fn a_write_marks_its_collection_in_all_namespaces() {
        let body = json!({"metadata": {"name": "n", "resourceVersion": "7"}});
        let of_namespace = "/apis/networking.datumapis.com/v1alpha/namespaces/default/networks";
        for path in [of_namespace.to_owned(), format!("{of_namespace}/n"), format!("{of_namespace}/n/status")]
        {
            assert_eq!(marks(&path, body.clone()), [mark(NETWORKS, News::Version(7))], "{path}");
        }
        let namespaces = [mark("/api/v1/namespaces", News::Version(7))];
        assert_eq!(marks("/api/v1/namespaces", body.clone()), namespaces);
        assert_eq!(marks("/api/v1/namespaces/a", body), namespaces);
    }

    #[test]
    fn a_deletion_marks_that_this_life_is_gone() {
        let path = "/apis/networking.datumapis.com/v1alpha/namespaces/default/networks/n";
        let gone = [mark(NETWORKS, News::Gone(ObjectKey::namespaced("default", "n"), Uid::new("u")))];
        let status = json!({"kind": "Status", "details": {"name": "n", "uid": "u"}});
        assert_eq!(marks(path, status), gone);
        let metadata = json!({"name": "n", "uid": "u", "resourceVersion": "7", "deletionTimestamp": "now"});
        assert_eq!(marks(path, json!({ "metadata": metadata })), gone);
        let mut held = metadata;
        held["finalizers"] = json!(["example.com/hold"]);
        assert_eq!(marks(path, json!({ "metadata": held })), [mark(NETWORKS, News::Version(7))]);
    }
}
