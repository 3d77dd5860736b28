//! Results of the parts, counted per thread and summed at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::load::payload::PreparedPart;
use crate::results::document::empty_histogram;
use crate::results::say;

/// Maximum of distinct error texts in the report.
const EXAMPLES_MAX: usize = 8;

/// Maximum of distinct reasons in the report.
const REASONS_MAX: usize = 64;

/// The results of parts. Those of a thread are taken piece by piece, and add up.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Response times in nanoseconds, from the intended start to the answer, of measured parts,
    /// except parts that only spread the starts. In a closed loop a start is intended when the
    /// first message is handed to the transport.
    pub(crate) latencies_ns: Histogram<u64>,
    /// The same from the time at which the transport takes the first message.
    pub(crate) service_ns: Histogram<u64>,
    /// By how much starts were later than intended.
    pub(crate) late_ns: Histogram<u64>,
    /// Parts measured: in a closed loop those answered in the phase Measure, in an open loop those
    /// whose start was intended in it.
    pub(crate) measured: u64,
    /// Measured parts by class, up to the highest class with one.
    pub(crate) classes: Vec<ClassTally>,
    /// Parts answered, over all phases.
    pub(crate) answered: u64,
    /// Corrupted parts answered, and those that were answered rightly, as mismatches.
    pub(crate) corrupted: u64,
    pub(crate) caught: u64,
    /// Parts with a wrong answer.
    pub(crate) mismatches: u64,
    /// RPCs that failed, and parts the server refused.
    pub(crate) errors: u64,
    /// Measured starts that were not made: too many parts were in flight, or the window had ended.
    pub(crate) missed: u64,
    /// Parts without an answer or an error; in the tally of a period, the change of their number.
    pub(crate) in_flight: i64,
    /// Errors by reason.
    pub(crate) reasons: BTreeMap<String, u64>,
    /// Some distinct texts of mismatches and errors, with their counts.
    pub(crate) examples: BTreeMap<String, u64>,
}

/// The measured parts of a class.
#[derive(Clone, Debug)]
pub(crate) struct ClassTally {
    pub(crate) parts: u64,
    pub(crate) bytes: u64,
    pub(crate) latencies_ns: Histogram<u64>,
}

impl Default for ClassTally {
    fn default() -> Self {
        Self {
            parts: 0,
            bytes: 0,
            latencies_ns: empty_histogram(),
        }
    }
}

/// The times of an answered part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// From the intended start.
    pub(crate) response: Duration,
    /// From the time at which the transport took the first message.
    pub(crate) service: Duration,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            latencies_ns: empty_histogram(),
            service_ns: empty_histogram(),
            late_ns: empty_histogram(),
            measured: 0,
            classes: Vec::new(),
            answered: 0,
            corrupted: 0,
            caught: 0,
            mismatches: 0,
            errors: 0,
            missed: 0,
            in_flight: 0,
            reasons: BTreeMap::new(),
            examples: BTreeMap::new(),
        }
    }
}

impl Tally {
    /// Counts the answer to `part`, and its times if `measured`.
    pub(super) fn answered(&mut self, part: &PreparedPart, measured: bool, times: Option<Times>) {
        self.in_flight -= 1;
        self.answered += 1;
        self.corrupted += u64::from(part.is_corrupted());
        if !measured {
            return;
        }
        self.measured += 1;
        let class = self.class(part.class);
        class.parts += 1;
        class.bytes += part.size_bytes;
        if let Some(times) = times {
            let response_ns = ns(times.response);
            class.latencies_ns.saturating_record(response_ns);
            self.latencies_ns.saturating_record(response_ns);
            self.service_ns.saturating_record(ns(times.service));
        }
    }

    /// Counts a start that came `late`.
    pub(super) fn started(&mut self, measured: bool, late: Duration) {
        self.in_flight += 1;
        if measured {
            self.late_ns.saturating_record(ns(late));
        }
    }

    fn class(&mut self, index: usize) -> &mut ClassTally {
        if self.classes.len() <= index {
            self.classes.resize_with(index + 1, ClassTally::default);
        }
        &mut self.classes[index]
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        let same_bounds = "all histograms have the same bounds";
        for (own, others) in [
            (&mut self.latencies_ns, &other.latencies_ns),
            (&mut self.service_ns, &other.service_ns),
            (&mut self.late_ns, &other.late_ns),
        ] {
            own.add(others).expect(same_bounds);
        }
        for (index, others) in other.classes.into_iter().enumerate() {
            let own = self.class(index);
            own.parts += others.parts;
            own.bytes += others.bytes;
            let added = own.latencies_ns.add(&others.latencies_ns);
            added.expect(same_bounds);
        }
        self.measured += other.measured;
        self.answered += other.answered;
        self.corrupted += other.corrupted;
        self.caught += other.caught;
        self.mismatches += other.mismatches;
        self.errors += other.errors;
        self.missed += other.missed;
        self.in_flight += other.in_flight;
        for (reason, count) in other.reasons {
            add_bounded(&mut self.reasons, REASONS_MAX, reason, count);
        }
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

    /// Counts an error: its text begins with its reason.
    pub(super) fn error(&mut self, text: String) {
        self.errors += 1;
        let reason = text.strip_prefix("part refused: ").unwrap_or(&text);
        let reason = reason.split(": ").next().unwrap_or_default().to_owned();
        add_bounded(&mut self.reasons, REASONS_MAX, reason, 1);
        self.note(text, 1);
    }

    pub(crate) fn note(&mut self, text: String, count: u64) {
        add_bounded(&mut self.examples, EXAMPLES_MAX, text, count);
    }
}

fn add_bounded(counts: &mut BTreeMap<String, u64>, max: usize, text: String, count: u64) {
    if counts.len() < max || counts.contains_key(&text) {
        *counts.entry(text).or_default() += count;
    }
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
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
        let mut tally = Tally::default();
        tally.error("part refused: PART_TOO_LARGE: the part is too large".into());
        tally.error("Unavailable: gone: away".into());
        tally.error("no answer within 100ms".into());
        let reasons: Vec<_> = tally.reasons.keys().map(String::as_str).collect();
        let expected = ["PART_TOO_LARGE", "Unavailable", "no answer within 100ms"];
        assert_eq!(reasons, expected);
        assert_eq!(sum.examples["common"], 6);
        assert_eq!(sum.examples.len(), EXAMPLES_MAX);
    }
}
