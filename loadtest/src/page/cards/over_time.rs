//! Curves over time: a figure of each second, of one run or of several.

use super::card::{Card, Legend, column, time};
use crate::page::chart::{Axis, Chart, Mark};
use crate::page::figure_text::Unit;
use crate::page::html_tables::{self, Column};
use crate::page::ink::Ink;
use crate::page::run_on_page::Run;
use crate::page::side_by_side::{self, OfSecond};

fn highest(curves: &[Curve]) -> Option<f64> {
    let values = curves.iter().flat_map(|curve| &curve.points);
    values.filter_map(|(_, y)| *y).reduce(f64::max)
}

/// A curve over time.
pub(super) struct Curve {
    pub(super) ink: Ink,
    pub(super) name: String,
    pub(super) points: Vec<(f64, Option<f64>)>,
}

/// A figure of each run over time.
fn of_runs(runs: &[Run<'_>], of: OfSecond) -> Vec<Curve> {
    let curve = |run: &Run<'_>| Curve {
        ink: Ink::Series(run.index),
        name: run.name.clone(),
        points: run.over_time(of),
    };
    runs.iter().map(curve).collect()
}

/// The names of curves, if there is more than one.
pub(super) fn legend(curves: &[Curve]) -> Legend {
    let all = curves.iter().map(|curve| (curve.ink, curve.name.clone()));
    Legend::Names(if curves.len() > 1 {
        all.collect()
    } else {
        Vec::new()
    })
}

/// A lone curve has its area filled.
fn marks(curves: Vec<Curve>) -> Vec<Mark> {
    let alone = curves.len() == 1;
    let marks = curves.into_iter().flat_map(|curve| {
        let area = alone.then(|| Mark::Area(curve.ink, curve.points.clone()));
        area.into_iter()
            .chain([Mark::Line(curve.ink, curve.points)])
    });
    marks.collect()
}

/// What a chart over time is called and shows.
struct OverTime {
    id: &'static str,
    heading: &'static str,
    note: &'static str,
    unit: Unit,
    /// The vertical axis; from zero if there is none.
    y: Option<Axis>,
    columns: Vec<Column>,
}

fn over_time(runs: &[Run<'_>], curves: Vec<Curve>, of: OverTime) -> Option<Card> {
    let highest = highest(&curves)?;
    let unit = if of.unit.name().is_empty() {
        of.heading
    } else {
        of.unit.name()
    };
    let named = curves.iter().filter_map(|curve| {
        let values = curve.points.iter().filter_map(|(_, y)| *y);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = (of.unit.number(low), of.unit.text(high));
        (!curve.points.is_empty()).then(|| format!("{}: {low} to {high}", curve.name))
    });
    let description = format!("{} {}.", of.note, named.collect::<Vec<_>>().join("; "));
    Some(Card {
        heading: of.heading.into(),
        note: of.note.into(),
        legend: legend(&curves),
        chart: Chart {
            id: of.id.into(),
            title: format!("{} over time", of.heading),
            description,
            x: time(runs),
            y: of.y.unwrap_or_else(|| Axis::from_zero(unit, highest, 1e-3)),
            marks: marks(curves),
        },
        tables: runs
            .iter()
            .map(|run| html_tables::seconds(run, &of.columns))
            .collect(),
    })
}

pub(super) fn throughput(runs: &[Run<'_>]) -> Option<Card> {
    let of = OverTime {
        id: "throughput",
        heading: "Throughput",
        note: "Data sent in each second.",
        unit: Unit::GbPerSecond,
        y: None,
        columns: vec![
            column("length", "/seconds", Unit::Seconds),
            column("parts", "/parts", Unit::Count),
            column("data", "/bytes", Unit::Bytes),
            column("errors", "/errors", Unit::Count),
            column("missed starts", "/missed", Unit::Count),
            column("CPU of the load generator", "/client_cpu_s", Unit::Seconds),
        ],
    };
    over_time(runs, of_runs(runs, side_by_side::gb_per_s), of)
}

pub(super) fn occupancy(runs: &[Run<'_>]) -> Option<Card> {
    let percent: OfSecond = |second| Some(side_by_side::occupancy(second)? * 100.0);
    let of = OverTime {
        id: "occupancy",
        heading: "Lane occupancy",
        note: "Lanes with a job, of all lanes of the kernels that ran.",
        unit: Unit::Plain,
        y: Some(Axis::exact("% of lanes", 0.0..100.0, 4)),
        columns: vec![column("occupancy", "/server/occupancy_ratio", Unit::Share)],
    };
    over_time(runs, of_runs(runs, percent), of)
}

pub(super) fn cpu(runs: &[Run<'_>]) -> Option<Card> {
    let of = OverTime {
        id: "cpu",
        heading: "The server's CPU time",
        note: "CPU seconds of the server for each GB sent.",
        unit: Unit::CpuPerGb,
        y: None,
        columns: vec![
            column("CPU time", "/server/cpu_s", Unit::Seconds),
            column("of the data", "/server/cpu_s_per_gb", Unit::CpuPerGb),
        ],
    };
    over_time(runs, of_runs(runs, side_by_side::cpu_per_gb), of)
}

pub(super) fn queue_wait(runs: &[Run<'_>]) -> Option<Card> {
    let of = OverTime {
        id: "queue-wait",
        heading: "Queue wait",
        note: "Mean time from the arrival of a chunk until its first bytes are hashed.",
        unit: Unit::Ms,
        y: None,
        columns: vec![column("queue wait", "/server/queue_wait_ms", Unit::Ms)],
    };
    over_time(runs, of_runs(runs, side_by_side::queue_wait_ms), of)
}

pub(super) fn buffered(runs: &[Run<'_>]) -> Option<Card> {
    let megabytes: OfSecond = |second| Some(side_by_side::buffered_bytes(second)? / 1e6);
    let curves = of_runs(runs, megabytes);
    let of = OverTime {
        id: "buffered",
        heading: "Buffered data",
        note: "Megabytes that the server has received and not yet hashed.",
        unit: Unit::Plain,
        y: Some(Axis::from_zero("MB", highest(&curves)?, 1e-3)),
        columns: vec![column("buffered", "/server/buffered_bytes", Unit::Bytes)],
    };
    over_time(runs, curves, of)
}

/// Errors and missed starts, if there were any.
pub(super) fn failures(runs: &[Run<'_>]) -> Option<Card> {
    let failed: OfSecond = |second| Some((second.errors + second.missed) as f64);
    let mut curves = of_runs(runs, failed);
    if highest(&curves)? == 0.0 {
        return None;
    }
    if let [alone] = &mut curves[..] {
        alone.ink = Ink::Alert;
    }
    let of = OverTime {
        id: "failures",
        heading: "Failures",
        note: "Errors and missed starts in each second.",
        unit: Unit::Count,
        y: None,
        columns: vec![
            column("errors", "/errors", Unit::Count),
            column("missed starts", "/missed", Unit::Count),
        ],
    };
    over_time(runs, curves, of)
}

/// An axis of latencies around all values, with room at both ends.
pub(super) fn latency_axis(values: impl Iterator<Item = f64>) -> Option<Axis> {
    let range = values
        .filter(|ms| *ms > 0.0)
        .fold(None, |range: Option<(f64, f64)>, ms| {
            let (low, high) = range.unwrap_or((ms, ms));
            Some((low.min(ms), high.max(ms)))
        });
    range.map(|(low, high)| Axis::log("ms", low * 0.85..high * 1.15))
}

/// Of one run its median, p99 and maximum; of several the p99 of each.
pub(super) fn response_over_time(runs: &[Run<'_>]) -> Option<Card> {
    let [run] = runs else {
        let note = "p99 in each second, from the intended start of a part to its answer.";
        return response(runs, of_runs(runs, |second| second.response_p99_ms), note);
    };
    let figures: [(&str, OfSecond); 3] = [
        ("p50", |second| second.response_p50_ms),
        ("p99", |second| second.response_p99_ms),
        ("max", |second| second.response_max_ms),
    ];
    let curves = figures
        .into_iter()
        .enumerate()
        .map(|(index, (name, of))| Curve {
            ink: Ink::Series(index),
            name: name.into(),
            points: run.over_time(of),
        });
    let note = "In each second, from the intended start of a part to its answer.";
    response(runs, curves.collect(), note)
}

fn response(runs: &[Run<'_>], curves: Vec<Curve>, note: &'static str) -> Option<Card> {
    let all = curves.iter().flat_map(|curve| &curve.points);
    let y = latency_axis(all.filter_map(|(_, ms)| *ms))?;
    let of = OverTime {
        id: "response-time",
        heading: "Response time",
        note,
        unit: Unit::Ms,
        y: Some(y),
        columns: vec![
            column("p50", "/response_p50_ms", Unit::Ms),
            column("p99", "/response_p99_ms", Unit::Ms),
            column("max", "/response_max_ms", Unit::Ms),
        ],
    };
    over_time(runs, curves, of)
}
