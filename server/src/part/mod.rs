//! The parts of a stream: their state, their expected digests and their answers.
//!
//! ```text
//! call/stream.rs ──messages──> Session ──chunks──> hashing
//!                <──answers───         <──digests─
//! ```
//!
//! session.rs holds a stream's parts, part.rs is one part, answer.rs its answer, and algorithm.rs
//! checks the algorithms and digests that a client names.

pub(crate) mod algorithm;
mod answer;
#[allow(clippy::module_inception, reason = "one part, of the folder of parts")]
mod part;
mod session;

pub(crate) use self::answer::Answer;
pub(crate) use self::part::verdict;
pub(crate) use self::session::Session;
