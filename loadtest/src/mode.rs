//! What `compare` compares: what the server does with the bytes it receives.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Serialize, Serializer};

/// One mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode {
    name: &'static str,
    help: &'static str,
    server: Option<ServerMode>,
}

/// A mode of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ServerMode {
    flags: &'static [&'static str],
    hashes: bool,
}

/// The server as it is.
pub const LANES: Mode = hashing("lanes", "the multi-buffer engine", &[]);

/// No server: the least that the same bytes can cost.
pub const FLOOR: Mode = Mode {
    name: "floor",
    help: "no server: a bare recv loop over the same frames, and the engine with full lanes",
    server: None,
};

const INLINE: &[&str] = &["--hashing", "inline"];
const SINK: &[&str] = &["--hashing", "sink"];

/// All modes.
const MODES: [Mode; 4] = [
    LANES,
    hashing("inline", "one stream at a time, in the handler", INLINE),
    Mode {
        name: "sink",
        help: "no hashing: digests are not checked",
        server: Some(ServerMode {
            flags: SINK,
            hashes: false,
        }),
    },
    FLOOR,
];

const fn hashing(name: &'static str, help: &'static str, flags: &'static [&'static str]) -> Mode {
    let hashes = true;
    Mode {
        name,
        help,
        server: Some(ServerMode { flags, hashes }),
    }
}

impl Mode {
    /// Its name in flags and rows.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The server's flags for it. Nothing if there is no server.
    pub fn server_flags(self) -> Option<&'static [&'static str]> {
        self.server.map(|server| server.flags)
    }

    /// Whether there are digests to check.
    pub fn hashes(self) -> bool {
        self.server.is_some_and(|server| server.hashes)
    }

    /// Parses a mode's name.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let names = MODES.map(|mode| PossibleValue::new(mode.name).help(mode.help));
        PossibleValuesParser::new(names).map(|name| {
            let found = MODES.into_iter().find(|mode| mode.name == name);
            found.expect("the parser allows these names alone")
        })
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}
