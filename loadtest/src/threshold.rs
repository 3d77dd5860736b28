//! Conditions on the figures of a run, as in `p99>50ms`, `errors>0` or `cpu_s_per_gb>0.4`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};

use crate::document::{Latency, RunDocument, ServerFigures, Threshold};

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    figure: &'static Figure,
    comparison: Comparison,
    value: f64,
    text: String,
}

/// A figure by name.
#[derive(Debug)]
struct Figure {
    name: &'static str,
    /// In milliseconds; the value is a time then.
    is_time: bool,
    of: fn(&RunDocument) -> Option<f64>,
}

#[derive(Clone, Copy, Debug)]
enum Comparison {
    Above,
    AtLeast,
    Below,
    AtMost,
}

const fn time(name: &'static str, of: fn(&RunDocument) -> Option<f64>) -> Figure {
    Figure {
        name,
        is_time: true,
        of,
    }
}

const fn number(name: &'static str, of: fn(&RunDocument) -> Option<f64>) -> Figure {
    Figure {
        name,
        is_time: false,
        of,
    }
}

/// A response time, if there was one.
fn response(run: &RunDocument, of: fn(&Latency) -> f64) -> Option<f64> {
    (run.response_time.count > 0).then(|| of(&run.response_time))
}

fn service(run: &RunDocument, of: fn(&Latency) -> f64) -> Option<f64> {
    (run.service_time.count > 0).then(|| of(&run.service_time))
}

fn server(run: &RunDocument, of: fn(&ServerFigures) -> Option<f64>) -> Option<f64> {
    run.server.as_ref().and_then(of)
}

const FIGURES: [Figure; 25] = [
    time("p50", |run| response(run, |time| time.p50_ms)),
    time("p75", |run| response(run, |time| time.p75_ms)),
    time("p90", |run| response(run, |time| time.p90_ms)),
    time("p95", |run| response(run, |time| time.p95_ms)),
    time("p99", |run| response(run, |time| time.p99_ms)),
    time("p99.9", |run| response(run, |time| time.p999_ms)),
    time("p99.99", |run| response(run, |time| time.p9999_ms)),
    time("max", |run| response(run, |time| time.max_ms)),
    time("mean", |run| response(run, |time| time.mean_ms)),
    time("service_p50", |run| service(run, |time| time.p50_ms)),
    time("service_p99", |run| service(run, |time| time.p99_ms)),
    time("service_max", |run| service(run, |time| time.max_ms)),
    time("queue_wait", |run| server(run, |of| of.queue_wait_mean_ms)),
    number("errors", |run| Some(run.totals.errors as f64)),
    number("mismatches", |run| Some(run.totals.mismatches_wrong as f64)),
    number("unfinished", |run| Some(run.totals.unfinished as f64)),
    number("missed_starts", |run| Some(run.totals.missed_starts as f64)),
    number("parts", |run| Some(run.totals.parts as f64)),
    number("parts_per_s", |run| Some(run.totals.parts_per_s)),
    number("gb_per_s", |run| Some(run.totals.gb_per_s)),
    number("cpu_s_per_gb", |run| {
        server(run, |of| of.cpu_seconds_per_gb)
    }),
    number("occupancy", |run| server(run, |of| of.occupancy_ratio)),
    number("efficiency", |run| server(run, |of| of.efficiency_ratio)),
    number("client_cpu_s_per_gb", |run| run.client.cpu_seconds_per_gb),
    number("client_busy_cpus", |run| Some(run.client.busy_cpus)),
];

impl Condition {
    /// Whether it holds for `run`. A figure that was not measured fails the run too.
    pub(crate) fn judge(&self, run: &RunDocument) -> Threshold {
        let value = (self.figure.of)(run);
        let holds = value.is_none_or(|value| match self.comparison {
            Comparison::Above => value > self.value,
            Comparison::AtLeast => value >= self.value,
            Comparison::Below => value < self.value,
            Comparison::AtMost => value <= self.value,
        });
        Threshold {
            text: self.text.clone(),
            value,
            passed: !holds,
        }
    }

    /// The line of a failure.
    pub(crate) fn line(&self, judged: &Threshold) -> String {
        let unit = if self.figure.is_time { " ms" } else { "" };
        match judged.value {
            Some(value) => format!("failed: {self}: it is {value:.4}{unit}"),
            None => format!("failed: {self}: it was not measured"),
        }
    }
}

impl FromStr for Condition {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let at = text.find(['<', '>']);
        let at = at.context("it is not of the form FIGURE>VALUE, as p99>50ms")?;
        let (name, rest) = text.split_at(at);
        let (comparison, value) = match rest.strip_prefix(">=") {
            Some(value) => (Comparison::AtLeast, value),
            None => match rest.strip_prefix("<=") {
                Some(value) => (Comparison::AtMost, value),
                None if rest.starts_with('>') => (Comparison::Above, &rest[1..]),
                None => (Comparison::Below, &rest[1..]),
            },
        };
        let figure = FIGURES.iter().find(|figure| figure.name == name.trim());
        let figure = figure.with_context(|| {
            let names: Vec<_> = FIGURES.iter().map(|figure| figure.name).collect();
            format!("`{}` is none of {}", name.trim(), names.join(", "))
        })?;
        let value = value.trim();
        let value = if figure.is_time {
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
            comparison,
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
    use crate::document::Totals;

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
