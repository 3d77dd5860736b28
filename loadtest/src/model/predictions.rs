//! Tables and rows of predictions.

use anyhow::Result;
use serde_json::json;

use super::costs::Costs;
use super::kernel_costs::Kernels;
use super::simulated_load::Load;
use super::simulation::{Outcome, simulate};
use super::validity;
use crate::results::document::RunDocument;
use crate::results::threshold::condition_figure;
use crate::results::window_figures::{Figures, ratio};
use crate::results::{Row, Table, say};

/// The head of a table's column, the figure and its decimals.
const COLUMNS: [(&str, &str, usize); 11] = [
    ("GB/s", "gb_per_s", 3),
    ("parts/s", "parts_per_s", 1),
    ("CPU s/GB", "cpu_seconds_per_gb", 3),
    ("busy", "busy_ratio", 3),
    ("client", "client_busy_ratio", 3),
    ("occupancy", "occupancy_ratio", 3),
    ("efficiency", "efficiency_ratio", 3),
    ("p50 ms", "p50_ms", 3),
    ("p99 ms", "p99_ms", 3),
    ("p99.9 ms", "p999_ms", 3),
    ("client s/GB", "client_cpu_seconds_per_gb", 3),
];

/// Predicts each load, with a line in a table and a row of JSON.
///
/// # Errors
/// A load is malformed, or standard output is closed.
pub(super) fn predictions(loads: &[Load], costs: &Costs, kernels: &Kernels) -> Result<()> {
    let mut table = Table::default();
    let mut notes = Vec::new();
    for load in loads {
        let outcome = simulate(load, costs, kernels)?;
        let predicted = figures_of(&outcome, costs);
        let why = validity::of_outcome(load, &outcome);
        let name = name_of(load);
        table.row(predicted.line(name.clone(), COLUMNS));
        notes.extend(why.iter().map(|why| format!("{name}: {why}")));
        let row = Row::of(json!({"kind": "prediction", "rate": rate_of(load)}));
        let row = row.and(load.load.row()).and(&predicted);
        let all = outcome.all;
        row.and(json!({
            "simulated_parts": all.answered,
            "simulated_bytes": all.sent.bytes,
            "simulated_hashed_bytes": all.hashed_bytes,
            "holds": why.is_empty(),
            "why_not": why,
        }))
        .print()?;
    }
    if let Some(first) = loads.first() {
        let load = &first.load;
        say(format_args!(
            "predicted: one worker, {}, parts of {}, {:?} simulated",
            load.algorithm_names().join("+"),
            load.part_size,
            first.duration
        ));
    }
    say(table);
    tell(&notes);
    Ok(())
}

/// Predicts the load of each document, beside what was measured.
///
/// # Errors
/// A load is malformed, or standard output is closed.
pub(super) fn against(
    documents: &[(String, RunDocument, Load)],
    costs: &Costs,
    kernels: &Kernels,
) -> Result<()> {
    let mut table = Table::default();
    let mut notes = Vec::new();
    for (name, document, load) in documents {
        let outcome = simulate(load, costs, kernels)?;
        let (predicted, measured) = (figures_of(&outcome, costs), measured(document));
        let mut why = validity::of_document(document);
        why.extend(validity::of_outcome(load, &outcome));
        table.row(predicted.line(format!("{name} predicted"), COLUMNS));
        table.row(measured.line("  measured".into(), COLUMNS));
        let difference = difference(&predicted, &measured);
        table.row(difference.line("  difference".into(), COLUMNS));
        notes.extend(why.iter().map(|why| format!("{name}: {why}")));
        let row = Row::of(json!({
            "kind": "prediction_against",
            "document": name,
            "rate": rate_of(load),
            "predicted": predicted,
            "measured": measured,
            "difference": difference,
            "holds": why.is_empty(),
            "why_not": why,
        }));
        row.and(load.load.row()).print()?;
    }
    say(table);
    say(
        "difference: predicted less measured of busy, client, occupancy and efficiency; of the \
         others predicted / measured - 1",
    );
    tell(&notes);
    Ok(())
}

fn tell(notes: &[String]) {
    if !notes.is_empty() {
        say("the model does not hold:");
        notes.iter().for_each(|note| say(format_args!("  {note}")));
    }
}

fn name_of(load: &Load) -> String {
    match &load.rate {
        Some(rate) => rate.to_string(),
        None => format!(
            "{} streams @{}",
            load.load.streams,
            load.load.used_connections()
        ),
    }
}

fn rate_of(load: &Load) -> Option<String> {
    load.rate.as_ref().map(ToString::to_string)
}

fn figures_of(outcome: &Outcome, costs: &Costs) -> Figures {
    let gb = Some(outcome.gb());
    let per_s = |amount: f64| Some(amount / outcome.seconds);
    Figures::default().with([
        ("gb_per_s", per_s(outcome.gb())),
        ("parts_per_s", per_s(outcome.response_ns.len() as f64)),
        (
            "cpu_seconds_per_gb",
            ratio(Some(outcome.worker.cpu_s(costs.sleep_ns)), gb),
        ),
        (
            "client_cpu_seconds_per_gb",
            ratio(Some(outcome.client.cpu_s(costs.sleep_ns)), gb),
        ),
        ("busy_ratio", Some(outcome.busy(outcome.worker))),
        ("client_busy_ratio", Some(outcome.busy(outcome.client))),
        ("occupancy_ratio", outcome.occupancy),
        ("efficiency_ratio", outcome.efficiency),
        ("p50_ms", outcome.response_ms(0.5)),
        ("p99_ms", outcome.response_ms(0.99)),
        ("p999_ms", outcome.response_ms(0.999)),
    ])
}

fn measured(document: &RunDocument) -> Figures {
    let server = document.server.as_ref();
    let worker = |phase: &str| server?.worker_seconds.get(phase).copied();
    let worked = worker("hash").zip(worker("io")).map(|(hash, io)| hash + io);
    let of = |flag| condition_figure(flag)?.of(document);
    Figures::default().with([
        ("gb_per_s", of("gb_per_s")),
        ("parts_per_s", of("parts_per_s")),
        ("cpu_seconds_per_gb", of("cpu_s_per_gb")),
        ("client_cpu_seconds_per_gb", of("client_cpu_s_per_gb")),
        ("busy_ratio", ratio(worked, Some(document.seconds))),
        ("client_busy_ratio", of("client_busy_cpus")),
        ("occupancy_ratio", of("occupancy")),
        ("efficiency_ratio", of("efficiency")),
        ("p50_ms", of("p50")),
        ("p99_ms", of("p99")),
        ("p999_ms", of("p99.9")),
    ])
}

/// Ratios differ by a difference, other figures by a share.
fn difference(predicted: &Figures, measured: &Figures) -> Figures {
    let differ = |name: &'static str| {
        let pair = predicted.get(name).zip(measured.get(name));
        let difference = if name.ends_with("_ratio") {
            pair.map(|(predicted, measured)| predicted - measured)
        } else {
            ratio(predicted.get(name), measured.get(name)).map(|ratio| ratio - 1.0)
        };
        (name, difference)
    };
    Figures::default().with(COLUMNS.map(|(_, name, _)| differ(name)))
}
