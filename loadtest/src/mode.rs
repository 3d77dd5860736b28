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
    tls: bool,
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
const MODES: [Mode; 6] = [
    LANES,
    hashing("inline", "one stream at a time, in the handler", INLINE),
    sink("sink", "no hashing: digests are not checked"),
    hashing("lanes-tls", "as lanes, over TLS", &[]).over_tls(),
    sink("sink-tls", "as sink, over TLS").over_tls(),
    FLOOR,
];

const fn hashing(name: &'static str, help: &'static str, flags: &'static [&'static str]) -> Mode {
    with_server(name, help, flags, true)
}

const fn sink(name: &'static str, help: &'static str) -> Mode {
    with_server(name, help, SINK, false)
}

const fn with_server(
    name: &'static str,
    help: &'static str,
    flags: &'static [&'static str],
    hashes: bool,
) -> Mode {
    let tls = false;
    Mode {
        name,
        help,
        server: Some(ServerMode { flags, hashes, tls }),
    }
}

impl Mode {
    const fn over_tls(self) -> Self {
        let server = match self.server {
            Some(server) => Some(ServerMode {
                tls: true,
                ..server
            }),
            None => None,
        };
        Self { server, ..self }
    }

    /// Whether the load goes over TLS.
    pub fn is_tls(self) -> bool {
        self.server.is_some_and(|server| server.tls)
    }

    /// The same without TLS, of a mode that is over TLS.
    pub fn without_tls(self) -> Option<Self> {
        let name = self.name.strip_suffix("-tls")?;
        MODES.into_iter().find(|mode| mode.name == name)
    }

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
