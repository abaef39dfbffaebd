//! Parts that several configuration kinds have.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{ConfigurationError, duration};

/// `metricsServer`: where health, metrics and explanations are served.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MetricsServer {
    /// `host:port` or `:port`; empty or `0` switches it off.
    pub bind_address: Option<String>,
    /// Asks for TLS.
    pub secure_serving: Option<bool>,
    /// Certificates.
    pub tls: Option<ServingCertificates>,
}

/// Where a server's certificate comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "decoded so that unknown keys are told; using it is refused")]
pub struct ServingCertificates {
    secret_ref: Option<IgnoredAny>,
    cert_dir: Option<String>,
    cert_name: Option<String>,
    key_name: Option<String>,
}

/// `leaderElection`: the numbers of the leases.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeaderElection {
    /// How long a renewal holds; 15 s where absent.
    #[serde(default, deserialize_with = "duration::optional")]
    pub lease_duration: Option<Duration>,
    /// After this long without a renewal the process stops acting; 10 s where absent.
    #[serde(default, deserialize_with = "duration::optional")]
    pub renew_deadline: Option<Duration>,
    /// How often it renews or looks; 2 s where absent.
    #[serde(default, deserialize_with = "duration::optional")]
    pub retry_period: Option<Duration>,
}

impl LeaderElection {
    /// The three numbers: duration, renew deadline, retry period.
    #[must_use]
    pub fn numbers(&self) -> (Duration, Duration, Duration) {
        (
            self.lease_duration.unwrap_or(Duration::from_secs(15)),
            self.renew_deadline.unwrap_or(Duration::from_secs(10)),
            self.retry_period.unwrap_or(Duration::from_secs(2)),
        )
    }

    /// An overlap of two leaders is excluded only if the numbers are in order.
    pub(super) fn check(&self, path: &Path) -> Result<(), ConfigurationError> {
        let (lease, renew, retry) = self.numbers();
        if lease > renew && renew > retry && !retry.is_zero() {
            return Ok(());
        }
        Err(ConfigurationError::Invalid {
            path: path.to_owned(),
            key: "leaderElection",
            problem: format!(
                "needs leaseDuration > renewDeadline > retryPeriod > 0, and has {lease:?}, {renew:?} and {retry:?}"
            ),
        })
    }
}

/// Limits of one client; unset means unlimited, and the server's own flow control decides.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientLimits {
    /// Requests per second.
    pub qps: Option<f64>,
    /// Requests that may come at once.
    pub burst: Option<u32>,
}

impl ClientLimits {
    pub(super) fn check(self, path: &Path, key: &'static str) -> Result<(), ConfigurationError> {
        let is_rate = |qps: f64| qps.is_finite() && qps > 0.0;
        let problem = match (self.qps, self.burst) {
            (Some(qps), _) if !is_rate(qps) => {
                format!("qps is {qps}; write a number above 0, or leave it out")
            }
            (_, Some(0)) => "burst is 0, which would let nothing through; write 1 or more".to_owned(),
            (None, Some(_)) => "has a burst without qps, which limits nothing; add qps".to_owned(),
            _ => return Ok(()),
        };
        Err(ConfigurationError::Invalid { path: path.to_owned(), key, problem })
    }
}

/// A connection by file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KubeconfigFile {
    /// The file.
    pub kubeconfig_path: Option<PathBuf>,
}

/// Why a configured address service is refused.
pub(super) const NO_ADDRESS_SERVICE: &str =
    "this build has no address service yet; remove the key, and networks are used without address space";
