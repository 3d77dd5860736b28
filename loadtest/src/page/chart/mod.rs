//! Charts.
//!
//! ```text
//! svg   draws a chart as SVG
//! axis  a scale, a range and round values for the grid
//! ```

mod axis;
mod svg;

pub(super) use axis::Axis;
pub(super) use svg::{Chart, Drawing, Mark};
