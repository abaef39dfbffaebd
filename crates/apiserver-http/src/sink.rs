//! The durable sink: redb, one transaction and one fsync per group of commits.
//!
//! Tables: `meta` holds the format's name and the newest revision, `objects` every object by its key. History is not
//! stored: a restart begins with an empty one, and clients list again.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use apiserver::store::{Batch, Key, LoadError, Store};
use bytes::Bytes;
use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, StorageError, TableDefinition, TableError,
};

const META: TableDefinition<'_, &str, &str> = TableDefinition::new("meta");
const OBJECTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("objects");
const FORMAT_KEY: &str = "format";
const REVISION_KEY: &str = "revision";
const FORMAT: &str = "network-services/1";

/// Where commits are made durable. Groups arrive in order; when `write` returns, the group has survived.
pub trait Sink: Send {
    /// Makes a group of batches durable, all or nothing.
    ///
    /// # Errors
    /// [`SinkError`] when it cannot; the server then answers nothing any more.
    fn write(&mut self, group: &[Batch]) -> Result<(), SinkError>;
}

/// A data directory that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// Another process has it.
    #[error(
        "data directory {path} is in use by another process; stop that process or name another directory"
    )]
    InUse {
        /// Which file.
        path: PathBuf,
    },
    /// It is not ours.
    #[error(
        "{path} is no store of this program ({found}); name an empty directory, or the one it was given before"
    )]
    Foreign {
        /// Which file.
        path: PathBuf,
        /// What was found instead.
        found: String,
    },
    /// It is damaged.
    #[error("{path} is damaged ({error}); restore it from a copy")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What the library said.
        error: String,
    },
    /// Reading or writing failed.
    #[error("cannot {action} {path}: {error}; check permissions and free space")]
    Io {
        /// What was tried.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: String,
    },
    /// A stored object cannot be used.
    #[error("{path}: {error}")]
    Object {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        error: LoadError,
    },
}

/// A redb file.
#[derive(Debug)]
pub struct RedbSink {
    database: Database,
    path: PathBuf,
}

impl RedbSink {
    /// Opens or creates the store and reads it.
    ///
    /// # Errors
    /// [`SinkError`] naming the file and what to do.
    pub fn open(path: &Path) -> Result<(Self, Store), SinkError> {
        if !path.exists() {
            Self::make(path)?;
        }
        let database = Database::create(path).map_err(|error| opening(path, error))?;
        let sink = Self { database, path: path.to_owned() };
        let store = sink.load()?;
        Ok((sink, store))
    }

    /// Makes an empty store under another name and gives it its own when it is whole, so that a process that dies meanwhile
    /// leaves nothing that looks like a store and is none. A link never takes the place of what another process has made.
    fn make(path: &Path) -> Result<(), SinkError> {
        let unfinished = path.with_extension("unfinished");
        let fail = |error: std::io::Error| SinkError::Io {
            action: "create",
            path: path.to_owned(),
            error: error.to_string(),
        };
        let database = match Database::create(&unfinished).map_err(|error| opening(&unfinished, error)) {
            Err(SinkError::Foreign { .. } | SinkError::Damaged { .. }) => {
                std::fs::remove_file(&unfinished).map_err(fail)?;
                Database::create(&unfinished).map_err(|error| opening(&unfinished, error))
            }
            made => made,
        }?;
        let sink = Self { database, path: unfinished.clone() };
        sink.mark()?;
        drop(sink);
        match std::fs::hard_link(&unfinished, path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(fail(error)),
            _ => {}
        }
        std::fs::remove_file(&unfinished).map_err(fail)
    }

    fn mark(&self) -> Result<(), SinkError> {
        let fail = |error: redb::Error| self.failed("create", &error);
        let transaction = self.database.begin_write().map_err(|error| fail(error.into()))?;
        {
            let mut meta = transaction.open_table(META).map_err(|error| fail(error.into()))?;
            meta.insert(FORMAT_KEY, FORMAT).map_err(|error| fail(error.into()))?;
            meta.insert(REVISION_KEY, "0").map_err(|error| fail(error.into()))?;
            transaction.open_table(OBJECTS).map_err(|error| fail(error.into()))?;
        }
        transaction.commit().map_err(|error| fail(error.into()))
    }

    fn load(&self) -> Result<Store, SinkError> {
        let fail = |error: redb::Error| self.failed("read", &error);
        let transaction = self.database.begin_read().map_err(|error| fail(error.into()))?;
        let meta = transaction.open_table(META).map_err(|error| self.not_ours(&error))?;
        let text = |key: &str| -> Result<String, SinkError> {
            let found = meta.get(key).map_err(|error| fail(error.into()))?;
            Ok(found.map(|value| value.value().to_owned()).unwrap_or_default())
        };
        let format = text(FORMAT_KEY)?;
        if format != FORMAT {
            let found =
                if format.is_empty() { "no format mark".to_owned() } else { format!("format {format}") };
            return Err(SinkError::Foreign { path: self.path.clone(), found });
        }
        let revision = text(REVISION_KEY)?.parse().map_err(|_| SinkError::Damaged {
            path: self.path.clone(),
            error: "its revision is no number".to_owned(),
        })?;
        let objects = transaction.open_table(OBJECTS).map_err(|error| self.not_ours(&error))?;
        let mut found = Vec::new();
        for entry in objects.iter().map_err(|error| fail(error.into()))? {
            let (key, value) = entry.map_err(|error| fail(error.into()))?;
            found.push((Key::from_text(key.value()), Bytes::copy_from_slice(value.value())));
        }
        Store::load(revision, found).map_err(|error| SinkError::Object { path: self.path.clone(), error })
    }

    fn not_ours(&self, error: &TableError) -> SinkError {
        SinkError::Foreign { path: self.path.clone(), found: error.to_string() }
    }

    fn failed(&self, action: &'static str, error: &redb::Error) -> SinkError {
        let (path, text) = (self.path.clone(), error.to_string());
        match error {
            redb::Error::Corrupted(_) => SinkError::Damaged { path, error: text },
            _ => SinkError::Io { action, path, error: text },
        }
    }
}

fn opening(path: &Path, error: DatabaseError) -> SinkError {
    let path = path.to_owned();
    match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => SinkError::InUse { path },
        DatabaseError::UpgradeRequired(version) => {
            SinkError::Foreign { path, found: format!("file format {version} of the storage library") }
        }
        DatabaseError::Storage(StorageError::Corrupted(error)) => SinkError::Damaged { path, error },
        DatabaseError::Storage(StorageError::Io(error))
            if error.kind() == std::io::ErrorKind::InvalidData =>
        {
            SinkError::Foreign { path, found: error.to_string() }
        }
        other => SinkError::Io { action: "open", path, error: other.to_string() },
    }
}

impl Sink for RedbSink {
    fn write(&mut self, group: &[Batch]) -> Result<(), SinkError> {
        let fail = |error: redb::Error| self.failed("write", &error);
        let transaction = self.database.begin_write().map_err(|error| fail(error.into()))?;
        {
            let mut objects = transaction.open_table(OBJECTS).map_err(|error| fail(error.into()))?;
            for (key, value) in group.iter().flat_map(|batch| &batch.entries) {
                match value {
                    Some(bytes) => drop(
                        objects.insert(key.as_str(), bytes.as_ref()).map_err(|error| fail(error.into()))?,
                    ),
                    None => drop(objects.remove(key.as_str()).map_err(|error| fail(error.into()))?),
                }
            }
            let mut meta = transaction.open_table(META).map_err(|error| fail(error.into()))?;
            let revision = group.last().map_or(0, |batch| batch.revision).to_string();
            meta.insert(REVISION_KEY, revision.as_str()).map_err(|error| fail(error.into()))?;
        }
        transaction.commit().map_err(|error| fail(error.into()))
    }
}
