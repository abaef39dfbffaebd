//! Every kind that is served as data: where it comes from, which plane serves it, what it shows before a controller
//! has looked.
//!
//! Planes are those of decisions.md. A kind's status default names only conditions that some component of ours writes,
//! so that nothing says `Unknown` for ever.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::CustomResourceExt;

use crate::cluster::ClusterRole;
use crate::condition::ConditionType;
use crate::kind::{Kind, ResourceKind};
use crate::{cloud, data_plane, ipam, karmada, locations, networking, resourcemanager};

/// Whose kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Ours: `crds` prints it.
    Ours,
    /// Somebody else's, installed by them in production; generated for development and the embedded planes.
    Foreign,
    /// Served by the address service's own code; generated for its shape only.
    AddressService,
}

/// How a field's contract differs from what its type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    /// Required, although decoding is lenient.
    Required,
    /// The value that decoding assumes is never written by the server.
    NoDefault,
    /// Null is a value of its own.
    Nullable,
}

/// One kind.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its place in the API.
    pub resource: ResourceKind,
    /// Whose it is.
    pub origin: Origin,
    /// Planes that serve it.
    pub planes: &'static [ClusterRole],
    /// Conditions that say `Unknown`, `Pending` on a new object.
    pub pending: &'static [ConditionType],
    /// Whether an object without spec is refused.
    pub spec_required: bool,
    /// Whether fields that the type does not name are kept.
    pub open: bool,
    /// Fields whose contract is not what the type says by itself.
    pub exceptions: &'static [(&'static str, Exception)],
    pub(super) derived: fn() -> CustomResourceDefinition,
}

impl Entry {
    const fn of<K: Kind + CustomResourceExt>(origin: Origin, planes: &'static [ClusterRole]) -> Self {
        Self {
            resource: K::RESOURCE,
            origin,
            planes,
            pending: &[],
            spec_required: false,
            open: false,
            exceptions: &[],
            derived: K::crd,
        }
    }

    const fn ours<K: Kind + CustomResourceExt>(planes: &'static [ClusterRole]) -> Self {
        Self::of::<K>(Origin::Ours, planes)
    }

    const fn foreign<K: Kind + CustomResourceExt>(planes: &'static [ClusterRole]) -> Self {
        Self::of::<K>(Origin::Foreign, planes)
    }

    const fn address_service<K: Kind + CustomResourceExt>() -> Self {
        Self::of::<K>(Origin::AddressService, &[ClusterRole::Ipam])
    }

    const fn pending(self, pending: &'static [ConditionType]) -> Self {
        Self { pending, ..self }
    }

    const fn spec_required(self) -> Self {
        Self { spec_required: true, ..self }
    }

    const fn except(self, exceptions: &'static [(&'static str, Exception)]) -> Self {
        Self { exceptions, ..self }
    }

    const fn open(self) -> Self {
        Self { open: true, ..self }
    }
}

use ClusterRole::{Cell, Core, Hub, Project};
use ConditionType::{Allocated, Bound, Prepared, Programmed, Ready};
use Exception::{NoDefault, Nullable, Required};

/// Every kind, by group and plane.
pub const ENTRIES: &[Entry] = &[
    Entry::ours::<networking::Network>(&[Project]).pending(&[Ready]).spec_required(),
    Entry::ours::<networking::NetworkBinding>(&[Project, Hub]).pending(&[Ready]).spec_required(),
    Entry::ours::<networking::NetworkContext>(&[Project, Hub, Cell]).pending(&[Ready]),
    Entry::ours::<networking::NetworkPolicy>(&[Project]),
    Entry::ours::<networking::Subnet>(&[Project, Hub, Cell]).pending(&[Allocated, Ready]),
    Entry::ours::<networking::SubnetClaim>(&[Project]).pending(&[Allocated, Ready]),
    Entry::ours::<networking::NetworkInterface>(&[Project, Hub, Cell])
        .pending(&[Allocated, Prepared, Programmed])
        .spec_required(),
    Entry::ours::<networking::NetworkInterfaceClaim>(&[Cell])
        .pending(&[Bound, Allocated, Prepared, Programmed, Ready])
        .spec_required(),
    Entry::ours::<networking::Location>(&[Core, Project]),
    Entry::ours::<networking::LocationBinding>(&[Project]),
    Entry::ours::<networking::ServingLocation>(&[Hub, Cell]),
    Entry::ours::<cloud::NetworkFabricIdentity>(&[Hub, Cell]).spec_required(),
    Entry::ours::<cloud::Vpc>(&[Cell]).spec_required(),
    Entry::ours::<cloud::VpcAttachment>(&[Cell]).spec_required().except(&[("spec.interface.name", Required)]),
    Entry::foreign::<resourcemanager::Project>(&[Core]).spec_required(),
    Entry::foreign::<locations::LocationClass>(&[Core]),
    Entry::foreign::<locations::Location>(&[Core, Project]),
    Entry::foreign::<locations::ServingLocation>(&[Hub, Cell]),
    Entry::foreign::<karmada::ClusterPropagationPolicy>(&[Hub]).spec_required().open(),
    Entry::foreign::<karmada::ResourceBinding>(&[Hub]).spec_required().open(),
    Entry::foreign::<karmada::ClusterResourceBinding>(&[Hub]).spec_required().open(),
    Entry::foreign::<karmada::Work>(&[Hub]).spec_required().open(),
    Entry::foreign::<karmada::Cluster>(&[Hub]).open(),
    Entry::foreign::<data_plane::BgpAdvertisement>(&[Cell]).open(),
    Entry::foreign::<data_plane::BgpRouter>(&[Cell]).open(),
    Entry::foreign::<data_plane::NetworkAttachmentDefinition>(&[Cell]).open(),
    Entry::foreign::<data_plane::Instance>(&[Cell]).open(),
    Entry::address_service::<ipam::IpClass>().except(&[
        ("spec.ipFamily", Required),
        ("spec.ipFamily", NoDefault),
        ("spec.routing", NoDefault),
        ("status.offeringPools", NoDefault),
        ("status.provisionedPools", NoDefault),
    ]),
    Entry::address_service::<ipam::IpPool>().except(&[
        ("spec.allocation", NoDefault),
        ("spec.scope{}.apiGroup", Required),
        ("spec.scope{}.apiGroup", NoDefault),
        ("status.capacity", NoDefault),
        ("status.utilizationPercent", NoDefault),
    ]),
    Entry::address_service::<ipam::IpClaim>().except(&[
        ("spec.prefixLength", Nullable),
        ("spec.scope{}.apiGroup", Required),
        ("spec.scope{}.apiGroup", NoDefault),
        ("spec.ownerRef.apiGroup", Required),
        ("spec.ownerRef.apiGroup", NoDefault),
    ]),
    Entry::address_service::<ipam::IpAllocation>().except(&[
        ("spec.ipFamily", Required),
        ("spec.ipFamily", NoDefault),
        ("spec.scope{}.apiGroup", Required),
        ("spec.scope{}.apiGroup", NoDefault),
        ("spec.ownerRef.apiGroup", Required),
        ("spec.ownerRef.apiGroup", NoDefault),
    ]),
];

/// The kinds a plane serves as data, in catalogue order.
pub fn for_plane(role: ClusterRole) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.planes.contains(&role))
}
