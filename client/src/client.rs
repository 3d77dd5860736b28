//! The client: what all its calls share, and the calls of one message.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlane_proto::v1;
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use crate::call::Call;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::object::{ObjectDigest, ObjectParts};
use crate::pool::Pool;
use crate::retry::{Budget, Tries};
use crate::rpc::{Rpc, Service};
use crate::settings::Settings;

/// What a server reports: its version, algorithms, kernels and limits.
pub type ServerInfo = v1::GetServerInfoResponse;

/// A client of one hashlane service, at one or several servers. Cheap to clone; clones share
/// connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
    /// The time for each operation.
    timeout: Option<Duration>,
    /// The deadline of an operation of several calls, while it runs.
    deadline: Option<Deadline>,
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    settings: Settings,
    budget: Budget,
    /// Requested by the first batch, and after a refusal.
    limits: Mutex<Option<v1::Limits>>,
}

impl Client {
    pub(crate) fn new(pool: Pool, settings: Settings) -> Self {
        let inner = Inner {
            pool,
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
    /// server is told the deadline. It does not bound streams, but their whole parts.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            timeout: Some(timeout),
            deadline: None,
        }
    }

    /// The same client, whose calls share the timeout of one operation.
    pub(crate) fn for_one_thing(&self) -> Self {
        Self {
            deadline: Some(self.deadline()),
            ..self.clone()
        }
    }

    /// The value of an object from those of its parts, compared with an expected
    /// one where it is given. A mismatch is an answer, not an error.
    ///
    /// # Errors
    /// The server's error: `INVALID_ARGUMENT` for an algorithm without such a value in S3, no parts
    /// or more than 10,000, a digest of the wrong length, or an expected text that cannot be such a
    /// value.
    pub async fn compose(&self, parts: &ObjectParts) -> Result<ObjectDigest> {
        let call = async |mut service: Service, request| service.compose(request).await;
        parts.answer(self.unary(parts.to_wire(), call).await?)
    }

    /// Asks the server for its version, algorithms, kernels and limits.
    ///
    /// # Errors
    /// The server's error or the connection's.
    pub async fn server_info(&self) -> Result<ServerInfo> {
        let call = async |mut service: Service, request| service.get_server_info(request).await;
        self.unary(v1::GetServerInfoRequest {}, call).await
    }

    /// The server's limits, requested if they are not known.
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

    /// A call of one message, tried again where it may be.
    pub(crate) async fn unary<T: Clone, A>(
        &self,
        message: T,
        call: impl AsyncFn(Service, Request<T>) -> Result<Response<A>, Status>,
    ) -> Result<A> {
        let deadline = self.deadline();
        // Tries also end with the deadline.
        let mut tries = self.tries(deadline.end);
        loop {
            let lease = self.inner.pool.lease();
            let mut request = Request::new(message.clone());
            let timeout = self.inner.settings.call_timeout;
            request.set_timeout(deadline.left().unwrap_or(timeout).min(timeout));
            let answered = async {
                // tonic's own timeout covers only the head of a response.
                let answer = tokio::time::timeout(timeout, call(lease.service(), request)).await;
                let answer = answer.map_err(|_| Error::unanswered())?;
                answer.map_err(|status| lease.judged(Error::of_status(&status)))
            };
            let answer = deadline.bound(answered).await;
            lease.learned(answer.as_ref().err());
            drop(lease);
            match answer {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(error) => tries.again(error).await?,
            }
        }
    }

    /// A new call, on the server that is best for it.
    pub(crate) fn call<R: Rpc>(&self, deadline: Deadline) -> Call<R> {
        Call::open(self.inner.pool.lease(), self.inner.settings, deadline)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn tries(&self, deadline: Option<Instant>) -> Tries<'_> {
        let Inner { pool, budget, .. } = &*self.inner;
        Tries::new(pool, budget, self.inner.settings.retries, deadline)
    }

    pub(crate) fn deadline(&self) -> Deadline {
        let begun = self.deadline;
        begun.unwrap_or_else(|| Deadline::after(self.timeout))
    }
}
