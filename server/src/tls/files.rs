//! Reads certificates, keys and roots from PEM files.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use rustls::crypto::ring::{Ticketer, default_provider};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, VerifierBuilderError, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};

use super::certificate;
use crate::config::{ClientCertificates, Settings, TlsSettings, wrong_file};
use crate::words::{Words as _, words};

/// Protocols that a client may name by ALPN (RFC 7301). The first bytes of a client that names none
/// tell which one it speaks.
const H2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

words! {
    /// A port that can speak TLS.
    pub(crate) enum Port {
        Grpc = "grpc",
        Admin = "admin",
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

/// A file that a setting names.
struct File {
    setting: String,
    path: PathBuf,
}

impl File {
    fn wrong(&self, reason: impl Display) -> anyhow::Error {
        wrong_file(&self.setting, self.path.display(), reason)
    }

    fn unreadable(&self, error: pem::Error) -> anyhow::Error {
        match error {
            pem::Error::Io(error) => self.wrong(error),
            pem::Error::NoItemsFound => self.wrong("nothing of this kind is in it"),
            other => self.wrong(other),
        }
    }

    /// All items of one kind; at least one must exist.
    fn all<T: PemObject>(&self) -> anyhow::Result<Vec<T>> {
        let found = T::pem_file_iter(&self.path);
        let found = found.and_then(|found| found.collect::<Result<Vec<_>, _>>());
        let found = found.map_err(|error| self.unreadable(error))?;
        if found.is_empty() {
            return Err(self.unreadable(pem::Error::NoItemsFound));
        }
        Ok(found)
    }
}

/// Reads the files that `settings` name for `port`.
pub(super) fn read(port: Port, settings: &Settings) -> anyhow::Result<Current> {
    let (table, alpn, files) = match port {
        Port::Grpc => ("tls", &[H2, HTTP1][..], settings.tls.clone()),
        Port::Admin => ("admin", &[HTTP1][..], of_admin(settings)),
    };
    // The settings were checked, so every required path is set.
    let named = |key: &str, path: &Option<PathBuf>| File {
        setting: format!("{table}.{key}"),
        path: path.clone().unwrap_or_default(),
    };
    let file = named("certificate", &files.certificate);
    let chain = file.all::<CertificateDer<'static>>()?;
    let own = chain.first().and_then(certificate::Certificate::parse);
    let own = own.ok_or_else(|| file.wrong("its first certificate is malformed"))?;
    let key_file = named("key", &files.key);
    let key = PrivateKeyDer::from_pem_file(&key_file.path);
    let key = key.map_err(|error| key_file.unreadable(error))?;

    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| file.wrong(error))?;
    let asks_clients = files.client_certificates != ClientCertificates::Off;
    let builder = if asks_clients {
        let roots = named("client_ca", &files.client_ca);
        let lists = files.client_crl.as_ref();
        let lists = lists.map(|_| named("client_crl", &files.client_crl));
        let verifier = client_verifier(files.client_certificates, &roots, lists.as_ref())?;
        builder.with_client_cert_verifier(verifier)
    } else {
        builder.with_no_client_auth()
    };
    // This also compares the key with the certificate.
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| match error {
            rustls::Error::InvalidCertificate(reason) => file.wrong(reason),
            other => key_file.wrong(other),
        })?;
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    config.session_storage = Arc::new(NoServerSessionStorage {});
    if !asks_clients {
        config.ticketer = Ticketer::new().map_err(|error| file.wrong(error))?;
    } else {
        config.send_tls13_tickets = 0;
    }
    tracing::info!(
        port = port.word(),
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
        asks_clients,
    })
}

/// The admin port's files, as settings of the other port.
fn of_admin(settings: &Settings) -> TlsSettings {
    let admin = settings.admin.clone();
    TlsSettings {
        certificate: admin.certificate,
        key: admin.key,
        // Probes have no certificate.
        client_certificates: match admin.client_ca {
            None => ClientCertificates::Off,
            Some(_) => ClientCertificates::Optional,
        },
        client_ca: admin.client_ca,
        client_crl: None,
        ..settings.tls.clone()
    }
}

fn client_verifier(
    asked: ClientCertificates,
    roots_file: &File,
    lists: Option<&File>,
) -> anyhow::Result<Arc<dyn ClientCertVerifier>> {
    let mut roots = RootCertStore::empty();
    for root in roots_file.all::<CertificateDer<'static>>()? {
        roots.add(root).map_err(|error| roots_file.wrong(error))?;
    }
    let provider = Arc::new(default_provider());
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = match asked {
        ClientCertificates::Optional => builder.allow_unauthenticated(),
        _ => builder,
    };
    // With revocation lists, a certificate is refused if its issuer has no list.
    let builder = match lists {
        None => builder,
        Some(lists) => builder.with_crls(lists.all::<CertificateRevocationListDer<'static>>()?),
    };
    builder.build().map_err(|error| match (error, lists) {
        (VerifierBuilderError::InvalidCrl(error), Some(lists)) => {
            let error = rustls::Error::from(error);
            lists.wrong(format_args!(
                "{error}; lists must be of version 2 (RFC 5280)"
            ))
        }
        (error, _) => roots_file.wrong(error),
    })
}
