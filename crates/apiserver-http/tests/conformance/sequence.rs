//! What is asked, drawn from a seed.

use std::fmt;

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

/// Stands for the resourceVersion that a server last showed of the object.
pub(crate) const NEWEST: &str = "(newest)";
/// Where definitions are.
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// Where all samples are.
pub(crate) const SAMPLES: &str = "/apis/conformance.example.com/v1/samples";

const APPLY: &str = "application/apply-patch+yaml";
const JSON: &str = "application/json";

/// One request, the same for both servers but for [`NEWEST`].
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) body: Value,
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ({}) {}", self.method, self.path, self.content_type, self.body)
    }
}

/// The kind that is asked for: defaults, pruning, a set, a keyed list, an atomic part, rules with transitions.
pub(crate) fn definition() -> Value {
    let spec = json!({"type": "object", "required": ["color"],
        "x-kubernetes-validations": [
            {"rule": "self.low <= self.high", "message": "low must not exceed high"},
            {"rule": "has(self.fixed) == has(oldSelf.fixed)", "message": "fixed stays or stays away"}],
        "properties": {
            "color": {"type": "string", "enum": ["red", "green", "blue"]},
            "low": {"type": "integer", "default": 0}, "high": {"type": "integer", "default": 9, "maximum": 20},
            "fixed": {"type": "string", "maxLength": 5,
                "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed is immutable"}]},
            "port": {"x-kubernetes-int-or-string": true}, "nothing": {"type": "string", "nullable": true},
            "tags": {"type": "array", "maxItems": 3, "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "rules": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"],
                "items": {"type": "object", "required": ["key"], "properties": {
                    "key": {"type": "string"}, "value": {"type": "string", "default": "none"}}}},
            "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
            "nested": {"type": "object", "default": {}, "properties": {
                "deep": {"type": "object", "default": {"level": 1}, "properties": {"level": {"type": "integer"}}}}}}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "samples.conformance.example.com"},
        "spec": {"group": "conformance.example.com", "scope": "Namespaced",
            "names": {"kind": "Sample", "plural": "samples"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
                    "spec": spec, "status": {"type": "object", "properties": {"seen": {"type": "integer"}}}}}}}]}})
}

/// A stream of requests on a few objects of one namespace.
pub(crate) struct Sequence {
    random: ChaCha12Rng,
    namespace: String,
}

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: ChaCha12Rng::seed_from_u64(seed), namespace: format!("sequence-{seed}") }
    }

    /// What has to be there before.
    pub(crate) fn beginning(&self) -> Vec<Request> {
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}});
        vec![Request { method: "POST", path: "/api/v1/namespaces".to_owned(), content_type: JSON, body }]
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.random.next_u64() % bound as u64).unwrap_or_default()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    fn spec(&mut self) -> Value {
        let mut spec = Map::new();
        let choices: [(&str, usize, Vec<Value>); 9] = [
            ("color", 1, vec![json!("red"), json!("blue"), json!("green"), json!("pink"), json!(1)]),
            ("low", 4, vec![json!(0), json!(5), json!("x"), json!(null)]),
            ("high", 4, vec![json!(3), json!(9), json!(21), json!(2.5)]),
            ("fixed", 4, vec![json!("one"), json!("two"), json!("too-long")]),
            ("port", 4, vec![json!(80), json!("http"), json!(true)]),
            ("nothing", 4, vec![json!(null), json!("some")]),
            ("tags", 3, vec![json!(["a"]), json!(["b", "a"]), json!(["a", "a"]), json!([])]),
            ("whole", 4, vec![json!({"x": "1"}), json!({"y": "2"}), json!({})]),
            ("nested", 4, vec![json!({}), json!({"deep": {}}), json!({"deep": null}), json!({"unknown": 1})]),
        ];
        for (field, rarity, values) in choices {
            if self.one_in(rarity) {
                spec.insert(field.to_owned(), self.pick(&values));
            }
        }
        if self.one_in(3) {
            let rule = json!({"key": self.pick(&["p", "q"])});
            let other = json!({"key": self.pick(&["p", "q"]), "value": self.pick(&["v", "w"])});
            let rules = self.pick(&[vec![rule.clone()], vec![other.clone()], vec![rule, other], vec![]]);
            spec.insert("rules".to_owned(), json!(rules));
        }
        if self.one_in(12) {
            spec.insert("unknown".to_owned(), json!(1));
        }
        Value::Object(spec)
    }

    fn metadata(&mut self, name: &str) -> Value {
        let mut metadata = json!({"name": name});
        if self.one_in(3) {
            metadata["labels"] =
                self.pick(&[json!({"a": "1"}), json!({"a": "2", "b": "1"}), json!({"bad key!": "v"})]);
        }
        if self.one_in(6) {
            metadata["finalizers"] =
                self.pick(&[json!(["example.com/a"]), json!(["example.com/a", "example.com/b"]), json!([])]);
        }
        metadata
    }

    fn object(&mut self, name: &str) -> Value {
        let (metadata, spec) = (self.metadata(name), self.spec());
        json!({"apiVersion": "conformance.example.com/v1", "kind": "Sample", "metadata": metadata, "spec": spec})
    }

    fn options(&mut self) -> String {
        let dry = if self.one_in(8) { "&dryRun=All" } else { "" };
        let validation = self.pick(&[
            "",
            "",
            "&fieldValidation=Strict",
            "&fieldValidation=Warn",
            "&fieldValidation=Ignore",
        ]);
        format!("?fieldManager={}{dry}{validation}", self.pick(&["one", "two", "three"]))
    }

    /// The next request.
    pub(crate) fn next(&mut self) -> Request {
        let name = self.pick(&["a", "b", "c"]);
        let all = format!("/apis/conformance.example.com/v1/namespaces/{}/samples", self.namespace);
        let one = format!("{all}/{name}");
        match self.below(12) {
            0 | 1 => self.written("POST", &all, JSON, name),
            2 => self.read(&all, &one),
            3 => self.replaced(&one, name),
            4 => {
                let body = self.operations();
                let path = format!("{one}{}", self.options());
                Request { method: "PATCH", path, content_type: "application/json-patch+json", body }
            }
            5 => {
                let body = self.pick(&["spec", "metadata"]);
                let body = if body == "spec" {
                    json!({"spec": self.spec()})
                } else {
                    json!({"metadata": self.metadata(name)})
                };
                let path = format!("{one}{}", self.options());
                Request { method: "PATCH", path, content_type: "application/merge-patch+json", body }
            }
            6..=8 => {
                let mut request = self.written("PATCH", &one, APPLY, name);
                request.path.push_str(self.pick(&["", "&force=true"]));
                request
            }
            9 => {
                let body = json!({"status": {"seen": self.pick(&[json!(1), json!(2), json!("x")])}, "spec": {"low": 1}});
                let path = format!("{one}/status{}", self.options());
                Request { method: "PATCH", path, content_type: "application/merge-patch+json", body }
            }
            _ => self.deleted(&all, one),
        }
    }

    fn written(
        &mut self,
        method: &'static str,
        path: &str,
        content_type: &'static str,
        name: &str,
    ) -> Request {
        let path = format!("{path}{}", self.options());
        Request { method, path, content_type, body: self.object(name) }
    }

    fn replaced(&mut self, path: &str, name: &str) -> Request {
        let mut request = self.written("PUT", path, JSON, name);
        request.body["metadata"]["resourceVersion"] =
            self.pick(&[json!(NEWEST), json!(NEWEST), json!("1"), json!("")]);
        request
    }

    fn read(&mut self, all: &str, one: &str) -> Request {
        let path = match self.below(6) {
            0 => format!("{all}?labelSelector=a%3D1"),
            1 => format!("{all}?labelSelector=a%20in%20(1%2C2)%2C!b"),
            2 => format!("{all}?fieldSelector=spec.color%3Dred"),
            3 => format!("{all}?limit=1"),
            _ => one.to_owned(),
        };
        Request { method: "GET", path, content_type: JSON, body: Value::Null }
    }

    fn operations(&mut self) -> Value {
        let choices = [
            json!({"op": "replace", "path": "/spec/color", "value": "green"}),
            json!({"op": "add", "path": "/spec/high", "value": 4}),
            json!({"op": "remove", "path": "/spec/tags"}),
            json!({"op": "remove", "path": "/metadata/finalizers"}),
            json!({"op": "test", "path": "/spec/color", "value": "red"}),
            json!({"op": "add", "path": "/spec/tags/-", "value": "t"}),
            json!({"op": "bad", "path": "/x"}),
        ];
        let count = 1 + self.below(2);
        (0..count).map(|_| self.pick(&choices)).collect()
    }

    fn deleted(&mut self, all: &str, one: String) -> Request {
        if self.one_in(10) {
            let path = format!("{all}?labelSelector=a%3D1");
            return Request { method: "DELETE", path, content_type: JSON, body: Value::Null };
        }
        let mut body = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
        if self.one_in(2) {
            body["propagationPolicy"] = json!(self.pick(&["Background", "Foreground", "Orphan", "Wrong"]));
        }
        if self.one_in(5) {
            body["preconditions"] =
                self.pick(&[json!({"resourceVersion": NEWEST}), json!({"resourceVersion": "1"})]);
        }
        Request { method: "DELETE", path: one, content_type: JSON, body }
    }
}
