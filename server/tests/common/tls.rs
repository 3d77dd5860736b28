//! Test certificates, and clients that use TLS.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_server::Settings;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, IsCa,
    KeyIdMethod, KeyPair, RevokedCertParams, SanType, SerialNumber, date_time_ymd,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::TestServer;

/// A root that issues certificates for tests.
pub(crate) struct Ca(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key.
pub(crate) struct Issued {
    pub(crate) certificate: CertificateDer<'static>,
    key: KeyPair,
    pem: String,
}

impl Ca {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    fn issue_by(&self, change: impl FnOnce(&mut CertificateParams)) -> Issued {
        let mut params = CertificateParams::default();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let made = params.signed_by(&key, &self.0).unwrap();
        Issued {
            certificate: made.der().clone(),
            pem: made.pem(),
            key,
        }
    }

    /// A certificate for 127.0.0.1.
    pub(crate) fn server(&self) -> Issued {
        let loopback = SanType::IpAddress([127, 0, 0, 1].into());
        self.issue_by(|params| params.subject_alt_names = vec![loopback])
    }

    /// A client's certificate.
    pub(crate) fn client(&self, name: &str) -> Issued {
        let name = SanType::URI(name.try_into().unwrap());
        self.issue_by(|params| params.subject_alt_names = vec![name])
    }

    /// A client's certificate with this serial number.
    pub(crate) fn numbered(&self, serial: u64) -> Issued {
        self.issue_by(|params| params.serial_number = Some(SerialNumber::from(serial)))
    }

    /// Its revocation list, with these serial numbers.
    fn revokes(&self, serials: &[u64]) -> String {
        let revoked = serials.iter().map(|serial| RevokedCertParams {
            serial_number: SerialNumber::from(*serial),
            revocation_time: date_time_ymd(2001, 1, 1),
            reason_code: None,
            invalidity_date: None,
        });
        let params = CertificateRevocationListParams {
            this_update: date_time_ymd(2001, 1, 1),
            next_update: date_time_ymd(2100, 1, 1),
            crl_number: SerialNumber::from(1),
            issuing_distribution_point: None,
            revoked_certs: revoked.collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        params.signed_by(&self.0).unwrap().pem().unwrap()
    }

    /// An expired certificate.
    pub(crate) fn expired(&self) -> Issued {
        self.issue_by(|params| params.not_after = rcgen::date_time_ymd(2001, 1, 1))
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }
}

/// A server's files, removed on drop.
pub(crate) struct Files(TempDir);

impl Files {
    /// `issued` for the server; `clients` is the CA of clients.
    pub(crate) fn new(issued: &Issued, clients: &Ca) -> Self {
        let files = Self(TempDir::new().unwrap());
        files.put(issued);
        std::fs::write(files.path("ca"), clients.pem()).unwrap();
        files
    }

    /// Replaces the server's certificate.
    pub(crate) fn put(&self, issued: &Issued) {
        std::fs::write(self.path("certificate"), &issued.pem).unwrap();
        std::fs::write(self.path("key"), issued.key.serialize_pem()).unwrap();
    }

    /// Makes `ca` revoke exactly these serial numbers.
    pub(crate) fn revoke(&self, ca: &Ca, serials: &[u64]) {
        std::fs::write(self.path("crl"), ca.revokes(serials)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(format!("{name}.pem"))
    }

    fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The server's settings for these files, without `listen`.
    pub(crate) fn settings(&self, client_certificates: &str) -> Vec<(&'static str, String)> {
        let file = |name: &str| {
            self.folder()
                .join(format!("{name}.pem"))
                .display()
                .to_string()
        };
        let mut settings = vec![
            ("tls.listen", "127.0.0.1:0".to_owned()),
            ("tls.certificate", file("certificate")),
            ("tls.key", file("key")),
            ("tls.client_certificates", client_certificates.to_owned()),
        ];
        if client_certificates != "off" {
            settings.push(("tls.client_ca", file("ca")));
            if self.path("crl").exists() {
                settings.push(("tls.client_crl", file("crl")));
            }
        }
        settings
    }

    /// The settings of an admin port with these files.
    pub(crate) fn of_admin(&self, asks_clients: bool) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("admin.certificate", self.path("certificate")),
            ("admin.key", self.path("key")),
        ];
        if asks_clients {
            settings.push(("admin.client_ca", self.path("ca")));
        }
        let shown = |(name, path): (_, PathBuf)| (name, path.display().to_string());
        settings.into_iter().map(shown).collect()
    }

    /// The values of [`Self::settings`] as flags.
    pub(crate) fn flags(&self, client_certificates: &str) -> Vec<String> {
        flags(&self.settings(client_certificates))
    }

    /// The values of [`Self::settings`], parsed.
    pub(crate) fn parsed(&self, client_certificates: &str) -> Settings {
        let settings = self.settings(client_certificates);
        let settings: Vec<_> = settings.iter().map(|(n, v)| (*n, v.as_str())).collect();
        Settings::with(&settings).unwrap()
    }

    /// Starts a server with these files.
    pub(crate) fn serve(&self, client_certificates: &str, more: &[(&str, &str)]) -> TestServer {
        let settings = self.settings(client_certificates);
        let settings = settings.iter().map(|(name, value)| (*name, value.as_str()));
        let settings: Vec<_> = settings.chain(more.iter().copied()).collect();
        TestServer::start(&settings)
    }
}

/// Settings as flags.
pub(crate) fn flags(settings: &[(&str, String)]) -> Vec<String> {
    let flag = |(name, value): &(&str, _)| format!("--{}={value}", name.replace(['.', '_'], "-"));
    settings.iter().map(flag).collect()
}

/// A client that uses TLS.
pub(crate) struct TlsClient {
    roots: RootCertStore,
    identity: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
    pub(crate) alpn: Vec<Vec<u8>>,
    pub(crate) provider: CryptoProvider,
    versions: &'static [&'static SupportedProtocolVersion],
}

impl TlsClient {
    /// Trusts certificates of `ca`, and requests h2.
    pub(crate) fn new(ca: &Ca) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(ca.der()).unwrap();
        Self {
            roots,
            identity: None,
            alpn: vec![b"h2".to_vec()],
            provider: rustls::crypto::ring::default_provider(),
            versions: rustls::DEFAULT_VERSIONS,
        }
    }

    /// Uses `issued` as the client's certificate.
    pub(crate) fn showing(mut self, issued: &Issued) -> Self {
        let key = PrivateKeyDer::try_from(issued.key.serialize_der()).unwrap();
        self.identity = Some((issued.certificate.clone(), key));
        self
    }

    /// Uses only these versions of TLS.
    pub(crate) fn speaking(
        mut self,
        versions: &'static [&'static SupportedProtocolVersion],
    ) -> Self {
        self.versions = versions;
        self
    }

    pub(crate) fn config(&self) -> ClientConfig {
        let builder = ClientConfig::builder_with_provider(Arc::new(self.provider.clone()))
            .with_protocol_versions(self.versions)
            .unwrap()
            .with_root_certificates(self.roots.clone());
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => builder
                .with_client_auth_cert(vec![certificate.clone()], key.clone_key())
                .unwrap(),
        };
        config.alpn_protocols.clone_from(&self.alpn);
        config
    }

    /// Connects and performs the handshake.
    pub(crate) async fn connect(&self, address: SocketAddr) -> std::io::Result<Stream> {
        connect(address, &Arc::new(self.config())).await
    }
}

pub(crate) type Stream = TlsStream<TcpStream>;

/// Connects with `config`.
pub(crate) async fn connect(
    address: SocketAddr,
    config: &Arc<ClientConfig>,
) -> std::io::Result<Stream> {
    let socket = TcpStream::connect(address).await?;
    let name = ServerName::from(address.ip());
    TlsConnector::from(Arc::clone(config))
        .connect(name, socket)
        .await
}
