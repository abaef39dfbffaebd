//! What crates that hold decisions may not name: clocks, chance, threads, files, environment, unordered maps.

use syn::UseTree;
use syn::visit::{self, Visit};

use super::sources::{Source, find, tokens};
use super::walls::PURE;

/// A path that pure crates may not name, and what to do instead.
struct Ban {
    path: &'static [&'static str],
    instead: &'static str,
}

const TIME: &str = "take the time as an argument";
const OUTSIDE: &str = "leave it to a shell";
const ORDER: &str = "use BTreeMap or BTreeSet, so that order repeats";

const BANS: &[Ban] = &[
    Ban { path: &["SystemTime", "now"], instead: TIME },
    Ban { path: &["Instant", "now"], instead: TIME },
    Ban { path: &["Timestamp", "now"], instead: TIME },
    Ban { path: &["Zoned", "now"], instead: TIME },
    Ban { path: &["std", "env"], instead: OUTSIDE },
    Ban { path: &["std", "fs"], instead: OUTSIDE },
    Ban { path: &["std", "net", "TcpStream"], instead: OUTSIDE },
    Ban { path: &["std", "net", "TcpListener"], instead: OUTSIDE },
    Ban { path: &["std", "process"], instead: OUTSIDE },
    Ban { path: &["std", "thread"], instead: OUTSIDE },
    Ban { path: &["tokio"], instead: OUTSIDE },
    Ban { path: &["rand", "rng"], instead: "take a seeded generator as an argument" },
    Ban { path: &["thread_rng"], instead: "take a seeded generator as an argument" },
    Ban { path: &["from_os_rng"], instead: "take a seeded generator as an argument" },
    Ban { path: &["HashMap"], instead: ORDER },
    Ban { path: &["HashSet"], instead: ORDER },
];

/// Findings about calls.
pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let pure = sources.iter().filter(|source| PURE.contains(&source.crate_name.as_str()));
    pure.flat_map(|source| BANS.iter().flat_map(move |ban| broken(source, ban))).collect()
}

fn broken(source: &Source, ban: &Ban) -> Vec<String> {
    let mut lines = uses(&source.product, ban.path);
    let pattern: Vec<&str> = ban
        .path
        .iter()
        .enumerate()
        .flat_map(|(place, word)| if place == 0 { vec![*word] } else { vec![":", ":", *word] })
        .collect();
    lines.extend(find(&tokens(&source.product), &pattern));
    lines.sort_unstable();
    lines.dedup();
    let finding = |line| format!("{}:{line}: {}; {}", source.path, ban.path.join("::"), ban.instead);
    lines.into_iter().map(finding).collect()
}

/// Lines on which a grouped import names the path, such as `use std::{fs, io}`.
fn uses(file: &syn::File, path: &[&str]) -> Vec<usize> {
    struct Uses<'a> {
        path: &'a [&'a str],
        lines: Vec<usize>,
    }
    impl Visit<'_> for Uses<'_> {
        fn visit_item_use(&mut self, item: &syn::ItemUse) {
            let line = item.use_token.span.start().line;
            let mut imported = Vec::new();
            expand(&item.tree, &mut Vec::new(), &mut imported);
            let named = |import: &Vec<String>| import.windows(self.path.len()).any(|part| part == self.path);
            if imported.iter().any(named) {
                self.lines.push(line);
            }
            visit::visit_item_use(self, item);
        }
    }
    let mut found = Uses { path, lines: Vec::new() };
    found.visit_file(file);
    found.lines
}

fn expand(tree: &UseTree, prefix: &mut Vec<String>, imported: &mut Vec<Vec<String>>) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            expand(&path.tree, prefix, imported);
            prefix.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|item| expand(item, prefix, imported)),
        UseTree::Name(name) => imported.push(with(prefix, &name.ident)),
        UseTree::Rename(rename) => imported.push(with(prefix, &rename.ident)),
        UseTree::Glob(_) => imported.push(prefix.clone()),
    }
}

fn with(prefix: &[String], last: &syn::Ident) -> Vec<String> {
    prefix.iter().cloned().chain([last.to_string()]).collect()
}
