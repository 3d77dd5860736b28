//! Conditions on the figures of a run, as in `p99>50ms`, `errors>0` or `cpu_s_per_gb>0.4`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::document::{RunDocument, Threshold};
use super::run_figures::{GROUPS, RunFigure, Unit};
use super::say;

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    figure: &'static RunFigure,
    holds: Comparison,
    value: f64,
    text: String,
}

/// Of a figure's value with that of the condition.
type Comparison = fn(&f64, &f64) -> bool;

const COMPARISONS: [(&str, Comparison); 4] = [
    (">=", f64::ge),
    ("<=", f64::le),
    (">", f64::gt),
    ("<", f64::lt),
];

fn condition_figures() -> impl Iterator<Item = &'static RunFigure> {
    let figures = GROUPS.iter().flat_map(|(_, figures)| *figures);
    figures.filter(|figure| !figure.flag.is_empty())
}

/// The figure that conditions call so.
pub(crate) fn condition_figure(name: &str) -> Option<&'static RunFigure> {
    condition_figures().find(|figure| figure.flag == name)
}

impl RunFigure {
    /// Its value; `None` if it was not measured.
    pub(crate) fn of(&self, run: &RunDocument) -> Option<f64> {
        let document = serde_json::to_value(run).ok()?;
        let (group, _) = self.at.rsplit_once('/')?;
        // A latency of no part is zero.
        let count = document.pointer(group)?.get("count");
        let value = document.pointer(self.at)?.as_f64();
        value.filter(|_| count.and_then(Value::as_u64) != Some(0))
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
        let unit = if self.figure.unit == Unit::Ms {
            " ms"
        } else {
            ""
        };
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
        let figure = condition_figure(name.trim()).with_context(|| {
            let names = condition_figures().map(|figure| figure.flag);
            let names = names.collect::<Vec<_>>().join(", ");
            format!("`{}` is none of {names}", name.trim())
        })?;
        let value = value.trim();
        let value = if figure.unit == Unit::Ms {
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
