//! The cards of a page, in their order.

use anyhow::Result;
use maud::Markup;

use super::card::Card;
use super::heat_map::heat;
use super::kernels::kernels;
use super::over_time::{
    buffered, cpu, failures, occupancy, queue_wait, response_over_time, throughput,
};
use super::percentiles::percentiles;
use crate::page::run_on_page::Run;

/// The cards of all charts that the runs have figures for.
///
/// # Errors
/// A histogram is malformed, or a chart could not be drawn.
pub(in crate::page) fn cards(runs: &[Run<'_>]) -> Result<Vec<Markup>> {
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
