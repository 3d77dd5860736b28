//! Finds values of settings that contradict each other.

use std::net::{IpAddr, SocketAddr};

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

    /// A line for each setting whose value contradicts another value.
    pub(super) fn conflicts(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut wrong = |setting, reason: &str| found.push(format!("setting {setting}: {reason}"));
        let Self { listen, tls, .. } = self;
        if let Some(listen) = listen {
            if let Err(reason) = self.check_clear(*listen) {
                wrong("listen", &reason);
            }
            if tls.listen.is_some_and(|tls| overlap(*listen, tls)) {
                wrong(
                    "listen",
                    "has the port of tls.listen; empty it with listen=",
                );
            }
        }
        if listen.is_none() && tls.listen.is_none() && self.listen_unix.is_none() {
            wrong("listen", "empty, and so are listen_unix and tls.listen");
        }
        if tls.listen.is_some() {
            if tls.certificate.is_none() {
                wrong("tls.certificate", "empty, but tls.listen needs it");
            }
            if tls.key.is_none() {
                wrong("tls.key", "empty, but tls.listen needs it");
            }
        }
        let AdminSettings {
            certificate,
            key,
            client_ca,
        } = &self.admin;
        match (certificate, key) {
            (Some(_), None) => wrong("admin.key", "empty, but admin.certificate needs it"),
            (None, Some(_)) => wrong("admin.key", "of no use without admin.certificate"),
            _ => {}
        }
        if certificate.is_none() && client_ca.is_some() {
            wrong("admin.client_ca", "of no use without admin.certificate");
        }
        let asks_clients = tls.client_certificates != ClientCertificates::Off;
        match &tls.client_ca {
            None if asks_clients => wrong(
                "tls.client_ca",
                "empty, but tls.client_certificates needs it",
            ),
            Some(_) if !asks_clients => wrong(
                "tls.client_ca",
                "of no use while tls.client_certificates is off",
            ),
            _ => {}
        }
        if tls.client_crl.is_some() && !asks_clients {
            wrong(
                "tls.client_crl",
                "of no use while tls.client_certificates is off",
            );
        }
        found
    }
}

/// Whether two sockets cannot listen on these addresses at the same time.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let [a, b] = [one, other].map(|address| address.ip().to_canonical());
    // The IPv6 wildcard address includes all IPv4 addresses.
    let has_all = |ip: IpAddr, of: IpAddr| ip.is_unspecified() && (ip.is_ipv6() || of.is_ipv4());
    one.port() != 0 && one.port() == other.port() && (a == b || has_all(a, b) || has_all(b, a))
}
