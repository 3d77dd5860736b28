//! The key of a client for limits, and its name in logs.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

/// Longer names are rejected, because the client table stores names.
const NAME_BYTES_MAX: usize = 256;

/// A client's name: 1 to 256 bytes without control characters, so that any log can hold it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// `None` if `text` is not a valid name.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_name =
            (1..=NAME_BYTES_MAX).contains(&text.len()) && !text.contains(char::is_control);
        is_name.then(|| Self(text.into()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The key of a client.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientId {
    /// The name in its verified certificate.
    Certificate(Name),
    /// The name of the bearer token of a call.
    Token(Name),
    /// The user of the process at the other end of a Unix socket.
    Uid(u32),
    /// Its address. For IPv6 the first 64 bits, because one host may use all addresses with this
    /// prefix.
    Address(IpAddr),
    /// The name that a trusted proxy gave.
    Forwarded(Name),
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate(name) => write!(f, "certificate:{name}"),
            Self::Token(name) => write!(f, "token:{name}"),
            Self::Forwarded(name) => write!(f, "forwarded:{name}"),
            Self::Uid(uid) => write!(f, "uid:{uid}"),
            Self::Address(ip @ IpAddr::V4(_)) => write!(f, "{ip}"),
            Self::Address(ip @ IpAddr::V6(_)) => write!(f, "{ip}/64"),
        }
    }
}

/// What changed between two tables of clients, as text.
pub(crate) fn changes<V: PartialEq>(
    old: &HashMap<ClientId, V>,
    new: &HashMap<ClientId, V>,
) -> Vec<String> {
    let clients: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let changed = clients.into_iter().filter_map(|client| {
        let what = match (old.get(client), new.get(client)) {
            (None, _) => "added",
            (_, None) => "removed",
            (old, new) if old != new => "changed",
            _ => return None,
        };
        Some(format!("{client} {what}"))
    });
    changed.collect()
}

impl ClientId {
    /// The client at `ip`.
    pub(crate) fn of(ip: IpAddr) -> Self {
        Self::Address(match ip.to_canonical() {
            IpAddr::V4(ip) => ip.into(),
            IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64).into(),
        })
    }

    /// The client for a log line. Quoted if a character could end the field or begin another field.
    pub(crate) fn logged(&self) -> String {
        let text = self.to_string();
        let is_plain = |c: char| c.is_alphanumeric() || "-._~:/@+%[]".contains(c);
        if text.chars().all(is_plain) {
            text
        } else {
            format!("{text:?}")
        }
    }
}

/// Parses the displayed form.
impl FromStr for ClientId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        let named = || Name::new(name).ok_or(());
        match kind {
            "certificate" => named().map(Self::Certificate),
            "token" => named().map(Self::Token),
            "forwarded" => named().map(Self::Forwarded),
            "uid" => name.parse().map(Self::Uid).map_err(|_| ()),
            _ => {
                let ip: IpAddr = match text.strip_suffix("/64") {
                    Some(prefix) => prefix.parse::<Ipv6Addr>().map_err(|_| ())?.into(),
                    None => text.parse().map_err(|_| ())?,
                };
                Ok(Self::of(ip))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_its_address() {
        let of = |text: &str| ClientId::of(text.parse().unwrap());
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
        assert_eq!(of("2001:db8::1").to_string(), "2001:db8::/64");
    }

    #[test]
    fn a_name_adds_no_field_to_a_log_line() {
        let logged = |text: &str| text.parse::<ClientId>().unwrap().logged();
        for plain in [
            "10.0.0.1",
            "2001:db8::/64",
            "certificate:spiffe://a/b",
            "uid:7",
        ] {
            assert_eq!(logged(plain), plain);
        }
        let forged = logged(r#"forwarded:a code=Ok "b""#);
        assert_eq!(forged, r#""forwarded:a code=Ok \"b\"""#);
    }

    #[test]
    fn a_client_is_read_as_it_is_shown() {
        for text in [
            "certificate:spiffe://a/b",
            "token:a",
            "forwarded:a:b",
            "uid:1000",
            "10.0.0.1",
            "2001:db8::/64",
        ] {
            let id: ClientId = text.parse().unwrap();
            assert_eq!(id.to_string(), text);
        }
        for bad in [
            "",
            "a",
            "token",
            "token:",
            "uid:",
            "uid:-1",
            "unix",
            "10.0.0.0/8",
        ] {
            assert_eq!(bad.parse::<ClientId>(), Err(()), "{bad:?}");
        }
    }

    #[test]
    fn a_name_is_short_and_any_log_can_hold_it() {
        let name = |text: &str| Name::new(text).map(|name| name.to_string());
        assert_eq!(name("spiffe://a/b c").as_deref(), Some("spiffe://a/b c"));
        assert!(name(&"a".repeat(256)).is_some());
        for bad in ["", "a\nb", "a\u{7f}", &"a".repeat(257)] {
            assert_eq!(name(bad), None, "{bad:?}");
        }
    }
}
