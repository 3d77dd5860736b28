//! How values are written: a kind parses a value, shows it, and says what is allowed.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use hashlane_engine::Kernel;

use crate::client::TrustedProxy;
use crate::words::Words;

/// A way to write values of the type `T`.
pub(super) struct Kind<T> {
    /// Parses a text; `None` if it is not allowed.
    pub(super) parse: Parse<T>,
    /// The text of a value, which parses to the same value.
    pub(super) show: Box<dyn Fn(&T) -> String>,
    /// What is allowed on any machine.
    pub(super) allowed: String,
    /// An addition to `allowed` for this machine.
    pub(super) here: String,
}

type Parse<T> = Box<dyn Fn(&str) -> Option<T>>;

impl<T> Kind<T> {
    fn new(
        parse: impl Fn(&str) -> Option<T> + 'static,
        show: impl Fn(&T) -> String + 'static,
        allowed: impl Into<String>,
    ) -> Self {
        Self {
            parse: Box::new(parse),
            show: Box::new(show),
            allowed: allowed.into(),
            here: String::new(),
        }
    }
}

/// An address and port.
pub(super) fn address() -> Kind<SocketAddr> {
    let allowed = "an address and port such as 127.0.0.1:50051 or [::]:50051";
    Kind::new(|text| text.parse().ok(), SocketAddr::to_string, allowed)
}

/// A path.
pub(super) fn path() -> Kind<PathBuf> {
    let shown = |path: &PathBuf| path.display().to_string();
    Kind::new(|text| Some(text.into()), shown, "a path")
}

/// The values of another kind, or an empty text for `None`.
pub(super) fn optional<T: 'static>(kind: Kind<T>) -> Kind<Option<T>> {
    let allowed = kind.allowed.clone();
    or("", kind, allowed)
}

/// The values of another kind, or `auto` for `None`.
pub(super) fn auto<T: 'static>(kind: Kind<T>) -> Kind<Option<T>> {
    let allowed = format!("auto or {}", kind.allowed);
    or("auto", kind, allowed)
}

fn or<T: 'static>(none: &'static str, kind: Kind<T>, allowed: String) -> Kind<Option<T>> {
    let Kind { parse, show, .. } = kind;
    Kind::new(
        move |text| {
            if text == none {
                Some(None)
            } else {
                parse(text).map(Some)
            }
        },
        move |value| value.as_ref().map_or_else(|| none.to_owned(), &show),
        allowed,
    )
}

/// An HTTP URL without TLS, name, password or query.
pub(super) fn url() -> Kind<String> {
    let is_url = |text: &str| {
        let url = text.parse::<http::Uri>();
        url.is_ok_and(|url| {
            let host = url.authority().map(http::uri::Authority::as_str);
            url.scheme_str() == Some("http")
                && host.is_some_and(|host| !host.contains('@'))
                && url.query().is_none()
        })
    };
    Kind::new(
        move |text| is_url(text).then(|| text.to_owned()),
        String::clone,
        "a URL such as http://127.0.0.1:4318",
    )
}

/// A share, from 0 to 1.
pub(super) fn ratio() -> Kind<f64> {
    let parse = |text: &str| within(text.parse().ok()?, 0.0, 1.0);
    Kind::new(parse, f64::to_string, "0 to 1, such as 0.01")
}

/// File permissions in octal digits. A decimal number is refused, because it would mean another
/// mode.
pub(super) fn mode() -> Kind<u32> {
    Kind::new(
        |text| {
            let is_mode = text.len() == 4 && text.starts_with('0');
            let digits = text.bytes().all(|b| matches!(b, b'0'..=b'7'));
            u32::from_str_radix(text, 8)
                .ok()
                .filter(|_| is_mode && digits)
        },
        |mode| format!("{mode:04o}"),
        "0000 to 0777, four digits",
    )
}

/// One of several words.
pub(super) fn choice<T: Words>() -> Kind<T> {
    let words: Vec<_> = T::VALUES.iter().map(|value| value.word()).collect();
    Kind::new(
        |text| T::VALUES.iter().copied().find(|value| value.word() == text),
        |value| value.word().to_owned(),
        words.join(", "),
    )
}

/// A whole number. A number that `T` cannot hold is not allowed.
pub(super) fn count<T: TryFrom<u64> + Display + 'static>(min: u64, max: u64) -> Kind<T> {
    let parse = move |text: &str| T::try_from(within(text.parse().ok()?, min, max)?).ok();
    Kind::new(parse, T::to_string, format!("{min} to {max}"))
}

fn within<N: PartialOrd>(value: N, min: N, max: N) -> Option<N> {
    (min..=max).contains(&value).then_some(value)
}

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

/// A number of bytes, optionally with a binary unit: `1048576`, `1024KiB`, `1 MiB`.
pub(super) fn bytes<T: Copy + TryFrom<u64> + TryInto<u64>>(min: u64, max: u64) -> Kind<T> {
    let parse = move |text: &str| {
        let unit = |(suffix, unit)| Some((text.strip_suffix(suffix)?, unit));
        let (number, unit) = UNITS.into_iter().find_map(unit).unwrap_or((text, 1));
        let bytes = number.trim_end().parse::<u64>().ok()?.checked_mul(unit)?;
        T::try_from(within(bytes, min, max)?).ok()
    };
    let show = |value: &T| show_bytes((*value).try_into().unwrap_or(u64::MAX));
    let allowed = format!("{} to {}", show_bytes(min), show_bytes(max));
    Kind::new(parse, show, allowed)
}

/// Bytes in the largest unit that leaves a whole number.
pub(super) fn show_bytes(bytes: u64) -> String {
    let fits = |(_, unit): &&(&str, u64)| bytes >= *unit && bytes.is_multiple_of(*unit);
    match UNITS.iter().find(fits) {
        Some((suffix, unit)) => format!("{}{suffix}", bytes / unit),
        None => bytes.to_string(),
    }
}

/// A time such as `500ms`.
pub(super) fn time(min: Duration, max: Duration) -> Kind<Duration> {
    let show = |time: &Duration| humantime::format_duration(*time).to_string();
    Kind::new(
        move |text| within(parse_time(text)?, min, max),
        show,
        format!("{} to {}", show(&min), show(&max)),
    )
}

/// Parses a time: each unit once, the largest first. humantime would add repeated units, as in
/// `5s5s`.
fn parse_time(text: &str) -> Option<Duration> {
    let mut last = Duration::MAX;
    let is_unit = |word: &&str| !word.is_empty();
    for unit in text.split(|c: char| !c.is_alphabetic()).filter(is_unit) {
        let unit = humantime::parse_duration(&format!("1{unit}")).ok()?;
        if unit >= last {
            return None;
        }
        last = unit;
    }
    humantime::parse_duration(text).ok()
}

/// A log filter as tracing parses it. An empty filter is refused: it would silence the log, and
/// `off` does that.
pub(super) fn filter() -> Kind<String> {
    let is_filter = |text: &str| {
        let is_empty = text.split(',').all(|directive| directive.trim().is_empty());
        !is_empty && tracing_subscriber::EnvFilter::builder().parse(text).is_ok()
    };
    Kind::new(
        move |text| is_filter(text).then(|| text.to_owned()),
        String::clone,
        "a log filter such as info or hashlane_server=debug",
    )
}

/// Kernels of this CPU, each with its family; `auto` for the empty list.
pub(super) fn kernels() -> Kind<Vec<Kernel>> {
    let is_here = |kernel: &Kernel| kernel.is_available();
    let allowed = "auto or a list such as sha256:portable,md5:portable";
    let here: Vec<_> = Kernel::all().filter(is_here).collect();
    Kind {
        here: format!("; this CPU has {}", joined(&here)),
        ..list("auto", is_here, allowed)
    }
}

/// Trusted proxies, or an empty text for none.
pub(super) fn proxies() -> Kind<Vec<TrustedProxy>> {
    let allowed = "a list such as 10.1.0.0/16,certificate:proxy.example,uid:33";
    list("", |_| true, allowed)
}

/// Values with commas between them, or `none` for the empty list.
fn list<T: FromStr + Display + 'static>(
    none: &'static str,
    is_allowed: fn(&T) -> bool,
    allowed: &str,
) -> Kind<Vec<T>> {
    let one = move |text: &str| text.trim().parse().ok().filter(is_allowed);
    Kind::new(
        move |text| {
            if text == none {
                Some(Vec::new())
            } else {
                text.split(',').map(one).collect()
            }
        },
        move |values: &Vec<T>| {
            if values.is_empty() {
                none.to_owned()
            } else {
                joined(values)
            }
        },
        allowed,
    )
}

fn joined<T: Display>(values: &[T]) -> String {
    let values: Vec<_> = values.iter().map(T::to_string).collect();
    values.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_and_without_units() {
        let parse = |text: &str| -> Option<u64> { (bytes(0, u64::MAX).parse)(text) };
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
    fn times_have_units() {
        let parse = |text: &str| (time(Duration::ZERO, Duration::MAX).parse)(text);
        assert_eq!(parse("5s"), Some(Duration::from_secs(5)));
        assert_eq!(parse("1h 30m"), Some(Duration::from_secs(5400)));
        assert_eq!(parse("1m30s5ms"), Some(Duration::from_millis(90_005)));
        assert_eq!(parse("0s"), Some(Duration::ZERO));
        for bad in ["5", "s", "", "-1s"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn bounds_belong_to_the_range() {
        let parse = |text: &str| -> Option<Option<usize>> { (auto(count(1, 3)).parse)(text) };
        assert_eq!(parse("0"), None);
        assert_eq!(parse("1"), Some(Some(1)));
        assert_eq!(parse("3"), Some(Some(3)));
        assert_eq!(parse("4"), None);
        assert_eq!(parse("auto"), Some(None));
        let size = |text: &str| -> Option<u32> { (bytes(KIB, MIB).parse)(text) };
        assert_eq!(size("1023"), None);
        assert_eq!(size("1KiB"), Some(1024));
        assert_eq!(size("1MiB"), Some(1 << 20));
        assert_eq!(size("1048577"), None);
        let second = Duration::from_secs(1);
        let span = |text: &str| (time(second, 2 * second).parse)(text);
        assert_eq!(span("999ms"), None);
        assert_eq!(span("1s"), Some(second));
        assert_eq!(span("2s"), Some(2 * second));
        assert_eq!(span("2001ms"), None);
    }

    #[test]
    fn a_ratio_is_no_more_than_a_whole() {
        let parse = |text: &str| (ratio().parse)(text);
        for (text, value) in [("0", 0.0), ("1", 1.0), ("0.01", 0.01), ("1e-3", 0.001)] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for bad in ["", "-0.1", "1.01", "NaN", "inf", "1%", "0,5"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_url_has_no_secret_and_no_tls() {
        let parse = |text: &str| (url().parse)(text);
        for good in [
            "http://127.0.0.1:4318",
            "http://collector",
            "http://[::1]:1/a",
        ] {
            assert_eq!(parse(good).as_deref(), Some(good));
        }
        for bad in [
            "127.0.0.1:4318",
            "collector:4318",
            "https://collector",
            "http://",
            "http://a:b@collector",
            "http://collector/?key=a",
            "/a",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_number_that_its_type_cannot_hold_is_not_allowed() {
        let narrow: Option<u32> = (count(0, u64::MAX).parse)("4294967296");
        assert_eq!(narrow, None);
        let narrow: Option<u32> = (bytes(0, u64::MAX).parse)("4GiB");
        assert_eq!(narrow, None);
    }
}
