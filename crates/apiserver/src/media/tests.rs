//! Content negotiation.

use super::*;

#[test]
fn kubectls_table_request_gets_a_table_where_one_is_possible() {
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    assert_eq!(negotiate(accept, &[Form::Table]).unwrap().form, Form::Table);
    assert_eq!(negotiate(accept, &[]).unwrap().form, Form::Object);
}

#[test]
fn protobuf_first_falls_back_to_json() {
    let accept = "application/vnd.kubernetes.protobuf,application/json";
    assert_eq!(negotiate(accept, &[]).unwrap().encoding, Encoding::Json);
}

#[test]
fn quality_orders_the_clauses() {
    let accept = "application/json;q=0.5, application/yaml;q=0.9";
    assert_eq!(negotiate(accept, &[]).unwrap().encoding, Encoding::Yaml);
}

#[test]
fn a_form_nobody_serves_is_refused() {
    assert_eq!(negotiate("text/html", &[]).unwrap_err().code, 406);
}
