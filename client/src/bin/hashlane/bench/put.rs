//! The little of HTTP/1.1 that `bench` needs: PUT of parts, and a server's CPU time from its admin
//! port.

use hashlane_client::Algorithm;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Longest head of a response.
const HEAD_BYTES_MAX: u64 = 64 << 10;

/// Longest body of a response.
const BODY_BYTES_MAX: usize = 32 << 20;

/// The host and port of a URL whose server takes PUT without TLS.
pub(super) fn address(url: &str) -> Option<String> {
    let bare = url.strip_prefix("http://").or_else(|| {
        let is_bare = !url.contains("//") && !url.starts_with("unix:") && !url.ends_with(':');
        is_bare.then_some(url)
    })?;
    Some(bare.trim_end_matches('/').to_owned())
}

/// PUTs `part` `rounds` times on one connection.
pub(super) async fn put(
    address: &str,
    algorithms: &[Algorithm],
    part: &[u8],
    rounds: usize,
) -> Result<(), String> {
    let names: Vec<_> = algorithms.iter().map(|a| a.name()).collect();
    let head = format!(
        "PUT /v1/digest?algorithm={} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n",
        names.join(","),
        part.len()
    );
    let mut connection = connect(address).await?;
    for _ in 0..rounds {
        request(&mut connection, head.as_bytes(), part).await?;
    }
    Ok(())
}

/// The CPU time of the server at this admin port.
pub(super) async fn cpu_seconds(admin: &str) -> Result<f64, String> {
    let head = format!("GET /metrics HTTP/1.1\r\nhost: {admin}\r\n\r\n");
    let metrics = async {
        let mut connection = connect(admin).await?;
        request(&mut connection, head.as_bytes(), b"").await
    };
    let metrics = metrics.await.map_err(|error| {
        format!("no CPU time of the server from its admin port, see --admin: {error}")
    })?;
    let mut lines = metrics.lines();
    let value = lines.find_map(|line| line.strip_prefix("process_cpu_seconds_total "));
    let value = value.and_then(|value| value.parse().ok());
    value.ok_or_else(|| format!("{admin} has no process_cpu_seconds_total"))
}

async fn connect(address: &str) -> Result<BufReader<TcpStream>, String> {
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| format!("{address}: {error}"))?;
    Ok(BufReader::new(stream))
}

/// The body of the response to a request; it must be 200.
async fn request(
    connection: &mut BufReader<TcpStream>,
    head: &[u8],
    body: &[u8],
) -> Result<String, String> {
    exchange(connection, head, body)
        .await
        .map_err(|error| error.to_string())
}

async fn exchange(
    connection: &mut BufReader<TcpStream>,
    head: &[u8],
    body: &[u8],
) -> std::io::Result<String> {
    connection.get_mut().write_all(head).await?;
    connection.get_mut().write_all(body).await?;
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let mut line = (&mut *connection).take(HEAD_BYTES_MAX - head.len() as u64);
        if line.read_line(&mut head).await? == 0 {
            return Err(std::io::Error::other("the server closed the connection"));
        }
    }
    let mut length = 0;
    for line in head.lines() {
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().unwrap_or(usize::MAX);
        }
    }
    if length > BODY_BYTES_MAX {
        return Err(std::io::Error::other("the response is too long"));
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer).await?;
    if !head.starts_with("HTTP/1.1 200 ") {
        let status = head.lines().next().unwrap_or_default();
        return Err(std::io::Error::other(format!(
            "the server answered {status}"
        )));
    }
    String::from_utf8(answer).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_without_tls_take_put_here() {
        assert_eq!(address("http://a:1"), Some("a:1".to_owned()));
        assert_eq!(address("http://a:1/"), Some("a:1".to_owned()));
        assert_eq!(address("a:1"), Some("a:1".to_owned()));
        for other in ["https://a:1", "unix:/a", "embedded:"] {
            assert_eq!(address(other), None, "{other}");
        }
    }
}
