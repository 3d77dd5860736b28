//! The report: one self-contained HTML page about one run or several.
//!
//! ```text
//! whole_page    the subcommand `report`: what the page's templates show (../../templates)
//! run_on_page   a run: its document, its name, its figures by their place in the document
//!   |
//! figures       the figures of all runs, by name
//! side_by_side  ratios to the first run, and their spread
//! cards         the cards of all charts; those of kernels and of heat maps
//! curves        a card: a chart with its heading, legend and table; cards of curves
//!   |
//! chart/        charts as SVG
//! ink           their colours in both themes
//! figure_text   figures as people read them
//! ```

mod cards;
mod chart;
mod curves;
mod figure_text;
mod figures;
mod ink;
mod run_on_page;
mod side_by_side;
mod whole_page;

pub use whole_page::{RUNS_MAX, render, report, write};
