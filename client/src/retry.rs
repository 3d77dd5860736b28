//! Decides which calls are retried, how often, and when.

use std::time::Duration;

use tokio::time::Instant;
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::backend::Backend;
use crate::backoff::backoff;
use crate::error::{Error, Result};
use crate::settings::Retries;

/// The retry budget of all calls of a client: half as many retries as calls began in `BUDGET_TIME`,
/// plus `BUDGET_PER_SECOND` per second. So retries do not multiply the load of overloaded servers.
const BUDGET_TIME: Duration = Duration::from_secs(10);
const BUDGET_PER_SECOND: u32 = 50;
const BUDGET_RATIO: f32 = 0.5;

/// The retry budget that all calls of a client share.
pub(crate) struct Budget(TpsBudget);

impl Default for Budget {
    fn default() -> Self {
        Self(TpsBudget::new(BUDGET_TIME, BUDGET_PER_SECOND, BUDGET_RATIO))
    }
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Budget(..)")
    }
}

/// The tries of one operation.
pub(crate) struct Tries<'a> {
    backend: &'a Backend,
    budget: &'a Budget,
    limits: Retries,
    made: u32,
    /// Number of the last tries in a row that found no HTTP/2.
    not_http2: u32,
    until: Option<Instant>,
}

impl<'a> Tries<'a> {
    /// The tries end at `deadline` too.
    pub(crate) fn new(
        backend: &'a Backend,
        budget: &'a Budget,
        limits: Retries,
        deadline: Option<Instant>,
    ) -> Self {
        budget.0.deposit();
        Self {
            backend,
            budget,
            limits,
            made: 1,
            not_http2: 0,
            until: deadline,
        }
    }

    /// Waits until the next try may begin: at once if a server is available, otherwise until one
    /// has rested.
    ///
    /// # Errors
    /// `error`, the error of the last try, if no further try is allowed.
    pub(crate) async fn again(&mut self, error: Error) -> Result<()> {
        // While all servers are away each takes its share of the tries, and the time decides.
        let servers = self.backend.servers();
        self.not_http2 = match error.is_not_http2() {
            true => self.not_http2 + 1,
            false => 0,
        };
        let tries_max = self.limits.tries_max.saturating_mul(servers);
        let may_succeed = error.is_retryable() || error.is_stall() && servers > 1;
        if !may_succeed || self.made >= tries_max || self.not_http2 >= servers {
            return Err(error);
        }
        if self.made == 1 {
            let until = Instant::now() + self.limits.time;
            self.until = Some(self.until.map_or(until, |deadline| deadline.min(until)));
        }
        self.made += 1;
        let mut failures = 0;
        loop {
            let wait = self.backend.wait();
            self.wait(wait, &error).await?;
            if self.budget.0.withdraw() {
                return Ok(());
            }
            self.wait(backoff(failures), &error).await?;
            failures += 1;
        }
    }

    async fn wait(&self, wait: Duration, error: &Error) -> Result<()> {
        let end = Instant::now().checked_add(wait);
        if end.is_none_or(|end| self.until.is_some_and(|until| end >= until)) {
            return Err(error.clone());
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }
}
