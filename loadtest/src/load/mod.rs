//! What a load sends, and when.
//!
//! ```text
//! sizes       bytes of a part: fixed, a list, a range, a histogram, a preset
//! mix         RPCs and algorithms by weight
//! algorithms  names and numbers of algorithms, and expected digests
//! payload     the parts: messages encoded once and shared, with their expected digests
//! rate        the rate of an open loop over time
//! schedule    which part starts when in an open loop
//! ```

pub(crate) mod algorithms;
pub(crate) mod mix;
pub(crate) mod payload;
pub(crate) mod rate;
pub(crate) mod schedule;
pub(crate) mod sizes;
