//! The client of `--healthcheck`.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};

/// Time for the health check.
const HEALTHCHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Asks a running server's admin port whether it is ready, over TLS if the port speaks TLS. For
/// container images that have no other client program.
///
/// # Errors
/// The server cannot be reached, or is not ready.
pub fn healthcheck(mut admin: SocketAddr, over_tls: bool) -> io::Result<()> {
    if admin.ip().is_unspecified() {
        admin.set_ip(match admin {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    let during = |what: &str, error: &io::Error| {
        let words = match error.kind() {
            // The errors of a socket after its timeout.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "timed out".to_owned(),
            io::ErrorKind::UnexpectedEof => "closed without an answer".to_owned(),
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), format!("cannot {what} {admin}: {words}"))
    };
    let stream = TcpStream::connect_timeout(&admin, HEALTHCHECK_TIMEOUT)
        .map_err(|error| during("connect to", &error))?;
    let answer = || {
        stream.set_read_timeout(Some(HEALTHCHECK_TIMEOUT))?;
        stream.set_write_timeout(Some(HEALTHCHECK_TIMEOUT))?;
        if over_tls {
            let name = ServerName::from(admin.ip());
            let session =
                ClientConnection::new(client_config()?, name).map_err(io::Error::other)?;
            ask(StreamOwned::new(session, stream))
        } else {
            ask(stream)
        }
    };
    match &answer().map_err(|error| during("ask", &error))? {
        b"HTTP/1.1 200" => Ok(()),
        _ => Err(io::Error::other("the server is not ready")),
    }
}

/// Sends the request and returns the first bytes of the answer.
fn ask(mut stream: impl Read + Write) -> io::Result<[u8; 12]> {
    let mut head = [0; 12];
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    stream.read_exact(&mut head)?;
    Ok(head)
}

fn client_config() -> io::Result<Arc<ClientConfig>> {
    let provider = Arc::new(default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let config = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Accepts any certificate: it holds the server's public name, not this address, and the exchange
/// holds no secrets. Kubernetes' probes do the same.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
