//! Where connections lead, and what they show there.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use super::shared_memory::Region;
use crate::protocol::tls::Tls;

/// The servers, and what all connections to them share.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// gRPC addresses; connections are dealt out to them. At least one.
    pub(crate) servers: Vec<String>,
    /// Trusted roots for addresses with TLS, and the client's certificate.
    pub(crate) tls: Option<Tls>,
    /// The `authorization` of every call.
    pub(crate) authorization: Option<HeaderValue>,
    /// The memory of each server, or of none.
    pub(crate) memory: Vec<Arc<Region>>,
}

impl Target {
    /// One server.
    pub(crate) fn one(server: String, tls: Option<Tls>) -> Self {
        Self {
            servers: vec![server],
            tls,
            authorization: None,
            memory: Vec::new(),
        }
    }

    /// The server of a connection.
    pub(crate) fn server(&self, connection: usize) -> &str {
        &self.servers[connection % self.servers.len()]
    }

    /// The headers of a connection's calls.
    pub(crate) fn headers(&self, connection: usize) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if !self.memory.is_empty() {
            let memory = &self.memory[connection % self.memory.len()];
            headers.insert("hashlane-memory", memory.id.clone());
        }
        headers
    }
}

/// The header that shows a token.
///
/// # Errors
/// It has characters that a header has not.
pub(crate) fn bearer(token: &str) -> Result<HeaderValue> {
    let header = format!("Bearer {}", token.trim());
    let mut header = HeaderValue::try_from(header).context("the token is no text of a header")?;
    header.set_sensitive(true);
    Ok(header)
}
