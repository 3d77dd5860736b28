//! Tests of the whole model, and what all its tests need.
//!
//! ```text
//! queue_laws  laws that a queue obeys, whatever its costs
//! loads       costs, loads and documents
//! ```

pub(super) mod loads;
mod queue_laws;
