//! The settings in force, and where each value is from.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::ensure;
use toml::Value;

use super::settings::{Effect, SETTINGS, Settings};
use super::sources::{self, Given, SettingFlags};
use super::{memory, value_kinds};

/// The origin of a value that is not set.
const DEFAULT: &str = "default";

impl Settings {
    /// The defaults, changed by `changes` (name and value). For tests and for programs that embed
    /// the server.
    ///
    /// # Errors
    /// All values that are not allowed and names that are not settings, a line each; or all
    /// contradictions, a line each.
    pub fn with(changes: &[(&str, &str)]) -> anyhow::Result<Self> {
        let given = |(name, text): &(&str, &str)| Given::new(name, text, "program");
        Ok(Config::of(changes.iter().map(given))?.settings)
    }
}

/// The current settings and their origins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The current settings.
    pub settings: Settings,
    /// Variables that begin with `HASHLANE_` and belong to no setting.
    pub unknown_variables: Vec<String>,
    /// In the order of [`SETTINGS`].
    origins: Vec<String>,
}

/// The result of fitting bounds to the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFit {
    /// The available memory.
    pub memory_max: String,
    /// Its source.
    pub from: String,
    /// The settings that were reduced.
    pub settings: Vec<&'static str>,
    /// Whether the worst case of clients fits now; if not, explicit values are too large.
    pub fits: bool,
}

impl Config {
    /// Reads the layers: `file`, `environment` (all variables) and `flags`.
    ///
    /// # Errors
    /// All values that are not allowed and names that are not settings (except in the environment),
    /// a line each; or all contradictions, a line each; or a file that cannot be read.
    pub fn read(
        file: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
        flags: &SettingFlags,
    ) -> anyhow::Result<Self> {
        let mut given = file.map_or(Ok(Vec::new()), sources::file)?;
        let (variables, unknown_variables) = sources::environment(environment);
        given.extend(variables);
        given.extend_from_slice(&flags.0);
        Ok(Self {
            unknown_variables,
            ..Self::of(given)?
        })
    }

    /// Makes bounds that are not set fit `memory_max`, by default the memory of the cgroup or of
    /// the machine. `root` is the directory of `/proc` and `/sys`; `worst_bytes` computes the most
    /// that clients can make the process hold. Returns the changes, if any were needed.
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
        let shown = value_kinds::show_bytes(memory_max);
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

    /// The defaults, overridden by the given values in order.
    fn of(given: impl IntoIterator<Item = Given>) -> anyhow::Result<Self> {
        let mut config = Self {
            settings: Settings::default(),
            unknown_variables: Vec::new(),
            origins: vec![DEFAULT.to_owned(); SETTINGS.len()],
        };
        let mut wrong = Vec::new();
        for Given { name, text, origin } in given {
            let Some(at) = SETTINGS.iter().position(|s| s.name == name) else {
                wrong.push(format!(
                    "setting {name} ({origin}): there is no setting of this name; --settings lists \
                     all"
                ));
                continue;
            };
            if let Err((value, allowed)) = SETTINGS[at].take(&mut config.settings, text) {
                wrong.push(format!(
                    "setting {name}: {value:?} ({origin}) is not allowed; allowed: {allowed}"
                ));
            }
            config.origins[at] = origin;
        }
        if wrong.is_empty() {
            wrong = config.settings.conflicts();
        }
        ensure!(wrong.is_empty(), wrong.join("\n"));
        Ok(config)
    }

    /// The current settings as a configuration file, each value with its origin.
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
        for name in &self.unknown_variables {
            let _ = writeln!(text, "# {name}: no setting has this variable");
        }
        text
    }

    /// Takes the live settings from `new`.
    pub fn take_live(&mut self, new: Self) {
        for setting in SETTINGS.iter().filter(|s| s.effect == Effect::Live) {
            let value = (setting.show)(&new.settings);
            // The value was checked when `new` was read.
            (setting.set)(&mut self.settings, &value);
        }
    }

    /// Settings whose value differs in `new`, with the new values: those that take effect then.
    #[must_use]
    pub fn changes(&self, new: &Self, effect: Effect) -> String {
        let changed = SETTINGS.iter().filter(|setting| setting.effect == effect);
        let changed = changed.filter_map(|setting| {
            let [old, new] = [self, new].map(|config| (setting.show)(&config.settings));
            (new != old).then(|| format!("{}={new}", setting.name))
        });
        changed.collect::<Vec<_>>().join(", ")
    }
}

/// The text of a value as TOML writes it.
fn toml_value(text: &str) -> String {
    let is_scalar = |value: &Value| matches!(value, Value::Integer(_) | Value::Boolean(_));
    match text.parse() {
        Ok(value) if is_scalar(&value) => text.to_owned(),
        _ => Value::from(text).to_string(),
    }
}
