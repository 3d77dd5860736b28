//! Flags, parsed once into values that are within bounds.
//!
//! ```text
//! cli        the command line: subcommands and examples
//! run, compare, matrix, predict, hostile, soak, documents
//!            the flags of subcommands; hostile: `disturb` and `flood`; documents: `report`, `merge`
//! load, rounds
//!            flags that subcommands share
//! values     values of flags: sizes, times, addresses, settings
//! ```

mod cli;
mod compare;
mod documents;
mod hostile;
mod load;
mod matrix;
mod predict;
mod rounds;
mod run;
mod soak;
mod values;

pub use cli::{Cli, Command};
pub use compare::{CompareArgs, Setup};
pub use documents::{MergeArgs, ReportArgs};
pub use hostile::{DisturbArgs, FloodArgs};
pub use load::{ClientName, LoadArgs, Rpc};
pub use matrix::{Calls, Cell, MatrixArgs, PlainServerArgs};
pub use predict::PredictArgs;
pub use rounds::RoundsArgs;
pub use run::{DemoArgs, RunArgs, SearchArgs, Transport};
pub use soak::SoakArgs;
pub(crate) use values::{Bytes, bytes, duration, one_of, shown_by_name};
pub use values::{Setting, SweepPoint};
