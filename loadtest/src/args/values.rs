//! Values of flags: sizes, lists and ranges of sizes, times, addresses, settings.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Largest chunk: gRPC servers commonly refuse messages above 4 MiB.
pub(super) const CHUNK_BYTES_MAX: u64 = 16 << 20;

/// The smallest and the largest frame (RFC 9113 section 4.2).
pub(super) const FRAME_BYTES_MIN: u64 = 1 << 14;
pub(super) const FRAME_BYTES_MAX: u64 = (1 << 24) - 1;

/// The most streams and connections of a load.
pub(super) const STREAMS_MAX: usize = 100_000;
pub(super) const CONNECTIONS_MAX: usize = 4096;

/// Longest duration of any flag.
const DURATION_MAX: Duration = Duration::from_secs(24 * 3600);

/// `host:port` of the admin endpoint; `None` for `off`.
pub(super) fn admin(text: &str) -> Result<Option<String>> {
    let rest = text.strip_prefix("http://").unwrap_or(text);
    let address = rest.strip_suffix('/').unwrap_or(rest);
    let port = address
        .rsplit_once(':')
        .map(|(_, port)| port.parse::<u16>());
    let is_address = matches!(port, Some(Ok(_))) && !address.contains('/');
    ensure!(
        is_address || text == "off",
        "`{text}` is not of the form http://host:port, nor `off`"
    );
    Ok(is_address.then(|| address.to_owned()))
}

/// A value of any type, whose error is one line with its causes.
///
/// # Errors
/// It is no such value.
pub(super) fn parsed<T: FromStr<Err = anyhow::Error>>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|error: anyhow::Error| format!("{error:#}"))
}

/// A setting of the server, as in `http2.streams_max=100`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name; the server says whether it is one.
    pub name: String,
    /// What it is set to.
    pub value: String,
}

impl Setting {
    /// The server's flags for settings.
    pub(crate) fn flags(settings: &[Self]) -> impl Iterator<Item = String> {
        let flag = |setting: &Self| ["--set".to_owned(), setting.to_string()];
        settings.iter().flat_map(flag)
    }
}

impl FromStr for Setting {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("`{text}` is not of the form NAME=VALUE"))?;
        ensure!(!name.is_empty(), "`{text}` has no name");
        Ok(Self {
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// A number of streams, and of connections if it has its own, as in `10000@1000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SweepPoint {
    /// Streams.
    pub streams: usize,
    /// Connections; if not given those of the load.
    pub connections: Option<usize>,
}

impl FromStr for SweepPoint {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (streams, connections) = match text.split_once('@') {
            Some((streams, connections)) => (streams, Some(connections)),
            None => (text, None),
        };
        Ok(Self {
            streams: bounded(1, STREAMS_MAX)(streams)?,
            connections: connections.map(bounded(1, CONNECTIONS_MAX)).transpose()?,
        })
    }
}

impl fmt::Display for SweepPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.streams)?;
        match self.connections {
            Some(connections) => write!(f, "@{connections}"),
            None => Ok(()),
        }
    }
}

/// A number of bytes, printed in the largest binary unit that divides it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if bytes >> shift != 0 && bytes.trailing_zeros() >= shift {
                return write!(f, "{}{unit}", bytes >> shift);
            }
        }
        write!(f, "{bytes}B")
    }
}

/// Reads a whole number of bytes with an optional unit: B, KiB, MiB, GiB or
/// their decimal siblings kB, MB, GB.
///
/// # Errors
/// Says what is allowed if `text` is anything else or does not fit.
pub(crate) fn bytes(text: &str) -> Result<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim_start() {
        "" | "B" => 1,
        "KiB" | "K" | "k" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => 1 << 30,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => bail!("`{text}` is not a size such as 4096, 64KiB or 8MB"),
    };
    let number: u64 = number
        .parse()
        .with_context(|| format!("`{text}` is not a size such as 4096, 64KiB or 8MB"))?;
    number
        .checked_mul(factor)
        .with_context(|| format!("`{text}` is too large"))
}

/// A size from `min` to `max`.
pub(super) fn sized<T: TryFrom<u64>>(
    min: u64,
    max: u64,
) -> impl Fn(&str) -> Result<T> + Clone + Send + Sync + 'static {
    move |text| {
        let bytes = bytes(text)?;
        let size = T::try_from(bytes)
            .ok()
            .filter(|_| (min..=max).contains(&bytes));
        size.with_context(|| format!("{} to {} are allowed", Bytes(min), Bytes(max)))
    }
}

pub(crate) fn duration(text: &str) -> Result<Duration> {
    let duration = humantime::parse_duration(text)?;
    ensure!(duration <= DURATION_MAX, "at most a day");
    Ok(duration)
}

pub(super) fn seconds(text: &str) -> Result<Duration> {
    let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse()?;
    ensure!((0.0..=3600.0).contains(&seconds), "0 to 3600 seconds");
    Ok(Duration::from_secs_f64(seconds))
}

/// A time that a timer can wait for.
pub(super) fn interval(text: &str) -> Result<Duration> {
    let interval = duration(text)?;
    ensure!(
        interval >= Duration::from_millis(1),
        "at least a millisecond"
    );
    Ok(interval)
}

/// Parses names, each with its help and its value.
///
/// # Panics
/// Never: other names are refused before.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static, const N: usize>(
    named: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = named
        .each_ref()
        .map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).map(move |name| {
        let found = named.iter().find(|(one, ..)| *one == name);
        found
            .expect("the parser allows these names alone")
            .2
            .clone()
    })
}

/// Shows values by their names in flags.
macro_rules! shown_by_name {
    ($($value:ty),+) => {$(
        impl std::fmt::Display for $value {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let named = clap::ValueEnum::to_possible_value(self);
                f.pad(named.as_ref().map_or("", |named| named.get_name()))
            }
        }
    )+};
}
pub(crate) use shown_by_name;

/// A whole number from `min` to `max`.
pub(super) fn bounded(
    min: usize,
    max: usize,
) -> impl Fn(&str) -> Result<usize> + Clone + Send + Sync + 'static {
    move |text| {
        let number: usize = text.parse()?;
        ensure!((min..=max).contains(&number), "{min} to {max} are allowed");
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_carry_units() {
        for (text, expected) in [
            ("0", 0),
            ("4096", 4096),
            ("1B", 1),
            ("64KiB", 65_536),
            ("64 KiB", 65_536),
            ("8MiB", 8 << 20),
            ("3MB", 3_000_000),
            ("16GiB", 16 << 30),
        ] {
            assert_eq!(bytes(text).unwrap(), expected, "{text}");
        }
        for text in ["", "KiB", "-1", "1.5MiB", "8MiBs", "99999999999GiB", "1 2"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn admin_is_an_address_or_off() {
        assert_eq!(admin("off").unwrap(), None);
        for text in [
            "http://127.0.0.1:9464",
            "http://127.0.0.1:9464/",
            "127.0.0.1:9464",
        ] {
            let address = admin(text).unwrap();
            assert_eq!(address.as_deref(), Some("127.0.0.1:9464"), "{text}");
        }
        for text in [
            "",
            "localhost",
            "http://h:99999",
            "https://h:1",
            "http://h:1/metrics",
        ] {
            assert!(admin(text).is_err(), "{text}");
        }
    }
}
