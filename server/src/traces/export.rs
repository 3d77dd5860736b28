//! The thread that sends spans to the collector: OTLP over HTTP, in batches, with timeouts.
//!
//! It polls the queue every TICK. While the collector does not answer, the queue fills and spans
//! are lost; no other thread waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    Protocol, RetryPolicy, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use crate::limits::SPANS_BATCH_MAX;

/// Time between two polls of the queue.
const TICK: Duration = Duration::from_millis(250);

/// Time for a batch; the default of OTLP.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for the rest of the queue when the server ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// The path for spans below the collector's endpoint.
const PATH: &str = "/v1/traces";

/// Number of spans by outcome.
#[derive(Debug, Default)]
pub(crate) struct SpanCounts {
    /// The collector accepted them.
    exported: AtomicU64,
    /// The queue was full.
    pub(super) dropped: AtomicU64,
    /// The collector did not accept them.
    failed: AtomicU64,
}

impl SpanCounts {
    /// The counts by metric label.
    pub(crate) fn by_outcome(&self) -> [(&'static str, u64); 3] {
        [
            ("exported", self.exported.load(Relaxed)),
            ("dropped", self.dropped.load(Relaxed)),
            ("failed", self.failed.load(Relaxed)),
        ]
    }
}

/// Handle to end the thread.
#[derive(Debug)]
pub(crate) struct Exporting {
    stop: watch::Sender<bool>,
    ended: oneshot::Receiver<()>,
}

impl Exporting {
    pub(super) fn start(
        endpoint: &str,
        spans: Receiver<SpanData>,
        counts: &Arc<SpanCounts>,
    ) -> Result<Self, String> {
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}{PATH}", endpoint.trim_end_matches('/')))
            .with_timeout(EXPORT_TIMEOUT)
            // A lost batch is counted; a retry would only delay the next batch.
            .with_retry_policy(RetryPolicy::disabled())
            .build()
            .map_err(|error| error.to_string())?;
        exporter.set_resource(&resource());
        let counts = Arc::clone(counts);
        let (stop, stopped) = watch::channel(false);
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let thread = std::thread::Builder::new().name("traces".to_owned());
        let started = thread.spawn(move || {
            runtime.block_on(run(exporter, spans, &counts, stopped));
            // A name lookup cannot be interrupted.
            runtime.shutdown_background();
            // The receiver may be gone.
            let _ = end.send(());
        });
        started.map_err(|error| error.to_string())?;
        Ok(Self { stop, ended })
    }

    /// Sends the queued spans, within a timeout.
    pub(crate) async fn end(self) {
        self.stop.send_replace(true);
        // Longer than the thread's own timeout.
        if timeout(2 * FLUSH_TIMEOUT, self.ended).await.is_err() {
            tracing::warn!("the traces' thread did not end in time");
        }
    }
}

/// The resource that the spans describe.
pub(super) fn resource() -> Resource {
    Resource::builder_empty()
        .with_service_name("hashlane")
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_detector(Box::new(TelemetryResourceDetector))
        // OTEL_RESOURCE_ATTRIBUTES may add attributes.
        .with_detector(Box::new(EnvResourceDetector::new()))
        .build()
}

/// Sends spans until `stopped`, and then those that wait.
async fn run(
    exporter: SpanExporter,
    spans: Receiver<SpanData>,
    counts: &SpanCounts,
    mut stopped: watch::Receiver<bool>,
) {
    let mut end = stopped.clone();
    let overdue = async {
        // Without a sender the server has ended.
        let _ = end.wait_for(|stopped| *stopped).await;
        sleep(FLUSH_TIMEOUT).await;
    };
    let sending = async {
        let (mut last, mut works) = (false, true);
        while !last {
            last = tokio::select! {
                _ = stopped.wait_for(|stopped| *stopped) => true,
                () = sleep(TICK) => false,
            };
            loop {
                let batch: Vec<_> = spans.try_iter().take(SPANS_BATCH_MAX).collect();
                if batch.is_empty() {
                    break;
                }
                let sent = send(&exporter, batch, counts).await;
                match &sent {
                    Err(error) if works => {
                        tracing::warn!(error, "spans are lost: the collector does not take them");
                    }
                    Ok(()) if !works => tracing::info!("the collector takes spans again"),
                    _ => {}
                }
                works = sent.is_ok();
            }
        }
    };
    tokio::select! {
        () = sending => {}
        () = overdue => tracing::warn!("spans are lost: the collector does not take them"),
    }
}

/// Sends a batch, and counts its spans.
async fn send(
    exporter: &SpanExporter,
    batch: Vec<SpanData>,
    counts: &SpanCounts,
) -> Result<(), String> {
    let spans = batch.len() as u64;
    // A timeout for anything that the exporter's timeout does not cover.
    let sent = match timeout(EXPORT_TIMEOUT, exporter.export(batch)).await {
        Ok(sent) => sent.map_err(|error| error.to_string()),
        Err(_) => Err("timed out".to_owned()),
    };
    let count = if sent.is_ok() {
        &counts.exported
    } else {
        &counts.failed
    };
    count.fetch_add(spans, Relaxed);
    sent
}
