//! The TLS configuration of a port, which can be replaced while the port is open.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::files::{self, Current, Port};
use crate::config::Settings;

/// The TLS configuration of a port.
#[derive(Debug)]
pub(crate) struct Tls {
    port: Port,
    current: Mutex<Current>,
}

impl Tls {
    /// Reads the files that the settings name for `port`, if it speaks TLS.
    pub(crate) fn new(port: Port, settings: &Settings) -> anyhow::Result<Option<Arc<Self>>> {
        let speaks_tls = match port {
            Port::Grpc => settings.tls.listen.is_some(),
            Port::Admin => settings.admin.certificate.is_some(),
        };
        let current = speaks_tls.then(|| files::read(port, settings));
        let current = current.transpose()?.map(Mutex::new);
        Ok(current.map(|current| Arc::new(Self { port, current })))
    }

    /// Reads the current files.
    pub(crate) fn read(&self, settings: &Settings) -> anyhow::Result<Current> {
        files::read(self.port, settings)
    }

    /// Puts what was read in force for new connections; open ones continue.
    pub(crate) fn replace(&self, new: Current) {
        *self.current() = new;
    }

    /// Performs the handshake with a client of the admin port. Returns false if a certificate is
    /// required and the client showed none.
    pub(crate) async fn accept(
        &self,
        socket: TcpStream,
    ) -> io::Result<(TlsStream<TcpStream>, bool)> {
        let (config, asks_clients) = {
            let current = self.current();
            (Arc::clone(&current.config), current.asks_clients)
        };
        let stream = TlsAcceptor::from(config).accept(socket).await?;
        let shown = stream.get_ref().1.peer_certificates().is_some();
        Ok((stream, shown || !asks_clients))
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current().config)
    }

    /// When the server's certificate expires.
    pub(crate) fn expires(&self) -> SystemTime {
        self.current().expires
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Current> {
        // No code panics under the lock.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
