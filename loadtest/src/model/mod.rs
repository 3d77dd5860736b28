//! `predict`: a simulation of one worker under the loads of `run`.
//!
//! ```text
//! predict         the subcommand
//! simulated_load  the parts, as `run` sends them with the same flags and seed, or a document's
//!   |
//! simulation      in virtual time: client ── wire ──> worker ── hashing (the real engine)
//!   |
//! predictions     tables and rows: predictions alone, and next to measured figures
//! validity        where the model stops being true
//!
//! costs           what is measured of a CPU
//! kernel_costs    the same of its kernels
//! time            virtual time, and what a thread does with it
//! fit             costs from documents of `run`
//! tests/          of the whole model
//! ```
//!
//! The model is the schedule of the server with its real engine, plans and waits. Kernels take the
//! time that the calibration measured; everything else takes the costs of costs.rs.

mod client;
mod costs;
mod fit;
mod hashing;
mod kernel_costs;
mod predict;
mod predictions;
mod simulated_load;
mod simulation;
mod time;
mod validity;
mod wire;
mod worker;

#[cfg(test)]
mod tests;

pub use predict::predict;
