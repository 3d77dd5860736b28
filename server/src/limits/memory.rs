//! What clients can make the process hold, at the very worst: each bound of the settings times
//! what one unit of it takes. `hashlane-server --memory` prints it.
//!
//! What a unit takes is measured: server/tests/bounds.rs drives each row to its bound.

use std::fmt::Write as _;

use super::{AHEAD_BYTES, backlog, windows};
use crate::config::Settings;
use crate::traces;

/// A connection with HTTP/2's buffers full, beside what follows.
const CONNECTION_BYTES: usize = 40 << 10;

/// TLS of a connection, while its bytes are not read or its answers not taken.
const TLS_BYTES: usize = 120 << 10;

/// What a byte of a request's headers takes, at most: names of one letter are strings of
/// their own, and entries in tables.
const HEADERS_STATE: usize = 5;

/// A call, with the beginning of a message whose fields are as many as may be.
const CALL_BYTES: usize = 9 << 10;

/// A digest of an open part, at most: SHA-512's tree mode of 16 lanes. One with lanes takes
/// 0.9 KiB, CRC and xxHash 2.3 KiB, BLAKE3 4 KiB.
const DIGEST_BYTES: usize = 8704;

/// A frame or a chunk beside its bytes.
const ITEM_BYTES: usize = 200;

/// One row of the sum.
struct Row {
    what: &'static str,
    bound: &'static str,
    bytes: usize,
}

fn rows(settings: &Settings) -> [Row; 11] {
    let row = |what, bound, units: usize, unit_bytes: usize| Row {
        what,
        bound,
        bytes: units.saturating_mul(unit_bytes),
    };
    let windows = windows::count_max(
        settings.receive_windows_bytes_max,
        settings.http2.connection_window_bytes as usize,
    );
    let connections = usize::try_from(settings.connections_max).unwrap_or(usize::MAX);
    let connections = connections.min(windows);
    let headers_bytes = settings.http2.header_list_bytes_max as usize * HEADERS_STATE;
    let connection_bytes = CONNECTION_BYTES + headers_bytes;
    [
        row(
            "connections",
            "`connections_max`, or as many as there are windows",
            connections,
            connection_bytes,
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
            "64 KiB for a connection",
            connections,
            AHEAD_BYTES,
        ),
        row(
            "bytes received and not hashed",
            "`receive_windows_bytes_max`",
            settings.receive_windows_bytes_max,
            1,
        ),
        row(
            "frames and chunks, beside their bytes",
            "8,192 for a connection",
            connections,
            backlog::ITEMS_MAX * ITEM_BYTES,
        ),
        row(
            "calls",
            "`streams_max`, and 64 probes",
            settings.streams_max + super::PROBES_MAX,
            CALL_BYTES,
        ),
        row(
            "digests of open parts",
            "`parts_max`",
            settings.parts_max.max(super::digests_max()),
            DIGEST_BYTES,
        ),
        row(
            "whole messages and their answers",
            "`unary_bytes_max`",
            settings
                .unary_bytes_max
                .max(super::unary_bytes_min(settings)),
            1,
        ),
        row(
            "data held because fields follow it",
            "`held_bytes_max`",
            settings.held_bytes_max.max(settings.message_bytes_max),
            1,
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
            traces::BYTES_MAX,
        ),
    ]
}

/// All of it.
pub fn worst_bytes(settings: &Settings) -> usize {
    let all = rows(settings).into_iter().map(|row| row.bytes);
    all.fold(0, usize::saturating_add)
}

/// The sum and its rows, as a table in Markdown.
pub fn memory_table(settings: &Settings) -> String {
    let mut text = "| what | bound | MiB |\n|---|---|---|\n".to_owned();
    for Row { what, bound, bytes } in rows(settings) {
        let _ = writeln!(text, "| {what} | {bound} | {} |", bytes.div_ceil(1 << 20));
    }
    let all = worst_bytes(settings);
    let _ = writeln!(text, "| all of it | | {} |", all.div_ceil(1 << 20));
    text
}
