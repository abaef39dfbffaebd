//! Nobody gives away more than they have: roles are written, and bound, only by those who hold their rules or the
//! verbs `escalate` and `bind`.

use serde_json::Value;

use super::{Attributes, Rule, Rules, Subject};
use crate::identity::{MASTERS, User};
use crate::metadata;
use crate::server::{Call, Server};
use crate::status::Failure;

impl Server {
    /// Judges the write of a role or a binding.
    pub(crate) fn admit_rbac(&self, call: &Call<'_>, new: &Value) -> Result<(), Failure> {
        let Some(plane) = self.planes.get(&call.plane) else { return Ok(()) };
        let (user, rules) = (&call.user, &plane.rules);
        if user.is_in(MASTERS) {
            return Ok(());
        }
        let namespace = metadata::namespace(new);
        let (granted, verb, role) = match new.get("roleRef") {
            None => {
                let list = new.get("rules").and_then(Value::as_array);
                let granted: Vec<Rule> = list.into_iter().flatten().map(Rule::read).collect();
                (granted, "escalate", metadata::name(new).to_owned())
            }
            Some(reference) => {
                let text =
                    |field: &str| reference.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
                let granted = rules.role(&(text("kind"), text("name")), namespace).to_vec();
                (granted, "bind", text("name"))
            }
        };
        let explicit = Attributes {
            verb: verb.to_owned(),
            group: super::GROUP.to_owned(),
            resource: call.resource.plural.replace("bindings", "s"),
            namespace: namespace.to_owned(),
            name: role,
            ..Attributes::default()
        };
        if rules.allows(&Subject { user }, &explicit) || covers(rules, user, namespace, &granted) {
            return Ok(());
        }
        let why = format!(
            "user \"{}\" (groups={:?}) is attempting to grant RBAC permissions not currently held",
            user.name, user.groups
        );
        Err(Failure::forbidden(&call.resource, metadata::name(new), &why))
    }
}

/// Whether the user's own rules allow everything that `granted` allows.
fn covers(rules: &Rules, user: &User, namespace: &str, granted: &[Rule]) -> bool {
    granted.iter().all(|rule| {
        singles(rule).all(|single| rules.rules_of(user, namespace).any(|own| contains(own, &single)))
    })
}

/// A rule taken apart into rules of one verb, group and resource (or path) each.
fn singles(rule: &Rule) -> impl Iterator<Item = Rule> + '_ {
    let one = |text: &String| vec![text.clone()];
    let of_paths = rule.verbs.iter().flat_map(move |verb| {
        rule.paths.iter().map(move |path| Rule { verbs: one(verb), paths: one(path), ..Rule::default() })
    });
    let of_resources = rule.verbs.iter().flat_map(move |verb| {
        rule.groups.iter().flat_map(move |group| {
            rule.resources.iter().map(move |resource| Rule {
                verbs: one(verb),
                groups: one(group),
                resources: one(resource),
                names: rule.names.clone(),
                paths: Vec::new(),
            })
        })
    });
    of_paths.chain(of_resources)
}

fn contains(own: &Rule, single: &Rule) -> bool {
    let holds = |own: &[String], wanted: &[String]| {
        wanted.iter().all(|text| own.iter().any(|one| one == "*" || one == text))
    };
    let names = own.names.is_empty() || (!single.names.is_empty() && holds(&own.names, &single.names));
    holds(&own.verbs, &single.verbs)
        && holds(&own.groups, &single.groups)
        && holds(&own.resources, &single.resources)
        && holds(&own.paths, &single.paths)
        && names
}
