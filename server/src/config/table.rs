//! Every setting there is: its name, default, kind and meaning.

use std::time::Duration;

use super::value::Kind;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// Its name in the configuration file; a dot is a table.
    pub(super) name: &'static str,
    /// Its default, as it would be written.
    pub(super) default: &'static str,
    /// What it may hold.
    pub(super) kind: Kind,
    /// What it is for.
    pub(super) about: &'static str,
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;
/// HTTP/2 windows and stream counts end at 2^31 - 1 (RFC 9113 section 6.9.1).
const WINDOW_MAX: u64 = (1 << 31) - 1;
const HOUR: Duration = Duration::from_secs(3600);

const fn setting(
    name: &'static str,
    default: &'static str,
    kind: Kind,
    about: &'static str,
) -> Setting {
    Setting {
        name,
        default,
        kind,
        about,
    }
}

const fn count(min: u64, max: u64) -> Kind {
    Kind::Count { min, max }
}

const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min, max }
}

const fn time(min_ms: u64, max: Duration) -> Kind {
    Kind::Time {
        min: Duration::from_millis(min_ms),
        max,
    }
}

/// All settings, in the order in which `--print-config` writes them: those of
/// a table follow all that stand in none.
#[rustfmt::skip]
pub(super) const SETTINGS: &[Setting] = &[
    setting("listen", "127.0.0.1:50051", Kind::Address, "gRPC over TCP"),
    setting("listen_unix", "", Kind::Path, "gRPC over a Unix socket; empty for none"),
    setting("unix_socket_mode", "0660", Kind::Mode, "permissions of that socket, in octal digits; who may write may connect"),
    setting("admin_listen", "127.0.0.1:9464", Kind::Address, "/metrics, /healthz and /readyz"),
    setting("workers", "auto", Kind::AutoCount { min: 1, max: 1024 }, "pinned threads with connections and an engine of their own; auto: one per usable core"),
    setting("pin", "auto", Kind::Choice(&["auto", "true", "false"]), "pin workers to cores; auto: unless a CPU quota allows fewer cores than the mask"),
    setting("hashing", "lanes", Kind::Choice(&["lanes", "inline", "sink"]), "lanes: the engine; inline and sink are for measurements: sha2, sha1 and md-5 in the handler, and no hashing at all"),
    setting("kernel", "auto", Kind::Kernels, "of the algorithms named, use these kernels only; of the others, and with auto, what was measured at start-up to be fastest"),
    setting("connections_max", "4096", count(1, 1_000_000), "open connections; more are closed at once"),
    setting("streams_max", "100000", count(1, 100_000_000), "open calls of the process; more are refused"),
    setting("message_bytes_max", "4MiB", bytes(KIB, GIB), "bytes of one request message"),
    setting("part_bytes_max", "5TiB", bytes(1, 1 << 60), "bytes of one part"),
    setting("parts_per_stream_max", "10000", count(1, 1_000_000), "open parts of one stream"),
    setting("parts_max", "1000000", count(1, 100_000_000), "open parts of the process; one that asks for several digests counts as so many"),
    setting("batch_blobs_max", "10000", count(1, 1_000_000), "blobs of one DigestBatch"),
    setting("client_share_percent", "50", count(1, 100), "of each bound of the process, what one client (an address) may take"),
    setting("unary_bytes_max", "256MiB", bytes(MIB, TIB), "whole messages that the process holds, and what their answers take"),
    setting("receive_windows_bytes_max", "2GiB", bytes(64 * KIB, TIB), "HTTP/2 receive windows of all connections: what has arrived and is not hashed; when half of it is given new connections get 64 KiB each, and are refused when all is"),
    setting("unread_bytes_max", "64MiB", bytes(MIB, TIB), "answers of the process that clients have not taken; beyond it whoever holds most is cut off"),
    setting("held_bytes_max", "64MiB", bytes(KIB, TIB), "data held by the process because other fields follow it in its message; and room for one message at least"),
    setting("linger", "100us", Kind::Time { min: Duration::ZERO, max: Duration::from_millis(1) }, "a worker with many parts that bring data and few ready ones sleeps at least so long before it hashes those, so that more arrive; 0us: never"),
    setting("part_idle_timeout", "60s", time(1, HOUR), "a Digest or Verify stream that brings nothing, or takes no answer, for so long is ended"),
    setting("part_rate_bytes_per_second_min", "0", bytes(0, GIB), "a stream with an open part that brings less over part_rate_window is ended; 0: never"),
    setting("part_rate_window", "30s", time(1, HOUR), "the time over which that rate is taken"),
    setting("preface_timeout", "10s", time(1, HOUR), "time for a new connection's HTTP/2 preface"),
    setting("drain_timeout", "30s", time(0, HOUR), "time for running parts after SIGTERM"),
    setting("log", "info", Kind::Filter, "what is logged; of HTTP/2 itself only what is named, as in info,h2=warn"),
    setting("log_format", "text", Kind::Choice(&["text", "json"]), "how it is written"),
    setting("http2.stream_window_bytes", "1MiB", bytes(65_535, WINDOW_MAX), "initial flow-control window of a stream"),
    setting("http2.connection_window_bytes", "1MiB", bytes(65_535, WINDOW_MAX), "flow-control window of a connection, at first"),
    setting("http2.connection_window_bytes_max", "4MiB", bytes(65_535, WINDOW_MAX), "how far both windows grow when the line's rate and delay ask for it"),
    setting("http2.frame_bytes_max", "128KiB", bytes(16 * KIB, 16 * MIB - 1), "largest frame accepted; 64 KiB of data in one message should fit one frame"),
    setting("http2.streams_max", "1024", count(1, WINDOW_MAX), "concurrent streams of a connection"),
    setting("http2.header_list_bytes_max", "16KiB", bytes(KIB, MIB), "headers of one request"),
    setting("http2.pending_reset_streams_max", "1024", count(1, 10_000), "streams the client reset before they were accepted; more end the connection"),
    setting("http2.send_buffer_bytes_max", "64KiB", bytes(KIB, GIB), "answers of one stream that wait for the client to read"),
    setting("http2.keep_alive_interval", "30s", time(1000, HOUR), "a PING after so much silence"),
    setting("http2.keep_alive_timeout", "10s", time(100, HOUR), "time for its answer"),
];
