//! Kernels over time.

use std::collections::BTreeMap;

use super::card::{Card, Legend, Table, time};
use crate::page::chart::{Axis, Chart, Mark};
use crate::page::figure_text::Unit;
use crate::page::ink::SERIES;
use crate::page::run_on_page::{Run, step};

/// Shares of kernels over time, on top of each other.
pub(super) fn kernels<'a>(run: &'a Run<'a>, runs: &[Run<'_>]) -> Option<Card<'a>> {
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
