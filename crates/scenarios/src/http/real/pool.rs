//! Sets of servers that scenarios take turns on.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::set::Set;

/// How many scenarios run on real servers at once.
const SETS: usize = 2;

struct Pool {
    free: Vec<Set>,
    /// Sets there are, those in use and those being started included.
    count: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { free: Vec::new(), count: 0 });
static GIVEN_BACK: Condvar = Condvar::new();

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One set, until this is dropped.
pub(super) struct Turn(Option<Set>);

impl Turn {
    /// Waits until a set is free or may be started.
    pub(super) fn take() -> Self {
        let mut pool = pool();
        loop {
            if let Some(set) = pool.free.pop() {
                return Self(Some(set));
            }
            if pool.count < SETS {
                pool.count += 1;
                drop(pool);
                // If the start fails, dropping the turn gives its place back.
                let mut turn = Self(None);
                turn.0 = Some(Set::start());
                return turn;
            }
            pool = GIVEN_BACK.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn set(&self) -> &Set {
        self.0.as_ref().unwrap_or_else(|| panic!("the set of servers was not started"))
    }

    pub(super) fn set_mut(&mut self) -> &mut Set {
        self.0.as_mut().unwrap_or_else(|| panic!("the set of servers was not started"))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut pool = pool();
        match self.0.take() {
            Some(set) => pool.free.push(set),
            None => pool.count -= 1,
        }
        GIVEN_BACK.notify_one();
    }
}

/// Ends every set that nobody uses, and waits until its processes are gone.
pub fn stop() {
    let free = std::mem::take(&mut pool().free);
    free.into_iter().for_each(Set::stop);
}
