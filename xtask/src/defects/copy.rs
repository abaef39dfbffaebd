//! A copy of the tracked files of the work tree, kept between runs. A file is written only where its content differs, so
//! that what is built from it is built again, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::patch::Patch;
use super::{DefectsError, io};
use crate::generated::files_below;

/// See the module.
pub(super) struct Copy {
    from: PathBuf,
    /// Where the sources are.
    pub(super) sources: PathBuf,
    /// Where they are built.
    pub(super) target: PathBuf,
}

impl Copy {
    /// The copy below the folder of build outputs; nothing is copied yet.
    pub(super) fn of(root: &Path) -> Result<Self, DefectsError> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        // Build outputs of two work trees in one folder are taken for each other.
        let folder = root.join(target).join("planted-defects");
        let (sources, target) = (folder.join("sources"), folder.join("outputs"));
        fs::create_dir_all(&sources).map_err(io(&sources))?;
        let sources = sources.canonicalize().map_err(io(&sources))?;
        Ok(Self { from: root.to_owned(), sources, target })
    }

    /// Makes the copy the work tree with this defect and no other.
    pub(super) fn plant(&self, patch: &Patch) -> Result<(), DefectsError> {
        self.refresh()?;
        patch.apply(&self.sources)
    }

    /// Makes the copy the work tree as it is.
    fn refresh(&self) -> Result<(), DefectsError> {
        let tracked = tracked(&self.from)?;
        for file in &tracked {
            let (from, to) = (self.from.join(file), self.sources.join(file));
            let content = fs::read(&from).map_err(io(&from))?;
            if fs::read(&to).is_ok_and(|held| held == content) {
                continue;
            }
            let folder = to.parent().unwrap_or(&self.sources);
            fs::create_dir_all(folder).map_err(io(folder))?;
            fs::write(&to, content).map_err(io(&to))?;
        }
        for file in files_below(&self.sources)? {
            if file.strip_prefix(&self.sources).is_ok_and(|file| !tracked.contains(file)) {
                fs::remove_file(&file).map_err(io(&file))?;
            }
        }
        Ok(())
    }
}

/// Files under version control that are there, by path below the root.
fn tracked(root: &Path) -> Result<BTreeSet<PathBuf>, DefectsError> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output()
        .map_err(|source| DefectsError::Program { program: "git".to_owned(), source })?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(DefectsError::Failed { what: "listing the tracked files".to_owned(), text });
    }
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let files = names.map(|name| PathBuf::from(String::from_utf8_lossy(name).as_ref()));
    Ok(files.filter(|file| root.join(file).is_file()).collect())
}
