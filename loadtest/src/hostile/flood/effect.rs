//! `disturb --flood`: the effect of floods of frames on an honest client.
//!
//! ```text
//! server    fresh -----------------------------------------------------> peak of memory, stop
//! honest            connect, warm-up, window "before" | connect, warm-up, window "during"
//! hostile                                        start, flood ............................ end
//! ```
//!
//! Every kind of flood and every number of hostile connections runs separately in each round. The
//! server has its own CPU. The honest client and the hostile thread share another CPU, so the
//! control, a thread that only uses that CPU, shows how much of a loss is not the server's. Their
//! addresses differ, or the server would count them as one client.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::attack::Attack;
use super::catalogue::Flood;
use super::flood_results::{Turn, summary};
use super::hostile_thread::Hostiles;
use crate::args::{ClientName, DisturbArgs};
use crate::results::say;
use crate::round::core_assignment::keep_apart;
use crate::round::{Stand, rounds};
use crate::system::files;
use crate::system::runtime::{runtime, unless_interrupted};

/// Time for hostile connections to start.
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
pub(crate) fn flood(args: &DisturbArgs) -> Result<bool> {
    ensure!(
        args.mode.has_server,
        "floods need a server: the mode {} has none",
        args.mode.name
    );
    let mut args = args.clone();
    keep_apart(&mut args.rounds, &mut args.load)?;
    runtime()?.block_on(unless_interrupted(measure(&args)))
}

async fn measure(args: &DisturbArgs) -> Result<bool> {
    let mut floods = vec![Flood::Spins];
    let others = args.flood.iter().copied().filter(|flood| flood.connects());
    floods.extend(others.filter(|flood| flood.fits(args.mode.is_tls)));
    let mut attacks = Vec::new();
    for &from in &args.hostile_from {
        for &hostile in &args.hostile {
            attacks.extend(floods.iter().map(|&flood| Attack {
                flood,
                hostile,
                from,
            }));
        }
    }
    let hostile_max = args.hostile.iter().max().copied().unwrap_or(0);
    files::allow(args.load.connections + hostile_max)?;
    let mut stand = Stand::new(&args.rounds, &args.load, ClientName::Prepared)?;
    stand.is_patient = true;
    stand.check_modes(&[args.mode])?;
    let mut turns = Vec::new();
    for (round, attack) in rounds(args.rounds.rounds, &attacks) {
        let turn = flooded(&mut stand, args, attack).await?;
        say(format_args!("round {round}, {turn}"));
        turn.row(round).print()?;
        turns.push(turn);
    }
    let context = stand.context(&args.load, args.mode);
    let (rows, table) = summary(&turns, &attacks, &context, stand.memory_bytes());
    say(format_args!(
        "honest: {}; the hostile thread on the client's; medians of {} rounds\n{table}",
        stand.heading(&args.load),
        args.rounds.rounds
    ));
    for row in rows {
        row.print()?;
    }
    Ok(turns.iter().all(Turn::is_clean))
}

/// One flood on one server.
async fn flooded(stand: &mut Stand, args: &DisturbArgs, attack: Attack) -> Result<Turn> {
    let (load, mode) = (&args.load, args.mode);
    let server = stand.server(mode).await?;
    let before = stand.window(load, mode, &server, None).await?;
    let spare = SPARE + args.rounds.round_seconds + args.rounds.warmup_seconds;
    let cpus = args.load.pin_client.as_ref();
    let mut hostiles = Hostiles::start(attack, server.address(), cpus, Instant::now() + spare)?;
    let begin = Instant::now();
    while hostiles.counts().connections < attack.hostile as u64
        && attack.flood.connects()
        && !hostiles.thread.has_ended()
        && begin.elapsed() < BEGIN_TIMEOUT
    {
        tokio::time::sleep(POLL).await;
    }
    let (at, counts_before) = (Instant::now(), hostiles.counts());
    let during = stand.window(load, mode, &server, None).await?;
    let counts = hostiles.counts().since(&counts_before);
    let seconds = at.elapsed().as_secs_f64();
    hostiles.thread.end()?;
    let peak_bytes = server.peak_bytes()?;
    server.stop_or_say();
    before.tally.say_examples();
    during.tally.say_examples();
    Ok(Turn {
        attack,
        before,
        during,
        counts,
        seconds,
        peak_bytes,
    })
}
