//! Trusted proxies that name the clients behind them: values of the setting
//! `clients.trusted_proxies`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use super::id::ClientId;

/// Bits before the address in an IPv4-mapped address (RFC 4291 section 2.5.5.2).
const V4_BITS: u8 = 96;

/// A peer whose header `x-forwarded-client` names the client of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustedProxy {
    /// Peers in this network.
    Network(IpNet),
    /// Peers with this certificate or uid.
    Client(ClientId),
}

impl TrustedProxy {
    /// Whether the client of a connection from `ip` is this proxy.
    pub(crate) fn is(&self, client: &ClientId, ip: Option<IpAddr>) -> bool {
        match self {
            Self::Network(network) => ip.is_some_and(|ip| network.contains(&ip.to_canonical())),
            Self::Client(proxy) => proxy == client,
        }
    }
}

impl FromStr for TrustedProxy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let host = || text.parse().map(|ip: IpAddr| IpNet::from(ip));
        Ok(match text.parse().or_else(|_| host()) {
            Ok(network) => {
                let network = canonical(network).ok_or(())?;
                // With another bit after its prefix it is a host.
                if network.trunc() != network {
                    return Err(());
                }
                Self::Network(network)
            }
            Err(_) => match text.parse()? {
                client @ (ClientId::Certificate(_) | ClientId::Uid(_)) => Self::Client(client),
                _ => return Err(()),
            },
        })
    }
}

/// A network of IPv4-mapped addresses is one of IPv4.
fn canonical(network: IpNet) -> Option<IpNet> {
    match network.addr().to_canonical() {
        v4 @ IpAddr::V4(_) if network.addr().is_ipv6() => {
            IpNet::new(v4, network.prefix_len().checked_sub(V4_BITS)?).ok()
        }
        _ => Some(network),
    }
}

impl fmt::Display for TrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(network) => network.fmt(f),
            Self::Client(client) => client.fmt(f),
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
