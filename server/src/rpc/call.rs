//! One call, from its headers to its status: registered with the worker,
//! counted, and bounded in time.

use std::rc::Rc;
use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;
use tonic::{Code, Status};

use super::status;
use crate::intake::Gate;
use crate::metrics::grpc::{Method, code_index};
use crate::worker::Worker;
use crate::worker::unread::Reader;
use crate::worker::waiting::{Bound, StreamShare};

/// Far enough away for any deadline, near enough for the clock.
const DEADLINE_MAX: Duration = Duration::from_secs(365 * 24 * 3600);

/// What a connection's calls share.
pub(crate) struct Shared {
    /// Waiting bytes of all its streams.
    pub(crate) bound: Rc<Bound>,
    /// Its client, as a reader of answers.
    pub(crate) reader: Rc<Reader>,
    /// Whether its socket is read.
    pub(crate) gate: Rc<Gate>,
}

/// A call in progress. Dropped before its end, it counts as cancelled.
pub(crate) struct Call {
    worker: Rc<Worker>,
    connection: Rc<Shared>,
    share: Rc<StreamShare>,
    /// Its place among the worker's streams.
    key: usize,
    method: Method,
    deadline: Option<Instant>,
    ended: bool,
}

impl Call {
    /// Counts a call as started.
    pub(crate) fn start(
        worker: &Rc<Worker>,
        connection: &Rc<Shared>,
        method: Method,
        timeout: Option<Duration>,
    ) -> Self {
        let share = StreamShare::new(
            worker.settings.stream_waiting_bytes_max,
            Rc::clone(&connection.bound),
            Rc::clone(&worker.bound),
        );
        worker.counters.method(method).started.add(1);
        Self {
            key: worker.enter(Rc::clone(&share)),
            worker: Rc::clone(worker),
            connection: Rc::clone(connection),
            share,
            method,
            deadline: timeout.map(|timeout| Instant::now() + timeout.min(DEADLINE_MAX)),
            ended: false,
        }
    }

    pub(crate) fn worker(&self) -> &Rc<Worker> {
        &self.worker
    }

    pub(crate) fn connection(&self) -> &Rc<Shared> {
        &self.connection
    }

    pub(crate) fn share(&self) -> &Rc<StreamShare> {
        &self.share
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(crate) fn count_received(&self, messages: u64) {
        if messages > 0 {
            self.worker
                .counters
                .method(self.method)
                .received
                .add(messages);
        }
    }

    pub(crate) fn count_sent(&self, messages: u64) {
        self.worker.counters.method(self.method).sent.add(messages);
    }

    /// Counts the call's status, once.
    pub(crate) fn end(&mut self, code: Code) {
        if !std::mem::replace(&mut self.ended, true) {
            self.worker.counters.method(self.method).handled[code_index(code)].add(1);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.end(Code::Cancelled);
        self.worker.leave(self.key);
    }
}

/// Reads `grpc-timeout`: at most eight digits and a unit (gRPC over HTTP/2,
/// "Requests").
///
/// # Errors
/// A header of another form.
pub(crate) fn parse_timeout(headers: &HeaderMap) -> Result<Option<Duration>, Status> {
    let Some(header) = headers.get("grpc-timeout") else {
        return Ok(None);
    };
    let malformed = || {
        status::invalid(
            "grpc-timeout",
            "MALFORMED_TIMEOUT",
            "grpc-timeout is not one to eight digits and a unit of H, M, S, m, u or n",
        )
    };
    let text = header.to_str().map_err(|_| malformed())?;
    let (digits, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(malformed)?;
    let is_number = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let number: u64 = digits
        .parse()
        .ok()
        .filter(|_| is_number)
        .ok_or_else(malformed)?;
    Ok(Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return Err(malformed()),
    }))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn parse(text: &str) -> Result<Option<Duration>, Status> {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-timeout", HeaderValue::from_str(text).unwrap());
        parse_timeout(&headers)
    }

    #[test]
    fn timeouts() {
        assert_eq!(parse_timeout(&HeaderMap::new()).unwrap(), None);
        assert_eq!(parse("100m").unwrap(), Some(Duration::from_millis(100)));
        assert_eq!(
            parse("99999999H").unwrap(),
            Some(Duration::from_secs(99_999_999 * 3600))
        );
        for bad in [
            "",
            "S",
            "1",
            "1s",
            "123456789S",
            "-1S",
            "+1S",
            "1.5S",
            "1 S",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
