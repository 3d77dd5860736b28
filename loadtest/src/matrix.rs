//! `matrix`: the cost of a byte for hashlane and for a plain server, over many shapes of load.
//!
//! ```text
//! cell   algorithm x RPCs x bytes of a part x streams
//!   both servers start; rounds: a window on one, a window on the other; every second round in
//!   reverse order; both end
//! ```
//!
//! The plain server ([`crate::plain`]) has the same CPUs, and as many threads as hashlane has
//! workers. While one server is measured, the other has no client and sleeps.
//!
//! matrix/rows.rs has the rows and their summary.

mod rows;

use anyhow::{Context as _, Result};

use crate::args::{Cell, MatrixArgs};
use crate::arrangement::keep_apart;
use crate::mode::{LANES, Mode, plain};
use crate::report::{print_row, say};
use crate::round::Stand;
use crate::run::{check_limits, server_limits};
use rows::{CellRow, Heading, MatrixRow, RoundRow, Side, tables};

/// Measures all cells and prints their rows. True if every answer was right.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, or a signal arrives; the children are stopped
/// first.
pub fn matrix(args: &MatrixArgs) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(measure(args))
}

async fn measure(args: &MatrixArgs) -> Result<bool> {
    let mut args = args.clone();
    args.pin()?;
    let args = &args;
    let modes = [LANES, plain(args.rounds.server_workers)?];
    let cells = args.cells();
    let heading = Heading::of(args);
    say(&heading);
    let mut rows = Vec::new();
    let mut clean = true;
    let mut stand: Option<(Cell, Stand<'_>)> = None;
    for (index, &cell) in cells.iter().enumerate() {
        // Cells that differ only in their streams send the same parts.
        let group = Cell { streams: 0, ..cell };
        let stand = match &mut stand {
            Some((of, stand)) if *of == group => stand,
            other => {
                let fresh = Stand::new(&args.rounds, &args.load(&cell), args.client)?;
                &mut other.insert((group, fresh)).1
            }
        };
        let (row, is_clean) = match measure_cell(args, stand, modes, cell, &heading).await {
            Ok(measured) => measured,
            Err(error) => {
                // Earlier cells took minutes, so print them.
                report(&rows, heading)?;
                return Err(error);
            }
        };
        clean &= is_clean;
        say(format_args!("{} of {}: {row}", index + 1, cells.len()));
        print_row(&row)?;
        rows.push(row);
    }
    report(&rows, heading)?;
    Ok(clean)
}

/// Prints the summary of the cells so far.
fn report(rows: &[CellRow], heading: Heading) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let summary = MatrixRow::of(rows, heading);
    say(tables(rows, &summary));
    print_row(&summary)
}

/// Measures one cell on fresh servers. Returns whether every answer was right.
async fn measure_cell(
    args: &MatrixArgs,
    stand: &mut Stand<'_>,
    modes: [Mode; 2],
    cell: Cell,
    heading: &Heading,
) -> Result<(CellRow, bool)> {
    let load = args.load(&cell);
    let mut clean = true;
    let mut sides = [Side::default(), Side::default()];
    let servers = [stand.server(modes[0]).await?, stand.server(modes[1]).await?];
    for server in &servers {
        let limits = server_limits(&server.url(), None).await?;
        check_limits(&load, &limits.unwrap_or_default())?;
    }
    for round in 1..=args.rounds.rounds {
        let order = if round % 2 == 0 { [1, 0] } else { [0, 1] };
        for side in order {
            let (mode, server) = (modes[side], &servers[side]);
            let outcome = stand.window(&load, mode, server, None).await?;
            clean &= outcome.is_clean();
            print_row(&RoundRow::of(cell, mode, round, heading, &outcome.window))?;
            sides[side].add(&outcome.window);
        }
    }
    for server in servers {
        if let Err(error) = server.stop() {
            say(format_args!("{error:#}"));
        }
    }
    Ok((CellRow::of(cell, load.connections, heading, sides), clean))
}

impl MatrixArgs {
    /// Assigns separate CPUs to server and client.
    fn pin(&mut self) -> Result<()> {
        let cell = self.cells()[0];
        let mut load = self.load(&cell);
        keep_apart(&mut self.rounds, &mut load)?;
        self.pin_client = load.pin_client;
        Ok(())
    }

    /// All cells. Cells that send the same parts are adjacent.
    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for &algorithm in &self.algorithms {
            for &calls in &self.calls {
                for &part_bytes in &self.part_bytes {
                    cells.extend(self.streams.iter().map(|&streams| Cell {
                        algorithm,
                        calls,
                        part_bytes,
                        streams,
                    }));
                }
            }
        }
        cells
    }
}
