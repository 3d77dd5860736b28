//! Certificates, keys and roots from PEM files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustls::crypto::ring::{Ticketer, default_provider};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};

use super::{H2, certificate};
use crate::config::{ClientCertificates, TlsSettings};

/// Why certificates cannot be used. Displayed in one line.
#[derive(Debug, thiserror::Error)]
#[error("setting {setting}: {}: {reason}", .path.display())]
pub struct TlsError {
    /// The setting that names the file.
    setting: &'static str,
    path: PathBuf,
    reason: String,
}

/// A file that a setting names.
struct File<'a> {
    setting: &'static str,
    path: &'a Path,
}

impl<'a> File<'a> {
    /// The settings were checked: no path is missing that is needed.
    fn new(setting: &'static str, path: Option<&'a PathBuf>) -> Self {
        Self {
            setting,
            path: path.map_or(Path::new(""), PathBuf::as_path),
        }
    }

    fn error(&self, reason: impl ToString) -> TlsError {
        TlsError {
            setting: self.setting,
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

    /// Whatever of one kind is in it, and there must be some.
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

/// What the files give, and when the server's certificate ends.
pub(super) fn read(settings: &TlsSettings) -> Result<(Arc<ServerConfig>, SystemTime), TlsError> {
    let file = File::new("tls.certificate", settings.certificate.as_ref());
    let chain = file.all::<CertificateDer<'static>>()?;
    let own = chain.first().and_then(certificate::Certificate::parse);
    let own = own.ok_or_else(|| file.error("its first certificate is malformed"))?;
    let key_file = File::new("tls.key", settings.key.as_ref());
    let key = PrivateKeyDer::from_pem_file(key_file.path);
    let key = key.map_err(|error| key_file.unreadable(&error))?;

    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| file.error(error))?;
    let builder = match client_verifier(settings)? {
        None => builder.with_no_client_auth(),
        Some(verifier) => builder.with_client_cert_verifier(verifier),
    };
    // It also compares the key with the certificate.
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| key_file.error(error))?;
    config.alpn_protocols = vec![H2.to_vec()];
    config.session_storage = Arc::new(NoServerSessionStorage {});
    if settings.client_certificates == ClientCertificates::Off {
        config.ticketer = Ticketer::new().map_err(|error| file.error(error))?;
    } else {
        config.send_tls13_tickets = 0;
    }
    tracing::info!(
        name = own.name.map(tracing::field::display),
        expires = %humantime::format_rfc3339_seconds(own.expires),
        client_certificates = ?settings.client_certificates,
        "tls"
    );
    if own.expires < SystemTime::now() {
        tracing::error!("the certificate has expired: clients will refuse it");
    }
    Ok((Arc::new(config), own.expires))
}

fn client_verifier(
    settings: &TlsSettings,
) -> Result<Option<Arc<dyn ClientCertVerifier>>, TlsError> {
    if settings.client_certificates == ClientCertificates::Off {
        return Ok(None);
    }
    let file = File::new("tls.client_ca", settings.client_ca.as_ref());
    let mut roots = RootCertStore::empty();
    for root in file.all::<CertificateDer<'static>>()? {
        roots.add(root).map_err(|error| file.error(error))?;
    }
    let provider = Arc::new(default_provider());
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let builder = match settings.client_certificates {
        ClientCertificates::Optional => builder.allow_unauthenticated(),
        _ => builder,
    };
    // With lists, a certificate whose issuer has none is refused: nobody knows of it.
    let builder = match &settings.client_crl {
        None => builder,
        Some(path) => {
            let lists = File::new("tls.client_crl", Some(path));
            builder.with_crls(lists.all::<CertificateRevocationListDer<'static>>()?)
        }
    };
    let verifier = builder.build().map_err(|error| file.error(error))?;
    Ok(Some(verifier))
}
