//! `matrix`: the cost of a byte for hashlane and for a plain server, over many shapes of load.
//!
//! ```text
//! measure_cells  measures every cell on both servers
//! cell_rows      the rows of cells, and their summary
//! ```

mod cell_rows;
mod measure_cells;

pub use measure_cells::matrix;
