//! The Rust files of the workspace, parsed once, with what is only for tests set apart.

use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};

use super::TidyError;
use crate::generated::files_below;

/// One file.
pub(super) struct Source {
    /// Path below the root, with `/`.
    pub(super) path: String,
    /// Folder name of its crate, such as `engine`; `xtask` for the tasks.
    pub(super) crate_name: String,
    /// The text.
    pub(super) text: String,
    /// The whole file.
    pub(super) file: syn::File,
    /// The file without what is only compiled for tests; empty for a test file.
    pub(super) product: syn::File,
    /// Whether the file as a whole is for tests.
    pub(super) is_test: bool,
}

/// One word of code with the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

impl Source {
    /// Parses a file.
    pub(super) fn new(path: String, text: String) -> Result<Self, TidyError> {
        let file =
            syn::parse_file(&text).map_err(|source| TidyError::Parse { path: path.clone(), source })?;
        let crate_name = crate_name(&path).to_owned();
        let is_test = is_test_path(&path) || is_test_crate(&crate_name);
        let product = if is_test { syn::parse_quote!() } else { without_tests(file.clone()) };
        Ok(Self { path, crate_name, text, file, product, is_test })
    }

    /// Whether the file is the root of a library, program, test, bench or example.
    pub(super) fn is_root(&self) -> bool {
        let below = self.path.split_once("/src/").map_or("", |(_, below)| below);
        // A test of several files is a folder with a main.rs.
        let parent = if self.path.ends_with("/main.rs") { 2 } else { 1 };
        let integration = ["tests", "benches", "examples"]
            .iter()
            .any(|kind| [1, parent].iter().any(|above| self.path.rsplit('/').nth(*above) == Some(kind)));
        matches!(below, "lib.rs" | "main.rs")
            || below.strip_prefix("bin/").is_some_and(|name| !name.contains('/'))
            || (integration && !self.path.contains("/src/"))
            || self.path.ends_with("/build.rs") && !self.path.contains("/src/")
    }
}

/// Every Rust file of the workspace.
pub(super) fn read(root: &Path) -> Result<Vec<Source>, TidyError> {
    let mut sources = Vec::new();
    for folder in ["crates", "bin", "xtask", "benches"] {
        for path in files_below(&root.join(folder))? {
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string().replace('\\', "/");
            let text =
                fs::read_to_string(&path).map_err(|source| TidyError::Read { path: name.clone(), source })?;
            sources.push(Source::new(name, text)?);
        }
    }
    Ok(sources)
}

fn crate_name(path: &str) -> &str {
    let mut parts = path.split('/');
    match parts.next() {
        Some("crates" | "bin") => parts.next().unwrap_or_default(),
        first => first.unwrap_or_default(),
    }
}

/// Crates that exist for testing only.
fn is_test_crate(name: &str) -> bool {
    matches!(name, "scenarios" | "benches")
}

fn is_test_path(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|part| part == "tests" || part == "benches")
}

fn without_tests(mut file: syn::File) -> syn::File {
    struct Remove;
    impl VisitMut for Remove {
        fn visit_file_mut(&mut self, file: &mut syn::File) {
            file.items.retain(|item| !is_for_tests(item));
            visit_mut::visit_file_mut(self, file);
        }

        fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
            if let Some((_, items)) = &mut module.content {
                items.retain(|item| !is_for_tests(item));
            }
            visit_mut::visit_item_mod_mut(self, module);
        }
    }
    Remove.visit_file_mut(&mut file);
    file
}

fn is_for_tests(item: &syn::Item) -> bool {
    let attributes: &[syn::Attribute] = match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.to_token_stream().to_string().replace(' ', "") == "cfg(test)"
    })
}

/// The words of a piece of code in order, without attributes that are documentation.
pub(super) fn tokens(code: &impl ToTokens) -> Vec<Token> {
    let mut words = Vec::new();
    collect(code.to_token_stream(), &mut words);
    words
}

fn collect(stream: TokenStream, words: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => collect(group.stream(), words),
            TokenTree::Ident(word) => words.push(Token { text: word.to_string(), line }),
            TokenTree::Punct(mark) => words.push(Token { text: mark.as_char().to_string(), line }),
            TokenTree::Literal(_) => words.push(Token { text: "literal".to_owned(), line }),
        }
    }
}

/// The lines on which the words stand one after the other; `a::b` is written `["a", ":", ":", "b"]`.
pub(super) fn find<'a>(words: &'a [Token], pattern: &'a [&'a str]) -> impl Iterator<Item = usize> + 'a {
    words
        .windows(pattern.len())
        .filter(move |window| window.iter().zip(pattern).all(|(token, wanted)| token.text == *wanted))
        .filter_map(|window| window.first().map(|token| token.line))
}
