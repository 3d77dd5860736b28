//! Sums of figures by name, and lists of texts.

use std::borrow::Borrow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

/// The sums of all numbers with the same name, at any depth. Texts and truths are those of the
/// first.
pub(super) fn sums<T: Serialize + DeserializeOwned + Default + 'static>(
    parts: impl IntoIterator<Item = impl Borrow<T>>,
) -> T {
    let encoded = parts
        .into_iter()
        .map(|part| serde_json::to_value(part.borrow()));
    let sum = encoded.flatten().fold(Value::Null, |mut sum, part| {
        add_numbers(&mut sum, part);
        sum
    });
    // Nothing is the sum of no part.
    serde_json::from_value(sum).unwrap_or_default()
}

fn add_numbers(sum: &mut Value, more: Value) {
    match (sum, more) {
        (sum @ Value::Null, more) => *sum = more,
        (Value::Object(sum), Value::Object(more)) => {
            for (name, value) in more {
                add_numbers(sum.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Number(sum), Value::Number(more)) => {
            *sum = match (sum.as_u64(), more.as_u64()) {
                (Some(sum), Some(more)) => (sum + more).into(),
                _ => Number::from_f64(sum.as_f64().unwrap_or(0.0) + more.as_f64().unwrap_or(0.0))
                    .unwrap_or(more),
            };
        }
        _ => {}
    }
}

/// Different texts, in their order.
pub(super) fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut different = Vec::new();
    for text in texts {
        if !different.contains(&text) {
            different.push(text);
        }
    }
    different.join(" + ")
}
