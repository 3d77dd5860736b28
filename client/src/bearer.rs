//! Credentials of a client, kept out of logs: the bearer token of its calls (RFC 6750), and its
//! certificate with the private key.

use std::fmt;
use std::net::IpAddr;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::transport::{self, Uri};
use tonic::{Request, Status};

/// The token as configured. Debug does not show it.
#[derive(Clone)]
pub(crate) struct Token(pub(crate) String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// A certificate and its private key. Debug does not show them.
#[derive(Clone)]
pub(crate) struct Identity(pub(crate) transport::Identity);

impl Identity {
    pub(crate) fn new(certificate: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Self {
        Self(transport::Identity::from_pem(certificate, key))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(..)")
    }
}

impl Token {
    /// The token as metadata of calls.
    pub(crate) fn bearer(&self) -> Result<Bearer, String> {
        let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~+/=".contains(&b);
        if self.0.is_empty() || !self.0.bytes().all(is_allowed) {
            return Err("a token is of letters, digits and -._~+/=".to_owned());
        }
        let value = format!("Bearer {}", self.0).parse();
        let mut value: MetadataValue<Ascii> = value.map_err(|_| "no such token".to_owned())?;
        value.set_sensitive(true);
        Ok(Bearer(Some(value)))
    }
}

/// Adds the token to each call, if there is one. Public as a part of a sealed trait.
#[derive(Clone, Default)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(..)")
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", value.clone());
        }
        Ok(request)
    }
}

/// Whether data sent to `uri` is encrypted or stays on this machine.
pub(crate) fn is_private(uri: &Uri) -> bool {
    if uri.scheme_str() == Some("https") {
        return true;
    }
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address = address.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_beyond_loopback_without_tls_is_not_private() {
        let is = |uri: &'static str| is_private(&Uri::from_static(uri));
        for private in [
            "https://example:1",
            "http://127.1.2.3:1",
            "http://[::1]:1",
            "http://localhost:1",
        ] {
            assert!(is(private), "{private}");
        }
        for seen in [
            "http://10.0.0.1:1",
            "http://localhost.example:1",
            "http://[::]:1",
        ] {
            assert!(!is(seen), "{seen}");
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let token = Token("c29tZQ==".to_owned());
        assert!(!format!("{token:?}").contains("c29t"));
        let mut bearer = token.bearer().unwrap();
        let request = bearer.call(Request::new(())).unwrap();
        let sent = request.metadata().get("authorization");
        assert_eq!(sent.unwrap(), "Bearer c29tZQ==");
        assert!(!format!("{request:?}").contains("c29t"), "{request:?}");
        for bad in ["", "a b", "a\nb", "ä"] {
            assert!(Token(bad.to_owned()).bearer().is_err(), "{bad:?}");
        }
    }
}
