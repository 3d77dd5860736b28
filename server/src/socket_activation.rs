//! Listening sockets passed to the process at its start (systemd's socket activation).
//!
//! A Unix socket is for gRPC. Of the TCP sockets, the one named `admin` (`FileDescriptorName=`) is
//! for the admin port, and the other for gRPC.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use listenfd::ListenFd;

/// The name of the admin port's socket.
const ADMIN: &str = "admin";

/// Sockets that already listen. They replace those of the settings.
#[derive(Debug, Default)]
pub struct Inherited {
    pub(crate) grpc: Option<TcpListener>,
    pub(crate) unix: Option<UnixListener>,
    pub(crate) admin: Option<TcpListener>,
}

impl Inherited {
    /// Takes the sockets that the environment names. Call it once, before there are threads.
    ///
    /// # Errors
    /// A descriptor that is not such a socket, or two for one purpose.
    pub fn take() -> io::Result<Self> {
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut names = names.split(':');
        let mut given = ListenFd::from_env();
        let mut taken = Self::default();
        for index in 0..given.len() {
            let name = names.next().unwrap_or_default();
            if let Ok(Some(unix)) = given.take_unix_listener(index) {
                unix.set_nonblocking(true)?;
                place(&mut taken.unix, unix, "unix sockets")?;
            } else if let Some(tcp) = given.take_tcp_listener(index)? {
                tcp.set_nonblocking(true)?;
                if name == ADMIN {
                    place(&mut taken.admin, tcp, "tcp sockets with the name admin")?;
                } else {
                    place(&mut taken.grpc, tcp, "tcp sockets for grpc")?;
                }
            }
        }
        Ok(taken)
    }
}

fn place<T>(slot: &mut Option<T>, socket: T, what: &str) -> io::Result<()> {
    match slot.replace(socket) {
        None => Ok(()),
        Some(_) => Err(io::Error::other(format!("there are two {what}"))),
    }
}
