//! `disturb --flood`: the effect of floods of frames on an honest client.
//!
//! ```text
//! server    fresh -----------------------------------------------------> peak of memory, stop
//! honest            connect, warm-up, window "before" | connect, warm-up, window "during"
//! hostile                                        start, flood ............................ end
//! ```
//!
//! Every kind of flood and every number of hostile connections runs separately in each round; every
//! second round runs in reverse order. The server has its own CPU. The honest client and the
//! hostile thread share another CPU, so the control, a thread that only uses that CPU, shows how
//! much of a loss is not the server's. Their addresses differ, or the server would count them as
//! one client.
//!
//! flood/rows.rs has the rows; flood/alone.rs floods a running server.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::args::DisturbArgs;
use crate::arrangement::keep_apart;
use crate::child::Server;
use crate::driver::{Client, Driver, Peer, Phase, Plan};
use crate::files;
pub use crate::hostile::Flood;
use crate::hostile::{Attack, Hostiles, SPINS};
use crate::report::{Efficiency, GB, Latency, print_row, say};
use crate::round::Stand;
use crate::run::{End, wait};
use crate::scrape::ServerCounters;
use crate::setup::ClientName;

mod alone;
mod rows;

pub use alone::flood_alone;
use rows::{HonestRow, RoundRow, SummaryRow, table};

/// Time for hostile connections to start, and for honest streams to send data.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time in addition to the windows before the hostile thread stops by itself.
const SPARE: Duration = Duration::from_secs(30);

/// Time between two checks.
const POLL: Duration = Duration::from_millis(5);

/// Runs all floods and prints their rows. True if the honest client had no wrong answer.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, or a signal arrives; the hostile thread and the
/// child are stopped first.
pub fn flood(args: &DisturbArgs) -> Result<bool> {
    ensure!(
        args.mode.server_flags().is_some(),
        "floods need a server: the mode {} has none",
        args.mode.name()
    );
    let mut args = args.clone();
    keep_apart(&mut args.rounds, &mut args.load)?;
    let mut floods = vec![SPINS];
    let others = args.flood.iter().copied().filter(|flood| flood.connects());
    floods.extend(others.filter(|flood| flood.fits(args.mode.is_tls())));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let hostile_max = args.hostile.iter().max().copied().unwrap_or(0);
        files::allow(args.load.connections + hostile_max)?;
        let mut stand = Stand::new(&args.rounds, &args.load, ClientName::Prepared)?;
        stand.check_modes(&[args.mode])?;
        let mut rows = Vec::new();
        for round in 1..=args.rounds.rounds {
            let mut turns = turns_of(&args, &floods);
            if round % 2 == 0 {
                turns.reverse();
            }
            for attack in turns {
                let row = turn(&mut stand, &args, attack, round).await?;
                say(&row);
                print_row(&row)?;
                rows.push(row);
            }
        }
        let summaries: Vec<_> = turns_of(&args, &floods)
            .into_iter()
            .filter_map(|attack| SummaryRow::of(&rows, attack, &args, stand.memory_bytes()))
            .collect();
        say(table(&summaries, &args));
        summaries.iter().try_for_each(print_row)?;
        Ok(rows.iter().all(RoundRow::is_clean))
    })
}

/// Everything that runs in each round.
fn turns_of(args: &DisturbArgs, floods: &[Flood]) -> Vec<Attack> {
    let mut turns = Vec::new();
    for &from in &args.hostile_from {
        for &hostile in &args.hostile {
            turns.extend(floods.iter().map(|&flood| Attack {
                flood,
                hostile,
                from,
            }));
        }
    }
    turns
}

/// One flood on one server.
async fn turn(
    stand: &mut Stand<'_>,
    args: &DisturbArgs,
    attack: Attack,
    round: usize,
) -> Result<RoundRow> {
    let server = stand.server(args.mode).await?;
    let before = honest(stand, args, &server).await?;
    let spare = SPARE + args.rounds.round_seconds + args.rounds.warmup_seconds;
    let cpus = args.load.pin_client.as_ref();
    let deadline = Instant::now() + spare;
    let hostiles = Hostiles::start(attack, server.address(), cpus, deadline)?;
    let begin = Instant::now();
    while hostiles.counts().connections < attack.hostile as u64
        && attack.flood.connects()
        && !hostiles.has_ended()
        && begin.elapsed() < BEGIN_TIMEOUT
    {
        pause(stand, POLL).await?;
    }
    let (at, counts_before) = (Instant::now(), hostiles.counts());
    let during = honest(stand, args, &server).await?;
    let counts = hostiles.counts().since(&counts_before);
    let seconds = at.elapsed().as_secs_f64();
    hostiles.end()?;
    let peak_bytes = server.peak_bytes()?;
    if let Err(error) = server.stop() {
        say(format_args!("{error:#}"));
    }
    Ok(RoundRow::new(
        attack, round, before, during, &counts, seconds, peak_bytes,
    ))
}

/// One window of the honest client, with separate connections.
async fn honest(stand: &mut Stand<'_>, args: &DisturbArgs, server: &Server) -> Result<HonestRow> {
    let mut driver = Driver::start(Plan {
        server: server.url(),
        tls: stand.tls(args.mode).cloned(),
        payload: stand.payload(&args.load)?,
        load: args.load.clone(),
        client: Client::Prepared(Peer::Service),
        count: None,
        check: args.mode.hashes(),
    })?;
    driver.enter(Phase::Warmup);
    let begin = Instant::now();
    // Streams that cannot send now are part of the measurement.
    while driver.sending() < args.load.streams && begin.elapsed() < BEGIN_TIMEOUT {
        if go_on(wait(&mut driver, POLL, &mut stand.signals).await)? == End::Done {
            break;
        }
    }
    go_on(wait(&mut driver, args.rounds.warmup_seconds, &mut stand.signals).await)?;
    // The scrapes are outside the window, because they cost the server CPU time.
    let counters_before = ServerCounters::scrape(&server.admin_address()).await?;
    let (at, bytes) = (Instant::now(), driver.sent_bytes());
    let cpu_before = server.cpu_time()?;
    driver.enter(Phase::Measure);
    go_on(wait(&mut driver, args.rounds.round_seconds, &mut stand.signals).await)?;
    let seconds = at.elapsed().as_secs_f64();
    let gb = (driver.sent_bytes() - bytes) as f64 / GB;
    let cpu_seconds = server.cpu_time()?.seconds_since(&cpu_before);
    let counters = ServerCounters::scrape(&server.admin_address()).await?;
    let efficiency = Efficiency::of(&counters.since(&counters_before));
    let tally = driver.join()?;
    for (text, count) in &tally.examples {
        say(format_args!("{count} times: {text}"));
    }
    Ok(HonestRow {
        mb_per_s: gb * 1000.0 / seconds,
        parts: tally.measured,
        latency: Latency::of(&tally.latencies_ns),
        server_busy_cpus: cpu_seconds / seconds,
        efficiency_ratio: efficiency.map(|efficiency| efficiency.ratio),
        errors: tally.errors,
        mismatches: tally.mismatches,
    })
}

fn go_on(end: End) -> Result<End> {
    ensure!(end != End::Signal, "interrupted");
    Ok(end)
}

async fn pause(stand: &mut Stand<'_>, duration: Duration) -> Result<()> {
    tokio::select! {
        () = tokio::time::sleep(duration) => Ok(()),
        () = stand.signals.received() => bail!("interrupted"),
    }
}
