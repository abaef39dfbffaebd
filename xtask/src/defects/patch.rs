//! A defect as a file: what is planted, what it bends, and the change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::generated::files_below;

use super::{DefectsError, io};

/// Where the patches are.
const FOLDER: &str = "crates/sim/defects";
const BENDS: &str = "Bends: ";

/// See the module.
pub(super) struct Patch {
    /// Its file, without the extension.
    pub(super) name: String,
    /// What is planted, in a sentence.
    pub(super) planted: String,
    /// The rule or mechanism that it takes away or bends.
    pub(super) bends: String,
    path: PathBuf,
}

/// Every patch, in the order of names.
pub(super) fn read(root: &Path) -> Result<Vec<Patch>, DefectsError> {
    let files = files_below(&root.join(FOLDER))?;
    let patches = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "patch"));
    patches.map(read_one).collect()
}

fn read_one(path: PathBuf) -> Result<Patch, DefectsError> {
    let text = fs::read_to_string(&path).map_err(io(&path))?;
    let Some((planted, bends)) = head(&text) else { return Err(DefectsError::Untold(path)) };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Patch { name, planted, bends, path })
}

/// The sentence and what it bends, without the full stop.
pub(super) fn head(text: &str) -> Option<(String, String)> {
    let mut lines = text.lines();
    let planted = lines.next().filter(|line| line.ends_with('.') && !line.starts_with("---"))?;
    let bends = lines.next()?.strip_prefix(BENDS)?.trim_end_matches('.');
    Some((planted.to_owned(), bends.to_owned()))
}

impl Patch {
    /// Whether it applies to the sources below a folder.
    pub(super) fn applies(&self, root: &Path) -> Result<(), DefectsError> {
        self.git(root, &["apply", "--check"])
    }

    /// Applies it there.
    pub(super) fn apply(&self, root: &Path) -> Result<(), DefectsError> {
        self.git(root, &["apply"])
    }

    /// Git takes paths of a patch as below the folder only where it sees no repository around it.
    fn git(&self, root: &Path, arguments: &[&str]) -> Result<(), DefectsError> {
        let mut command = Command::new("git");
        command.args(arguments).arg(&self.path).current_dir(root);
        if let Some(above) = root.parent().filter(|_| !root.join(".git").exists()) {
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        let output =
            command.output().map_err(|source| DefectsError::Program { program: "git".to_owned(), source })?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(DefectsError::Failed { what: format!("applying {}", self.path.display()), text })
    }
}

/// A patch without a file.
#[cfg(test)]
pub(super) fn of(name: &str, planted: &str, bends: &str) -> Patch {
    let path = PathBuf::from(name);
    Patch { name: name.to_owned(), planted: planted.to_owned(), bends: bends.to_owned(), path }
}
