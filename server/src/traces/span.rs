//! The spans of one call: one for the call, one for each of its first parts, and within each of
//! those one for the time that the part waited for its digests.
//!
//! Names follow OpenTelemetry's semantic conventions for gRPC, and `hashlane.*`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::{Instant, SystemTime};

use hashlane_engine::Algorithm;
use http::HeaderMap;
use opentelemetry::trace::{
    Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt as _, TraceId,
};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use tonic::Code;

use super::{Traces, parent};
use crate::metrics::counters::Outcome;
use crate::metrics::grpc::{CODES, Method, code_index};
use crate::metrics::tally::Tally;
use crate::status::Reason;
use crate::words::Words as _;

/// Maximum of parts with spans: a larger trace is unreadable. The call's span has the total number.
const PARTS_MAX: usize = 256;

/// A call that is traced.
#[derive(Debug)]
pub(crate) struct CallTrace {
    tracer: SdkTracer,
    context: SpanContext,
    /// `None` after the call has ended, or if it is not sampled.
    span: RefCell<Option<Span>>,
    /// When the call began, by the monotonic clock and the wall clock.
    began: (Instant, SystemTime),
    /// Parts that have spans.
    parts: Cell<usize>,
}

/// An ended part.
#[derive(Debug)]
pub(crate) struct EndedPart<'a> {
    /// The part's number in the protocol.
    pub(crate) number: u64,
    pub(crate) algorithms: &'a [Algorithm],
    pub(crate) bytes: u64,
    pub(crate) outcome: Outcome,
    /// Why it failed, if it did.
    pub(crate) error: Option<&'static str>,
    pub(crate) opened: Instant,
    /// When its last byte arrived, if it did.
    pub(crate) complete: Option<Instant>,
}

impl Traces {
    /// Begins the span of a call. The client may have sent its parent.
    pub(crate) fn begin(
        &self,
        method: Method,
        headers: &HeaderMap,
        peer: Option<SocketAddr>,
        request_id: &str,
    ) -> CallTrace {
        let began = (Instant::now(), SystemTime::now());
        let name = method.word();
        let mut span = SpanBuilder::from_name(name)
            .with_kind(SpanKind::Server)
            .with_start_time(began.1)
            .start_with_context(&self.tracer, &parent::of(headers));
        if span.is_recording() {
            span.set_attribute(KeyValue::new("rpc.system.name", "grpc"));
            span.set_attribute(KeyValue::new("rpc.method", name));
            span.set_attribute(KeyValue::new("hashlane.request_id", request_id.to_owned()));
            if let Some(peer) = peer {
                let address = peer.ip().to_canonical().to_string();
                span.set_attribute(KeyValue::new("client.address", address));
                span.set_attribute(KeyValue::new("client.port", i64::from(peer.port())));
            }
        }
        CallTrace {
            tracer: self.tracer.clone(),
            context: span.span_context().clone(),
            span: RefCell::new(span.is_recording().then_some(span)),
            began,
            parts: Cell::new(0),
        }
    }
}

impl CallTrace {
    pub(crate) fn id(&self) -> TraceId {
        self.context.trace_id()
    }

    /// Whether the trace is recorded.
    pub(crate) fn is_sampled(&self) -> bool {
        self.context.is_sampled()
    }

    /// Records why the server ends the call.
    pub(crate) fn refused(&self, reason: Reason) {
        if let Some(span) = self.span.borrow_mut().as_mut() {
            span.set_attribute(KeyValue::new("hashlane.reason", reason.word()));
        }
    }

    /// Ends the span of the call.
    pub(crate) fn end(&self, code: Code, tally: &Tally) {
        let Some(mut span) = self.span.take() else {
            return;
        };
        let (_, name) = CODES[code_index(code)];
        span.set_attribute(KeyValue::new("rpc.response.status_code", name));
        span.set_attribute(KeyValue::new("hashlane.parts", number(tally.parts())));
        span.set_attribute(KeyValue::new("hashlane.bytes", number(tally.bytes())));
        if code != Code::Ok {
            span.set_attribute(KeyValue::new("error.type", name));
        }
        if is_fault(code) {
            span.set_status(Status::error(Cow::Borrowed("")));
        }
        span.end_with_timestamp(self.time(Instant::now()));
    }

    /// Records an ended part.
    pub(crate) fn part(&self, part: &EndedPart<'_>) {
        if !self.is_sampled() || self.parts.get() == PARTS_MAX {
            return;
        }
        self.parts.set(self.parts.get() + 1);
        let of_call = Context::new().with_remote_span_context(self.context.clone());
        let mut span = SpanBuilder::from_name("part")
            .with_start_time(self.time(part.opened))
            .start_with_context(&self.tracer, &of_call);
        let names = part.algorithms.iter().map(|a| StringValue::from(a.name()));
        let names = Value::Array(Array::String(names.collect()));
        span.set_attribute(KeyValue::new("hashlane.part.number", number(part.number)));
        span.set_attribute(KeyValue::new("hashlane.part.algorithms", names));
        span.set_attribute(KeyValue::new("hashlane.part.bytes", number(part.bytes)));
        let outcome = part.outcome.word();
        span.set_attribute(KeyValue::new("hashlane.part.outcome", outcome));
        if let Some(error) = part.error {
            span.set_attribute(KeyValue::new("error.type", error));
        }
        let end = self.time(Instant::now());
        if let Some(complete) = part.complete {
            let context = span.span_context().clone();
            let of_part = Context::new().with_remote_span_context(context);
            SpanBuilder::from_name("wait")
                .with_start_time(self.time(complete))
                .start_with_context(&self.tracer, &of_part)
                .end_with_timestamp(end);
        }
        span.end_with_timestamp(end);
    }

    /// Wall-clock time of an instant during the call.
    fn time(&self, at: Instant) -> SystemTime {
        let (instant, time) = self.began;
        let since = at.saturating_duration_since(instant);
        time + since
    }
}

/// Converts to OpenTelemetry's integer type. Client-chosen numbers may exceed it.
fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Whether the conventions mark a server span with this code as failed. Other codes are the
/// client's errors.
fn is_fault(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}
