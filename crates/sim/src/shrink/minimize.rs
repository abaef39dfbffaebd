//! Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002), without its tests
//! of small subsets: those rarely fail where everything hangs together, and each costs a run.

/// Leaves out ever smaller parts for as long as `fails` says that what is left still fails; in the end none of the items
/// can be left out alone. `fails` is asked only about true subsets.
pub(super) fn minimize<T: Clone>(items: &[T], fails: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut left = items.to_vec();
    if left.is_empty() || fails(&[]) {
        return Vec::new();
    }
    let mut part = left.len().div_ceil(2);
    while left.len() > 1 {
        let before = left.len();
        let mut at = 0;
        while at < left.len() && left.len() > 1 {
            let end = (at + part).min(left.len());
            let kept: Vec<T> = left[..at].iter().chain(&left[end..]).cloned().collect();
            if !kept.is_empty() && fails(&kept) {
                left = kept;
            } else {
                at = end;
            }
        }
        if part == 1 && left.len() == before {
            break;
        }
        part = if part == 1 { 1 } else { part.div_ceil(2).min(left.len()) };
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrunk(items: u32, needed: &[u32]) -> (Vec<u32>, usize) {
        let mut asked = 0;
        let all: Vec<u32> = (0..items).collect();
        let left = minimize(&all, &mut |kept| {
            asked += 1;
            assert!(kept.len() < all.len());
            needed.iter().all(|one| kept.contains(one))
        });
        (left, asked)
    }

    #[test]
    fn what_is_needed_is_left_and_nothing_else() {
        assert!(shrunk(0, &[]).0.is_empty());
        assert_eq!(shrunk(70, &[]), (vec![], 1));
        assert_eq!(shrunk(1, &[0]).0, vec![0]);
        assert_eq!(shrunk(2, &[1]).0, vec![1]);
        for needed in [&[0][..], &[69], &[3, 41], &[0, 1, 2, 35, 68, 69]] {
            let (left, asked) = shrunk(70, needed);
            assert_eq!(left, needed);
            assert!(asked < 90, "{asked} runs for {needed:?}");
        }
    }

    #[test]
    fn everything_may_be_needed() {
        let all: Vec<u32> = (0..9).collect();
        assert_eq!(shrunk(9, &all).0, all);
    }
}
