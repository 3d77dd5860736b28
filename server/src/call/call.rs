//! One call, from its headers to its status: registered with the worker, counted, and bounded in
//! time.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;
use tonic::{Code, Status};

use super::peer::Peer;
use crate::client::Client;
use crate::decode::MessageKind;
use crate::drain::Phase;
use crate::hashing::Mailbox;
use crate::limiter::Permit;
use crate::metrics::counters::Outcome;
use crate::metrics::grpc::{Method, code_index};
use crate::metrics::tally::Tally;
use crate::part::Session;
use crate::request_id::RequestId;
use crate::status::{self, Reason};
use crate::traces::CallTrace;
use crate::worker_state::WorkerState;

/// Longer than any deadline, small enough for the clock.
const DEADLINE_MAX: Duration = Duration::from_secs(365 * 24 * 3600);

/// A call in progress. A drop before its end counts as cancelled.
pub(crate) struct Call {
    peer: Rc<Peer>,
    client: Arc<Client>,
    id: RequestId,
    mailbox: Rc<Mailbox>,
    tally: Rc<Tally>,
    pub(crate) method: Method,
    started: Instant,
    deadline: Option<Instant>,
    ended: Cell<bool>,
    trace: Option<Rc<CallTrace>>,
    permit: Option<Permit>,
}

impl Call {
    /// Counts a call as started.
    pub(super) fn start(
        peer: &Rc<Peer>,
        client: Arc<Client>,
        id: RequestId,
        method: Method,
        headers: &HeaderMap,
    ) -> Self {
        let counters = &peer.state.counters;
        counters.method(method).started.add(1);
        counters.streams.add(1);
        let trace = peer
            .state
            .process
            .traces
            .as_ref()
            .filter(|_| method.is_traced());
        let trace = trace.map(|traces| traces.begin(method, headers, peer.from, id.as_str()));
        Self {
            id,
            trace: trace.map(Rc::new),
            tally: Rc::default(),
            started: Instant::now(),
            mailbox: Mailbox::new(client.number, &peer.last_seen),
            client,
            peer: Rc::clone(peer),
            method,
            deadline: None,
            ended: Cell::new(false),
            permit: None,
        }
    }

    /// Gives the call its deadline, and the permit that it holds until its drop.
    pub(super) fn provide(&mut self, timeout: Option<Duration>, permit: Permit) {
        self.deadline = timeout.map(|timeout| self.started + timeout.min(DEADLINE_MAX));
        self.permit = Some(permit);
    }

    pub(crate) fn state(&self) -> &Rc<WorkerState> {
        &self.peer.state
    }

    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.client
    }

    pub(crate) fn mailbox(&self) -> &Rc<Mailbox> {
        &self.mailbox
    }

    pub(crate) fn tally(&self) -> &Rc<Tally> {
        &self.tally
    }

    /// A session for its parts, of messages of `kind`.
    pub(crate) fn session(&self, kind: MessageKind) -> Session {
        let trace = self.trace.as_ref().filter(|trace| trace.is_sampled());
        Session::new(
            kind,
            Rc::clone(self.state()),
            Arc::clone(&self.client.parts),
            &self.mailbox,
            &self.tally,
            trace.map(Rc::clone),
        )
    }

    /// A separate permit for a health probe: without it, a busy server would look dead.
    pub(crate) fn probe(&self) -> Option<Permit> {
        let probes = &self.state().process.limits.probes;
        (self.method == Method::HealthCheck).then(|| probes.take(1))?
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(crate) fn count_received(&self, messages: u64) {
        if messages > 0 {
            let counters = &self.state().counters;
            counters.method(self.method).received.add(messages);
        }
    }

    pub(crate) fn count_sent(&self, messages: u64) {
        self.state().counters.method(self.method).sent.add(messages);
    }

    /// Counts the call's status and logs it, once.
    pub(crate) fn end(&self, code: Code) {
        if self.ended.replace(true) {
            return;
        }
        let counters = &self.state().counters;
        let of_method = counters.method(self.method);
        of_method.handled[code_index(code)].add(1);
        of_method
            .seconds
            .observe(self.started.elapsed().as_secs_f64());
        if self.peer.phase.get() == Phase::Cut && code != Code::Ok {
            counters.calls_cut.add(1);
        }
        let tally = &self.tally;
        if let Some(trace) = &self.trace {
            trace.end(code, tally);
        }
        tracing::debug!(
            request_id = self.id.as_str(),
            trace_id = self.trace.as_ref().map(|trace| tracing::field::display(trace.id())),
            peer = self.peer.from.map(tracing::field::display),
            client = %self.client.id.logged(),
            method = self.method.name(),
            code = ?code,
            parts = tally.parts(),
            bytes = tally.bytes(),
            matches = tally.of(Outcome::Match),
            mismatches = tally.of(Outcome::Mismatch),
            errors = tally.of(Outcome::Error),
            seconds = self.started.elapsed().as_secs_f64(),
            "call"
        );
    }

    /// The server ends the call with this status. Counts and logs it, once.
    pub(crate) fn refuse(&self, refusal: &Status) {
        if !self.ended.get() {
            self.peer
                .refused(&self.id, &self.client, Some(self.method), refusal);
            if let Some(trace) = &self.trace {
                trace.refused(Reason::of(refusal));
            }
        }
        self.end(refusal.code());
    }

    /// Whether its connection takes no new parts. The connection wakes the call for this.
    pub(crate) fn is_draining(&self) -> bool {
        self.peer.phase.get() >= Phase::Draining
    }

    /// The status with which the drain or the cut ends the call, if any. Calls that watch have no
    /// end of their own, so they end when the drain begins. The connection wakes the call for this.
    pub(crate) fn ends(&self) -> Option<Status> {
        let watches = matches!(self.method, Method::HealthWatch | Method::Reflection);
        let is_cut = self.peer.phase.get() == Phase::Cut;
        (is_cut || watches && self.is_draining()).then(status::draining)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.end(Code::Cancelled);
        self.state().counters.streams.sub(1);
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
            Reason::MalformedTimeout,
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
