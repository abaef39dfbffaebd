//! How long files and functions may be.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::sources::Source;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;

/// Findings about sizes.
pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources {
        let lines = source.text.lines().count().saturating_sub(inline_test_lines(source));
        if !source.is_test && lines > FILE_LINES_MAX {
            findings.push(format!("{}: {lines} lines without tests; split it by subject", source.path));
        }
        let mut long = LongFunctions { source, findings: Vec::new() };
        long.visit_file(&source.file);
        findings.extend(long.findings);
    }
    findings
}

fn inline_test_lines(source: &Source) -> usize {
    let is_inline = |item: &&syn::Item| matches!(item, syn::Item::Mod(module) if module.ident == "tests" && module.content.is_some());
    source.file.items.iter().filter(is_inline).map(|item| lines_of(item).count()).sum()
}

fn lines_of(item: &impl Spanned) -> std::ops::RangeInclusive<usize> {
    item.span().start().line..=item.span().end().line
}

struct LongFunctions<'a> {
    source: &'a Source,
    findings: Vec<String>,
}

impl LongFunctions<'_> {
    fn measure(&mut self, name: &syn::Ident, body: &syn::Block) {
        let range = lines_of(body);
        let text = self.source.text.lines().skip(range.start() - 1).take(range.clone().count());
        let code = text.filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//")).count();
        if code > FUNCTION_LINES_MAX {
            let place = format!("{}:{}", self.source.path, range.start());
            self.findings.push(format!("{place}: {name} has {code} lines; split it by step"));
        }
    }
}

impl<'ast> Visit<'ast> for LongFunctions<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig.ident, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig.ident, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.measure(&function.sig.ident, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}
