//! A round of the mode `floor`: the same bytes without a server.

use anyhow::Result;
use hashlane_http2_frames::PAYLOAD_BYTES_DEFAULT;
use serde_json::json;

use super::{Row, Span, Stand, Window, span};
use crate::algorithms;
use crate::args::{ClientName, LoadArgs};
use crate::driver::{Driver, Plan};
use crate::files;
use crate::floor::{Receiver, hash};
use crate::mode::FLOOR;
use crate::report::GB;

impl Stand {
    /// Receives `load` and hashes the same number of bytes, on the server's CPUs.
    pub(super) async fn floor(&mut self, load: &LoadArgs) -> Result<Window> {
        let cpus = self.args.pin_server.clone();
        files::allow(load.connections)?;
        let receiver = Receiver::start(cpus.as_ref())?;
        let frame_bytes = self.frame_bytes().map(usize::try_from).transpose()?;
        let driver = Driver::start(Plan {
            server: receiver.url(),
            tls: None,
            payload: self.payload(load)?,
            load: load.clone(),
            client: ClientName::Prepared,
            receiver_frame_bytes: Some(frame_bytes.unwrap_or(PAYLOAD_BYTES_DEFAULT)),
            count: None,
            check: false,
        })?;
        let read = || receiver.cpu_seconds();
        let mut span: Span<f64> = span(driver, &self.args, load, None, true, read).await?;
        let receive_seconds = span.ends[1] - span.ends[0];
        drop(receiver);

        // The receiver is a thread of this process.
        span.client_cpu_seconds -= receive_seconds;
        let algorithms = algorithms::wanted(&load.algorithms)?;
        let (engine_seconds, hashed_bytes) = hash(span.bytes, &algorithms, cpus.as_ref())?;
        let per_gb = |seconds: f64, gb: f64| (gb > 0.0).then(|| seconds / gb);
        let receive = per_gb(receive_seconds, span.gb);
        let engine = per_gb(engine_seconds, hashed_bytes as f64 / GB);
        let sum = receive
            .zip(engine)
            .map(|(receive, engine)| receive + engine);
        Ok(Window {
            heading: self.heading(load),
            context: self.context(load, FLOOR),
            figures: span.figures().with([
                ("cpu_seconds_per_gb", sum),
                ("receive_cpu_seconds_per_gb", receive),
                ("engine_cpu_seconds_per_gb", engine),
            ]),
            gb: span.gb,
            more: Row::of(span.zero_windows)
                .and(json!({"seconds": span.seconds, "parts_checked": 0})),
            tally: span.tally,
            ..Window::default()
        })
    }
}
