//! What many threads find, in the order of seeds, up to the first that ends it.

use std::collections::BTreeMap;

/// Keeps what comes early until its turn has come, and nothing after the end.
pub(crate) struct InOrder<T> {
    next: u64,
    early: BTreeMap<u64, T>,
    is_over: bool,
}

impl<T> InOrder<T> {
    /// Begins with this seed.
    pub(crate) fn from(start: u64) -> Self {
        Self { next: start, early: BTreeMap::new(), is_over: false }
    }

    /// Takes in what a seed gave, and passes on whatever has its turn now, until `each` says that this was the last.
    pub(crate) fn take(&mut self, seed: u64, found: T, each: &mut dyn FnMut(T) -> bool) {
        self.early.insert(seed, found);
        while !self.is_over
            && let Some(found) = self.early.remove(&self.next)
        {
            self.next += 1;
            self.is_over = each(found);
        }
    }

    /// Whether the last one was passed on.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_ends_it_is_the_lowest_in_whatever_order_they_come() {
        for order in [[4, 5, 6, 7], [7, 6, 5, 4], [6, 4, 7, 5], [5, 7, 4, 6]] {
            let (mut in_order, mut seen) = (InOrder::from(4), Vec::new());
            for seed in order {
                in_order.take(seed, seed, &mut |found| {
                    seen.push(found);
                    found >= 6
                });
            }
            assert_eq!((seen, in_order.is_over()), (vec![4, 5, 6], true), "{order:?}");
        }
    }

    #[test]
    fn without_an_end_all_are_passed_on() {
        let (mut in_order, mut seen) = (InOrder::from(1), Vec::new());
        for seed in [2, 1, 3] {
            in_order.take(seed, seed, &mut |found| {
                seen.push(found);
                false
            });
        }
        assert_eq!((seen, in_order.is_over()), (vec![1, 2, 3], false));
    }
}
