//! Counters and histograms that one thread writes and any thread reads.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A number that one thread writes and any thread reads.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds without a locked instruction: the caller is the only writer.
    pub(crate) fn add(&self, n: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_add(n), Relaxed);
    }

    /// Subtracts, for gauges.
    pub(crate) fn sub(&self, n: u64) {
        self.0.store(self.0.load(Relaxed).wrapping_sub(n), Relaxed);
    }

    /// Replaces the value, for gauges and copies of other counts.
    pub(crate) fn set(&self, n: u64) {
        self.0.store(n, Relaxed);
    }

    /// The current value.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A histogram that one thread writes.
#[derive(Debug)]
pub(crate) struct Histogram {
    bounds: &'static [f64],
    /// One bucket per bound and one for larger values; not cumulative.
    buckets: Box<[Counter]>,
    /// The sum, as the bits of an f64.
    sum: Counter,
}

impl Histogram {
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            buckets: (0..=bounds.len()).map(|_| Counter::default()).collect(),
            sum: Counter::default(),
        }
    }

    /// Counts one value.
    pub(crate) fn observe(&self, value: f64) {
        let at = self.bounds.partition_point(|bound| *bound < value);
        self.buckets[at].add(1);
        self.sum
            .set((f64::from_bits(self.sum.get()) + value).to_bits());
    }

    /// The bounds of histograms of one kind, the sums of their buckets, and the sum of all values.
    pub(crate) fn total<'h>(
        histograms: impl Iterator<Item = &'h Self>,
    ) -> (&'static [f64], Vec<u64>, f64) {
        let (mut bounds, mut counts, mut sum) = (&[][..], Vec::new(), 0.0);
        for histogram in histograms {
            bounds = histogram.bounds;
            counts.resize(histogram.buckets.len(), 0);
            for (total, bucket) in counts.iter_mut().zip(&histogram.buckets) {
                *total += bucket.get();
            }
            sum += f64::from_bits(histogram.sum.get());
        }
        (bounds, counts, sum)
    }
}

/// Nanoseconds; saturates after 584 years.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A count as Prometheus expects it; exact to 2^53.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn as_f64(n: u64) -> f64 {
    n as f64
}
