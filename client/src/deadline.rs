//! The time limit of one operation, over all its tries.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, Result};

/// The longest timeout that a call's header can express: eight digits of hours.
const TOLD_MAX: Duration = Duration::from_secs(99_999_999 * 60 * 60);

/// A timeout, and the time when it passes, if there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    timeout: Duration,
    pub(crate) end: Option<Instant>,
}

impl Deadline {
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        Self {
            timeout: timeout.unwrap_or_default(),
            end: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        }
    }

    pub(crate) const NONE: Self = Self {
        timeout: Duration::ZERO,
        end: None,
    };

    /// The time left, to send to the server.
    pub(crate) fn left(&self) -> Option<Duration> {
        let left = self.end?.saturating_duration_since(Instant::now());
        Some(left.min(TOLD_MAX))
    }

    /// The error of an unfinished operation, if the deadline has passed.
    pub(crate) fn passed(&self) -> Option<Error> {
        let is_over = self.end.is_some_and(|end| end <= Instant::now());
        is_over.then_some(Error::Timeout(self.timeout))
    }

    /// # Errors
    /// [`Error::Timeout`] when the deadline passes.
    pub(crate) async fn bound<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        match self.end {
            None => work.await,
            Some(end) => {
                let done = tokio::time::timeout_at(end, work).await;
                done.unwrap_or(Err(Error::Timeout(self.timeout)))
            }
        }
    }
}
