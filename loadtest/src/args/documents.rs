//! The flags of `report` and `merge`, which read documents of runs.

use std::path::PathBuf;

use clap::Args;

use crate::results::threshold::Condition;

/// The flags of `report`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example:\n  hashlane-loadtest report before.json after.json --output report.html"
)]
pub struct ReportArgs {
    /// Documents of runs, as `run --json FILE` writes them; ratios are to the first
    #[arg(value_name = "FILE", required = true)]
    pub documents: Vec<PathBuf>,

    /// The page to write
    #[arg(long, value_name = "FILE.html", default_value = "report.html")]
    pub output: PathBuf,
}

/// The flags of `merge`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  hashlane-loadtest merge one.json two.json --json both.json")]
pub struct MergeArgs {
    /// Documents of load generators that began at one time, as with `run --start-at`
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub documents: Vec<PathBuf>,

    /// Fails (exit status 1) if this holds for the merged run, as with `run`; repeatable
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,

    /// The document to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
