//! Bounds: what the process and each client may take.
//!
//! | file | |
//! |---|---|
//! | memory/ | every bound at its limit: the memory that the process takes |
//! | small_budgets.rs | small budgets serve honest clients |
//! | shares.rs | the share of a client in each bound |
//! | quotas.rs | limits of single clients: quotas, bytes per second |
//! | arrivals.rs | clients that connect too often |

mod arrivals;
mod memory;
mod quotas;
mod shares;
mod small_budgets;
