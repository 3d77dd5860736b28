//! HTTP/2 limits: those that the server announces, and clients that violate them.

use crate::common::frame_client::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, HEADERS, NO_ERROR, PING,
    PROTOCOL_ERROR, REFUSED_STREAM, RST_STREAM, WINDOW_UPDATE, Wire, frame, headers, headers_and,
    reset, streams,
};
use crate::common::h2_client::{Raw, message, messages};
use crate::common::{Metrics, TestServer, all, digest, sha256};
use hashlane_proto::v1::DigestResponse;
use prost::Message as _;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";

/// Requests a digest on a well-behaved connection.
async fn works(raw: &mut Raw, headers: &[(&str, &str)]) {
    let request = digest(7, b"abc", true).encode_to_vec();
    let answer = raw.call(DIGEST, headers, &[message(0, &request)]).await;
    let answers: Vec<DigestResponse> = messages(&answer.body);
    assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_settings_are_announced() {
    let server = TestServer::start(&[
        ("http2.streams_max", "77"),
        ("http2.stream_window_bytes", "70000"),
        ("http2.connection_window_bytes", "300000"),
        ("http2.frame_bytes_max", "20000"),
        ("http2.header_list_bytes_max", "5000"),
    ]);
    let mut wire = Wire::connect(server.grpc).await;
    for (name, number, value) in [
        ("MAX_CONCURRENT_STREAMS", 3, 77),
        ("INITIAL_WINDOW_SIZE", 4, 70_000),
        ("MAX_FRAME_SIZE", 5, 20_000),
        ("MAX_HEADER_LIST_SIZE", 6, 5000),
    ] {
        let announced = wire.settings.contains(&(number, value));
        assert!(announced, "{name} in {:?}", wire.settings);
    }
    // A connection starts with a window of 64 KiB less one byte (section 6.9.2).
    let update = wire.until(WINDOW_UPDATE).await;
    assert_eq!((update.stream, update.number()), (0, 300_000 - 65_535));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_beyond_the_bound_is_refused_until_another_ends() {
    let server = TestServer::start(&[("http2.streams_max", "2")]);
    let mut wire = Wire::connect(server.grpc).await;
    for stream in [1, 3, 5] {
        wire.send(&headers(stream, 0, &[])).await;
    }
    let refused = wire.until(RST_STREAM).await;
    assert_eq!((refused.stream, refused.number()), (5, REFUSED_STREAM));
    // Streams within the limit continue, and make room when they end.
    wire.digest(1).await;
    wire.send(&headers(7, 0, &[])).await;
    wire.digest(7).await;
    wire.digest(3).await;
}

/// Streams that are opened and reset at once (CVE-2023-44487).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_reset_before_they_are_accepted_are_bounded() {
    // No more than is handed on at once, or some are accepted meanwhile.
    for resets in [5, 30] {
        let server = TestServer::start(&[("workers", "1"), ("http2.credit_per_second", "1")]);
        let mut other = Raw::tcp(server.grpc).await;
        works(&mut other, &[]).await;
        let mut ids = streams();
        let mut flood = |count| -> Vec<u8> {
            let pairs = ids
                .by_ref()
                .map(|id| [headers(id, 0, &[]), reset(id)].concat());
            pairs.take(count).flatten().collect()
        };

        // Each counts only while it waits.
        let mut within = Wire::connect(server.grpc).await;
        for _ in 0..10 {
            within.all_is_read().await;
            within.send(&flood(resets)).await;
        }
        within.all_is_read().await;
        within.send(&headers(1001, 0, &[])).await;
        within.digest(1001).await;

        let mut beyond = Wire::connect(server.grpc).await;
        beyond.all_is_read().await;
        // How many wait at a time depends on turns; credit bounds their total.
        let beyond = beyond.flood(|| flood(50));
        let (said, ()) = tokio::join!(beyond, works(&mut other, &[]));
        assert_eq!(said, Some(ENHANCE_YOUR_CALM));
        works(&mut other, &[]).await;
        let metrics = server
            .until("nothing is left of it", |m| {
                m.sum("hashlane_streams", &[]) == 0.0 && m.sum("hashlane_connections", &[]) == 2.0
            })
            .await;
        let floods = |labels| metrics.sum("hashlane_connections_flooding_total", labels);
        assert_eq!(floods(&[("frames", "headers")]), 1.0, "{}", metrics.0);
        assert_eq!(floods(&[]), 1.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_reset_for_the_clients_errors_are_bounded() {
    /// More than h2 allows by default on one connection.
    const ERRORS: usize = 1100;
    let server = TestServer::start(&[("workers", "1"), ("http2.credit_per_second", "1")]);
    let mut other = Raw::tcp(server.grpc).await;
    let mut wire = Wire::connect(server.grpc).await;
    // The stream ends, although its content-length announces data.
    let wrong = |id| headers(id, END_STREAM, &[("content-length", "5")]);
    for id in streams().take(ERRORS) {
        wire.send(&wrong(id)).await;
        let reset = wire.until(RST_STREAM).await;
        assert_eq!((reset.stream, reset.number()), (id, PROTOCOL_ERROR));
    }
    wire.send(&headers(2201, 0, &[])).await;
    wire.digest(2201).await;

    // A call's headers cost credit, which its answer returns.
    let mut ids = (2203..).step_by(2);
    let flood = wire.flood(|| ids.by_ref().take(50).flat_map(wrong).collect());
    let (said, ()) = tokio::join!(flood, works(&mut other, &[]));
    assert_eq!(said, Some(ENHANCE_YOUR_CALM));
    let floods = [("frames", "headers")];
    let metrics = server.metrics();
    assert_eq!(
        metrics.sum("hashlane_connections_flooding_total", &floods),
        1.0
    );
    works(&mut other, &[]).await;
}

/// Fields that fill a request's headers up to `bytes` bytes, in addition to the usual ones of a
/// Digest call. Each field counts 32 bytes more (RFC 9113 section 6.5.2).
fn filling(bytes: usize) -> Vec<(&'static str, String)> {
    let usual = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", DIGEST),
        (":authority", "localhost"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
    ];
    let usual = usual.map(|(name, value)| name.len() + value.len() + 32);
    let mut left = bytes - usual.iter().sum::<usize>();
    let mut fields = Vec::new();
    while left > 0 {
        // 100 bytes each; the last takes the rest, so that none is shorter than a field can be.
        let bytes = if left < 150 { left } else { 100 };
        fields.push(("a", "x".repeat(bytes - 33)));
        left -= bytes;
    }
    fields
}

/// HTTP/2 answers them without gRPC, and counts no call.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_of_the_bound_are_refused_and_the_connection_goes_on() {
    let server = TestServer::start(&[("http2.header_list_bytes_max", "2KiB")]);
    let handled = |m: &Metrics| m.sum("grpc_server_handled_total", &[]);
    let [below, bound] = [2047, 2048].map(filling);
    let mut wire = Wire::connect(server.grpc).await;
    for id in streams().step_by(2).take(3) {
        wire.send(&headers(id, 0, &borrowed(&bound))).await;
        let answer = wire.until(HEADERS).await;
        assert_eq!((answer.stream, answer.flags & END_STREAM), (id, END_STREAM));
        let reset = wire.until(RST_STREAM).await;
        assert_eq!((reset.stream, reset.number()), (id, NO_ERROR));
        wire.send(&headers(id + 2, 0, &borrowed(&below))).await;
        wire.digest(id + 2).await;
    }
    let metrics = server.until("those below are", |m| handled(m) == 3.0).await;
    assert_eq!(metrics.sum("hashlane_refusals_total", &[]), 0.0);

    let mut raw = Raw::tcp(server.grpc).await;
    let (response, _sending) = raw.begin(DIGEST, &[("comment", &"x".repeat(2048))]).await;
    let answer = response.await.unwrap();
    assert_eq!(answer.status(), 431);
    assert!(answer.headers().is_empty(), "{answer:?}");
    works(&mut raw, &[]).await;

    // A gRPC client sees HTTP's status or the reset, whichever arrives first.
    let mut request = tonic::Request::new(tokio_stream::iter([digest(7, b"abc", true)]));
    let long = "x".repeat(2048).parse().unwrap();
    request.metadata_mut().insert("comment", long);
    let mut client = server.client().await;
    let status = async { all(client.digest(request).await?.into_inner()).await };
    let code = status.await.unwrap_err().code();
    assert!(matches!(code, Code::Unknown | Code::Internal), "{code:?}");
}

fn borrowed<'a>(fields: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    fields
        .iter()
        .map(|(name, value)| (*name, &value[..]))
        .collect()
}

/// HTTP/2 reads beyond the bound to keep its HPACK table right, but only up to four times the
/// bound.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_far_beyond_the_bound_end_the_connection() {
    let server = TestServer::start(&[("http2.header_list_bytes_max", "2KiB")]);
    let tiny = |bytes: usize| b"\x00\x01a\x01b".repeat(bytes / 34);
    // More than four times the bound, of many fields; and of one of 9000 bytes (RFC 7541 section 5.1)
    // that ends in another frame.
    let cut = [&tiny(3000)[..], b"\x00\x01a\x7f\xa9\x45", &[b'x'; 100]].concat();
    let rest = frame(CONTINUATION, END_HEADERS, 1, &[b'x'; 8900]);
    for bytes in [
        headers_and(1, END_HEADERS, &tiny(9000)),
        [headers_and(1, 0, &cut), rest].concat(),
    ] {
        let mut wire = Wire::connect(server.grpc).await;
        wire.send(&bytes).await;
        assert_eq!(wire.goodbye().await, ENHANCE_YOUR_CALM);
    }
}

/// Trailers end the request, and their fields are ignored. Pseudo-header fields in them are an error
/// of the stream (RFC 9113 section 8.1).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trailers_end_a_request() {
    let server = TestServer::start(&[]);
    let mut wire = Wire::connect(server.grpc).await;
    // Empty; a field.
    for (id, block) in streams().zip([&b""[..], b"\x00\x01a\x01b"]) {
        wire.send(&headers(id, 0, &[])).await;
        let request = message(0, &digest(7, b"abc", true).encode_to_vec());
        wire.send(&frame(DATA, 0, id, &request)).await;
        wire.send(&frame(HEADERS, END_HEADERS | END_STREAM, id, block))
            .await;
        let answer = wire.until(DATA).await;
        let answers = messages::<DigestResponse>(&answer.payload);
        assert_eq!(answers[0].digests[0].digest, sha256(b"abc"));
        // The call ends without error.
        let end = wire.until(HEADERS).await;
        assert_eq!((end.stream, end.flags & END_STREAM), (id, END_STREAM));
        wire.all_is_read().await;
    }
    let labels = [("grpc_method", "Digest"), ("grpc_code", "OK")];
    let ended = |m: &Metrics| m.sum("grpc_server_handled_total", &labels);
    server.until("all end well", |m| ended(m) == 2.0).await;
    // `:method: POST`, `:path: /`, `:status: 200` (RFC 7541 appendix A); without END_STREAM.
    let ended = END_HEADERS | END_STREAM;
    for (id, flags, block) in [
        (5, ended, &b"\x83"[..]),
        (7, ended, b"\x84"),
        (9, ended, b"\x88"),
        (11, END_HEADERS, b"\x00\x01a\x01b"),
    ] {
        let trailers = frame(HEADERS, flags, id, block);
        wire.send(&[headers(id, 0, &[]), trailers].concat()).await;
        let reset = wire.until(RST_STREAM).await;
        assert_eq!((reset.stream, reset.number()), (id, PROTOCOL_ERROR));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_answers_no_ping_is_closed() {
    /// The default timeout of HTTP/2 would take twice as many intervals.
    const INTERVALS_MAX: usize = 10;
    let server = TestServer::start(&[
        ("workers", "1"),
        ("http2.keep_alive_interval", "1s"),
        ("http2.keep_alive_timeout", "100ms"),
    ]);
    let mut silent = Wire::connect(server.grpc).await;
    let mut lively = Wire::connect(server.grpc).await;
    let silent = tokio::spawn(async move {
        let mut pings = 0;
        while let Some(frame) = silent.next().await {
            pings += usize::from(frame.kind == PING);
        }
        pings
    });
    // At least one PING is answered after the other connection was closed.
    let mut answered = 0;
    loop {
        let closed = silent.is_finished();
        let ping = lively.until(PING).await;
        lively.send(&frame(PING, ACK, 0, &ping.payload)).await;
        answered += 1;
        if closed && answered > 1 {
            break;
        }
        assert!(answered < INTERVALS_MAX, "the other is still open");
    }
    assert_eq!(silent.await.unwrap(), 1);
    lively.send(&headers(1, 0, &[])).await;
    lively.digest(1).await;
    let metrics = server.metrics();
    assert_eq!(metrics.sum("hashlane_connections", &[]), 1.0);
    let ended = |reason| metrics.sum("hashlane_connections_ended_total", &[("reason", reason)]);
    assert_eq!((ended("no_pong"), ended("closed")), (1.0, 0.0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_preface_in_two_pieces_is_read() {
    let server = TestServer::start(&[]);
    // The server answers once it has detected HTTP/2.
    for first in [4, 10, 20, 23] {
        let mut wire = Wire::connect_in_pieces(server.grpc, first).await;
        wire.send(&headers(1, 0, &[])).await;
        wire.digest(1).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_are_refused_do_not_end_their_connection() {
    let server = TestServer::start(&[]);
    let mut raw = Raw::tcp(server.grpc).await;
    for _ in 0..6000 {
        let answer = raw.call("/hashlane.v1.HashService/Nothing", &[], &[]).await;
        assert_eq!(answer.status.unwrap().code(), Code::Unimplemented);
    }
    works(&mut raw, &[]).await;
}
