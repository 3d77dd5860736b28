//! The modes that `compare` compares: hashing modes of the server, and other servers.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Serialize, Serializer};

use crate::files::program;

/// One mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode {
    name: &'static str,
    help: &'static str,
    server: Option<ServerMode>,
}

/// A mode of the server, or another server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ServerMode {
    /// Set for another server.
    executable: Option<&'static Path>,
    flags: &'static [&'static str],
    hashes: bool,
    tls: bool,
}

/// The server without options.
pub const LANES: Mode = hashing("lanes", "the multi-buffer engine", &[]);

/// No server: the lowest cost of the same bytes.
pub const FLOOR: Mode = Mode {
    name: "floor",
    help: "no server: a bare recv loop over the same frames, and the engine with full lanes",
    server: None,
};

const INLINE: &[&str] = &["--hashing", "inline"];
const SINK: &[&str] = &["--hashing", "sink"];

/// This program as the plain server ([`crate::plain`]).
///
/// # Errors
/// The path of this program is unknown.
pub fn plain(workers: Option<usize>) -> Result<Mode> {
    let own = std::env::current_exe().context("cannot find the own executable")?;
    let mut flags = vec!["plain-server"];
    if let Some(workers) = workers {
        flags.extend(["--workers", workers.to_string().leak()]);
    }
    Ok(Mode::of_peer(
        "plain",
        Box::leak(own.into_boxed_path()),
        flags.leak(),
    ))
}

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
    let server = ServerMode {
        executable: None,
        flags,
        hashes,
        tls: false,
    };
    Mode {
        name,
        help,
        server: Some(server),
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

    /// Whether the load uses TLS.
    pub fn is_tls(self) -> bool {
        self.server.is_some_and(|server| server.tls)
    }

    /// The same mode without TLS; `None` if it does not use TLS.
    pub fn without_tls(self) -> Option<Self> {
        let name = self.name.strip_suffix("-tls")?;
        MODES.into_iter().find(|mode| mode.name == name)
    }

    /// The name in flags and rows.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// A peer: another server of the contract, as `NAME=COMMAND`. The command is an executable and
    /// flags, separated by blanks.
    ///
    /// # Errors
    /// What is missing, or that there is no such program.
    pub fn peer(text: &str) -> Result<Self> {
        let (name, command) = text.split_once('=').context("it is not NAME=COMMAND")?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        ensure!(
            !name.is_empty() && name.bytes().all(is_plain),
            "`{name}` is not a name of letters, digits, `-` and `_`"
        );
        ensure!(
            MODES.iter().all(|mode| mode.name != name),
            "`{name}` is a mode"
        );
        // Leaked, so that a mode is as small as a name; flags live as long as the process anyway.
        let name: &'static str = name.to_owned().leak();
        let command: &'static str = command.to_owned().leak();
        let words: &'static [&'static str] =
            Vec::leak(command.split_whitespace().collect::<Vec<_>>());
        let (executable, flags) = words.split_first().context("its command is empty")?;
        let executable = program(Path::new(*executable))?;
        let executable = Box::leak(executable.into_boxed_path());
        Ok(Self::of_peer(name, executable, flags))
    }

    fn of_peer(
        name: &'static str,
        executable: &'static Path,
        flags: &'static [&'static str],
    ) -> Self {
        let server = ServerMode {
            executable: Some(executable),
            flags,
            hashes: true,
            tls: false,
        };
        Self {
            name,
            help: "another server",
            server: Some(server),
        }
    }

    /// The executable of a peer. `None` for a mode of the server.
    pub fn peer_executable(self) -> Option<&'static Path> {
        self.server?.executable
    }

    /// The server's flags for this mode. `None` if there is no server.
    pub fn server_flags(self) -> Option<&'static [&'static str]> {
        self.server.map(|server| server.flags)
    }

    /// Whether there are digests to compare.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_a_name_and_a_command() {
        let peer = Mode::peer("plain-go=/bin/sh -c  x=y").unwrap();
        assert_eq!(peer.name(), "plain-go");
        assert_eq!(peer.peer_executable(), Some(Path::new("/bin/sh")));
        assert_eq!(peer.server_flags(), Some(&["-c", "x=y"][..]));
        assert!(peer.hashes());
        assert_eq!(LANES.peer_executable(), None);
        for (text, error) in [
            ("/bin/sh", "NAME=COMMAND"),
            ("=/bin/sh", "not a name"),
            ("a b=/bin/sh", "not a name"),
            ("lanes=/bin/sh", "is a mode"),
            ("floor=/bin/sh", "is a mode"),
            ("go= ", "empty"),
            ("go=/nowhere/server", "/nowhere/server"),
        ] {
            let found = Mode::peer(text).unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }
}
