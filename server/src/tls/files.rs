//! Reads certificates, keys and roots from PEM files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustls::crypto::ring::{Ticketer, default_provider};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};

use super::certificate;
use crate::config::{ClientCertificates, Settings};

/// Protocols that a client may name by ALPN (RFC 7301). The first bytes of a client that names none
/// tell which one it speaks.
const H2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// A port that can speak TLS.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Port {
    Grpc,
    Admin,
}

impl Port {
    fn name(self) -> &'static str {
        match self {
            Self::Grpc => "grpc",
            Self::Admin => "admin",
        }
    }
}

/// The configuration read from files.
#[derive(Debug)]
pub(crate) struct Current {
    pub(super) config: Arc<ServerConfig>,
    pub(super) expires: SystemTime,
    /// Whether clients are asked for certificates.
    pub(super) asks_clients: bool,
}

/// Why certificates cannot be used. Displays as one line.
#[derive(Debug, thiserror::Error)]
#[error("setting {table}.{key}: {}: {reason}", .path.display())]
pub struct TlsError {
    /// The setting that names the file.
    table: &'static str,
    key: &'static str,
    path: PathBuf,
    reason: String,
}

/// The files that a port's table of settings names.
struct Files<'a> {
    table: &'static str,
    certificate: Option<&'a PathBuf>,
    key: Option<&'a PathBuf>,
    client_certificates: ClientCertificates,
    client_ca: Option<&'a PathBuf>,
    client_crl: Option<&'a PathBuf>,
    alpn: &'static [&'static [u8]],
}

impl<'a> Files<'a> {
    fn of(port: Port, settings: &'a Settings) -> Self {
        match port {
            Port::Grpc => {
                let tls = &settings.tls;
                Self {
                    table: "tls",
                    certificate: tls.certificate.as_ref(),
                    key: tls.key.as_ref(),
                    client_certificates: tls.client_certificates,
                    client_ca: tls.client_ca.as_ref(),
                    client_crl: tls.client_crl.as_ref(),
                    alpn: &[H2, HTTP1],
                }
            }
            Port::Admin => {
                let admin = &settings.admin;
                Self {
                    table: "admin",
                    certificate: admin.certificate.as_ref(),
                    key: admin.key.as_ref(),
                    // Probes have no certificate.
                    client_certificates: match admin.client_ca {
                        None => ClientCertificates::Off,
                        Some(_) => ClientCertificates::Optional,
                    },
                    client_ca: admin.client_ca.as_ref(),
                    client_crl: None,
                    alpn: &[HTTP1],
                }
            }
        }
    }

    /// The settings were checked, so every required path is set.
    fn file(&self, key: &'static str, path: Option<&'a PathBuf>) -> File<'a> {
        File {
            table: self.table,
            key,
            path: path.map_or(Path::new(""), PathBuf::as_path),
        }
    }
}

/// A file that a setting names.
struct File<'a> {
    table: &'static str,
    key: &'static str,
    path: &'a Path,
}

impl File<'_> {
    fn error(&self, reason: impl ToString) -> TlsError {
        TlsError {
            table: self.table,
            key: self.key,
            path: self.path.to_owned(),
            reason: reason.to_string(),
        }
    }

    fn unreadable(&self, error: &pem::Error) -> TlsError {
        self.error(match error {
            pem::Error::Io(error) => error.to_string(),
            pem::Error::NoItemsFound => "nothing of this kind is in it".to_owned(),
            other => other.to_string(),
        })
    }

    /// All items of one kind; at least one must exist.
    fn all<T: PemObject>(&self) -> Result<Vec<T>, TlsError> {
        let found = T::pem_file_iter(self.path);
        let found = found.and_then(|found| found.collect::<Result<Vec<_>, _>>());
        let found = found.map_err(|error| self.unreadable(&error))?;
        if found.is_empty() {
            return Err(self.unreadable(&pem::Error::NoItemsFound));
        }
        Ok(found)
    }
}

/// Reads the files that `settings` name for `port`.
pub(super) fn read(port: Port, settings: &Settings) -> Result<Current, TlsError> {
    let files = Files::of(port, settings);
    let file = files.file("certificate", files.certificate);
    let chain = file.all::<CertificateDer<'static>>()?;
    let own = chain.first().and_then(certificate::Certificate::parse);
    let own = own.ok_or_else(|| file.error("its first certificate is malformed"))?;
    let key_file = files.file("key", files.key);
    let key = PrivateKeyDer::from_pem_file(key_file.path);
    let key = key.map_err(|error| key_file.unreadable(&error))?;

    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| file.error(error))?;
    let builder = match client_verifier(&files)? {
        None => builder.with_no_client_auth(),
        Some(verifier) => builder.with_client_cert_verifier(verifier),
    };
    // This also compares the key with the certificate.
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| key_file.error(error))?;
    config.alpn_protocols = files.alpn.iter().map(|name| name.to_vec()).collect();
    config.session_storage = Arc::new(NoServerSessionStorage {});
    if files.client_certificates == ClientCertificates::Off {
        config.ticketer = Ticketer::new().map_err(|error| file.error(error))?;
    } else {
        config.send_tls13_tickets = 0;
    }
    tracing::info!(
        port = port.name(),
        name = own.name.map(tracing::field::display),
        expires = %humantime::format_rfc3339_seconds(own.expires),
        client_certificates = ?files.client_certificates,
        "tls"
    );
    if own.expires < SystemTime::now() {
        tracing::error!("the certificate has expired: clients will refuse it");
    }
    Ok(Current {
        config: Arc::new(config),
        expires: own.expires,
        asks_clients: files.client_certificates != ClientCertificates::Off,
    })
}

fn client_verifier(files: &Files<'_>) -> Result<Option<Arc<dyn ClientCertVerifier>>, TlsError> {
    if files.client_certificates == ClientCertificates::Off {
        return Ok(None);
    }
    let file = files.file("client_ca", files.client_ca);
    let mut roots = RootCertStore::empty();
    for root in file.all::<CertificateDer<'static>>()? {
        roots.add(root).map_err(|error| file.error(error))?;
    }
    let provider = Arc::new(default_provider());
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = match files.client_certificates {
        ClientCertificates::Optional => builder.allow_unauthenticated(),
        _ => builder,
    };
    // With revocation lists, a certificate is refused if its issuer has no list.
    let builder = match files.client_crl {
        None => builder,
        Some(path) => {
            let lists = files.file("client_crl", Some(path));
            builder.with_crls(lists.all::<CertificateRevocationListDer<'static>>()?)
        }
    };
    let verifier = builder.build().map_err(|error| file.error(error))?;
    Ok(Some(verifier))
}
