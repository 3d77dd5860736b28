//! A server with small bounds, and the memory that it takes.

use std::net::SocketAddr;

use crate::common::frame_client::{Wire, headers, opening};
use crate::common::h2_client::{Raw, message};
use crate::common::program::{Running, command};
use crate::common::{Metrics, assert_refused, digest, pattern};
use bytes::Bytes;
use prost::Message as _;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tonic::Code;

pub(super) const DIGEST: &str = "/hashlane.v1.HashService/Digest";
pub(super) const BATCH: &str = "/hashlane.v1.HashService/DigestBatch";

pub(super) const MIB: f64 = 1024.0 * 1024.0;

/// Memory that the allocator keeps in addition to the bound: freed read buffers, answers and grown
/// tables.
const SLACK_BYTES: f64 = 3.0 * MIB;

/// A server, and its table of memory.
pub(super) struct Bounded {
    pub(super) server: Running,
    table: String,
    pub(super) before: f64,
}

impl Bounded {
    /// Starts with bounds for a single client.
    pub(super) async fn start(bounds: &[&str]) -> Self {
        let flags = [bounds, &["--client-share-percent=100"]].concat();
        let table = command(&[&flags[..], &["--memory"]].concat()).output();
        let server = Running::start(&flags);
        // Memory that every server has after its first call.
        let mut raw = Raw::tcp(server.grpc).await;
        let first = message(0, &digest(1, &pattern(200_000, 1), true).encode_to_vec());
        raw.call(DIGEST, &[], &[first]).await;
        drop(raw);
        let gone = |m: &Metrics| m.sum("hashlane_connections", &[]) == 0.0;
        server.until("nobody is connected", gone).await;
        Self {
            before: server.resident_bytes(),
            table: String::from_utf8(table.unwrap().stdout).unwrap(),
            server,
        }
    }

    pub(super) fn grpc(&self) -> SocketAddr {
        self.server.grpc
    }

    /// The bytes of the table's rows that begin with `rows`.
    pub(super) fn computed(&self, rows: &[&str]) -> f64 {
        let bytes = |row: &&str| {
            let line = format!("| {row}");
            let mut lines = self.table.lines().filter(|l| l.starts_with(&line));
            let line = lines
                .next()
                .unwrap_or_else(|| panic!("{row} in {}", self.table));
            let mib: f64 = line.split('|').nth(3).unwrap().trim().parse().unwrap();
            mib * MIB
        };
        rows.iter().map(bytes).sum()
    }

    /// Memory taken now, and peak memory.
    pub(super) fn taken(&self) -> f64 {
        self.server.resident_bytes() - self.before
    }

    pub(super) fn most_taken(&self) -> f64 {
        self.server.most_resident_bytes() - self.before
    }

    /// Checks that `taken` is within these rows, and above `least_mib`: 60% of the value measured
    /// at the bound, so that an unreached bound shows.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "the table of docs/measurements.md")]
    pub(super) fn is_within(&self, what: &str, rows: &[&str], taken: f64, least_mib: f64) {
        let computed = self.computed(rows);
        let [c, t] = [computed, taken].map(|bytes| bytes / MIB);
        eprintln!("| {what} | {c:.0} | {t:.1} |");
        assert!(
            taken < computed + SLACK_BYTES,
            "{what}: {t:.1} MiB of {c:.1}"
        );
        assert!(t > least_mib, "{what}: only {t:.1} MiB of {least_mib:.1}");
    }

    /// Checks that one more connection is closed at once and counted.
    pub(super) async fn takes_no_more_connections(&self) {
        let mut refused = TcpStream::connect(self.grpc()).await.unwrap();
        let mut rest = Vec::new();
        let _ = refused.read_to_end(&mut rest).await;
        assert!(rest.is_empty());
        let labels = [("reason", "limit")];
        self.until("it is counted", |m| {
            m.sum("hashlane_connections_refused_total", &labels) == 1.0
        })
        .await;
    }

    /// Checks that one more call is refused for this reason and counted.
    pub(super) async fn refuses(&self, raw: &mut Raw, path: &str, request: &[Bytes], reason: &str) {
        let before = refusals(&self.server.metrics(), reason);
        let status = raw.call(path, &[], request).await.status.unwrap();
        assert_refused(&status, Code::ResourceExhausted, reason);
        self.until("it is counted", |m| refusals(m, reason) > before)
            .await;
    }

    pub(super) async fn until(&self, what: &str, condition: impl Fn(&Metrics) -> bool) {
        self.server.until(what, condition).await;
    }

    /// Waits until no more parts are answered, although their connections are read. A stream with
    /// enough answers may have left the next part open.
    pub(super) async fn comes_to_rest(&self, open: &mut [Wire]) {
        let mut last = (-1.0, 0.0);
        loop {
            for wire in &mut *open {
                wire.all_is_read().await;
            }
            let metrics = self.server.metrics();
            let sum = |name| metrics.sum(name, &[]);
            let now = (sum("hashlane_parts_total"), sum("hashlane_open_jobs"));
            if now == last && now.1 <= open.len() as f64 {
                return;
            }
            last = now;
        }
    }

    /// Waits until the server has read `bytes` bytes.
    pub(super) async fn has_read(&self, before: f64, bytes: usize) {
        self.until("all is read", |m| received(m) >= before + bytes as f64)
            .await;
    }
}

pub(super) fn refusals(metrics: &Metrics, reason: &str) -> f64 {
    metrics.sum("hashlane_refusals_total", &[("reason", reason)])
}

pub(super) fn used(metrics: &Metrics, budget: &str) -> f64 {
    metrics.sum("hashlane_budget_used", &[("budget", budget)])
}

pub(super) fn received(metrics: &Metrics) -> f64 {
    metrics.sum("hashlane_received_bytes_total", &[])
}

/// Fields that each count as 34 bytes (RFC 9113 section 6.5.2) and are not indexed.
pub(super) fn tiny_fields(count: usize) -> Vec<u8> {
    b"\x00\x01a\x01b".repeat(count)
}

/// Begins a call over `socket` with the largest windows for answers.
pub(super) fn greedy_call() -> Vec<u8> {
    [opening(), headers(1, 0, &[])].concat()
}
