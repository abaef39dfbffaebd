//! Each rule against code that breaks it, and the code base against all of them.

use std::collections::BTreeSet;

use super::sources::Source;
use super::*;

fn source(path: &str, text: &str) -> Source {
    Source::new(path.to_owned(), text.to_owned()).unwrap()
}

fn only(findings: &[String], part: &str) {
    assert!(matches!(findings, [one] if one.contains(part)), "{findings:#?} should be one with {part:?}");
}

#[test]
fn the_code_base_keeps_its_rules() {
    let findings = check(&crate::workspace()).unwrap();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_crate_may_not_reach_through_a_wall() {
    let mut workspace = walls::Workspace::new();
    let mut hub = walls::Dependencies::default();
    hub.ours.extend(["api".to_owned(), "cell".to_owned()]);
    workspace.insert("hub".to_owned(), hub);
    only(&walls::check(&workspace), "depends on cell");
}

#[test]
fn a_pure_crate_may_have_no_shell_below_it() {
    let mut workspace = walls::Workspace::new();
    let mut engine = walls::Dependencies::default();
    engine.below.insert("tokio".to_owned());
    workspace.insert("engine".to_owned(), engine);
    only(&walls::check(&workspace), "tokio is below it");
}

#[test]
fn the_simulator_has_no_shell_below_it_as_it_is_built() {
    let workspace = walls::workspace(&crate::workspace()).unwrap();
    let below = &workspace["simulator"].below;
    assert!(
        below.contains("network-services-scenarios") && below.contains("network-services-engine"),
        "{below:?}"
    );
    let simulator = walls::Dependencies { below: BTreeSet::from(["tokio".to_owned()]), ..Default::default() };
    let planted = walls::Workspace::from([("simulator".to_owned(), simulator)]);
    only(&walls::check(&planted), "tokio is below it");
}

#[test]
fn a_crate_that_nobody_placed_is_a_finding() {
    let workspace = walls::Workspace::from([("novelty".to_owned(), walls::Dependencies::default())]);
    only(&walls::check(&workspace), "not in the table");
}

#[test]
fn a_pure_crate_may_not_read_the_clock() {
    let code = "//! x\nfn now() { let _ = jiff::Timestamp::now(); }";
    only(&calls::check(&[source("crates/engine/src/a.rs", code)]), "a.rs:2: Timestamp::now");
    assert!(calls::check(&[source("crates/runtime/src/a.rs", code)]).is_empty());
}

#[test]
fn grouped_and_renamed_imports_are_seen() {
    for code in ["use std::{fs, io};", "use std::fs as disk;", "use std::{io, fs::{File}};"] {
        only(&calls::check(&[source("crates/hub/src/a.rs", code)]), "std::fs");
    }
}

#[test]
fn comments_strings_and_tests_do_not_count_as_calls() {
    let code = "//! HashMap\n/// HashMap\nfn a() -> &'static str { \"HashMap\" /* HashMap */ }\n\
                #[cfg(test)]\nmod tests { use std::collections::HashMap; }";
    assert!(calls::check(&[source("crates/hub/src/a.rs", code)]).is_empty());
    assert!(calls::check(&[source("crates/hub/src/a/tests.rs", "use std::fs;")]).is_empty());
}

#[test]
fn an_unordered_map_is_found_inside_a_macro_too() {
    let code = "fn a() { assert!(HashMap::<u8, u8>::new().is_empty()); }";
    only(&calls::check(&[source("crates/api/src/a.rs", code)]), "HashMap");
}

#[test]
fn a_long_file_and_a_long_function_are_found() {
    let long = format!("//! x\n{}", "const _: u8 = 0;\n".repeat(500));
    only(&sizes::check(&[source("crates/hub/src/a.rs", &long)]), "501 lines");
    assert!(sizes::check(&[source("crates/hub/src/a/tests.rs", &long)]).is_empty());
    let function = format!("fn a() {{\n{}}}\n", "let _ = 0;\n".repeat(69));
    only(&sizes::check(&[source("crates/hub/src/a.rs", &function)]), "a has 71 lines");
    let commented = format!("fn a() {{\n{}}}\n", "let _ = 0;\n\n// why\n".repeat(68));
    assert!(sizes::check(&[source("crates/hub/src/a.rs", &commented)]).is_empty());
}

#[test]
fn tests_inside_a_file_do_not_make_it_long() {
    let body = "const _: u8 = 0;\n".repeat(499);
    let code = format!("//! x\n{body}#[cfg(test)]\nmod tests {{\n{body}}}\n");
    assert!(sizes::check(&[source("crates/hub/src/a.rs", &code)]).is_empty());
}

#[test]
fn a_file_that_no_module_names_is_found() {
    let library = source("crates/hub/src/lib.rs", "//! x\nmod a;");
    let named = source("crates/hub/src/a.rs", "//! x\nmod inner { mod b; }");
    let nested = source("crates/hub/src/a/inner/b.rs", "//! x");
    let lost = source("crates/hub/src/c.rs", "//! x");
    only(&modules::check(&[library, named, nested, lost]), "src/c.rs: no module names it");
}

#[test]
fn a_file_says_what_it_is_and_its_name_says_something() {
    only(&modules::check(&[source("crates/hub/src/lib.rs", "fn a() {}")]), "no module documentation");
    let library = source("crates/hub/src/lib.rs", "//! x\nmod utils;");
    let utils = source("crates/hub/src/utils.rs", "//! x");
    only(&modules::check(&[library, utils]), "`utils` says nothing");
}

#[test]
fn leftovers_are_found_in_comments_and_code() {
    let root = Path::new("/nowhere");
    let comment = format!("// {}ME later\n", "FIX");
    only(&markers::check(root, &[source("crates/hub/src/a.rs", &comment)]).unwrap(), "a.rs:1");
    only(&markers::check(root, &[source("crates/hub/src/a.rs", "fn a() { todo!() }")]).unwrap(), "todo!");
}

#[test]
fn reasons_are_read_from_their_declaration() {
    let code = "//! x\ntext_enum! {\n/// Why.\nThingReason {\n/// a\nPending,\n/// b\nIpam = \"IPAM\",\n}\n}\n\
                text_enum! { /// x\nThing { A } }";
    let declared = reasons::declared(&[source("crates/api/src/thing.rs", code)]);
    assert_eq!(declared["ThingReason"], ["Pending", "Ipam"]);
    assert_eq!(declared.len(), 1);
}

#[test]
fn a_reason_is_produced_or_listed_and_no_listed_one_is_produced() {
    let declared =
        reasons::Reasons::from([("ThingReason".to_owned(), vec!["Pending".to_owned(), "Ready".to_owned()])]);
    let produced = BTreeSet::from([("ThingReason".to_owned(), "Ready".to_owned())]);
    only(&reasons::compare(&declared, &produced, "# none\n"), "ThingReason::Pending: no test");
    assert!(reasons::compare(&declared, &produced, "ThingReason: later\n").is_empty());
    assert!(reasons::compare(&declared, &produced, "ThingReason::Pending: later\n").is_empty());
    let stale = "ThingReason::Pending: later\nThingReason::Ready: later\n";
    only(&reasons::compare(&declared, &produced, stale), "remove the line");
}

#[test]
fn a_controller_runs_in_exactly_one_role() {
    let controller = source("crates/hub/src/presence.rs", "//! x\nimpl Controller for Presence {}");
    let twice =
        "//! x\nuse hub::Presence;\nfn manager() { run::<Presence>(); }\nfn cell() { run::<Presence>(); }";
    let once = "//! x\nuse hub::Presence;\nfn manager() { run::<Presence>(); }";
    let roles = |text| source("crates/roles/src/lib.rs", text);
    let check = |text| roles::check(&[source("crates/hub/src/presence.rs", &controller.text), roles(text)]);
    only(&check(twice), "named 2 times");
    only(&check("//! x\n"), "named 0 times");
    assert!(check(once).is_empty());
    assert!(roles::check(&[controller]).is_empty());
    only(
        &roles::check(&[source("crates/network-services/src/main.rs", "//! x")]),
        "crate roles: no src/lib.rs",
    );
}
