//! `hashlane-server`: settings, logging, serve, signal, drain.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use hashlane_server::{LogFormat, Server, Settings, default_file, healthcheck};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// A setting is wrong.
const EXIT_SETTINGS: u8 = 2;

/// The hashlane hashing service.
///
/// Settings come from flags, over variables (HASHLANE_LISTEN,
/// HASHLANE_HTTP2__STREAMS_MAX ...), over a TOML file, over defaults.
#[derive(Debug, Parser)]
#[command(version)]
struct Flags {
    /// Read settings from this TOML file.
    #[arg(long, env = "HASHLANE_CONFIG")]
    config: Option<PathBuf>,
    /// Serve gRPC on this address [default: 127.0.0.1:50051].
    #[arg(long)]
    listen: Option<String>,
    /// Serve gRPC on this Unix socket as well.
    #[arg(long)]
    listen_unix: Option<String>,
    /// Serve /metrics, /healthz and /readyz on this address [default: 127.0.0.1:9464].
    #[arg(long)]
    admin_listen: Option<String>,
    /// Workers: auto or a number.
    #[arg(long)]
    workers: Option<String>,
    /// Pin workers to cores: auto, true or false.
    #[arg(long)]
    pin: Option<String>,
    /// lanes; or, for measurements only, inline or sink.
    #[arg(long)]
    hashing: Option<String>,
    /// Use these kernels only, as in sha256:avx2x8,md5:portable.
    #[arg(long)]
    kernel: Option<String>,
    /// Time for running parts after SIGTERM.
    #[arg(long)]
    drain_timeout: Option<String>,
    /// Log filter.
    #[arg(long)]
    log: Option<String>,
    /// text or json.
    #[arg(long)]
    log_format: Option<String>,
    /// Any setting, as in --set http2.streams_max=100. May be given repeatedly.
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    set: Vec<(String, String)>,
    /// Print all settings with their defaults as a TOML file, and exit.
    #[arg(long)]
    print_config: bool,
    /// Ask the server on the admin address whether it is ready, and exit.
    #[arg(long)]
    healthcheck: bool,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Flags {
    /// The settings among the flags.
    fn settings(&self) -> Vec<(String, String)> {
        let named = [
            ("listen", &self.listen),
            ("listen_unix", &self.listen_unix),
            ("admin_listen", &self.admin_listen),
            ("workers", &self.workers),
            ("pin", &self.pin),
            ("hashing", &self.hashing),
            ("kernel", &self.kernel),
            ("drain_timeout", &self.drain_timeout),
            ("log", &self.log),
            ("log_format", &self.log_format),
        ];
        let given = named
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        given.chain(self.set.iter().cloned()).collect()
    }
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    if flags.print_config {
        say(&default_file());
        return ExitCode::SUCCESS;
    }
    let environment = std::env::vars_os().map(|pair: (OsString, OsString)| pair);
    let settings = match Settings::read(flags.config.as_deref(), environment, &flags.settings()) {
        Ok(settings) => settings,
        Err(error) => {
            complain(&error.to_string());
            return ExitCode::from(EXIT_SETTINGS);
        }
    };
    if flags.healthcheck {
        return match healthcheck(settings.admin_listen) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(&error.to_string());
                ExitCode::FAILURE
            }
        };
    }
    start_logging(&settings);
    match serve(settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn start_logging(settings: &Settings) {
    // The h2 crate warns of each connection that it ends for a flood, which would be a
    // flood of lines. What the settings say of it comes later, and wins. They were
    // checked.
    let filter = EnvFilter::new(format!("h2=off,{}", settings.log));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match settings.log_format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
}

fn serve(settings: Settings) -> anyhow::Result<()> {
    let server = Server::bind(settings)?;
    // Accepts, answers the admin port and waits for signals; workers have
    // runtimes of their own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        server
            .run(async move {
                let name = signals.next().await;
                tracing::info!(signal = name, "shutting down");
                tokio::spawn(async move {
                    let name = signals.next().await;
                    tracing::warn!(signal = name, "second signal, exiting at once");
                    std::process::exit(1);
                });
            })
            .await?;
        Ok(())
    })
}

/// The signals that ask the process to end.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[allow(clippy::print_stdout, reason = "asked for with --print-config")]
fn say(text: &str) {
    print!("{text}");
}

#[allow(
    clippy::print_stderr,
    reason = "before logging has started, or after it"
)]
fn complain(text: &str) {
    eprintln!("hashlane-server: {text}");
}
