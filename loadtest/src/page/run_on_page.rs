//! A run on the page: its document, its name, and its figures by their place in the document.
//!
//! A figure is `<data value="EXACT" data-run="INDEX" data-at="POINTER">ROUNDED</data>`: the place is
//! a JSON pointer (RFC 6901) into the document, so a figure cannot be another one than the
//! document's, and programs find it.

use std::borrow::Cow;

use anyhow::{Context as _, Result};
use maud::{Markup, html};
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

    /// The number at a place.
    pub(super) fn number(&self, at: &str) -> Option<f64> {
        self.json.pointer(at)?.as_f64()
    }

    /// The number at a place with its unit, or a dash.
    pub(super) fn figure(&self, at: &str, unit: Unit) -> Markup {
        self.shown(at, |value| Some(unit.text(value.as_f64()?)))
    }

    /// The same without its unit, for a table whose head has it.
    pub(super) fn cell(&self, at: &str, unit: Unit) -> Markup {
        self.shown(at, |value| Some(unit.number(value.as_f64()?)))
    }

    /// What stands at a place: a text, a truth, a number as it is, or a list of them.
    pub(super) fn text(&self, at: &str) -> Markup {
        self.shown(at, plain_text)
    }

    fn shown(&self, at: &str, text: impl Fn(&Value) -> Option<String>) -> Markup {
        let value = self.json.pointer(at);
        let Some((value, text)) = value.and_then(|value| Some((value, text(value)?))) else {
            return html! { span.none title="not measured" { "–" } };
        };
        let exact = value
            .as_str()
            .map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed);
        html! { data value=(exact) data-run=(self.index) data-at=(at) { (text) } }
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
