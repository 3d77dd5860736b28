//! Settings: declared once, read once, checked once, and after that impossible to get wrong.
//!
//! ```text
//! settings.rs   every setting, declared with the macro of declare.rs and the kinds of kind.rs
//!                -> struct Settings, SETTINGS
//! sources.rs    file (TOML) < environment (HASHLANE_*) < flags
//!                -> names and texts, each with its origin
//! mod.rs        one over the other, over the defaults -> Config: Settings and their origins
//! memory.rs     bounds that were not set, made to fit the memory there is
//! files.rs      files that settings name; clients.rs reads the files of tokens and quotas
//! ```
//!
//! Every value is checked, even if another value hides it. A value that is not allowed ends
//! start-up with one line that names the setting, the value, where it came from and what is
//! allowed.

mod clients;
mod declare;
mod files;
mod kind;
mod memory;
mod settings;
mod sources;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

pub use self::declare::Effect;
pub use self::files::FileError;
use self::kind::Words;
pub(crate) use self::kind::is_empty_filter;
use self::settings::SETTINGS;
pub use self::settings::{
    AdminSettings, ClientsSettings, Http2Settings, Settings, TlsSettings, TracesSettings,
};
use self::sources::Given;
pub use self::sources::{CONFIG_VARIABLE, SettingFlags};

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
        /// Where it was given: a file and its line, a variable or a flag.
        origin: String,
        /// What is allowed.
        allowed: String,
    },
    /// A name that is no setting.
    #[error("setting {name} ({origin}): there is no setting of this name; --settings lists all")]
    Unknown {
        /// The name given.
        name: String,
        /// Where it was given.
        origin: String,
    },
    /// Values that do not go together.
    #[error("setting {setting}: {reason}")]
    Together {
        /// The setting to change.
        setting: &'static str,
        /// What is wrong with it, given the others.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("configuration file {place}: {reason}")]
    File {
        /// The file, and its line if it is one that cannot be read.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The origin of a value that is not set.
const DEFAULT: &str = "default";

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

impl Words for Hashing {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("lanes", Self::Lanes),
        ("inline", Self::Inline),
        ("sink", Self::Sink),
    ];
}

impl Hashing {
    /// The word for it in the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.word()
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

impl Words for Pin {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("true", Self::Always),
        ("false", Self::Never),
    ];
}

/// Whether TLS asks clients for certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCertificates {
    /// It does not.
    Off,
    /// It does, and takes clients that have none.
    Optional,
    /// It does, and refuses clients that have none.
    Required,
}

impl Words for ClientCertificates {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("off", Self::Off),
        ("optional", Self::Optional),
        ("required", Self::Required),
    ];
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Words for LogFormat {
    const WORDS: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

impl Settings {
    /// The defaults, with `changes` (name and value) over them. For tests and for programs that
    /// run the server inside themselves.
    ///
    /// # Errors
    /// The first value that is not allowed, name that is no setting, or values that do not go
    /// together.
    pub fn with(changes: &[(&str, &str)]) -> Result<Self, ConfigError> {
        let given = |(name, text): &(&str, &str)| Given::new(name, text, "program");
        Ok(Config::of(changes.iter().map(given))?.settings)
    }

    /// Whether a port without TLS may have this address.
    pub(crate) fn check_clear(&self, address: SocketAddr) -> Result<(), String> {
        if self.insecure || address.ip().to_canonical().is_loopback() {
            return Ok(());
        }
        Err(format!(
            "{address} is no loopback address, and has no tls: use tls.listen instead, \
             or allow it with insecure=true"
        ))
    }

    /// Whether the values go together.
    fn check(&self) -> Result<(), ConfigError> {
        let wrong = |setting, reason: &str| {
            let reason = reason.to_owned();
            Err(ConfigError::Together { setting, reason })
        };
        let Self { listen, tls, .. } = self;
        if let Some(listen) = listen {
            let clear = self.check_clear(*listen);
            clear.or_else(|reason| wrong("listen", &reason))?;
            if tls.listen.is_some_and(|tls| overlap(*listen, tls)) {
                return wrong(
                    "listen",
                    "has the port of tls.listen; empty it with listen=",
                );
            }
        }
        if listen.is_none() && tls.listen.is_none() && self.listen_unix.is_none() {
            return wrong("listen", "empty, and so are listen_unix and tls.listen");
        }
        if tls.listen.is_some() {
            if tls.certificate.is_none() {
                return wrong("tls.certificate", "empty, but tls.listen needs it");
            }
            if tls.key.is_none() {
                return wrong("tls.key", "empty, but tls.listen needs it");
            }
        }
        let AdminSettings {
            certificate,
            key,
            client_ca,
        } = &self.admin;
        match (certificate, key) {
            (Some(_), None) => return wrong("admin.key", "empty, but admin.certificate needs it"),
            (None, Some(_)) => return wrong("admin.key", "of no use without admin.certificate"),
            (None, None) if client_ca.is_some() => {
                return wrong("admin.client_ca", "of no use without admin.certificate");
            }
            _ => {}
        }
        match (tls.client_certificates, &tls.client_ca) {
            (ClientCertificates::Off, Some(_)) => wrong(
                "tls.client_ca",
                "of no use while tls.client_certificates is off",
            ),
            (asked, None) if asked != ClientCertificates::Off => wrong(
                "tls.client_ca",
                "empty, but tls.client_certificates needs it",
            ),
            (ClientCertificates::Off, _) if tls.client_crl.is_some() => wrong(
                "tls.client_crl",
                "of no use while tls.client_certificates is off",
            ),
            _ => Ok(()),
        }
    }

    /// What hashes the bytes: the engine, but in builds with the feature `measure`.
    #[must_use]
    pub fn hashing(&self) -> Hashing {
        #[cfg(feature = "measure")]
        return self.hashing;
        #[cfg(not(feature = "measure"))]
        Hashing::Lanes
    }
}

/// Whether two sockets cannot listen on these addresses at the same time.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let [a, b] = [one, other].map(|address| address.ip().to_canonical());
    // All addresses of IPv6 are those of IPv4 too.
    let has_all = |ip: IpAddr, of: IpAddr| ip.is_unspecified() && (ip.is_ipv6() || of.is_ipv4());
    one.port() != 0 && one.port() == other.port() && (a == b || has_all(a, b) || has_all(b, a))
}

/// The settings in force, and where each came from.
#[derive(Clone, Debug)]
pub struct Config {
    /// What is in force.
    pub settings: Settings,
    /// Variables that begin with `HASHLANE_` and are no setting's, each with the one that may have
    /// been meant.
    pub unknown_variables: Vec<(String, Option<String>)>,
    /// As in [`SETTINGS`].
    origins: Vec<String>,
}

/// How bounds were made to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFit {
    /// The memory there is.
    pub memory_max: String,
    /// What says so.
    pub from: String,
    /// The settings that were made smaller.
    pub settings: Vec<&'static str>,
    /// Whether what clients can take fits now; else too much of it was set.
    pub fits: bool,
}

/// A setting that differs between two configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its name.
    pub setting: &'static str,
    /// Its new value.
    pub value: String,
    /// When that takes effect.
    pub effect: Effect,
}

impl Config {
    /// Reads the layers: `file`, `environment` (all variables) and `flags`.
    ///
    /// # Errors
    /// The first value that is not allowed, a name that is no setting (but in the environment),
    /// values that do not go together, or a file that cannot be read.
    pub fn read(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
        flags: &SettingFlags,
    ) -> Result<Self, ConfigError> {
        let mut given = file.map_or(Ok(Vec::new()), sources::file)?;
        let (variables, unknown_variables) = sources::environment(environment);
        given.extend(variables);
        given.extend_from_slice(&flags.0);
        Ok(Self {
            unknown_variables,
            ..Self::of(given)?
        })
    }

    /// Makes bounds that are not set fit `memory_max`, by default that of the cgroup or of the
    /// machine. `root` is where `/proc` and `/sys` are, `worst_bytes` what clients can make the
    /// process hold. Returns what it did, if there was anything to do.
    pub fn fit_memory(
        &mut self,
        root: &Path,
        worst_bytes: fn(&Settings) -> usize,
    ) -> Option<MemoryFit> {
        let (memory_max, from) = match self.settings.memory_max {
            Some(bytes) => (bytes, "memory_max".to_owned()),
            None => {
                let (bytes, file) = memory::available(root)?;
                (bytes, file.display().to_string())
            }
        };
        let origins = &self.origins;
        let at = |name: &str| SETTINGS.iter().position(|setting| setting.name == name);
        let is_set = |name: &str| at(name).is_some_and(|at| origins[at] != DEFAULT);
        let changed = memory::fit(&mut self.settings, memory_max, is_set, worst_bytes);
        let shown = kind::show_bytes(memory_max);
        for at in changed.iter().filter_map(|name| at(name)) {
            self.origins[at] = format!("made to fit {shown} ({from})");
        }
        let fits = memory::fits(&self.settings, memory_max, worst_bytes);
        (!fits || !changed.is_empty()).then_some(MemoryFit {
            memory_max: shown,
            from,
            settings: changed,
            fits,
        })
    }

    /// The defaults, with one value after the other over them.
    fn of(given: impl IntoIterator<Item = Given>) -> Result<Self, ConfigError> {
        let mut config = Self {
            settings: Settings::default(),
            unknown_variables: Vec::new(),
            origins: vec![DEFAULT.to_owned(); SETTINGS.len()],
        };
        for given in given {
            let Some(at) = SETTINGS.iter().position(|s| s.name == given.name) else {
                return Err(ConfigError::Unknown {
                    name: given.name,
                    origin: given.origin,
                });
            };
            let setting = &SETTINGS[at];
            if let Err(wrong) = setting.take(&mut config.settings, given.text) {
                return Err(ConfigError::Value {
                    setting: setting.name,
                    value: wrong.value,
                    origin: given.origin,
                    allowed: wrong.allowed,
                });
            }
            config.origins[at] = given.origin;
        }
        config.settings.check()?;
        Ok(config)
    }

    /// What is in force as a configuration file, each value with where it came from.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut table = "";
        for (setting, origin) in SETTINGS.iter().zip(&self.origins) {
            let (in_table, key) = setting.name.split_once('.').unwrap_or(("", setting.name));
            if in_table != table {
                table = in_table;
                let _ = writeln!(text, "\n[{table}]");
            }
            let value = toml_value(&(setting.show)(&self.settings));
            let _ = writeln!(text, "{key} = {value} # {origin}");
        }
        for (name, meant) in &self.unknown_variables {
            let meant = meant.as_ref().map(|meant| format!("; {meant} is one"));
            let meant = meant.unwrap_or_default();
            let _ = writeln!(text, "# {name}: no setting has this variable{meant}");
        }
        text
    }

    /// Takes from `new` the settings that are live.
    pub fn take_live(&mut self, new: Self) {
        for setting in SETTINGS.iter().filter(|s| s.effect == Effect::Live) {
            let value = (setting.show)(&new.settings);
            // It was checked when `new` was read.
            (setting.set)(&mut self.settings, &value);
        }
    }

    /// What `new` has other values for.
    #[must_use]
    pub fn changes(&self, new: &Self) -> Vec<Change> {
        let changed = SETTINGS.iter().filter_map(|setting| {
            let value = (setting.show)(&new.settings);
            (value != (setting.show)(&self.settings)).then_some(Change {
                setting: setting.name,
                value,
                effect: setting.effect,
            })
        });
        changed.collect()
    }
}

/// All settings as a table in Markdown.
#[must_use]
pub fn settings_table() -> String {
    let defaults = Settings::default();
    let mut text = "| setting | default | meaning | allowed | takes effect |\n".to_owned();
    text += "|---|---|---|---|---|\n";
    for setting in SETTINGS {
        let default = match (setting.show)(&defaults) {
            empty if empty.is_empty() => empty,
            default => format!("`{default}`"),
        };
        let effect = match setting.effect {
            Effect::Start => "at start",
            Effect::Live => "at start, SIGHUP",
        };
        let (about, [allowed, _]) = (setting.about(), (setting.allowed)());
        let row = format!("| {default} | {about} | {allowed} | {effect} |");
        let _ = writeln!(text, "| `{}` {row}", setting.name);
    }
    text
}

/// The text of a value as TOML writes it.
fn toml_value(text: &str) -> String {
    // A number of TOML has no leading zero.
    let is_number = text == "0"
        || text.starts_with(|c: char| matches!(c, '1'..='9'))
            && text.bytes().all(|b| b.is_ascii_digit());
    if is_number || matches!(text, "true" | "false") {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests;
