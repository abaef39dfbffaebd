//! Files that are written by a task and kept under version control: written, or compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Why files could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GeneratedError {
    /// The file system said no.
    #[error("{path}: {source}; check the permissions of the working tree")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `--check` found a difference.
    #[error("not current: {files}; run `cargo xtask crds` and commit what it writes")]
    Stale {
        /// The files, by line.
        files: String,
    },
}

/// Files by path below the root, and folders in which nothing else may be.
#[derive(Default)]
pub(crate) struct Files {
    texts: BTreeMap<PathBuf, String>,
    owned_folders: Vec<PathBuf>,
}

impl Files {
    pub(crate) fn push(&mut self, (path, text): (PathBuf, String)) {
        self.texts.insert(path, text);
    }

    /// Everything in the folder is generated; what is not in the set is removed.
    pub(crate) fn own(&mut self, folder: &str) {
        self.owned_folders.push(folder.into());
    }

    /// Writes the files, or with `check` only compares them.
    pub(crate) fn apply(&self, root: &Path, check: bool) -> Result<(), GeneratedError> {
        let stale = self.stale(root)?;
        if !check {
            return stale.iter().try_for_each(|path| self.update(root, path));
        }
        if stale.is_empty() {
            return Ok(());
        }
        let files: Vec<String> = stale.iter().map(|path| path.display().to_string()).collect();
        Err(GeneratedError::Stale { files: files.join(", ") })
    }

    fn stale(&self, root: &Path) -> Result<BTreeSet<PathBuf>, GeneratedError> {
        let mut stale = BTreeSet::new();
        for (path, text) in &self.texts {
            if fs::read_to_string(root.join(path)).ok().as_deref() != Some(text) {
                stale.insert(path.clone());
            }
        }
        for folder in &self.owned_folders {
            for path in files_below(&root.join(folder))? {
                let path = path.strip_prefix(root).map(Path::to_owned).unwrap_or(path);
                if !self.texts.contains_key(&path) {
                    stale.insert(path);
                }
            }
        }
        Ok(stale)
    }

    fn update(&self, root: &Path, path: &Path) -> Result<(), GeneratedError> {
        let place = root.join(path);
        let done = match self.texts.get(path) {
            Some(text) => {
                place.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&place, text))
            }
            None => fs::remove_file(&place),
        };
        done.map_err(|source| GeneratedError::Io { path: place, source })
    }
}

/// Every file below a folder, in order; none when the folder is absent.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, GeneratedError> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        Err(source) => return Err(GeneratedError::Io { path: folder.to_owned(), source }),
    };
    for entry in entries {
        let path = entry.map_err(|source| GeneratedError::Io { path: folder.to_owned(), source })?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
