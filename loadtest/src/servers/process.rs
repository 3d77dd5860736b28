//! The process of a server, as a child: started on free ports, measured through `/proc`, always ended
//! with SIGTERM.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use http::StatusCode;
use rustix::process::{Pid, Signal, kill_process};

use super::counters;
use crate::protocol::tls::Certificate;
use crate::results::say;
use crate::system::cpu_time::{CpuTime, first_number};
use crate::system::cpus::Cpus;
use crate::system::files::read_whole;

/// Time for the server to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(15);

/// Time to end after SIGTERM, before SIGKILL.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Time between two checks of a child that starts or ends.
const POLL: Duration = Duration::from_millis(5);

/// Maximum of the child's standard error in error messages.
const LOG_BYTES_MAX: usize = 4096;

/// Another process may take a free port before the child does.
const START_ATTEMPTS: usize = 3;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    grpc: SocketAddr,
    is_tls: bool,
    admin: SocketAddr,
    /// The child's standard error: a file, because a pipe would need a reader.
    log: File,
}

impl Server {
    /// Starts `executable` with `flags` and free ports on `cpus`, and waits until it is ready. Uses
    /// only TLS if there is a `certificate`.
    ///
    /// # Errors
    /// It cannot be started, ends, or is not ready in time; with the end of its log.
    pub(crate) async fn start(
        executable: &Path,
        flags: &[String],
        cpus: Option<&Cpus>,
        certificate: Option<&Certificate>,
    ) -> Result<Self> {
        let mut attempt = 1;
        loop {
            let mut server = Self::spawn(executable, flags, cpus, certificate)?;
            match server.ready().await {
                Ok(()) => return Ok(server),
                Err(error) if attempt == START_ATTEMPTS || server.child.try_wait()?.is_none() => {
                    return Err(error);
                }
                Err(_) => attempt += 1,
            }
        }
    }

    fn spawn(
        executable: &Path,
        flags: &[String],
        cpus: Option<&Cpus>,
        certificate: Option<&Certificate>,
    ) -> Result<Self> {
        let log = tempfile::tempfile().context("no file for the server's log")?;
        let [grpc, admin] = free_ports().context("no free port on the loopback")?;
        let mut command = Command::new(executable);
        let listening = match certificate {
            None => vec!["--listen".to_owned(), grpc.to_string()],
            Some(certificate) => certificate.flags(grpc),
        };
        command
            // First, because flags may begin with a subcommand.
            .args(flags)
            .args(listening)
            .args(["--admin-listen", &admin.to_string()])
            // Only flags may decide what it does with the bytes.
            .env_remove("HASHLANE_HASHING")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.try_clone()?);
        let child = match cpus {
            Some(cpus) => cpus.pin_during(|| command.spawn())?,
            None => command.spawn(),
        };
        Ok(Self {
            child: child.with_context(|| format!("cannot start {}", executable.display()))?,
            grpc,
            is_tls: certificate.is_some(),
            admin,
            log,
        })
    }

    async fn ready(&mut self) -> Result<()> {
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended at once with {status}:\n{}", self.log());
            }
            if let Ok((StatusCode::OK, _)) = counters::get(&self.admin_address(), "/readyz").await {
                return Ok(());
            }
            if Instant::now() >= deadline {
                bail!(
                    "the server is not ready after {READY_TIMEOUT:?}:\n{}",
                    self.log()
                );
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// The URL of its gRPC port.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.grpc)
    }

    /// The address of its gRPC port, on the loopback.
    pub(crate) fn address(&self) -> SocketAddr {
        self.grpc
    }

    /// `host:port` of its admin endpoint.
    pub(crate) fn admin_address(&self) -> String {
        self.admin.to_string()
    }

    /// The end of its standard error.
    pub(crate) fn log(&self) -> String {
        let written = self.log.metadata().map_or(0, |of| of.len());
        let mut end = [0; LOG_BYTES_MAX];
        let at = written.saturating_sub(LOG_BYTES_MAX as u64);
        // The child shares the file's position, so this leaves it alone.
        let read = self.log.read_at(&mut end, at).unwrap_or(0);
        String::from_utf8_lossy(&end[..read]).into_owned()
    }

    /// The CPU time of all its threads so far.
    ///
    /// # Errors
    /// The process has ended.
    pub(crate) fn cpu_time(&self) -> Result<CpuTime> {
        CpuTime::of_process(self.child.id())
    }

    /// Peak resident memory, in bytes.
    ///
    /// # Errors
    /// The process has ended.
    pub(crate) fn peak_bytes(&self) -> Result<u64> {
        self.status_bytes("VmHWM:")
    }

    /// Current resident memory, in bytes.
    ///
    /// # Errors
    /// The process has ended.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        self.status_bytes("VmRSS:")
    }

    fn status_bytes(&self, name: &str) -> Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        status_bytes(&read_whole(&path)?, name).with_context(|| format!("{path} has no {name}"))
    }

    /// Ends the server and waits for it.
    ///
    /// # Errors
    /// It had to be killed, or ended with a failure status.
    pub(crate) fn stop(mut self) -> Result<()> {
        let status = self.end()?;
        anyhow::ensure!(
            status.success(),
            "the server ended with {status}:\n{}",
            self.log()
        );
        Ok(())
    }

    /// The same after a measurement, whose figures are still useful: an error is only told.
    pub(crate) fn stop_or_say(self) {
        if let Err(error) = self.stop() {
            say(format_args!("{error:#}"));
        }
    }

    /// SIGTERM, then SIGKILL. The child was not waited for before, so its process id is still
    /// valid.
    fn end(&mut self) -> Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        // It may end at this moment; the wait below notices.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        end_of(&mut self.child, STOP_TIMEOUT)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // On an error path; report the original error.
        let _ = self.end();
    }
}

/// Waits for the end of `child`, which is killed after the time limit.
pub(crate) fn end_of(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(POLL);
    }
    child.kill()?;
    Ok(child.wait()?)
}

/// Two ports that were free just now.
fn free_ports() -> std::io::Result<[SocketAddr; 2]> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    // Both are held until both are known, so they differ.
    let (one, other) = (listen()?, listen()?);
    Ok([one.local_addr()?, other.local_addr()?])
}

/// A size in `/proc/PID/status`, which is in KiB.
fn status_bytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(first_number(line)? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_as_documented() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t1 kB\n";
        assert_eq!(status_bytes(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(status_bytes(status, "VmRSS:"), Some(1 << 10));
        assert_eq!(status_bytes("Name:\tx\n", "VmHWM:"), None);
    }

    #[test]
    fn free_ports_differ() {
        let [one, other] = free_ports().unwrap();
        assert_ne!(one, other);
    }
}
