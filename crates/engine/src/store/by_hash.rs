//! Numbers by the hash of what they stand for. A search compares hashes and at most one text, where a tree of texts would
//! follow a pointer and compare a text at each of its levels.
//!
//! The hash is the same in every process, so that runs repeat. Two texts may have one hash: who searches says whether a
//! number is the one.

use std::collections::BTreeSet;
use std::hash::Hash;

use reconcile::facet::stable_hash;

/// Numbers in order of hashes.
#[derive(Clone, Debug)]
pub(super) struct ByHash<I>(BTreeSet<(u64, I)>);

impl<I> Default for ByHash<I> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<I: Ord + Copy> ByHash<I> {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of what has this hash and is the one; `least` is the smallest number there is.
    pub(super) fn find(&self, of: &(impl Hash + ?Sized), least: I, is_it: impl Fn(I) -> bool) -> Option<I> {
        let hash = stable_hash(&of);
        let same = self.0.range((hash, least)..).take_while(|(other, _)| *other == hash);
        same.map(|(_, number)| *number).find(|number| is_it(*number))
    }

    pub(super) fn insert(&mut self, of: &(impl Hash + ?Sized), number: I) {
        self.0.insert((stable_hash(&of), number));
    }

    pub(super) fn remove(&mut self, of: &(impl Hash + ?Sized), number: I) {
        self.0.remove(&(stable_hash(&of), number));
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use super::*;

    /// All of these have one hash.
    struct Same;

    impl Hash for Same {
        fn hash<H: Hasher>(&self, state: &mut H) {
            state.write_u8(0);
        }
    }

    #[test]
    fn texts_of_one_hash_are_kept_apart() {
        let mut numbers = ByHash::default();
        for number in 1..=3_u32 {
            numbers.insert(&Same, number);
        }
        numbers.insert("other", 9);
        assert_eq!(numbers.find(&Same, 0, |number| number == 2), Some(2));
        assert_eq!(numbers.find(&Same, 0, |number| number == 9), None, "it has another hash");
        numbers.remove(&Same, 2);
        assert_eq!(numbers.find(&Same, 0, |number| number == 2), None);
        assert_eq!((numbers.find(&Same, 0, |number| number == 3), numbers.len()), (Some(3), 3));
    }
}
