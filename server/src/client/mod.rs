//! Clients: identity and limits.
//!
//! A connection has a client: the name in its certificate, the uid behind a Unix socket, or its
//! address. A call has the same client, unless a bearer token or a trusted proxy names another:
//!
//! ```text
//! connection ── address or uid ──> handshake ── name in its certificate ──> its client
//! call ── authorization: a token's name ───────────> its client, unless a certificate names it
//!      └─ x-forwarded-client of a trusted proxy ───> its client
//! ```
//!
//! | | |
//! |---|---|
//! | client.rs | [`Client`]: its shares of the budgets, and its rates |
//! | id.rs | [`ClientId`]: the key of a client, and its name in logs |
//! | identity.rs | finds the client of a call |
//! | tokens.rs | bearer tokens, and their names |
//! | proxy.rs | trusted proxies that name the clients behind them |
//! | quotas.rs | quotas of single clients, set by the operator |
//! | arrivals.rs | when a client's next connection is served |
//! | throttle.rs | a client's bytes per second |
//!
//! limits/clients.rs holds all known clients and their shares of the process's bounds.
//! config/clients.rs reads the files of tokens and quotas.
//!
//! Resources used before a call is known are charged to the connection's client: connections,
//! handshakes, windows, the rate of new connections. Resources of a call are charged to the call's
//! client: calls, parts, unary and held bytes, bytes per second, the engine's time. Turns of a
//! connection are charged to the client of its calls, if that is one client.
//!
//! Why two: one connection of a proxy carries calls of many clients. A connection counts for its
//! address until the handshake names its client; then it moves to that client. So clients with
//! certificates behind one address do not share the address's bounds. Floods count for the address,
//! which is checked first when the next connection arrives.

mod arrivals;
#[allow(
    clippy::module_inception,
    reason = "one client, of the folder of clients"
)]
mod client;
mod id;
mod identity;
mod proxy;
mod quotas;
mod throttle;
mod tokens;

pub(crate) use self::arrivals::Arrivals;
pub(crate) use self::client::Client;
pub(crate) use self::id::{ClientId, Name, changes};
pub(crate) use self::identity::{Identities, Known};
pub use self::proxy::TrustedProxy;
pub(crate) use self::quotas::{Quota, Quotas};
pub(crate) use self::throttle::{Slot, Throttle, WAIT_MAX};
pub(crate) use self::tokens::Tokens;
