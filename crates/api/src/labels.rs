//! Every label key, annotation key, finalizer, lease and field manager name, once.
//!
//! The texts are those of the reference operator (behaviour.md section 0), so that it can be replaced in place.

/// On objects derived from another plane: `cluster-<project>` with `/` written as `_` (SH1).
pub const UPSTREAM_CLUSTER_NAME: &str = "meta.datumapis.com/upstream-cluster-name";
/// Group of the object a copy was made from.
pub const UPSTREAM_GROUP: &str = "meta.datumapis.com/upstream-group";
/// Kind of the object a copy was made from.
pub const UPSTREAM_KIND: &str = "meta.datumapis.com/upstream-kind";
/// Name of the object a copy was made from; its presence says "this is a copy".
pub const UPSTREAM_NAME: &str = "meta.datumapis.com/upstream-name";
/// Namespace in the project: on copies and on hub namespaces.
pub const UPSTREAM_NAMESPACE: &str = "meta.datumapis.com/upstream-namespace";

/// Name of the Network an object belongs to.
pub const NETWORK: &str = "networking.datumapis.com/network";
/// Name of the location an object belongs to; what propagation selects by.
pub const LOCATION: &str = "networking.datumapis.com/location";
/// Uid of the Network a context or hub binding was made for.
pub const NETWORK_UID: &str = "networking.datumapis.com/network-uid";

/// Marks a published copy of a cell's interface with [`TRUE`].
pub const NETWORK_INTERFACE_PROJECTION: &str = "networking.datumapis.com/network-interface-projection";
/// Claim that holds the interface behind a published copy.
pub const HELD_BY: &str = "networking.datumapis.com/held-by";
/// Namespace that a published copy was made from.
pub const SOURCE_NAMESPACE: &str = "networking.datumapis.com/source-namespace";

/// Who published a hub object; see [`LOCATION_PUBLISHER`].
pub const PUBLISHED_BY: &str = "networking.datumapis.com/published-by";
/// Value of [`PUBLISHED_BY`] on objects of the location publisher.
pub const LOCATION_PUBLISHER: &str = "location-publisher";
/// Label of a member cluster that tells which location it serves.
pub const CLUSTER_LOCATION: &str = "topology.datum.net/location";
/// Topology key of a location's city.
pub const CITY_CODE: &str = "topology.datum.net/city-code";
/// Topology key of a location's region.
pub const REGION: &str = "topology.datum.net/region";

/// On a pod: interfaces are to be injected by the admission webhook.
pub const INJECT_INTERFACES: &str = "networking.datumapis.com/inject-interfaces";
/// On an attachment definition: identifier of its VPC.
pub const VPC: &str = "cloud.datumapis.com/vpc";
/// On an attachment definition: identifier of its attachment.
pub const VPC_ATTACHMENT: &str = "cloud.datumapis.com/vpc-attachment";
/// Prefix of the labels of a fabric identity, one per location with a context; the value is [`TRUE`].
pub const FABRIC_IDENTITY_LOCATION_PREFIX: &str = "cloud.datumapis.com/location-";
/// Marks a propagation policy of a fabric identity with [`TRUE`].
pub const FABRIC_IDENTITY_POLICY: &str = "cloud.datumapis.com/fabric-identity-policy";

/// The only value that switches a boolean label or annotation on.
pub const TRUE: &str = "true";

/// Annotation keys.
pub mod annotation {
    /// On a context without holders: since when, RFC 3339 in UTC.
    pub const UNCLAIMED_SINCE: &str = "networking.datumapis.com/unclaimed-since";
    /// On an interface: claim under whose name its addresses were allocated.
    pub const ALLOCATION_CLAIM: &str = "networking.datumapis.com/allocation-claim";
    /// On an address claim: cell, namespace and uid of the claim it was made for.
    pub const CLAIMED_FOR: &str = "networking.datumapis.com/claimed-for";
    /// On a `ServingLocation`: why it is kept though its location is gone.
    pub const REMOVAL_BLOCKED: &str = "networking.datumapis.com/removal-blocked";
    /// On a `ServingLocation`: `true` lets it go although clusters may still serve it.
    pub const REMOVAL_OVERRIDE: &str = "networking.datumapis.com/removal-override";
    /// On a Network touched by the family migration: its families before.
    pub const IP_FAMILIES_BEFORE: &str = "networking.datumapis.com/ip-families-before";
    /// On a pod: interfaces that the webhook injected.
    pub const INJECTED_INTERFACES: &str = "networking.datumapis.com/injected-interfaces";
    /// On a pod: attachments the meta plugin shall add.
    pub const POD_NETWORKS: &str = "k8s.v1.cni.cncf.io/networks";
    /// On an attachment definition: device name on the host.
    pub const HOST_INTERFACE: &str = "k8s.v1.cni.cncf.io/host-interface";
    /// On an advertisement, followed by an identifier: IPv6 range the data plane gave out.
    pub const ALLOCATED_SUBNET_IPV6_PREFIX: &str = "galactic.datum.net/allocated-subnet-ipv6.";
    /// On an advertisement, followed by an identifier: IPv4 range the data plane gave out.
    pub const ALLOCATED_SUBNET_IPV4_PREFIX: &str = "galactic.datum.net/allocated-subnet-ipv4.";
    /// On an advertisement: `true` says that the guest addresses itself.
    pub const NO_ADDRESSING: &str = "galactic.datum.net/no-addressing";
}

/// Finalizers. Those marked "old" are only taken off when met.
pub mod finalizer {
    /// Network: contexts have to end first.
    pub const NETWORK_CONTROLLER: &str = "networking.datumapis.com/network-controller";
    /// Network: its address range has to be returned.
    pub const NETWORK_PREFIX_RELEASE: &str = "networking.datumapis.com/network-prefix-release";
    /// Network, old (Z33).
    pub const NETWORK_PRESENCE: &str = "networking.datumapis.com/network-presence";
    /// `NetworkContext` in the project: its address range has to be returned.
    pub const NETWORK_CONTEXT_SUBNET_RELEASE: &str = "networking.datumapis.com/networkcontext-subnet-release";
    /// `NetworkContext` in a cell: interfaces of its network are still there.
    pub const NETWORK_CONTEXT_IN_USE: &str = "networking.datumapis.com/networkcontext-in-use";
    /// `NetworkInterfaceClaim`: its addresses have to be returned.
    pub const NETWORK_INTERFACE_CLAIM_RELEASE: &str =
        "networking.datumapis.com/networkinterfaceclaim-release";
    /// `NetworkInterface`: its addresses have to be returned.
    pub const NETWORK_INTERFACE_RELEASE: &str = "networking.datumapis.com/networkinterface-release";
    /// Any replicated kind in a project: its hub copy has to go first.
    pub const RESOURCE_REPLICATOR: &str = "gateway.networking.datumapis.com/gateway-resource-replicator";
}

/// Lease names (behaviour CF5): the manager holds both of its own, so it excludes a running reference manager.
pub mod lease {
    /// The manager.
    pub const MANAGER: &str = "6a7d51cc.datumapis.com";
    /// The manager's controllers that write from one place only.
    pub const MANAGER_SINGLETON: &str = "6a7d51cc.datumapis.com-singleton";
    /// A cell's controllers.
    pub const CELL: &str = "6a7d51cc.datumapis.com-cell";
}

/// Field managers whose names are kept because the reference applies with them too (decisions, Take-over).
pub mod field_manager {
    /// Prefix of every manager of ours: `network-services/<controller>[.<group>]`.
    pub const PREFIX: &str = "network-services/";
    /// The location publisher.
    pub const LOCATION_PUBLISHER: &str = "network-services-operator-location-publisher";
    /// The publisher of fabric identities.
    pub const FABRIC_IDENTITY: &str = "cloud-fabric-identity";
    /// The reference manager's updates, taken over when met.
    pub const REFERENCE_MANAGER: &str = "network-services";
    /// The reference attachment controller's updates, taken over when met.
    pub const REFERENCE_VPC_CONTROLLER: &str = "vpc-controller";
}
