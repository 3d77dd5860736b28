//! Runs the clients of a soak against a server, and checks what is left at the end.
//!
//! ```text
//! server    start ------------------------------------------------ gauges are zero? -- stop
//! clients         | session, session, session, ... of each until the time is over | end
//! memory          | sample, sample, ...      first half | last half: its slope       |
//! ```
//!
//! Each client is a task with a separate random generator, so a seed repeats the same sessions. A
//! session is a connection with honest calls or a hostile connection.
//! Clients, sessions, parts and pauses are bounded; every wait has a time limit.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;
use serde_json::json;
use tokio::task::LocalSet;

use super::random_parts::pool;
use super::world::{Tally, World};
use super::{honest_sessions, hostile_sessions};
use crate::args::{Setting, SoakArgs};
use crate::results::{GB, Row, list, mib, say};
use crate::round::server_executable;
use crate::servers::counters::ServerCounters;
use crate::servers::lane_occupancy::Efficiency;
use crate::servers::process::Server;
use crate::system::files;
use crate::system::runtime::{runtime, unless_interrupted};

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
    let executable = server_executable(args.server_bin.as_deref())?;
    files::allow(args.clients * SOCKETS_PER_CLIENT)?;
    let flags: Vec<_> = Setting::flags(&args.server_set).collect();
    let work = async {
        let server = Server::start(&executable, &flags, None, None).await?;
        let (tally, samples) = load(args, &server).await?;
        let (left, counters) = rest(&server).await?;
        let outcome = Outcome {
            tally,
            growth: Growth::of_last_half(&samples),
            peak_mib: mib(server.peak_bytes()?),
            left,
            efficiency: Efficiency::of(&counters),
        };
        server.stop()?;
        say(outcome.text(args));
        outcome.row(args).print()?;
        Ok(outcome.is_clean(args))
    };
    LocalSet::new().block_on(&runtime()?, unless_interrupted(work))
}

/// Runs all clients for their time, and samples the server's memory.
async fn load(args: &SoakArgs, server: &Server) -> Result<(Tally, Vec<(f64, u64)>)> {
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
            samples.push((begin.elapsed().as_secs_f64(), server.resident_bytes()?));
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

/// What is left after all clients have left: metrics that are still not zero after the time limit,
/// and the server's counters.
async fn rest(server: &Server) -> Result<(Vec<String>, ServerCounters)> {
    let deadline = Instant::now() + REST_TIMEOUT;
    loop {
        let counters = ServerCounters::scrape(&server.admin_address()).await?;
        let left = counters.left_over()?;
        if left.is_empty() || Instant::now() >= deadline {
            return Ok((left, counters));
        }
        tokio::time::sleep(REST_POLL).await;
    }
}

/// One client: sessions one after the other.
async fn client(world: Rc<World>, mut rng: SmallRng) {
    while Instant::now() < world.deadline {
        if rng.random_ratio(HONEST_PERCENT, 100) {
            honest_sessions::session(&world, &mut rng).await;
        } else {
            hostile_sessions::session(&world, &mut rng).await;
        }
    }
}

/// The result.
#[derive(Debug, Default)]
struct Outcome {
    tally: Tally,
    /// The server's resident memory over the last half.
    growth: Growth,
    peak_mib: f64,
    /// Step rates relative to full lanes, from the server's start to its end; `None` if there was
    /// no step.
    efficiency: Option<Efficiency>,
    /// Gauges and counters that should be zero but are not.
    left: Vec<String>,
}

impl Outcome {
    fn is_clean(&self, args: &SoakArgs) -> bool {
        self.tally.checked > 0
            && self.tally.faults == 0
            && self.left.is_empty()
            && self.growth.growth_mib <= mib(args.growth_max)
    }

    fn row(&self, args: &SoakArgs) -> Row {
        let tally = &self.tally;
        Row::of(self.growth).and(json!({
            "kind": "soak",
            "seconds": args.seconds.as_secs_f64(),
            "seed": args.seed,
            "clients": args.clients,
            "counts": tally.counts,
            "checked": tally.checked,
            "checked_gb": tally.checked_bytes as f64 / GB,
            "faults": tally.faults,
            "examples": tally.examples,
            "growth_max_mib": mib(args.growth_max),
            "peak_mib": self.peak_mib,
            "efficiency": self.efficiency,
            "left": self.left,
        }))
    }

    fn text(&self, args: &SoakArgs) -> String {
        let tally = &self.tally;
        let counts = tally.counts.iter();
        let mut lines: Vec<_> = counts
            .map(|(what, count)| (*what, count.to_string()))
            .collect();
        let checked_gb = tally.checked_bytes as f64 / GB;
        let efficiency = self.efficiency.as_ref().map(Efficiency::to_string);
        let left = match &self.left[..] {
            [] => "nothing".to_owned(),
            left => left.join(", "),
        };
        lines.extend([
            (
                "answers compared",
                format!("{}, {checked_gb:.3} GB", tally.checked),
            ),
            ("faults", tally.faults.to_string()),
            ("resident, last half", self.growth.to_string()),
            ("peak", format!("{:.1} MiB", self.peak_mib)),
            (
                "lane efficiency",
                efficiency.unwrap_or_else(|| "none".to_owned()),
            ),
            ("left at the end", left),
        ]);
        let examples = tally.examples.iter().map(|text| format!("fault: {text}\n"));
        format!(
            "{} clients for {} s, seed {}\n{}{}",
            args.clients,
            args.seconds.as_secs_f64(),
            args.seed,
            list(&lines),
            examples.collect::<String>()
        )
    }
}

/// The second half of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Growth {
    /// Rise of the line through the samples (least squares) from the first to the last.
    growth_mib: f64,
    /// The same per hour.
    growth_mib_per_hour: f64,
    resident_min_mib: f64,
    resident_max_mib: f64,
    samples: usize,
}

impl Growth {
    /// Samples are seconds since the clients started, and resident bytes.
    fn of_last_half(samples: &[(f64, u64)]) -> Self {
        let half = &samples[samples.len() / 2..];
        let (Some(first), Some(last)) = (half.first(), half.last()) else {
            return Self::default();
        };
        let points = || half.iter().map(|(seconds, bytes)| (*seconds, mib(*bytes)));
        let slope = slope(points());
        let resident = || points().map(|(_, mib)| mib);
        Self {
            growth_mib: slope * (last.0 - first.0),
            growth_mib_per_hour: slope * 3600.0,
            resident_min_mib: resident().fold(f64::INFINITY, f64::min),
            resident_max_mib: resident().fold(0.0, f64::max),
            samples: half.len(),
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} to {:.1} MiB in {} samples, grew by {:.2} MiB, {:.2} MiB an hour",
            self.resident_min_mib,
            self.resident_max_mib,
            self.samples,
            self.growth_mib,
            self.growth_mib_per_hour
        )
    }
}

/// The slope of the least-squares line through these points; 0 if there is none.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count() as f64;
    let (x_sum, y_sum) = points
        .clone()
        .fold((0.0, 0.0), |(x_sum, y_sum), (x, y)| (x_sum + x, y_sum + y));
    let (x_mean, y_mean) = (x_sum / count, y_sum / count);
    let (above, below) = points.fold((0.0, 0.0), |(above, below), (x, y)| {
        let x = x - x_mean;
        (above + x * (y - y_mean), below + x * x)
    });
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn args() -> SoakArgs {
        let line = ["hashlane-loadtest", "soak", "--growth-max", "1MiB"];
        match Cli::try_parse_from(line).unwrap().command {
            Some(Command::Soak(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn efficiency_is_of_all_that_the_server_counted() {
        let of = |metrics: &str| {
            let counters = ServerCounters::parse(metrics).unwrap();
            let outcome = Outcome {
                efficiency: Efficiency::of(&counters),
                ..Outcome::default()
            };
            (outcome.row(&args()), outcome.text(&args()))
        };
        let (row, text) = of(
            "hashlane_lane_seconds_total{worker=\"0\",algorithm=\"md5\"} 3\n\
             hashlane_lane_seconds_total{worker=\"1\",algorithm=\"md5\"} 1\n\
             hashlane_lane_best_seconds_total{worker=\"0\",algorithm=\"md5\"} 1\n",
        );
        assert_eq!(row.get("efficiency")["ratio"], 0.25);
        assert_eq!(row.get("efficiency")["algorithms"]["md5"], 0.25);
        assert!(text.contains("0.250; md5 0.250"), "{text}");
        let (row, text) = of("");
        assert!(row.get("efficiency").is_null(), "{row:?}");
        assert!(text.contains("lane efficiency"), "{text}");
    }

    #[test]
    fn only_a_run_without_faults_is_clean() {
        let is_clean = |change: fn(&mut Outcome)| {
            let mut outcome = Outcome::default();
            outcome.tally.checked = 1;
            change(&mut outcome);
            outcome.is_clean(&args())
        };
        assert!(is_clean(|_| ()));
        assert!(!is_clean(|outcome| outcome.tally.checked = 0));
        assert!(!is_clean(|outcome| outcome.tally.faults = 1));
        assert!(!is_clean(|outcome| outcome
            .left
            .push("hashlane_streams 1".to_owned())));
        assert!(!is_clean(|outcome| outcome.growth.growth_mib = 1.1));
    }

    fn growth(mib_of: impl Fn(u32) -> u64) -> Growth {
        let samples: Vec<_> = (0..100)
            .map(|second| (f64::from(second), mib_of(second) << 20))
            .collect();
        Growth::of_last_half(&samples)
    }

    #[test]
    fn only_the_last_half_counts() {
        let grown = growth(|second| u64::from(second.min(50)) + 10);
        assert_eq!((grown.growth_mib, grown.samples), (0.0, 50));
        assert_eq!(
            (grown.resident_min_mib, grown.resident_max_mib),
            (60.0, 60.0)
        );
        let grown = growth(|second| 5 + u64::from(second));
        assert!((grown.growth_mib - 49.0).abs() < 1e-9, "{grown}");
        assert!((grown.growth_mib_per_hour - 3600.0).abs() < 1e-6, "{grown}");
    }

    #[test]
    fn what_comes_and_goes_is_no_growth() {
        let grown = growth(|second| 20 + u64::from(second % 2));
        assert!(grown.growth_mib.abs() < 0.1, "{grown}");
    }

    #[test]
    fn few_samples_have_no_slope() {
        assert_eq!(Growth::of_last_half(&[]), Growth::default());
        let sample = (1.0, 1 << 20);
        assert_eq!(Growth::of_last_half(&[sample]).growth_mib, 0.0);
    }
}
