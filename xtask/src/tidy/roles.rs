//! Every controller runs in exactly one role. Roles are a table in a crate of their own, which the program and
//! the simulator share; while there is neither, there is nothing to compare with.

use std::collections::BTreeSet;

use syn::visit::Visit;

use super::sources::{Source, find, tokens};

const PLANES: &[&str] = &["project", "hub", "cell"];
/// Who runs controllers.
const USERS: &[&str] = &["network-services", "sim"];

/// Findings about roles.
pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let roles =
        sources.iter().find(|source| source.crate_name == "roles" && source.path.ends_with("/src/lib.rs"));
    match (roles, sources.iter().any(|source| USERS.contains(&source.crate_name.as_str()))) {
        (Some(roles), _) => misplaced(&controllers(sources), roles),
        (None, true) => vec!["crate roles: no src/lib.rs; list there which role runs what".into()],
        (None, false) => Vec::new(),
    }
}

fn controllers(sources: &[Source]) -> BTreeSet<String> {
    struct Implementations(BTreeSet<String>);
    impl Visit<'_> for Implementations {
        fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
            let of_trait = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
            if of_trait.is_some_and(|name| name.ident == "Controller")
                && let syn::Type::Path(path) = &*item.self_ty
                && let Some(name) = path.path.segments.last()
            {
                self.0.insert(name.ident.to_string());
            }
        }
    }
    let mut found = Implementations(BTreeSet::new());
    for source in sources.iter().filter(|source| PLANES.contains(&source.crate_name.as_str())) {
        found.visit_file(&source.product);
    }
    found.0
}

fn misplaced(controllers: &BTreeSet<String>, roles: &Source) -> Vec<String> {
    let words: Vec<_> = roles
        .product
        .items
        .iter()
        .filter(|item| !matches!(item, syn::Item::Use(_)))
        .flat_map(tokens)
        .collect();
    let mut findings = Vec::new();
    for name in controllers {
        let count = find(&words, &[name]).count();
        if count != 1 {
            findings.push(format!(
                "{}: {name} is named {count} times; a controller runs in one role",
                roles.path
            ));
        }
    }
    findings
}
