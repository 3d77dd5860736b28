//! The modes that `compare` compares: hashing modes of the server, and other servers.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::builder::TypedValueParser;
use serde::{Serialize, Serializer};

use crate::args::one_of;
use crate::system::files::program;

/// One mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode {
    /// The name in flags and rows.
    pub(crate) name: &'static str,
    help: &'static str,
    pub(crate) has_server: bool,
    /// Set for another server.
    pub(crate) executable: Option<&'static Path>,
    /// The server's flags for this mode.
    pub(crate) flags: &'static [&'static str],
    /// Whether there are digests to compare.
    pub(crate) hashes: bool,
    /// Whether the load uses TLS.
    pub(crate) is_tls: bool,
}

/// The server without options.
pub(crate) const LANES: Mode = Mode {
    name: "lanes",
    help: "the multi-buffer engine",
    has_server: true,
    executable: None,
    flags: &[],
    hashes: true,
    is_tls: false,
};

const SINK: Mode = Mode {
    name: "sink",
    help: "no hashing: digests are not checked",
    flags: &["--hashing", "sink"],
    hashes: false,
    ..LANES
};

/// No server: the lowest cost of the same bytes.
pub(crate) const FLOOR: Mode = Mode {
    name: "floor",
    help: "no server: a bare recv loop over the same frames, and the engine with full lanes",
    has_server: false,
    hashes: false,
    ..LANES
};

/// All modes.
const MODES: [Mode; 6] = [
    LANES,
    Mode {
        name: "inline",
        help: "one stream at a time, in the handler",
        flags: &["--hashing", "inline"],
        ..LANES
    },
    SINK,
    Mode {
        name: "lanes-tls",
        help: "as lanes, over TLS",
        is_tls: true,
        ..LANES
    },
    Mode {
        name: "sink-tls",
        help: "as sink, over TLS",
        is_tls: true,
        ..SINK
    },
    FLOOR,
];

impl Mode {
    /// The same mode without TLS; `None` if it does not use TLS.
    pub(crate) fn without_tls(self) -> Option<Self> {
        let name = self.name.strip_suffix("-tls")?;
        MODES.into_iter().find(|mode| mode.name == name)
    }

    /// This program as the plain server ([`super::plain_server`]).
    ///
    /// # Errors
    /// The path of this program is unknown.
    pub(crate) fn plain(workers: Option<usize>) -> Result<Self> {
        let own = std::env::current_exe().context("cannot find the own executable")?;
        let workers = workers.map(|workers| format!("--workers={workers}"));
        let flags = std::iter::once("plain-server".to_owned()).chain(workers);
        Ok(Self::of_peer("plain".to_owned(), own, flags))
    }

    /// A peer: another server of the contract, as `NAME=COMMAND`. The command is an executable and
    /// flags, separated by blanks.
    ///
    /// # Errors
    /// What is missing, or that there is no such program.
    pub(crate) fn peer(text: &str) -> Result<Self> {
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
        let mut words = command.split_whitespace().map(str::to_owned);
        let executable = words.next().context("its command is empty")?;
        let executable = program(Path::new(&executable))?;
        Ok(Self::of_peer(name.to_owned(), executable, words))
    }

    /// Leaks, so that a mode is as small as a name; flags live as long as the process anyway.
    fn of_peer(name: String, executable: PathBuf, flags: impl Iterator<Item = String>) -> Self {
        let flags = flags.map(|flag| &*flag.leak());
        Self {
            name: name.leak(),
            help: "another server",
            executable: Some(Box::leak(executable.into_boxed_path())),
            flags: flags.collect::<Vec<_>>().leak(),
            ..LANES
        }
    }

    /// Parses a mode's name.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        one_of(MODES.map(|mode| (mode.name, mode.help, mode)))
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
        assert_eq!(peer.name, "plain-go");
        assert_eq!(peer.executable, Some(Path::new("/bin/sh")));
        assert_eq!(peer.flags, ["-c", "x=y"]);
        assert!(peer.hashes);
        assert_eq!(LANES.executable, None);
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
