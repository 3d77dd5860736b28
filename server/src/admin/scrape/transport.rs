//! Connections, TLS and frames.

use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use prometheus::proto::MetricFamily;

use super::Scrape;
use crate::http2::FrameKind;
use crate::memory::Refusal;
use crate::metrics::counters::Handshake;
use crate::metrics::ends::ConnectionEnd;
use crate::metrics::family::{counter, gauge};
use crate::metrics::instruments::as_f64;

impl Scrape<'_> {
    pub(super) fn transport(&self) -> Vec<MetricFamily> {
        let refused = self.of.observed.acceptor.refused();
        let floods = FrameKind::ALL.map(|kind| {
            let count = self.sum(|counters| counters.floods[kind as usize].get());
            (vec![("frames", kind.name().to_owned())], count)
        });
        let ends = ConnectionEnd::ALL.map(|end| {
            let count = self.sum(|counters| counters.connection_ends[end as usize].get());
            (vec![("reason", end.name().to_owned())], count)
        });
        let memory_refused = Refusal::ALL.map(|refusal| {
            let count = &self.of.observed.acceptor.memory_refused[refusal.index()];
            let labels = vec![("reason", refusal.name().to_owned())];
            (labels, as_f64(count.load(Relaxed)))
        });
        vec![
            gauge(
                "hashlane_connections",
                "Open connections.",
                self.per_worker(|counters| as_f64(counters.connections())),
            ),
            counter(
                "hashlane_connections_total",
                "Connections handed to the worker.",
                self.per_worker(|counters| as_f64(counters.handover.connections.get())),
            ),
            counter(
                "hashlane_connections_refused_total",
                "Connections closed at once, by which bound.",
                refused
                    .map(|(reason, n)| (vec![("reason", reason.to_owned())], as_f64(n)))
                    .to_vec(),
            ),
            counter(
                "hashlane_connections_delayed_total",
                "Connections served later: they came too fast, or the client flooded before.",
                vec![(
                    Vec::new(),
                    as_f64(self.of.observed.acceptor.delayed.load(Relaxed)),
                )],
            ),
            counter(
                "hashlane_addresses_dropped_total",
                "Times that an address was refused too often: its attempts to connect are dropped for a second.",
                vec![(
                    Vec::new(),
                    as_f64(self.of.observed.acceptor.dropped.load(Relaxed)),
                )],
            ),
            counter(
                "hashlane_connections_ended_total",
                "Connections that are over, by why.",
                ends.to_vec(),
            ),
            counter(
                "hashlane_connections_flooding_total",
                "Connections closed because their frames brought nothing, by the kind of most.",
                floods.to_vec(),
            ),
            counter(
                "hashlane_connection_pauses_total",
                "Times that a connection was not read for 50 ms: its DATA frames were small and many.",
                self.per_worker(|counters| as_f64(counters.pauses.get())),
            ),
            counter(
                "hashlane_accept_errors_total",
                "Accepts that failed.",
                vec![(
                    Vec::new(),
                    as_f64(self.of.observed.acceptor.errors.load(Relaxed)),
                )],
            ),
            gauge(
                "hashlane_streams",
                "Open streams.",
                self.per_worker(|counters| as_f64(counters.streams.get())),
            ),
            counter(
                "hashlane_received_bytes_total",
                "Bytes read from sockets, over TLS those of the plaintext, and from shared memory.",
                self.per_worker(|counters| as_f64(counters.received_bytes.get())),
            ),
            counter(
                "hashlane_shared_memory_bytes_total",
                "Bytes read from shared memory.",
                self.per_worker(|counters| as_f64(counters.memory_bytes.get())),
            ),
            counter(
                "hashlane_shared_memory_refusals_total",
                "Requests for shared memory that were refused, by why.",
                memory_refused.to_vec(),
            ),
        ]
    }

    /// Empty without a port that speaks TLS.
    pub(super) fn tls(&self) -> Vec<MetricFamily> {
        let observed = &self.of.observed;
        let expiries: Vec<_> = observed
            .expiries()
            .map(|(port, expires)| {
                let since = expires.duration_since(SystemTime::UNIX_EPOCH);
                let seconds = since.map_or(0.0, |since| since.as_secs_f64());
                (vec![("port", port.to_owned())], seconds)
            })
            .collect();
        if expiries.is_empty() {
            return Vec::new();
        }
        let handshakes = Handshake::ALL.map(|outcome| {
            let count = self.sum(|counters| counters.handshakes[outcome as usize].get());
            (vec![("outcome", outcome.name().to_owned())], count)
        });
        vec![
            counter(
                "hashlane_tls_handshakes_total",
                "TLS handshakes, by how they ended.",
                handshakes.to_vec(),
            ),
            gauge(
                "hashlane_tls_certificate_expiry_timestamp_seconds",
                "When the certificate in force ends, in seconds since 1970.",
                expiries,
            ),
        ]
    }
}
