//! `hashlane bench`: what a gigabyte costs by each way to hash it, on this machine.
//!
//! ```text
//! one stream     a hasher for each algorithm, in this process
//! embedded:      lanes in this process
//! a server       gRPC; shared memory on a Unix socket; PUT without TLS
//! ```
//!
//! The cost is CPU time, of this process and of the server: a wall clock would tell how busy the
//! machine is. A server's time comes from its admin port.

mod put;

use std::fmt::Write as _;

use bytes::Bytes;
use hashlane_client::{Algorithm, Client};
use hashlane_engine::Hasher;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tokio::task::JoinSet;

use crate::algorithms::of_engine;
use crate::args::Bench;
use crate::output::Output;
use crate::remote;
use crate::tasks::Stop;

/// The algorithms of each column.
const COLUMNS: [&[Algorithm]; 3] = [
    &[Algorithm::Sha256],
    &[Algorithm::Md5],
    &[Algorithm::Sha256, Algorithm::Md5],
];

/// The endpoint of lanes in this process.
const EMBEDDED: &str = "embedded:";

/// A way to hash, with its client.
enum Way {
    OneStream,
    Client(Client),
    /// PUT to this host and port.
    Put(String),
}

/// A row of the table.
struct Row {
    name: String,
    way: Way,
    has_server: bool,
}

/// CPU seconds per GB of this process and of the server.
#[derive(Clone, Copy)]
struct Cost {
    client: f64,
    server: Option<f64>,
}

impl Cost {
    fn total(self) -> f64 {
        self.client + self.server.unwrap_or(0.0)
    }
}

/// Prints the table.
pub(crate) fn run(arguments: &Bench, output: &mut Output) -> Result<bool, Stop> {
    let runtime = remote::runtime()?;
    let rows = runtime.block_on(rows(arguments))?;
    let part = Bytes::from(pattern(arguments.part_size_bytes()));
    if !arguments.json {
        output.write(heading(arguments).as_bytes())?;
    }
    let mut one_stream = None;
    for row in &rows {
        let mut costs = Vec::new();
        for algorithms in COLUMNS {
            let measured = runtime.block_on(measure(arguments, row, algorithms, &part));
            costs.push(measured.map_err(|error| Stop::Trouble(format!("{}: {error}", row.name)))?);
        }
        let base = one_stream.get_or_insert_with(|| costs.clone());
        let line = if arguments.json {
            json_line(row, &costs)
        } else {
            line(&row.name, &costs, base)
        };
        output.write(line.as_bytes())?;
        output.flush()?;
    }
    Ok(true)
}

/// Roots are for https alone. Without such a URL each takes them, and the client's error says why
/// they are of no use.
fn takes_roots(url: &str, urls: &[String]) -> bool {
    let is_https = |url: &str| url.starts_with("https:");
    is_https(url) || !urls.iter().any(|url| is_https(url))
}

/// Connects to everything that is measured.
async fn rows(arguments: &Bench) -> Result<Vec<Row>, Stop> {
    let mut rows = vec![Row {
        name: "one stream".to_owned(),
        way: Way::OneStream,
        has_server: false,
    }];
    let own = (!arguments.urls.iter().any(|url| url == EMBEDDED)).then(|| EMBEDDED.to_owned());
    for url in own.iter().chain(&arguments.urls) {
        let connect = async |memory: Option<usize>| {
            let mut builder = Client::builder().connections(arguments.connections);
            if let Some(ca) = &arguments.ca
                && takes_roots(url, &arguments.urls)
            {
                let read = std::fs::read(ca);
                let failed = |error| Stop::Trouble(format!("{}: {error}", ca.display()));
                builder = builder.ca(read.map_err(failed)?);
            }
            if let Some(bytes) = memory {
                builder = builder.shared_memory_bytes(bytes);
            }
            let failed = |error| Stop::Trouble(format!("{url}: {error}"));
            builder.connect(url).await.map(Way::Client).map_err(failed)
        };
        let has_server = url != EMBEDDED;
        let mut row = |name: String, way| {
            rows.push(Row {
                name,
                way,
                has_server,
            });
        };
        if url.starts_with("unix:") {
            row(format!("{url} (memory)"), connect(None).await?);
            row(format!("{url} (gRPC)"), connect(Some(0)).await?);
        } else if has_server {
            row(format!("{url} (gRPC)"), connect(None).await?);
        } else {
            row(url.clone(), connect(None).await?);
        }
        if let Some(address) = put::address(url) {
            row(format!("{url} (PUT)"), Way::Put(address));
        }
    }
    Ok(rows)
}

/// Hashes `arguments.bytes` in parts, many at a time.
async fn measure(
    arguments: &Bench,
    row: &Row,
    algorithms: &'static [Algorithm],
    part: &Bytes,
) -> Result<Cost, String> {
    let rounds = arguments.rounds();
    // Connections, buffers and windows are there before the time counts.
    hash(row, arguments.streams, 1, algorithms, part).await?;
    let server = async || match row.has_server {
        true => put::cpu_seconds(&arguments.admin).await.map(Some),
        false => Ok(None),
    };
    let (client_before, server_before) = (cpu_seconds(), server().await?);
    hash(row, arguments.streams, rounds, algorithms, part).await?;
    let (client_after, server_after) = (cpu_seconds(), server().await?);
    let parts = match row.way {
        Way::OneStream => rounds,
        _ => rounds * arguments.streams,
    };
    // A table of costs needs no more digits than these have.
    #[allow(clippy::cast_precision_loss, reason = "fewer than 2^52 bytes")]
    let gigabytes = (parts * part.len()) as f64 / 1e9;
    let server = server_before.zip(server_after);
    Ok(Cost {
        client: (client_after - client_before) / gigabytes,
        server: server.map(|(before, after)| (after - before) / gigabytes),
    })
}

/// Hashes `rounds` parts on each of `streams` streams at a time.
async fn hash(
    row: &Row,
    streams: usize,
    rounds: usize,
    algorithms: &'static [Algorithm],
    part: &Bytes,
) -> Result<(), String> {
    let mut tasks = JoinSet::new();
    match &row.way {
        Way::OneStream => {
            for _ in 0..rounds {
                for algorithm in algorithms.iter().filter_map(|a| of_engine(*a)) {
                    let mut hasher = Hasher::new(algorithm);
                    hasher.update(part);
                    std::hint::black_box(hasher.finalize());
                }
            }
        }
        Way::Client(client) => {
            for _ in 0..streams {
                let (client, part) = (client.clone(), part.clone());
                tasks.spawn(async move {
                    for _ in 0..rounds {
                        let digests = client.digest(part.clone(), algorithms);
                        digests.await.map_err(|error| error.to_string())?;
                    }
                    Ok(())
                });
            }
        }
        Way::Put(address) => {
            for _ in 0..streams {
                let (address, part) = (address.clone(), part.clone());
                tasks.spawn(async move { put::put(&address, algorithms, &part, rounds).await });
            }
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|error| error.to_string())??;
    }
    Ok(())
}

/// CPU time of this process, all threads.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    #[allow(clippy::cast_precision_loss, reason = "fewer than 2^52 seconds")]
    let seconds = time.tv_sec as f64;
    #[allow(clippy::cast_precision_loss, reason = "less than 10^9")]
    let nanoseconds = time.tv_nsec as f64;
    seconds + nanoseconds / 1e9
}

/// Bytes without a short period.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..=250).cycle().take(bytes).collect()
}

fn heading(arguments: &Bench) -> String {
    let mut text = format!(
        "CPU seconds per GB, client + server; in parentheses the ratio to one stream.\n\
         {} streams, parts of {} bytes, on a {}.\n\n{:<44}",
        arguments.streams,
        arguments.part_size,
        model(),
        ""
    );
    for algorithms in COLUMNS {
        let names: Vec<_> = algorithms.iter().map(|a| a.name()).collect();
        let _ = write!(text, "{:>24}", names.join(" + "));
    }
    text.push('\n');
    text
}

/// The CPU, as the kernel names it.
fn model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(": "))
            .map(|(_, value)| value.to_owned())
    };
    let name = field("model name").unwrap_or_else(|| "CPU without a name".to_owned());
    match field("cpu family").zip(field("model\t")) {
        Some((family, model)) => format!("{name} (family {family} model {model})"),
        None => name,
    }
}

fn line(name: &str, costs: &[Cost], base: &[Cost]) -> String {
    let mut text = format!("{name:<44}");
    for (cost, base) in costs.iter().zip(base) {
        let both = match cost.server {
            Some(server) => format!("{:.3} + {server:.3}", cost.client),
            None => format!("{:.3}", cost.client),
        };
        let ratio = cost.total() / base.total();
        let _ = write!(text, "{:>24}", format!("{both} ({ratio:.2})"));
    }
    text.push('\n');
    text
}

fn json_line(row: &Row, costs: &[Cost]) -> String {
    let costs = COLUMNS.iter().zip(costs).map(|(algorithms, cost)| {
        let names: Vec<_> = algorithms.iter().map(|a| a.name()).collect();
        json!({
            "algorithms": names,
            "client_cpu_seconds_per_gb": cost.client,
            "server_cpu_seconds_per_gb": cost.server,
        })
    });
    let costs: Vec<_> = costs.collect();
    format!("{}\n", json!({ "way": row.name, "costs": costs }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_for_servers_with_tls_if_there_is_one() {
        let urls = ["http://a:1", "https://b:2", "unix:/c"].map(str::to_owned);
        assert!(takes_roots("https://b:2", &urls));
        for url in ["http://a:1", "unix:/c", EMBEDDED] {
            assert!(!takes_roots(url, &urls), "{url}");
            assert!(takes_roots(url, &urls[..1]), "{url}");
        }
    }
}
