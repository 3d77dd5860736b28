//! Trusted proxies that name the clients behind them: values of the setting
//! `clients.trusted_proxies`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::id::ClientId;

/// A peer whose header `x-forwarded-client` names the client of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProxy(Pattern);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// Peers in this network: an address and its prefix length.
    Network(IpAddr, u8),
    /// Peers with this certificate or uid.
    Client(ClientId),
}

impl TrustedProxy {
    /// Whether the client of a connection from `ip` is this proxy.
    pub(crate) fn is(&self, client: &ClientId, ip: Option<IpAddr>) -> bool {
        match &self.0 {
            Pattern::Network(network, bits) => ip.is_some_and(|ip| contains(*network, *bits, ip)),
            Pattern::Client(proxy) => proxy == client,
        }
    }
}

fn contains(network: IpAddr, bits: u8, ip: IpAddr) -> bool {
    match (network, ip.to_canonical()) {
        (IpAddr::V4(network), IpAddr::V4(ip)) => {
            let differing = network.to_bits() ^ ip.to_bits();
            differing.leading_zeros() >= bits.into()
        }
        (IpAddr::V6(network), IpAddr::V6(ip)) => {
            let differing = network.to_bits() ^ ip.to_bits();
            differing.leading_zeros() >= bits.into()
        }
        _ => false,
    }
}

impl FromStr for TrustedProxy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        if let Ok(network) = address.parse::<IpAddr>() {
            let width = if network.is_ipv4() { 32 } else { 128 };
            let bits = bits.map_or(Ok(width), |bits| bits.parse().map_err(|_| ()))?;
            let is_network = bits <= width && !bits_after(network, bits);
            if !is_network {
                return Err(());
            }
            // An IPv4 client has its IPv4 address as its key, also on an IPv6 socket.
            let mapped = match network {
                IpAddr::V6(ip) if bits >= 96 => ip.to_ipv4_mapped(),
                _ => None,
            };
            let (network, bits) = mapped.map_or((network, bits), |ip| (ip.into(), bits - 96));
            return Ok(Self(Pattern::Network(network, bits)));
        }
        match text.parse()? {
            client @ (ClientId::Certificate(_) | ClientId::Uid(_)) => {
                Ok(Self(Pattern::Client(client)))
            }
            _ => Err(()),
        }
    }
}

/// Whether any bit after the first `bits` is set: then `network` is a host.
fn bits_after(network: IpAddr, bits: u8) -> bool {
    match network {
        IpAddr::V4(ip) => ip.to_bits().checked_shl(bits.into()).unwrap_or(0) != 0,
        IpAddr::V6(ip) => ip.to_bits().checked_shl(bits.into()).unwrap_or(0) != 0,
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Pattern::Network(network, bits) => write!(f, "{network}/{bits}"),
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
