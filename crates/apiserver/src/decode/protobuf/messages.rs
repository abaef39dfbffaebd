//! The messages that are read: field number, name in JSON, and how the value travels.

/// How a value travels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    /// Base64 in JSON.
    Bytes,
    Flag,
    Whole,
    Time,
    MicroTime,
    /// JSON inside a `Raw` message.
    Json,
    Of(&'static str),
    Many(&'static Kind),
    Map(&'static Kind),
}

use Kind::{Bytes, Flag, Json, Many, Map, MicroTime, Of, Text, Time, Whole};

type Field = (u64, &'static str, Kind);

const META: Field = (1, "metadata", Of("ObjectMeta"));
const TEXTS: Kind = Many(&Text);

/// The fields of a message, or `None` for one that is not read.
pub(super) fn message(name: &str) -> Option<&'static [Field]> {
    envelope(name).or_else(|| core(name)).or_else(|| access(name)).or_else(|| rbac(name))
}

fn envelope(name: &str) -> Option<&'static [Field]> {
    Some(match name {
        "Unknown" => &[(1, "typeMeta", Of("TypeMeta")), (2, "raw", Bytes)],
        "TypeMeta" => &[(1, "apiVersion", Text), (2, "kind", Text)],
        "Raw" => &[(1, "raw", Bytes)],
        "Time" => &[(1, "seconds", Whole), (2, "nanos", Whole)],
        "ObjectMeta" => &[
            (1, "name", Text),
            (2, "generateName", Text),
            (3, "namespace", Text),
            (5, "uid", Text),
            (6, "resourceVersion", Text),
            (7, "generation", Whole),
            (8, "creationTimestamp", Time),
            (9, "deletionTimestamp", Time),
            (10, "deletionGracePeriodSeconds", Whole),
            (11, "labels", Map(&Text)),
            (12, "annotations", Map(&Text)),
            (13, "ownerReferences", Many(&Of("OwnerReference"))),
            (14, "finalizers", TEXTS),
            (17, "managedFields", Many(&Of("ManagedFieldsEntry"))),
        ],
        "OwnerReference" => &[
            (1, "kind", Text),
            (3, "name", Text),
            (4, "uid", Text),
            (5, "apiVersion", Text),
            (6, "controller", Flag),
            (7, "blockOwnerDeletion", Flag),
        ],
        "ManagedFieldsEntry" => &[
            (1, "manager", Text),
            (2, "operation", Text),
            (3, "apiVersion", Text),
            (4, "time", Time),
            (6, "fieldsType", Text),
            (7, "fieldsV1", Json),
            (8, "subresource", Text),
        ],
        "DeleteOptions" => &[
            (1, "gracePeriodSeconds", Whole),
            (2, "preconditions", Of("Preconditions")),
            (3, "orphanDependents", Flag),
            (4, "propagationPolicy", Text),
            (5, "dryRun", TEXTS),
        ],
        "Preconditions" => &[(1, "uid", Text), (2, "resourceVersion", Text)],
        _ => return None,
    })
}

fn core(name: &str) -> Option<&'static [Field]> {
    Some(match name {
        "Namespace" => &[META, (2, "spec", Of("NamespaceSpec"))],
        "NamespaceSpec" => &[(1, "finalizers", TEXTS)],
        "ConfigMap" => {
            &[META, (2, "data", Map(&Text)), (3, "binaryData", Map(&Bytes)), (4, "immutable", Flag)]
        }
        "Secret" => &[
            META,
            (2, "data", Map(&Bytes)),
            (3, "type", Text),
            (4, "stringData", Map(&Text)),
            (5, "immutable", Flag),
        ],
        "ServiceAccount" => &[
            META,
            (2, "secrets", Many(&Of("ObjectReference"))),
            (3, "imagePullSecrets", Many(&Of("LocalObjectReference"))),
            (4, "automountServiceAccountToken", Flag),
        ],
        "ObjectReference" => &[
            (1, "kind", Text),
            (2, "namespace", Text),
            (3, "name", Text),
            (4, "uid", Text),
            (5, "apiVersion", Text),
            (6, "resourceVersion", Text),
            (7, "fieldPath", Text),
        ],
        "LocalObjectReference" => &[(1, "name", Text)],
        "Event" => &[
            META,
            (2, "involvedObject", Of("ObjectReference")),
            (3, "reason", Text),
            (4, "message", Text),
            (5, "source", Of("EventSource")),
            (6, "firstTimestamp", Time),
            (7, "lastTimestamp", Time),
            (8, "count", Whole),
            (9, "type", Text),
            (10, "eventTime", MicroTime),
            (12, "action", Text),
            (13, "related", Of("ObjectReference")),
            (14, "reportingComponent", Text),
            (15, "reportingInstance", Text),
        ],
        "EventSource" => &[(1, "component", Text), (2, "host", Text)],
        "Lease" => &[META, (2, "spec", Of("LeaseSpec"))],
        "LeaseSpec" => &[
            (1, "holderIdentity", Text),
            (2, "leaseDurationSeconds", Whole),
            (3, "acquireTime", MicroTime),
            (4, "renewTime", MicroTime),
            (5, "leaseTransitions", Whole),
            (6, "strategy", Text),
            (7, "preferredHolder", Text),
        ],
        _ => return None,
    })
}

fn access(name: &str) -> Option<&'static [Field]> {
    Some(match name {
        "SubjectAccessReview" | "LocalSubjectAccessReview" => &[META, (2, "spec", Of("AccessSpec"))],
        "SelfSubjectAccessReview" => &[META, (2, "spec", Of("SelfAccessSpec"))],
        "AccessSpec" => &[
            (1, "resourceAttributes", Of("ResourceAttributes")),
            (2, "nonResourceAttributes", Of("NonResourceAttributes")),
            (3, "user", Text),
            (4, "groups", TEXTS),
            (6, "uid", Text),
        ],
        "SelfAccessSpec" => &[
            (1, "resourceAttributes", Of("ResourceAttributes")),
            (2, "nonResourceAttributes", Of("NonResourceAttributes")),
        ],
        "ResourceAttributes" => &[
            (1, "namespace", Text),
            (2, "verb", Text),
            (3, "group", Text),
            (4, "version", Text),
            (5, "resource", Text),
            (6, "subresource", Text),
            (7, "name", Text),
        ],
        "NonResourceAttributes" => &[(1, "path", Text), (2, "verb", Text)],
        "SelfSubjectRulesReview" => &[META, (2, "spec", Of("RulesSpec"))],
        "RulesSpec" => &[(1, "namespace", Text)],
        "SelfSubjectReview" => &[META],
        "TokenReview" => &[META, (2, "spec", Of("TokenSpec"))],
        "TokenSpec" => &[(1, "token", Text), (2, "audiences", TEXTS)],
        _ => return None,
    })
}

fn rbac(name: &str) -> Option<&'static [Field]> {
    Some(match name {
        "Role" | "ClusterRole" => &[META, (2, "rules", Many(&Of("PolicyRule")))],
        "PolicyRule" => &[
            (1, "verbs", TEXTS),
            (2, "apiGroups", TEXTS),
            (3, "resources", TEXTS),
            (4, "resourceNames", TEXTS),
            (5, "nonResourceURLs", TEXTS),
        ],
        "RoleBinding" | "ClusterRoleBinding" => {
            &[META, (2, "subjects", Many(&Of("Subject"))), (3, "roleRef", Of("RoleRef"))]
        }
        "Subject" => &[(1, "kind", Text), (2, "apiGroup", Text), (3, "name", Text), (4, "namespace", Text)],
        "RoleRef" => &[(1, "apiGroup", Text), (2, "kind", Text), (3, "name", Text)],
        _ => return None,
    })
}
