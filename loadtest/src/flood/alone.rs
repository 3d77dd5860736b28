//! `flood`: only floods, on a running server of this machine.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Serialize;

use super::rows::closes_text;
use crate::args::FloodArgs;
use crate::files;
use crate::hostile::{Attack, Counts, Flood, Hostiles};
use crate::report::{print_row, say};
use crate::run::Signals;

/// Runs the floods and prints the results.
///
/// # Errors
/// The server is not on this machine, a thread cannot be started, or a signal arrives.
pub fn flood_alone(args: &FloodArgs) -> Result<bool> {
    // Only for testing one's own server.
    ensure!(
        args.server.ip().is_loopback(),
        "--server {} is no address of the loopback",
        args.server
    );
    let kinds = args.flood.iter().copied().filter(Flood::connects);
    let kinds: Vec<_> = kinds.filter(|flood| flood.fits(args.tls)).collect();
    ensure!(!kinds.is_empty(), "none of --flood is for such a port");
    let at_once = if args.together { kinds.len() } else { 1 };
    files::allow(args.hostile * at_once)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(async {
        let mut signals = Signals::listen()?;
        for floods in kinds.chunks(at_once) {
            let counts = tokio::select! {
                counts = together(args, floods) => counts?,
                () = signals.received() => bail!("interrupted"),
            };
            for (flood, counts) in floods.iter().zip(counts) {
                let row = AloneRow::of(flood, args, counts);
                say(&row);
                print_row(&row)?;
            }
        }
        Ok(true)
    })
}

/// Runs these floods simultaneously, each from a separate address.
async fn together(args: &FloodArgs, floods: &[Flood]) -> Result<Vec<Counts>> {
    let deadline = Instant::now() + args.seconds;
    let from = |index: usize| match u8::try_from(index) {
        Ok(index) if args.together => Ipv4Addr::new(127, 0, 1, index),
        _ => args.hostile_from,
    };
    let attacks = floods.iter().enumerate().map(|(index, &flood)| {
        let attack = Attack {
            flood,
            hostile: args.hostile,
            from: from(index + 1),
        };
        Hostiles::start(attack, args.server, None, deadline)
    });
    let hostiles = attacks.collect::<Result<Vec<_>>>()?;
    tokio::time::sleep(deadline.saturating_duration_since(Instant::now())).await;
    let end = |hostiles: Hostiles| {
        let counts = hostiles.counts();
        hostiles.end().map(|()| counts)
    };
    hostiles.into_iter().map(end).collect()
}

/// The result of one flood.
#[derive(Debug, Serialize)]
struct AloneRow {
    kind: &'static str,
    flood: &'static str,
    hostile: usize,
    seconds: f64,
    connections_made: u64,
    frames: u64,
    hostile_mb: f64,
    calls_ended: u64,
    closes: String,
}

impl AloneRow {
    fn of(flood: &Flood, args: &FloodArgs, counts: Counts) -> Self {
        Self {
            kind: "flood_alone",
            flood: flood.name(),
            hostile: args.hostile,
            seconds: Duration::as_secs_f64(&args.seconds),
            connections_made: counts.connections,
            frames: counts.frames,
            hostile_mb: counts.bytes as f64 / 1e6,
            calls_ended: counts.calls_ended,
            closes: closes_text(&counts.closes),
        }
    }
}

impl std::fmt::Display for AloneRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:<16} {} connections made, {} frames, {:.1} MB; closed: {}",
            self.flood, self.connections_made, self.frames, self.hostile_mb, self.closes
        )
    }
}
