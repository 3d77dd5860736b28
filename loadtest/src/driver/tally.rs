//! Results of the parts, counted per thread and summed at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::report::say;

/// Maximum of distinct error texts in the report.
const EXAMPLES_MAX: usize = 8;

/// The results of parts.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Nanoseconds from the first message handed to the transport to the answer, for parts answered
    /// in the phase Measure, except parts that only spread the starts.
    pub(crate) latencies_ns: Histogram<u64>,
    /// Parts answered in the phase Measure.
    pub(crate) measured: u64,
    /// Parts answered, over all phases.
    pub(crate) answered: u64,
    /// Bytes of the parts answered, over all phases.
    pub(crate) answered_bytes: u64,
    /// Parts with a wrong answer.
    pub(crate) mismatches: u64,
    /// RPCs that failed, and parts the server refused.
    pub(crate) errors: u64,
    /// Parts without an answer or an error.
    pub(crate) in_flight: u64,
    /// Some distinct texts of mismatches and errors, with their counts.
    pub(crate) examples: BTreeMap<String, u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            // Up to an hour, three digits. A lower bound of 1 us would make steps of half a
            // microsecond, which is 1% of a short part's latency.
            latencies_ns: Histogram::new_with_bounds(1, 3_600_000_000_000, 3)
                .expect("the bounds are valid constants"),
            measured: 0,
            answered: 0,
            answered_bytes: 0,
            mismatches: 0,
            errors: 0,
            in_flight: 0,
            examples: BTreeMap::new(),
        }
    }
}

impl Tally {
    /// Counts the answer to a part of `size_bytes`, and its latency if `measured`.
    pub(super) fn answered(&mut self, size_bytes: u64, measured: bool, latency: Option<Duration>) {
        self.in_flight -= 1;
        self.answered += 1;
        self.answered_bytes += size_bytes;
        self.measured += u64::from(measured);
        if let (true, Some(latency)) = (measured, latency) {
            let ns = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
            self.latencies_ns.saturating_record(ns);
        }
    }

    pub(super) fn absorb(&mut self, other: Self) {
        self.latencies_ns
            .add(&other.latencies_ns)
            .expect("all histograms have the same bounds");
        self.measured += other.measured;
        self.answered += other.answered;
        self.answered_bytes += other.answered_bytes;
        self.mismatches += other.mismatches;
        self.errors += other.errors;
        self.in_flight += other.in_flight;
        for (text, count) in other.examples {
            self.note(text, count);
        }
    }

    /// Prints the texts of mismatches and errors.
    pub(crate) fn say_examples(&self) {
        for (text, count) in &self.examples {
            say(format_args!("{count} times: {text}"));
        }
    }

    pub(crate) fn note(&mut self, text: String, count: u64) {
        if self.examples.len() < EXAMPLES_MAX || self.examples.contains_key(&text) {
            *self.examples.entry(text).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add_up_and_their_texts_are_bounded() {
        let mut sum = Tally::default();
        for thread in 0..3_u64 {
            let mut tally = Tally {
                answered: 10 + thread,
                measured: 5,
                ..Tally::default()
            };
            tally.latencies_ns.record(1_000_000 * (thread + 1)).unwrap();
            tally.note("common".into(), 2);
            for text in 0..5 {
                tally.note(format!("text {text} of thread {thread}"), 1);
            }
            sum.absorb(tally);
        }
        assert_eq!((sum.answered, sum.latencies_ns.len()), (33, 3));
        assert_eq!(sum.measured, 15);
        let middle_ns = sum.latencies_ns.value_at_quantile(0.5);
        assert!(middle_ns.abs_diff(2_000_000) < 2_000, "{middle_ns}");
        assert_eq!(sum.examples["common"], 6);
        assert_eq!(sum.examples.len(), EXAMPLES_MAX);
    }
}
