//! `matrix`: the cost of a byte for hashlane and for a plain server, over many shapes of load.
//!
//! ```text
//! measured_cells  measures every cell on both servers
//! cell_results    the rows of cells, and their summary
//! ```

mod cell_results;
mod measured_cells;

pub use measured_cells::matrix;
