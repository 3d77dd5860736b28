//! The server as a separate process, to measure its memory.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use super::metrics::{Metrics, get, until};

pub(crate) fn command(flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlane-server"));
    command.args(flags).env_clear();
    command
}

/// A running program and the rest of its log.
pub(crate) struct Running {
    pub(crate) child: Child,
    /// The log until it was ready.
    pub(crate) start: String,
    pub(crate) log: BufReader<std::process::ChildStderr>,
    pub(crate) grpc: std::net::SocketAddr,
    pub(crate) admin: std::net::SocketAddr,
    pub(crate) tls: Option<std::net::SocketAddr>,
}

impl Running {
    pub(crate) fn start(flags: &[&str]) -> Self {
        Self::start_by(command(&[]), flags)
    }

    /// Starts with a limit of open file descriptors.
    pub(crate) fn start_with_descriptors(descriptors_max: u32, flags: &[&str]) -> Self {
        Self::start_with(&format!("ulimit -n {descriptors_max}"), flags)
    }

    /// Starts after this shell command.
    pub(crate) fn start_with(before: &str, flags: &[&str]) -> Self {
        // `exec`, so that signals reach the program.
        let script = format!("{before} && exec \"$0\" \"$@\"");
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", &script, env!("CARGO_BIN_EXE_hashlane-server")])
            .env_clear();
        Self::start_by(shell, flags)
    }

    pub(crate) fn start_by(mut command: Command, flags: &[&str]) -> Self {
        let mut child = command
            .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
            .args(["--log-format", "json", "--workers", "1"])
            .args(flags)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let (mut grpc, mut admin, mut tls) = (None, None, None);
        let mut start = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).unwrap(), 0, "ended before ready");
            let field = |name: &str| {
                let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
                rest.split_once('"')?.0.parse().ok()
            };
            grpc = grpc.or_else(|| field("grpc"));
            admin = admin.or_else(|| field("admin"));
            tls = tls.or_else(|| field("tls"));
            start += &line;
            if line.contains("\"ready\"") {
                break;
            }
        }
        Self {
            child,
            start,
            log,
            grpc: grpc.unwrap(),
            admin: admin.unwrap(),
            tls,
        }
    }

    /// The next line of the log that contains `words`.
    pub(crate) fn line_with(&mut self, words: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "no {words:?}");
            if line.contains(words) {
                return line;
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Running {
    pub(crate) fn metrics(&self) -> Metrics {
        Metrics(get(self.admin, "/metrics").unwrap().1)
    }

    /// Waits until the metrics satisfy `condition`.
    pub(crate) async fn until(&self, what: &str, condition: impl Fn(&Metrics) -> bool) -> Metrics {
        until(|| self.metrics(), what, condition).await
    }

    /// Peak resident memory.
    pub(crate) fn most_resident_bytes(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.unwrap().trim().strip_suffix(" kB").unwrap();
        1024.0 * kib.parse::<f64>().unwrap()
    }

    pub(crate) fn resident_bytes(&self) -> f64 {
        self.metrics().sum("process_resident_memory_bytes", &[])
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
