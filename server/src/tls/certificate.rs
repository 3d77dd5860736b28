//! Reads a certificate's name and expiry.

use std::time::SystemTime;

use rustls::pki_types::CertificateDer;
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::client::Name;

/// The used fields of a certificate.
#[derive(Debug)]
pub(crate) struct Certificate {
    /// The first URI of its alternative names, else the first DNS name, else the first mail
    /// address. Malformed names are ignored, so that no kind of name can pass for another.
    pub(crate) name: Option<Name>,
    pub(crate) expires: SystemTime,
}

impl Certificate {
    /// Parses a certificate. It verifies nothing.
    pub(crate) fn parse(der: &CertificateDer<'_>) -> Option<Self> {
        let parsed = x509_cert::Certificate::from_der(der).ok()?;
        let parsed = parsed.tbs_certificate();
        let names = parsed.get_extension::<SubjectAltName>().ok().flatten();
        let names = names.map(|(_, names)| names.0).unwrap_or_default();
        let first = |of: fn(&GeneralName) -> Option<&str>| names.iter().find_map(of);
        let name = first(uri).or_else(|| first(dns)).or_else(|| first(mail));
        Some(Self {
            name: name.and_then(Name::new),
            expires: SystemTime::UNIX_EPOCH + parsed.validity().not_after.to_unix_duration(),
        })
    }
}

/// A URI with a scheme.
fn uri(name: &GeneralName) -> Option<&str> {
    let GeneralName::UniformResourceIdentifier(uri) = name else {
        return None;
    };
    uri.as_str().contains(':').then_some(uri.as_str())
}

/// A DNS name with neither a scheme nor a mailbox.
fn dns(name: &GeneralName) -> Option<&str> {
    let GeneralName::DnsName(host) = name else {
        return None;
    };
    (!host.as_str().contains([':', '@'])).then_some(host.as_str())
}

/// A mail address with a mailbox and without a scheme.
fn mail(name: &GeneralName) -> Option<&str> {
    let GeneralName::Rfc822Name(address) = name else {
        return None;
    };
    let is_address = address.as_str().contains('@') && !address.as_str().contains(':');
    is_address.then_some(address.as_str())
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SanType};

    use super::*;

    fn of(names: &[SanType]) -> Certificate {
        let mut params = CertificateParams::default();
        params.subject_alt_names = names.to_vec();
        params.not_after = rcgen::date_time_ymd(2100, 1, 1);
        let made = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        Certificate::parse(made.der()).unwrap()
    }

    #[test]
    fn its_name_is_a_uri_or_else_a_host_or_else_an_address_of_mail() {
        let uri = SanType::URI("spiffe://example/backup".try_into().unwrap());
        let dns = |name: &str| SanType::DnsName(name.try_into().unwrap());
        let mail = SanType::Rfc822Name("a@example".try_into().unwrap());
        let ip = SanType::IpAddress([10, 0, 0, 1].into());
        for (names, name) in [
            (
                vec![mail.clone(), dns("a.example"), uri],
                Some("spiffe://example/backup"),
            ),
            (
                vec![mail.clone(), dns("a.example"), dns("b.example")],
                Some("a.example"),
            ),
            (vec![ip.clone(), mail], Some("a@example")),
            (vec![ip], None),
            (vec![], None),
        ] {
            let certificate = of(&names);
            assert_eq!(
                certificate.name.map(|name| name.to_string()).as_deref(),
                name
            );
            let year_2100 = std::time::Duration::from_secs(4_102_444_800);
            assert_eq!(certificate.expires, SystemTime::UNIX_EPOCH + year_2100);
        }
    }

    #[test]
    fn no_kind_of_name_passes_for_another() {
        let ia5 = |name: &str| name.try_into().unwrap();
        let host = SanType::DnsName(ia5("proxy.example"));
        for forged in [
            SanType::URI(ia5("proxy.example")),
            SanType::URI(ia5("a@proxy.example")),
            SanType::DnsName(ia5("spiffe://proxy")),
            SanType::DnsName(ia5("a@proxy.example")),
            SanType::Rfc822Name(ia5("proxy.example")),
            SanType::Rfc822Name(ia5("spiffe://a@proxy.example")),
        ] {
            assert_eq!(of(std::slice::from_ref(&forged)).name, None, "{forged:?}");
            let name = of(&[forged, host.clone()]).name.unwrap();
            assert_eq!(name.to_string(), "proxy.example");
        }
    }

    #[test]
    fn names_that_no_log_should_hold_are_none() {
        let dns = |name: &str| SanType::DnsName(name.try_into().unwrap());
        assert_eq!(of(&[dns("a\nb")]).name, None);
        assert_eq!(of(&[dns(&"a".repeat(2000))]).name, None);
        assert!(Certificate::parse(&CertificateDer::from(vec![0x30, 0])).is_none());
    }
}
