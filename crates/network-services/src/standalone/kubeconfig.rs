//! The kubeconfig that `standalone` writes: one context per plane, kept up to date as projects come and go.

use std::io::Write;
use std::path::{Path, PathBuf};

use apiserver::identity::project_token;
use apiserver_http::kubeconfig::{self, Context};

use super::StandaloneError;
use super::platform::Platform;

/// See the module.
pub(crate) struct KubeconfigFile {
    path: PathBuf,
    written: Option<String>,
    /// Lives in a temporary directory, which goes with the program.
    is_temporary: bool,
}

impl KubeconfigFile {
    /// The file named, or one in the data directory, or a temporary one.
    pub(crate) fn choose(named: Option<&Path>, data: Option<&Path>) -> Result<Self, StandaloneError> {
        let path = match (named, data) {
            (Some(path), _) => path.to_owned(),
            (None, Some(data)) => data.join("kubeconfig"),
            (None, None) => temporary_folder()?.join("kubeconfig"),
        };
        Ok(Self { path, written: None, is_temporary: named.is_none() && data.is_none() })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the planes that are mounted now; does nothing if the file says so already.
    pub(crate) async fn write(&mut self, platform: &Platform) -> Result<(), StandaloneError> {
        let failed = |error: String| StandaloneError::Write { path: self.path.clone(), error };
        let planes = platform.planes().await.into_iter();
        let mut contexts: Vec<Context> =
            planes.map(|(plane, prefix)| context(platform, plane, prefix)).collect();
        // The first one is the current one.
        contexts.sort_by_key(|context| context.plane != "core");
        let text = kubeconfig::write(&platform.url(), platform.authority.certificate(), &contexts)
            .map_err(failed)?;
        if self.written.as_ref() == Some(&text) {
            return Ok(());
        }
        write_private(&self.path, &text)
            .map_err(|error| StandaloneError::Write { path: self.path.clone(), error: error.to_string() })?;
        self.written = Some(text);
        Ok(())
    }
}

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        if self.is_temporary
            && let Some(folder) = self.path.parent()
        {
            // Nobody can use its tokens any more; if it cannot be removed, it does no harm.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A new folder that only its owner may enter: in a place for everybody's files, a name that can be guessed could be
/// somebody else's already.
fn temporary_folder() -> Result<PathBuf, StandaloneError> {
    let [one, two, three, four, ..] = apiserver_http::random_bytes()?;
    let name = format!("network-services-{:08x}", u32::from_be_bytes([one, two, three, four]));
    let path = std::env::temp_dir().join(name);
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(&path);
    made.map_err(|error| StandaloneError::Write { path: path.clone(), error: error.to_string() })?;
    Ok(path)
}

/// A project's own user on its plane, the administrator elsewhere.
fn context(platform: &Platform, plane: String, prefix: String) -> Context {
    let token = match plane.strip_prefix("project/") {
        Some(project) => project_token(&platform.secrets.project_secret, project),
        None => platform.secrets.admin_token.clone(),
    };
    Context { plane, prefix, token }
}

/// Only the owner may read tokens; a reader sees the old file or the new one.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let draft = path.with_extension("new");
    // What a crash left is taken away, so that nobody else's file is ever written to.
    match std::fs::remove_file(&draft) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&draft)?.write_all(text.as_bytes())?;
    std::fs::rename(draft, path)
}
