//! The memory that the server's settings allow.
//!
//! ```text
//! SERVER FLAGS --print-config -> current settings
//! bound = unary + held + unread bytes of the process + receive windows of the load's connections
//!
//! SERVER FLAGS --memory -> the sum of all bounds, for any clients
//! ```

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::process::end_of;
use crate::args::bytes;

/// Settings that bound bytes of the whole process. A server may know only some.
const PROCESS_BOUNDS: [&str; 3] = ["unary_bytes_max", "held_bytes_max", "unread_bytes_max"];

/// The sum of all receive windows.
const WINDOWS_SUM: &str = "receive_windows_bytes_max";

/// In the HTTP/2 table: the maximum window of a connection.
const TABLE: &str = "http2";
const WINDOW: &str = "connection_window_bytes_max";

/// In the same table: the largest frame payload.
const FRAME: &str = "frame_bytes_max";

/// The last row of the table of bounds, in MiB.
const SUM_OF_BOUNDS: &str = "| all of it |";

/// Time for the server to print.
const PRINT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server's settings for memory and frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerSettings {
    process_bytes: u64,
    window_bytes: u64,
    windows_bytes: u64,
    /// The largest payload of an HTTP/2 frame, if known.
    pub(crate) frame_bytes: Option<u32>,
}

impl ServerSettings {
    /// The settings of `executable` when started with `flags`. `None` if it does not print them.
    pub(crate) fn read(executable: &Path, flags: &[String]) -> Option<Self> {
        Self::parse(&printed(executable, flags, "--print-config")?)
    }

    fn parse(text: &str) -> Option<Self> {
        let root = DeTable::parse(text).ok()?;
        let http2 = root.get_ref().get(TABLE)?.get_ref().as_table()?;
        let size = |table: &DeTable<'_>, name: &str| match table.get(name)?.get_ref() {
            DeValue::String(text) => bytes(text).ok(),
            DeValue::Integer(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let of_process = |name: &str| size(root.get_ref(), name);
        let mut process_bytes = of_process(PROCESS_BOUNDS[0])?;
        for name in &PROCESS_BOUNDS[1..] {
            process_bytes = process_bytes.saturating_add(of_process(name).unwrap_or(0));
        }
        Some(Self {
            process_bytes,
            window_bytes: size(http2, WINDOW)?,
            windows_bytes: of_process(WINDOWS_SUM).unwrap_or(u64::MAX),
            frame_bytes: size(http2, FRAME).and_then(|bytes| bytes.try_into().ok()),
        })
    }

    /// Memory for clients that these settings allow, with this many connections.
    pub(crate) fn memory_bound_bytes(&self, connections: usize) -> u64 {
        let windows_bytes = self.window_bytes.saturating_mul(connections as u64);
        self.process_bytes
            .saturating_add(windows_bytes.min(self.windows_bytes))
    }
}

/// The most that clients can make the server hold, from its table of bounds (`--memory`).
pub(crate) fn memory_bytes(executable: &Path, flags: &[String]) -> Option<u64> {
    sum_of_bounds(&printed(executable, flags, "--memory")?)
}

fn sum_of_bounds(table: &str) -> Option<u64> {
    let row = table
        .lines()
        .find_map(|line| line.strip_prefix(SUM_OF_BOUNDS))?;
    let mib: u64 = row.rsplit('|').nth(1)?.trim().parse().ok()?;
    mib.checked_mul(1 << 20)
}

/// The output of `executable FLAGS QUESTION`.
fn printed(executable: &Path, flags: &[String], question: &str) -> Option<String> {
    let mut child = Command::new(executable)
        .args(flags)
        .arg(question)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // Read only after its end, so that the wait can have a time limit; its output fits the pipe.
    let status = end_of(&mut child, PRINT_TIMEOUT).ok()?;
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "message_bytes_max = \"4MiB\" # default\nunary_bytes_max = \"256MiB\" # --set\n\n\
        [http2]\nconnection_window_bytes_max = \"4MiB\" # /a = b:1\n";

    #[test]
    fn the_bound_follows_the_settings() {
        let bound_mib = |text: &str, connections| {
            let settings = ServerSettings::parse(text)?;
            Some(settings.memory_bound_bytes(connections) >> 20)
        };
        assert_eq!(bound_mib(PRINTED, 4), Some(256 + 16));
        assert_eq!(bound_mib(PRINTED, 100), Some(256 + 400));
        let capped = format!(
            "held_bytes_max = \"64MiB\"\nunread_bytes_max = 1048576\nreceive_windows_bytes_max = \"100MiB\"\n{PRINTED}"
        );
        assert_eq!(bound_mib(&capped, 4), Some(256 + 64 + 1 + 16));
        assert_eq!(bound_mib(&capped, 160), Some(256 + 64 + 1 + 100));
        assert_eq!(bound_mib("", 4), None);
        assert_eq!(bound_mib("no settings", 4), None);
    }

    #[test]
    fn the_sum_of_all_bounds_is_the_table_s() {
        let table = "| what | bound | MiB |\n|---|---|---|\n| calls | `streams_max` | 848 |\n| all of it | | 767 |\n";
        assert_eq!(sum_of_bounds(table), Some(767 << 20));
        assert_eq!(sum_of_bounds("| calls | | 848 |\n"), None);
    }

    #[test]
    fn a_server_is_asked_with_its_flags() {
        let read = |program: &str, flags: &[&str]| {
            let flags: Vec<_> = flags.iter().map(|&flag| flag.to_owned()).collect();
            ServerSettings::read(Path::new(program), &flags)
        };
        assert_eq!(read("/bin/false", &[]), None);
        assert_eq!(read("/nowhere/server", &[]), None);
        assert_eq!(read("/bin/echo", &[]), None);
        // Its output ends with its last argument, `--print-config`.
        let told = read("/usr/bin/printf", &["%s# %s", PRINTED]);
        assert!(told.is_some());
        assert_eq!(told, ServerSettings::parse(PRINTED));
    }
}
