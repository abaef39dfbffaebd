//! Who may act. A standby keeps its caches, makes passes and sends nothing; what it would have sent is planned again
//! when it leads.

use super::{Engine, Output};
use crate::lease::{Lease, LeaseAnswer};

impl Engine {
    /// Whether all leases are held; always without leases.
    #[must_use]
    pub fn is_leading(&self) -> bool {
        !self.is_stopping
            && !self.is_observing
            && self.leases.iter().all(|lease| lease.is_held(self.world.now.monotonic))
    }

    /// Whether a step sent now would be over before any lease is.
    pub(super) fn may_send(&self) -> bool {
        let now = self.world.now.monotonic;
        self.leases.iter().all(|lease| lease.may_send(now, self.settings.step_timeout))
    }

    /// Whether steps are sent: this process leads, and a step would be over before its lease is.
    #[must_use]
    pub fn may_act(&self) -> bool {
        self.is_leading() && self.may_send()
    }

    pub(super) fn tick_leases(&mut self) {
        let now = self.world.now.monotonic;
        if !self.is_stopping {
            for (index, lease) in self.leases.iter_mut().enumerate() {
                if let Some(want) = lease.tick(now) {
                    self.outputs.push(Output::Lease(index, want));
                }
            }
        }
        self.look_at_leadership();
    }

    /// How many leases may be taken: each only while those before it are held. Two processes that took them in any order
    /// would end with one each, and wait for each other for ever.
    fn leases_in_turn(&self) -> usize {
        let now = self.world.now.monotonic;
        self.leases.iter().take_while(|lease| lease.is_held(now)).count() + 1
    }

    pub(super) fn lease_answered(&mut self, index: usize, answer: LeaseAnswer) {
        let now = self.world.now;
        let before = self.leases_in_turn();
        let may_take = index < before;
        if let Some(want) = self.leases.get_mut(index).and_then(|lease| lease.answer(answer, now, may_take)) {
            self.outputs.push(Output::Lease(index, want));
        }
        // Whoever has just got one lease does not wait for the next look at the one whose turn has come.
        if self.leases_in_turn() > before
            && let Some(next) = self.leases.get_mut(before)
        {
            next.retry_now(now.monotonic);
        }
        self.look_at_leadership();
    }

    /// Keys whose steps were withheld pass again as soon as steps are sent. This looks at what is so, not at what has changed
    /// since the last look: between two looks a lease may come too near its end and be renewed.
    fn look_at_leadership(&mut self) {
        if self.may_act() {
            for key in std::mem::take(&mut self.withheld) {
                self.wake(key);
            }
        }
    }

    /// No step is sent any more; when the last answer is in, leases are given back.
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// After a shutdown: gives leases back once nothing is on the wire, and says when that is done.
    pub(super) fn drain(&mut self) {
        if !self.is_stopping || !self.on_wire.is_empty() {
            return;
        }
        let now = self.world.now;
        let mut is_drained = true;
        for (index, lease) in self.leases.iter_mut().enumerate() {
            if lease.is_released() || lease.is_releasing() {
                is_drained &= lease.is_released();
                continue;
            }
            if lease.is_waiting() {
                is_drained = false;
                continue;
            }
            if let Some(want) = lease.release(now) {
                is_drained = false;
                self.outputs.push(Output::Lease(index, want));
            }
        }
        if is_drained {
            self.outputs.push(Output::Drained);
        }
    }

    /// The leases, for status pages.
    #[must_use]
    pub fn leases(&self) -> &[Lease] {
        &self.leases
    }
}
