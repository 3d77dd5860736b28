//! Resident memory over time, and its growth.

use std::fmt;

use serde::Serialize;

use crate::results::mib;

/// The second half of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Growth {
    /// Rise of the line through the samples (least squares) from the first to the last.
    pub(super) growth_mib: f64,
    /// The same per hour.
    growth_mib_per_hour: f64,
    resident_min_mib: f64,
    resident_max_mib: f64,
    samples: usize,
}

impl Growth {
    /// Samples are seconds since the clients started, and resident bytes.
    pub(super) fn of_last_half(samples: &[(f64, u64)]) -> Self {
        let half = &samples[samples.len() / 2..];
        let (Some(first), Some(last)) = (half.first(), half.last()) else {
            return Self::default();
        };
        let points = || half.iter().map(|(seconds, bytes)| (*seconds, mib(*bytes)));
        let slope = slope(points());
        let resident = || points().map(|(_, mib)| mib);
        Self {
            growth_mib: slope * (last.0 - first.0),
            growth_mib_per_hour: slope * 3600.0,
            resident_min_mib: resident().fold(f64::INFINITY, f64::min),
            resident_max_mib: resident().fold(0.0, f64::max),
            samples: half.len(),
        }
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} to {:.1} MiB in {} samples, grew by {:.2} MiB, {:.2} MiB an hour",
            self.resident_min_mib,
            self.resident_max_mib,
            self.samples,
            self.growth_mib,
            self.growth_mib_per_hour
        )
    }
}

/// The slope of the least-squares line through these points; 0 if there is none.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count() as f64;
    let (x_sum, y_sum) = points
        .clone()
        .fold((0.0, 0.0), |(x_sum, y_sum), (x, y)| (x_sum + x, y_sum + y));
    let (x_mean, y_mean) = (x_sum / count, y_sum / count);
    let (above, below) = points.fold((0.0, 0.0), |(above, below), (x, y)| {
        let x = x - x_mean;
        (above + x * (y - y_mean), below + x * x)
    });
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(mib_of: impl Fn(u32) -> u64) -> Growth {
        let samples: Vec<_> = (0..100)
            .map(|second| (f64::from(second), mib_of(second) << 20))
            .collect();
        Growth::of_last_half(&samples)
    }

    #[test]
    fn only_the_last_half_counts() {
        let grown = growth(|second| u64::from(second.min(50)) + 10);
        assert_eq!((grown.growth_mib, grown.samples), (0.0, 50));
        assert_eq!(
            (grown.resident_min_mib, grown.resident_max_mib),
            (60.0, 60.0)
        );
        let grown = growth(|second| 5 + u64::from(second));
        assert!((grown.growth_mib - 49.0).abs() < 1e-9, "{grown}");
        assert!((grown.growth_mib_per_hour - 3600.0).abs() < 1e-6, "{grown}");
    }

    #[test]
    fn what_comes_and_goes_is_no_growth() {
        let grown = growth(|second| 20 + u64::from(second % 2));
        assert!(grown.growth_mib.abs() < 0.1, "{grown}");
    }

    #[test]
    fn few_samples_have_no_slope() {
        assert_eq!(Growth::of_last_half(&[]), Growth::default());
        let sample = (1.0, 1 << 20);
        assert_eq!(Growth::of_last_half(&[sample]).growth_mib, 0.0);
    }
}
