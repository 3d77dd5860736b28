//! The most memory that clients can make the process hold: each bound of the settings times the
//! cost of one unit. `hashlane-server --memory` prints it.
//!
//! The cost of a unit is measured: server/tests/server/bounds/memory/ drives each row to its bound.
//!
//! Why measured: estimates that no test drives to the bound are wrong. Messages of 1000 bytes took
//! 299 MiB of a `unary_bytes_max` of 32 MiB, and a digest of an open part up to 8 KiB where 0.5 KiB
//! were documented (docs/measurements.md, Memory at each bound).

use std::fmt::Write as _;

use hashlane_engine::Algorithm;

use super::backlog;
use crate::config::Settings;
use crate::cores;

/// Calls of the health service that are admitted beyond `streams_max`, so that a busy server does
/// not look dead.
pub(super) const PROBES_MAX: usize = 64;

/// Bytes of a buffer that sockets are read into, and the buffers of a worker of which some slice is
/// in use (read_buffers.rs).
pub(crate) const BUFFER_BYTES: usize = 512 << 10;
pub(crate) const BUFFERS_MAX: usize = 18;

/// Bytes that a worker's connections have read and not handled. Beyond that each reads at most
/// [`READ_BYTES_MIN`].
pub(crate) const LEFT_BYTES_MAX: usize = 2 << 20;
pub(crate) const READ_BYTES_MIN: usize = 16 << 10;

/// Regions of shared memory. Each takes a descriptor, apart from that of its connection.
pub(crate) const MEMORY_REGIONS_MAX: usize = 1024;

/// Buffers of a worker that shared memory is copied into (shared_memory/copy_buffers.rs).
pub(crate) const COPY_BUFFERS_MAX: usize = 64;

/// These buffers, of 64 KiB each, and copies of small ranges: the backlog bounds both.
const COPIES_BYTES: usize = COPY_BUFFERS_MAX * (64 << 10) + backlog::WAITING_BYTES_MAX;

/// Approximate bytes of one digest of a batch, from its job to its answer.
pub(crate) const DIGEST_STATE_BYTES: usize = 320;

/// Bytes that tonic takes for a call of one message, in addition to the message.
pub(crate) const UNARY_CALL_BYTES: usize = 2 << 10;

/// Memory of a decoded message: of an empty field that repeats, and of a number, both in vectors
/// that double.
pub(crate) const DECODED_FIELD_BYTES: usize = 64;
pub(crate) const DECODED_NUMBER_BYTES: usize = 16;

/// The largest message of Compose, and its decoded form.
pub(crate) const COMPOSE_BYTES: usize = 7 << 18;

/// Spans waiting to be sent: a burst of some hundred calls.
pub(crate) const SPANS_MAX: usize = 2048;

/// Spans in one request to the collector.
pub(crate) const SPANS_BATCH_MAX: usize = 512;

/// A connection whose HPACK table is full and whose socket takes no output, without the following
/// items.
pub(super) const CONNECTION_BYTES: usize = 40 << 10;

/// TLS state of a connection whose bytes or answers wait.
const TLS_BYTES: usize = 120 << 10;

/// Memory per byte of a request's headers, at most: HTTP/2 gathers a block of up to four times the
/// bound, in a buffer that doubles.
const HEADERS_STATE: usize = 8;

/// A call, with the beginning of a message with the largest allowed fields.
pub(super) const CALL_BYTES: usize = 9 << 10;

/// A trace adds this to a call: its span, and twice the client's `tracestate`.
const CALL_TRACE_BYTES: usize = 9 << 10;

/// A span, with the longest parent state.
const SPAN_BYTES: usize = 4 << 10;

/// The unit of `parts_max`: 1 KiB of state. A digest with lanes takes one unit.
pub(super) const PART_UNIT_BYTES: usize = 1 << 10;

/// A digest of an open part, without its state in the engine.
const DIGEST_BYTES: usize = 640;

/// A worker's buffers: those in use, a free one, the one that is read into, and copies of what was
/// read and not handled.
const BUFFERS_BYTES: usize = (BUFFERS_MAX + 2) * BUFFER_BYTES + LEFT_BYTES_MAX;

/// The smallest window granted: the initial window of HTTP/2 (RFC 9113 section 6.9.2).
pub(super) const WINDOW_BYTES_MIN: usize = 65_535;

/// A waiting chunk or part, without its bytes.
const ITEM_BYTES: usize = 200;

/// Units of `parts_max` that a part with these digests takes.
pub(crate) fn part_units(algorithms: impl IntoIterator<Item = Algorithm>) -> usize {
    let units = |digest: Algorithm| (digest.state_bytes() + DIGEST_BYTES).div_ceil(PART_UNIT_BYTES);
    algorithms.into_iter().map(units).sum()
}

/// Units of a part with all digests; each client's share of `parts_max` has room for one.
pub(super) fn part_units_max() -> usize {
    part_units(Algorithm::all())
}

/// One whole message and its answer, and some calls.
pub(super) fn unary_bytes_min(settings: &Settings) -> usize {
    let answer_bytes = settings.batch_blobs_max * DIGEST_STATE_BYTES;
    let blob_bytes: usize = Algorithm::all().map(Algorithm::state_bytes).sum();
    let batch_bytes = settings.message_bytes_max + answer_bytes + blob_bytes;
    // An empty field takes two bytes of the message.
    let decoded_bytes = settings.message_bytes_max * (1 + DECODED_FIELD_BYTES / 2);
    let compose_bytes = COMPOSE_BYTES.min(decoded_bytes);
    batch_bytes.max(compose_bytes) + 32 * UNARY_CALL_BYTES
}

/// The largest number of windows in `bytes_max` (shares.rs).
pub(super) fn windows_max(bytes_max: usize, wanted_bytes: usize) -> usize {
    let large = bytes_max / 2 / wanted_bytes;
    large + (bytes_max - large * wanted_bytes) / wanted_bytes.min(WINDOW_BYTES_MIN)
}

/// One row of the table.
struct Row {
    what: &'static str,
    bound: &'static str,
    bytes: usize,
}

fn rows(settings: &Settings) -> [Row; 14] {
    let row = |what, bound, units: usize, unit_bytes: usize| Row {
        what,
        bound,
        bytes: units.saturating_mul(unit_bytes),
    };
    let windows = windows_max(
        settings.receive_windows_bytes_max,
        settings.http2.connection_window_bytes as usize,
    );
    let connections = settings.connections_max.min(windows);
    let headers_bytes = settings.http2.header_list_bytes_max as usize * HEADERS_STATE;
    [
        row(
            "connections",
            "`connections_max`, or as many as there are windows",
            connections,
            CONNECTION_BYTES + headers_bytes,
        ),
        row(
            "TLS of connections",
            "the same, if `tls.listen` is set",
            if settings.tls.listen.is_some() {
                connections
            } else {
                0
            },
            TLS_BYTES,
        ),
        row(
            "bytes read from sockets that HTTP/2 has not taken",
            "16 KiB for a connection",
            connections,
            READ_BYTES_MIN,
        ),
        row(
            "buffers that sockets are read into",
            "12 MiB for a worker, and as much for TLS",
            cores::workers(settings.workers) * (1 + usize::from(settings.tls.listen.is_some())),
            BUFFERS_BYTES,
        ),
        row(
            "bytes received and not hashed",
            "`receive_windows_bytes_max`",
            settings.receive_windows_bytes_max,
            1,
        ),
        row(
            "chunks that wait to be hashed, beside their bytes",
            "16,384 for a worker",
            cores::workers(settings.workers),
            backlog::ITEMS_MAX * ITEM_BYTES,
        ),
        row(
            "calls",
            "`streams_max`, and 64 probes",
            settings.streams_max + PROBES_MAX,
            CALL_BYTES
                + settings
                    .traces
                    .endpoint
                    .as_ref()
                    .map_or(0, |_| CALL_TRACE_BYTES),
        ),
        row(
            "digests of open parts",
            "`parts_max`",
            settings.parts_max,
            PART_UNIT_BYTES,
        ),
        row(
            "whole messages and their answers",
            "`unary_bytes_max`",
            settings.unary_bytes_max.max(unary_bytes_min(settings)),
            1,
        ),
        row(
            "data held because fields follow it",
            "`held_bytes_max`",
            settings.held_bytes_max.max(settings.message_bytes_max),
            1,
        ),
        row(
            "memory shared with clients",
            "`shared_memory_bytes_max`, if `listen_unix` is set",
            if settings.shares_memory() {
                settings.shared_memory_bytes_max
            } else {
                0
            },
            1,
        ),
        row(
            "copies of that memory that wait to be hashed",
            "6 MiB for a worker, if `listen_unix` is set",
            if settings.shares_memory() {
                cores::workers(settings.workers)
            } else {
                0
            },
            COPIES_BYTES,
        ),
        row(
            "answers that clients do not take",
            "`unread_bytes_max`",
            settings.unread_bytes_max,
            1,
        ),
        row(
            "spans of traces",
            "2,048, if `traces.endpoint` is set",
            usize::from(settings.traces.endpoint.is_some()),
            // Spans being sent exist twice: as spans and as bytes of their request.
            (SPANS_MAX + 2 * SPANS_BATCH_MAX) * SPAN_BYTES,
        ),
    ]
}

/// The sum of all rows.
pub fn worst_bytes(settings: &Settings) -> usize {
    let all = rows(settings).into_iter().map(|row| row.bytes);
    all.fold(0, usize::saturating_add)
}

/// The rows and their sum, as a Markdown table.
pub fn memory_table(settings: &Settings) -> String {
    let mut text = "| what | bound | MiB |\n|---|---|---|\n".to_owned();
    for Row { what, bound, bytes } in rows(settings) {
        let _ = writeln!(text, "| {what} | {bound} | {} |", bytes.div_ceil(1 << 20));
    }
    let all = worst_bytes(settings);
    let _ = writeln!(text, "| all of it | | {} |", all.div_ceil(1 << 20));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As docs/settings.md says of `parts_max`.
    #[test]
    fn a_digest_counts_as_much_as_its_state_takes() {
        for lanes in Algorithm::all().filter(|algorithm| algorithm.family().is_some()) {
            assert_eq!(part_units([lanes]), 1, "{lanes}");
        }
        let units: Vec<_> = Algorithm::all()
            .map(|a| (a.name(), part_units([a])))
            .collect();
        for (name, units) in &units {
            let documented = match *name {
                name if name.contains("sha512_multihash") => 6..=8,
                name if name.contains("_x") => 4..=5,
                "blake3" => 3..=3,
                name if name.contains("crc") || name.contains("xxhash") => 2..=2,
                _ => 1..=1,
            };
            assert!(documented.contains(units), "{name}: {units}");
        }
        // The least value of `parts_max`.
        assert!(part_units_max() <= 100);
    }
}
