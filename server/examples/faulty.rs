//! A server whose workers fail on demand, for `deploy/tests/alerts.sh`; not part of the product.
//!
//! It takes settings from flags as `hashlane-server` does, and reads a command from each line of
//! standard input:
//!
//! | command | |
//! |---|---|
//! | `panic WORKER` | the worker panics |
//! | `block WORKER` | the worker blocks until `release` |
//! | `release` | all blocked workers go on |
//! | `kernel WORKER KERNEL` | lane 0 of a kernel, such as `sha256:portable`, is wrong on that worker |
//!
//! The server ends on SIGTERM.
#![forbid(unsafe_code)]

use std::io::BufRead as _;
use std::sync::mpsc::Sender;

use anyhow::{Context as _, bail};
use clap::Parser;
use hashlane_server::{Config, Fault, Faults, Inherited, Log, Server, SettingFlags};
use tokio::signal::unix::{SignalKind, signal};

/// A hashlane server whose workers fail on demand.
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    given: SettingFlags,
}

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let settings = Config::read(None, std::iter::empty(), &flags.given)?.settings;
    let log = Log::start(&settings).context("cannot start the log")?;
    let server = Server::bind_with(settings, Inherited::take()?, Some(log.clone()), "faulty")?;
    let faults = server.faults();
    std::thread::spawn(move || {
        if let Err(error) = obey(&faults) {
            tracing::error!(error = format!("{error:#}"), "standard input");
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let shutdown = async move {
            terminate.recv().await;
        };
        server.run(shutdown).await
    });
    log.flush();
    served
}

/// Injects what each line of standard input names.
fn obey(faults: &Faults) -> anyhow::Result<()> {
    let mut blocked = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.context("cannot read a command")?;
        inject(&line, faults, &mut blocked).with_context(|| format!("command {line:?}"))?;
        tracing::info!(command = line, "injected");
    }
    Ok(())
}

/// `blocked` holds what keeps workers blocked.
fn inject(line: &str, faults: &Faults, blocked: &mut Vec<Sender<()>>) -> anyhow::Result<()> {
    let words: Vec<_> = line.split_whitespace().collect();
    let seat = |worker: &str| worker.parse().context("a worker is a number");
    match words[..] {
        ["panic", worker] => faults.inject(seat(worker)?, Fault::Panic),
        ["block", worker] => {
            let (fault, until) = Fault::block();
            faults.inject(seat(worker)?, fault);
            blocked.push(until);
        }
        ["release"] => blocked.clear(),
        ["kernel", worker, kernel] => {
            faults.inject(seat(worker)?, Fault::Kernel(kernel.parse()?, 0));
        }
        _ => bail!("there is no such command"),
    }
    Ok(())
}
