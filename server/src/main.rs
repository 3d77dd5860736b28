//! `hashlane-server`: settings, logging, serve, signal, drain.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use hashlane_server::{
    CONFIG_VARIABLE, Change, Config, ConfigError, Effect, Log, MemoryFit, Server, SettingFlags,
    Tls, TlsSettings, healthcheck, memory_table, settings_table, worst_bytes,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A setting is wrong.
const EXIT_SETTINGS: u8 = 2;

/// The hashlane hashing service.
///
/// Flags override variables (HASHLANE_LISTEN, HASHLANE_HTTP2__STREAMS_MAX ...), which override a
/// TOML file, which overrides defaults.
#[derive(Debug, Parser)]
#[command(version)]
struct Flags {
    /// Read settings from this TOML file.
    #[arg(long, env = CONFIG_VARIABLE)]
    config: Option<PathBuf>,
    /// Print the settings in force and where each came from, as a TOML file, and exit.
    #[arg(long)]
    print_config: bool,
    /// Print the meaning of all settings, as a table in Markdown, and exit.
    #[arg(long)]
    settings: bool,
    /// Print how much memory clients can make the server take with the settings in force, as a
    /// table in Markdown, and exit.
    #[arg(long)]
    memory: bool,
    /// Ask the server on the admin address whether it is ready, and exit.
    #[arg(long)]
    healthcheck: bool,
    #[command(flatten)]
    given: SettingFlags,
}

impl Flags {
    fn read(&self) -> Result<(Config, Option<MemoryFit>), ConfigError> {
        let mut config = Config::read(self.config.as_deref(), std::env::vars_os(), &self.given)?;
        let fit = config.fit_memory(Path::new("/"), worst_bytes);
        Ok((config, fit))
    }
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    if flags.settings {
        say(&settings_table());
        return ExitCode::SUCCESS;
    }
    let (config, fit) = match flags.read() {
        Ok(read) => read,
        Err(error) => {
            complain(&error.to_string());
            return ExitCode::from(EXIT_SETTINGS);
        }
    };
    if flags.print_config {
        say(&config.to_toml());
        return ExitCode::SUCCESS;
    }
    if flags.memory {
        say(&memory_table(&config.settings));
        return ExitCode::SUCCESS;
    }
    if flags.healthcheck {
        return match healthcheck(config.settings.admin_listen) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(&error.to_string());
                ExitCode::FAILURE
            }
        };
    }
    let log = match Log::start(&config.settings) {
        Ok(log) => log,
        Err(error) => {
            complain(&format!("cannot start the log: {error}"));
            return ExitCode::FAILURE;
        }
    };
    for (variable, meant) in &config.unknown_variables {
        tracing::warn!(variable, meant, "no setting has this variable");
    }
    if let Some(fit) = fit {
        let (memory_max, from) = (fit.memory_max, fit.from);
        if !fit.settings.is_empty() {
            let settings = fit.settings.join(", ");
            tracing::info!(memory_max, from, settings, "bounds made to fit the memory");
        }
        if !fit.fits {
            tracing::warn!(
                memory_max,
                from,
                "clients can take more than three quarters of the memory"
            );
        }
    }
    let served = serve(flags, config, &log);
    log.flush();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Reads the settings anew on every SIGHUP, until the program ends.
async fn follow(
    mut hangup: Signal,
    flags: Flags,
    mut config: Config,
    log: Log,
    tls: Option<Arc<Tls>>,
) {
    while hangup.recv().await.is_some() {
        let new = match flags.read() {
            Ok((new, _)) => new,
            Err(error) => {
                tracing::error!(%error, "SIGHUP: the settings stay as they are");
                continue;
            }
        };
        for change in config.changes(&new) {
            let Change { setting, value, .. } = &change;
            match change.effect {
                Effect::Live => tracing::info!(setting, value, "SIGHUP: setting changed"),
                Effect::Start => {
                    tracing::warn!(setting, value, "SIGHUP: takes effect at the next start");
                }
            }
        }
        // What is live. The others are still in force as they were.
        match tls.as_ref().map(|tls| tls.reload(&new.settings)) {
            None => {}
            Some(Ok(())) => {
                tracing::info!("SIGHUP: new connections have the certificates as they are now");
                config.settings.tls = TlsSettings {
                    listen: config.settings.tls.listen,
                    handshake_timeout: config.settings.tls.handshake_timeout,
                    handshakes_max: config.settings.tls.handshakes_max,
                    ..new.settings.tls.clone()
                };
            }
            Some(Err(error)) => tracing::error!(%error, "SIGHUP: tls stays as it is"),
        }
        if let Err(error) = log.set_filter(&new.settings.log) {
            tracing::error!(%error, "SIGHUP: the log filter stays as it is");
        }
        config.settings.log = new.settings.log;
    }
}

fn serve(flags: Flags, config: Config, log: &Log) -> anyhow::Result<()> {
    let server = Server::bind(config.settings.clone())?.with_log(log);
    let tls = server.tls();
    // Accepts, answers the admin port and waits for signals; workers have
    // runtimes of their own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        let following = follow(
            signal(SignalKind::hangup())?,
            flags,
            config,
            log.clone(),
            tls,
        );
        let log = log.clone();
        let serving = server.run(async move {
            let name = signals.next().await;
            tracing::info!(signal = name, "shutting down");
            tokio::spawn(async move {
                let name = signals.next().await;
                tracing::warn!(signal = name, "second signal, exiting at once");
                log.flush();
                std::process::exit(1);
            });
        });
        tokio::select! {
            ended = serving => Ok(ended?),
            () = following => anyhow::bail!("SIGHUP cannot be heard any more"),
        }
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

#[allow(clippy::print_stdout, reason = "asked for with a flag")]
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
