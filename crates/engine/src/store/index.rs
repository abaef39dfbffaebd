//! Objects by value, within a namespace and everywhere, and who asked.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};

use api::NamespaceName;
use reconcile::{IndexEntry, IndexValue};

use super::by_hash::ByHash;
use super::few_or_many::FewOrMany;
use crate::ids::{Reader, SlotId, ValueId};

/// What a reader of an index value wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Membership {
    /// Who the members are.
    Names,
    /// Only how many; the number it saw.
    Count(usize),
}

/// One value: who has it and who asked for it.
struct Entry {
    text: Box<str>,
    members: BTreeSet<SlotId>,
    readers: FewOrMany<Reader, Membership>,
}

/// One declared index of one store.
pub(super) struct IndexData {
    index: IndexEntry,
    numbers: ByHash<ValueId>,
    entries: Vec<Option<Entry>>,
    free: Vec<ValueId>,
    values_of: BTreeMap<SlotId, Vec<ValueId>>,
    /// Where values are put together to be looked up.
    scratch: String,
}

/// The value as it is stored: once under its namespace and once under none.
fn scoped(into: &mut String, namespace: Option<&NamespaceName>, value: &IndexValue) {
    into.clear();
    into.push_str(namespace.map_or("", NamespaceName::as_str));
    into.push('\u{1}');
    into.push_str(value.as_str());
}

impl IndexData {
    pub(super) fn new(index: IndexEntry) -> Self {
        Self {
            index,
            numbers: ByHash::default(),
            entries: Vec::new(),
            free: Vec::new(),
            values_of: BTreeMap::new(),
            scratch: String::new(),
        }
    }

    /// Whether this is the data of that index.
    pub(super) fn is(&self, index: IndexEntry) -> bool {
        self.index.id == index.id
    }

    fn entry(&self, value: ValueId) -> Option<&Entry> {
        self.entries.get(value.0 as usize)?.as_ref()
    }

    fn entry_mut(&mut self, value: ValueId) -> Option<&mut Entry> {
        self.entries.get_mut(value.0 as usize)?.as_mut()
    }

    /// The number of a value, if an object has it or somebody asked for it.
    pub(super) fn find(&mut self, namespace: Option<&NamespaceName>, value: &IndexValue) -> Option<ValueId> {
        scoped(&mut self.scratch, namespace, value);
        let text = self.scratch.as_str();
        self.numbers.find(text, ValueId(0), |id| self.entry(id).is_some_and(|entry| *entry.text == *text))
    }

    /// The number of a value, given to it if it has none.
    fn number(&mut self, namespace: Option<&NamespaceName>, value: &IndexValue) -> ValueId {
        if let Some(number) = self.find(namespace, value) {
            return number;
        }
        let text: Box<str> = self.scratch.as_str().into();
        let number = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            ValueId(u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX))
        });
        self.numbers.insert(&*text, number);
        if let Some(place) = self.entries.get_mut(number.0 as usize) {
            *place = Some(Entry { text, members: BTreeSet::new(), readers: FewOrMany::default() });
        }
        number
    }

    /// Gives the number of a value back that no object has and nobody asks for.
    fn release(&mut self, value: ValueId) {
        let is_unused = |entry: &Entry| entry.members.is_empty() && entry.readers.is_empty();
        if self.entry(value).is_some_and(is_unused)
            && let Some(entry) = self.entries.get_mut(value.0 as usize).and_then(Option::take)
        {
            self.numbers.remove(&*entry.text, value);
            self.free.push(value);
        }
    }

    pub(super) fn members(&self, value: ValueId) -> impl Iterator<Item = SlotId> {
        self.entry(value).into_iter().flat_map(|entry| entry.members.iter().copied())
    }

    pub(super) fn count(&self, value: ValueId) -> usize {
        self.entry(value).map_or(0, |entry| entry.members.len())
    }

    fn values(&mut self, namespace: Option<&NamespaceName>, object: &dyn Any) -> Vec<ValueId> {
        let mut values = Vec::new();
        for value in (self.index.values)(object) {
            values.push(self.number(None, &value));
            if namespace.is_some() {
                values.push(self.number(namespace, &value));
            }
        }
        values.sort_unstable();
        values.dedup();
        values
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
        let values = object.map(|(namespace, object)| self.values(namespace, object)).unwrap_or_default();
        if self.values_of.get(&id).is_some_and(|before| *before == values) {
            return;
        }
        let before = self.values_of.remove(&id).unwrap_or_default();
        for value in before.iter().filter(|value| !values.contains(value)) {
            self.set_member(*value, id, false, woken);
        }
        for value in values.iter().filter(|value| !before.contains(value)) {
            self.set_member(*value, id, true, woken);
        }
        if !values.is_empty() {
            self.values_of.insert(id, values);
        }
    }

    fn set_member(&mut self, value: ValueId, id: SlotId, member: bool, woken: &mut Vec<Reader>) {
        let Some(entry) = self.entry_mut(value) else { return };
        let changed = if member { entry.members.insert(id) } else { entry.members.remove(&id) };
        if changed {
            let count = entry.members.len();
            let wakes = |asked: &Membership| *asked != Membership::Count(count);
            woken.extend(entry.readers.iter().filter(|(_, asked)| wakes(asked)).map(|(reader, _)| reader));
        }
        self.release(value);
    }

    pub(super) fn subscribe(
        &mut self,
        namespace: Option<&NamespaceName>,
        value: &IndexValue,
        (reader, asked): (Reader, Membership),
    ) -> ValueId {
        let value = self.number(namespace, value);
        if let Some(entry) = self.entry_mut(value) {
            let widened = match (entry.readers.get(reader), asked) {
                (Some(Membership::Names), Membership::Count(_)) => Membership::Names,
                _ => asked,
            };
            entry.readers.insert(reader, widened);
        }
        value
    }

    pub(super) fn unsubscribe(&mut self, value: ValueId, reader: Reader) {
        if let Some(entry) = self.entry_mut(value) {
            entry.readers.remove(reader);
            self.release(value);
        }
    }

    pub(super) fn all_readers(&self, woken: &mut Vec<Reader>) {
        let entries = self.entries.iter().flatten();
        woken.extend(entries.flat_map(|entry| entry.readers.iter().map(|(reader, _)| reader)));
    }
}
