//! The merged document of load generators that began at the same time, as if one generator had sent
//! everything.
//!
//! Counts and histograms add. Seconds with the same number are merged; their quantiles come from
//! their buckets, because a second has no histogram. Generators with the same servers have the same
//! servers' figures, which count once (server_figures.rs).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value};

use super::server_figures::{self, joined, sums};
use crate::args::MergeArgs;
use crate::results::document::{
    Class, ClientFigures, KIND, Latency, Machine, RunDocument, Second, Totals, VERSION, Workload,
    bucket_index, empty_histogram,
};
use crate::results::threshold::judge_all;
use crate::results::window_figures::ratio;
use crate::results::{GB, whole, write_document};

/// Documents that began at one time began within less than this.
const APART: Duration = Duration::from_secs(1);

/// The command `merge`: reads documents and writes the merged one.
///
/// # Errors
/// A document cannot be read, they do not fit together, or the merged one cannot be written.
pub fn merge(args: &MergeArgs) -> Result<bool> {
    let mut documents = Vec::new();
    for path in &args.documents {
        documents.push((path.display().to_string(), RunDocument::read(path)?));
    }
    let mut merged = merged(&documents)?;
    let passed = judge_all(&args.fail_if, &mut merged);
    write_document(&merged, args.json.as_deref())?;
    Ok(passed)
}

/// The documents, each with its name, as one.
///
/// # Errors
/// They did not begin at one time, or a histogram is malformed.
pub fn merged(named: &[(String, RunDocument)]) -> Result<RunDocument> {
    let documents: Vec<_> = named.iter().map(|(_, document)| document).collect();
    began_together(named)?;
    let first = documents.first().context("there is nothing to merge")?;
    let seconds = documents
        .iter()
        .map(|document| document.seconds)
        .fold(0.0, f64::max);
    let totals = totals(&documents, seconds);
    let latency =
        |of: fn(&RunDocument) -> &Latency| add(documents.iter().map(|document| of(document)));
    let text = |of: fn(&RunDocument) -> &str| joined(documents.iter().map(|document| of(document)));
    let labels = documents
        .iter()
        .filter_map(|document| document.label.as_deref());
    Ok(RunDocument {
        kind: KIND.into(),
        version: VERSION,
        started_at: first.started_at.clone(),
        seconds,
        interrupted: documents.iter().any(|document| document.interrupted),
        machine: Machine {
            cpu_model: text(|document| &document.machine.cpu_model),
            cpus: documents.iter().map(|document| document.machine.cpus).sum(),
            os: text(|document| &document.machine.os),
        },
        command: ["hashlane-loadtest", "merge"]
            .into_iter()
            .chain(named.iter().map(|(name, _)| name.as_str()))
            .map(str::to_owned)
            .collect(),
        settings: settings(&documents),
        label: Some(joined(labels)).filter(|label| !label.is_empty()),
        response_time: latency(|document| &document.response_time)?,
        service_time: latency(|document| &document.service_time)?,
        errors: sums(documents.iter().map(|document| &document.errors)),
        client: client(named, seconds, totals.bytes),
        server: server_figures::figures(&documents, totals.bytes),
        workload: workload(&documents)?,
        seconds_series: series(&documents),
        // Each generator judged its own figures.
        thresholds: Vec::new(),
        totals,
    })
}

fn began_together(named: &[(String, RunDocument)]) -> Result<()> {
    let mut first = None;
    for (name, document) in named {
        let at = &document.started_at;
        let start = humantime::parse_rfc3339(at)
            .with_context(|| format!("{name} has no time of its start, but `{at}`"))?;
        let (first_name, first_at, first_start) = *first.get_or_insert((name, at, start));
        let apart = start
            .duration_since(first_start)
            .unwrap_or_else(|earlier| earlier.duration());
        ensure!(
            apart < APART,
            "{first_name} began at {first_at} and {name} at {at}: only runs that began at one time \
             can be merged"
        );
    }
    Ok(())
}

fn totals(documents: &[&RunDocument], seconds: f64) -> Totals {
    let sums: Totals = sums(documents.iter().map(|document| &document.totals));
    let per_second = |value: f64| ratio(Some(value), Some(seconds)).unwrap_or(0.0);
    Totals {
        gb_per_s: per_second(sums.bytes as f64 / GB),
        parts_per_s: per_second(sums.parts as f64),
        ..sums
    }
}

/// The distribution of all values.
fn add<'a>(latencies: impl Iterator<Item = &'a Latency>) -> Result<Latency> {
    let mut all = empty_histogram();
    for latency in latencies {
        let histogram = latency.histogram()?;
        ensure!(
            histogram.len() == latency.count,
            "a histogram has {} values, and its document says {}",
            histogram.len(),
            latency.count
        );
        all.add(histogram).context("a latency is above an hour")?;
    }
    Latency::of(&all)
}

/// A setting that differs becomes the list of its values, one of each document.
fn settings(documents: &[&RunDocument]) -> Map<String, Value> {
    let names: BTreeSet<_> = documents
        .iter()
        .flat_map(|document| document.settings.keys())
        .collect();
    let value = |name: &String| {
        let of = |document: &&RunDocument| document.settings.get(name).cloned().unwrap_or_default();
        let values: Vec<_> = documents.iter().map(of).collect();
        match values.iter().all(|value| *value == values[0]) {
            true => values[0].clone(),
            false => Value::Array(values),
        }
    };
    names
        .into_iter()
        .map(|name| (name.clone(), value(name)))
        .collect()
}

fn client(named: &[(String, RunDocument)], seconds: f64, bytes: u64) -> ClientFigures {
    let clients = || named.iter().map(|(_, document)| &document.client);
    let sums: ClientFigures = sums(clients());
    let why = named.iter().flat_map(|(name, document)| {
        let reasons = document.client.why.iter();
        reasons.map(move |reason| format!("{name}: {reason}"))
    });
    ClientFigures {
        cpu_seconds_per_gb: ratio(Some(sums.cpu_seconds), Some(bytes as f64 / GB)),
        busy_cpus: ratio(Some(sums.cpu_seconds), Some(seconds)).unwrap_or(0.0),
        // Of the generator that was latest.
        late_starts_p99_ms: clients()
            .filter_map(|client| client.late_starts_p99_ms)
            .reduce(f64::max),
        is_bottleneck: clients().any(|client| client.is_bottleneck),
        why: why.collect(),
        ..sums
    }
}

fn workload(documents: &[&RunDocument]) -> Result<Workload> {
    let workloads = || documents.iter().map(|document| &document.workload);
    let mut classes: Vec<(&Class, Vec<&Class>)> = Vec::new();
    for class in workloads().flat_map(|workload| &workload.classes) {
        let same = |other: &Class| {
            let kind = |class: &Class| (class.name.clone(), class.rpc.clone(), class.sizes.clone());
            kind(other) == kind(class)
                && other.algorithms == class.algorithms
                && other.weight.to_bits() == class.weight.to_bits()
        };
        match classes.iter_mut().find(|(first, _)| same(first)) {
            Some((_, all)) => all.push(class),
            None => classes.push((class, vec![class])),
        }
    }
    let classes: Result<Vec<_>> = classes
        .into_iter()
        .map(|(first, all)| {
            let known: Vec<_> = all
                .iter()
                .filter_map(|class| class.response_time.as_ref())
                .collect();
            Ok(Class {
                parts: all.iter().map(|class| class.parts).sum(),
                bytes: all.iter().map(|class| class.bytes).sum(),
                response_time: match &known[..] {
                    [] => None,
                    known => Some(add(known.iter().copied())?),
                },
                ..first.clone()
            })
        })
        .collect();
    let rates = joined(workloads().map(|workload| workload.rate.as_str()));
    let alike = workloads().all(|workload| workload.rate == rates);
    Ok(Workload {
        classes: classes?,
        r#loop: joined(workloads().map(|workload| workload.r#loop.as_str())),
        rate: match documents.len() {
            generators if alike && generators > 1 => format!("{generators} × {rates}"),
            _ => rates,
        },
    })
}

/// The number of a second, from 0.
fn number(second: &Second) -> i64 {
    whole(second.at_s - second.seconds)
}

fn series(documents: &[&RunDocument]) -> Vec<Second> {
    let mut numbers = BTreeSet::new();
    for document in documents {
        numbers.extend(document.seconds_series.iter().map(number));
    }
    let second = |wanted: i64| {
        let of = |document: &&RunDocument| {
            let mut seconds = document.seconds_series.iter();
            seconds.rfind(|second| number(second) == wanted).cloned()
        };
        let seconds: Vec<_> = documents.iter().map(of).collect();
        merged_second(documents, &seconds)
    };
    numbers.into_iter().map(second).collect()
}

/// One second of all documents, `None` where a document has ended.
fn merged_second(documents: &[&RunDocument], of_documents: &[Option<Second>]) -> Second {
    let seconds: Vec<_> = of_documents.iter().flatten().collect();
    let highest =
        |of: fn(&Second) -> f64| seconds.iter().map(|second| of(second)).fold(0.0, f64::max);
    let mut buckets = BTreeMap::<i32, (f64, u64)>::new();
    for (upper_ms, count) in seconds.iter().flat_map(|second| &second.response_buckets) {
        buckets
            .entry(bucket_index(*upper_ms))
            .or_insert((*upper_ms, 0))
            .1 += count;
    }
    let buckets: Vec<_> = buckets.into_values().collect();
    let answered: Vec<_> = seconds
        .iter()
        .filter(|second| !second.response_buckets.is_empty())
        .collect();
    let response_max_ms = seconds
        .iter()
        .filter_map(|second| second.response_max_ms)
        .reduce(f64::max);
    let quantile = |quantile: f64, of: fn(&Second) -> Option<f64>| match &answered[..] {
        [] => None,
        [alone] => of(alone),
        _ => quantile_of(&buckets, quantile).map(|ms| ms.min(response_max_ms.unwrap_or(ms))),
    };
    // A second that is the sum of all has no server and no buckets of its own.
    let counts = seconds.iter().map(|second| Second {
        server: None,
        response_buckets: Vec::new(),
        ..(*second).clone()
    });
    let counts: Second = sums(counts);
    Second {
        at_s: highest(|second| second.at_s),
        seconds: highest(|second| second.seconds),
        response_p50_ms: quantile(0.5, |second| second.response_p50_ms),
        response_p99_ms: quantile(0.99, |second| second.response_p99_ms),
        response_max_ms,
        server: server_figures::second(documents, of_documents, counts.bytes),
        response_buckets: buckets,
        ..counts
    }
}

/// The upper bound of the bucket that has the quantile, in milliseconds.
fn quantile_of(buckets: &[(f64, u64)], quantile: f64) -> Option<f64> {
    let all: u64 = buckets.iter().map(|(_, count)| count).sum();
    let wanted = whole::<u64>((all as f64 * quantile).ceil()).max(1);
    let mut seen = 0;
    let found = buckets.iter().find(|(_, count)| {
        seen += count;
        seen >= wanted
    });
    found.map(|(upper_ms, _)| *upper_ms)
}
