//! Who a client is.
//!
//! ```text
//! connection ── address or uid ──> handshake ── name in its certificate ──> its client
//! call ── authorization: a token's name ───────────> its client, unless a certificate names it
//!      └─ x-forwarded-client of a trusted proxy ───> its client
//! ```
//!
//! tokens.rs has the bearer tokens, and whose they are.

mod tokens;

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

use http::{HeaderMap, header};
use tonic::Status;

use self::tokens::Tokens;
use crate::client_id::{ClientId, Name};
use crate::config::{FileError, Settings, TrustedProxy};
use crate::status;

/// The header in which a proxy names its client.
const FORWARDED_CLIENT: &str = "x-forwarded-client";

/// By what the clients of calls are known; SIGHUP puts another in its place.
#[derive(Debug)]
pub(crate) struct Identities {
    known: RwLock<Known>,
    /// Whether it knows anything: if not, calls do not touch the lock, which workers share.
    in_use: AtomicBool,
}

/// What is in force.
#[derive(Debug)]
pub(crate) struct Known {
    tokens: Option<Tokens>,
    proxies: Vec<TrustedProxy>,
    required: bool,
}

impl Known {
    /// As `settings` have it, with the files that they name.
    pub(crate) fn read(settings: &Settings) -> Result<Self, FileError> {
        let settings = &settings.clients;
        let file = settings.tokens_file.as_deref();
        Ok(Self {
            tokens: file.map(Tokens::read).transpose()?,
            proxies: settings.trusted_proxies.clone(),
            required: settings.identity_required,
        })
    }

    /// What it says that `old` does not, in words.
    fn changes(&self, old: &Self) -> Vec<String> {
        let none = Tokens::default();
        let [old, new] = [old, self].map(|known| known.tokens.as_ref().unwrap_or(&none));
        new.changes(old)
    }

    fn is_of_use(&self) -> bool {
        self.tokens.is_some() || self.required || !self.proxies.is_empty()
    }
}

impl Identities {
    pub(crate) fn new(known: Known) -> Self {
        Self {
            in_use: AtomicBool::new(known.is_of_use()),
            known: RwLock::new(known),
        }
    }

    /// Puts `known` in force, and says what changed. Called by one thread.
    pub(crate) fn replace(&self, known: Known) -> Vec<String> {
        // Nothing panics while it is locked. To compare takes longer than a worker should wait.
        let changes = known.changes(&self.known.read().unwrap_or_else(PoisonError::into_inner));
        let mut current = self.known.write().unwrap_or_else(PoisonError::into_inner);
        self.in_use.store(known.is_of_use(), Relaxed);
        *current = known;
        changes
    }

    /// The client of a call with these headers, on a connection of the client `connection` from
    /// `ip`. `None` if the connection's client is the call's.
    ///
    /// # Errors
    /// UNAUTHENTICATED.
    pub(crate) fn of_call(
        &self,
        connection: &ClientId,
        ip: Option<IpAddr>,
        headers: &HeaderMap,
    ) -> Result<Option<ClientId>, Status> {
        if !self.in_use.load(Relaxed) {
            return Ok(None);
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let token = match &known.tokens {
            Some(tokens) if headers.contains_key(header::AUTHORIZATION) => {
                let name = tokens.name_of(headers);
                let wrong =
                    || status::credentials_invalid("the bearer token is none that is known");
                Some(name.ok_or_else(wrong)?)
            }
            _ => None,
        };
        // Those before the last may be the client's own, which the proxy passed on.
        let forwarded = headers.get_all(FORWARDED_CLIENT).iter().next_back();
        if let Some(value) = forwarded
            && known.proxies.iter().any(|proxy| proxy.is(connection, ip))
        {
            // A comma may be where a proxy has joined the client's own value and its.
            let name = value.to_str().ok().filter(|name| !name.contains(','));
            let name = name.and_then(Name::new);
            let wrong = || status::credentials_invalid("x-forwarded-client is no name of a client");
            return Ok(Some(ClientId::Forwarded(name.ok_or_else(wrong)?)));
        }
        match (connection, token) {
            (ClientId::Certificate(_), _) => Ok(None),
            (_, Some(name)) => Ok(Some(ClientId::Token(name))),
            (ClientId::Address(_), None) if known.required => Err(status::credentials_missing()),
            (_, None) => Ok(None),
        }
    }
}
