//! Makes spans, and queues them for the exporting thread.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Context, InstrumentationScope};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    Sampler, SdkTracer, SdkTracerProvider, Span, SpanData, SpanProcessor,
};

use super::export::{self, Exporting, SpanCounts};
use crate::config::TracesSettings;
use crate::limits::SPANS_MAX;

/// Makes spans. Clones share state.
#[derive(Clone, Debug)]
pub(crate) struct Traces {
    pub(super) tracer: SdkTracer,
    pub(crate) counts: Arc<SpanCounts>,
}

impl Traces {
    /// Starts the thread that sends spans, if the settings name a collector.
    ///
    /// # Errors
    /// The thread or the exporter cannot be started.
    pub(crate) fn start(settings: &TracesSettings) -> Result<Option<(Self, Exporting)>, String> {
        let Some(endpoint) = &settings.endpoint else {
            return Ok(None);
        };
        let (queue, spans) = sync_channel(SPANS_MAX);
        let counts = Arc::<SpanCounts>::default();
        let exporting = Exporting::start(endpoint, spans, &counts)?;
        let of_roots = Sampler::TraceIdRatioBased(settings.sample_ratio);
        let queue = Queue {
            spans: queue,
            counts: Arc::clone(&counts),
        };
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(of_roots)))
            .with_resource(export::resource())
            .with_span_processor(queue)
            .build();
        let scope = InstrumentationScope::builder(env!("CARGO_PKG_NAME"))
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        let tracer = provider.tracer_with_scope(scope);
        Ok(Some((Self { tracer, counts }, exporting)))
    }
}

/// Queues ended spans. The exporting thread polls the queue, so a worker never has to wake it.
#[derive(Debug)]
struct Queue {
    spans: SyncSender<SpanData>,
    counts: Arc<SpanCounts>,
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.spans.try_send(span).is_err() {
            self.counts.dropped.fetch_add(1, Relaxed);
        }
    }

    /// The thread flushes at the end of the process.
    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}
