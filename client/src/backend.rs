//! What computes a client's digests. All differences between the ways to it are here: a client, a
//! call and a part each have one of these enums.

use std::sync::Arc;
use std::time::Duration;

use tonic::Request;

use crate::deadline::Deadline;
use crate::digest::AlgorithmDigest;
#[cfg(feature = "embedded")]
use crate::embedded::{Embedded, Lane, PIECE_BYTES};
use crate::error::{Error, Result};
use crate::outgoing::{Carried, Closed, KEEP_ALIVE_AFTER, Load, Messages};
use crate::pool::Pool;
use crate::server_call::Exchange;
use crate::settings::Settings;
use crate::shared_memory::Region;
use crate::waiting_parts::Ledger;
use crate::wire_messages::{PartOptions, Rpc, Unary};

/// What a client has.
#[derive(Debug)]
pub(crate) enum Backend {
    Servers(Pool),
    /// Worker threads of this process.
    #[cfg(feature = "embedded")]
    Embedded(Embedded),
}

impl Backend {
    /// Opens a call, with what knows its parts.
    pub(crate) fn link<R: Rpc>(
        &self,
        ledger: &Arc<Ledger<R>>,
        settings: Settings,
        deadline: Deadline,
    ) -> Link {
        match self {
            Self::Servers(pool) => {
                Link::Server(Exchange::open(ledger, pool.lease(), settings, deadline))
            }
            #[cfg(feature = "embedded")]
            Self::Embedded(embedded) => Link::Embedded(embedded.clone()),
        }
    }

    /// Makes one try of a unary call.
    pub(crate) async fn unary<U: Unary>(
        &self,
        request: U,
        timeout: Duration,
        deadline: Deadline,
    ) -> Result<U::Answer> {
        match self {
            Self::Servers(pool) => {
                let lease = pool.lease();
                let mut request = Request::new(request);
                request.set_timeout(deadline.left().unwrap_or(timeout).min(timeout));
                let answered = async {
                    // tonic's own timeout covers only the head of a response.
                    let call = U::call(lease.service(), request);
                    let answer = tokio::time::timeout(timeout, call).await;
                    let answer = answer.map_err(|_| Error::unanswered())?;
                    answer.map_err(|status| lease.judged(Error::of_status(&status)))
                };
                let answer = deadline.bound(answered).await;
                lease.learned(answer.as_ref().err());
                Ok(answer?.into_inner())
            }
            #[cfg(feature = "embedded")]
            Self::Embedded(embedded) => deadline.bound(request.compute(embedded)).await,
        }
    }

    /// The number of servers, at least 1.
    pub(crate) fn servers(&self) -> u32 {
        match self {
            Self::Servers(pool) => pool.servers(),
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => 1,
        }
    }

    /// How long to wait before another try.
    pub(crate) fn wait(&self) -> Duration {
        match self {
            Self::Servers(pool) => pool.wait(),
            // A faulty kernel is out of use at once.
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => Duration::ZERO,
        }
    }
}

/// What a call has.
pub(crate) enum Link {
    Server(Exchange),
    #[cfg(feature = "embedded")]
    Embedded(Embedded),
}

impl Link {
    pub(crate) fn sink(&self, number: u64, options: &PartOptions) -> Sink {
        match self {
            Self::Server(exchange) => Sink::Server(exchange.messages(number, options)),
            #[cfg(feature = "embedded")]
            Self::Embedded(embedded) => Sink::Embedded(Lane::open(embedded, number, options)),
        }
    }

    /// No part follows.
    pub(crate) fn half_close<R: Rpc>(&self, ledger: &Ledger<R>) {
        match self {
            Self::Server(exchange) => exchange.half_close(ledger),
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => _ = ledger.close(),
        }
    }

    /// Waits for the end of a half-closed call.
    pub(crate) async fn finish<R: Rpc>(&mut self, ledger: &Ledger<R>) -> Result<()> {
        match self {
            Self::Server(exchange) => exchange.finish(ledger).await,
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => {
                ledger.answered().await;
                Ok(())
            }
        }
    }

    /// Ends the call, unless it is finished.
    pub(crate) fn cancel<R: Rpc>(&mut self, ledger: &Ledger<R>) {
        match self {
            Self::Server(exchange) => exchange.cancel(ledger),
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => ledger.end(Error::Cancelled),
        }
    }
}

/// What a part has.
pub(crate) enum Sink {
    Server(Messages),
    #[cfg(feature = "embedded")]
    Embedded(Lane),
}

/// Why a part's bytes are not taken.
pub(crate) enum Untaken {
    /// The call is over, and has the reason.
    CallIsOver,
    /// The part has failed.
    #[cfg(feature = "embedded")]
    Failed(Error),
}

impl From<Closed> for Untaken {
    fn from(_: Closed) -> Self {
        Self::CallIsOver
    }
}

impl Sink {
    /// The maximum bytes of a piece.
    pub(crate) fn piece_bytes(&self) -> usize {
        match self {
            Self::Server(messages) => messages.message_bytes(),
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => PIECE_BYTES,
        }
    }

    /// Memory for the part's bytes, if what takes them shares any.
    pub(crate) async fn memory(&self) -> Option<Arc<Region>> {
        match self {
            Self::Server(messages) => messages.memory().await,
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => None,
        }
    }

    /// Waits until the part's next bytes may be taken.
    pub(crate) async fn carry(&mut self, load: Load) -> Result<Carried, Untaken> {
        match (self, load) {
            (Self::Server(messages), load) => Ok(messages.carry(load).await?),
            // It takes them at once.
            #[cfg(feature = "embedded")]
            (Self::Embedded(lane), Load::Bytes(bytes)) => {
                lane.push(bytes).await.map_err(Untaken::Failed)?;
                Ok(Carried::default())
            }
            // It has no slots.
            #[cfg(feature = "embedded")]
            (Self::Embedded(_), Load::Slot(_)) => Err(Untaken::CallIsOver),
        }
    }

    /// Takes the part's next bytes.
    pub(crate) fn push(&mut self, carried: Carried) -> Result<(), Untaken> {
        match self {
            Self::Server(messages) => Ok(messages.push(carried)?),
            // It has them.
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => Ok(()),
        }
    }

    /// Waits until a part without bytes has to send a message to stay alive.
    pub(crate) async fn is_quiet(&self) {
        match self {
            Self::Server(_) => tokio::time::sleep(KEEP_ALIVE_AFTER).await,
            // Nothing ends it. The program's runtime need not have timers.
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => std::future::pending().await,
        }
    }

    /// Waits until it is known that bytes are taken.
    pub(crate) async fn accepted(&self) -> Result<()> {
        match self {
            Self::Server(messages) => messages.accepted().await,
            #[cfg(feature = "embedded")]
            Self::Embedded(_) => Ok(()),
        }
    }

    /// Ends the part. The ledger gets its answer.
    pub(crate) fn end<R: Rpc>(
        &mut self,
        ledger: &Arc<Ledger<R>>,
        tail: Carried,
        expected: &[AlgorithmDigest],
    ) {
        match self {
            Self::Server(messages) => messages.end(ledger, tail, expected),
            // It has the tail.
            #[cfg(feature = "embedded")]
            Self::Embedded(lane) => {
                lane.end(ledger, expected);
                _ = ledger.finished();
            }
        }
    }

    /// Ends a part of which no answer is wanted.
    pub(crate) fn abandon<R: Rpc>(&mut self, ledger: &Ledger<R>) {
        match self {
            Self::Server(messages) => messages.abandon(ledger),
            #[cfg(feature = "embedded")]
            Self::Embedded(lane) => _ = ledger.forget(lane.number),
        }
    }
}
