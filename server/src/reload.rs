//! Applies new settings and files while the server runs.

use std::sync::Arc;
use std::time::Instant;

use crate::client::{Known, Quotas};
use crate::config::Settings;
use crate::process::Process;

/// Maximum of changes named in a log line; the rest are counted.
const CHANGES_MAX: usize = 20;

/// What SIGHUP replaces: certificates, tokens, quotas and the filter of the log.
#[derive(Clone)]
pub struct Reload(pub(crate) Arc<Process>);

impl Reload {
    /// Applies the live settings: loads the files that `settings` name, all of them or none, and
    /// sets the filter of the log.
    ///
    /// # Errors
    /// A file cannot be used, as one line. The old values stay.
    pub fn reload(&self, settings: &Settings) -> Result<(), String> {
        let Self(process) = self;
        let known = Known::read(settings).map_err(|error| error.to_string())?;
        let quotas = Quotas::read(settings).map_err(|error| error.to_string())?;
        let has_certificate = settings.admin.certificate.is_some();
        if process.admin_tls.is_some() != has_certificate {
            tracing::warn!(
                "admin.certificate: whether the admin port speaks tls changes at the next start"
            );
        }
        let is_of_grpc = settings.tls.certificate.is_some();
        if process.tls.is_some() && !is_of_grpc {
            tracing::warn!(
                "tls.certificate: the tls port is there until the next start, as it was"
            );
        }
        if self.reload_certificates(settings)? {
            tracing::info!("SIGHUP: new connections have the certificates as they are now");
        }
        warn_of_tokens_in_clear(settings, process.is_in_clear);
        tell("tokens", &process.identities.replace(known));
        tell("quotas", &process.limits.set_quotas(quotas, Instant::now()));
        let filter = process
            .log
            .as_ref()
            .map(|log| log.set_filter(&settings.log));
        let filter = filter.transpose().map(|_| ());
        filter.map_err(|error| format!("setting log: {error}"))
    }

    /// Loads the current certificate files: all of them, or none. Returns whether there are any.
    ///
    /// # Errors
    /// A file cannot be used, as one line. The old values stay.
    pub fn reload_certificates(&self, settings: &Settings) -> Result<bool, String> {
        // Read all before replacing one.
        let Self(process) = self;
        let is_of_admin = settings.admin.certificate.is_some();
        let admin = process.admin_tls.iter().filter(|_| is_of_admin);
        let is_of_grpc = settings.tls.certificate.is_some();
        let ports = process.tls.iter().filter(|_| is_of_grpc).chain(admin);
        let read = ports.map(|tls| Ok((tls, tls.read(settings)?)));
        let read: anyhow::Result<Vec<_>> = read.collect();
        let read = read.map_err(|error| format!("tls stays as it is: {error}"))?;
        let has_any = !read.is_empty();
        read.into_iter().for_each(|(tls, new)| tls.replace(new));
        Ok(has_any)
    }
}

/// Warns if tokens may cross the network without TLS.
pub(crate) fn warn_of_tokens_in_clear(settings: &Settings, is_in_clear: bool) {
    if is_in_clear && settings.clients.tokens_file.is_some() {
        tracing::warn!("tokens cross the network in the clear: anyone who sees one can use it");
    }
}

fn tell(what: &str, changes: &[String]) {
    if let Some(more) = changes.len().checked_sub(CHANGES_MAX)
        && more > 0
    {
        let changed = changes[..CHANGES_MAX].join(", ");
        tracing::info!(changed, more, "SIGHUP: {what}");
    } else if !changes.is_empty() {
        tracing::info!(changed = changes.join(", "), "SIGHUP: {what}");
    }
}
