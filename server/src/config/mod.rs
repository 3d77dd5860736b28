//! Settings: read once, checked once, and after that impossible to get wrong.
//!
//! ```text
//! defaults < file (TOML) < environment (HASHLANE_*) < flags
//!      layers.rs lays them over each other, table.rs lists them,
//!      value.rs checks them -> Settings
//! ```
//!
//! A value that is not allowed ends start-up with one line that names the
//! setting, the value, where it came from and what is allowed.

mod layers;
mod table;
mod value;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hashlane_engine::Kernel;

use self::layers::Values;
use self::table::SETTINGS;
use self::value::{Kind, Value};

/// Why the settings could not be read. Displayed in one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A value that the setting does not allow.
    #[error("setting {setting}: {value:?} ({origin}) is not allowed; allowed: {allowed}")]
    Value {
        /// The setting.
        setting: &'static str,
        /// What was given.
        value: String,
        /// Where it was given.
        origin: String,
        /// What is allowed.
        allowed: String,
    },
    /// A name that is no setting.
    #[error("setting {name}: there is no setting of this name; --print-config lists all")]
    Unknown {
        /// The name given.
        name: String,
    },
    /// A file that cannot be read.
    #[error("configuration file {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// What hashes the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// The multi-buffer engine.
    Lanes,
    /// sha2, sha1 and md-5 in the handler, to measure against.
    Inline,
    /// Nothing: every digest is zero. To measure transport alone.
    Sink,
}

impl Hashing {
    /// The word for it in the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lanes => "lanes",
            Self::Inline => "inline",
            Self::Sink => "sink",
        }
    }
}

/// Whether workers are pinned to cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Unless a CPU quota allows fewer cores than the affinity mask.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// HTTP/2 as the server speaks it.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "config/table.rs says what each setting means")]
pub struct Http2Settings {
    pub stream_window_bytes: u32,
    pub connection_window_bytes: u32,
    pub connection_window_bytes_max: u32,
    pub frame_bytes_max: u32,
    pub streams_max: u32,
    pub header_list_bytes_max: u32,
    pub pending_reset_streams_max: usize,
    pub send_buffer_bytes_max: usize,
    pub keep_alive_interval: Duration,
    pub keep_alive_timeout: Duration,
}

/// Everything that can be set, checked.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "config/table.rs says what each setting means")]
pub struct Settings {
    pub listen: SocketAddr,
    pub listen_unix: Option<PathBuf>,
    pub unix_socket_mode: u32,
    pub admin_listen: SocketAddr,
    /// `None` is one per usable core.
    pub workers: Option<usize>,
    pub pin: Pin,
    pub hashing: Hashing,
    /// All of them available here. Of the families that have none, any may be used.
    pub kernels: Vec<Kernel>,
    pub connections_max: u64,
    pub streams_max: usize,
    pub message_bytes_max: usize,
    pub part_bytes_max: u64,
    pub parts_per_stream_max: usize,
    pub parts_max: usize,
    pub batch_blobs_max: usize,
    pub client_share_percent: usize,
    pub unary_bytes_max: usize,
    pub receive_windows_bytes_max: usize,
    pub unread_bytes_max: usize,
    pub held_bytes_max: usize,
    /// Zero is none.
    pub linger: Duration,
    pub part_idle_timeout: Duration,
    /// Zero is none.
    pub part_rate_bytes_per_second_min: u64,
    pub part_rate_window: Duration,
    pub preface_timeout: Duration,
    pub drain_timeout: Duration,
    pub log: String,
    pub log_format: LogFormat,
    pub http2: Http2Settings,
}

impl Settings {
    /// Reads the layers: `file`, `environment` (all variables; those that are
    /// no settings are passed over) and `flags` (name and value).
    ///
    /// # Errors
    /// The first value that is not allowed, a name that is no setting, or a
    /// file that cannot be read.
    pub fn read(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
        flags: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let values = Values::read(file, environment, flags)?;
        Ok(Self {
            listen: values.address("listen"),
            listen_unix: Some(values.text("listen_unix"))
                .filter(|path| !path.is_empty())
                .map(PathBuf::from),
            unix_socket_mode: values.narrow("unix_socket_mode"),
            admin_listen: values.address("admin_listen"),
            workers: values.count("workers").map(to_usize),
            pin: match values.text("pin") {
                "true" => Pin::Always,
                "false" => Pin::Never,
                _ => Pin::Auto,
            },
            hashing: match values.text("hashing") {
                "inline" => Hashing::Inline,
                "sink" => Hashing::Sink,
                _ => Hashing::Lanes,
            },
            kernels: values.kernels("kernel"),
            connections_max: values.number("connections_max"),
            streams_max: values.size("streams_max"),
            message_bytes_max: values.size("message_bytes_max"),
            part_bytes_max: values.number("part_bytes_max"),
            parts_per_stream_max: values.size("parts_per_stream_max"),
            parts_max: values.size("parts_max"),
            batch_blobs_max: values.size("batch_blobs_max"),
            client_share_percent: values.size("client_share_percent"),
            unary_bytes_max: values.size("unary_bytes_max"),
            receive_windows_bytes_max: values.size("receive_windows_bytes_max"),
            unread_bytes_max: values.size("unread_bytes_max"),
            held_bytes_max: values.size("held_bytes_max"),
            linger: values.time("linger"),
            part_idle_timeout: values.time("part_idle_timeout"),
            part_rate_bytes_per_second_min: values.number("part_rate_bytes_per_second_min"),
            part_rate_window: values.time("part_rate_window"),
            preface_timeout: values.time("preface_timeout"),
            drain_timeout: values.time("drain_timeout"),
            log: values.text("log").to_owned(),
            log_format: match values.text("log_format") {
                "json" => LogFormat::Json,
                _ => LogFormat::Text,
            },
            http2: Http2Settings {
                stream_window_bytes: values.narrow("http2.stream_window_bytes"),
                connection_window_bytes: values.narrow("http2.connection_window_bytes"),
                connection_window_bytes_max: values.narrow("http2.connection_window_bytes_max"),
                frame_bytes_max: values.narrow("http2.frame_bytes_max"),
                streams_max: values.narrow("http2.streams_max"),
                header_list_bytes_max: values.narrow("http2.header_list_bytes_max"),
                pending_reset_streams_max: values.size("http2.pending_reset_streams_max"),
                send_buffer_bytes_max: values.size("http2.send_buffer_bytes_max"),
                keep_alive_interval: values.time("http2.keep_alive_interval"),
                keep_alive_timeout: values.time("http2.keep_alive_timeout"),
            },
        })
    }

    /// The defaults, with `changes` (name and value) over them. For tests and
    /// for programs that run the server inside themselves.
    ///
    /// # Errors
    /// As [`Settings::read`].
    pub fn with(changes: &[(&str, &str)]) -> Result<Self, ConfigError> {
        let flags: Vec<_> = changes
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        Self::read(None, std::iter::empty(), &flags)
    }
}

/// The defaults as a configuration file, each with its meaning and variable.
#[must_use]
pub fn default_file() -> String {
    let mut text = String::new();
    let mut table = "";
    for setting in SETTINGS {
        let (in_table, key) = setting.name.split_once('.').unwrap_or(("", setting.name));
        if in_table != table {
            table = in_table;
            let _ = writeln!(text, "[{table}]\n");
        }
        let _ = writeln!(text, "# {}", setting.about);
        let _ = writeln!(text, "# allowed: {}", setting.kind.allowed());
        let _ = writeln!(text, "# environment: {}", layers::variable(setting.name));
        let bare = matches!(setting.default, "true" | "false")
            || setting.default.parse::<u64>().is_ok() && !matches!(setting.kind, Kind::Mode);
        let quote = if bare { "" } else { "\"" };
        let _ = writeln!(text, "{key} = {quote}{}{quote}\n", setting.default);
    }
    text
}

impl Values {
    fn address(&self, name: &str) -> SocketAddr {
        match self.get(name) {
            Value::Address(address) => *address,
            other => wrong_kind(name, other),
        }
    }

    fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Text(text) => text,
            other => wrong_kind(name, other),
        }
    }

    fn kernels(&self, name: &str) -> Vec<Kernel> {
        match self.get(name) {
            Value::Kernels(kernels) => kernels.clone(),
            other => wrong_kind(name, other),
        }
    }

    fn count(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Value::Count(count) => *count,
            other => wrong_kind(name, other),
        }
    }

    fn number(&self, name: &str) -> u64 {
        self.count(name)
            .unwrap_or_else(|| wrong_kind(name, &Value::Count(None)))
    }

    fn size(&self, name: &str) -> usize {
        to_usize(self.number(name))
    }

    /// For settings whose range ends below 2^32.
    fn narrow(&self, name: &str) -> u32 {
        u32::try_from(self.number(name)).unwrap_or(u32::MAX)
    }

    fn time(&self, name: &str) -> Duration {
        match self.get(name) {
            Value::Time(time) => *time,
            other => wrong_kind(name, other),
        }
    }
}

/// A bound above the address space bounds nothing, so the largest will do.
fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The table and the reader disagree about a setting: a defect that the first
/// test finds, since every start reads every setting.
fn wrong_kind(name: &str, value: &Value) -> ! {
    unreachable!("setting {name} holds {value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(changes: &[(&str, &str)]) -> String {
        Settings::with(changes).unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_allowed() {
        let settings = Settings::with(&[]).unwrap();
        assert_eq!(settings.listen.port(), 50051);
        assert_eq!(settings.admin_listen.port(), 9464);
        assert_eq!(settings.listen_unix, None);
        assert_eq!(settings.workers, None);
        assert_eq!(settings.http2.frame_bytes_max, 128 << 10);
        assert_eq!(settings.part_bytes_max, 5 << 40);
    }

    #[test]
    fn a_bad_value_is_named_with_what_is_allowed() {
        assert_eq!(
            message(&[("workers", "none")]),
            "setting workers: \"none\" (command line) is not allowed; allowed: auto or 1 to 1024"
        );
        assert_eq!(
            message(&[("http2.frame_bytes_max", "1KiB")]),
            "setting http2.frame_bytes_max: \"1KiB\" (command line) is not allowed; \
             allowed: 16KiB to 16777215B"
        );
        assert_eq!(
            message(&[("listenn", "x")]),
            "setting listenn: there is no setting of this name; --print-config lists all"
        );
        for (name, value) in [
            ("listen", "localhost"),
            ("hashing", "fast"),
            ("drain_timeout", "10"),
            ("part_idle_timeout", "0s"),
            ("kernel", "sha256:avx1024"),
            ("kernel", "portable"),
            ("kernel", "auto,md5:portable"),
            ("kernel", "md5:portable,"),
            ("kernel", ""),
            ("log", "a=b=c"),
            // As TOML it would be another number.
            ("unix_socket_mode", "432"),
            ("unix_socket_mode", "0668"),
            ("unix_socket_mode", "1660"),
        ] {
            let text = message(&[(name, value)]);
            assert!(text.contains(name) && text.contains("allowed: "), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }

    #[test]
    fn kernels_are_of_this_cpu() {
        assert_eq!(Settings::with(&[]).unwrap().kernels, []);
        let both = Settings::with(&[("kernel", "md5:portable, sha256:portable")]);
        let names: Vec<_> = both
            .unwrap()
            .kernels
            .iter()
            .map(Kernel::to_string)
            .collect();
        assert_eq!(names, ["md5:portable", "sha256:portable"]);
        let text = message(&[("kernel", "sha256:abacus")]);
        let here = Kernel::all().filter(|kernel| kernel.is_available());
        for kernel in here {
            assert!(text.contains(&kernel.to_string()), "{text}");
        }
        for kernel in Kernel::all().filter(|kernel| !kernel.is_available()) {
            let name = kernel.to_string();
            let text = message(&[("kernel", &name)]);
            assert!(text.contains("is not allowed"), "{text}");
        }
    }

    #[test]
    fn layers_lie_over_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hashlane.toml");
        std::fs::write(
            &file,
            "workers = 3\nconnections_max = 7\nlisten = \"[::1]:1\"\n[http2]\nstreams_max = 9\n",
        )
        .unwrap();
        let environment = [
            ("HASHLANE_CONNECTIONS_MAX", "8"),
            ("HASHLANE_HTTP2__STREAMS_MAX", "10"),
            ("HASHLANE_LISTEN", "[::1]:2"),
            ("HASHLANE_SERVICE_HOST", "10.0.0.1"),
        ]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let flags = [("http2.streams_max".to_owned(), "11".to_owned())];
        let settings = Settings::read(Some(&file), environment.into_iter(), &flags).unwrap();
        assert_eq!(settings.workers, Some(3));
        assert_eq!(settings.connections_max, 8);
        assert_eq!(settings.listen.to_string(), "[::1]:2");
        assert_eq!(settings.http2.streams_max, 11);
    }

    #[test]
    fn a_bad_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hashlane.toml");
        for (text, expected) in [
            ("workers = [1]", "setting workers"),
            ("worker = 1", "setting worker: there is no setting"),
            ("[http3]\na = 1", "setting http3: there is no setting"),
            ("[http2]\nframes = 1", "setting http2.frames: there is no"),
            ("workers = ", "configuration file"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = Settings::read(Some(&file), std::iter::empty(), &[]).unwrap_err();
            let line = error.to_string();
            assert!(line.contains(expected), "{text:?}: {line}");
            assert!(!line.contains('\n'), "{line}");
        }
        let missing = folder.path().join("missing.toml");
        let error = Settings::read(Some(&missing), std::iter::empty(), &[]).unwrap_err();
        assert!(error.to_string().contains("missing.toml"));
    }

    #[test]
    fn the_environment_is_named_in_errors() {
        let environment = [(OsString::from("HASHLANE_WORKERS"), OsString::from("0"))];
        let error = Settings::read(None, environment.into_iter(), &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting workers: \"0\" (environment HASHLANE_WORKERS) is not allowed; \
             allowed: auto or 1 to 1024"
        );
    }

    #[test]
    fn the_default_file_reads_as_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hashlane.toml");
        std::fs::write(&file, default_file()).unwrap();
        let read = Settings::read(Some(&file), std::iter::empty(), &[]).unwrap();
        assert_eq!(
            format!("{read:?}"),
            format!("{:?}", Settings::with(&[]).unwrap())
        );
    }
}
