//! All keys. Controllers number their keys without gaps and use numbers again, so a list finds a key without a search.

use std::collections::BTreeMap;

use super::KeyState;
use crate::ids::{ControllerId, KeyId};

/// Keys by number.
#[derive(Debug, Default)]
pub struct Keys {
    states: BTreeMap<ControllerId, Vec<Option<Box<KeyState>>>>,
    len: usize,
}

impl Keys {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A key, if it is known.
    #[must_use]
    pub fn get(&self, key: &KeyId) -> Option<&KeyState> {
        self.states.get(&key.controller)?.get(key.number as usize)?.as_deref()
    }

    /// A key to change, if it is known.
    pub fn get_mut(&mut self, key: &KeyId) -> Option<&mut KeyState> {
        self.states.get_mut(&key.controller)?.get_mut(key.number as usize)?.as_deref_mut()
    }

    /// A key to change; made if it is not known.
    pub fn get_or_make(&mut self, key: KeyId, make: impl FnOnce() -> KeyState) -> &mut KeyState {
        let states = self.states.entry(key.controller).or_default();
        let at = key.number as usize;
        if states.len() <= at {
            states.resize_with(at + 1, || None);
        }
        if states.get(at).is_some_and(Option::is_none) {
            self.len += 1;
        }
        // The list was made long enough above.
        #[allow(clippy::indexing_slicing, reason = "resized above")]
        states[at].get_or_insert_with(|| Box::new(make()))
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: KeyId) -> Option<Box<KeyState>> {
        let state = self.states.get_mut(&key.controller)?.get_mut(key.number as usize)?.take();
        self.len -= usize::from(state.is_some());
        state
    }

    /// All keys, in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (KeyId, &KeyState)> {
        self.states.iter().flat_map(|(controller, states)| {
            let numbered = (0_u32..).zip(states);
            numbered.filter_map(|(number, state)| {
                Some((KeyId { controller: *controller, number }, state.as_deref()?))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_number_that_is_used_again_is_another_key() {
        let mut keys = Keys::default();
        let key = |controller, number| KeyId { controller: ControllerId(controller), number };
        for one in [key(1, 2), key(0, 1), key(1, 0)] {
            keys.get_or_make(one, || KeyState::new(None, Duration::ZERO)).races = 7;
        }
        assert_eq!(keys.iter().map(|(key, _)| key).collect::<Vec<_>>(), [key(0, 1), key(1, 0), key(1, 2)]);
        assert!(keys.get(&key(1, 1)).is_none() && keys.get(&key(2, 0)).is_none());
        assert_eq!(keys.remove(key(1, 0)).map(|state| state.races), Some(7));
        assert!(keys.remove(key(1, 0)).is_none());
        assert_eq!(keys.len(), 2);
        assert_eq!(keys.get_or_make(key(1, 0), || KeyState::new(None, Duration::ZERO)).races, 0);
        assert_eq!(keys.len(), 3);
    }
}
