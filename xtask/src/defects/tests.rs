//! What is told of patches and results, without a build.

use super::results::Found;
use super::*;

fn patch(name: &str) -> Patch {
    patch::of(name, "Nothing is planted.", "nothing")
}

fn result(seeds: &[u64]) -> Kept {
    let found = seeds.iter().map(|seeds| Found { seeds: *seeds, rule: format!("R{}", seeds % 2) }).collect();
    Kept { world: "small".to_owned(), found }
}

#[test]
fn a_patch_says_what_it_plants_and_what_that_bends_before_its_change() {
    let told = patch::head("A root is dropped.\nBends: roots.\n\n--- a/x\n");
    assert_eq!(told, Some(("A root is dropped.".to_owned(), "roots".to_owned())));
    for text in ["", "--- a/x\n+++ b/x\n", "A root is dropped.\n\n--- a/x\n", "no sentence\nBends: roots.\n"]
    {
        assert_eq!(patch::head(text), None, "{text:?}");
    }
}

#[test]
fn the_median_is_what_half_of_the_starts_needed() {
    let five = result(&[9, 1, 4, 7, 3]);
    assert_eq!((five.median(), five.maximum()), (4, 9));
    assert_eq!(five.rules(), ["R1", "R0"]);
    assert_eq!((result(&[8, 2]).median(), result(&[]).median()), (2, 0));
}

#[test]
fn a_result_without_a_patch_is_named() {
    let mut results = Results::default();
    results.defects.insert("measured".to_owned(), result(&[1]));
    results.defects.insert("gone".to_owned(), result(&[1]));
    let findings = disagreements(&[patch("fresh"), patch("measured")], &results);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("gone: a result without a patch"), "{findings:?}");
}

#[test]
fn the_page_shows_each_defect_in_a_row_measured_or_not() {
    let mut results = Results::default();
    results.defects.insert("measured".to_owned(), result(&[5, 1, 3]));
    let page = table::page(&[patch("fresh"), patch("measured")], &results);
    for row in [
        "| `measured` | Nothing is planted | nothing | small | 3 | 5 | R1 |",
        "| `fresh` | Nothing is planted | nothing | not measured | | | |",
    ] {
        assert!(page.lines().any(|line| line == row), "{page}");
    }
    assert!(page.contains("2 defects. 1 of them were measured"), "{page}");
}

#[test]
fn a_defect_that_is_not_there_cannot_be_chosen() {
    assert!(
        matches!(chosen(vec![patch("one")], &["two".to_owned()]), Err(DefectsError::Unknown(name)) if name == "two")
    );
    let all = chosen(vec![patch("one"), patch("two")], &[]).unwrap();
    assert_eq!(all.len(), 2);
}
