//! How the value of one setting is written: a kind parses it, shows it, and says what is allowed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use hashlane_engine::Kernel;

/// A way to write values of the type `T`.
pub(super) trait Kind<T> {
    /// The value of `text`, or `None` if it is not allowed.
    fn parse(&self, text: &str) -> Option<T>;

    /// The text of `value`, which parses as it again.
    fn show(&self, value: &T) -> String;

    /// What is allowed on any machine.
    fn allowed(&self) -> String;

    /// The same, where something else was given: with what this machine has.
    fn allowed_here(&self) -> String {
        self.allowed()
    }
}

/// An address and port.
pub(super) struct Address;

impl Kind<SocketAddr> for Address {
    fn parse(&self, text: &str) -> Option<SocketAddr> {
        text.parse().ok()
    }

    fn show(&self, value: &SocketAddr) -> String {
        value.to_string()
    }

    fn allowed(&self) -> String {
        "an address and port such as 127.0.0.1:50051 or [::]:50051".to_owned()
    }
}

/// A path, or nothing.
pub(super) struct Path;

impl Kind<Option<PathBuf>> for Path {
    fn parse(&self, text: &str) -> Option<Option<PathBuf>> {
        Some((!text.is_empty()).then(|| PathBuf::from(text)))
    }

    fn show(&self, value: &Option<PathBuf>) -> String {
        value
            .as_ref()
            .map_or_else(String::new, |path| path.display().to_string())
    }

    fn allowed(&self) -> String {
        "a path".to_owned()
    }
}

/// A type with a word for each of its values.
pub(super) trait Words: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, value)| *value == self);
        found.map_or("", |(word, _)| word)
    }
}

impl Words for bool {
    const WORDS: &'static [(&'static str, Self)] = &[("true", true), ("false", false)];
}

/// One of a few words.
pub(super) struct Choice;

impl<T: Words> Kind<T> for Choice {
    fn parse(&self, text: &str) -> Option<T> {
        let found = T::WORDS.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value)
    }

    fn show(&self, value: &T) -> String {
        value.word().to_owned()
    }

    fn allowed(&self) -> String {
        let words: Vec<_> = T::WORDS.iter().map(|(word, _)| *word).collect();
        words.join(", ")
    }
}

/// A whole number. A bound that `T` cannot hold is not allowed either.
pub(super) struct Count(pub(super) u64, pub(super) u64);

impl<T: Copy + TryFrom<u64> + ToString> Kind<T> for Count {
    fn parse(&self, text: &str) -> Option<T> {
        let number = text.parse().ok()?;
        (self.0..=self.1).contains(&number).then_some(())?;
        T::try_from(number).ok()
    }

    fn show(&self, value: &T) -> String {
        value.to_string()
    }

    fn allowed(&self) -> String {
        format!("{} to {}", self.0, self.1)
    }
}

/// What another kind allows, or `auto`.
pub(super) struct Auto<K>(pub(super) K);

impl<T, K: Kind<T>> Kind<Option<T>> for Auto<K> {
    fn parse(&self, text: &str) -> Option<Option<T>> {
        match text {
            "auto" => Some(None),
            _ => self.0.parse(text).map(Some),
        }
    }

    fn show(&self, value: &Option<T>) -> String {
        let shown = value.as_ref().map(|value| self.0.show(value));
        shown.unwrap_or_else(|| "auto".to_owned())
    }

    fn allowed(&self) -> String {
        format!("auto or {}", self.0.allowed())
    }
}

/// A number of bytes, with or without a binary unit: `1048576`, `1024KiB`, `1 MiB`.
pub(super) struct Bytes(pub(super) u64, pub(super) u64);

pub(super) const KIB: u64 = 1 << 10;
pub(super) const MIB: u64 = 1 << 20;
pub(super) const GIB: u64 = 1 << 30;
pub(super) const TIB: u64 = 1 << 40;
const UNITS: [(&str, u64); 7] = [
    ("EiB", 1 << 60),
    ("PiB", 1 << 50),
    ("TiB", TIB),
    ("GiB", GIB),
    ("MiB", MIB),
    ("KiB", KIB),
    ("B", 1),
];

impl<T: Copy + TryFrom<u64> + TryInto<u64>> Kind<T> for Bytes {
    fn parse(&self, text: &str) -> Option<T> {
        let unit = |(suffix, unit)| Some((text.strip_suffix(suffix)?, unit));
        let (number, unit) = UNITS.into_iter().find_map(unit).unwrap_or((text, 1));
        let bytes = number.trim_end().parse::<u64>().ok()?.checked_mul(unit)?;
        (self.0..=self.1).contains(&bytes).then_some(())?;
        T::try_from(bytes).ok()
    }

    fn show(&self, value: &T) -> String {
        show_bytes((*value).try_into().unwrap_or(u64::MAX))
    }

    fn allowed(&self) -> String {
        format!("{} to {}", show_bytes(self.0), show_bytes(self.1))
    }
}

/// Bytes in the largest unit that leaves a whole number.
fn show_bytes(bytes: u64) -> String {
    let fits = |(_, unit): &&(&str, u64)| bytes >= *unit && bytes.is_multiple_of(*unit);
    match UNITS.iter().find(fits) {
        Some((suffix, unit)) => format!("{}{suffix}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// A time such as `500ms`.
pub(super) struct Time(pub(super) Duration, pub(super) Duration);

impl Kind<Duration> for Time {
    fn parse(&self, text: &str) -> Option<Duration> {
        let time = humantime::parse_duration(text).ok()?;
        (self.0..=self.1).contains(&time).then_some(time)
    }

    fn show(&self, value: &Duration) -> String {
        humantime::format_duration(*value).to_string()
    }

    fn allowed(&self) -> String {
        format!("{} to {}", self.show(&self.0), self.show(&self.1))
    }
}

/// A filter as tracing reads it.
pub(super) struct Filter;

impl Kind<String> for Filter {
    fn parse(&self, text: &str) -> Option<String> {
        let filter = tracing_subscriber::EnvFilter::builder().parse(text);
        filter.is_ok().then(|| text.to_owned())
    }

    fn show(&self, value: &String) -> String {
        value.clone()
    }

    fn allowed(&self) -> String {
        "a log filter such as info or hashlane_server=debug".to_owned()
    }
}

/// Kernels of this CPU, each with its family; none at all is `auto`.
pub(super) struct Kernels;

impl Kind<Vec<Kernel>> for Kernels {
    fn parse(&self, text: &str) -> Option<Vec<Kernel>> {
        if text == "auto" {
            return Some(Vec::new());
        }
        let here = |name: &str| {
            name.trim()
                .parse()
                .ok()
                .filter(|kernel: &Kernel| kernel.is_available())
        };
        text.split(',').map(here).collect()
    }

    fn show(&self, value: &Vec<Kernel>) -> String {
        match value.as_slice() {
            [] => "auto".to_owned(),
            kernels => names(kernels.iter().copied(), ","),
        }
    }

    fn allowed(&self) -> String {
        "auto or a list such as sha256:portable,md5:portable".to_owned()
    }

    fn allowed_here(&self) -> String {
        let here = Kernel::all().filter(|kernel: &Kernel| kernel.is_available());
        format!("{}; this CPU has {}", self.allowed(), names(here, ", "))
    }
}

fn names(kernels: impl Iterator<Item = Kernel>, between: &str) -> String {
    let names: Vec<_> = kernels.map(|kernel| kernel.to_string()).collect();
    names.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_and_without_units() {
        let parse = |text: &str| -> Option<u64> { Bytes(0, u64::MAX).parse(text) };
        assert_eq!(parse("1048576"), Some(1 << 20));
        assert_eq!(parse("1MiB"), Some(1 << 20));
        assert_eq!(parse("16 KiB"), Some(16 << 10));
        assert_eq!(parse("7B"), Some(7));
        for bad in ["", "MiB", "-1", "1.5MiB", "1MB", "99999999999999TiB"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(show_bytes(5 << 40), "5TiB");
        assert_eq!(show_bytes(1500), "1500B");
        assert_eq!(show_bytes(0), "0");
    }

    #[test]
    fn bounds_belong_to_the_range() {
        let parse = |text: &str| -> Option<Option<usize>> { Auto(Count(1, 3)).parse(text) };
        assert_eq!(parse("0"), None);
        assert_eq!(parse("1"), Some(Some(1)));
        assert_eq!(parse("3"), Some(Some(3)));
        assert_eq!(parse("4"), None);
        assert_eq!(parse("auto"), Some(None));
        let bytes = |text: &str| -> Option<u32> { Bytes(KIB, MIB).parse(text) };
        assert_eq!(bytes("1023"), None);
        assert_eq!(bytes("1KiB"), Some(1024));
        assert_eq!(bytes("1MiB"), Some(1 << 20));
        assert_eq!(bytes("1048577"), None);
        let second = Duration::from_secs(1);
        let time = |text: &str| Time(second, 2 * second).parse(text);
        assert_eq!(time("999ms"), None);
        assert_eq!(time("1s"), Some(second));
        assert_eq!(time("2s"), Some(2 * second));
        assert_eq!(time("2001ms"), None);
    }

    #[test]
    fn a_number_that_its_type_cannot_hold_is_not_allowed() {
        let narrow: Option<u32> = Count(0, u64::MAX).parse("4294967296");
        assert_eq!(narrow, None);
        let narrow: Option<u32> = Bytes(0, u64::MAX).parse("4GiB");
        assert_eq!(narrow, None);
    }
}
