//! A card, and what all of them need.

use anyhow::Result;
use maud::{Markup, html};

use crate::page::chart::{Axis, Chart};
use crate::page::figure_text::Unit;
use crate::page::html_tables::Column;
use crate::page::ink::{HEATS, Ink};
use crate::page::run_on_page::Run;

/// A chart and what belongs to it.
pub(super) struct Card {
    pub(super) heading: String,
    /// What the chart shows, in a sentence.
    pub(super) note: String,
    pub(super) legend: Legend,
    pub(super) chart: Chart,
    /// The tables of the chart's figures.
    pub(super) tables: Vec<Markup>,
}

impl Card {
    pub(super) fn show(&self) -> Result<Markup> {
        Ok(html! {
            section.card id=(self.chart.id) {
                h2 { (self.heading) }
                p.muted { (self.note) }
                (self.legend.show())
                (self.chart.draw()?)
                details {
                    summary { "The figures" }
                    @for table in &self.tables {
                        div.scroll tabindex="0" role="region" aria-label=(self.heading) { (table) }
                    }
                }
            }
        })
    }
}

/// What the colours of a chart mean.
pub(super) enum Legend {
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

pub(super) fn column(name: &str, at: &str, unit: Unit) -> Column {
    (name.into(), at.into(), unit)
}

/// Time since the start, as far as the longest run went.
pub(super) fn time(runs: &[Run<'_>]) -> Axis {
    let longest = runs.iter().map(Run::length_s).fold(0.0, f64::max);
    Axis::exact("seconds since the start", 0.0..longest.max(1.0), 6)
}
