//! TLS: the trusted roots of the load's connections, and a server certificate for a comparison.

use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tempfile::TempDir;
use tokio_rustls::TlsConnector;

/// Maximum of unsent ciphertext: one write of the prepared client.
const UNSENT_BYTES_MAX: usize = 256 << 10;

/// The trusted roots of connections.
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    /// Trusts servers whose certificates lead to these roots, and shows them the client's own
    /// certificate, if it has one: its chain and its key in PEM.
    ///
    /// # Errors
    /// `pem` has no valid certificates, or the chain and the key do not fit.
    pub(crate) fn new(pem: &[u8], own: Option<&[Vec<u8>; 2]>) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(pem) {
            roots.add(root.context("a certificate that is no PEM")?)?;
        }
        anyhow::ensure!(!roots.is_empty(), "there is no certificate in it");
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots);
        let mut config = match own {
            None => config.with_no_client_auth(),
            Some([chain, key]) => {
                let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>();
                let chain = chain.context("the client's certificate is no PEM")?;
                let key = PrivateKeyDer::from_pem_slice(key);
                let key = key.context("the client's key is no PEM")?;
                let own = config.with_client_auth_cert(chain, key);
                own.context("the client's certificate and key")?
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self {
            config: Arc::new(config),
        })
    }

    pub(crate) async fn connect(
        &self,
        host: &str,
        socket: tokio::net::TcpStream,
    ) -> Result<tokio_rustls::client::TlsStream<tokio::net::TcpStream>> {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        Ok(connector.connect(server_name(host)?, socket).await?)
    }
}

fn server_name(host: &str) -> Result<ServerName<'static>> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(host.to_owned());
    name.with_context(|| format!("`{host}` is no name of a server"))
}

/// A server's certificate, in files that are removed on drop.
#[derive(Debug)]
pub(crate) struct Certificate {
    folder: TempDir,
    pub(crate) tls: Tls,
}

impl Certificate {
    /// Makes a certificate for the loopback.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(crate) fn make() -> Result<Self> {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
        let folder = TempDir::new().context("no folder for a certificate")?;
        let pem = made.cert.pem();
        let own = Self {
            tls: Tls::new(pem.as_bytes(), None)?,
            folder,
        };
        let key = made.signing_key.serialize_pem();
        std::fs::write(own.path("certificate"), &pem)
            .and_then(|()| std::fs::write(own.path("key"), key))
            .context("cannot write a certificate")?;
        Ok(own)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.pem"))
    }

    /// The server's flags to listen with it.
    pub(crate) fn flags(&self, address: SocketAddr) -> Vec<String> {
        vec![
            "--listen=".to_owned(),
            format!("--tls-listen={address}"),
            format!("--tls-certificate={}", self.path("certificate").display()),
            format!("--tls-key={}", self.path("key").display()),
        ]
    }
}

/// A socket that is non-blocking once connected, with or without TLS.
#[derive(Debug)]
pub(crate) struct Line {
    socket: TcpStream,
    session: Option<Box<ClientConnection>>,
}

impl Line {
    /// Performs the handshake with `host` if TLS is used. The socket blocks meanwhile.
    ///
    /// # Errors
    /// The server is not trusted, or does not speak TLS.
    pub(crate) fn new(mut socket: TcpStream, host: &str, tls: Option<&Tls>) -> Result<Self> {
        let mut session = None;
        if let Some(tls) = tls {
            let name = server_name(host)?;
            let mut fresh = ClientConnection::new(Arc::clone(&tls.config), name)?;
            fresh.set_buffer_limit(Some(UNSENT_BYTES_MAX));
            while fresh.is_handshaking() {
                fresh.complete_io(&mut socket)?;
            }
            session = Some(Box::new(fresh));
        }
        Ok(Self { socket, session })
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Whether there are received bytes that no poll of the socket reports.
    pub(crate) fn holds_received(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| !session.wants_read())
    }

    /// Whether unsent bytes wait for the socket.
    pub(crate) fn holds_unsent(&self) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|session| session.wants_write())
    }
}

impl Read for Line {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Some(session) = &mut self.session else {
            return self.socket.read(bytes);
        };
        loop {
            match session.reader().read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            session.read_tls(&mut self.socket)?;
            let taken = session.process_new_packets();
            taken.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let Some(session) = &mut self.session else {
            return self.socket.write_vectored(pieces);
        };
        let mut written = session.writer().write_vectored(pieces)?;
        self.flush()?;
        if written == 0 && !self.holds_unsent() {
            // Only now is there room.
            let session = self.session.as_mut().expect("it was there");
            written = session.writer().write_vectored(pieces)?;
            self.flush()?;
        }
        if written == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(written)
    }

    /// Writes as much as the socket accepts.
    fn flush(&mut self) -> io::Result<()> {
        let Some(session) = &mut self.session else {
            return Ok(());
        };
        while session.wants_write() {
            match session.write_tls(&mut self.socket) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use rustls::pki_types::PrivateKeyDer;
    use rustls::{ServerConfig, ServerConnection};

    use super::*;

    /// More than the sockets buffer.
    const SENT_BYTES: usize = 32 << 20;

    /// Echoes all bytes of one connection, and closes it. Starts reading only when allowed.
    fn echo(listener: &TcpListener, certificate: &Certificate, may_read: &Receiver<()>) {
        let file = |name| std::fs::read(certificate.path(name)).unwrap();
        let chain = CertificateDer::from_pem_slice(&file("certificate")).unwrap();
        let key = PrivateKeyDer::from_pem_slice(&file("key")).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .unwrap();
        let (mut socket, _) = listener.accept().unwrap();
        let mut session = ServerConnection::new(Arc::new(config)).unwrap();
        while session.is_handshaking() {
            session.complete_io(&mut socket).unwrap();
        }
        may_read.recv().unwrap();
        let mut stream = rustls::StreamOwned::new(session, socket);
        let mut all = vec![0; SENT_BYTES];
        stream.read_exact(&mut all).unwrap();
        // All bytes have arrived before the first byte goes back.
        stream.write_all(&all).unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
    }

    #[test]
    fn a_line_carries_all_however_little_the_socket_takes() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let certificate = Certificate::make().unwrap();
        let tls = certificate.tls.clone();
        let (let_read, may_read) = channel();
        let server = std::thread::spawn(move || echo(&listener, &certificate, &may_read));
        let socket = TcpStream::connect(address).unwrap();
        let mut line = Line::new(socket, "127.0.0.1", Some(&tls)).unwrap();
        line.socket().set_nonblocking(true).unwrap();
        let sent: Vec<u8> = (0..=250).cycle().take(SENT_BYTES).collect();
        let mut rest = &sent[..];
        while !rest.is_empty() {
            let (one, other) = rest.split_at(rest.len() / 3);
            match line.write_vectored(&[IoSlice::new(one), IoSlice::new(other)]) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // If the receiver is gone, the echo already reads.
                    let _ = let_read.send(());
                }
                Err(error) => panic!("{error}"),
            }
        }
        while line.holds_unsent() {
            line.flush().unwrap();
        }
        let mut received = Vec::new();
        let mut space = [0; 1000];
        loop {
            match line.read(&mut space) {
                Ok(0) => break,
                Ok(bytes) => received.extend_from_slice(&space[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    assert!(!line.holds_received());
                    std::thread::yield_now();
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(received == sent);
        server.join().unwrap();
    }

    #[test]
    fn a_stranger_is_not_trusted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let [certificate, other] = [0, 1].map(|_| Certificate::make().unwrap());
        let server = std::thread::spawn(move || {
            let (_let_read, may_read) = channel();
            let echo = std::panic::AssertUnwindSafe(|| echo(&listener, &certificate, &may_read));
            let panicked = std::panic::catch_unwind(echo);
            assert!(panicked.is_err(), "the handshake failed");
        });
        let socket = TcpStream::connect(address).unwrap();
        let error = Line::new(socket, "127.0.0.1", Some(&other.tls)).unwrap_err();
        assert!(
            format!("{error:#}").contains("invalid peer certificate"),
            "{error:#}"
        );
        server.join().unwrap();
        assert!(Tls::new(b"none", None).is_err());
    }
}
