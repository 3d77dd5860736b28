//! Traces: the spans of a call, and faulty collectors.

use std::net::TcpListener;

use crate::common::collector::{Collector, Does, attribute};
use crate::common::h2_client::{Answer, Raw, message, read};
use crate::common::program::Running;
use crate::common::{Metrics, TestServer, digest, pattern, sha256, sized, verify};
use bytes::Bytes;
use hashlane_proto::v1::DigestRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use prost::Message as _;
use tonic::Code;

const DIGEST: &str = "/hashlane.v1.HashService/Digest";
const VERIFY: &str = "/hashlane.v1.HashService/Verify";
const INFO: &str = "/hashlane.v1.HashService/GetServerInfo";
const CHECK: &str = "/grpc.health.v1.Health/Check";

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn start(collector: &Collector, ratio: &str) -> TestServer {
    start_with(&collector.endpoint(), ratio)
}

fn start_with(endpoint: &str, ratio: &str) -> TestServer {
    TestServer::start(&[
        ("traces.endpoint", endpoint),
        ("traces.sample_ratio", ratio),
    ])
}

async fn call(raw: &mut Raw, parent: &str, id: &str, parts: &[DigestRequest]) -> Answer {
    let parts: Vec<_> = parts
        .iter()
        .map(|part| message(0, &part.encode_to_vec()))
        .collect();
    let headers = [("traceparent", parent), ("x-request-id", id)];
    raw.call(DIGEST, &headers, &parts).await
}

/// The spans whose attribute has this value.
fn with<'s>(spans: &'s [Span], key: &str, value: &str) -> Vec<&'s Span> {
    let has = |span: &&Span| attribute(&span.attributes, key).as_deref() == Some(value);
    spans.iter().filter(has).collect()
}

fn is_call(id: &str) -> impl Fn(&Span) -> bool {
    move |span| attribute(&span.attributes, "hashlane.request_id").as_deref() == Some(id)
}

fn children<'s>(spans: &'s [Span], of: &Span) -> Vec<&'s Span> {
    let is_child = |span: &&Span| span.parent_span_id == of.span_id;
    spans.iter().filter(is_child).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_its_parts_and_their_waits_are_spans_below_the_clients() {
    let collector = Collector::start(Does::Take);
    let server = start(&collector, "0");
    let mut raw = Raw::tcp(server.grpc).await;
    let parts = [
        verify(7, b"abc", Some(&sha256(b"abc")), true),
        verify(8, b"abcd", Some(&sha256(b"abc")), true),
        verify(9, b"abcde", None, true),
    ];
    let parts = parts.map(|part| message(0, &part.encode_to_vec()));
    let headers = [
        ("traceparent", SAMPLED),
        ("tracestate", "vendor=1"),
        ("x-request-id", "seven"),
    ];
    let answer = raw.call(VERIFY, &headers, &parts).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);

    let spans = collector.until(is_call("seven")).await;
    let [call] = with(&spans, "hashlane.request_id", "seven")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!(call.name, "hashlane.v1.HashService/Verify");
    assert_eq!(call.kind(), SpanKind::Server);
    assert_eq!(hex(&call.parent_span_id), PARENT);
    assert_eq!(
        call.status.clone().unwrap_or_default().code(),
        StatusCode::Unset
    );
    for (key, value) in [
        ("rpc.system.name", "grpc"),
        ("rpc.method", "hashlane.v1.HashService/Verify"),
        ("rpc.response.status_code", "OK"),
        ("client.address", "127.0.0.1"),
        ("hashlane.parts", "3"),
        ("hashlane.bytes", "12"),
    ] {
        let found = attribute(&call.attributes, key);
        assert_eq!(found.as_deref(), Some(value), "{key}");
    }
    assert_eq!(attribute(&call.attributes, "error.type"), None);
    assert_eq!(children(&spans, call).len(), 3, "{spans:#?}");
    for (number, bytes, outcome, error) in [
        ("7", "3", "match", None),
        ("8", "4", "mismatch", None),
        ("9", "5", "error", Some("NO_EXPECTED_DIGEST")),
    ] {
        let [part] = with(&spans, "hashlane.part.number", number)[..] else {
            panic!("{spans:#?}");
        };
        let of_part = |key| attribute(&part.attributes, key);
        assert_eq!((&*part.name, part.kind()), ("part", SpanKind::Internal));
        assert_eq!(part.parent_span_id, call.span_id);
        assert_eq!(of_part("hashlane.part.algorithms").unwrap(), "sha256");
        assert_eq!(of_part("hashlane.part.bytes").unwrap(), bytes);
        assert_eq!(of_part("hashlane.part.outcome").unwrap(), outcome);
        assert_eq!(of_part("error.type").as_deref(), error);
        // A failed part never waits for a digest.
        let waits = children(&spans, part);
        assert_eq!(waits.len(), usize::from(error.is_none()), "{spans:#?}");
        for wait in waits {
            assert_eq!((&*wait.name, wait.kind()), ("wait", SpanKind::Internal));
            assert_eq!(wait.end_time_unix_nano, part.end_time_unix_nano);
            assert!(wait.start_time_unix_nano >= part.start_time_unix_nano);
            assert!(wait.start_time_unix_nano <= wait.end_time_unix_nano);
        }
        assert!(part.start_time_unix_nano >= call.start_time_unix_nano);
        assert!(part.end_time_unix_nano <= call.end_time_unix_nano);
    }
    for span in &spans {
        assert_eq!(hex(&span.trace_id), TRACE, "{span:#?}");
        assert_eq!(span.trace_state, "vendor=1");
    }
    let resource = collector.requests()[0].resource_spans[0].resource.clone();
    let resource = resource.unwrap().attributes;
    assert_eq!(attribute(&resource, "service.name").unwrap(), "hashlane");
    let version = attribute(&resource, "service.version").unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let exported = spans.len() as f64;
    let sent = |metrics: &Metrics| {
        let labels = [("outcome", "exported")];
        metrics.sum("hashlane_trace_spans_total", &labels) == exported
    };
    server.until("all are counted", sent).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_call_says_why() {
    let collector = Collector::start(Does::Take);
    let server = start(&collector, "0");
    let mut raw = Raw::tcp(server.grpc).await;
    let refused = [
        ("traceparent", SAMPLED),
        ("x-request-id", "refused"),
        ("grpc-timeout", "x"),
    ];
    raw.call(DIGEST, &refused, &[]).await;
    let late = [
        ("traceparent", SAMPLED),
        ("x-request-id", "late"),
        ("grpc-timeout", "1m"),
    ];
    // Its deadline passes before any message arrives.
    let (response, _sending) = raw.begin(DIGEST, &late).await;
    read(response).await;
    for (id, code, reason, status) in [
        (
            "refused",
            "INVALID_ARGUMENT",
            "MALFORMED_TIMEOUT",
            // An error of the client is not an error of the server.
            StatusCode::Unset,
        ),
        (
            "late",
            "DEADLINE_EXCEEDED",
            "DEADLINE_EXCEEDED",
            StatusCode::Error,
        ),
    ] {
        let spans = collector.until(is_call(id)).await;
        let call = with(&spans, "hashlane.request_id", id)[0];
        let of_call = |key| attribute(&call.attributes, key).unwrap();
        assert_eq!(of_call("rpc.response.status_code"), code);
        assert_eq!(of_call("error.type"), code);
        assert_eq!(of_call("hashlane.reason"), reason);
        assert_eq!(call.status.clone().unwrap_or_default().code(), status);
    }
}

/// The last call of each test is sampled, so its spans arrive after the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_decides_and_else_the_ratio() {
    let collector = Collector::start(Does::Take);
    let part = || [digest(1, b"abc", true)];
    for (ratio, of_roots) in [("0", false), ("1", true)] {
        let server = start(&collector, ratio);
        let mut raw = Raw::tcp(server.grpc).await;
        let id = |name: &str| format!("{name}-{ratio}");
        call(&mut raw, UNSAMPLED, &id("unsampled"), &part()).await;
        call(&mut raw, "no parent", &id("root"), &part()).await;
        // Probes have no spans, even with a sampled parent.
        let probe = [("traceparent", SAMPLED), ("x-request-id", "probe")];
        raw.call(CHECK, &probe, &[message(0, b"")]).await;
        call(&mut raw, SAMPLED, &id("sampled"), &part()).await;
        let spans = collector.until(is_call(&id("sampled"))).await;
        let calls = |id: &str| with(&spans, "hashlane.request_id", id).len();
        assert_eq!(calls(&id("unsampled")), 0);
        assert_eq!(calls(&id("root")), usize::from(of_roots));
        assert_eq!(calls("probe"), 0);
        if of_roots {
            let root = with(&spans, "hashlane.request_id", &id("root"))[0];
            assert_eq!(root.parent_span_id, b"");
            assert_ne!(hex(&root.trace_id), TRACE);
            assert_eq!(children(&spans, root).len(), 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_sent_when_the_server_ends() {
    let collector = Collector::start(Does::Take);
    let mut server = start(&collector, "1");
    let mut raw = Raw::tcp(server.grpc).await;
    let answer = raw
        .call(INFO, &[("x-request-id", "last")], &[message(0, b"")])
        .await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    drop(raw);
    server.stop();
    server.join().unwrap();
    assert!(collector.spans().iter().any(is_call("last")));
}

/// The maximum of parts with spans, in one call.
fn many_parts() -> Vec<DigestRequest> {
    (0..256).map(|part| digest(part, b"abc", true)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_has_spans_for_so_many_parts() {
    let collector = Collector::start(Does::Take);
    let server = start(&collector, "0");
    let mut raw = Raw::tcp(server.grpc).await;
    let mut parts = many_parts();
    parts.push(digest(1000, b"abc", true));
    call(&mut raw, SAMPLED, "many", &parts).await;
    let spans = collector.until(is_call("many")).await;
    assert_eq!(with(&spans, "hashlane.parts", "257").len(), 1);
    assert_eq!(spans.iter().filter(|span| span.name == "part").count(), 256);
}

/// With any collector, calls are answered, spans that do not fit are counted, and the server ends.
async fn survives(endpoint: &str, outcome: &str, calls: usize) {
    let mut server = start_with(endpoint, "0");
    let mut raw = Raw::tcp(server.grpc).await;
    for n in 0..calls {
        let answer = call(&mut raw, SAMPLED, &n.to_string(), &many_parts()).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
    }
    let labels = [("outcome", outcome)];
    let lost = |metrics: &Metrics| metrics.sum("hashlane_trace_spans_total", &labels) > 0.0;
    server.until("lost spans are counted", lost).await;
    drop(raw);
    server.stop();
    server.join().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_hangs_holds_nobody_up() {
    let collector = Collector::start(Does::Hang);
    // 513 spans each: more than fit into the queue and the batch being sent.
    survives(&collector.endpoint(), "dropped", 8).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_is_not_there_or_refuses_loses_spans() {
    let collector = Collector::start(Does::Refuse);
    survives(&collector.endpoint(), "failed", 1).await;
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = free.local_addr().unwrap();
    drop(free);
    survives(&format!("http://{nobody}"), "failed", 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_calls_log_line_has_the_trace_and_no_span_has_a_secret() {
    let collector = Collector::start(Does::Take);
    let flags = ["--log", "hashlane_server=debug"];
    let endpoint = ["--traces-endpoint", &collector.endpoint()];
    let running = Running::start(&[&flags[..], &endpoint].concat());
    let mut raw = Raw::tcp(running.grpc).await;
    let secret = "confidential-confidential";
    let parts = [
        digest(1, secret.as_bytes(), true),
        sized(2, 1, secret.as_bytes(), true),
    ];
    let parts = parts.map(|part| message(0, &part.encode_to_vec()));
    for parent in [SAMPLED, UNSAMPLED] {
        let id = format!("id-{}", &parent[53..]);
        let headers = [
            ("traceparent", parent),
            ("x-request-id", &id),
            ("authorization", secret),
            ("x-secret", secret),
            ("baggage", secret),
        ];
        let answer = raw.call(DIGEST, &headers, &parts).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
    }
    collector.until(is_call("id-01")).await;
    running.signal("TERM");
    drop(raw);
    let (_, log) = running.end();
    for id in ["id-01", "id-00"] {
        let id = format!("\"request_id\":\"{id}\"");
        let line = log.lines().find(|line| line.contains(&id)).unwrap();
        assert!(
            line.contains(&format!("\"trace_id\":\"{TRACE}\"")),
            "{line}"
        );
    }
    let shown = format!("{:?}", collector.requests());
    let digest = sha256(secret.as_bytes());
    for hidden in [secret, &hex(&digest), &format!("{:?}", &digest[..4])[1..10]] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }
}

/// Without an endpoint there is no thread, no metric and no trace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_collector_there_are_no_traces() {
    let running = Running::start(&["--log", "hashlane_server=debug"]);
    let mut raw = Raw::tcp(running.grpc).await;
    let part = message(0, &digest(1, &pattern(1000, 1), true).encode_to_vec());
    let headers = [("traceparent", SAMPLED), ("x-request-id", "one")];
    raw.call(DIGEST, &headers, &[part, Bytes::new()]).await;
    assert!(!running.metrics().has("hashlane_trace_spans_total"));
    running.signal("TERM");
    drop(raw);
    let (_, log) = running.end();
    assert!(log.contains("\"request_id\":\"one\""), "{log}");
    assert!(!log.contains(TRACE), "{log}");
}
