//! Figures, and how they are written.
//!
//! ```text
//! document        the document of one run, as JSON
//! run_figures     the figures of a document: names, places and units
//! threshold       conditions on the figures of a document
//! window_figures  the figures of windows: medians, and ratios of two sides
//! rows            JSON rows on standard output, text on standard error
//! text_table      tables for people
//! ```

pub mod document;
pub(crate) mod run_figures;
pub(crate) mod threshold;
pub(crate) mod window_figures;

mod rows;
mod text_table;

pub(crate) use rows::{GB, Row, mib, say, whole, write_document};
pub(crate) use text_table::{Table, figure, list, median};
