//! Measures every cell of the matrix on hashlane and on a plain server.
//!
//! ```text
//! cell   algorithm x RPCs x bytes of a part x streams
//!   both servers start; rounds: a window on one, a window on the other; every second round in
//!   reverse order; both end
//! ```
//!
//! The plain server ([`crate::servers::plain_server`]) has the same CPUs, and as many threads as
//! hashlane has workers. While one server is measured, the other has no client and sleeps.

use anyhow::Result;
use serde_json::json;

use super::cell_rows::{CellResult, SERVERS, heading, summary};
use crate::args::{Cell, MatrixArgs};
use crate::driver::Target;
use crate::results::{Row, say};
use crate::round::core_assignment::keep_apart;
use crate::round::{Stand, rounds};
use crate::servers::compared_modes::{LANES, Mode};
use crate::servers::limits::{check_limits, server_limits};
use crate::system::cpu_model::CpuModel;
use crate::system::runtime::{runtime, unless_interrupted};

/// Measures all cells and prints their rows. True if every answer was right.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, or a signal arrives; the children are stopped
/// first.
pub fn matrix(args: &MatrixArgs) -> Result<bool> {
    runtime()?.block_on(measure(args))
}

async fn measure(args: &MatrixArgs) -> Result<bool> {
    let mut args = args.clone();
    let cells = args.cells();
    let mut load = args.load(&cells[0]);
    keep_apart(&mut args.rounds, &mut load)?;
    args.pin_client = load.pin_client.clone();
    let modes = [LANES, Mode::plain(args.rounds.server_workers)?];
    let mut stand = Stand::new(&args.rounds, &load, args.client)?;
    let cpu = CpuModel::read();
    let (common, heading) = heading(
        &args,
        &cpu,
        &stand.context(&load, LANES),
        &stand.setup(&load),
    );
    say(&heading);
    let mut results = Vec::new();
    let mut clean = true;
    let report = |results: &[CellResult]| -> Result<()> {
        if results.is_empty() {
            return Ok(());
        }
        let (row, text) = summary(results, &common);
        say(format_args!("{heading}\n\n{text}"));
        row.print()
    };
    for (index, &cell) in cells.iter().enumerate() {
        let measured = measure_cell(&args, &mut stand, modes, cell, &cpu);
        let (result, is_clean) = match unless_interrupted(measured).await {
            Ok(measured) => measured,
            Err(error) => {
                // Earlier cells took minutes, so print them.
                report(&results)?;
                return Err(error);
            }
        };
        clean &= is_clean;
        say(format_args!("{} of {}: {result}", index + 1, cells.len()));
        result.row(&common).print()?;
        results.push(result);
    }
    report(&results)?;
    Ok(clean)
}

/// Measures one cell on fresh servers. Returns whether every answer was right.
async fn measure_cell(
    args: &MatrixArgs,
    stand: &mut Stand,
    modes: [Mode; 2],
    cell: Cell,
    cpu: &CpuModel,
) -> Result<(CellResult, bool)> {
    let load = args.load(&cell);
    let mut clean = true;
    let mut sides = [Vec::new(), Vec::new()];
    let servers = [stand.server(modes[0]).await?, stand.server(modes[1]).await?];
    for server in &servers {
        check_limits(
            &load,
            &server_limits(&Target::one(server.url(), None)).await?,
        )?;
    }
    for (round, side) in rounds(args.rounds.rounds, &[0, 1]) {
        let (mode, server) = (modes[side], &servers[side]);
        let window = stand.window(&load, mode, server, None).await?;
        clean &= window.is_clean();
        let row = json!({
            "kind": "matrix_round",
            "server": SERVERS[side],
            "round": round,
            "cpu": cpu,
            "calls": cell.calls,
            "part_bytes": cell.part_bytes,
        });
        Row::of(row).and(window.row()).print()?;
        sides[side].push(window);
    }
    for server in servers {
        server.stop_or_say();
    }
    Ok((CellResult::of(cell, load.connections, &sides), clean))
}
