//! A run on the page: its document, its name, and its figures by their place in the document.
//!
//! A figure is `<data value="EXACT" data-run="INDEX" data-at="POINTER">ROUNDED</data>`: the place is
//! a JSON pointer (RFC 6901) into the document, so a figure cannot be another one than the
//! document's, and programs find it.

use std::fmt;

use anyhow::{Context as _, Result};
use askama::Template;
use askama::filters::HtmlSafe;
use serde_json::Value;

use super::figure_text::Unit;
use crate::results::document::{RunDocument, Second};

/// A run.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// What was measured.
    pub(super) document: &'a RunDocument,
    /// Which of the page's runs it is, from 0.
    pub(super) index: usize,
    /// Its label, or its number; no two runs have the same.
    pub(super) name: String,
    json: Value,
}

impl<'a> Run<'a> {
    /// All runs of a page.
    ///
    /// # Errors
    /// A document has no JSON.
    pub(super) fn all(documents: &'a [RunDocument]) -> Result<Vec<Self>> {
        let label =
            |document: &RunDocument| document.label.clone().filter(|label| !label.is_empty());
        let mut runs: Vec<Self> = Vec::new();
        for (index, document) in documents.iter().enumerate() {
            let mut name = label(document).unwrap_or_else(|| format!("run {}", index + 1));
            if runs.iter().any(|run| run.name == name) {
                name = format!("{name} ({})", index + 1);
            }
            let json = serde_json::to_value(document).context("cannot encode a document")?;
            runs.push(Self {
                document,
                index,
                name,
                json,
            });
        }
        Ok(runs)
    }

    /// A heading: with the run's name if the page has others too.
    pub(super) fn heading(&self, text: &str, runs: &[Self]) -> String {
        match runs {
            [_] => text.to_owned(),
            _ => format!("{text}: {}", self.name),
        }
    }

    /// A beginning of a line: the run's name if the page has others too.
    pub(super) fn prefix(&self, runs: &[Self]) -> String {
        match runs {
            [_] => String::new(),
            _ => format!("{}: ", self.name),
        }
    }

    /// The number at a place.
    pub(super) fn number(&self, at: &str) -> Option<f64> {
        self.json.pointer(at)?.as_f64()
    }

    /// The number at a place with its unit, or a dash.
    pub(super) fn figure(&self, at: impl fmt::Display, unit: Unit) -> Shown {
        self.shown(at, |value| Some(unit.text(value.as_f64()?)))
    }

    /// The same without its unit, for a table whose head has it.
    pub(super) fn cell(&self, at: impl fmt::Display, unit: Unit) -> Shown {
        self.shown(at, |value| Some(unit.number(value.as_f64()?)))
    }

    /// What stands at a place: a text, a truth, a number as it is, or a list of them.
    pub(super) fn text(&self, at: impl fmt::Display) -> Shown {
        self.shown(at, plain_text)
    }

    fn shown(&self, at: impl fmt::Display, text: impl Fn(&Value) -> Option<String>) -> Shown {
        let (run, at) = (self.index, at.to_string());
        let value = self.json.pointer(&at).and_then(|value| {
            let exact = value.as_str().map(str::to_owned);
            Some((exact.unwrap_or_else(|| value.to_string()), text(value)?))
        });
        Shown { run, at, value }
    }

    /// The places of its latencies, of all parts and of each class, and their names.
    pub(super) fn latencies(&self) -> Vec<(&str, String)> {
        let mut latencies = vec![
            ("response", "/response_time".to_owned()),
            ("service", "/service_time".to_owned()),
        ];
        for (index, class) in self.document.workload.classes.iter().enumerate() {
            if class.response_time.is_some() {
                let at = format!("/workload/classes/{index}/response_time");
                latencies.push((&class.name, at));
            }
        }
        latencies
    }

    /// A figure of each second, at the second's middle.
    pub(super) fn over_time(&self, of: impl Fn(&Second) -> Option<f64>) -> Vec<(f64, Option<f64>)> {
        let seconds = self.document.seconds_series.iter();
        let finite = |second| of(second).filter(|value| value.is_finite());
        seconds
            .map(|second| (second.at_s - second.seconds / 2.0, finite(second)))
            .collect()
    }

    /// How long the run was by its seconds.
    pub(super) fn length_s(&self) -> f64 {
        let last = self.document.seconds_series.last();
        last.map_or(self.document.seconds, |last| last.at_s)
    }
}

/// A figure on the page, or a dash.
#[derive(Template)]
#[template(path = "figure.html")]
pub(super) struct Shown {
    run: usize,
    at: String,
    /// The exact value, and the text that people read.
    value: Option<(String, String)>,
}

// Its template escapes.
impl HtmlSafe for Shown {}

fn plain_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let texts: Vec<_> = values.iter().filter_map(plain_text).collect();
            texts.join(", ")
        }
        Value::Object(_) => value.to_string(),
    })
}

/// A pointer's step: a name that may contain `/`.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
