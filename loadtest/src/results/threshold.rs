//! Conditions on the figures of a run, as in `p99>50ms`, `errors>0` or `cpu_s_per_gb>0.4`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::document::{RunDocument, Threshold};
use super::say;

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    figure: &'static Figure,
    holds: Comparison,
    value: f64,
    text: String,
}

/// A figure by name.
#[derive(Debug)]
struct Figure {
    name: &'static str,
    /// Its place in the document: a JSON pointer.
    at: &'static str,
}

/// Of a figure's value with that of the condition.
type Comparison = fn(&f64, &f64) -> bool;

const COMPARISONS: [(&str, Comparison); 4] = [
    (">=", f64::ge),
    ("<=", f64::le),
    (">", f64::gt),
    ("<", f64::lt),
];

const fn figure(name: &'static str, at: &'static str) -> Figure {
    Figure { name, at }
}

const FIGURES: [Figure; 25] = [
    figure("p50", "/response_time/p50_ms"),
    figure("p75", "/response_time/p75_ms"),
    figure("p90", "/response_time/p90_ms"),
    figure("p95", "/response_time/p95_ms"),
    figure("p99", "/response_time/p99_ms"),
    figure("p99.9", "/response_time/p999_ms"),
    figure("p99.99", "/response_time/p9999_ms"),
    figure("max", "/response_time/max_ms"),
    figure("mean", "/response_time/mean_ms"),
    figure("service_p50", "/service_time/p50_ms"),
    figure("service_p99", "/service_time/p99_ms"),
    figure("service_max", "/service_time/max_ms"),
    figure("queue_wait", "/server/queue_wait_mean_ms"),
    figure("errors", "/totals/errors"),
    figure("mismatches", "/totals/mismatches_wrong"),
    figure("unfinished", "/totals/unfinished"),
    figure("missed_starts", "/totals/missed_starts"),
    figure("parts", "/totals/parts"),
    figure("parts_per_s", "/totals/parts_per_s"),
    figure("gb_per_s", "/totals/gb_per_s"),
    figure("cpu_s_per_gb", "/server/cpu_seconds_per_gb"),
    figure("occupancy", "/server/occupancy_ratio"),
    figure("efficiency", "/server/efficiency_ratio"),
    figure("client_cpu_s_per_gb", "/client/cpu_seconds_per_gb"),
    figure("client_busy_cpus", "/client/busy_cpus"),
];

impl Figure {
    /// Whether it is a time in milliseconds.
    fn is_time(&self) -> bool {
        self.at.ends_with("_ms")
    }

    /// Its value; `None` if it was not measured.
    fn of(&self, run: &RunDocument) -> Option<f64> {
        let document = serde_json::to_value(run).ok()?;
        let (group, _) = self.at.rsplit_once('/')?;
        // A latency of no part is zero.
        let count = document
            .pointer(group)?
            .get("count")
            .and_then(Value::as_u64);
        let value = document.pointer(self.at)?.as_f64();
        value.filter(|_| count != Some(0))
    }
}

impl Condition {
    /// Whether it holds for `run`. A figure that was not measured fails the run too.
    pub(crate) fn judge(&self, run: &RunDocument) -> Threshold {
        let value = self.figure.of(run);
        let holds = value.is_none_or(|value| (self.holds)(&value, &self.value));
        Threshold {
            text: self.text.clone(),
            value,
            passed: !holds,
        }
    }

    /// The line of a failure.
    fn line(&self, judged: &Threshold) -> String {
        let unit = if self.figure.is_time() { " ms" } else { "" };
        match judged.value {
            Some(value) => format!("failed: {self}: it is {value:.4}{unit}"),
            None => format!("failed: {self}: it was not measured"),
        }
    }
}

/// Judges the conditions, prints a line for each that holds, and returns whether none does.
pub(crate) fn judge_all(conditions: &[Condition], run: &mut RunDocument) -> bool {
    let judged = conditions.iter().map(|condition| condition.judge(run));
    run.thresholds = judged.collect();
    for (condition, judged) in conditions.iter().zip(&run.thresholds) {
        if !judged.passed {
            say(condition.line(judged));
        }
    }
    run.thresholds.iter().all(|judged| judged.passed)
}

impl FromStr for Condition {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let at = text.find(['<', '>']).unwrap_or(text.len());
        let (name, rest) = text.split_at(at);
        let mut comparisons = COMPARISONS.into_iter();
        let (holds, value) = comparisons
            .find_map(|(sign, holds)| Some((holds, rest.strip_prefix(sign)?)))
            .context("it is not of the form FIGURE>VALUE, as p99>50ms")?;
        let figure = FIGURES.iter().find(|figure| figure.name == name.trim());
        let figure = figure.with_context(|| {
            let names: Vec<_> = FIGURES.iter().map(|figure| figure.name).collect();
            format!("`{}` is none of {}", name.trim(), names.join(", "))
        })?;
        let value = value.trim();
        let value = if figure.is_time() {
            let time = humantime::parse_duration(value);
            let time = time.with_context(|| format!("`{value}` is not a time such as 50ms"))?;
            time.as_secs_f64() * 1e3
        } else {
            let number: f64 = value
                .parse()
                .with_context(|| format!("`{value}` is no number"))?;
            ensure!(number.is_finite(), "`{value}` is no number");
            number
        };
        Ok(Self {
            figure,
            holds,
            value,
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::document::{Latency, Totals};

    #[test]
    fn conditions_are_judged_by_the_document() {
        let run = RunDocument {
            response_time: Latency {
                count: 5,
                p99_ms: 50.0,
                ..Latency::default()
            },
            totals: Totals {
                errors: 3,
                ..Totals::default()
            },
            ..RunDocument::default()
        };
        for (text, passed) in [
            ("p99>50ms", true),
            ("p99>=50ms", false),
            ("p99 > 49ms", false),
            ("p99<1s", false),
            ("errors>0", false),
            ("errors<=2", true),
            // Not measured.
            ("cpu_s_per_gb>0.4", false),
            ("service_p99>1h", false),
        ] {
            let condition: Condition = text.parse().unwrap();
            let judged = condition.judge(&run);
            assert_eq!(judged.passed, passed, "{text}");
            assert!(condition.line(&judged).contains(text));
        }
        for text in [
            "",
            "p99",
            "p98>1ms",
            "p99>5",
            "p99>x",
            "errors>1ms",
            "errors>",
            "errors>inf",
            ">1",
        ] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
