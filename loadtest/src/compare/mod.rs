//! `compare`: the server's cost of a byte and of a part in each of its hashing modes, and at each
//! number of streams.
//!
//! ```text
//! comparison  runs all rounds
//! ratios      medians of the rounds, and ratios of two sides
//! ```

mod comparison;
mod ratios;

pub use comparison::compare;
