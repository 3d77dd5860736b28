//! `soak`: a server under clients that work, cancel, corrupt and vanish at random, and a check for
//! leaks.
//!
//! ```text
//! server    start ------------------------------------------------ gauges are zero? -- stop
//! clients         | session, session, session, ... of each until the time is over | end
//! memory          | sample, sample, ...      first half | last half: its slope       |
//! ```
//!
//! Each client is a task with a separate random generator, so a seed repeats the same sessions. A
//! session is a connection with honest calls (`honest`) or a hostile connection (`hostile`).
//! Clients, sessions, parts and pauses are bounded; every wait has a time limit.
//!
//! soak/world.rs has what clients share, soak/part.rs the parts and their messages, soak/random.rs
//! random numbers, soak/memory.rs the resident memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use rand::rngs::SmallRng;
use rand::{Rng as _, RngCore as _, SeedableRng as _};
use serde::Serialize;
use tokio::task::LocalSet;

use crate::args::SoakArgs;
use crate::child::Server;
use crate::files;
use crate::report::{Efficiency, Table, figure, print_row, say};
use crate::round::server_executable;
use crate::run::Signals;
use crate::scrape::{self, ServerCounters};

mod honest;
mod hostile;
mod memory;
mod part;
mod random;
mod world;

use memory::{Growth, Sample};
use world::{Tally, World};

/// Random bytes from which all parts are cut.
const POOL_BYTES: usize = 4 << 20;

/// Percentage of honest sessions.
const HONEST_PERCENT: u32 = 60;

/// Samples of memory in a run.
const SAMPLES: u32 = 600;

/// Minimum time between two samples.
const SAMPLE_INTERVAL_MIN: Duration = Duration::from_millis(50);

/// Time for clients to end their sessions.
const END_TIMEOUT: Duration = Duration::from_secs(120);

/// Time for the gauges to become zero after all clients have left, and between two checks.
const REST_TIMEOUT: Duration = Duration::from_secs(90);
const REST_POLL: Duration = Duration::from_millis(100);

/// Maximum of sockets per client.
const SOCKETS_PER_CLIENT: usize = 2;

/// Runs the clients and prints the results. True if every answer was right, nothing was lost,
/// memory was flat and nothing leaked.
///
/// # Errors
/// The server cannot be started or ends unexpectedly, or a signal arrives.
pub fn soak(args: &SoakArgs) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let executable: PathBuf = server_executable(args.server_bin.as_deref())?;
    files::allow(args.clients * SOCKETS_PER_CLIENT)?;
    let flags: Vec<_> = args
        .server_set
        .iter()
        .flat_map(|setting| ["--set".to_owned(), setting.to_string()])
        .collect();
    LocalSet::new().block_on(&runtime, async {
        let mut signals = Signals::listen()?;
        let server = Server::start(&executable, &flags, None, None).await?;
        let (tally, samples) = tokio::select! {
            outcome = load(args, &server) => outcome?,
            () = signals.received() => bail!("interrupted"),
        };
        let rest = tokio::select! {
            rest = rest(&server) => rest?,
            () = signals.received() => bail!("interrupted"),
        };
        let row = SoakRow::new(args, tally, &samples, rest, server.peak_bytes()?);
        server.stop()?;
        say(row.table());
        print_row(&row)?;
        Ok(row.is_clean())
    })
}

/// Runs all clients for their time, and samples the server's memory.
async fn load(args: &SoakArgs, server: &Server) -> Result<(Tally, Vec<Sample>)> {
    let begin = Instant::now();
    let world = Rc::new(World {
        server: server.address(),
        url: server.url(),
        pool: pool(args.seed),
        deadline: begin + args.seconds,
        tally: RefCell::default(),
    });
    let clients = LocalSet::new();
    for index in 0..args.clients {
        let rng = SmallRng::seed_from_u64(args.seed.wrapping_add(index as u64 + 1));
        clients.spawn_local(client(Rc::clone(&world), rng));
    }
    let interval = (args.seconds / SAMPLES).max(SAMPLE_INTERVAL_MIN);
    let sampling = async {
        let mut samples = Vec::new();
        while Instant::now() < world.deadline {
            samples.push(Sample {
                seconds: begin.elapsed().as_secs_f64(),
                bytes: server.resident_bytes()?,
            });
            tokio::time::sleep(interval).await;
        }
        anyhow::Ok(samples)
    };
    let all = async { tokio::join!(clients, sampling) };
    let ((), samples) = tokio::time::timeout(args.seconds + END_TIMEOUT, all)
        .await
        .context("clients do not end their sessions")?;
    Ok((world.tally.take(), samples?))
}

fn pool(seed: u64) -> Bytes {
    let mut pool = vec![0; POOL_BYTES];
    SmallRng::seed_from_u64(seed).fill_bytes(&mut pool);
    pool.into()
}

/// The server after all clients have left.
struct Rest {
    /// Metrics that are still not zero after the time limit.
    left: Vec<String>,
    /// Its counters.
    counters: ServerCounters,
}

async fn rest(server: &Server) -> Result<Rest> {
    let deadline = Instant::now() + REST_TIMEOUT;
    loop {
        let (_, text) = scrape::get(&server.admin_address(), "/metrics").await?;
        let left = scrape::left_over(&text)?;
        if left.is_empty() || Instant::now() >= deadline {
            let counters = ServerCounters::parse(&text)?;
            return Ok(Rest { left, counters });
        }
        tokio::time::sleep(REST_POLL).await;
    }
}

/// One client: sessions one after the other.
async fn client(world: Rc<World>, mut rng: SmallRng) {
    while Instant::now() < world.deadline {
        if rng.random_ratio(HONEST_PERCENT, 100) {
            honest::session(&world, &mut rng).await;
        } else {
            hostile::session(&world, &mut rng).await;
        }
    }
}

/// The result.
#[derive(Debug, Serialize)]
struct SoakRow {
    kind: &'static str,
    seconds: f64,
    seed: u64,
    clients: usize,
    counts: BTreeMap<&'static str, u64>,
    /// Answers compared, and the bytes of their parts.
    checked: u64,
    checked_gb: f64,
    faults: u64,
    examples: Vec<String>,
    /// The server's resident memory over the last half.
    #[serde(flatten)]
    growth: Growth,
    growth_max_mib: f64,
    peak_mib: f64,
    /// Step rates relative to full lanes, from the server's start to its end; `None` if there was
    /// no step.
    efficiency: Option<Efficiency>,
    /// Gauges and counters that should be zero but are not.
    left: Vec<String>,
}

impl SoakRow {
    fn new(args: &SoakArgs, tally: Tally, samples: &[Sample], rest: Rest, peak_bytes: u64) -> Self {
        Self {
            kind: "soak",
            seconds: args.seconds.as_secs_f64(),
            seed: args.seed,
            clients: args.clients,
            counts: tally.counts,
            checked: tally.checked,
            checked_gb: tally.checked_bytes as f64 / 1e9,
            faults: tally.faults,
            examples: tally.examples,
            growth: Growth::of_last_half(samples),
            growth_max_mib: memory::mib(args.growth_max as f64),
            peak_mib: memory::mib(peak_bytes as f64),
            efficiency: Efficiency::of(&rest.counters),
            left: rest.left,
        }
    }

    fn is_clean(&self) -> bool {
        self.checked > 0
            && self.faults == 0
            && self.left.is_empty()
            && self.growth.growth_mib <= self.growth_max_mib
    }

    fn table(&self) -> String {
        let mut table = Table::new(&["", ""]);
        let mut line = |name: &str, value: String| table.row(vec![name.to_owned(), value]);
        for (what, count) in &self.counts {
            line(what, count.to_string());
        }
        line(
            "answers compared",
            format!("{}, {} GB", self.checked, figure(Some(self.checked_gb), 3)),
        );
        line("faults", self.faults.to_string());
        line("resident, last half", self.growth.to_string());
        line("peak", format!("{:.1} MiB", self.peak_mib));
        let efficiency = self.efficiency.as_ref();
        line(
            "lane efficiency",
            efficiency.map_or_else(|| "none".to_owned(), Efficiency::text),
        );
        let left = match &self.left[..] {
            [] => "nothing".to_owned(),
            left => left.join(", "),
        };
        line("left at the end", left);
        let examples = self.examples.iter().map(|text| format!("fault: {text}\n"));
        format!(
            "{} clients for {} s, seed {}\n{table}{}",
            self.clients,
            self.seconds,
            self.seed,
            examples.collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    #[test]
    fn efficiency_is_of_all_that_the_server_counted() {
        let line = ["hashlane-loadtest", "soak", "--seconds", "1"];
        let Some(Command::Soak(args)) = Cli::try_parse_from(line).unwrap().command else {
            panic!("no soak")
        };
        let of = |metrics: &str| {
            let rest = Rest {
                left: Vec::new(),
                counters: ServerCounters::parse(metrics).unwrap(),
            };
            let row = SoakRow::new(&args, Tally::default(), &[], rest, 0);
            (serde_json::to_value(&row).unwrap(), row.table())
        };
        let (row, table) = of(
            "hashlane_lane_seconds_total{worker=\"0\",algorithm=\"md5\"} 3\n\
             hashlane_lane_seconds_total{worker=\"1\",algorithm=\"md5\"} 1\n\
             hashlane_lane_best_seconds_total{worker=\"0\",algorithm=\"md5\"} 1\n",
        );
        assert_eq!(row["efficiency"]["ratio"], 0.25);
        assert_eq!(row["efficiency"]["algorithms"]["md5"], 0.25);
        assert!(table.contains("0.250; md5 0.250"), "{table}");
        let (row, table) = of("");
        assert!(row["efficiency"].is_null(), "{row}");
        assert!(table.contains("lane efficiency"), "{table}");
    }

    #[test]
    fn only_a_run_without_faults_is_clean() {
        let row = |change: fn(&mut SoakRow)| {
            let mut row = SoakRow {
                kind: "soak",
                seconds: 1.0,
                seed: 1,
                clients: 1,
                counts: BTreeMap::new(),
                checked: 1,
                checked_gb: 0.0,
                faults: 0,
                examples: Vec::new(),
                growth: Growth::of_last_half(&[]),
                growth_max_mib: 1.0,
                peak_mib: 1.0,
                efficiency: None,
                left: Vec::new(),
            };
            change(&mut row);
            row.is_clean()
        };
        assert!(row(|_| ()));
        assert!(!row(|row| row.checked = 0));
        assert!(!row(|row| row.faults = 1));
        assert!(!row(|row| row.left.push("hashlane_streams 1".to_owned())));
        assert!(!row(|row| row.growth.growth_mib = 1.1));
    }
}
