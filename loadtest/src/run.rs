//! `run`: one load against running servers.
//!
//! ```text
//! load      prepare: parts and schedule; do the servers take them?
//!           measure: warm-up, window, parts in flight end
//! window    the measured window, second by second; progress shows it meanwhile
//! figures   what was measured, as a document
//! output    the table at the end, the files, the exit status
//! search    measures at one rate after the other
//! demo      starts a server itself
//! ```

use std::process::ExitCode;

use anyhow::Result;

use crate::args::RunArgs;
use crate::runtime::{Signals, runtime};

mod demo;
mod figures;
mod load;
mod output;
mod progress;
mod search;
mod table;
mod window;

pub use demo::demo;
pub use search::search;

/// Runs the load and prints its report.
///
/// # Errors
/// The load cannot be started, or its report cannot be written.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    output::check_folders(args.json.iter().chain(&args.hgrm).chain(&args.report))?;
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let load = load::Load::prepare(args).await?;
        let measured = load.measure(load.starts(), true, &mut signals).await?;
        output::report(measured, args)
    })
}
