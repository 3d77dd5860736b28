//! A card, and what all of them need.

use crate::page::chart::{Axis, Chart};
use crate::page::figure_text::Unit;
use crate::page::ink::Ink;
use crate::page::run_on_page::Run;

/// A chart and what belongs to it.
pub(in crate::page) struct Card<'a> {
    pub(in crate::page) heading: String,
    /// What the chart shows, in a sentence.
    pub(in crate::page) note: String,
    pub(in crate::page) legend: Legend,
    pub(in crate::page) chart: Chart,
    /// The runs that it shows; each has a table of the chart's figures.
    pub(in crate::page) runs: &'a [Run<'a>],
    pub(in crate::page) table: Table,
}

/// What the colours of a chart mean.
pub(in crate::page) enum Legend {
    /// Nothing, or the names of curves.
    Names(Vec<(Ink, String)>),
    /// Heat, from one part to so many.
    Heat(String),
}

/// What a table below a chart has.
pub(in crate::page) enum Table {
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
