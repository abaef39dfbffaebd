//! A data directory: the store, the certificate authority and the secrets of one installation.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use apiserver::store::Store;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::authority::{Authority, AuthorityError};
use crate::sink::{RedbSink, SinkError};

const STORE: &str = "store.redb";
const AUTHORITY: &str = "authority.pem";
const SECRETS: &str = "secrets.json";

/// A data directory that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The store in it.
    #[error(transparent)]
    Store(#[from] SinkError),
    /// The authority in it.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// Something else lives there.
    #[error("directory {path} holds {found} but no store of this program; name an empty or a new directory")]
    Foreign {
        /// Which directory.
        path: PathBuf,
        /// The first thing found.
        found: String,
    },
    /// Reading or writing a file failed.
    #[error("cannot use {path}: {error}; check permissions and free space")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{path} cannot be read ({error}); remove it to have new secrets made")]
    Secrets {
        /// Which file.
        path: PathBuf,
        /// What the parser said.
        error: String,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers; nothing secret can be made")]
    NoRandomness,
}

/// What only this installation knows.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Secrets {
    /// The bearer token of the administrator.
    pub admin_token: String,
    /// What project tokens are derived from.
    pub project_secret: String,
}

impl Secrets {
    /// Fresh ones.
    ///
    /// # Errors
    /// [`DataError::NoRandomness`].
    pub fn generate() -> Result<Self, DataError> {
        Ok(Self { admin_token: random_text()?, project_secret: random_text()? })
    }
}

/// Thirty-two bytes nobody can guess.
///
/// # Errors
/// [`DataError::NoRandomness`].
pub fn random_bytes() -> Result<[u8; 32], DataError> {
    let mut bytes = [0; 32];
    let provider = rustls::crypto::ring::default_provider();
    provider.secure_random.fill(&mut bytes).map_err(|_| DataError::NoRandomness)?;
    Ok(bytes)
}

fn random_text() -> Result<String, DataError> {
    Ok(URL_SAFE_NO_PAD.encode(random_bytes()?))
}

/// An opened data directory.
#[derive(Debug)]
pub struct DataDirectory {
    /// Where commits go.
    pub sink: RedbSink,
    /// What was kept.
    pub store: Store,
    /// The installation's authority.
    pub authority: Authority,
    /// The installation's secrets.
    pub secrets: Secrets,
}

impl DataDirectory {
    /// Opens a directory, or makes it. The store's lock keeps every other process out.
    ///
    /// # Errors
    /// [`DataError`] naming the file and what to do.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let io = |path: &Path, error: std::io::Error| DataError::Io { path: path.to_owned(), error };
        fs::create_dir_all(path).map_err(|error| io(path, error))?;
        check_ours(path)?;
        let (sink, store) = RedbSink::open(&path.join(STORE))?;
        let authority = authority(&path.join(AUTHORITY))?;
        let secrets = secrets(&path.join(SECRETS))?;
        Ok(Self { sink, store, authority, secrets })
    }
}

fn check_ours(path: &Path) -> Result<(), DataError> {
    if path.join(STORE).exists() {
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|error| DataError::Io { path: path.to_owned(), error })?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // A fresh file system brings this one along; our own files may be left from an interrupted first start.
        if !matches!(name.as_str(), "lost+found" | AUTHORITY | SECRETS) {
            return Err(DataError::Foreign { path: path.to_owned(), found: name });
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Option<String>, DataError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DataError::Io { path: path.to_owned(), error }),
    }
}

fn authority(path: &Path) -> Result<Authority, DataError> {
    if let Some(pem) = read(path)? {
        return Ok(Authority::from_pem(&pem)?);
    }
    let authority = Authority::generate()?;
    write_private(path, &authority.to_pem())?;
    Ok(authority)
}

fn secrets(path: &Path) -> Result<Secrets, DataError> {
    let broken =
        |error: serde_json::Error| DataError::Secrets { path: path.to_owned(), error: error.to_string() };
    if let Some(text) = read(path)? {
        return serde_json::from_str(&text).map_err(broken);
    }
    let secrets = Secrets::generate()?;
    write_private(path, &serde_json::to_string_pretty(&secrets).map_err(broken)?)?;
    Ok(secrets)
}

/// Writes a file that only its owner may read; a crash leaves the old one or the new one.
fn write_private(path: &Path, text: &str) -> Result<(), DataError> {
    let io = |error: std::io::Error| DataError::Io { path: path.to_owned(), error };
    let draft = path.with_extension("new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft).map_err(io)?;
    file.write_all(text.as_bytes()).map_err(io)?;
    file.sync_all().map_err(io)?;
    fs::rename(&draft, path).map_err(io)
}
