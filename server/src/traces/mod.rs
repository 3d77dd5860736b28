//! Traces of calls, sent to an OpenTelemetry collector.
//!
//! ```text
//! traceparent ─> parent.rs ─┐
//! call ─────────────────────┴─> span.rs: spans of the call, its parts and their waits
//!                                  │ sampled spans
//!                                  v
//!                   queue of SPANS_MAX ─> export.rs: a separate thread ─OTLP─> collector
//!                      └─ full: the span is lost, and counted
//! ```
//!
//! tracer.rs has the sampler and the queue.
//!
//! Without `traces.endpoint` none of this runs, and a call takes one more branch.
//!
//! Why spans are made at the end of a call: without a collector a call takes only one more branch,
//! and a span needs two instants that are known by then. tracing-opentelemetry would make spans of
//! log statements and check each of them. The SDK's batch processor does not count its losses, and
//! wakes its thread from the thread that ends a span. OTLP over gRPC would bring tonic's client
//! into the server.

mod export;
mod parent;
mod span;
mod tracer;

pub(crate) use self::export::Exporting;
pub(crate) use self::span::{CallTrace, EndedPart};
pub(crate) use self::tracer::Traces;
