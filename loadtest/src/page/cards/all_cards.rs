//! The cards of a page, in their order.

use anyhow::Result;

use super::card::Card;
use super::heat_map::heat;
use super::kernels::kernels;
use super::over_time::{
    BUFFERED, CPU, OCCUPANCY, QUEUE_WAIT, THROUGHPUT, failures, over_time, response_over_time,
};
use super::percentiles::percentiles;
use crate::page::chart::Drawing;
use crate::page::run_on_page::Run;

/// The cards of all charts that the runs have figures for, and the drawings of their charts.
///
/// # Errors
/// A histogram is malformed, or a chart could not be drawn.
pub(in crate::page) fn cards<'a>(runs: &'a [Run<'a>]) -> Result<Vec<(Card<'a>, Vec<Drawing>)>> {
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
