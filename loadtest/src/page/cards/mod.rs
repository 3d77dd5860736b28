//! Cards: a chart with its heading, its legend and the table of what it shows.
//!
//! ```text
//! all_cards    the cards of a page, in their order
//! card         a card, and what all of them need
//! over_time    curves of a figure of each second
//! heat_map     response times over time, as a heat map
//! kernels      kernels over time
//! percentiles  latencies by percentile
//! ```

mod all_cards;
mod card;
mod heat_map;
mod kernels;
mod over_time;
mod percentiles;

pub(super) use all_cards::cards;
pub(super) use card::{Card, Legend, Table};
