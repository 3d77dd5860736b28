//! `demo`: a server, 20 seconds of mixed load, and what to see in it.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use super::end_of_run::{check_folders, report};
use super::measured_load::Load;
use crate::args::{Cli, Command, DemoArgs, RunArgs};
use crate::results::say;
use crate::round::server_executable;
use crate::servers::process::Server;
use crate::system::runtime::{Signals, runtime};

/// Starts a server, loads it and tells what to see.
///
/// # Errors
/// The server cannot be started, or a file cannot be written.
pub fn demo(args: &DemoArgs) -> Result<ExitCode> {
    let executable = server_executable(args.server_bin.as_deref())?;
    let json = args.folder.join("hashlane-demo.json");
    let page = args.folder.join("hashlane-demo.html");
    check_folders([&json, &page])?;
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let server = Server::start(&executable, &[], None, None).await?;
        let mut run = run_args(&server.url(), &server.admin_address())?;
        run.duration = Some(args.duration);
        run.json = Some(json.clone());
        run.report = Some(page.clone());
        say(format_args!(
            "A server runs on {} (metrics: http://{}/metrics, a live page: http://{}/).\n\
             For {:?}, 200 MB/s arrive at it as parts of 4 KiB to 4 MiB: 60% Digest, 20% Verify\n\
             with one corrupted part in a hundred, 10% batches, and 10% MD5 on shared streams.",
            server.url(),
            server.admin_address(),
            server.admin_address(),
            args.duration,
        ));
        let load = Load::prepare(&run).await?;
        let measured = load.measure(load.starts(), true, &mut signals).await?;
        let status = report(measured, &run)?;
        server.stop_or_say();
        say(format_args!(
            "What to see:\n\
             - mismatches 0, errors 0: every digest was compared with one computed beforehand.\n\
             - corrupted parts: each of them came back as a mismatch.\n\
             - server CPU s/GB: the price of a byte. One core hashes 1 / this many GB/s.\n\
             - lane occupancy: the share of the used kernels' lanes that had a job. Few jobs use\n\
             \u{20} narrow kernels, which are full too: efficiency says how near hashing was to the best.\n\
             - response time: from the time at which a part should have started to its answer.\n\
             A page with charts: {}; its figures, second by second: {}\n\
             Next: hashlane-loadtest search --server URL --admin URL",
            page.display(),
            json.display()
        ));
        Ok(status)
    })
}

fn run_args(url: &str, admin: &str) -> Result<RunArgs> {
    let line = format!(
        "demo run --server {url} --admin {admin} --rate poisson:200MB/s --sizes 4KiB..4MiB \
         --mix digest:sha256=60,verify:sha256=20,batch:sha256=10,multiplexed:md5=10 --corrupt 1% \
         --label demo"
    );
    match Cli::try_parse_from(line.split_whitespace())?.command {
        Some(Command::Run(run)) => Ok(*run),
        _ => unreachable!("the line has the subcommand run"),
    }
}
