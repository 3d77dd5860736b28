//! Curves over time: a figure of each second, of one run or of several.

use super::card::{Card, Legend, Table, time};
use crate::page::chart::{Axis, Chart, Mark};
use crate::page::figure_text::Unit;
use crate::page::ink::{ALERT, Ink, SERIES};
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
        ink: SERIES[run.index],
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
pub(super) struct OverTime {
    id: &'static str,
    heading: &'static str,
    note: &'static str,
    of: OfSecond,
    /// Of `of`.
    unit: Unit,
    /// The vertical axis, by the highest value.
    y: fn(f64) -> Axis,
    /// Of its table: heads, places in the second, and units.
    columns: &'static [(&'static str, &'static str, Unit)],
}

pub(super) const THROUGHPUT: OverTime = OverTime {
    id: "throughput",
    heading: "Throughput",
    note: "Data sent in each second.",
    of: side_by_side::gb_per_s,
    unit: Unit::GbPerSecond,
    y: |highest| Axis::from_zero("GB/s", highest),
    columns: &[
        ("length", "/seconds", Unit::Seconds),
        ("parts", "/parts", Unit::Count),
        ("data", "/bytes", Unit::Bytes),
        ("errors", "/errors", Unit::Count),
        ("missed starts", "/missed", Unit::Count),
        ("CPU of the load generator", "/client_cpu_s", Unit::Seconds),
    ],
};

pub(super) const OCCUPANCY: OverTime = OverTime {
    id: "occupancy",
    heading: "Lane occupancy",
    note: "Lanes with a job, of all lanes of the kernels that ran.",
    of: |second| Some(side_by_side::occupancy(second)? * 100.0),
    unit: Unit::Plain,
    y: |_| Axis::exact("% of lanes", 0.0..100.0, 4),
    columns: &[("occupancy", "/server/occupancy_ratio", Unit::Share)],
};

pub(super) const CPU: OverTime = OverTime {
    id: "cpu",
    heading: "The server's CPU time",
    note: "CPU seconds of the server for each GB sent.",
    of: side_by_side::cpu_per_gb,
    unit: Unit::CpuPerGb,
    y: |highest| Axis::from_zero("CPU s/GB", highest),
    columns: &[
        ("CPU time", "/server/cpu_s", Unit::Seconds),
        ("of the data", "/server/cpu_s_per_gb", Unit::CpuPerGb),
    ],
};

pub(super) const QUEUE_WAIT: OverTime = OverTime {
    id: "queue-wait",
    heading: "Queue wait",
    note: "Mean time from the arrival of a chunk until its first bytes are hashed.",
    of: side_by_side::queue_wait_ms,
    unit: Unit::Ms,
    y: |highest| Axis::from_zero("ms", highest),
    columns: &[("queue wait", "/server/queue_wait_ms", Unit::Ms)],
};

pub(super) const BUFFERED: OverTime = OverTime {
    id: "buffered",
    heading: "Buffered data",
    note: "Megabytes that the server has received and not yet hashed.",
    of: |second| Some(second.server.as_ref()?.buffered_bytes? / 1e6),
    unit: Unit::Plain,
    y: |highest| Axis::from_zero("MB", highest),
    columns: &[("buffered", "/server/buffered_bytes", Unit::Bytes)],
};

const FAILURES: OverTime = OverTime {
    id: "failures",
    heading: "Failures",
    note: "Errors and missed starts in each second.",
    of: |second| Some((second.errors + second.missed) as f64),
    unit: Unit::Count,
    y: |highest| Axis::from_zero("Failures", highest),
    columns: &[
        ("errors", "/errors", Unit::Count),
        ("missed starts", "/missed", Unit::Count),
    ],
};

const RESPONSE: OverTime = OverTime {
    id: "response-time",
    heading: "Response time",
    note: "p99 in each second, from the intended start of a part to its answer.",
    of: |second| second.response_p99_ms,
    unit: Unit::Ms,
    y: |highest| Axis::from_zero("ms", highest),
    columns: &[
        ("p50", "/response_p50_ms", Unit::Ms),
        ("p99", "/response_p99_ms", Unit::Ms),
        ("max", "/response_max_ms", Unit::Ms),
    ],
};

/// The figure of each run.
pub(super) fn over_time<'a>(runs: &'a [Run<'a>], of: &OverTime) -> Option<Card<'a>> {
    let curves = of_runs(runs, of.of);
    let y = (of.y)(highest(&curves)?);
    Some(card(runs, curves, of, y))
}

fn card<'a>(runs: &'a [Run<'a>], curves: Vec<Curve>, of: &OverTime, y: Axis) -> Card<'a> {
    let named = curves.iter().filter_map(|curve| {
        let values = curve.points.iter().filter_map(|(_, y)| *y);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = (of.unit.number(low), of.unit.text(high));
        (!curve.points.is_empty()).then(|| format!("{}: {low} to {high}", curve.name))
    });
    let columns = of.columns.iter();
    let columns = columns.map(|(name, at, unit)| ((*name).to_owned(), (*at).to_owned(), *unit));
    Card {
        heading: of.heading.into(),
        note: of.note.into(),
        legend: legend(&curves),
        chart: Chart {
            id: of.id.into(),
            title: format!("{} over time", of.heading),
            description: format!("{} {}.", of.note, named.collect::<Vec<_>>().join("; ")),
            x: time(runs),
            y,
            marks: marks(curves),
        },
        runs,
        table: Table::Seconds(columns.collect()),
    }
}

/// Errors and missed starts, if there were any.
pub(super) fn failures<'a>(runs: &'a [Run<'a>]) -> Option<Card<'a>> {
    let mut curves = of_runs(runs, FAILURES.of);
    let highest = highest(&curves).filter(|highest| *highest > 0.0)?;
    if let [alone] = &mut curves[..] {
        alone.ink = ALERT;
    }
    Some(card(runs, curves, &FAILURES, (FAILURES.y)(highest)))
}

/// An axis of latencies around all values, with room at both ends.
pub(super) fn latency_axis(curves: &[Curve]) -> Option<Axis> {
    let ms = curves.iter().flat_map(|curve| &curve.points);
    let ms = ms.filter_map(|(_, ms)| *ms).filter(|ms| *ms > 0.0);
    let (low, high) = (ms.clone().reduce(f64::min)?, ms.reduce(f64::max)?);
    Some(Axis::log("ms", low * 0.85..high * 1.15))
}

/// Of one run its median, p99 and maximum; of several the p99 of each.
pub(super) fn response_over_time<'a>(runs: &'a [Run<'a>]) -> Option<Card<'a>> {
    let mut of = RESPONSE;
    let curves = if let [run] = runs {
        of.note = "In each second, from the intended start of a part to its answer.";
        let figures: [(&str, OfSecond); 3] = [
            ("p50", |second| second.response_p50_ms),
            ("p99", |second| second.response_p99_ms),
            ("max", |second| second.response_max_ms),
        ];
        let curve = |(index, (name, of)): (usize, (&str, OfSecond))| Curve {
            ink: SERIES[index],
            name: name.into(),
            points: run.over_time(of),
        };
        figures.into_iter().enumerate().map(curve).collect()
    } else {
        of_runs(runs, of.of)
    };
    let y = latency_axis(&curves)?;
    Some(card(runs, curves, &of, y))
}
