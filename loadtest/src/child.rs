//! The server as a child process: started on free ports, measured through `/proc`, always ended
//! with SIGTERM.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use http::StatusCode;
use rustix::process::{Pid, Signal, kill_process};

use crate::cpus::Cpus;
use crate::report::say;
use crate::scrape;
use crate::tls::Certificate;

/// Time for the server to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(15);

/// Time to end after SIGTERM, before SIGKILL.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Time between two checks of a child that starts or ends.
const POLL: Duration = Duration::from_millis(5);

/// Maximum of the child's standard error kept for error messages.
const LOG_BYTES_MAX: usize = 4096;

/// Time for the rest of an ended child's log to arrive.
const LOG_TIMEOUT: Duration = Duration::from_secs(1);

/// Another process may take a free port before the child does.
const START_ATTEMPTS: usize = 3;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    grpc: SocketAddr,
    is_tls: bool,
    admin: SocketAddr,
    log: Arc<Mutex<VecDeque<u8>>>,
    log_reader: Option<JoinHandle<()>>,
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
            .stderr(Stdio::piped());
        let child = match cpus {
            Some(cpus) => cpus.pin_during(|| command.spawn())?,
            None => command.spawn(),
        };
        let mut child = child.with_context(|| format!("cannot start {}", executable.display()))?;
        let log = Arc::new(Mutex::new(VecDeque::new()));
        let log_reader = child
            .stderr
            .take()
            .map(|stderr| keep_end(stderr, Arc::clone(&log)));
        Ok(Self {
            child,
            grpc,
            is_tls: certificate.is_some(),
            admin,
            log,
            log_reader,
        })
    }

    async fn ready(&mut self) -> Result<()> {
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            if let Some(status) = self
                .child
                .try_wait()
                .context("cannot look after the server")?
            {
                self.read_log_out();
                bail!("the server ended at once with {status}:\n{}", self.log());
            }
            if let Ok((StatusCode::OK, _)) = scrape::get(&self.admin_address(), "/readyz").await {
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
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = log.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until the log holds everything that an ended child wrote. Another process may have
    /// inherited the pipe, so the wait is short.
    fn read_log_out(&self) {
        let deadline = Instant::now() + LOG_TIMEOUT;
        while self
            .log_reader
            .as_ref()
            .is_some_and(|reader| !reader.is_finished())
            && Instant::now() < deadline
        {
            std::thread::sleep(POLL);
        }
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
        let status =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        status_bytes(&status, name).with_context(|| format!("{path} has no {name}"))
    }

    /// Ends the server and waits for it.
    ///
    /// # Errors
    /// It had to be killed, or ended with a failure status.
    pub(crate) fn stop(mut self) -> Result<()> {
        let status = self.end()?;
        self.read_log_out();
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
        let deadline = Instant::now() + STOP_TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(POLL);
        }
        self.child.kill()?;
        Ok(self.child.wait()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // On an error path; report the original error.
        let _ = self.end();
    }
}

/// Reads all of `stderr` and keeps its end in `log`. Ends with the child, which closes the pipe.
fn keep_end(mut stderr: ChildStderr, log: Arc<Mutex<VecDeque<u8>>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0; 1024];
        while let Ok(len @ 1..) = stderr.read(&mut buffer) {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.extend(&buffer[..len]);
            let surplus = log.len().saturating_sub(LOG_BYTES_MAX);
            log.drain(..surplus);
        }
    })
}

/// Two ports that were free just now.
fn free_ports() -> std::io::Result<[SocketAddr; 2]> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    // Both are held until both are known, so they differ.
    let (one, other) = (listen()?, listen()?);
    Ok([one.local_addr()?, other.local_addr()?])
}

/// CPU time of a process so far.
///
/// `schedstat` has nanoseconds, but only of running threads; `stat` covers all threads, in clock
/// ticks. So a difference is in nanoseconds unless a thread ended in between, for example a worker
/// that the server replaced.
#[derive(Clone, Debug)]
pub(crate) struct CpuTime {
    /// Nanoseconds by thread id.
    threads_ns: BTreeMap<String, u64>,
    process_seconds: f64,
}

impl CpuTime {
    /// Reads the CPU time from `/proc`.
    ///
    /// # Errors
    /// The process has ended.
    pub(crate) fn of_process(pid: u32) -> Result<Self> {
        let folder = format!("/proc/{pid}");
        let tasks = format!("{folder}/task");
        let mut threads_ns = BTreeMap::new();
        for task in std::fs::read_dir(&tasks).with_context(|| format!("cannot read {tasks}"))? {
            let task = task?;
            // A thread may end while its folder is read.
            let schedstat = std::fs::read_to_string(task.path().join("schedstat"));
            if let Some(ns) = schedstat.ok().as_deref().and_then(first_number) {
                let thread = task.file_name().to_string_lossy().into_owned();
                threads_ns.insert(thread, ns);
            }
        }
        Ok(Self {
            threads_ns,
            process_seconds: seconds_of_stat(&folder)?,
        })
    }

    /// Seconds used since `before`.
    pub(crate) fn seconds_since(&self, before: &Self) -> f64 {
        let mut ns = 0;
        for (thread, now) in &self.threads_ns {
            match now.checked_sub(before.threads_ns.get(thread).copied().unwrap_or(0)) {
                Some(used) => ns += used,
                // The thread id was reused.
                None => return self.process_seconds - before.process_seconds,
            }
        }
        let mut threads = before.threads_ns.keys();
        if ns == 0 || threads.any(|thread| !self.threads_ns.contains_key(thread)) {
            return self.process_seconds - before.process_seconds;
        }
        ns as f64 / 1e9
    }
}

/// CPU seconds of one thread of this process, by thread id; in nanosecond steps if the kernel has
/// them.
pub(crate) fn thread_cpu_seconds(thread: i32) -> Result<f64> {
    let task = format!("/proc/self/task/{thread}");
    let schedstat = std::fs::read_to_string(format!("{task}/schedstat")).unwrap_or_default();
    if let Some(ns) = first_number(&schedstat).filter(|ns| *ns > 0) {
        return Ok(ns as f64 / 1e9);
    }
    seconds_of_stat(&task)
}

/// CPU seconds from the `stat` of a directory in `/proc`.
fn seconds_of_stat(folder: &str) -> Result<f64> {
    let path = format!("{folder}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let ticks = stat_ticks(&stat).with_context(|| format!("{path} is malformed"))?;
    Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

fn first_number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// `utime + stime` of `/proc/PID/stat` (proc_pid_stat(5), fields 14 and 15). Field 2 is the name in
/// parentheses and may contain any characters.
fn stat_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
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
    fn proc_files_are_read_as_documented() {
        let stat = "77 (a) b( c) S 1 77 77 0 -1 4194560 1 2 3 4 120 35 7 8 20 0 3 0 100 0 0";
        assert_eq!(stat_ticks(stat), Some(155));
        assert_eq!(stat_ticks("77 (a"), None);
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t1 kB\n";
        assert_eq!(status_bytes(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(status_bytes(status, "VmRSS:"), Some(1 << 10));
        assert_eq!(status_bytes("Name:\tx\n", "VmHWM:"), None);
        assert_eq!(first_number("240599470 112233360 88\n"), Some(240_599_470));
    }

    /// Spins until this process has used `seconds` of CPU time since `before`.
    fn work(before: &CpuTime, seconds: f64) {
        let started = Instant::now();
        let mut value = 1_u64;
        loop {
            let now = CpuTime::of_process(std::process::id()).unwrap();
            if now.seconds_since(before) >= seconds {
                return;
            }
            for _ in 0..100_000 {
                value = std::hint::black_box(value.wrapping_mul(3));
            }
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "no CPU time was counted"
            );
        }
    }

    #[test]
    fn own_cpu_time_grows_with_work() {
        work(&CpuTime::of_process(std::process::id()).unwrap(), 0.02);
    }

    #[test]
    fn the_time_of_a_thread_that_ended_is_not_lost() {
        let time = |threads: &[(&str, u64)], process_seconds| CpuTime {
            threads_ns: threads
                .iter()
                .map(|&(thread, ns)| (thread.to_owned(), ns))
                .collect(),
            process_seconds,
        };
        let before = time(&[("1", 5_000_000_000), ("2", 9_000_000_000)], 14.0);
        // A thread that began meanwhile counts fully.
        let grown = time(
            &[("1", 5_500_000_000), ("2", 9_000_000_000), ("3", 1_000_000)],
            14.51,
        );
        assert!((grown.seconds_since(&before) - 0.501).abs() < 1e-9);
        // One thread ended after 0.3 s more, and another began.
        let replaced = time(&[("1", 5_500_000_000), ("3", 200_000_000)], 15.0);
        assert!((replaced.seconds_since(&before) - 1.0).abs() < 1e-9);
        // A thread id was reused.
        let again = time(&[("1", 5_500_000_000), ("2", 200_000_000)], 15.0);
        assert!((again.seconds_since(&before) - 1.0).abs() < 1e-9);
        // A kernel without schedstat.
        assert!((time(&[], 14.25).seconds_since(&time(&[], 14.0)) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn free_ports_differ() {
        let [one, other] = free_ports().unwrap();
        assert_ne!(one, other);
    }
}
