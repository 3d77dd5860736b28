//! The servers' figures of several documents: each server's once; and sums of figures by name.
//!
//! Documents with the same setting `server` drove the same servers, and the first of them that has
//! the servers' figures stands for all. Different servers add up; their ratios and means are
//! weighted by the data that they got.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use crate::results::GB;
use crate::results::document::{RunDocument, Second, ServerFigures, ServerSecond};
use crate::results::window_figures::ratio;

/// What documents of the same servers have in common.
struct Group<T> {
    /// The servers' figures.
    of_servers: T,
    /// Bytes that all these documents sent.
    bytes: u64,
}

/// Groups by servers. Documents without the servers' figures count by their bytes.
fn groups<T>(documents: &[&RunDocument], of: impl Fn(usize) -> (Option<T>, u64)) -> Vec<Group<T>> {
    let mut groups: Vec<(Option<&Value>, Option<T>, u64)> = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let servers = document.settings.get("server");
        let (figures, bytes) = of(index);
        match groups.iter_mut().find(|(other, _, _)| *other == servers) {
            Some((_, known, sum)) => {
                *known = known.take().or(figures);
                *sum += bytes;
            }
            None => groups.push((servers, figures, bytes)),
        }
    }
    let known = groups.into_iter().filter_map(|(_, of_servers, bytes)| {
        let of_servers = of_servers?;
        Some(Group { of_servers, bytes })
    });
    known.collect()
}

fn sum<T>(groups: &[Group<T>], of: impl Fn(&T) -> Option<f64>) -> Option<f64> {
    groups
        .iter()
        .filter_map(|group| of(&group.of_servers))
        .reduce(|one, other| one + other)
}

/// The mean by bytes. Of one group its own value, exactly.
fn mean<T>(groups: &[Group<T>], of: impl Fn(&T) -> Option<f64>) -> Option<f64> {
    let known: Vec<_> = groups
        .iter()
        .filter_map(|group| Some((of(&group.of_servers)?, group.bytes as f64)))
        .collect();
    let bytes: f64 = known.iter().map(|(_, bytes)| bytes).sum();
    match &known[..] {
        [(value, _)] => Some(*value),
        known if bytes > 0.0 => Some(known.iter().map(|(value, of)| value * of / bytes).sum()),
        _ => None,
    }
}

/// The servers of the whole window, which got so many bytes.
pub(super) fn figures(documents: &[&RunDocument], bytes: u64) -> Option<ServerFigures> {
    let groups = groups(documents, |index| {
        let document = documents[index];
        (document.server.as_ref(), document.totals.bytes)
    });
    let first = groups.first()?.of_servers;
    let mut sums: ServerFigures = sums(groups.iter().map(|group| group.of_servers));
    for (name, kernel) in groups.iter().flat_map(|group| &group.of_servers.kernels) {
        sums.kernels.entry(name.clone()).or_default().lanes = kernel.lanes;
    }
    let kernels = sums.kernels.values();
    let (active, all) = kernels.fold((0.0, 0.0), |(active, all), kernel| {
        (active + kernel.lane_blocks_active, all + kernel.lane_blocks)
    });
    Some(ServerFigures {
        cpu_seconds_per_gb: ratio(sums.cpu_seconds, Some(bytes as f64 / GB)),
        occupancy_ratio: match groups.len() {
            1 => first.occupancy_ratio,
            _ => ratio(Some(active), Some(all)),
        },
        efficiency_ratio: mean(&groups, |server| server.efficiency_ratio),
        queue_wait_mean_ms: mean(&groups, |server| server.queue_wait_mean_ms),
        build_info: build_info(&groups),
        ..sums
    })
}

fn build_info(groups: &[Group<&ServerFigures>]) -> BTreeMap<String, String> {
    let mut values = BTreeMap::<String, Vec<&str>>::new();
    for (name, value) in groups.iter().flat_map(|group| &group.of_servers.build_info) {
        values.entry(name.clone()).or_default().push(value);
    }
    let joined = |(name, values): (String, Vec<&str>)| (name, joined(values.into_iter()));
    values.into_iter().map(joined).collect()
}

/// The servers of one second, which got so many bytes.
pub(super) fn second(
    documents: &[&RunDocument],
    seconds: &[Option<Second>],
    bytes: u64,
) -> Option<ServerSecond> {
    let groups = groups(documents, |index| match &seconds[index] {
        Some(second) => (second.server.as_ref(), second.bytes),
        None => (None, 0),
    });
    groups.first()?;
    let cpu_s = sum(&groups, |server| server.cpu_s);
    let names: BTreeSet<_> = groups
        .iter()
        .flat_map(|group| group.of_servers.kernels.keys())
        .collect();
    let share = |name: &String| {
        // A server that did not use the kernel has a share of 0.
        let of = |server: &&ServerSecond| Some(server.kernels.get(name).copied().unwrap_or(0.0));
        Some((name.clone(), mean(&groups, of)?))
    };
    Some(ServerSecond {
        cpu_s,
        cpu_s_per_gb: ratio(cpu_s, Some(bytes as f64 / GB)),
        occupancy_ratio: mean(&groups, |server| server.occupancy_ratio),
        kernels: names.into_iter().filter_map(share).collect(),
        queue_wait_ms: mean(&groups, |server| server.queue_wait_ms),
        buffered_bytes: sum(&groups, |server| server.buffered_bytes),
    })
}

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
