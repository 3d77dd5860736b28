//! Runs side by side: the ratio of a figure to the first run's, and its spread over the seconds.

use super::run_on_page::Run;
use crate::results::document::Second;
use crate::results::{median, whole};

/// A figure of one second.
pub(super) type OfSecond = fn(&Second) -> Option<f64>;

/// 10^9 bytes in a second.
pub(super) fn gb_per_s(second: &Second) -> Option<f64> {
    (second.seconds > 0.0).then(|| second.bytes as f64 / crate::results::GB / second.seconds)
}

/// Parts in a second.
pub(super) fn parts_per_s(second: &Second) -> Option<f64> {
    (second.seconds > 0.0).then(|| second.parts as f64 / second.seconds)
}

/// The server's CPU seconds for 10^9 bytes.
pub(super) fn cpu_per_gb(second: &Second) -> Option<f64> {
    second.server.as_ref()?.cpu_s_per_gb
}

/// Active lanes over all lanes.
pub(super) fn occupancy(second: &Second) -> Option<f64> {
    second.server.as_ref()?.occupancy_ratio
}

/// Milliseconds from a chunk's arrival to its hashing.
pub(super) fn queue_wait_ms(second: &Second) -> Option<f64> {
    second.server.as_ref()?.queue_wait_ms
}

/// Quotients of two runs, second by second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    /// A tenth of the quotients is below it.
    pub(super) low: f64,
    /// Half of them.
    pub(super) median: f64,
    /// Nine tenths.
    pub(super) high: f64,
}

/// How a figure's quotient spreads over the seconds that both runs have; `None` with fewer than
/// three.
pub(super) fn spread(first: &Run<'_>, other: &Run<'_>, of: OfSecond) -> Option<Spread> {
    let seconds = first.document.seconds_series.iter();
    let pairs = seconds.zip(&other.document.seconds_series);
    let mut quotients: Vec<_> = pairs
        .filter_map(|(first, other)| Some(of(other)? / of(first)?))
        .filter(|quotient| quotient.is_finite())
        .collect();
    if quotients.len() < 3 {
        return None;
    }
    quotients.sort_by(f64::total_cmp);
    let at = |share: f64| quotients[whole::<usize>((quotients.len() - 1) as f64 * share)];
    Some(Spread {
        low: at(0.1),
        median: median(quotients.iter().copied())?,
        high: at(0.9),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::document::RunDocument;

    fn run(parts: &[u64]) -> RunDocument {
        let second = |(index, parts): (usize, &u64)| Second {
            at_s: index as f64 + 1.0,
            seconds: 1.0,
            parts: *parts,
            ..Second::default()
        };
        RunDocument {
            seconds_series: parts.iter().enumerate().map(second).collect(),
            ..RunDocument::default()
        }
    }

    #[test]
    fn quotients_are_of_the_same_second() {
        // The eleven quotients are 1.0, 1.1 .. 2.0; a second without parts has none.
        let first = run(&[&[100; 11][..], &[0]].concat());
        let other = run(&[
            &(0..=10).map(|n| 100 + n * 10).collect::<Vec<_>>()[..],
            &[5],
        ]
        .concat());
        let documents = [first, other];
        let runs = Run::all(&documents).unwrap();
        let found = spread(&runs[0], &runs[1], parts_per_s).unwrap();
        assert_eq!((found.low, found.median, found.high), (1.1, 1.5, 1.9));
        assert_eq!(spread(&runs[0], &runs[1], occupancy), None);
    }
}
