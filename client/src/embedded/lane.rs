//! One part, which a worker of this process hashes.

use std::sync::Arc;

use bytes::Bytes;
use hashlane_engine::SharedPart;
use tokio::runtime::Handle;

use super::{Embedded, algorithm, refusal};
use crate::algorithm::Algorithm;
use crate::digest::AlgorithmDigest;
use crate::error::{Error, Result};
use crate::waiting_parts::Ledger;
use crate::wire_messages::{PartOptions, Rpc};

/// Maximum bytes of a chunk, so that a part's unhashed bytes are little more than what the engine
/// lets it have.
pub(crate) const PIECE_BYTES: usize = 64 << 10;

/// A part in progress. Dropped before its end, it is cancelled.
pub(crate) struct Lane {
    pub(crate) number: u64,
    /// Taken when the part ends.
    part: Option<SharedPart>,
    algorithms: Vec<Algorithm>,
    declared_bytes: Option<u64>,
    received_bytes: u64,
    /// Runs the task that takes the digests.
    runtime: Handle,
}

impl Lane {
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn open(embedded: &Embedded, number: u64, options: &PartOptions) -> Self {
        let algorithms = algorithm::engines(&options.algorithms);
        Self {
            number,
            part: Some(embedded.shared.open(&algorithms)),
            algorithms: options.algorithms.clone(),
            declared_bytes: options.size_bytes,
            received_bytes: 0,
            runtime: Handle::current(),
        }
    }

    /// Appends a piece. Waits while too many bytes of the part are not hashed.
    ///
    /// # Errors
    /// The part has more bytes than declared, or its worker has stopped.
    pub(crate) async fn push(&mut self, piece: Bytes) -> Result<()> {
        let received = self.received_bytes + piece.len() as u64;
        if let Some(declared) = self.declared_bytes.filter(|declared| received > *declared) {
            return Err(refusal::size_mismatch(declared, received));
        }
        if let Some(part) = &mut self.part {
            part.update_async(piece).await.map_err(refusal::stopped)?;
        }
        self.received_bytes = received;
        Ok(())
    }

    /// Ends the part. Its answer goes to the ledger.
    pub(crate) fn end<R: Rpc>(&mut self, ledger: &Arc<Ledger<R>>, expected: &[AlgorithmDigest]) {
        let (number, received) = (self.number, self.received_bytes);
        let wrong = self.declared_bytes.filter(|declared| *declared != received);
        let Some(part) = self.part.take() else {
            return;
        };
        if let Some(declared) = wrong {
            return answer(
                ledger,
                number,
                Err(refusal::size_mismatch(declared, received)),
            );
        }
        let unanswered = Unanswered {
            ledger: Arc::clone(ledger),
            number,
        };
        let algorithms = std::mem::take(&mut self.algorithms);
        let expected = expected.to_vec();
        self.runtime.spawn(async move {
            let computed = part.finish_async().await.map_err(refusal::stopped);
            let computed = computed.and_then(|all| algorithm::digests(&algorithms, &all));
            let answered = computed.map(|all| R::computed(all, &expected, received));
            answer(&unanswered.ledger, number, answered);
        });
    }
}

/// A part that a task will answer. If the task's runtime ends first, it drops the task, and the drop
/// answers the part.
struct Unanswered<R: Rpc> {
    ledger: Arc<Ledger<R>>,
    number: u64,
}

impl<R: Rpc> Drop for Unanswered<R> {
    fn drop(&mut self) {
        // An answered part keeps its answer.
        answer(&self.ledger, self.number, Err(Error::RuntimeEnded));
    }
}

fn answer<R: Rpc>(ledger: &Ledger<R>, number: u64, answer: Result<R::Answer>) {
    if let Err(error) = ledger.answer(number, answer) {
        ledger.end(error);
    }
}
