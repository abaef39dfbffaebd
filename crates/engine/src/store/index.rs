//! Objects by value, within a namespace and everywhere, and who asked.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::NamespaceName;
use reconcile::{IndexEntry, IndexValue};

use crate::ids::{Reader, SlotId};

/// What a reader of an index value wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Membership {
    /// Who the members are.
    Names,
    /// Only how many; the number it saw.
    Count(usize),
}

#[derive(Default)]
struct Entry {
    members: BTreeSet<SlotId>,
    readers: BTreeMap<Reader, Membership>,
}

/// One declared index of one store.
pub(super) struct IndexData {
    index: IndexEntry,
    entries: BTreeMap<Arc<str>, Entry>,
    values_of: BTreeMap<SlotId, Vec<Arc<str>>>,
}

/// The value as it is stored: once under its namespace and once under none.
pub(super) fn scoped(namespace: Option<&NamespaceName>, value: &IndexValue) -> String {
    format!("{}\u{1}{}", namespace.map_or("", NamespaceName::as_str), value.as_str())
}

impl IndexData {
    pub(super) fn new(index: IndexEntry) -> Self {
        Self { index, entries: BTreeMap::new(), values_of: BTreeMap::new() }
    }

    pub(super) fn members(&self, value: &str) -> Vec<SlotId> {
        self.entries.get(value).map(|entry| entry.members.iter().copied().collect()).unwrap_or_default()
    }

    fn texts(&self, namespace: Option<&NamespaceName>, object: &dyn Any) -> BTreeSet<String> {
        let mut texts = BTreeSet::new();
        for value in (self.index.values)(object) {
            texts.insert(scoped(None, &value));
            if namespace.is_some() {
                texts.insert(scoped(namespace, &value));
            }
        }
        texts
    }

    fn interned(&mut self, text: &str) -> Arc<str> {
        if let Some((known, _)) = self.entries.get_key_value(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.entries.insert(Arc::clone(&text), Entry::default());
        text
    }

    pub(super) fn insert(&mut self, id: SlotId, namespace: Option<&NamespaceName>, object: &dyn Any) {
        self.update(id, Some((namespace, object)), &mut Vec::new());
    }

    /// Moves an object to the values it has now; `None` takes it out.
    pub(super) fn update(
        &mut self,
        id: SlotId,
        object: Option<(Option<&NamespaceName>, &dyn Any)>,
        woken: &mut Vec<Reader>,
    ) {
        let texts = object.map(|(namespace, object)| self.texts(namespace, object)).unwrap_or_default();
        let before = self.values_of.remove(&id).unwrap_or_default();
        let gone: Vec<Arc<str>> = before.iter().filter(|text| !texts.contains(&***text)).cloned().collect();
        for text in gone {
            self.set_member(&text, id, false, woken);
        }
        let mut values = Vec::with_capacity(texts.len());
        for text in texts {
            let text = self.interned(&text);
            if !before.contains(&text) {
                self.set_member(&text, id, true, woken);
            }
            values.push(text);
        }
        if !values.is_empty() {
            self.values_of.insert(id, values);
        }
    }

    fn set_member(&mut self, text: &Arc<str>, id: SlotId, member: bool, woken: &mut Vec<Reader>) {
        let Some(entry) = self.entries.get_mut(text) else { return };
        let changed = if member { entry.members.insert(id) } else { entry.members.remove(&id) };
        if changed {
            let count = entry.members.len();
            let wakes = |asked: &Membership| *asked != Membership::Count(count);
            woken.extend(entry.readers.iter().filter(|(_, asked)| wakes(asked)).map(|(reader, _)| *reader));
        }
        if entry.members.is_empty() && entry.readers.is_empty() {
            self.entries.remove(text);
        }
    }

    pub(super) fn subscribe(&mut self, text: &str, reader: Reader, asked: Membership) -> Arc<str> {
        let text = self.interned(text);
        if let Some(entry) = self.entries.get_mut(&text) {
            let widened = match (entry.readers.get(&reader), asked) {
                (Some(Membership::Names), Membership::Count(_)) => Membership::Names,
                _ => asked,
            };
            entry.readers.insert(reader, widened);
        }
        text
    }

    pub(super) fn unsubscribe(&mut self, text: &str, reader: Reader) {
        if let Some(entry) = self.entries.get_mut(text) {
            entry.readers.remove(&reader);
            if entry.members.is_empty() && entry.readers.is_empty() {
                self.entries.remove(text);
            }
        }
    }

    pub(super) fn all_readers(&self, woken: &mut Vec<Reader>) {
        woken.extend(self.entries.values().flat_map(|entry| entry.readers.keys().copied()));
    }
}
