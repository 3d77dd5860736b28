//! Finds the client of a call.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

use http::{HeaderMap, header};
use tonic::Status;

use super::id::{ClientId, Name, changes};
use super::proxy::TrustedProxy;
use super::tokens::Tokens;
use crate::status::{credentials_invalid, credentials_missing};

/// The header in which a proxy names the client.
const FORWARDED_CLIENT: &str = "x-forwarded-client";

/// How calls name their clients. SIGHUP replaces it.
#[derive(Debug)]
pub(crate) struct Identities {
    known: RwLock<Known>,
    /// Whether `known` affects any call. If not, calls skip the lock, which workers share.
    in_use: AtomicBool,
}

/// Current tokens and proxies.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) tokens: Option<Tokens>,
    pub(crate) proxies: Vec<TrustedProxy>,
    /// Calls of a client known only by its address are refused.
    pub(crate) is_required: bool,
}

impl Known {
    /// Clients whose tokens differ from `old`.
    fn changes(&self, old: &Self) -> Vec<String> {
        let none = Tokens::default();
        let [old, new] = [old, self].map(|known| known.tokens.as_ref().unwrap_or(&none));
        changes(&old.by_client(), &new.by_client())
    }

    fn is_of_use(&self) -> bool {
        self.tokens.is_some() || self.is_required || !self.proxies.is_empty()
    }
}

impl Identities {
    pub(crate) fn new(known: Known) -> Self {
        Self {
            in_use: AtomicBool::new(known.is_of_use()),
            known: RwLock::new(known),
        }
    }

    /// Installs `known` and returns the changes. Only one thread calls it.
    pub(crate) fn replace(&self, known: Known) -> Vec<String> {
        // No code panics under the lock. Compare under a read lock, so that no worker waits for it.
        let changes = known.changes(&self.known.read().unwrap_or_else(PoisonError::into_inner));
        let mut current = self.known.write().unwrap_or_else(PoisonError::into_inner);
        self.in_use.store(known.is_of_use(), Relaxed);
        *current = known;
        changes
    }

    /// The client of a call with these headers, on a connection of the client `connection` from
    /// `ip`. `None` if the call has the client of the connection.
    ///
    /// # Errors
    /// The call must be refused.
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
                let wrong = || credentials_invalid("the bearer token is none that is known");
                Some(name.ok_or_else(wrong)?)
            }
            _ => None,
        };
        // Earlier values may come from the client itself, and the proxy forwarded them.
        let forwarded = headers.get_all(FORWARDED_CLIENT).iter().next_back();
        if let Some(value) = forwarded
            && known.proxies.iter().any(|proxy| proxy.is(connection, ip))
        {
            // A proxy may have joined the client's value and its own with a comma.
            let name = value.to_str().ok().filter(|name| !name.contains(','));
            let name = name.and_then(Name::new);
            let wrong = || credentials_invalid("x-forwarded-client is no name of a client");
            return Ok(Some(ClientId::Forwarded(name.ok_or_else(wrong)?)));
        }
        match (connection, token) {
            (ClientId::Certificate(_), _) => Ok(None),
            (_, Some(name)) => Ok(Some(ClientId::Token(name))),
            (ClientId::Address(_), None) if known.is_required => Err(credentials_missing()),
            (_, None) => Ok(None),
        }
    }
}
