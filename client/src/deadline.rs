//! How long one thing to do may take, all its tries together.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, Result};

/// A time that is over at `end`, if there is an end.
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

    /// What is left, for the server.
    pub(crate) fn left(&self) -> Option<Duration> {
        let end = self.end?;
        Some(end.saturating_duration_since(Instant::now()))
    }

    /// # Errors
    /// With [`Error::Timeout`] at the end.
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
