//! `flood`: only floods, on a running server of this machine.

use std::net::Ipv4Addr;
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::attack::Attack;
use super::catalogue::Flood;
use super::hostile_connection::Counts;
use super::hostile_thread::Hostiles;
use crate::args::FloodArgs;
use crate::results::{Row, say};
use crate::system::files;
use crate::system::runtime::{runtime, unless_interrupted};

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
    let kinds = args.flood.iter().copied().filter(|flood| flood.connects());
    let kinds: Vec<_> = kinds.filter(|flood| flood.fits(args.tls)).collect();
    ensure!(!kinds.is_empty(), "none of --flood is for such a port");
    let at_once = if args.together { kinds.len() } else { 1 };
    files::allow(args.hostile * at_once)?;
    runtime()?.block_on(unless_interrupted(async {
        // The server delays an address after closing its connections, so each kind has its own
        // address.
        let mut addresses = (u32::from(args.hostile_from)..).map(Ipv4Addr::from);
        for floods in kinds.chunks(at_once) {
            let counts = together(args, floods, &mut addresses).await?;
            for (flood, counts) in floods.iter().zip(counts) {
                let (closes, mb) = (counts.closes_text(), counts.bytes as f64 / 1e6);
                say(format_args!(
                    "{flood:<16} {} connections made, {} frames, {mb:.1} MB; closed: {closes}",
                    counts.connections, counts.frames
                ));
                let row = json!({
                    "kind": "flood_alone",
                    "flood": flood,
                    "hostile": args.hostile,
                    "seconds": args.seconds.as_secs_f64(),
                    "connections_made": counts.connections,
                    "frames": counts.frames,
                    "hostile_mb": mb,
                    "calls_ended": counts.calls_ended,
                    "closes": closes,
                });
                Row::of(row).print()?;
            }
        }
        Ok(true)
    }))
}

/// Runs these floods simultaneously, each from a separate address.
async fn together(
    args: &FloodArgs,
    floods: &[Flood],
    addresses: &mut dyn Iterator<Item = Ipv4Addr>,
) -> Result<Vec<Counts>> {
    let deadline = Instant::now() + args.seconds;
    let attacks = floods.iter().zip(addresses).map(|(&flood, from)| {
        let attack = Attack {
            flood,
            hostile: args.hostile,
            from,
        };
        Hostiles::start(attack, args.server, None, deadline)
    });
    let hostiles = attacks.collect::<Result<Vec<_>>>()?;
    tokio::time::sleep(deadline.saturating_duration_since(Instant::now())).await;
    let end = |mut hostiles: Hostiles| {
        let counts = hostiles.counts();
        hostiles.thread.end().map(|()| counts)
    };
    hostiles.into_iter().map(end).collect()
}
