//! Where the model stops being true. Each condition is a line for people.

use super::simulated_load::Load;
use super::simulation::Outcome;
use super::time::Spent;
use super::wire::WINDOW_BYTES;
use crate::results::document::RunDocument;

/// From this share of its time on, a thread is the bottleneck.
const BUSY_SHARE: f64 = 0.9;

/// Time without a CPU, as a share of the measured time.
const DELAY_SHARE: f64 = 0.05;

/// Parts of this size are mostly calls, whose costs vary more than those of bytes.
const PART_BYTES_MIN: f64 = 4096.0;

/// Streams of one connection: the server's `http2.streams_max`.
const STREAMS_MAX: usize = 1024;

/// Why a prediction may not hold.
pub(super) fn of_outcome(load: &Load, outcome: &Outcome) -> Vec<String> {
    let mut why = Vec::new();
    let busy = |spent: Spent| outcome.busy(spent);
    let (client, worker) = (busy(outcome.client), busy(outcome.worker));
    if client >= BUSY_SHARE {
        why.push(format!(
            "the client is the bottleneck ({client:.2} busy): its own queues make the latencies"
        ));
    }
    if load.rate.is_some() && worker >= BUSY_SHARE {
        why.push(format!(
            "the worker is {worker:.2} busy in an open loop: queues grow with the duration"
        ));
    }
    if outcome.all.missed > 0 || outcome.all.unfinished > 0 {
        why.push(format!(
            "the worker does not keep up: {} starts missed, {} parts unfinished",
            outcome.all.missed, outcome.all.unfinished
        ));
    }
    if load.load.part_size.mean_bytes() < PART_BYTES_MIN {
        why.push("parts are shorter than 4 KiB: what a call costs varies with their number".into());
    }
    if load.rate.is_none() && load.load.streams > STREAMS_MAX * load.load.used_connections() {
        why.push("more than 1,024 streams on a connection: the server would refuse some".into());
    }
    if load.load.chunk_size > WINDOW_BYTES {
        why.push("a message is longer than the connection's window".into());
    }
    why
}

/// Why the run of a document is not what the model describes.
pub(super) fn of_document(document: &RunDocument) -> Vec<String> {
    let mut why = Vec::new();
    let settings = &document.settings;
    let texts = |name: &str| {
        settings
            .get(name)
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    if texts("server").contains("https") {
        why.push("the run used TLS".into());
    }
    if settings
        .get("tcp_congestion")
        .is_none_or(|name| !name.is_string())
    {
        why.push(
            "the run named no --tcp-congestion: if the system's is bbr, it paces the client".into(),
        );
    }
    if document.client.threads > 1 {
        why.push(format!(
            "the client had {} threads",
            document.client.threads
        ));
    }
    if document.totals.errors > 0 {
        why.push(format!("the run had {} errors", document.totals.errors));
    }
    let Some(server) = &document.server else {
        why.push("the run did not read the server's metrics".into());
        return why;
    };
    if let Some(workers) = server.workers.filter(|workers| *workers != 1) {
        why.push(format!("the server had {workers} workers"));
    }
    let delays = server.run_delay_seconds.unwrap_or(0.0) + document.client.run_delay_seconds;
    let share = delays / document.seconds.max(f64::MIN_POSITIVE);
    if share > DELAY_SHARE {
        why.push(format!(
            "its threads waited for a CPU for {:.0}% of the time: the machine was not quiet",
            share * 100.0
        ));
    }
    why
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::costs::Costs;
    use crate::model::tests::loads::{COSTS, document, load, plain, run};

    #[test]
    fn it_says_where_it_does_not_hold() {
        let slow = Costs {
            client_byte_ns: 5.0,
            ..COSTS
        };
        let why = |flags: &str, costs: &Costs| {
            let outcome = run(flags, costs, &plain());
            of_outcome(&load(flags), &outcome).join("\n")
        };
        let flags = "--streams 4 --sizes 64KiB --duration 100ms";
        assert_eq!(why(flags, &COSTS), "");
        assert!(why(flags, &slow).contains("the client is the bottleneck"));
        let flood = "--rate 20000/s --sizes 64KiB --duration 100ms";
        assert!(why(flood, &COSTS).contains("queues grow"));
        assert!(why("--streams 1 --sizes 1KiB --duration 50ms", &COSTS).contains("4 KiB"));

        assert!(of_document(&document(None)).is_empty());
        let mut other = document(None);
        other.seconds = 1.0;
        other
            .settings
            .insert("server".into(), json!(["https://x:1"]));
        other.client.run_delay_seconds = 0.2;
        other.server.as_mut().unwrap().workers = Some(2);
        let why = of_document(&other).join("\n");
        for told in ["TLS", "2 workers", "20% of the time"] {
            assert!(why.contains(told), "{why}");
        }
    }
}
