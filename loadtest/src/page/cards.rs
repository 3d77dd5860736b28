//! Cards: a chart with its heading, its legend and the table of what it shows.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use maud::{Markup, html};

use super::chart::{Axis, Chart, Mark};
use super::compare::{self, OfSecond};
use super::figure::{Unit, significant};
use super::ink::{HEATS, Ink, SERIES};
use super::run::{Run, step};
use super::tables::{self, Column};
use crate::document::{Latency, bucket_index, bucket_upper_ms};
use crate::report::whole;

/// A chart and what belongs to it.
struct Card {
    heading: String,
    /// What the chart shows, in a sentence.
    note: String,
    legend: Legend,
    chart: Chart,
    /// The tables of the chart's figures.
    tables: Vec<Markup>,
}

impl Card {
    fn show(&self) -> Result<Markup> {
        Ok(html! {
            section.card id=(self.chart.id) {
                h2 { (self.heading) }
                p.muted { (self.note) }
                (self.legend.show())
                (self.chart.draw()?)
                details {
                    summary { "The figures" }
                    @for table in &self.tables { div.scroll tabindex="0" { (table) } }
                }
            }
        })
    }
}

/// What the colours of a chart mean.
enum Legend {
    /// Nothing, or the names of curves.
    Names(Vec<(Ink, String)>),
    /// Heat, from one part to so many.
    Heat(u64),
}

impl Legend {
    fn show(&self) -> Markup {
        let swatch = |ink: Ink| html! { i style=(format!("background:{}", ink.variable())) {} };
        html! { @match self {
            Self::Names(names) if names.is_empty() => {}
            Self::Names(names) => ul.legend { @for (ink, name) in names {
                li { (swatch(*ink)) " " (name) }
            } }
            Self::Heat(hottest) => p.legend.heat {
                span { "1 part" }
                span aria-hidden="true" { @for step in 0..HEATS { (swatch(Ink::Heat(step))) } }
                span { (Unit::Count.number(*hottest as f64)) " parts" }
            }
        } }
    }
}

/// The cards of all charts that the runs have figures for.
///
/// # Errors
/// A histogram is malformed, or a chart could not be drawn.
pub(super) fn cards(runs: &[Run<'_>]) -> Result<Vec<Markup>> {
    let mut cards = Vec::new();
    cards.extend(throughput(runs));
    cards.extend(percentiles(runs)?);
    cards.extend(response_over_time(runs));
    // Two charts of one kind stand side by side.
    let heat = runs.iter().filter_map(|run| heat(run, runs));
    if runs.len() == 1 {
        cards.extend(heat.chain(occupancy(runs)));
    } else {
        cards.extend(occupancy(runs).into_iter().chain(heat));
    }
    cards.extend(runs.iter().filter_map(|run| kernels(run, runs)));
    cards.extend(cpu(runs));
    cards.extend(failures(runs));
    cards.extend(queue_wait(runs));
    cards.extend(buffered(runs));
    cards.iter().map(Card::show).collect()
}

fn column(name: &str, at: &str, unit: Unit) -> Column {
    (name.into(), at.into(), unit)
}

/// Time since the start, as far as the longest run went.
fn time(runs: &[Run<'_>]) -> Axis {
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
        ink: Ink::Series(run.index),
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
            .map(|run| tables::seconds(run, &of.columns))
            .collect(),
    })
}

fn throughput(runs: &[Run<'_>]) -> Option<Card> {
    let of = OverTime {
        id: "throughput",
        heading: "Throughput",
        note: "Data written to sockets in each second.",
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
    over_time(runs, of_runs(runs, compare::gb_per_s), of)
}

fn occupancy(runs: &[Run<'_>]) -> Option<Card> {
    let percent: OfSecond = |second| Some(compare::occupancy(second)? * 100.0);
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

fn cpu(runs: &[Run<'_>]) -> Option<Card> {
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
    over_time(runs, of_runs(runs, compare::cpu_per_gb), of)
}

fn queue_wait(runs: &[Run<'_>]) -> Option<Card> {
    let of = OverTime {
        id: "queue-wait",
        heading: "Queue wait",
        note: "Mean time from the arrival of a chunk until its first bytes are hashed.",
        unit: Unit::Ms,
        y: None,
        columns: vec![column("queue wait", "/server/queue_wait_ms", Unit::Ms)],
    };
    over_time(runs, of_runs(runs, compare::queue_wait_ms), of)
}

fn buffered(runs: &[Run<'_>]) -> Option<Card> {
    let megabytes: OfSecond = |second| Some(compare::buffered_bytes(second)? / 1e6);
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
fn failures(runs: &[Run<'_>]) -> Option<Card> {
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
fn latency_axis(values: impl Iterator<Item = f64>) -> Option<Axis> {
    let range = values
        .filter(|ms| *ms > 0.0)
        .fold(None, |range: Option<(f64, f64)>, ms| {
            let (low, high) = range.unwrap_or((ms, ms));
            Some((low.min(ms), high.max(ms)))
        });
    range.map(|(low, high)| Axis::log("ms", low * 0.85..high * 1.15))
}

/// Of one run its median, p99 and maximum; of several the p99 of each.
fn response_over_time(runs: &[Run<'_>]) -> Option<Card> {
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

/// Points of a curve of percentiles for each nine.
const POINTS_PER_NINE: f64 = 40.0;

/// More nines than this do not fit.
const NINES_MAX: f64 = 5.0;

/// Latencies by percentile, on a scale of nines.
fn percentiles(runs: &[Run<'_>]) -> Result<Option<Card>> {
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
        .filter(|run| tables::measured(&run.document.response_time))
        .collect();
    let mut curves = Vec::new();
    for run in &measured {
        let (ink, document) = (Ink::Series(run.index), run.document);
        let name = if runs.len() > 1 {
            &run.name
        } else {
            "response time"
        };
        curves.push(curve(ink, name, &document.response_time)?);
        if runs.len() == 1 && tables::measured(&document.service_time) {
            curves.push(curve(
                Ink::Series(1),
                "service time",
                &document.service_time,
            )?);
        }
    }
    let values = curves.iter().flat_map(|curve| &curve.points);
    let Some(y) = latency_axis(values.filter_map(|(_, ms)| *ms)) else {
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
        tables: runs.iter().map(tables::latencies).collect(),
    }))
}

/// Columns of a heat map at most; each is one second or more.
const COLUMNS_MAX: usize = 120;

/// Response times over time as a heat map. All runs have the same axes and the same heat.
fn heat(run: &Run<'_>, runs: &[Run<'_>]) -> Option<Card> {
    let longest = runs
        .iter()
        .map(|run| run.document.seconds_series.len())
        .max()?;
    let width = longest.div_ceil(COLUMNS_MAX).max(1);
    let (columns, hottest) = (heat_columns(run, width), hottest(runs, width)?);
    let buckets = runs.iter().flat_map(|run| &run.document.seconds_series);
    let buckets = buckets
        .flat_map(|second| &second.response_buckets)
        .map(|(ms, _)| bucket_index(*ms));
    let (low, high) = buckets.fold((i32::MAX, i32::MIN), |(low, high), bucket| {
        (low.min(bucket), high.max(bucket))
    });
    let step_of = |count: u64| {
        let share = (count as f64).ln() / (hottest as f64).ln().max(f64::MIN_POSITIVE);
        whole::<usize>(share * (HEATS - 1) as f64)
    };
    let mut marks = Vec::new();
    for column in &columns {
        for (bucket, count) in &column.counts {
            let corner = (column.start_s, bucket_upper_ms(bucket - 1));
            let other = (column.end_s, bucket_upper_ms(*bucket));
            marks.push(Mark::Cell(Ink::Heat(step_of(*count)), [corner, other]));
        }
    }
    let note = match width {
        1 => "Parts by response time in each second. Rows and heat are logarithmic.".into(),
        _ => format!(
            "Parts by response time in each {width} seconds. Rows and heat are logarithmic."
        ),
    };
    let named = |text: &str| {
        if runs.len() > 1 {
            format!("{text}: {}", run.name)
        } else {
            text.into()
        }
    };
    Some(Card {
        heading: named("Response time, heat map"),
        chart: Chart {
            id: format!("heat-{}", run.index + 1),
            title: named("Heat map of response times over time"),
            description: format!("{note} The fullest cell has {hottest} parts."),
            x: time(runs),
            y: Axis::log("ms", bucket_upper_ms(low - 1)..bucket_upper_ms(high)),
            marks,
        },
        note,
        legend: Legend::Heat(hottest),
        tables: vec![tables::buckets(run)],
    })
}

/// Some seconds of a heat map.
#[derive(Default)]
struct HeatColumn {
    start_s: f64,
    end_s: f64,
    counts: BTreeMap<i32, u64>,
}

fn heat_columns(run: &Run<'_>, width: usize) -> Vec<HeatColumn> {
    let columns = run.document.seconds_series.chunks(width).map(|seconds| {
        let mut column = HeatColumn {
            start_s: seconds[0].at_s - seconds[0].seconds,
            ..HeatColumn::default()
        };
        for second in seconds {
            column.end_s = second.at_s;
            for (upper_ms, count) in &second.response_buckets {
                *column.counts.entry(bucket_index(*upper_ms)).or_default() += count;
            }
        }
        column
    });
    columns.collect()
}

fn hottest(runs: &[Run<'_>], width: usize) -> Option<u64> {
    let columns = runs.iter().flat_map(|run| heat_columns(run, width));
    columns.flat_map(|column| column.counts.into_values()).max()
}

/// Shares of kernels over time, on top of each other.
fn kernels(run: &Run<'_>, runs: &[Run<'_>]) -> Option<Card> {
    let seconds = &run.document.seconds_series;
    let mut sums = BTreeMap::<&str, f64>::new();
    for server in seconds.iter().filter_map(|second| second.server.as_ref()) {
        for (name, share) in &server.kernels {
            *sums.entry(name).or_default() += share;
        }
    }
    if sums.is_empty() {
        return None;
    }
    let mut names: Vec<_> = sums.into_iter().collect();
    names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let drawn = names.len().min(SERIES);
    let mut below = vec![0.0; seconds.len()];
    let (mut marks, mut legend) = (Vec::new(), Vec::new());
    for (index, (name, sum)) in names[..drawn].iter().enumerate() {
        let share = |second: usize| {
            let server = seconds[second].server.as_ref();
            server
                .and_then(|server| server.kernels.get(*name))
                .copied()
                .unwrap_or(0.0)
        };
        let ink = Ink::Series(index);
        let mut points = Vec::new();
        for (second, below) in below.iter_mut().enumerate() {
            let upper = *below + share(second) * 100.0;
            let end = seconds[second].at_s;
            // A step for each second.
            points.push((end - seconds[second].seconds, *below, upper));
            points.push((end, *below, upper));
            *below = upper;
        }
        marks.push(Mark::Band(ink, points));
        let mean = Unit::Share.number(sum / seconds.len() as f64);
        legend.push((ink, format!("{name} {mean}")));
    }
    let said: Vec<_> = legend.iter().map(|(_, text)| text.as_str()).collect();
    let mut note = "Each kernel's share of the blocks hashed in each second.".to_owned();
    if drawn < names.len() {
        note += " The least used ones are only in the table.";
    }
    let all: BTreeSet<_> = names.iter().map(|(name, _)| *name).collect();
    let columns: Vec<_> = all
        .into_iter()
        .map(|name| {
            column(
                name,
                &format!("/server/kernels/{}", step(name)),
                Unit::Share,
            )
        })
        .collect();
    let named = |text: &str| {
        if runs.len() > 1 {
            format!("{text}: {}", run.name)
        } else {
            text.into()
        }
    };
    Some(Card {
        heading: named("Kernels"),
        chart: Chart {
            id: format!("kernels-{}", run.index + 1),
            title: named("Kernels over time"),
            description: format!("{note} Mean shares: {}.", said.join(", ")),
            x: time(runs),
            y: Axis::exact("% of blocks", 0.0..100.0, 4),
            marks,
        },
        note,
        legend: Legend::Names(legend),
        tables: vec![tables::seconds(run, &columns)],
    })
}
