//! Where the model stops being true. Each condition is a line for people.

use serde_json::Value;

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
    let busy = |spent: Spent| outcome.busy(spent);
    let (client, worker) = (busy(outcome.client), busy(outcome.worker));
    let (is_open, missed, unfinished) = (
        load.rate.is_some(),
        outcome.all.missed,
        outcome.all.unfinished,
    );
    let load = &load.load;
    let all = [
        (
            client >= BUSY_SHARE,
            format!(
                "the client is the bottleneck ({client:.2} busy): its own queues make the latencies"
            ),
        ),
        (
            is_open && worker >= BUSY_SHARE,
            format!(
                "the worker is {worker:.2} busy in an open loop: queues grow with the duration"
            ),
        ),
        (
            missed > 0 || unfinished > 0,
            format!(
                "the worker does not keep up: {missed} starts missed, {unfinished} parts unfinished"
            ),
        ),
        (
            load.part_size.mean_bytes() < PART_BYTES_MIN,
            "parts are shorter than 4 KiB: what a call costs varies with their number".into(),
        ),
        (
            load.streams > STREAMS_MAX * load.used_connections(),
            "more than 1,024 streams on a connection: the server would refuse some".into(),
        ),
        (
            load.chunk_size > WINDOW_BYTES,
            "a message is longer than the connection's window".into(),
        ),
    ];
    those_that_hold(all)
}

fn those_that_hold<const N: usize>(all: [(bool, String); N]) -> Vec<String> {
    let holding = all.into_iter().filter(|(holds, _)| *holds);
    holding.map(|(_, why)| why).collect()
}

/// Why the run of a document is not what the model describes.
pub(super) fn of_document(document: &RunDocument) -> Vec<String> {
    let (settings, client) = (&document.settings, &document.client);
    let server = document.server.as_ref();
    let workers = server.and_then(|server| server.workers).unwrap_or(1);
    let delays = server.and_then(|server| server.run_delay_seconds);
    let delays = delays.unwrap_or(0.0) + client.run_delay_seconds;
    let delayed = delays / document.seconds.max(f64::MIN_POSITIVE);
    let servers = settings.get("server").map(ToString::to_string);
    let congestion = settings.get("tcp_congestion").and_then(Value::as_str);
    let errors = document.totals.errors;
    those_that_hold([
        (
            servers.is_some_and(|servers| servers.contains("https")),
            "the run used TLS".into(),
        ),
        (
            congestion.is_none(),
            "the run named no --tcp-congestion: if the system's is bbr, it paces the client".into(),
        ),
        (
            client.threads > 1,
            format!("the client had {} threads", client.threads),
        ),
        (errors > 0, format!("the run had {errors} errors")),
        (
            server.is_none(),
            "the run did not read the server's metrics".into(),
        ),
        (workers != 1, format!("the server had {workers} workers")),
        (
            delayed > DELAY_SHARE,
            format!(
                "its threads waited for a CPU for {:.0}% of the time: the machine was not quiet",
                delayed * 100.0
            ),
        ),
    ])
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
