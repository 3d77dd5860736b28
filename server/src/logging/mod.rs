//! Log lines: log.rs has their filter and their format, queue.rs writes them to standard error.

mod log;
mod queue;

pub use self::log::Log;
