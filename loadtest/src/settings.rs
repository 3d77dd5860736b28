//! What the server's settings allow its memory to grow to.
//!
//! ```text
//! --print-config -> defaults <- environment <- --server-set     as the server lays them over each other
//! bound = waiting + held + unread bytes of the process + receive windows of the load's connections
//! ```

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::args::{Setting, bytes};

/// Settings that bound bytes of the whole process. Servers know some of them.
const PROCESS_BOUNDS: [&str; 3] = ["waiting_bytes_max", "held_bytes_max", "unread_bytes_max"];

/// A connection's flow-control window, and their sum over the process.
const WINDOW: &str = "http2.connection_window_bytes";
const WINDOWS_SUM: &str = "receive_windows_bytes_max";

/// The largest payload of a frame.
const FRAME: &str = "http2.frame_bytes_max";

/// Time for the server to print them, and between two looks at it.
const PRINT_TIMEOUT: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(2);

/// A server's settings as text, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerSettings(BTreeMap<String, String>);

impl ServerSettings {
    /// The settings that `executable` would have with `given`. Nothing if it
    /// does not tell its defaults, or if a file has a say too.
    pub(crate) fn read(executable: &Path, given: &[Setting], flags: &[String]) -> Option<Self> {
        let file = |flag: &String| flag == "--config" || flag.starts_with("--config=");
        if flags.iter().any(file) || std::env::var_os("HASHLANE_CONFIG").is_some() {
            return None;
        }
        let mut settings = Self::parse(&printed_config(executable)?);
        for (name, value) in &mut settings.0 {
            let variable = name.to_uppercase().replace('.', "__");
            if let Ok(text) = std::env::var(format!("HASHLANE_{variable}")) {
                *value = text;
            }
        }
        for setting in given {
            settings
                .0
                .insert(setting.name.clone(), setting.value.clone());
        }
        Some(settings)
    }

    /// Reads `name = value` and `[table]`: all the TOML that `--print-config` writes.
    fn parse(text: &str) -> Self {
        let mut settings = BTreeMap::new();
        let mut table = String::new();
        for line in text.lines().map(str::trim) {
            if let Some(name) = line
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
            {
                table = format!("{name}.");
            } else if let Some((name, value)) = line.split_once('=')
                && !line.starts_with('#')
            {
                let value = value.trim().trim_matches('"');
                settings.insert(format!("{table}{}", name.trim()), value.to_owned());
            }
        }
        Self(settings)
    }

    /// The bytes these settings allow the process to hold for its clients, with
    /// so many connections. Nothing if that is not known.
    pub(crate) fn memory_bound_bytes(&self, connections: usize) -> Option<u64> {
        if self
            .0
            .get("http2.adaptive_window")
            .is_some_and(|value| value == "true")
        {
            return None;
        }
        let mut bound_bytes = self.size(PROCESS_BOUNDS[0])?;
        for name in &PROCESS_BOUNDS[1..] {
            bound_bytes += self.size(name).unwrap_or(0);
        }
        let windows_bytes = self.size(WINDOW)?.saturating_mul(connections as u64);
        let sum_bytes = self.size(WINDOWS_SUM).unwrap_or(u64::MAX);
        Some(bound_bytes.saturating_add(windows_bytes.min(sum_bytes)))
    }

    /// The largest payload of an HTTP/2 frame, if that is known.
    pub(crate) fn frame_bytes(&self) -> Option<u32> {
        self.size(FRAME).and_then(|bytes| bytes.try_into().ok())
    }

    fn size(&self, name: &str) -> Option<u64> {
        bytes(self.0.get(name)?).ok()
    }
}

/// What `executable --print-config` prints.
fn printed_config(executable: &Path) -> Option<String> {
    let mut child = Command::new(executable)
        .arg("--print-config")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // It is not read before it ended, so that it can be waited for with a limit: what it prints fits the pipe.
    let deadline = Instant::now() + PRINT_TIMEOUT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
            _ => {
                // It may have ended by itself at this moment.
                let _ = child.kill();
                child.wait().ok()?;
                return None;
            }
        }
    };
    let mut text = String::new();
    child.stdout.take()?.read_to_string(&mut text).ok()?;
    status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "# bytes of one message = 4\nmessage_bytes_max = \"4MiB\"\nwaiting_bytes_max = \"256MiB\"\n\n\
        [http2]\n# a window\nconnection_window_bytes = \"4MiB\"\nadaptive_window = false\n";

    #[test]
    fn the_bound_follows_the_settings() {
        let bound_mib = |text: &str, connections| {
            ServerSettings::parse(text)
                .memory_bound_bytes(connections)
                .map(|bytes| bytes >> 20)
        };
        assert_eq!(bound_mib(PRINTED, 4), Some(256 + 16));
        assert_eq!(bound_mib(PRINTED, 100), Some(256 + 400));
        let capped = format!(
            "held_bytes_max = \"64MiB\"\nunread_bytes_max = 1048576\nreceive_windows_bytes_max = \"100MiB\"\n{PRINTED}"
        );
        assert_eq!(bound_mib(&capped, 4), Some(256 + 64 + 1 + 16));
        assert_eq!(bound_mib(&capped, 160), Some(256 + 64 + 1 + 100));
        assert_eq!(bound_mib(&PRINTED.replace("false", "true"), 4), None);
        assert_eq!(bound_mib("", 4), None);
    }

    #[test]
    fn a_program_that_does_not_tell_has_no_bound() {
        let read = |program: &str, flags: &[&str]| {
            let flags: Vec<_> = flags.iter().map(|&flag| flag.to_owned()).collect();
            ServerSettings::read(Path::new(program), &[], &flags)
        };
        assert_eq!(read("/bin/false", &[]), None);
        assert_eq!(read("/nowhere/server", &[]), None);
        assert!(read("/bin/echo", &[]).is_some());
        assert_eq!(read("/bin/echo", &["--config=x"]), None);
    }
}
