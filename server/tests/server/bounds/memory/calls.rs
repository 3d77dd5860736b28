//! Calls, their messages and their traces.

use super::bounded_server::{BATCH, Bounded, DIGEST, MIB, received, refusals, tiny_fields, used};
use crate::common::collector::{Collector, Does};
use crate::common::frame_client::{
    DATA, END_HEADERS, END_STREAM, HEADERS, Wire, frame, headers, headers_of, streams,
};
use crate::common::h2_client::{Raw, message, read};
use crate::common::{Metrics, sized};
use bytes::Bytes;
use hashlane_proto::v1::DigestBatchRequest;
use prost::Message as _;
use tonic::Code;

/// Calls opened by [`open_calls`].
const CALLS: usize = 3000;

/// Opens calls with the headers `more`. Each begins a message with the largest allowed fields.
async fn open_calls(bounded: &Bounded, more: &[(&str, &str)]) -> Vec<Wire> {
    // An unknown field of 4000 bytes, without its end.
    let field = [&[0x3a, 0xa0, 0x1f][..], &[7; 4000]].concat();
    let begin = message(0, &field).slice(..4000);
    let mut wires = Vec::new();
    for _ in 0..3 {
        let mut wire = Wire::connect(bounded.grpc()).await;
        for id in streams().take(CALLS / 3) {
            let call = [headers(id, 0, more), frame(DATA, 0, id, &begin)];
            wire.send(&call.concat()).await;
            if id % 100 == 1 {
                wire.all_is_read().await;
            }
        }
        wire.all_is_read().await;
        wires.push(wire);
    }
    bounded
        .until("all are open", |m| {
            m.sum("hashlane_streams", &[]) == CALLS as f64
        })
        .await;
    wires
}

/// Calls that began a message with the largest allowed fields.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls() {
    let bounded = Bounded::start(&["--streams-max=3000"]).await;
    let _open = open_calls(&bounded, &[]).await;
    let mut raw = Raw::tcp(bounded.grpc()).await;
    bounded.refuses(&mut raw, DIGEST, &[], "SERVER_BUSY").await;
    bounded.is_within("calls", &["calls"], bounded.taken(), 9.6);
}

/// Memory of traces in addition to their calls, with the largest `tracestate`: 32 members in 512
/// bytes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
async fn traces_of_calls() {
    let state = trace_state();
    assert!(state.len() <= 512);
    // In four headers, because each must be below 127 bytes.
    let states: Vec<_> = state.split(",").collect();
    let states: Vec<_> = states.chunks(8).map(|some| some.join(",")).collect();
    let mut more = vec![("traceparent", TRACE_PARENT)];
    more.extend(states.iter().map(|state| ("tracestate", state.as_str())));
    let mut figures = Vec::new();
    for endpoint in ["", "http://127.0.0.1:1"] {
        let endpoint = format!("--traces-endpoint={endpoint}");
        let bounded = Bounded::start(&["--streams-max=3000", &endpoint]).await;
        let _open = open_calls(&bounded, &more).await;
        figures.push([bounded.computed(&["calls"]), bounded.taken()]);
    }
    let [computed, taken] = [0, 1].map(|i| (figures[1][i] - figures[0][i]) / MIB);
    eprintln!("| traces of calls | {computed:.0} | {taken:.1} |");
    assert!(taken < computed + 1.0, "{taken:.1} MiB of {computed:.1}");
    assert!(
        taken > computed / 2.0,
        "only {taken:.1} MiB of {computed:.1}"
    );
}

/// Memory of a call's headers after they were read: none. Otherwise 480 headers of a letter each
/// would take 56 KB while the call's message is incomplete, regardless of the row of calls.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_with_many_headers() {
    const COUNT: usize = 3000;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for (path, least_mib) in [(DIGEST, 9.6), (BATCH, 9.0), (reflection, 20.0)] {
        let bounded = Bounded::start(&[
            "--connections-max=4",
            "--streams-max=3000",
            "--unary-bytes-max=128MiB",
        ])
        .await;
        let begin = message(0, &[10; 4000]).slice(..3999);
        let mut wires = Vec::new();
        for _ in 0..3 {
            let mut wire = Wire::connect(bounded.grpc()).await;
            for id in streams().take(COUNT / 3) {
                let usual = headers_of(path, id, 0, &[]);
                let block = [&usual[9..], &tiny_fields(440)].concat();
                let call = [
                    frame(HEADERS, END_HEADERS, id, &block),
                    frame(DATA, 0, id, &begin),
                ];
                wire.send(&call.concat()).await;
                if id % 40 == 1 {
                    wire.all_is_read().await;
                }
            }
            wire.all_is_read().await;
            wires.push(wire);
        }
        bounded
            .until("all are open", |m| {
                m.sum("hashlane_streams", &[]) == COUNT as f64
            })
            .await;
        let what = format!("calls of {path} with 440 headers");
        let rows: &[&str] = match path {
            DIGEST => &["calls", "connections"],
            _ => &["calls", "connections", "whole messages"],
        };
        let taken = bounded.taken();
        bounded.is_within(&what, rows, taken, least_mib);
        // A call with its message, even if other rows allow more.
        assert!(taken < 3000.0 * 30.0 * 1024.0, "{what}: {taken}");
    }
}

/// Incomplete unary calls until there is no room for another: of the service, which take their
/// message and 2 KiB, and of reflection, which take 40 KiB. The row of calls allows more than they
/// need: it has room for a message decoded as it arrives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unary_calls() {
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for (path, bound, least_mib) in [(BATCH, "8MiB", 8.0), (reflection, "64MiB", 15.0)] {
        let unary = format!("--unary-bytes-max={bound}");
        let bounded = Bounded::start(&["--streams-max=4000", &unary]).await;
        let begin = message(0, &[10; 500]).slice(..499);
        let mut wires = Vec::new();
        let mut count = 0;
        while refusals(&bounded.server.metrics(), "SERVER_BUSY") == 0.0 {
            let mut wire = Wire::connect(bounded.grpc()).await;
            for id in streams().take(100) {
                let more: Vec<_> = (0..8).map(|_| ("name", "of a value")).collect();
                let call = [headers_of(path, id, 0, &more), frame(DATA, 0, id, &begin)];
                wire.send(&call.concat()).await;
                count += 1;
            }
            wire.all_is_read().await;
            wires.push(wire);
            bounded
                .until("all are open or refused", |m| {
                    m.sum("hashlane_streams", &[]) + refusals(m, "SERVER_BUSY") == f64::from(count)
                })
                .await;
        }
        let max = bounded.server.metrics();
        let labels = [("budget", "unary_bytes")];
        let max = max.sum("hashlane_budget_max", &labels);
        let taken = used(&bounded.server.metrics(), "unary_bytes");
        assert!(taken > max - 41.0 * 1024.0, "{taken} of {max}");
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let request = [message(0, &[10; 500])];
        bounded
            .refuses(&mut raw, path, &request, "SERVER_BUSY")
            .await;
        let what = format!("{count} calls of {path}");
        let rows = ["calls", "whole messages"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
    }
}

/// Messages that lack one byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_messages() {
    for (piece, least_mib) in [
        (1_000, 46.0),
        (9_000, 36.0),
        (40_000, 25.0),
        (1 << 20, 19.0),
    ] {
        let bounded = Bounded::start(&["--unary-bytes-max=32MiB", "--streams-max=12000"]).await;
        let batch = DigestBatchRequest {
            algorithms: Vec::new(),
            blobs: vec![vec![7; piece].into()],
        };
        let whole = message(0, &batch.encode_to_vec());
        let begin = whole.slice(..whole.len() - 1);
        let before = received(&bounded.server.metrics());
        let mut open = Vec::new();
        let mut sent = 0;
        'all: loop {
            let mut raw = Raw::tcp(bounded.grpc()).await;
            for _ in 0..500 {
                let (response, mut sending) = raw.begin(BATCH, &[]).await;
                // Sending fails if the call was refused.
                let _ = sending.send_data(begin.clone(), false);
                sent += begin.len();
                open.push((response, sending));
                let refused = |m: &Metrics| {
                    let labels = [("grpc_code", "ResourceExhausted")];
                    m.sum("grpc_server_handled_total", &labels) > 0.0
                };
                if open.len() % 100 == 0 || piece > 100_000 {
                    bounded
                        .until("all is read, or there is no room", |m| {
                            refused(m) || received(m) >= before + sent as f64
                        })
                        .await;
                    if refused(&bounded.server.metrics()) {
                        break 'all;
                    }
                }
            }
        }
        let mut raw = Raw::tcp(bounded.grpc()).await;
        bounded
            .refuses(&mut raw, BATCH, &[begin], "SERVER_BUSY")
            .await;
        let what = format!("whole messages of {piece} bytes");
        let rows = ["whole messages", "calls"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
    }
}

/// Messages of empty blobs and digests, which take much more memory once they are decoded. The ends
/// of all calls come together, so that as many as possible are decoded at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decoded_messages() {
    const COUNT: usize = 400;
    // No algorithm has the number 99, so that the batches are refused once they are decoded.
    for (method, head) in [("DigestBatch", &[0x0a, 1, 99][..]), ("Compose", &[])] {
        // Field 2 of both: `blobs` and `part_digests`.
        let whole = message(0, &[head, &[0x12, 0].repeat(10_000)].concat());
        let bounded = Bounded::start(&["--unary-bytes-max=16MiB"]).await;
        let path = format!("/hashlane.v1.HashService/{method}");
        let mut wire = Wire::connect(bounded.grpc()).await;
        for id in streams().take(COUNT) {
            wire.send(&headers_of(&path, id, 0, &[])).await;
            for piece in whole.chunks(16_000) {
                wire.send(&frame(DATA, 0, id, piece)).await;
            }
            if id % 40 == 1 {
                wire.all_is_read().await;
            }
        }
        wire.all_is_read().await;
        let end = |id| frame(DATA, END_STREAM, id, b"");
        let ends: Vec<u8> = streams().take(COUNT).flat_map(end).collect();
        wire.send(&ends).await;
        bounded
            .until("all are answered or refused", |m| {
                let labels = [("grpc_method", method)];
                m.sum("grpc_server_handled_total", &labels) == COUNT as f64
            })
            .await;
        let what = format!("decoded messages of {method}");
        let rows = ["whole messages", "buffers that sockets"];
        bounded.is_within(&what, &rows, bounded.most_taken(), 12.4);
    }
}

/// Batches with the maximum of blobs and unread answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches() {
    let bounded = Bounded::start(&["--unary-bytes-max=32MiB"]).await;
    let batch = DigestBatchRequest {
        algorithms: vec![3, 1],
        blobs: vec![Bytes::new(); 10_000],
    };
    let whole = message(0, &batch.encode_to_vec());
    let mut raw = Raw::reluctant(bounded.grpc(), 0).await;
    let mut open = Vec::new();
    // Each takes 6.1 MiB of the bound until its answer was sent.
    for _ in 0..5 {
        let (response, mut sending) = raw.begin(BATCH, &[]).await;
        sending.send_data(whole.clone(), true).unwrap();
        open.push((response, sending));
    }
    bounded
        .until("all are answered", |m| {
            m.sum("hashlane_parts_total", &[("outcome", "digest")]) == 50_001.0
        })
        .await;
    bounded
        .refuses(&mut raw, BATCH, &[whole], "SERVER_BUSY")
        .await;
    bounded.is_within("batches", &["whole messages"], bounded.most_taken(), 5.0);
}

/// Simultaneous batches of all digests, each with a long blob before short ones that stay open
/// meanwhile: digests of tree modes have some KiB of state each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_blobs() {
    let bounded = Bounded::start(&["--unary-bytes-max=32MiB"]).await;
    let mut blobs = vec![Bytes::new(); 256];
    blobs[0] = vec![7; 200_000].into();
    let batch = DigestBatchRequest {
        algorithms: crate::common::numbers(),
        blobs,
    };
    let whole = message(0, &batch.encode_to_vec());
    let mut raw = Raw::tcp(bounded.grpc()).await;
    for _ in 0..16 {
        let (response, mut sending) = raw.begin(BATCH, &[]).await;
        // Sending fails if the call was refused.
        let _ = sending.send_data(whole.clone(), true);
        tokio::spawn(read(response));
    }
    bounded
        .until("all are answered or refused", |m| {
            m.sum(
                "grpc_server_handled_total",
                &[("grpc_method", "DigestBatch")],
            ) == 16.0
        })
        .await;
    bounded.is_within("open blobs", &["whole messages"], bounded.most_taken(), 3.0);
}

/// Spans that wait for a hung collector, with the largest `tracestate`: 32 members in 512 bytes; of
/// parts that name every algorithm.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_of_traces() {
    let collector = Collector::start(Does::Hang);
    let endpoint = format!("--traces-endpoint={}", collector.endpoint());
    let bounded = Bounded::start(&[&endpoint]).await;
    let mut raw = Raw::tcp(bounded.grpc()).await;
    let states = trace_state();
    let more = [("traceparent", TRACE_PARENT), ("tracestate", &states)];
    // Each part fails at its first byte, so that no digest state remains.
    let part = |part| {
        let mut request = sized(part, 0, b"x", true);
        request.open.as_mut().unwrap().algorithms = crate::common::numbers();
        message(0, &request.encode_to_vec())
    };
    let parts: Vec<_> = (0..256).map(part).collect();
    let lost = |m: &Metrics| m.sum("hashlane_trace_spans_total", &[("outcome", "dropped")]);
    while lost(&bounded.server.metrics()) == 0.0 {
        let answer = raw.call(DIGEST, &more, &parts).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
    }
    let rows = ["spans of traces"];
    bounded.is_within("spans of traces", &rows, bounded.taken(), 4.0);
}

const TRACE_PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// 32 members: key and value of each are separate strings, even if short.
fn trace_state() -> String {
    let vendors = ["a", "b", "c", "d"].into_iter();
    let members = vendors.flat_map(|vendor| (0..8).map(move |n| (vendor, n)));
    let members: Vec<_> = members
        .map(|(vendor, n)| format!("{vendor}{n}=0123456789a"))
        .collect();
    members.join(",")
}
