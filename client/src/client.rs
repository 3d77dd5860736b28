//! The client: what all its calls share, and the questions of one message.

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

/// What a server says of itself: its version, algorithms, kernels and limits.
pub type ServerInfo = v1::GetServerInfoResponse;

/// A client of one hashlane service, at one or several servers. Cheap to clone; clones share
/// connections.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
    /// Of each thing to do.
    timeout: Option<Duration>,
    /// Of one thing that takes several calls, while they are made.
    deadline: Option<Deadline>,
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    settings: Settings,
    budget: Budget,
    /// Asked for by the first batch, and after a refusal.
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

    /// The same client, whose methods take at most so long, all their requests and tries together.
    /// The server is told. Streams are not bounded by it, but their whole parts are.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            timeout: Some(timeout),
            deadline: None,
        }
    }

    /// The same client, whose calls share the time of one thing to do.
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
    /// With the server's: `INVALID_ARGUMENT` for an algorithm that S3 has no such
    /// value of, no parts or more than 10,000, a digest of the wrong length, an
    /// expected text that can be no such value.
    pub async fn compose(&self, parts: &ObjectParts) -> Result<ObjectDigest> {
        let call = async |mut service: Service, request| service.compose(request).await;
        parts.answer(self.unary(parts.to_wire(), call).await?)
    }

    /// Asks the server for its version, algorithms, kernels and limits.
    ///
    /// # Errors
    /// With the server's or the connection's.
    pub async fn server_info(&self) -> Result<ServerInfo> {
        let call = async |mut service: Service, request| service.get_server_info(request).await;
        self.unary(v1::GetServerInfoRequest {}, call).await
    }

    /// The server's limits, asked for if they are not known.
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

    /// They are asked for again.
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
        // They end with the deadline too.
        let mut tries = self.tries(deadline.end);
        loop {
            let lease = self.inner.pool.lease();
            let mut request = Request::new(message.clone());
            let timeout = self.inner.settings.call_timeout;
            request.set_timeout(deadline.left().unwrap_or(timeout).min(timeout));
            let answered = async {
                // Of itself tonic waits so long for the head of a response alone.
                let answer = tokio::time::timeout(timeout, call(lease.service(), request)).await;
                let answer = answer.map_err(|_| Error::unanswered())?;
                answer.map_err(|status| Error::of_status(&status))
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
