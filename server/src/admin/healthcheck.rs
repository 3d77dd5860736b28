//! The question of `--healthcheck`.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Time for a health check of this process's own.
const HEALTHCHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Asks a running server's admin port whether it is ready. For container
/// images that have no other program to ask with.
///
/// # Errors
/// The server cannot be reached, or says that it is not ready.
pub fn healthcheck(mut admin: SocketAddr) -> io::Result<()> {
    if admin.ip().is_unspecified() {
        admin.set_ip(match admin {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    let during = |what: &str, error: &io::Error| {
        let words = match error.kind() {
            // What a socket says whose time is over.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "timed out".to_owned(),
            io::ErrorKind::UnexpectedEof => "closed without an answer".to_owned(),
            _ => error.to_string(),
        };
        io::Error::new(error.kind(), format!("cannot {what} {admin}: {words}"))
    };
    let mut stream = TcpStream::connect_timeout(&admin, HEALTHCHECK_TIMEOUT)
        .map_err(|error| during("connect to", &error))?;
    let mut head = [0; 12];
    let mut ask = || {
        stream.set_read_timeout(Some(HEALTHCHECK_TIMEOUT))?;
        stream.set_write_timeout(Some(HEALTHCHECK_TIMEOUT))?;
        stream
            .write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        stream.read_exact(&mut head)
    };
    ask().map_err(|error| during("ask", &error))?;
    match &head {
        b"HTTP/1.1 200" => Ok(()),
        _ => Err(io::Error::other("the server is not ready")),
    }
}
