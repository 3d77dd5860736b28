//! Checks that the values of settings do not contradict each other.

use std::net::{IpAddr, SocketAddr};

use anyhow::bail;

use super::choices::ClientCertificates;
use super::settings::{AdminSettings, Settings};

impl Settings {
    /// Checks that a port without TLS may listen on this address.
    pub(crate) fn check_clear(&self, address: SocketAddr) -> Result<(), String> {
        if self.insecure || address.ip().to_canonical().is_loopback() {
            return Ok(());
        }
        Err(format!(
            "{address} is no loopback address, and has no tls: use tls.listen instead, \
             or allow it with insecure=true"
        ))
    }

    /// Checks that the values do not contradict each other.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let wrong = |setting, reason: &str| bail!("setting {setting}: {reason}");
        let Self { listen, tls, .. } = self;
        if let Some(listen) = listen {
            let clear = self.check_clear(*listen);
            clear.or_else(|reason| wrong("listen", &reason))?;
            if tls.listen.is_some_and(|tls| overlap(*listen, tls)) {
                return wrong(
                    "listen",
                    "has the port of tls.listen; empty it with listen=",
                );
            }
        }
        if listen.is_none() && tls.listen.is_none() && self.listen_unix.is_none() {
            return wrong("listen", "empty, and so are listen_unix and tls.listen");
        }
        if tls.listen.is_some() {
            if tls.certificate.is_none() {
                return wrong("tls.certificate", "empty, but tls.listen needs it");
            }
            if tls.key.is_none() {
                return wrong("tls.key", "empty, but tls.listen needs it");
            }
        }
        let AdminSettings {
            certificate,
            key,
            client_ca,
        } = &self.admin;
        match (certificate, key) {
            (Some(_), None) => return wrong("admin.key", "empty, but admin.certificate needs it"),
            (None, Some(_)) => return wrong("admin.key", "of no use without admin.certificate"),
            (None, None) if client_ca.is_some() => {
                return wrong("admin.client_ca", "of no use without admin.certificate");
            }
            _ => {}
        }
        match (tls.client_certificates, &tls.client_ca) {
            (ClientCertificates::Off, Some(_)) => wrong(
                "tls.client_ca",
                "of no use while tls.client_certificates is off",
            ),
            (asked, None) if asked != ClientCertificates::Off => wrong(
                "tls.client_ca",
                "empty, but tls.client_certificates needs it",
            ),
            (ClientCertificates::Off, _) if tls.client_crl.is_some() => wrong(
                "tls.client_crl",
                "of no use while tls.client_certificates is off",
            ),
            _ => Ok(()),
        }
    }
}

/// Whether two sockets cannot listen on these addresses at the same time.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let [a, b] = [one, other].map(|address| address.ip().to_canonical());
    // The IPv6 wildcard address includes all IPv4 addresses.
    let has_all = |ip: IpAddr, of: IpAddr| ip.is_unspecified() && (ip.is_ipv6() || of.is_ipv4());
    one.port() != 0 && one.port() == other.port() && (a == b || has_all(a, b) || has_all(b, a))
}
