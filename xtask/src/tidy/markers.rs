//! Nothing is left for later: no markers in comments, no placeholder macros, and every path that a document shows is
//! there.

use std::fs;
use std::path::Path;

use super::TidyError;
use super::sources::{Source, find, tokens};

/// Words that mean "not done"; put together here so that this file holds none.
const MARKERS: &[&str] =
    &[concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO"), concat!("HA", "CK:")];
const MACROS: &[&str] = &["dbg", "todo", "unimplemented"];
const FLOW: &str = "docs/flow.md";

/// Findings about leftovers.
pub(super) fn check(root: &Path, sources: &[Source]) -> Result<Vec<String>, TidyError> {
    let mut findings = Vec::new();
    for source in sources {
        for (line, text) in source.text.lines().enumerate() {
            for marker in MARKERS.iter().filter(|marker| text.contains(*marker)) {
                findings.push(format!("{}:{}: {marker}; do it or open an issue", source.path, line + 1));
            }
        }
        let words = tokens(&source.file);
        for name in MACROS {
            for line in find(&words, &[name, "!"]) {
                findings.push(format!("{}:{line}: {name}!; finish it", source.path));
            }
        }
    }
    findings.extend(missing_paths(root)?);
    Ok(findings)
}

/// Paths that the walk through the code shows in backquotes and that are not there.
fn missing_paths(root: &Path) -> Result<Vec<String>, TidyError> {
    let page = root.join(FLOW);
    if !page.exists() {
        return Ok(Vec::new());
    }
    let text =
        fs::read_to_string(&page).map_err(|source| TidyError::Read { path: FLOW.to_owned(), source })?;
    let shown = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|path| Path::new(path).extension().is_some_and(|extension| extension == "rs"));
    let gone = shown.filter(|path| !root.join(path).exists());
    Ok(gone.map(|path| format!("{FLOW}: {path} is not there; follow the code")).collect())
}
