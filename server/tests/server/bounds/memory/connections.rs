//! Connections: their HTTP/2 and TLS state.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::bounded_server::{Bounded, DIGEST, MIB, greedy_call, received, tiny_fields, used};
use crate::common::frame_client::small_socket;
use crate::common::frame_client::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, SETTINGS, Wire, frame, headers,
    headers_and, streams,
};
use crate::common::h2_client::{Raw, message};
use crate::common::tls::{Ca, Files, TlsClient};
use crate::common::{Metrics, asking, digest, pattern};
use hashlane_proto::v1::DigestRequest;
use prost::Message as _;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Connections whose clients have filled HPACK's table, and began a header block that does not end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections() {
    const COUNT: usize = 300;
    let bounded = Bounded::start(&["--connections-max=300"]).await;
    let before = received(&bounded.server.metrics());
    let mut open = Vec::new();
    let mut sent = 0;
    for _ in 0..COUNT {
        let mut wire = Wire::connect(bounded.grpc()).await;
        wire.send(&headers_and(1, END_HEADERS | END_STREAM, &indexed_fields()))
            .await;
        wire.until(HEADERS).await;
        // HTTP/2 keeps a block until it ends.
        let begin = headers_and(3, 0, &tiny_fields(440));
        let more = frame(CONTINUATION, 0, 3, &[0; 12_000]).repeat(5);
        sent += begin.len() + more.len();
        wire.send(&[begin, more].concat()).await;
        open.push(wire);
    }
    bounded.has_read(before, sent).await;
    bounded.takes_no_more_connections().await;
    bounded.is_within("connections", &["connections"], bounded.taken(), 19.0);
}

/// Connections of HTTP/1.1, each with a head that came in another read buffer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_of_http1_keep_no_read_buffer() {
    const COUNT: usize = 80;
    let bounded = Bounded::start(&["--workers=1", "--connections-max=100"]).await;
    let mut other = Raw::tcp(bounded.grpc()).await;
    let large = digest(1, &pattern(512 << 10, 1), true).encode_to_vec();
    let mut open = Vec::new();
    for _ in 0..COUNT {
        let before = received(&bounded.server.metrics());
        let mut socket = TcpStream::connect(bounded.grpc()).await.unwrap();
        let head = b"PUT /v1/digest HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n";
        socket.write_all(head).await.unwrap();
        bounded.has_read(before, head.len()).await;
        // Fills the rest of the buffer.
        other.call(DIGEST, &[], &[message(0, &large)]).await;
        open.push(socket);
    }
    let (taken, most) = (bounded.taken(), bounded.computed(&["buffers"]));
    assert!(taken < most, "{:.1} MiB of {:.1}", taken / MIB, most / MIB);
}

/// DATA for streams that were never opened, below an opened one: HTTP/2 answers each with
/// RST_STREAM, and the client reads few of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resets_that_wait_for_sockets() {
    const COUNT: usize = 20;
    const LATER: u32 = 2_000_001;
    let bounded = Bounded::start(&["--connections-max=20"]).await;
    let mut open = Vec::new();
    for _ in 0..COUNT {
        let mut socket = small_socket(bounded.grpc()).await;
        let begin = [
            PREFACE,
            &frame(SETTINGS, 0, 0, &[]),
            &headers(LATER, 0, &[]),
        ]
        .concat();
        socket.write_all(&begin).await.unwrap();
        let frames: Vec<u8> = streams()
            .take(40_000)
            .flat_map(|id| frame(DATA, 0, id, b"x"))
            .collect();
        let mut left = &frames[..];
        // Until the server has not read for a while, although some of its answers are read.
        let mut taken = [0; 1300];
        for _ in 0..40 {
            let sent = timeout(Duration::from_millis(10), socket.write(left)).await;
            match sent {
                Ok(sent) => left = &left[sent.unwrap()..],
                Err(_) => _ = socket.try_read(&mut taken),
            }
        }
        open.push(socket);
    }
    let pieces = bounded.most_taken();
    bounded.is_within("resets that wait", &["connections"], pieces, 0.5);
}

/// Fields that stay in HPACK's table: as many as fit.
fn indexed_fields() -> Vec<u8> {
    let field = |n: u8| [0x40, 1, b'a' + n % 26, 1, b'a' + n / 26];
    (0..120).flat_map(field).collect()
}

/// Connections whose HPACK table has entries that each came in a separate read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_headers() {
    const COUNT: usize = 60;
    let bounded = Bounded::start(&["--connections-max=60"]).await;
    let mut open = Vec::new();
    // As large as allowed, and not indexed: a name of one letter, and a value of 15,000 (RFC 7541
    // section 5.1).
    let large = [&b"\x00\x01a\x7f\x99\x74"[..], &[b'x'; 15_000]].concat();
    for _ in 0..COUNT {
        let mut wire = Wire::connect(bounded.grpc()).await;
        let mut ids = streams();
        for field in indexed_fields().chunks(5) {
            let block = [field, &large].concat();
            let id = ids.next().unwrap();
            let flags = END_HEADERS | END_STREAM;
            wire.send(&headers_and(id, flags, &block)).await;
        }
        wire.all_is_read().await;
        open.push(wire);
    }
    bounded.takes_no_more_connections().await;
    bounded.is_within("tables of headers", &["connections"], bounded.taken(), 1.6);
}

/// Additional memory of TLS connections, compared with the same connections without TLS. They stall
/// in both directions: unread answers fill TLS's buffers, and a record begins that does not end. The
/// least of three tries counts: glibc keeps memory of answers, on either side of the comparison.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_of_connections() {
    let ca = Ca::new();
    let files = Files::new(&ca.server(), &ca);
    let flags = files.flags("off");
    let mut flags: Vec<_> = flags.iter().map(String::as_str).collect();
    flags.extend(["--connections-max=200", "--tls-handshakes-max=200"]);
    let client = Arc::new(TlsClient::new(&ca).config());
    let mut least = f64::MAX;
    for _ in 0..3 {
        let (more, computed) = more_with_tls(&flags, &client).await;
        least = least.min(more - computed);
        if least < 1.0 {
            return;
        }
    }
    panic!("{least:.1} MiB more than computed");
}

/// How many MiB TLS takes, and how many are computed.
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn more_with_tls(flags: &[&str], client: &Arc<ClientConfig>) -> (f64, f64) {
    let bounded = Bounded::start(flags).await;
    let over_tls = async |socket| {
        let name = ServerName::from(IpAddr::from([127, 0, 0, 1]));
        let connector = TlsConnector::from(Arc::clone(client));
        connector.connect(name, socket).await.unwrap()
    };
    let address = bounded.server.tls.unwrap();
    let mut open = stalled_connections(&bounded, address, over_tls).await;
    for stream in &mut open {
        let record = [&[23, 3, 3, 0x41, 0][..], &[0; 16_600]].concat();
        stream.get_mut().0.write_all(&record).await.unwrap();
    }
    bounded.takes_no_more_connections().await;
    let plain = Bounded::start(&["--connections-max=200"]).await;
    let _open = stalled_connections(&plain, plain.grpc(), async |socket| socket).await;
    let [taken, without] = [&bounded, &plain].map(|b| b.taken() / MIB);
    let computed = bounded.computed(&["TLS of connections"]) / MIB;
    eprintln!("| TLS of connections | {computed:.0} | {taken:.1} - {without:.1} |");
    // Not the difference: memory that glibc keeps of answers makes `without` 13 MiB, in some runs
    // 24 MiB.
    assert!(taken > 12.0, "only {taken:.1} MiB");
    (taken - without, computed)
}

/// Opens 200 connections. Each requests as many digests as sockets and TLS have room for. One at a
/// time, because their parts would otherwise take more memory than they leave.
async fn stalled_connections<S: AsyncWrite + Unpin>(
    bounded: &Bounded,
    address: SocketAddr,
    over: impl AsyncFn(TcpStream) -> S,
) -> Vec<S> {
    const COUNT: usize = 200;
    let part = |part| {
        let request = DigestRequest {
            open: asking(crate::common::numbers()),
            ..digest(part, b"", true)
        };
        message(0, &request.encode_to_vec())
    };
    let some = |first| {
        let parts: Vec<u8> = (first..first + 10).flat_map(part).collect();
        frame(DATA, 0, 1, &parts)
    };
    let waiting = |m: &Metrics| used(m, "unread_bytes");
    let answered = |m: &Metrics| m.sum("hashlane_parts_total", &[]);
    let mut open = Vec::new();
    let mut count = 0;
    for _ in 0..COUNT {
        let mut stream = over(small_socket(address).await).await;
        stream.write_all(&greedy_call()).await.unwrap();
        // The first connection shows how many answers there is room for.
        if open.is_empty() {
            while waiting(&bounded.server.metrics()) == 0.0 {
                let before = answered(&bounded.server.metrics());
                stream.write_all(&some(count)).await.unwrap();
                stream.flush().await.unwrap();
                bounded
                    .until("some are answered", |m| answered(m) == before + 10.0)
                    .await;
                count += 10;
            }
        } else {
            for first in (0..count).step_by(10) {
                stream.write_all(&some(first)).await.unwrap();
            }
            stream.flush().await.unwrap();
        }
        open.push(stream);
        let parts = 1.0 + open.len() as f64 * count as f64;
        bounded
            .until("all is answered", |m| answered(m) == parts)
            .await;
    }
    open
}
