//! The two limiters behind every bound.
//!
//! | | limits | released by |
//! |---|---|---|
//! | [`Budget`] (budget.rs) | an amount in use, such as connections or bytes | its [`Permit`], on drop |
//! | [`TokenBucket`] (token_bucket.rs) | a rate, such as bytes a second | time |

mod budget;
mod token_bucket;

pub(crate) use self::budget::{Budget, Permit};
pub(crate) use self::token_bucket::TokenBucket;
