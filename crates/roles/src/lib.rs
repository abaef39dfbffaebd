//! Which controller runs in which role, as a table: the program, the simulator and the scenarios run what stands here.
//! `cargo xtask tidy` checks that every controller is in it once.

use api::labels::lease;
use engine::{Registration, register};
use hub::NetworkPresenceController;
use project::{NetworkBindingController, NetworkContextController, NetworkController};

/// What one process of the product does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The platform, the hub and the projects.
    Manager,
}

type Register = fn() -> Box<dyn Registration>;

/// Every controller, with its role.
const CONTROLLERS: &[(Role, Register)] = &[
    (Role::Manager, register::<NetworkController>),
    (Role::Manager, register::<NetworkContextController>),
    (Role::Manager, register::<NetworkBindingController>),
    (Role::Manager, register::<NetworkPresenceController>),
];

/// Leases that a manager must hold to act. Both, so that it excludes a running manager of the reference, which holds
/// one for its ordinary controllers and one for those that write from one place only.
pub const MANAGER_LEASES: [&str; 2] = [lease::MANAGER, lease::MANAGER_SINGLETON];

/// The controllers of a manager.
#[must_use]
pub fn manager() -> Vec<Box<dyn Registration>> {
    of(Role::Manager)
}

fn of(role: Role) -> Vec<Box<dyn Registration>> {
    CONTROLLERS.iter().filter(|(of, _)| *of == role).map(|(_, register)| register()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_controller_is_named_twice() {
        let mut names: Vec<_> = manager().iter().map(|controller| controller.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!((count, names.len()), (4, 4));
    }
}
