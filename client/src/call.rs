//! One call of Digest or Verify, with any number of parts.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::backend::{Backend, Link};
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::part::Part;
use crate::settings::Settings;
use crate::waiting_parts::{Ledger, Refused};
use crate::wire_messages::{PartOptions, Rpc};

/// A call in progress. Dropping it before [`finish`](Self::finish) cancels it.
pub(crate) struct Call<R: Rpc> {
    ledger: Arc<Ledger<R>>,
    link: Link,
}

impl<R: Rpc> Call<R> {
    pub(crate) fn open(backend: &Backend, settings: Settings, deadline: Deadline) -> Self {
        let ledger = Arc::default();
        let link = backend.link(&ledger, settings, deadline);
        Self { ledger, link }
    }

    /// Begins a part, which holds the slot until it is answered.
    pub(crate) fn part(
        &self,
        options: &PartOptions,
        slot: OwnedSemaphorePermit,
    ) -> Result<Part<R>, Refused> {
        let (sender, receiver) = oneshot::channel();
        let number = self.ledger.begin(options, slot, sender)?;
        let sink = self.link.sink(number, options);
        let ledger = Arc::clone(&self.ledger);
        Ok(Part::new(ledger, number, sink, receiver))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ledger.reason().is_some()
    }

    /// Half-closes, unless a part has not ended: a half-close would end it as if it were complete.
    pub(crate) fn half_close(&self) -> Result<()> {
        match self.ledger.counts().0 {
            0 => {}
            open => return Err(Error::Argument(format!("{open} parts have not ended"))),
        }
        self.link.half_close(&self.ledger);
        Ok(())
    }

    /// Waits for the status of a half-closed call.
    pub(crate) async fn finish(mut self) -> Result<()> {
        let Self { ledger, link } = &mut self;
        link.finish(ledger).await
    }
}

impl<R: Rpc> Drop for Call<R> {
    fn drop(&mut self) {
        self.link.cancel(&self.ledger);
    }
}

impl<R: Rpc> std::fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (_, unanswered) = self.ledger.counts();
        f.debug_struct("Call")
            .field("unanswered", &unanswered)
            .field("over", &self.ledger.reason())
            .finish_non_exhaustive()
    }
}
