//! Sets of field paths, as `metadata.managedFields` records who owns what.
//!
//! A set is an ordered trie. A path may be in the set without what lies below it, and the other way round; all set
//! operations are on exact paths. The wire form (`f:`, `k:`, `v:`, `i:` and `.`) is in `encode`.

use std::collections::BTreeMap;

mod element;
mod encode;
#[cfg(test)]
mod tests;

pub use element::{PathElement, Scalar};
pub use encode::FieldSetError;

/// A set of field paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    entries: BTreeMap<PathElement, Entry>,
}

/// One step of the trie. Never both unowned and empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    owned: bool,
    below: FieldSet,
}

impl FieldSet {
    /// The set without paths.
    pub const EMPTY: Self = Self { entries: BTreeMap::new() };

    /// Whether no path is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds one path. The empty path cannot be in a set.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((first, rest)) = path.split_first() else { return };
        let entry = self.entries.entry(first.clone()).or_default();
        if rest.is_empty() {
            entry.owned = true;
        } else {
            entry.below.insert(rest);
        }
    }

    /// Adds the path that consists of declared fields only.
    pub fn insert_fields(&mut self, names: &[&str]) {
        let path: Vec<PathElement> = names.iter().map(|name| PathElement::field(name)).collect();
        self.insert(&path);
    }

    /// Whether exactly this path is in the set.
    #[must_use]
    pub fn contains(&self, path: &[PathElement]) -> bool {
        match path.split_first() {
            None => false,
            Some((first, [])) => self.owns(first),
            Some((first, rest)) => self.below(first).is_some_and(|below| below.contains(rest)),
        }
    }

    /// Whether the path of this one step is in the set.
    pub(crate) fn owns(&self, element: &PathElement) -> bool {
        self.entries.get(element).is_some_and(|entry| entry.owned)
    }

    /// The paths that start with this step, without it; `None` if there is none.
    pub(crate) fn below(&self, element: &PathElement) -> Option<&FieldSet> {
        self.entries.get(element).map(|entry| &entry.below).filter(|below| !below.is_empty())
    }

    /// Adds the path of this one step.
    pub(crate) fn own(&mut self, element: PathElement) {
        self.entries.entry(element).or_default().owned = true;
    }

    /// Adds all paths of `below`, prefixed with this step.
    pub(crate) fn attach(&mut self, element: PathElement, below: FieldSet) {
        if below.is_empty() {
            return;
        }
        let entry = self.entries.entry(element).or_default();
        if entry.below.is_empty() {
            entry.below = below;
        } else {
            entry.below = entry.below.union(&below);
        }
    }

    /// The steps of the first level: each with whether its own path is in the set, and the paths below it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&PathElement, bool, &FieldSet)> {
        self.entries.iter().map(|(element, entry)| (element, entry.owned, &entry.below))
    }

    /// The paths in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut result = self.clone();
        for (element, theirs) in &other.entries {
            match result.entries.get_mut(element) {
                Some(ours) => {
                    ours.owned |= theirs.owned;
                    ours.below = ours.below.union(&theirs.below);
                }
                None => {
                    result.entries.insert(element.clone(), theirs.clone());
                }
            }
        }
        result
    }

    /// The paths in this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.combine(|element, ours| match other.entries.get(element) {
            None => ours.clone(),
            Some(theirs) => {
                Entry { owned: ours.owned && !theirs.owned, below: ours.below.difference(&theirs.below) }
            }
        })
    }

    /// The paths in this set that are neither in the other nor below a path of it.
    #[must_use]
    pub fn outside(&self, other: &Self) -> Self {
        self.combine(|element, ours| match other.entries.get(element) {
            None => ours.clone(),
            Some(theirs) if theirs.owned => Entry::default(),
            Some(theirs) => Entry { owned: ours.owned, below: ours.below.outside(&theirs.below) },
        })
    }

    /// The paths in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(|element, ours| match other.entries.get(element) {
            None => Entry::default(),
            Some(theirs) => {
                Entry { owned: ours.owned && theirs.owned, below: ours.below.intersection(&theirs.below) }
            }
        })
    }

    fn combine(&self, entry: impl Fn(&PathElement, &Entry) -> Entry) -> Self {
        let kept = self.entries.iter().map(|(element, ours)| (element.clone(), entry(element, ours)));
        Self { entries: kept.filter(|(_, entry)| entry.owned || !entry.below.is_empty()).collect() }
    }

    /// Every path of the set as text such as `.spec.rules[key="a",port=80].value`, in order.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect("", &mut paths);
        paths
    }

    /// At each level the paths that end there come before those that go on, as conflicts are reported.
    fn collect(&self, prefix: &str, paths: &mut Vec<String>) {
        for (element, _) in self.entries.iter().filter(|(_, entry)| entry.owned) {
            paths.push(format!("{prefix}{element}"));
        }
        for (element, entry) in &self.entries {
            entry.below.collect(&format!("{prefix}{element}"), paths);
        }
    }
}
