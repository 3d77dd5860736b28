//! A round of the mode `floor`: the same bytes without a server.

use anyhow::Result;
use hashlane_http2_frames::PAYLOAD_BYTES_DEFAULT;
use serde_json::json;

use super::floor_threads::{Receiver, hash};
use super::window::measure;
use super::{Stand, Window};
use crate::args::{ClientName, LoadArgs};
use crate::driver::{Driver, Plan, Target};
use crate::load::algorithms;
use crate::results::GB;
use crate::results::window_figures::ratio;
use crate::servers::compared_modes::FLOOR;
use crate::system::files;

impl Stand {
    /// Receives `load` and hashes the same number of bytes, on the server's CPUs.
    pub(super) async fn floor(&mut self, load: &LoadArgs) -> Result<Window> {
        let cpus = self.args.pin_server.clone();
        files::allow(load.connections)?;
        let receiver = Receiver::start(cpus.as_ref())?;
        let frame_bytes = self.frame_bytes().map(usize::try_from).transpose()?;
        let target = Target::one(receiver.url(), None);
        let driver = Driver::start(Plan {
            client: ClientName::Prepared,
            receiver_frame_bytes: Some(frame_bytes.unwrap_or(PAYLOAD_BYTES_DEFAULT)),
            check: false,
            ..Plan::new(target, load.clone(), self.payload(load)?)
        })?;
        let read = || receiver.cpu_seconds();
        let window = measure(driver, &self.args, load.streams, None, true, read);
        let (window, read) = window.await?;
        drop(receiver);

        let gb = window.gb;
        let receive = ratio(Some(read[1] - read[0]), Some(gb));
        let algorithms = algorithms::wanted(&load.algorithms)?;
        let (engine_seconds, hashed_bytes) = hash(window.sent_bytes, &algorithms, cpus.as_ref())?;
        let hashed_gb = (gb > 0.0).then_some(hashed_bytes as f64 / GB);
        let engine = ratio(Some(engine_seconds), hashed_gb);
        let sum = receive
            .zip(engine)
            .map(|(receive, engine)| receive + engine);
        // The receiver is a thread of this process.
        let client = window.figures.get("client_cpu_seconds_per_gb").zip(receive);
        let client = client.map(|(both, receive)| both - receive);
        Ok(Window {
            heading: self.heading(load),
            context: self.context(load, FLOOR),
            figures: window.figures.with([
                ("cpu_seconds_per_gb", sum),
                ("client_cpu_seconds_per_gb", client),
                ("receive_cpu_seconds_per_gb", receive),
                ("engine_cpu_seconds_per_gb", engine),
            ]),
            more: window.more.and(json!({"parts_checked": 0})),
            ..window
        })
    }
}
