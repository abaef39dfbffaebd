//! Validation that a schema alone cannot say, as expressions that the API server evaluates.
//!
//! A message is what the user reads beside the field's path. For each rule `facts/rules/` holds objects it accepts and
//! objects it rejects. `self == oldSelf` does not fire when a field appears or vanishes, so an optional immutable
//! field is guarded on its parent.

use crate::kind::{Kind, ResourceKind};
use crate::{cloud, locations, networking};

/// One rule of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The kind.
    pub resource: ResourceKind,
    /// The field it guards, as in `spec.addresses[].family`.
    pub path: &'static str,
    /// The expression; true accepts.
    pub cel: &'static str,
    /// What the user reads.
    pub message: &'static str,
}

/// The rules of one kind, in the order they are evaluated.
pub fn of(resource: &ResourceKind) -> impl Iterator<Item = &'static Rule> {
    let resource = *resource;
    RULES.iter().filter(move |rule| rule.resource == resource)
}

const fn rule<K: Kind>(path: &'static str, cel: &'static str, message: &'static str) -> Rule {
    Rule { resource: K::RESOURCE, path, cel, message }
}

const UNCHANGED: &str = "self == oldSelf";
const WITHIN_90: &str = "double(self) >= -90.0 && double(self) <= 90.0";
const WITHIN_180: &str = "double(self) >= -180.0 && double(self) <= 180.0";
const LATITUDE: &str = "latitude must be between -90 and 90";
const LONGITUDE: &str = "longitude must be between -180 and 180";
const HAS_CITY: &str =
    "'topology.datum.net/city-code' in self && self['topology.datum.net/city-code'].size() > 0";
const CITY: &str = "topology must carry a non-empty topology.datum.net/city-code";
const CLAIM_NETWORK: &str = "network is immutable and cannot be changed after creation";

/// Every rule.
pub const RULES: &[Rule] = &[
    rule::<networking::Network>(
        "spec.ipFamilies",
        "'IPv6' in self",
        "ipFamilies must contain IPv6: every address of a network is derived from its IPv6 prefix",
    ),
    rule::<networking::NetworkBinding>("spec.location", UNCHANGED, "spec.location is immutable"),
    rule::<networking::NetworkBinding>("spec.network", UNCHANGED, "spec.network is immutable"),
    rule::<networking::NetworkInterface>(
        "spec.addresses",
        "self.size() == 0 || self.filter(a, has(a.primary) && a.primary).size() == 1",
        "Exactly one address must be primary",
    ),
    rule::<networking::NetworkInterface>(
        "spec.addresses",
        "self.all(a, self.exists_one(b, b.family == a.family))",
        "Only one address may be held per address family",
    ),
    rule::<networking::NetworkInterface>(
        "spec.externalAddresses",
        "self.all(a, self.exists_one(b, b.address == a.address))",
        "External addresses must be unique",
    ),
    rule::<networking::NetworkInterface>(
        "spec.externalAddresses",
        "self.all(a, self.exists_one(b, b.class == a.class))",
        "Only one external address may be held per address class",
    ),
    rule::<networking::NetworkInterface>("spec.network", UNCHANGED, CLAIM_NETWORK),
    rule::<networking::NetworkInterfaceClaim>(
        "spec",
        "has(self.networkInterfaceName) == has(oldSelf.networkInterfaceName) \
         && (!has(self.networkInterfaceName) || self.networkInterfaceName == oldSelf.networkInterfaceName)",
        "networkInterfaceName is immutable and cannot be set, changed, or cleared after creation",
    ),
    rule::<networking::NetworkInterfaceClaim>(
        "spec",
        "has(self.addresses) == has(oldSelf.addresses) \
         && (!has(self.addresses) || self.addresses == oldSelf.addresses)",
        "addresses is immutable and cannot be set, changed, or cleared after creation",
    ),
    rule::<networking::NetworkInterfaceClaim>(
        "spec.addresses",
        "self.all(a, self.exists_one(b, b.class == a.class))",
        "Each address class may be requested at most once",
    ),
    rule::<networking::NetworkInterfaceClaim>(
        "spec.attachmentMode",
        UNCHANGED,
        "attachmentMode is immutable and cannot be changed after creation",
    ),
    rule::<networking::NetworkInterfaceClaim>(
        "spec.interfaceName",
        UNCHANGED,
        "interfaceName is immutable and cannot be changed after creation",
    ),
    rule::<networking::NetworkInterfaceClaim>(
        "spec.ipFamilies",
        "self.all(a, self.exists_one(b, b == a))",
        "Each address family may be requested at most once",
    ),
    rule::<networking::NetworkInterfaceClaim>(
        "spec.ipFamilies",
        UNCHANGED,
        "ipFamilies is immutable and cannot be changed after creation",
    ),
    rule::<networking::NetworkInterfaceClaim>("spec.network", UNCHANGED, CLAIM_NETWORK),
    rule::<networking::NetworkInterfaceClaim>(
        "spec.reclaimPolicy",
        UNCHANGED,
        "reclaimPolicy is immutable and cannot be changed after creation",
    ),
    rule::<networking::Location>("spec.coordinates.latitude", WITHIN_90, LATITUDE),
    rule::<networking::Location>("spec.coordinates.longitude", WITHIN_180, LONGITUDE),
    rule::<networking::ServingLocation>("spec.topology", HAS_CITY, CITY),
    rule::<cloud::NetworkFabricIdentity>(
        "spec.identity",
        UNCHANGED,
        "identity is immutable: it is never reissued",
    ),
    rule::<cloud::Vpc>(
        "spec",
        "self.networks.all(network, isCIDR(network))",
        "each network must be a valid IPv4 or IPv6 CIDR",
    ),
    rule::<cloud::Vpc>("spec", UNCHANGED, "spec is immutable"),
    rule::<cloud::VpcAttachment>(
        "spec.interface",
        "!has(self.addresses) || self.addresses.all(address, isCIDR(address))",
        "each address must be a valid IPv4 or IPv6 CIDR",
    ),
    rule::<cloud::VpcAttachment>(
        "status.podSubnet",
        "isCIDR(self) && cidr(self).ip().family() == 6",
        "podSubnet must be a valid IPv6 CIDR",
    ),
    rule::<locations::LocationClass>("spec.controllerName", UNCHANGED, "controllerName is immutable"),
    rule::<locations::Location>("spec.coordinates.latitude", WITHIN_90, LATITUDE),
    rule::<locations::Location>("spec.coordinates.longitude", WITHIN_180, LONGITUDE),
    rule::<locations::ServingLocation>("spec.topology", HAS_CITY, CITY),
];
