//! Many parts on one stream, which uses one call after the other.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use crate::call::Call;
use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::part::Part;
use crate::waiting_parts::Refused;
use crate::wire_messages::{Digesting, PartOptions, Rpc, Verifying};

/// A stream on which many parts are in progress at once.
///
/// It is one call of the service. When that call's server drains, hangs or is gone, or has ended
/// the call as idle, new parts go to a new call, on the best server at that time.
///
/// Dropping the stream before [`finish`](Self::finish) cancels its calls: the servers drop all
/// parts that they have not answered.
#[derive(Debug)]
pub struct PartStream<R: Rpc> {
    pub(crate) client: Client,
    calls: Mutex<Calls<R>>,
    /// Permits for unanswered parts.
    slots: Arc<Semaphore>,
}

#[derive(Debug)]
struct Calls<R: Rpc> {
    /// The call that takes new parts.
    current: Call<R>,
    /// Calls without new parts, until their parts are answered.
    closing: Vec<Call<R>>,
}

/// A stream of parts to be digested.
pub type DigestStream = PartStream<Digesting>;
/// A stream of parts to be verified.
pub type VerifyStream = PartStream<Verifying>;

impl Client {
    /// Opens a stream for many parts to digest at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open_stream(&self) -> DigestStream {
        PartStream::open(self.clone())
    }

    /// Opens a stream for many parts to verify at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn open_verify_stream(&self) -> VerifyStream {
        PartStream::open(self.clone())
    }
}

impl<R: Rpc> PartStream<R> {
    fn open(client: Client) -> Self {
        let current = client.call(Deadline::NONE);
        Self {
            slots: Arc::new(Semaphore::new(client.settings().parts_max)),
            calls: Mutex::new(Calls {
                current,
                closing: Vec::new(),
            }),
            client,
        }
    }

    /// Begins a part that the caller writes piece by piece. Its bytes cannot be sent again, so its
    /// error is final. Waits while the builder's `parts_max` parts are unanswered.
    ///
    /// # Errors
    /// [`Error::Argument`] if an algorithm is named twice, or the stream's error.
    pub async fn part(&self, options: impl Into<PartOptions>) -> Result<Part<R>> {
        let options: PartOptions = options.into();
        options.check()?;
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let mut slot = slot.map_err(|_| Error::Cancelled)?;
        let mut calls = self.calls();
        loop {
            slot = match calls.current.part(&options, slot) {
                Ok(part) => return Ok(part),
                Err(Refused {
                    over: Some(error), ..
                }) if !error.is_retryable() && !error.is_of_server() => return Err(error),
                Err(refused) => refused.slot,
            };
            let full = std::mem::replace(&mut calls.current, self.client.call(Deadline::NONE));
            calls.closing.push(full);
            calls.closing.retain(|call| !call.is_over());
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls<R>> {
        // No code that can panic runs under the lock.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Half-closes the stream and waits for its status. The parts' answers still arrive.
    ///
    /// # Errors
    /// [`Error::Argument`], and the stream is cancelled, if a part has not ended: a half-close
    /// would end it as if it were complete.
    pub fn finish(self) -> impl Future<Output = Result<()>> + Send {
        let calls = self.calls.into_inner();
        let Calls { current, closing } = calls.unwrap_or_else(PoisonError::into_inner);
        let half_closed = {
            let mut all = closing.iter().chain([&current]);
            all.try_for_each(Call::half_close)
        };
        async move {
            half_closed?;
            for call in closing {
                // Its parts already have their outcomes.
                let _ = call.finish().await;
            }
            current.finish().await
        }
    }

    /// Cancels the stream. Unanswered parts fail with [`Error::Cancelled`].
    pub fn cancel(self) {}
}
