//! Whether everything has come to rest: the planes' own conditions and the controllers' verdicts must agree.
//!
//! Both are needed. A controller that has not heard of an object yet waits for nothing, and an object whose condition
//! is True may be about to be looked at again.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::Handle;
use tokio::sync::watch;
use tokio::time::Instant;

use super::StandaloneError;
use super::platform::Platform;
use super::presences::{Standing, look};

/// First and longest pause between looks while something is not ready: whatever takes long is looked at less often.
const LOOK_EVERY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// How long caches may take to catch up; a cache behind a silent watch lists again after four seconds.
const CATCH_UP_MAX: Duration = Duration::from_secs(10);
/// What is over sooner is not worth a line.
const REPORT_AFTER: Duration = Duration::from_secs(1);

/// Follows the way to rest, and says what stands in it.
pub(crate) struct Settling<'a> {
    platform: &'a Platform,
    handle: &'a Handle,
    idle: watch::Receiver<bool>,
    /// Since when each thing is not ready, and whether that was told.
    open: BTreeMap<String, (Instant, bool)>,
}

/// What stands in the way now.
struct Look {
    standing: Standing,
    open: Vec<String>,
    is_idle: bool,
}

impl Look {
    fn is_settled(&self) -> bool {
        self.open.is_empty() && self.is_idle
    }
}

impl<'a> Settling<'a> {
    /// Begins.
    pub(crate) fn new(platform: &'a Platform, handle: &'a Handle) -> Self {
        Self { platform, handle, idle: handle.idle(), open: BTreeMap::new() }
    }

    /// Waits until everything is ready; `told` gets a line for each thing that is not, once it takes long.
    pub(crate) async fn wait(
        &mut self,
        timeout: Option<Duration>,
        mut told: impl FnMut(&str),
    ) -> Result<Standing, StandaloneError> {
        let begun = Instant::now();
        let mut pause = LOOK_EVERY.0;
        loop {
            let seen = self.look().await?;
            if seen.is_settled() && self.is_confirmed().await? {
                self.open.clear();
                return Ok(seen.standing);
            }
            if let Some(timeout) = timeout.filter(|timeout| begun.elapsed() >= *timeout) {
                self.tell(&seen.open, Duration::ZERO, &mut told);
                let (seconds, count) = (timeout.as_secs(), seen.standing.unready.len().max(1));
                return Err(StandaloneError::NotSettled { seconds, count });
            }
            self.tell(&seen.open, REPORT_AFTER, &mut told);
            let left = timeout.map_or(Duration::MAX, |timeout| timeout.saturating_sub(begun.elapsed()));
            tokio::time::sleep(pause.min(left)).await;
            pause = pause.mul_f64(1.5).min(LOOK_EVERY.1);
        }
    }

    /// Returns when the controllers have had something to do since the last look.
    pub(crate) async fn disturbed(&mut self) {
        // An error means that the controllers are gone, which the next look tells.
        let _ = self.idle.changed().await;
    }

    /// Looks again after every cache has caught up with its plane.
    async fn is_confirmed(&mut self) -> Result<bool, StandaloneError> {
        // A cache that does not catch up in time leaves the question open.
        if let Ok(caught_up) = tokio::time::timeout(CATCH_UP_MAX, self.handle.catch_up()).await {
            caught_up?;
            return Ok(self.look().await?.is_settled());
        }
        Ok(false)
    }

    async fn look(&mut self) -> Result<Look, StandaloneError> {
        // Before anything is read: what happens during the look is seen by the next one.
        let is_idle = *self.idle.borrow_and_update();
        if let Some(failure) = self.platform.failure() {
            return Err(StandaloneError::Store(failure));
        }
        let standing = look(self.platform).await;
        let mut open = standing.unready.clone();
        for verdict in self.handle.verdicts().await? {
            let Some((reason, message)) = verdict.waiting else { continue };
            let why = format!("{reason}: {message}");
            // Several keys wait for the same thing, and the object itself says so best.
            if !open.iter().any(|line| line.ends_with(&why)) {
                open.push(format!("{} of {}: {why}", verdict.controller, verdict.key));
            }
        }
        Ok(Look { standing, open, is_idle })
    }

    fn tell(&mut self, open: &[String], after: Duration, told: &mut impl FnMut(&str)) {
        let now = Instant::now();
        self.open.retain(|line, _| open.contains(line));
        for line in open {
            let (since, is_told) = self.open.entry(line.clone()).or_insert((now, false));
            if !*is_told && now.duration_since(*since) >= after {
                *is_told = true;
                told(line);
            }
        }
    }
}
