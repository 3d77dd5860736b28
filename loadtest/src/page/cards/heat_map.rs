//! Response times over time, as a heat map.

use std::collections::BTreeMap;

use super::card::{Card, Legend, Table, time};
use crate::page::chart::{Axis, Chart, Mark};
use crate::page::figure_text::Unit;
use crate::page::ink::HEAT;
use crate::page::run_on_page::Run;
use crate::results::document::{bucket_index, bucket_upper_ms};
use crate::results::whole;

/// Columns of a heat map at most; each is one second or more.
const COLUMNS_MAX: usize = 120;

/// Response times over time as a heat map. All runs have the same axes and the same heat.
pub(super) fn heat<'a>(run: &'a Run<'a>, runs: &[Run<'_>]) -> Option<Card<'a>> {
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
