//! The command `hashlane-loadtest`.
#![forbid(unsafe_code)]

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use hashlane_loadtest::args::{Cli, Command};
use hashlane_loadtest::servers::plain_server;
use hashlane_loadtest::{compare, hostile, matrix, merge, model, page, run, soak};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        // A bad value is one line; its flag's name and the allowed values are in it.
        Err(error) if error.kind() == ErrorKind::ValueValidation => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            return fail(line.trim_start_matches("error: "));
        }
        parsed => parsed.unwrap_or_else(|error| error.exit()),
    };
    let status = |is_right| match is_right {
        true => ExitCode::SUCCESS,
        // The report contains the failures.
        false => ExitCode::FAILURE,
    };
    let outcome = match cli.command {
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Search(args)) => run::search(&args),
        Some(Command::Predict(args)) => model::predict(&args),
        Some(Command::Demo(args)) => run::demo(&args),
        Some(Command::Report(args)) => page::report(&args).map(|()| ExitCode::SUCCESS),
        Some(Command::Merge(args)) => merge::merge(&args).map(status),
        Some(Command::Compare(args)) => compare::compare(&args).map(status),
        Some(Command::Matrix(args)) => matrix::matrix(&args).map(status),
        Some(Command::Disturb(args)) => hostile::disturb(&args).map(status),
        Some(Command::Flood(args)) => hostile::flood_alone(&args).map(status),
        Some(Command::Soak(args)) => soak::soak(&args).map(status),
        Some(Command::PlainServer(args)) => plain_server::serve(&args).map(status),
        None => run::run(&cli.run),
    };
    outcome.unwrap_or_else(|error| fail(&format!("{error:#}")))
}

fn fail(text: &str) -> ExitCode {
    // Without standard error the message is lost.
    let _ = writeln!(std::io::stderr(), "hashlane-loadtest: {text}");
    ExitCode::from(2)
}
