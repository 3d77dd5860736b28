//! Addresses whose connection attempts the kernel drops for a short time.
//!
//! Accepting and closing a connection costs some 6 us, and the client retries at once. A filter on
//! the listening sockets drops the client's packets instead: each attempt costs the client its
//! timeout, and the server nothing. Open connections continue.
//!
//! ```text
//! refused ──> 100 of an address in a second ──> a filter with the address, for a second
//!                                               expire() ──> a filter without it, or none
//! ```
//!
//! The filter is classic BPF (McCanne and Jacobson, 1993). Linux allows it on any socket without
//! privileges (`SO_ATTACH_FILTER`, socket(7)). If it is refused, connections are closed one by one.
//!
//! Why not accept less often: the listening queue would fill, and other clients' attempts would be
//! lost with the flood's.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use socket2::{SockFilter, SockRef};

/// Time for which refusals are counted, and then attempts dropped. TCP retries after a second (RFC
/// 6298).
const PERIOD: Duration = Duration::from_secs(1);

/// Refused connections of an address per period before its attempts are dropped.
const REFUSED_MAX: u32 = 100;

/// Maximum of addresses; connections from others are closed one by one. A jump in a filter reaches
/// at most 255 instructions.
const ADDRESSES_MAX: usize = 32;

/// Offset of the network header in a filter (`SKF_NET_OFF`).
const NETWORK_HEADER: u32 = 0xfff0_0000;

/// Instruction codes of linux/bpf_common.h.
const LOAD_WORD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const LOAD_BYTE: u16 = 0x30; // BPF_LD | BPF_B | BPF_ABS
const AND: u16 = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP_IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

/// Return values of a filter: bytes of the packet to keep.
const KEEP: u32 = u32::MAX;
const DROP: u32 = 0;

/// Addresses refused recently.
///
/// An accepted socket inherits the filter that its listener had at that time. That filter does not
/// contain the socket's client.
#[derive(Debug, Default)]
pub(crate) struct Dropped(Vec<Refused>);

/// An address; for IPv6 its first 64 bits.
#[derive(Debug)]
struct Refused {
    address: IpAddr,
    /// Refused connections since the period began.
    count: u32,
    /// End of the period.
    until: Instant,
}

impl Refused {
    fn is_dropped(&self) -> bool {
        self.count == REFUSED_MAX
    }
}

impl Dropped {
    /// Counts a connection from `address` that was closed. Returns whether its attempts are dropped
    /// from now on.
    pub(crate) fn refused(
        &mut self,
        address: IpAddr,
        now: Instant,
        listeners: &[SockRef<'_>],
    ) -> bool {
        self.0.retain(|of| of.is_dropped() || of.until > now);
        let known = self.0.iter().position(|of| of.address == address);
        let of = match known {
            Some(at) => &mut self.0[at],
            None if self.0.len() == ADDRESSES_MAX => return false,
            None => self.0.push_mut(Refused {
                address,
                count: 0,
                until: now + PERIOD,
            }),
        };
        if of.is_dropped() {
            // It arrived before the filter.
            return false;
        }
        of.count += 1;
        if !of.is_dropped() {
            return false;
        }
        of.until = now + PERIOD;
        let is_dropped = self.attach(listeners);
        if !is_dropped {
            self.0.retain(|of| of.address != address);
            // One of the listeners may have the filter.
            self.attach(listeners);
        }
        is_dropped
    }

    /// When the first address may connect again.
    pub(crate) fn expires(&self) -> Option<Instant> {
        let dropped = self.0.iter().filter(|of| of.is_dropped());
        dropped.map(|of| of.until).min()
    }

    /// Removes addresses whose period is over.
    pub(crate) fn expire(&mut self, now: Instant, listeners: &[SockRef<'_>]) {
        self.0.retain(|of| of.until > now);
        self.attach(listeners);
    }

    /// Removes all addresses. A listening socket may outlive the process with its filter, or come
    /// from a process that did not remove it (systemd.socket(5)).
    pub(crate) fn clear(&mut self, listeners: &[SockRef<'_>]) {
        self.0.clear();
        for listener in listeners {
            let _there_was_none = listener.detach_filter();
        }
    }

    fn attach(&self, listeners: &[SockRef<'_>]) -> bool {
        let dropped = self.0.iter().filter(|of| of.is_dropped());
        let addresses: Vec<IpAddr> = dropped.map(|of| of.address).collect();
        let filter = filter(&addresses);
        let attach = |listener: &SockRef<'_>| {
            let result = if addresses.is_empty() {
                listener.detach_filter()
            } else {
                listener.attach_filter(&filter)
            };
            if let Err(error) = &result {
                tracing::debug!(%error, "could not filter attempts to connect");
            }
            result.is_ok()
        };
        // Attach to all, even if one fails.
        listeners.iter().map(attach).filter(|done| !done).count() == 0
    }
}

/// Drops packets from `addresses`.
fn filter(addresses: &[IpAddr]) -> Vec<SockFilter> {
    let load = |at: u32| SockFilter::new(LOAD_WORD, 0, 0, NETWORK_HEADER + at);
    // Jumps are relative to the next instruction: continue there if equal, else skip `skipped`.
    let unless = |k: u32, skipped: u8| SockFilter::new(JUMP_IF_EQUAL, 0, skipped, k);
    let end = |kept: u32| SockFilter::new(RETURN, 0, 0, kept);

    // The source address is at offset 12 in IPv4 (RFC 791), at offset 8 in IPv6 (RFC 8200).
    let mut v4 = vec![load(12)];
    let mut v6 = Vec::new();
    for address in addresses {
        match address {
            IpAddr::V4(ip) => v4.extend([unless(ip.to_bits(), 1), end(DROP)]),
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments().map(u32::from);
                v6.extend([
                    load(8),
                    unless(a << 16 | b, 3),
                    load(12),
                    unless(c << 16 | d, 1),
                    end(DROP),
                ]);
            }
        }
    }
    v4.push(end(KEEP));
    v6.push(end(KEEP));
    let over_v4 = u8::try_from(v4.len()).expect("a few instructions for each address");
    let mut filter = vec![
        SockFilter::new(LOAD_BYTE, 0, 0, NETWORK_HEADER),
        SockFilter::new(AND, 0, 0, 0xf0),
        SockFilter::new(JUMP_IF_EQUAL, over_v4, 0, 0x60),
    ];
    filter.extend(v4);
    filter.extend(v6);
    filter
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

    use socket2::{Domain, Socket, Type};

    /// Longer than connecting over loopback takes, shorter than TCP's retry.
    const TIMEOUT: Duration = Duration::from_millis(300);

    /// Connects from an address of this machine.
    fn connect(from: IpAddr, to: SocketAddr) -> std::io::Result<TcpStream> {
        let socket = Socket::new(Domain::for_address(to), Type::STREAM, None)?;
        socket.bind(&SocketAddr::new(from, 0).into())?;
        socket.connect_timeout(&to.into(), TIMEOUT)?;
        Ok(socket.into())
    }

    /// Retries until it succeeds.
    fn connects(from: IpAddr, to: SocketAddr) -> TcpStream {
        (0..100)
            .find_map(|_| connect(from, to).ok())
            .expect("it is let in")
    }

    fn v4(last: u8) -> IpAddr {
        Ipv4Addr::new(127, 0, 0, last).into()
    }

    /// Refuses connections until they are dropped.
    fn drop_from(
        dropped: &mut Dropped,
        address: IpAddr,
        now: Instant,
        listeners: &[SockRef<'_>],
    ) -> bool {
        (0..REFUSED_MAX).any(|_| dropped.refused(address, now, listeners))
    }

    #[test]
    fn a_few_refused_connections_are_not_dropped() {
        let listener = TcpListener::bind((v4(1), 0)).unwrap();
        let listeners = [SockRef::from(&listener)];
        let mut now = Instant::now();
        let mut dropped = Dropped::default();
        for _ in 0..3 {
            for _ in 1..REFUSED_MAX {
                assert!(!dropped.refused(v4(2), now, &listeners));
            }
            assert_eq!(dropped.expires(), None);
            now += PERIOD;
        }
        let _connected = connects(v4(2), listener.local_addr().unwrap());
    }

    #[test]
    fn attempts_of_one_address_are_dropped_until_its_time_is_over() {
        let listener = TcpListener::bind((v4(1), 0)).unwrap();
        let to = listener.local_addr().unwrap();
        let listeners = [SockRef::from(&listener)];
        let now = Instant::now();
        let mut dropped = Dropped::default();
        assert_eq!(dropped.expires(), None);

        let _before = connects(v4(2), to);
        assert!(drop_from(&mut dropped, v4(2), now, &listeners));
        assert!(!dropped.refused(v4(2), now, &listeners));
        assert!(connect(v4(2), to).is_err());
        let _other = connects(v4(3), to);
        // The second address is dropped like the first.
        assert!(drop_from(&mut dropped, v4(3), now + PERIOD / 2, &listeners));
        assert!(connect(v4(2), to).is_err());
        assert!(connect(v4(3), to).is_err());

        assert_eq!(dropped.expires(), Some(now + PERIOD));
        dropped.expire(now + PERIOD, &listeners);
        let _again = connects(v4(2), to);
        assert!(connect(v4(3), to).is_err());
        dropped.expire(now + 2 * PERIOD, &listeners);
        let _again = connects(v4(3), to);
    }

    #[test]
    fn a_listener_that_is_inherited_drops_nothing() {
        let listener = TcpListener::bind((v4(1), 0)).unwrap();
        let to = listener.local_addr().unwrap();
        let listeners = [SockRef::from(&listener)];
        assert!(drop_from(
            &mut Dropped::default(),
            v4(2),
            Instant::now(),
            &listeners
        ));
        assert!(connect(v4(2), to).is_err());
        Dropped::default().clear(&listeners);
        let _again = connects(v4(2), to);
    }

    #[test]
    fn ipv6_is_told_by_its_first_64_bits_and_from_ipv4() {
        let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else {
            return; // This machine has no IPv6.
        };
        let to = listener.local_addr().unwrap();
        let listeners = [SockRef::from(&listener)];
        let now = Instant::now();
        let local = IpAddr::from(Ipv6Addr::LOCALHOST);
        let mut dropped = Dropped::default();
        let other = Ipv6Addr::new(0, 0, 0, 1, 0, 0, 0, 0).into();
        assert!(drop_from(&mut dropped, other, now, &listeners));
        // The bytes of an IPv6 packet at IPv4's source offset are ignored.
        assert!(drop_from(
            &mut dropped,
            Ipv4Addr::UNSPECIFIED.into(),
            now,
            &listeners
        ));
        let _other = connects(local, to);
        let prefix = Ipv6Addr::UNSPECIFIED.into();
        assert!(drop_from(&mut dropped, prefix, now, &listeners));
        assert!(connect(local, to).is_err());
        dropped.expire(now + PERIOD, &listeners);
        let _again = connects(local, to);
    }

    #[test]
    fn what_is_connected_goes_on() {
        use std::io::{Read as _, Write as _};
        let listener = TcpListener::bind((v4(1), 0)).unwrap();
        let to = listener.local_addr().unwrap();
        let listeners = [SockRef::from(&listener)];
        let now = Instant::now();
        let mut dropped = Dropped::default();
        assert!(drop_from(&mut dropped, v4(4), now, &listeners));
        // The accepted socket inherits a filter. Later the listener's filter has this socket's
        // address.
        let mut client = connects(v4(5), to);
        assert!(drop_from(&mut dropped, v4(5), now, &listeners));
        let (mut accepted, _) = listener.accept().unwrap();
        client.write_all(b"x").unwrap();
        let mut byte = [0];
        accepted.read_exact(&mut byte).unwrap();
        assert_eq!(byte, *b"x");
    }

    #[test]
    fn as_many_addresses_as_there_may_be() {
        let listener = TcpListener::bind((v4(1), 0)).unwrap();
        let to = listener.local_addr().unwrap();
        let listeners = [SockRef::from(&listener)];
        let now = Instant::now();
        let of_v4 = |i: u8| IpAddr::from([127, 0, 1, i]);
        let of_v6 = |i: u8| IpAddr::from([i.into(), 1, 2, 3, 0, 0, 0, 0]);
        for address in [of_v4, of_v6] {
            let mut dropped = Dropped::default();
            for i in (0..).take(ADDRESSES_MAX) {
                assert!(drop_from(&mut dropped, address(i), now, &listeners));
            }
            assert!(!drop_from(&mut dropped, v4(9), now, &listeners));
            let _other = connects(v4(9), to);
            dropped.expire(now + PERIOD, &listeners);
        }
    }
}
