//! A card: a chart with its heading, its legend and the table of what it shows; and the cards of
//! curves, over time and by percentile.

use anyhow::Result;

use super::chart::{Axis, Chart, Mark};
use super::figure_text::{Unit, significant};
use super::ink::{ALERT, Ink, SERIES};
use super::run_on_page::Run;
use super::side_by_side::{self, OfSecond};
use crate::results::document::Latency;
use crate::results::whole;

/// A chart and what belongs to it.
pub(super) struct Card<'a> {
    pub(super) heading: String,
    /// What the chart shows, in a sentence.
    pub(super) note: String,
    pub(super) legend: Legend,
    pub(super) chart: Chart,
    /// The runs that it shows; each has a table of the chart's figures.
    pub(super) runs: &'a [Run<'a>],
    pub(super) table: Table,
}

/// What the colours of a chart mean.
pub(super) enum Legend {
    /// Nothing, or the names of curves.
    Names(Vec<(Ink, String)>),
    /// Heat, from one part to so many.
    Heat(String),
}

/// What a table below a chart has.
pub(super) enum Table {
    /// Figures of each second: their heads, their places in the second, and their units.
    Seconds(Vec<(String, String, Unit)>),
    /// Response times of each second by bucket.
    Buckets,
    /// Latencies by percentile.
    Latencies,
}

/// Time since the start, as far as the longest run went.
pub(super) fn time(runs: &[Run<'_>]) -> Axis {
    let longest = runs.iter().map(Run::length_s).fold(0.0, f64::max);
    Axis::exact("seconds since the start", 0.0..longest.max(1.0), 6)
}

fn highest(curves: &[Curve]) -> Option<f64> {
    let values = curves.iter().flat_map(|curve| &curve.points);
    values.filter_map(|(_, y)| *y).reduce(f64::max)
}

/// A curve over time.
struct Curve {
    ink: Ink,
    name: String,
    points: Vec<(f64, Option<f64>)>,
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
fn legend(curves: &[Curve]) -> Legend {
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
fn latency_axis(curves: &[Curve]) -> Option<Axis> {
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

/// Points of a curve of percentiles for each nine.
const POINTS_PER_NINE: f64 = 40.0;

/// More nines than this do not fit.
const NINES_MAX: f64 = 5.0;

/// Latencies by percentile, on a scale of nines.
pub(super) fn percentiles<'a>(runs: &'a [Run<'a>]) -> Result<Option<Card<'a>>> {
    // With so many values, the highest is the quantile of so many nines.
    let nines = |latency: &Latency| (latency.count as f64).log10().clamp(1.0, NINES_MAX);
    let curve = |ink, name: &str, latency: &Latency| -> Result<Curve> {
        let histogram = latency.histogram()?;
        let points = (0..=whole::<u32>((nines(latency) * POINTS_PER_NINE).floor())).map(|point| {
            let quantile = 1.0 - 10_f64.powf(-f64::from(point) / POINTS_PER_NINE);
            let ms = histogram.value_at_quantile(quantile) as f64 / 1e6;
            (quantile, (ms > 0.0).then_some(ms))
        });
        Ok(Curve {
            ink,
            name: name.into(),
            points: points.collect(),
        })
    };
    let measured: Vec<_> = runs
        .iter()
        .filter(|run| run.document.response_time.count > 0)
        .collect();
    let mut curves = Vec::new();
    for run in &measured {
        let (ink, document) = (SERIES[run.index], run.document);
        let name = if runs.len() > 1 {
            &run.name
        } else {
            "response time"
        };
        curves.push(curve(ink, name, &document.response_time)?);
        if runs.len() == 1 && document.service_time.count > 0 {
            curves.push(curve(SERIES[1], "service time", &document.service_time)?);
        }
    }
    let Some(y) = latency_axis(&curves) else {
        return Ok(None);
    };
    let most = measured
        .iter()
        .map(|run| nines(&run.document.response_time));
    let said = measured.iter().map(|run| {
        let latency = &run.document.response_time;
        let [p50, p99, max] = [latency.p50_ms, latency.p99_ms, latency.max_ms].map(significant);
        format!("{}: p50 {p50} ms, p99 {p99} ms, highest {max} ms", run.name)
    });
    let note = if runs.len() > 1 {
        "From the intended start of a part to its answer. Each step to the right is one more nine."
    } else {
        "Response time counts from the intended start of a part, service time from its first \
         message. Each step to the right is one more nine."
    };
    Ok(Some(Card {
        heading: "Latency by percentile".into(),
        note: note.into(),
        legend: legend(&curves),
        chart: Chart {
            id: "percentiles".into(),
            title: "Latency by percentile".into(),
            description: format!("{note} {}.", said.collect::<Vec<_>>().join("; ")),
            x: Axis::nines(most.fold(1.0, f64::max)),
            y,
            marks: curves
                .into_iter()
                .map(|curve| Mark::Line(curve.ink, curve.points))
                .collect(),
        },
        runs,
        table: Table::Latencies,
    }))
}
