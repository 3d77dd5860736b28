//! Settings: declared, read and checked once; valid ever after.
//!
//! ```text
//! settings.rs   every setting, declared with the macro of declare.rs, the kinds of value_kinds.rs and the
//!               enums of choices.rs -> struct Settings, SETTINGS
//! sources.rs    file (TOML) < environment (HASHLANE_*) < flags
//!                -> names and texts, each with its origin
//! config.rs     each source over the earlier ones, over the defaults -> Config: Settings, origins
//! conflicts.rs  checks that the values do not contradict each other
//! settings_table.rs      the table of docs/settings.md
//! memory.rs     makes bounds that were not set fit the available memory
//! files.rs      reads files that settings name; clients.rs reads the files of tokens and quotas
//! ```
//!
//! Every value is checked, even if another value hides it. Values that are not allowed end start-up
//! with a line for each, which names the setting, the value, its origin and what is allowed.

mod choices;
mod clients;
#[allow(
    clippy::module_inception,
    reason = "the settings in force, of the folder of settings"
)]
mod config;
mod conflicts;
mod declare;
mod files;
mod memory;
mod settings;
mod settings_table;
mod sources;
#[cfg(test)]
mod tests;
mod value_kinds;

pub use self::choices::{ClientCertificates, Hashing, LogFormat, Pin};
pub use self::config::{Config, MemoryFit};
pub(crate) use self::files::wrong_file;
pub(crate) use self::settings::LINGER_MAX;
pub use self::settings::{
    AdminSettings, ClientsSettings, Effect, Http2Settings, Settings, TlsSettings, TracesSettings,
};
pub use self::settings_table::settings_table;
pub use self::sources::{CONFIG_VARIABLE, SettingFlags};
