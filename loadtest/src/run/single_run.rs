//! `run`: prepares one load, measures it, reports.

use std::process::ExitCode;

use anyhow::Result;

use super::end_of_run;
use super::measured_load;
use crate::args::RunArgs;
use crate::system::runtime::{Signals, runtime};

/// Runs the load and prints its report.
///
/// # Errors
/// The load cannot be started, or its report cannot be written.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    end_of_run::check_folders(args.json.iter().chain(&args.hgrm).chain(&args.report))?;
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let load = measured_load::Load::prepare(args).await?;
        let measured = load.measure(load.starts(), true, &mut signals).await?;
        end_of_run::report(measured, args)
    })
}
