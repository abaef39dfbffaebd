//! A map that is a sorted list while it is small. Most objects have a handful of readers, and a tree keeps room for eleven
//! in each node; some have tens of thousands, among which a list would be slow.

use std::collections::BTreeMap;

/// More than these make a tree.
const FEW: usize = 32;

/// Entries in order of their keys.
#[derive(Clone, Debug)]
pub(super) enum FewOrMany<K, V> {
    Few(Vec<(K, V)>),
    Many(BTreeMap<K, V>),
}

impl<K, V> Default for FewOrMany<K, V> {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl<K: Ord + Copy, V: Copy> FewOrMany<K, V> {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Few(entries) => entries.is_empty(),
            Self::Many(entries) => entries.is_empty(),
        }
    }

    pub(super) fn get(&self, key: K) -> Option<V> {
        match self {
            Self::Few(entries) => {
                let at = entries.binary_search_by_key(&key, |(key, _)| *key).ok()?;
                entries.get(at).map(|(_, value)| *value)
            }
            Self::Many(entries) => entries.get(&key).copied(),
        }
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        match self {
            Self::Few(entries) => match entries.binary_search_by_key(&key, |(key, _)| *key) {
                Ok(at) => {
                    if let Some(entry) = entries.get_mut(at) {
                        entry.1 = value;
                    }
                }
                Err(_) if entries.len() >= FEW => {
                    let mut many: BTreeMap<K, V> = std::mem::take(entries).into_iter().collect();
                    many.insert(key, value);
                    *self = Self::Many(many);
                }
                Err(at) => entries.insert(at, (key, value)),
            },
            Self::Many(entries) => {
                entries.insert(key, value);
            }
        }
    }

    pub(super) fn remove(&mut self, key: K) {
        match self {
            Self::Few(entries) => {
                if let Ok(at) = entries.binary_search_by_key(&key, |(key, _)| *key) {
                    entries.remove(at);
                }
            }
            Self::Many(entries) => {
                entries.remove(&key);
            }
        }
        if self.is_empty() {
            *self = Self::default();
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (K, V)> {
        let (few, many) = match self {
            Self::Few(entries) => (Some(entries.iter().copied()), None),
            Self::Many(entries) => (None, Some(entries.iter().map(|(key, value)| (*key, *value)))),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_says_what_a_tree_says(changes in prop::collection::vec((0_u16..80, any::<bool>(), any::<u8>()), 0..400)) {
            let (mut map, mut tree) = (FewOrMany::default(), BTreeMap::new());
            for (key, is_insertion, value) in changes {
                if is_insertion {
                    map.insert(key, value);
                    tree.insert(key, value);
                } else {
                    map.remove(key);
                    tree.remove(&key);
                }
                prop_assert_eq!(map.get(key), tree.get(&key).copied());
                prop_assert_eq!(map.is_empty(), tree.is_empty());
            }
            prop_assert!(map.iter().eq(tree.into_iter()));
        }
    }
}
