//! The cards of a page, in their order; and those of kernels and of heat maps over time.

use std::collections::BTreeMap;

use anyhow::Result;

use super::chart::{Axis, Chart, Drawing, Mark};
use super::curves::{
    BUFFERED, CPU, Card, Legend, OCCUPANCY, QUEUE_WAIT, THROUGHPUT, Table, failures, over_time,
    percentiles, response_over_time, time,
};
use super::figure_text::Unit;
use super::ink::{HEAT, SERIES};
use super::run_on_page::{Run, step};
use crate::results::document::{bucket_index, bucket_upper_ms};
use crate::results::whole;

/// The cards of all charts that the runs have figures for, and the drawings of their charts.
///
/// # Errors
/// A histogram is malformed, or a chart could not be drawn.
pub(super) fn cards<'a>(runs: &'a [Run<'a>]) -> Result<Vec<(Card<'a>, Vec<Drawing>)>> {
    let mut cards = Vec::new();
    cards.extend(over_time(runs, &THROUGHPUT));
    cards.extend(percentiles(runs)?);
    cards.extend(response_over_time(runs));
    // Two charts of one kind stand side by side.
    let heat = runs.iter().filter_map(|run| heat(run, runs));
    let occupancy = over_time(runs, &OCCUPANCY).into_iter();
    if runs.len() == 1 {
        cards.extend(heat.chain(occupancy));
    } else {
        cards.extend(occupancy.chain(heat));
    }
    cards.extend(runs.iter().filter_map(|run| kernels(run, runs)));
    cards.extend(over_time(runs, &CPU));
    cards.extend(failures(runs));
    cards.extend(over_time(runs, &QUEUE_WAIT));
    cards.extend(over_time(runs, &BUFFERED));
    let drawn = cards.into_iter().map(|card| {
        let drawings = card.chart.draw()?;
        Ok((card, drawings))
    });
    drawn.collect()
}

/// Shares of kernels over time, on top of each other.
fn kernels<'a>(run: &'a Run<'a>, runs: &[Run<'_>]) -> Option<Card<'a>> {
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
    let column = |name: &&str| {
        let at = format!("/server/kernels/{}", step(name));
        ((*name).to_owned(), at, Unit::Share)
    };
    let columns = sums.keys().map(column).collect();
    let mut names: Vec<_> = sums.into_iter().collect();
    names.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let drawn = names.len().min(SERIES.len());
    let mut below = vec![0.0; seconds.len()];
    let (mut marks, mut legend) = (Vec::new(), Vec::new());
    for (index, (name, sum)) in names[..drawn].iter().enumerate() {
        let share = |second: usize| {
            let server = seconds[second].server.as_ref();
            let share = server.and_then(|server| server.kernels.get(*name));
            share.copied().unwrap_or(0.0)
        };
        let ink = SERIES[index];
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
    Some(Card {
        heading: run.heading("Kernels", runs),
        chart: Chart {
            id: format!("kernels-{}", run.index + 1),
            title: run.heading("Kernels over time", runs),
            description: format!("{note} Mean shares: {}.", said.join(", ")),
            x: time(runs),
            y: Axis::exact("% of blocks", 0.0..100.0, 4),
            marks,
        },
        note,
        legend: Legend::Names(legend),
        runs: std::slice::from_ref(run),
        table: Table::Seconds(columns),
    })
}

/// Columns of a heat map at most; each is one second or more.
const COLUMNS_MAX: usize = 120;

/// Response times over time as a heat map. All runs have the same axes and the same heat.
fn heat<'a>(run: &'a Run<'a>, runs: &[Run<'_>]) -> Option<Card<'a>> {
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
        whole::<usize>(share * (HEAT.len() - 1) as f64)
    };
    let mut marks = Vec::new();
    for column in &columns {
        for (bucket, count) in &column.counts {
            let corner = (column.start_s, bucket_upper_ms(bucket - 1));
            let other = (column.end_s, bucket_upper_ms(*bucket));
            marks.push(Mark::Cell(HEAT[step_of(*count)], [corner, other]));
        }
    }
    let each = match width {
        1 => "second".to_owned(),
        _ => format!("{width} seconds"),
    };
    let note = format!("Parts by response time in each {each}. Rows and heat are logarithmic.");
    Some(Card {
        heading: run.heading("Response time, heat map", runs),
        chart: Chart {
            id: format!("heat-{}", run.index + 1),
            title: run.heading("Heat map of response times over time", runs),
            description: format!("{note} The fullest cell has {hottest} parts."),
            x: time(runs),
            y: Axis::log("ms", bucket_upper_ms(low - 1)..bucket_upper_ms(high)),
            marks,
        },
        note,
        legend: Legend::Heat(Unit::Count.number(hottest as f64)),
        runs: std::slice::from_ref(run),
        table: Table::Buckets,
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
