//! `hashlane-server`: settings, logging, serve, signal, drain.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use hashlane_server::{
    CONFIG_VARIABLE, CertificateWatch, Config, Effect, Inherited, Log, MemoryFit, NotifyState,
    Reload, Server, SettingFlags, Settings, check_files, healthcheck, memory_table, notify,
    raise_descriptors, settings_table, worst_bytes,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

/// musl's allocator maps and unmaps the buffer of each large frame, which triples the CPU time per
/// byte.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit code for a wrong setting.
const EXIT_SETTINGS: u8 = 2;

/// The hashlane hashing service.
///
/// Flags override variables (HASHLANE_LISTEN, HASHLANE_HTTP2__STREAMS_MAX ...), which override a
/// TOML file, which overrides defaults.
#[derive(Debug, Parser)]
#[command(version = version())]
struct Flags {
    /// Read settings from this TOML file.
    #[arg(long, env = CONFIG_VARIABLE)]
    config: Option<PathBuf>,
    /// Print the settings in force and where each came from, as a TOML file, and exit.
    #[arg(long)]
    print_config: bool,
    /// Check the settings, and read the files that they name, as the start does, and exit.
    #[arg(long)]
    check: bool,
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

/// The commit the program was built from. Builds without the repository set HASHLANE_COMMIT.
const COMMIT: &str = match option_env!("HASHLANE_COMMIT") {
    Some(commit) => commit,
    None => git_version::git_version!(
        args = [
            "--always",
            "--abbrev=12",
            "--exclude=*",
            "--dirty=-modified"
        ],
        fallback = "unknown"
    ),
};

fn version() -> String {
    format!("{} ({COMMIT})", env!("CARGO_PKG_VERSION"))
}

impl Flags {
    fn read(&self) -> anyhow::Result<(Config, Option<MemoryFit>)> {
        let mut config = Config::read(self.config.as_deref(), std::env::vars_os(), &self.given)?;
        if self.check {
            check_files(&config.settings)?;
        }
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
    if flags.check {
        return ExitCode::SUCCESS;
    }
    if flags.print_config {
        say(&config.to_toml());
        return ExitCode::SUCCESS;
    }
    if flags.memory {
        say(&memory_table(&config.settings));
        return ExitCode::SUCCESS;
    }
    if flags.healthcheck {
        let settings = &config.settings;
        let over_tls = settings.admin.certificate.is_some();
        let ask = |over_tls| healthcheck(settings.admin_listen, over_tls);
        // The settings may have changed since the server started.
        return match ask(over_tls).or_else(|error| ask(!over_tls).map_err(|_| error)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                complain(&error.to_string());
                ExitCode::FAILURE
            }
        };
    }
    // Before the log starts its thread, because this removes variables from the environment.
    let inherited = Inherited::take();
    let log = match Log::start(&config.settings) {
        Ok(log) => log,
        Err(error) => {
            complain(&format!("cannot start the log: {error}"));
            return ExitCode::FAILURE;
        }
    };
    for variable in &config.unknown_variables {
        tracing::warn!(variable, "no setting has this variable");
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
    if let Err(error) = raise_descriptors() {
        tracing::warn!(%error, "the limit of file descriptors stays as it is");
    }
    let served = match inherited {
        Ok(inherited) => serve(flags, config, inherited, &log),
        Err(error) => Err(anyhow::anyhow!("sockets of the environment: {error}")),
    };
    log.flush();
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Loads certificates whose files have changed. A certificate and its key change one after the
/// other, so an attempt between the two changes fails.
fn check_certificates(live: &Reload, certificates: &mut CertificateWatch, settings: &Settings) {
    match certificates.check(settings, || live.reload_certificates(settings)) {
        Some(Ok(true)) => {
            tracing::info!("files have changed: new connections have their certificates");
        }
        Some(Err(error)) => tracing::warn!(error, "files of certificates have changed"),
        Some(Ok(false)) | None => {}
    }
}

/// Reads the settings again on every SIGHUP, and certificates when their files change, until the
/// program ends. After an error the server continues with the old ones.
async fn follow(
    mut hangup: Signal,
    flags: Flags,
    mut config: Config,
    live: Reload,
    mut certificates: CertificateWatch,
) {
    let mut looks = interval(CertificateWatch::PERIOD);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let heard = tokio::select! {
            heard = hangup.recv() => heard,
            _ = looks.tick() => {
                check_certificates(&live, &mut certificates, &config.settings);
                continue;
            }
        };
        if heard.is_none() {
            return;
        }
        notify(NotifyState::Reloading);
        match flags.read() {
            Ok((new, _)) => {
                // Logged before they apply, because they may silence the log.
                say_changes(&config, &new);
                // Recorded before they are read, so that a change meanwhile is noticed.
                let now = CertificateWatch::new(&new.settings);
                match live.reload(&new.settings) {
                    Ok(()) => {
                        config.take_live(new);
                        certificates = now;
                    }
                    Err(error) => {
                        tracing::error!(error, "SIGHUP: not in force, the old settings stay")
                    }
                }
            }
            Err(errors) => {
                for error in errors.to_string().lines() {
                    tracing::error!(error, "SIGHUP: the settings stay as they are");
                }
            }
        }
        notify(NotifyState::Ready);
    }
}

fn say_changes(old: &Config, new: &Config) {
    let changed = old.changes(new, Effect::Live);
    let at_next_start = old.changes(new, Effect::Start);
    if at_next_start.is_empty() {
        tracing::info!(changed, "SIGHUP: new settings");
    } else {
        tracing::warn!(
            changed,
            at_next_start,
            "SIGHUP: new settings; some take effect at the next start"
        );
    }
}

fn serve(flags: Flags, config: Config, inherited: Inherited, log: &Log) -> anyhow::Result<()> {
    let certificates = CertificateWatch::new(&config.settings);
    let settings = config.settings.clone();
    let server = Server::bind_with(settings, inherited, Some(log.clone()), COMMIT)?;
    let live = server.reload();
    // This runtime accepts, answers the admin port and waits for signals. Workers have separate
    // runtimes.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let hangup = signal(SignalKind::hangup())?;
        let following = follow(hangup, flags, config, live, certificates);
        let log = log.clone();
        let serving = server.run(async move {
            let name = ending(&mut terminate, &mut interrupt).await;
            tracing::info!(signal = name, "shutting down");
            tokio::spawn(async move {
                let name = ending(&mut terminate, &mut interrupt).await;
                tracing::warn!(signal = name, "second signal, exiting at once");
                log.flush();
                std::process::exit(1);
            });
        });
        tokio::select! {
            ended = serving => ended,
            () = following => anyhow::bail!("SIGHUP cannot be heard any more"),
        }
    })
}

/// Waits for a signal that ends the process, and names it.
async fn ending(terminate: &mut Signal, interrupt: &mut Signal) -> &'static str {
    tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
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
    for line in text.lines() {
        eprintln!("hashlane-server: {line}");
    }
}
