//! Every scenario by name.

use crate::platform::Platform;
use crate::presence::{adversity, cost, declarations, grace, lifecycle, restart, routes, takeover};

/// One scenario.
pub struct Scenario {
    /// Its name: the id in `scenarios.md` and what must hold.
    pub name: &'static str,
    /// Runs it; panics where something is not as it must be.
    pub run: fn(&mut dyn Platform),
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

macro_rules! scenarios {
    ($($module:ident :: $name:ident),+ $(,)?) => {
        &[$(Scenario { name: stringify!($name), run: $module::$name }),+]
    };
}

/// The acceptance list, what takes longest first: scenarios run beside each other.
pub const SCENARIOS: &[Scenario] = scenarios![
    cost::a_churn_of_presences_loses_no_write_and_few_races,
    restart::s1_9_a_restart_makes_one_pass_per_presence_and_no_write,
    restart::s1_2_a_restart_neither_restarts_nor_skips_the_grace,
    lifecycle::a1_a_network_is_held_while_it_lives_and_goes_without_contexts,
    lifecycle::a2_a_network_waits_for_its_context,
    lifecycle::a3_a_project_binding_is_ready_when_its_context_is,
    lifecycle::a4_a_presence_becomes_ready_with_the_networks_settings,
    lifecycle::a4_a_binding_names_its_context_before_it_is_ready,
    lifecycle::a6_a_location_that_appears_wakes_the_declaration,
    lifecycle::a7_an_edit_of_the_network_reaches_the_context,
    lifecycle::s3_6_readiness_comes_by_watch,
    lifecycle::a33_a_regression_flips_the_binding_and_keeps_the_reference,
    lifecycle::a33_a_context_deleted_by_hand_is_rebuilt,
    lifecycle::z17_pairs_with_one_plain_name_get_a_context_each,
    lifecycle::z17_a_name_that_is_no_label_value_is_refused,
    declarations::a5_bindings_of_one_pair_share_a_context,
    declarations::a8_a_replacement_within_the_grace_keeps_the_presence,
    declarations::a9_a_rebind_while_the_context_goes_waits_and_is_served_anew,
    declarations::an_interface_copy_keeps_a_presence,
    grace::a33_an_expired_grace_ends_the_presence,
    grace::s1_10_an_unreadable_stamp_starts_the_grace_again,
    grace::a_zero_grace_ends_at_once,
    restart::s1_1_a_restart_in_the_grace_and_then_the_network_is_deleted,
    restart::s1_3_a_presence_declared_only_in_its_project_survives_a_restart,
    restart::s1_5_a_presence_with_nothing_to_change_writes_nothing,
    restart::s1_6_a_copy_that_goes_away_ends_nothing,
    restart::s1_7_a_copy_outside_a_hub_namespace_is_left_alone,
    restart::s1_8_a_copy_is_never_written,
    takeover::s1_4_a_standby_acts_only_when_it_leads,
    takeover::s1_11_a_deposed_leader_makes_no_effective_write,
    restart::a_project_that_is_dropped_leaves_no_key_behind,
    cost::a_presence_costs_at_most_five_writes,
];

/// Sequences beyond the acceptance list.
pub const ADVERSITY: &[Scenario] = scenarios![
    adversity::an_edited_context_is_put_right,
    adversity::an_edited_answer_of_a_binding_is_given_again,
    adversity::a_network_whose_finalizer_was_taken_off_is_held_again,
    adversity::a_network_that_comes_again_gets_a_context_of_its_own,
    adversity::a_withdrawn_location_ends_nothing,
    adversity::a_location_of_the_older_group_alone_serves,
    adversity::a_context_made_by_hand_serves_when_it_is_declared,
    adversity::a_foreign_context_with_the_plain_name_is_left_alone,
    routes::projects_with_equal_names_have_a_presence_each,
    routes::a_hub_namespace_that_leads_elsewhere_takes_its_declarations_along,
    routes::a_namespace_that_stops_being_a_hub_namespace_lets_go,
    routes::every_route_to_a_presence_holds_it,
    routes::a_declaration_that_goes_while_no_manager_runs_starts_the_grace,
    routes::a_network_deleted_while_no_manager_runs_ends_later,
    routes::declarations_that_come_and_go_quickly_leave_one_context,
    routes::a_successor_finishes_what_a_killed_manager_began,
    routes::a_project_that_comes_again_is_served_anew,
    adversity::a_context_that_is_passed_off_as_another_is_not_trusted,
    adversity::a_deleted_location_ends_no_presence,
    routes::a_leader_that_hangs_acts_on_what_is_true_then,
];
