//! Rows, one JSON object per line on standard output for programs, and text on standard error for
//! people.

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use super::text_table::figure;
use crate::system::files::write_whole;

/// Bytes of a GB: decimal, as for disks and networks.
pub(crate) const GB: f64 = 1e9;

/// The nearest whole number of a value far below 2^53; 0 if the type has none.
pub(crate) fn whole<T: TryFrom<i64> + Default>(value: f64) -> T {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "rounded, and far below 2^53"
    )]
    let rounded = value.round() as i64;
    T::try_from(rounded).unwrap_or_default()
}

/// Bytes in MiB, as for memory.
pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// A row of JSON: names and values.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Row(Map<String, Value>);

impl Row {
    /// The row of an object.
    pub(crate) fn of(object: impl Serialize) -> Self {
        Self::default().and(object)
    }

    /// Adds what an object has. Anything else than an object, as an absent one, adds nothing.
    pub(crate) fn and(mut self, object: impl Serialize) -> Self {
        if let Ok(Value::Object(more)) = serde_json::to_value(object) {
            self.0.extend(more);
        }
        self
    }

    /// A value of the row; null if it has none of this name.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// A line of a table: columns with a head, a value's name, and the digits of a fraction.
    pub(crate) fn line<'a, const N: usize>(
        &self,
        columns: [(&'a str, &str, usize); N],
    ) -> [(&'a str, String); N] {
        columns.map(|(head, name, digits)| {
            let text = match self.get(name) {
                Value::String(text) => text.clone(),
                Value::Number(number) if !number.is_f64() => number.to_string(),
                value => figure(value.as_f64(), digits),
            };
            (head, text)
        })
    }

    /// Its names and values.
    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.0
    }

    /// Prints it as one line on standard output.
    ///
    /// # Errors
    /// Standard output is closed.
    pub(crate) fn print(&self) -> Result<()> {
        let line = serde_json::to_string(self).context("cannot encode the report")?;
        let mut out = std::io::stdout().lock();
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        written.context("cannot write to standard output")
    }
}

/// Writes a document as one line into the file, or to standard output if there is none.
///
/// # Errors
/// The file cannot be written, or standard output is closed.
pub(crate) fn write_document(document: &impl Serialize, path: Option<&Path>) -> Result<()> {
    let Some(path) = path else {
        return Row::of(document).print();
    };
    let text = serde_json::to_string(document).context("cannot encode the document")?;
    write_whole(path, &(text + "\n"))
}

/// Prints a message for people on standard error.
pub(crate) fn say(text: impl fmt::Display) {
    // A closed standard error must not end a measurement.
    let _ = writeln!(std::io::stderr(), "{text}");
}
