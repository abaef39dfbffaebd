//! One test per row, with the body kube-apiserver 1.36.3 sent.

use super::*;

fn told(verb: Verb, code: u16, body: &str) -> (Meaning, &'static str) {
    meaning(verb, &Answer::read(code, body.as_bytes(), None, None))
}

const CONFLICT: &str = r#"{"reason":"Conflict","message":"Operation cannot be fulfilled on configmaps \"a\": the object has been modified","details":{"name":"a","kind":"configmaps"}}"#;

/// Verb, code and body as measured; what it means and which row says so.
const CASES: &[(Verb, u16, &str, Meaning, &str)] = &[
    (
        Verb::Create,
        409,
        r#"{"reason":"AlreadyExists","details":{"name":"a","kind":"configmaps"}}"#,
        Meaning::Race,
        "already-exists",
    ),
    (
        Verb::Record,
        409,
        r#"{"reason":"AlreadyExists","details":{"name":"a","kind":"events"}}"#,
        Meaning::Applied,
        "event-recorded-before",
    ),
    (Verb::Apply, 409, CONFLICT, Meaning::Race, "resource-version"),
    (
        Verb::Delete,
        409,
        r#"{"reason":"Conflict","message":"the UID in the precondition (0) does not match the UID in record (1)."}"#,
        Meaning::Gone,
        "delete-uid",
    ),
    (
        Verb::Delete,
        409,
        r#"{"reason":"Conflict","message":"the ResourceVersion in the precondition (1) does not match"}"#,
        Meaning::Race,
        "resource-version",
    ),
    (
        Verb::Apply,
        409,
        r#"{"reason":"Conflict","message":"uid mismatch: the provided object specified uid 0, and no existing object was found"}"#,
        Meaning::Gone,
        "apply-uid-absent",
    ),
    (
        Verb::Apply,
        422,
        r#"{"reason":"Invalid","details":{"causes":[{"field":"metadata.uid","reason":"FieldValueInvalid"}]}}"#,
        Meaning::Gone,
        "apply-uid-other",
    ),
    (Verb::Apply, 404, "404 page not found\n", Meaning::NotServed, "kind-not-served"),
    (
        Verb::Create,
        404,
        r#"{"reason":"NotFound","details":{"name":"nowhere","kind":"namespaces"}}"#,
        Meaning::Namespace,
        "namespace-missing",
    ),
    (
        Verb::Delete,
        404,
        r#"{"reason":"NotFound","details":{"name":"zz","kind":"configmaps"}}"#,
        Meaning::Gone,
        "object-gone",
    ),
    (
        Verb::Create,
        403,
        r#"{"reason":"Forbidden","details":{"name":"b","causes":[{"reason":"NamespaceTerminating"}]}}"#,
        Meaning::Namespace,
        "namespace-terminating",
    ),
    (Verb::Create, 403, r#"{"reason":"Forbidden","details":{"name":"b"}}"#, Meaning::Refused, "refused"),
    (
        Verb::Apply,
        422,
        r#"{"reason":"Invalid","message":"Forbidden: no new finalizers can be added if the object is being deleted"}"#,
        Meaning::Replan,
        "finalizer-while-deleting",
    ),
    (
        Verb::Remove,
        422,
        r#"{"reason":"Invalid","message":"the server rejected our request due to an error in our request","details":{}}"#,
        Meaning::Race,
        "patch-test",
    ),
    (
        Verb::Apply,
        422,
        r#"{"reason":"Invalid","message":"Only one reference can have Controller set to true"}"#,
        Meaning::Refused,
        "refused",
    ),
    (
        Verb::Apply,
        500,
        r#"{"message":"failed to create typed patch object: .spec: field not declared in schema"}"#,
        Meaning::SchemaTooOld,
        "schema-too-old",
    ),
    (Verb::Apply, 500, r#"{"message":"etcdserver: request timed out"}"#, Meaning::Failed, "failed"),
    (Verb::Apply, 429, r#"{"reason":"TooManyRequests"}"#, Meaning::Busy, "too-many-requests"),
    (Verb::Apply, 401, r#"{"reason":"Unauthorized"}"#, Meaning::Failed, "unauthorized"),
];

#[test]
fn every_row_is_found_by_the_answer_it_was_measured_on() {
    for (verb, code, body, meaning, name) in CASES {
        assert_eq!(told(*verb, *code, body), (*meaning, *name), "{verb:?} {code} {body}");
    }
    for row in TABLE {
        assert!(CASES.iter().any(|case| case.4 == row.name), "row {} has no case", row.name);
    }
}

#[test]
fn an_answer_that_was_lost_is_an_error_and_not_a_refusal() {
    let lost = Answer::Lost { message: "timed out".to_owned() };
    assert_eq!(meaning(Verb::Apply, &lost), (Meaning::Failed, "lost"));
}
