//! `merge`: the documents of load generators that began at the same time, as one document.
//!
//! ```text
//! merged_document  reads and merges documents; counts and histograms add
//! server_figures   the servers' figures: each server's once; sums of figures by name
//! ```

mod merged_document;
mod server_figures;

pub use merged_document::{merge, merged};
