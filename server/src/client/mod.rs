//! A client: who it is, and what it may have.
//!
//! A connection has a client: the name in its certificate, the uid behind a Unix socket, or the
//! address it comes from. A call has the same client, unless a bearer token or a trusted proxy
//! names another:
//!
//! ```text
//! connection ── address or uid ──> handshake ── name in its certificate ──> its client
//! call ── authorization: a token's name ───────────> its client, unless a certificate names it
//!      └─ x-forwarded-client of a trusted proxy ───> its client
//! ```
//!
//! | | |
//! |---|---|
//! | id.rs | [`ClientId`]: the key of a client, and its name in logs |
//! | identity.rs | which client a call is of |
//! | tokens.rs | bearer tokens, and their names |
//! | proxy.rs | peers that name the clients behind them |
//! | quotas.rs | what the operator grants single clients |
//! | arrivals.rs | when its next connection is served |
//! | throttle.rs | its bytes a second |
//!
//! limits/clients.rs has the clients that there are, and their shares of the process's bounds.
//! config/clients.rs reads the files of tokens and quotas.
//!
//! The connection's client is charged for what there is before a call is known: connections,
//! handshakes, windows, the rate of new connections, turns. The call's client is charged for calls,
//! parts, unary and held bytes, and bytes a second.
//!
//! Why two: one connection of a proxy has calls of many clients. A connection counts for its
//! address until the handshake names its client and it moves there. So clients with certificates
//! behind one address do not share its bounds. Floods count for the address, which is asked first
//! when the next connection comes.

mod arrivals;
mod id;
mod identity;
mod proxy;
mod quotas;
mod throttle;
mod tokens;

use std::sync::Arc;
use std::time::Instant;

pub(crate) use self::arrivals::Arrivals;
pub(crate) use self::id::{ClientId, Logged, Name};
pub(crate) use self::identity::{Identities, Known, Unauthenticated};
pub use self::proxy::TrustedProxy;
pub(crate) use self::quotas::{Quota, Quotas};
pub(crate) use self::throttle::{Slot, Throttle, WAIT_MAX};
pub(crate) use self::tokens::Tokens;
use crate::limiter::Budget;

/// One client: its shares of the process's budgets, and its rates.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    /// No other client has it.
    pub(crate) number: u64,
    pub(crate) connections: Arc<Budget>,
    pub(crate) handshakes: Arc<Budget>,
    pub(crate) windows_bytes: Arc<Budget>,
    pub(crate) streams: Arc<Budget>,
    pub(crate) parts: Arc<Budget>,
    pub(crate) unary_bytes: Arc<Budget>,
    pub(crate) held_bytes: Arc<Budget>,
    pub(crate) arrivals: Arrivals,
    pub(crate) throttle: Throttle,
}

impl Client {
    /// Whether a new client would fare better than this one, by its rates.
    pub(crate) fn matters(&self, now: Instant) -> bool {
        self.arrivals.matters(now) || self.throttle.matters(now)
    }
}
