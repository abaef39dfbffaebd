//! Who gets which shard, and that nobody sends without its Lease.

use proptest::prelude::*;

use super::*;

fn peers(names: &[&str]) -> BTreeSet<PeerName> {
    names.iter().map(|name| PeerName((*name).to_owned())).collect()
}

fn me() -> PeerName {
    PeerName("a".to_owned())
}

/// A single shard that is ours.
fn owned() -> Shards {
    let mut shards = Shards::new(me(), 1);
    assert_eq!(shards.set_peers(peers(&["a"])), [ShardWant::Acquire(ShardId(0))]);
    assert_eq!(shards.acquired(ShardId(0)), [ShardWant::QueueRoots(ShardId(0))]);
    shards
}

#[test]
fn everything_of_a_project_is_in_one_shard_and_the_rest_goes_by_cluster_and_namespace() {
    let project = Placement::Project("p".into());
    assert_eq!(project.shard(16), Placement::Project("p".into()).shard(16));
    let shards: BTreeSet<ShardId> = (0..200)
        .map(|number| Placement::Namespace(ClusterName::Hub, format!("ns-{number}").into()).shard(16))
        .collect();
    assert_eq!(shards.len(), 16, "all shards are used");
}

#[test]
fn shards_are_spread_over_peers() {
    let three = peers(&["a", "b", "c"]);
    for peer in &three {
        let share = (0..300).filter(|shard| proposed(ShardId(*shard), &three) == Some(peer)).count();
        assert!((70..=130).contains(&share), "{share} of 300 for {peer:?}");
    }
}

#[test]
fn a_shard_is_worked_on_only_with_its_lease() {
    let mut shards = Shards::new(me(), 1);
    shards.set_peers(peers(&["a"]));
    assert!(!shards.may_send(ShardId(0)));
    assert_eq!(shards.acquired(ShardId(0)), [ShardWant::QueueRoots(ShardId(0))]);
    assert!(shards.may_send(ShardId(0)));
    assert_eq!(shards.lost(ShardId(0)), [ShardWant::StopSending(ShardId(0))]);
    assert!(!shards.may_send(ShardId(0)));
    assert_eq!(
        shards.acquired(ShardId(0)),
        [ShardWant::QueueRoots(ShardId(0))],
        "roots are queued on each gain"
    );
}

#[test]
fn on_loss_sending_stops_then_answers_drain_then_the_lease_is_given_back() {
    let mut shards = owned();
    shards.sent(ShardId(0));
    shards.sent(ShardId(0));
    assert_eq!(shards.set_peers(peers(&[])), [ShardWant::StopSending(ShardId(0))]);
    assert!(!shards.may_send(ShardId(0)));
    assert_eq!(shards.answered(ShardId(0)), []);
    assert_eq!(shards.answered(ShardId(0)), [ShardWant::Release(ShardId(0))]);
    assert!(!shards.is_at_rest());
    assert_eq!(shards.released(ShardId(0)), []);
    assert!(shards.is_at_rest());
}

#[test]
fn a_shard_that_comes_back_while_it_drains_is_ours_without_a_new_lease_and_its_roots_are_queued() {
    let mut shards = owned();
    shards.sent(ShardId(0));
    shards.set_peers(peers(&[]));
    assert_eq!(shards.set_peers(peers(&["a"])), [ShardWant::QueueRoots(ShardId(0))]);
    assert!(shards.may_send(ShardId(0)));
}

#[test]
fn a_shard_that_comes_back_while_its_lease_is_given_back_is_acquired_anew() {
    let mut shards = owned();
    shards.set_peers(peers(&[]));
    assert_eq!(shards.set_peers(peers(&["a"])), []);
    assert!(!shards.may_send(ShardId(0)));
    assert_eq!(shards.released(ShardId(0)), [ShardWant::Acquire(ShardId(0))]);
}

#[test]
fn a_lease_that_comes_too_late_is_given_back() {
    let mut shards = Shards::new(me(), 1);
    shards.set_peers(peers(&["a"]));
    assert_eq!(shards.set_peers(peers(&[])), [ShardWant::Abandon(ShardId(0))]);
    assert_eq!(shards.acquired(ShardId(0)), [ShardWant::Release(ShardId(0))]);
    assert!(!shards.may_send(ShardId(0)));
}

#[test]
fn a_lease_that_runs_out_while_it_drains_is_not_waited_for() {
    let mut shards = owned();
    shards.sent(ShardId(0));
    shards.set_peers(peers(&[]));
    assert_eq!(shards.lost(ShardId(0)), [ShardWant::Abandon(ShardId(0))]);
    assert!(shards.is_at_rest());
    assert_eq!(shards.answered(ShardId(0)), []);
}

proptest! {
    #[test]
    fn a_peer_that_goes_moves_only_its_own_shards(
        names in prop::collection::btree_set("[a-z]{1,8}", 2..8),
        gone in any::<prop::sample::Index>(),
    ) {
        let before: BTreeSet<PeerName> = names.into_iter().map(PeerName).collect();
        let gone = gone.get(&before.iter().cloned().collect::<Vec<_>>()).clone();
        let mut after = before.clone();
        after.remove(&gone);
        for shard in (0..64).map(ShardId) {
            let owner = proposed(shard, &before);
            if owner != Some(&gone) {
                prop_assert_eq!(proposed(shard, &after), owner);
            }
        }
    }

    /// Two peers that see each other come and go in any order, with one holder per Lease: never do both send for a shard.
    #[test]
    fn two_peers_never_send_for_one_shard(events in prop::collection::vec((0_usize..2, 0_u8..6), 0..200)) {
        let shard = ShardId(0);
        let names = ["a", "b"];
        let mut both = names.map(|name| Shards::new(PeerName(name.to_owned()), 1));
        let mut holder: Option<usize> = None;
        for (at, event) in events {
            let wants = match event {
                0 => both[at].set_peers(peers(&names)),
                1 => both[at].set_peers(peers(&names[at..=at])),
                2 => both[at].set_peers(peers(&[])),
                3 if holder.is_none() => { holder = Some(at); both[at].acquired(shard) }
                4 if both[at].may_send(shard) => { both[at].sent(shard); Vec::new() }
                5 => both[at].answered(shard),
                _ => Vec::new(),
            };
            if wants.contains(&ShardWant::Release(shard)) {
                prop_assert_eq!(holder, Some(at));
                holder = None;
                both[at].released(shard);
            }
            prop_assert!(!(both[0].may_send(shard) && both[1].may_send(shard)));
            prop_assert!(!both[at].may_send(shard) || holder == Some(at));
        }
    }
}
