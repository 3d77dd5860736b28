//! Why the settings could not be read.

/// Why the settings could not be read. Displays as one line.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A value that the setting does not allow.
    #[error("setting {setting}: {value:?} ({origin}) is not allowed; allowed: {allowed}")]
    Value {
        /// The setting.
        setting: &'static str,
        /// The value.
        value: String,
        /// Its origin: a file and its line, a variable or a flag.
        origin: String,
        /// What is allowed.
        allowed: String,
    },
    /// A name that is not a setting.
    #[error("setting {name} ({origin}): there is no setting of this name; --settings lists all")]
    Unknown {
        /// The name given.
        name: String,
        /// Its origin.
        origin: String,
    },
    /// Values that contradict each other.
    #[error("setting {setting}: {reason}")]
    Together {
        /// The setting to change.
        setting: &'static str,
        /// Why it contradicts the other values.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("configuration file {place}: {reason}")]
    File {
        /// The file, and its line if the line is at fault.
        place: String,
        /// Why it cannot be read.
        reason: String,
    },
}
