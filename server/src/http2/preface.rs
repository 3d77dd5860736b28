//! Tells HTTP/2 from HTTP/1 by a connection's first bytes: HTTP/2 begins with a preface (RFC 9113
//! section 3.4).

use std::io;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use crate::socket::Socket;

/// The beginning of HTTP/2's preface.
const PREFACE: &[u8] = b"PRI ";

/// The methods of RFC 9110, and PATCH (RFC 5789).
const HTTP1_METHODS: [&[u8]; 9] = [
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"PATCH ",
    b"TRACE ",
    b"DELETE ",
    b"CONNECT ",
    b"OPTIONS ",
];

const REFUSAL: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\
    content-type: text/plain\r\ncontent-length: 64\r\nconnection: close\r\n\r\n\
    this port speaks gRPC over HTTP/2; operators use the admin port\n";

/// Whether the client speaks HTTP/1: its first bytes are an HTTP/1 method.
pub(super) async fn is_http1<S: AsyncRead + Unpin>(socket: &mut Socket<S>) -> io::Result<bool> {
    let known = || HTTP1_METHODS.iter().chain([&PREFACE]);
    let may_become = |bytes: &[u8]| known().any(|k| k.len() > bytes.len() && k.starts_with(bytes));
    let bytes = socket.peek(|bytes| !may_become(bytes)).await?;
    Ok(HTTP1_METHODS.iter().any(|method| bytes.starts_with(method)))
}

/// Refuses an HTTP/1 client in HTTP/1.
pub(super) async fn refuse_http1(mut stream: impl AsyncWrite + Unpin) -> io::Result<()> {
    stream.write_all(REFUSAL).await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt as _;

    use super::*;
    use crate::metrics::counters::WorkerCounters;

    #[tokio::test]
    async fn first_bytes_tell_the_protocol_and_are_read_afterwards() {
        for (bytes, expected) in [
            (&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], false),
            (b"PRI * HTTP/1.1\r\n", false),
            (b"GET / HTTP/1.1\r\n", true),
            (b"POST / HTTP/1.1\r\n", true),
            (b"OPTIONS * HTTP/1.1\r\n", true),
            (b"INVALID CONNECTION PREFACE\r\n\r\n", false),
            (b"POS", false),
            (b"PR", false),
            (b"\x16\x03\x01\x02", false),
            (b"get /", false),
            (b"\n", false),
            (b"", false),
        ] {
            // Also byte by byte.
            for size in [1, 64] {
                let (mut client, stream) = tokio::io::duplex(size);
                let mut socket = Socket::new(stream, &Arc::new(WorkerCounters::new()));
                let sending = async move { client.write_all(bytes).await };
                let reading = async move {
                    let is_http1 = is_http1(&mut socket).await.unwrap();
                    let mut all = Vec::new();
                    socket.read_to_end(&mut all).await.unwrap();
                    (is_http1, all, socket.read_bytes().get())
                };
                let (_, (is_http1, all, read)) = tokio::join!(sending, reading);
                assert_eq!(is_http1, expected, "{}", bytes.escape_ascii());
                assert_eq!((&all[..], read), (bytes, bytes.len() as u64));
            }
        }
    }

    #[test]
    fn the_refusal_is_one_line_of_the_length_that_it_says() {
        let text = std::str::from_utf8(REFUSAL).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())));
        assert_eq!(body.lines().count(), 1);
    }
}
