//! Workers: how each divides its time, and what happens when one fails.
//!
//! | file | |
//! |---|---|
//! | fairness.rs | clients share a worker evenly |
//! | longest_polls.rs | no call and no request of the admin port blocks a worker |
//! | failures.rs | workers that panic, spin or block |

mod failures;
mod fairness;
mod longest_polls;
