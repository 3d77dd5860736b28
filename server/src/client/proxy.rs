//! Trusted proxies that name the clients behind them: values of the setting
//! `clients.trusted_proxies`.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use super::id::ClientId;

/// Bits before the address in an IPv4-mapped address.
const V4_BITS: u32 = 96;

/// A peer whose header `x-forwarded-client` names the client of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProxy(Pattern);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// Peers in this network: an address, and how many of its 128 bits all peers share. IPv4 is the
    /// network of IPv4-mapped addresses (RFC 4291 section 2.5.5.2).
    Network(u128, u32),
    /// Peers with this certificate or uid.
    Client(ClientId),
}

impl TrustedProxy {
    /// Whether the client of a connection from `ip` is this proxy.
    pub(crate) fn is(&self, client: &ClientId, ip: Option<IpAddr>) -> bool {
        match &self.0 {
            Pattern::Network(network, bits) => {
                let has = |ip: u128| {
                    is_v4(ip) == is_v4(*network) && (network ^ ip).leading_zeros() >= *bits
                };
                ip.map(in_v6).is_some_and(has)
            }
            Pattern::Client(proxy) => proxy == client,
        }
    }
}

fn in_v6(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    }
    .to_bits()
}

fn is_v4(ip: u128) -> bool {
    Ipv6Addr::from_bits(ip).to_ipv4_mapped().is_some()
}

impl FromStr for TrustedProxy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        if let Ok(ip) = address.parse::<IpAddr>() {
            let before = if ip.is_ipv4() { V4_BITS } else { 0 };
            let bits = bits.map_or(Ok(128 - before), |bits| bits.parse::<u32>().map_err(|_| ()))?;
            let bits = bits
                .checked_add(before)
                .filter(|bits| *bits <= 128)
                .ok_or(())?;
            let network = in_v6(ip);
            // With another bit after the first `bits` it is a host.
            let is_network = network.checked_shl(bits).unwrap_or(0) == 0;
            return is_network
                .then_some(Self(Pattern::Network(network, bits)))
                .ok_or(());
        }
        match text.parse()? {
            client @ (ClientId::Certificate(_) | ClientId::Uid(_)) => {
                Ok(Self(Pattern::Client(client)))
            }
            _ => Err(()),
        }
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Pattern::Network(network, bits) => {
                let network = Ipv6Addr::from_bits(*network);
                match (network.to_ipv4_mapped(), bits.checked_sub(V4_BITS)) {
                    (Some(v4), Some(bits)) => write!(f, "{v4}/{bits}"),
                    _ => write!(f, "{network}/{bits}"),
                }
            }
            Pattern::Client(client) => client.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_a_network_a_certificate_or_a_uid() {
        let is = |proxy: &str, client: &str, ip: Option<&str>| {
            let proxy: TrustedProxy = proxy.parse().unwrap();
            proxy.is(&client.parse().unwrap(), ip.map(|ip| ip.parse().unwrap()))
        };
        let at = |proxy, ip| is(proxy, ip, Some(ip));
        assert!(at("10.1.0.0/16", "10.1.2.3") && !at("10.1.0.0/16", "10.2.0.1"));
        assert!(at("10.1.2.3", "10.1.2.3") && !at("10.1.2.3", "10.1.2.4"));
        assert!(at("10.1.2.3", "::ffff:10.1.2.3") && at("0.0.0.0/0", "1.2.3.4"));
        assert!(at("::ffff:10.1.2.3", "10.1.2.3") && !at("::ffff:10.1.2.3", "10.1.2.4"));
        assert!(at("::ffff:10.0.0.0/104", "10.1.2.3") && !at("::ffff:10.0.0.0/104", "11.0.0.1"));
        // The client's key is its /64; the proxy is a single host.
        assert!(at("2001:db8::1", "2001:db8::1") && !at("2001:db8::1", "2001:db8::2"));
        assert!(!at("0.0.0.0/0", "::1") && !at("::/0", "127.0.0.1"));
        assert!(is("certificate:a b", "certificate:a b", None));
        assert!(!is("certificate:a", "certificate:b", None));
        assert!(!is("certificate:a", "token:a", None) && !is("10.0.0.1", "uid:1", None));
        assert!(is("uid:7", "uid:7", None) && !is("uid:7", "uid:8", None));
        for bad in [
            "",
            "a",
            "token:a",
            "10.0.0.0/33",
            "10.0.0.1/8",
            "10.0.0.0/",
            "uid:x",
        ] {
            assert!(bad.parse::<TrustedProxy>().is_err(), "{bad:?}");
        }
    }
}
