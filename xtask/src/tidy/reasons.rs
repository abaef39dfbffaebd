//! Every condition and event reason is produced by a test of the code that writes it.
//!
//! Reasons whose writer does not exist yet are listed in `xtask/unproduced-reasons.txt`, one per line: `Enum` or
//! `Enum::Variant`, a colon, why. A line all of whose reasons are produced has to go.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenTree};
use syn::visit::Visit;

use super::TidyError;
use super::sources::{Source, Token, find, tokens};

const LIST: &str = "xtask/unproduced-reasons.txt";

/// Reason enums with their variants.
pub(super) type Reasons = BTreeMap<String, Vec<String>>;

/// Findings about reasons.
pub(super) fn check(root: &Path, sources: &[Source]) -> Result<Vec<String>, TidyError> {
    let list = fs::read_to_string(root.join(LIST))
        .map_err(|source| TidyError::Read { path: LIST.to_owned(), source })?;
    Ok(compare(&declared(sources), &produced(sources), &list))
}

/// Every enum of `api` that `text_enum!` declares and whose name ends in `Reason`.
pub(super) fn declared(sources: &[Source]) -> Reasons {
    struct Macros(Reasons);
    impl Visit<'_> for Macros {
        fn visit_macro(&mut self, call: &syn::Macro) {
            if call.path.is_ident("text_enum") {
                self.0.extend(enum_of(call).filter(|(name, _)| name.ends_with("Reason")));
            }
        }
    }
    let mut found = Macros(Reasons::new());
    for source in sources.iter().filter(|source| source.crate_name == "api") {
        found.visit_file(&source.product);
    }
    found.0
}

/// `#[doc] Name { #[doc] Variant = "text", ... }` as name and variants.
fn enum_of(call: &syn::Macro) -> Option<(String, Vec<String>)> {
    let mut name = None;
    for tree in call.tokens.clone() {
        match tree {
            TokenTree::Ident(word) => name = Some(word.to_string()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let variants = group.stream().into_iter().filter_map(|tree| match tree {
                    TokenTree::Ident(word) => Some(word.to_string()),
                    _ => None,
                });
                return Some((name?, variants.collect()));
            }
            _ => {}
        }
    }
    None
}

/// `Enum::Variant` named by tests outside of `api`, whose own tests only show that the words exist.
fn produced(sources: &[Source]) -> BTreeSet<(String, String)> {
    let reasons = declared(sources);
    let mut found = BTreeSet::new();
    for source in sources.iter().filter(|source| !["api", "xtask"].contains(&source.crate_name.as_str())) {
        let words = test_words(source);
        for (name, variants) in &reasons {
            for variant in variants {
                if find(&words, &[name, ":", ":", variant]).next().is_some() {
                    found.insert((name.clone(), variant.clone()));
                }
            }
        }
    }
    found
}

fn test_words(source: &Source) -> Vec<Token> {
    if source.is_test {
        return tokens(&source.file);
    }
    let tests = source.file.items.iter().filter(
        |item| matches!(item, syn::Item::Mod(module) if module.ident == "tests" && module.content.is_some()),
    );
    tests.flat_map(tokens).collect()
}

/// Holds declared, produced and listed reasons against each other.
pub(super) fn compare(declared: &Reasons, produced: &BTreeSet<(String, String)>, list: &str) -> Vec<String> {
    let mut missing: BTreeSet<(&str, &str)> = declared
        .iter()
        .flat_map(|(name, variants)| variants.iter().map(move |variant| (name.as_str(), variant.as_str())))
        .filter(|(name, variant)| !produced.contains(&((*name).to_owned(), (*variant).to_owned())))
        .collect();
    let mut findings = Vec::new();
    for line in list.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (reason, _) = line.split_once(": ").unwrap_or((line, ""));
        let before = missing.len();
        missing.retain(|(name, variant)| *name != reason && format!("{name}::{variant}") != reason);
        if missing.len() == before {
            findings.push(format!("{LIST}: every reason of {reason:?} is produced; remove the line"));
        }
    }
    let unproduced = |(name, variant)| {
        format!("{name}::{variant}: no test produces it; write one where it is written, or list it in {LIST}")
    };
    findings.extend(missing.into_iter().map(unproduced));
    findings
}
