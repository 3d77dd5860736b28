//! Calls and the parts of streams.

use prometheus::proto::MetricFamily;

use super::Scrape;
use crate::metrics::counters::{MethodCounters, Outcome, PartRpc};
use crate::metrics::family::{Labels, counter, histogram, histograms};
use crate::metrics::grpc::{CODE_NAMES, Method};
use crate::status::Reason;

impl Scrape<'_> {
    pub(super) fn parts(&self) -> Vec<MetricFamily> {
        let mut parts = Vec::new();
        for rpc in PartRpc::ALL {
            for outcome in Outcome::ALL {
                let count = self.sum(|c| c.parts[rpc as usize][outcome as usize].get());
                let labels = vec![
                    ("rpc", rpc.name().to_owned()),
                    ("outcome", outcome.name().to_owned()),
                ];
                parts.push((labels, count));
            }
        }
        let errors = Reason::of_parts().map(|reason| {
            let count = self.sum(|counters| counters.part_errors[reason.index()].get());
            (vec![("reason", reason.name().to_owned())], count)
        });
        vec![
            counter("hashlane_parts_total", "Parts that ended.", parts),
            counter(
                "hashlane_part_errors_total",
                "Parts that were answered with an error, by its reason.",
                errors.collect(),
            ),
            histogram(
                "hashlane_part_bytes",
                "Bytes of a part.",
                self.workers,
                |counters| &counters.part_bytes,
            ),
            histogram(
                "hashlane_part_seconds",
                "Time from a part's first message to its answer.",
                self.workers,
                |counters| &counters.part_seconds,
            ),
        ]
    }

    pub(super) fn rpcs(&self) -> Vec<MetricFamily> {
        let mut started = Vec::new();
        let mut received = Vec::new();
        let mut sent = Vec::new();
        let mut handled = Vec::new();
        let labels_of = |method: Method| {
            vec![
                ("grpc_type", method.kind().to_owned()),
                ("grpc_service", method.service().to_owned()),
                ("grpc_method", method.name().to_owned()),
            ]
        };
        for method in Method::ALL {
            let labels = labels_of(method);
            let read = |read: fn(&MethodCounters) -> u64| {
                self.sum(|counters| read(counters.method(method)))
            };
            started.push((labels.clone(), read(|c| c.started.get())));
            received.push((labels.clone(), read(|c| c.received.get())));
            sent.push((labels.clone(), read(|c| c.sent.get())));
            for (code, name) in CODE_NAMES.iter().enumerate() {
                let count = self.sum(|counters| counters.method(method).handled[code].get());
                if count > 0.0 || code == 0 {
                    let mut labels = labels.clone();
                    labels.push(("grpc_code", (*name).to_owned()));
                    handled.push((labels, count));
                }
            }
        }
        let refusals = Reason::all().map(|reason| {
            let count = self.sum(|counters| counters.refusals[reason.index()].get());
            (vec![("reason", reason.name().to_owned())], count)
        });
        let cut = self.sum(|counters| counters.calls_cut.get());
        vec![
            counter(
                "hashlane_refusals_total",
                "Calls that the server ended with an error, by its reason.",
                refusals.collect(),
            ),
            counter(
                "hashlane_calls_cut_total",
                "Calls that were ended because their connection's time was over, or their worker failed.",
                vec![(Labels::new(), cut)],
            ),
            histograms(
                "grpc_server_handling_seconds",
                "From a call's headers to its status.",
                self.workers,
                Method::ALL.map(labels_of),
                |counters, method| &counters.grpc[method].seconds,
            ),
            counter("grpc_server_started_total", "Calls started.", started),
            counter(
                "grpc_server_handled_total",
                "Calls ended, by code.",
                handled,
            ),
            counter(
                "grpc_server_msg_received_total",
                "Messages received.",
                received,
            ),
            counter("grpc_server_msg_sent_total", "Messages sent.", sent),
        ]
    }
}
