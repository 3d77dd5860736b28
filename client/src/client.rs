//! The client: the state that all its calls share, and its unary calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlane_proto::v1;
use tokio::time::Instant;

use crate::backend::Backend;
use crate::call::Call;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::object::{ObjectDigest, ObjectParts};
use crate::retry::{Budget, Tries};
use crate::settings::Settings;
use crate::wire_messages::{Rpc, Unary};

/// What a server reports: its version, algorithms, kernels and limits.
pub type ServerInfo = v1::GetServerInfoResponse;

/// A client of one hashlane service with one or several servers. Cheap to clone; clones share
/// connections.
///
/// It works in the tokio runtime in which it was connected: tasks of that runtime keep its
/// connections. After the runtime has ended, calls give [`Error::RuntimeEnded`]. While the runtime
/// does not run, for example between two `block_on` of a current-thread runtime, calls from other
/// runtimes wait until a timeout passes. So connect a client in each runtime; each `#[tokio::test]`
/// is one.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
    /// Timeout of each operation.
    timeout: Option<Duration>,
    /// The deadline of a running operation with several calls.
    deadline: Option<Deadline>,
}

#[derive(Debug)]
struct Inner {
    backend: Backend,
    settings: Settings,
    budget: Budget,
    /// Requested by the first batch, and again after a refusal.
    limits: Mutex<Option<v1::Limits>>,
}

impl Client {
    pub(crate) fn new(backend: Backend, settings: Settings) -> Self {
        let inner = Inner {
            backend,
            settings,
            budget: Budget::default(),
            limits: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
            timeout: None,
            deadline: None,
        }
    }

    /// The same client with a timeout for each method, over all its requests and retries. The
    /// server is told the deadline. For streams, it bounds each whole part
    /// ([`PartStream::digest`](crate::PartStream), `verify`), not the stream.
    ///
    /// It does not bound parts that the program writes piece by piece ([`Part`](crate::Part)):
    /// neither their writes nor their answers. There the stall timeout ends a server without
    /// progress. Put other bounds around the program's own futures, with `tokio::time::timeout`.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            timeout: Some(timeout),
            deadline: None,
        }
    }

    /// The same client, whose calls share one operation's timeout.
    pub(crate) fn for_one_thing(&self) -> Self {
        Self {
            deadline: Some(self.deadline()),
            ..self.clone()
        }
    }

    /// Computes an object's value from its parts' values, and compares it with the expected one, if
    /// any. A mismatch is an answer, not an error.
    ///
    /// # Errors
    /// The server's error: `INVALID_ARGUMENT` for an algorithm without such a value in S3, for no
    /// parts or more than 10,000, for a digest of the wrong length, or for an expected text that
    /// cannot be such a value.
    pub async fn compose(&self, parts: &ObjectParts) -> Result<ObjectDigest> {
        parts.answer(self.unary(parts.to_wire()).await?)
    }

    /// Asks the server for its version, algorithms, kernels and limits.
    ///
    /// # Errors
    /// The server's error or the connection's.
    pub async fn server_info(&self) -> Result<ServerInfo> {
        self.unary(v1::GetServerInfoRequest {}).await
    }

    /// The server's limits. Requests them if they are unknown.
    pub(crate) async fn limits(&self) -> Result<v1::Limits> {
        let known = *self.known_limits();
        if let Some(limits) = known {
            return Ok(limits);
        }
        let info = self.server_info().await?;
        let limits = info.limits.ok_or(Error::Protocol("no limits"))?;
        *self.known_limits() = Some(limits);
        Ok(limits)
    }

    /// Requests the limits again at the next use.
    pub(crate) fn forget_limits(&self) {
        *self.known_limits() = None;
    }

    fn known_limits(&self) -> MutexGuard<'_, Option<v1::Limits>> {
        // No code that can panic runs under the lock.
        let limits = self.inner.limits.lock();
        limits.unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a unary call, with retries where allowed.
    pub(crate) async fn unary<U: Unary>(&self, request: U) -> Result<U::Answer> {
        let Inner {
            backend, settings, ..
        } = &*self.inner;
        let deadline = self.deadline();
        // The deadline also ends the tries.
        let mut tries = self.tries(deadline.end);
        loop {
            let answer = backend.unary(request.clone(), settings.call_timeout, deadline);
            match answer.await {
                Ok(answer) => return Ok(answer),
                Err(error) => tries.again(error).await?,
            }
        }
    }

    /// Opens a call on the best server.
    pub(crate) fn call<R: Rpc>(&self, deadline: Deadline) -> Call<R> {
        Call::open(&self.inner.backend, self.inner.settings, deadline)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn tries(&self, deadline: Option<Instant>) -> Tries<'_> {
        let Inner {
            backend, budget, ..
        } = &*self.inner;
        Tries::new(backend, budget, self.inner.settings.retries, deadline)
    }

    pub(crate) fn deadline(&self) -> Deadline {
        let begun = self.deadline;
        begun.unwrap_or_else(|| Deadline::after(self.timeout))
    }
}
