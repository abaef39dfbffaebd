//! Bytes of lists, watches and leases.

use api::builtin::Namespace;

use super::*;

fn kind() -> &'static KindEntry {
    KindEntry::of::<Namespace>()
}

#[test]
fn a_page_keeps_what_does_not_decode_as_invalid() {
    let body = br#"{"metadata":{"resourceVersion":"7","continue":"to ken"},"items":[
        {"metadata":{"name":"a","resourceVersion":"1"}},
        {"metadata":{"name":"b","resourceVersion":"2"},"status":{"phase":"Odd"}}]}"#;
    let page = read_page(200, body, kind()).unwrap();
    assert_eq!(page.version, "7");
    assert_eq!(page.objects.len(), 2);
    assert!(matches!(page.objects[0].content, reconcile::Content::Typed(_)));
    assert!(matches!(&page.objects[1].content, reconcile::Content::Invalid(text) if text.contains("Odd")));
    assert!(page_path(kind(), 5, page.continue_token.as_deref()).ends_with("?limit=5&continue=to%20ken"));
}

#[test]
fn refusals_of_lists_are_told_apart() {
    assert_eq!(refused(410, b"{}"), Failure::Gone);
    assert_eq!(refused(404, b"404 page not found"), Failure::NotServed);
    assert_eq!(refused(403, br#"{"message":"no"}"#), Failure::Forbidden("no".to_owned()));
    assert!(matches!(refused(503, b""), Failure::Unreachable(_)));
    assert!(matches!(refused(500, b""), Failure::Other(_)));
}

#[test]
fn events_carry_objects_bookmarks_versions_and_errors_end_the_watch() {
    let added =
        read_event(br#"{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"3"}}}"#, kind());
    assert!(matches!(added, Ok(Some(Watched::Applied(object))) if object.meta.key.name.as_str() == "a"));
    let bookmark =
        read_event(br#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}"#, kind());
    assert!(matches!(bookmark, Ok(Some(Watched::Bookmark(version))) if version == "9"));
    let expired = read_event(br#"{"type":"ERROR","object":{"kind":"Status","code":410}}"#, kind());
    assert_eq!(expired.unwrap_err(), Failure::Gone);
    assert!(read_event(b"\n", kind()).unwrap().is_none());
}

#[test]
fn a_lease_is_written_as_it_is_read() {
    let place = LeasePlace { cluster: ClusterName::Core, namespace: "n".into(), name: "l".into() };
    let record = LeaseRecord {
        version: "4".to_owned(),
        holder: "me".to_owned(),
        duration_seconds: 15,
        acquired: Some(Timestamp::UNIX_EPOCH),
        renewed: Some(Timestamp::UNIX_EPOCH),
        transitions: 3,
    };
    let request = place.request(&LeaseWant::Write(record.clone()));
    assert_eq!(
        (request.method, request.path.as_str()),
        (Method::Put, "/apis/coordination.k8s.io/v1/namespaces/n/leases/l")
    );
    assert_eq!(place.read(200, &request.body), LeaseAnswer::Record(record));
    assert_eq!(place.read(409, b"{}"), LeaseAnswer::Conflict);
    assert_eq!(place.read(404, br#"{"details":{"kind":"leases"}}"#), LeaseAnswer::Missing);
    assert!(matches!(place.read(404, br#"{"details":{"kind":"namespaces"}}"#), LeaseAnswer::Failed(_)));
}
