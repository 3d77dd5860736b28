//! Figures as people read them.

pub(super) use crate::results::run_figures::Unit;
use crate::results::whole;

impl Unit {
    /// The unit as a word behind a figure; empty if it has none.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Count | Self::Plain | Self::Bytes | Self::Share => "",
            Self::GbPerSecond => "GB/s",
            Self::PartsPerSecond => "parts/s",
            Self::Ms => "ms",
            Self::Seconds => "s",
            Self::CpuPerGb => "CPU s/GB",
            Self::Cpus => "CPUs",
            Self::Gb => "GB",
        }
    }

    /// The figure as people read it, to three digits, without [`Unit::name`]. Counts are exact.
    pub(super) fn number(self, value: f64) -> String {
        match self {
            Self::Count => grouped(value, 0),
            Self::Bytes => bytes(value),
            Self::Share => format!("{}%", significant(value * 100.0)),
            Self::Plain if value.fract() == 0.0 => grouped(value, 0),
            _ => significant(value),
        }
    }

    /// The figure with its unit.
    pub(super) fn text(self, value: f64) -> String {
        let (number, name) = (self.number(value), self.name());
        format!("{number} {name}").trim_end().to_owned()
    }
}

/// Three significant digits, or all digits before the point.
pub(super) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return plain(value);
    }
    // Of the rounded value: 9.996 has the digits of 10.0.
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let digits = 2 - whole::<i32>(rounded.abs().log10().floor());
    grouped(value, usize::try_from(digits).unwrap_or(0))
}

/// The shortest text of a round value.
pub(super) fn plain(value: f64) -> String {
    let text = grouped(value, 6);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// So many decimals, and a comma after each three digits before the point.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (sign, digits) = text.split_at(usize::from(text.starts_with('-')));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

fn bytes(value: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = units.into_iter().find(|(size, _)| value >= *size);
    let (size, name) = unit.unwrap_or((1.0, "B"));
    format!("{} {name}", significant(value / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_counts_all() {
        for (unit, value, text) in [
            (Unit::Count, 1_234_567.0, "1,234,567"),
            (Unit::Count, 0.0, "0"),
            (Unit::Bytes, 999.0, "999 B"),
            (Unit::Bytes, 63_900_000_000.0, "63.9 GB"),
            (Unit::GbPerSecond, 2.498_7, "2.50 GB/s"),
            (Unit::PartsPerSecond, 12_345.6, "12,346 parts/s"),
            (Unit::Ms, 0.045_678, "0.0457 ms"),
            (Unit::Ms, 9.996, "10.0 ms"),
            (Unit::Share, 0.987_6, "98.8%"),
            (Unit::Share, 1.0, "100%"),
            (Unit::CpuPerGb, 0.25, "0.250 CPU s/GB"),
            (Unit::Seconds, 30.0, "30.0 s"),
            (Unit::Plain, -1500.0, "-1,500"),
            (Unit::Plain, 6.0, "6"),
            (Unit::Plain, 0.5, "0.500"),
        ] {
            assert_eq!(unit.text(value), text);
        }
    }
}
