//! The command `hashlane-loadtest`.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use hashlane_loadtest::args::{Cli, Command};
use hashlane_loadtest::{compare, hostile, matrix, plain, run, soak};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Matrix(args)) => matrix::matrix(&args),
        Some(Command::Disturb(args)) => hostile::disturb(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Flood(args)) => hostile::flood_alone(&args),
        Some(Command::Soak(args)) => soak::soak(&args),
        Some(Command::PlainServer(args)) => plain::serve(&args),
        None => run::run(&cli.run),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        // The report contains the failures.
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Without standard error the message is lost.
            let _ = writeln!(std::io::stderr(), "hashlane-loadtest: {error:#}");
            ExitCode::from(2)
        }
    }
}
