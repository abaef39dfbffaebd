//! Every file is named by a module, says at its top what it is, and has a name that says something.

use std::collections::BTreeSet;

use super::sources::Source;

/// Names that say "things I had no place for".
const EMPTY_NAMES: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "shared"];

/// Findings about modules.
pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let named = named_files(sources);
    let mut findings = Vec::new();
    for source in sources {
        let path = &source.path;
        if !source.text.starts_with("//!") {
            findings.push(format!("{path}: no module documentation; begin with `//!` and say what it is"));
        }
        if path.ends_with("/mod.rs") {
            findings.push(format!("{path}: mod.rs; name the file like its module, beside its folder"));
        }
        if !source.is_root() && !named.contains(path) {
            findings.push(format!("{path}: no module names it; declare it or remove it"));
        }
        let parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
        for part in parts.filter(|part| EMPTY_NAMES.contains(part)) {
            findings.push(format!("{path}: `{part}` says nothing; name it for what it holds"));
        }
    }
    findings
}

/// Every file that some other file declares as a module.
fn named_files(sources: &[Source]) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for source in sources {
        let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let own =
            if source.is_root() { folder.to_owned() } else { source.path.trim_end_matches(".rs").to_owned() };
        declared(&source.file.items, &own, folder, &mut named);
    }
    named
}

fn declared(items: &[syn::Item], own: &str, folder: &str, named: &mut BTreeSet<String>) {
    for item in items {
        let syn::Item::Mod(module) = item else { continue };
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            declared(items, &format!("{own}/{name}"), folder, named);
        } else {
            let path = explicit_path(module)
                .map_or_else(|| format!("{own}/{name}.rs"), |path| format!("{folder}/{path}"));
            named.insert(path);
        }
    }
}

fn explicit_path(module: &syn::ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}
