//! How the value of one setting is written, checked and described.

use std::net::SocketAddr;
use std::time::Duration;

use hashlane_engine::Kernel;

/// What a setting may hold. Each kind parses, and says in words what it takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// An address and port.
    Address,
    /// A path, or nothing.
    Path,
    /// Permissions of a file.
    Mode,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A whole number.
    Count { min: u64, max: u64 },
    /// A whole number or `auto`.
    AutoCount { min: u64, max: u64 },
    /// A number of bytes, with or without a binary unit.
    Bytes { min: u64, max: u64 },
    /// A time such as `500ms`.
    Time { min: Duration, max: Duration },
    /// A filter as tracing reads it.
    Filter,
    /// Kernels of this CPU, each with its family, or `auto`.
    Kernels,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Address(SocketAddr),
    Text(String),
    /// `None` is `auto`.
    Count(Option<u64>),
    Time(Duration),
    /// None at all is `auto`.
    Kernels(Vec<Kernel>),
}

const KIB: u64 = 1024;
const UNITS: [(&str, u64); 5] = [
    ("TiB", KIB * KIB * KIB * KIB),
    ("GiB", KIB * KIB * KIB),
    ("MiB", KIB * KIB),
    ("KiB", KIB),
    ("B", 1),
];

impl Kind {
    /// The value of `text`, or `None` if the setting does not allow it.
    pub(super) fn parse(self, text: &str) -> Option<Value> {
        let text = text.trim();
        match self {
            Self::Address => text.parse().ok().map(Value::Address),
            Self::Path => Some(Value::Text(text.to_owned())),
            Self::Mode => {
                let is_octal = text.bytes().all(|b| matches!(b, b'0'..=b'7'));
                let is_mode = is_octal && text.len() == 4 && text.starts_with('0');
                let mode = u64::from_str_radix(text, 8).ok().filter(|_| is_mode)?;
                Some(Value::Count(Some(mode)))
            }
            Self::Choice(words) => words.contains(&text).then(|| Value::Text(text.to_owned())),
            Self::AutoCount { .. } if text == "auto" => Some(Value::Count(None)),
            Self::Count { min, max } | Self::AutoCount { min, max } => {
                let count = text.parse().ok()?;
                within(count, min, max).then_some(Value::Count(Some(count)))
            }
            Self::Bytes { min, max } => {
                let bytes = parse_bytes(text)?;
                within(bytes, min, max).then_some(Value::Count(Some(bytes)))
            }
            Self::Time { min, max } => {
                let time = humantime::parse_duration(text).ok()?;
                (min <= time && time <= max).then_some(Value::Time(time))
            }
            Self::Filter => tracing_subscriber::EnvFilter::builder()
                .parse(text)
                .is_ok()
                .then(|| Value::Text(text.to_owned())),
            Self::Kernels if text == "auto" => Some(Value::Kernels(Vec::new())),
            Self::Kernels => {
                let kernels = text.split(',').map(|name| {
                    let kernel: Option<Kernel> = name.trim().parse().ok();
                    kernel.filter(|kernel| kernel.is_available())
                });
                kernels.collect::<Option<_>>().map(Value::Kernels)
            }
        }
    }

    /// What the setting takes, for people.
    pub(super) fn allowed(self) -> String {
        match self {
            Self::Address => "an address and port such as 127.0.0.1:50051 or [::]:50051".into(),
            Self::Path => "a path".into(),
            Self::Mode => "0000 to 0777, four digits".into(),
            Self::Choice(words) => words.join(", "),
            Self::Count { min, max } => format!("{min} to {max}"),
            Self::AutoCount { min, max } => format!("auto or {min} to {max}"),
            Self::Bytes { min, max } => format!("{} to {}", show_bytes(min), show_bytes(max)),
            Self::Time { min, max } => format!(
                "{} to {}",
                humantime::format_duration(min),
                humantime::format_duration(max)
            ),
            Self::Filter => "a log filter such as info or hashlane_server=debug".into(),
            Self::Kernels => "auto or a list such as sha256:portable,md5:portable".into(),
        }
    }

    /// The same, where something else was given: with what this machine has.
    pub(super) fn allowed_here(self) -> String {
        let mut text = self.allowed();
        if let Self::Kernels = self {
            let here = Kernel::all().filter(|kernel| kernel.is_available());
            let names: Vec<_> = here.map(|kernel| kernel.to_string()).collect();
            text += &format!("; this CPU has {}", names.join(", "));
        }
        text
    }
}

fn within(value: u64, min: u64, max: u64) -> bool {
    min <= value && value <= max
}

/// Bytes written as `1048576`, `1024KiB` or `1 MiB`.
fn parse_bytes(text: &str) -> Option<u64> {
    let (number, unit) = UNITS
        .iter()
        .find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, *unit)))
        .unwrap_or((text, 1));
    number.trim_end().parse::<u64>().ok()?.checked_mul(unit)
}

/// Bytes in the largest unit that leaves a whole number.
pub(super) fn show_bytes(bytes: u64) -> String {
    UNITS
        .iter()
        .find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit))
        .map_or_else(
            || bytes.to_string(),
            |(suffix, unit)| format!("{}{suffix}", bytes / unit),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_and_without_units() {
        assert_eq!(parse_bytes("1048576"), Some(1 << 20));
        assert_eq!(parse_bytes("1MiB"), Some(1 << 20));
        assert_eq!(parse_bytes("16 KiB"), Some(16 << 10));
        assert_eq!(parse_bytes("7B"), Some(7));
        for bad in ["", "MiB", "-1", "1.5MiB", "1MB", "99999999999999TiB"] {
            assert_eq!(parse_bytes(bad), None, "{bad}");
        }
        assert_eq!(show_bytes(5 << 40), "5TiB");
        assert_eq!(show_bytes(1500), "1500B");
    }

    #[test]
    fn bounds_belong_to_the_range() {
        let kind = Kind::Count { min: 1, max: 3 };
        assert_eq!(kind.parse("0"), None);
        assert_eq!(kind.parse("1"), Some(Value::Count(Some(1))));
        assert_eq!(kind.parse("3"), Some(Value::Count(Some(3))));
        assert_eq!(kind.parse("4"), None);
        assert_eq!(kind.parse("auto"), None);
        let auto = Kind::AutoCount { min: 1, max: 3 };
        assert_eq!(auto.parse("auto"), Some(Value::Count(None)));
    }
}
