//! `run`, `search` and `demo`: one load against running servers.
//!
//! ```text
//! single_run       the subcommand `run`
//! measured_load    a load that is prepared once and measured again and again
//! seconds          the measured window, second by second
//! progress         shows it meanwhile
//! window_document  what was measured, as a document
//! end_of_run       the summary, the files, the exit status
//! summary_table    the summary for people; percentiles
//! search           measures at one rate after the other
//! demo             starts a server itself
//! ```

mod demo;
mod end_of_run;
mod measured_load;
mod progress;
mod search;
mod seconds;
mod single_run;
mod summary_table;
mod window_document;

pub use demo::demo;
pub use search::search;
pub use single_run::run;
