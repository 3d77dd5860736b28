//! Many parts on one stream.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::builder::Settings;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::part::Part;
use crate::pool::Lease;
use crate::rpc::{Digesting, PartOptions, Rpc, Verifying};

/// One stream of the service on which many parts are in progress at once.
///
/// Dropping it before [`finish`](Self::finish) cancels the call: the server
/// drops all parts that it has not answered.
#[derive(Debug)]
pub struct PartStream<R: Rpc> {
    call: Call<R>,
    slots: Arc<Semaphore>,
}

/// A stream of parts to be digested.
pub type DigestStream = PartStream<Digesting>;
/// A stream of parts to be verified.
pub type VerifyStream = PartStream<Verifying>;

impl<R: Rpc> PartStream<R> {
    pub(crate) fn open(lease: Lease, settings: Settings) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(settings.parts_max)),
            call: Call::open(lease, settings),
        }
    }

    /// Begins a part. Waits while as many parts as the builder's `parts_max`
    /// are unanswered.
    ///
    /// # Errors
    /// With [`Error::Argument`] if an algorithm is named twice, or with the stream's.
    pub async fn part(&self, options: impl Into<PartOptions>) -> Result<Part<R>> {
        let options: PartOptions = options.into();
        options.check()?;
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let slot = slot.map_err(|_| Error::Cancelled)?;
        self.call.part(options, slot)
    }

    /// Half-closes the stream and waits for its status. The parts' answers
    /// come as ever.
    ///
    /// # Errors
    /// With [`Error::Argument`], and the call is cancelled, if a part has not
    /// ended: half-closing would end it as if it were complete.
    pub fn finish(self) -> impl Future<Output = Result<()>> + Send {
        let half_closed = self.call.half_close();
        async move {
            half_closed?;
            self.call.finish().await
        }
    }

    /// Cancels the call. Unanswered parts fail with [`Error::Cancelled`].
    pub fn cancel(self) {}
}
