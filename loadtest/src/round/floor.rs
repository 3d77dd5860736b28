//! A round of the mode `floor`: the same bytes without a server.

use anyhow::Result;

use super::{Reading, Round, ServerSetRow, Stand, Window, keep_going};
use crate::algorithms;
use crate::args::LoadArgs;
use crate::arrangement::SetupRow;
use crate::driver::{Client, Driver, Peer, Phase, Plan};
use crate::figures::Figures;
use crate::files;
use crate::floor::{FloorRow, Receiver, hash};
use crate::report::{GB, LoadRow};
use crate::run::wait;
use hashlane_http2_frames::PAYLOAD_BYTES_DEFAULT;

impl Stand<'_> {
    /// Receives `load` and hashes the same number of bytes, on the server's CPUs.
    pub(super) async fn floor(&mut self, load: &LoadArgs) -> Result<Round> {
        let cpus = self.args.pin_server.clone();
        let server = ServerSetRow::of(self.args, self.settings.as_ref());
        files::allow(load.connections)?;
        let receiver = Receiver::start(cpus.clone())?;
        let frame_bytes = server.frame_bytes.map(usize::try_from).transpose()?;
        let frame_bytes_max = frame_bytes.unwrap_or(PAYLOAD_BYTES_DEFAULT);
        let mut driver = Driver::start(Plan {
            server: receiver.url(),
            tls: None,
            payload: self.payload(load)?,
            load: load.clone(),
            client: Client::Prepared(Peer::Receiver { frame_bytes_max }),
            count: None,
            check: false,
        })?;
        driver.enter(Phase::Warmup);
        self.all_sending(&mut driver, load.streams).await?;
        keep_going(wait(&mut driver, self.args.warmup_seconds, &mut self.signals).await)?;
        let receiver_before = receiver.cpu_seconds()?;
        let before = Reading::take(&driver)?;
        driver.enter(Phase::Measure);
        let ended = wait(&mut driver, self.args.round_seconds, &mut self.signals).await;
        let receive_seconds = receiver.cpu_seconds()? - receiver_before;
        let after = Reading::take(&driver)?;
        let tally = driver.join()?;
        drop(receiver);
        keep_going(ended)?;

        let seconds = (after.at - before.at).as_secs_f64();
        let bytes = after.sent_bytes - before.sent_bytes;
        let gb = bytes as f64 / GB;
        // The receiver is a thread of this process.
        let client_seconds = after.client_cpu.seconds_since(&before.client_cpu) - receive_seconds;
        let algorithms = algorithms::wanted(&load.algorithms)?;
        let (engine_seconds, hashed_bytes) = hash(bytes, &algorithms, cpus.as_ref())?;
        let per_gb = |seconds: f64, gb: f64| if gb > 0.0 { seconds / gb } else { 0.0 };
        let floor = FloorRow {
            receive_cpu_seconds_per_gb: per_gb(receive_seconds, gb),
            engine_cpu_seconds_per_gb: per_gb(engine_seconds, hashed_bytes as f64 / GB),
        };
        let sum = floor.receive_cpu_seconds_per_gb + floor.engine_cpu_seconds_per_gb;
        let window = Window {
            load: LoadRow::of(load),
            server,
            setup: SetupRow::of(self.client, self.args, load),
            seconds,
            gb,
            parts: 0,
            figures: Figures {
                cpu_seconds_per_gb: (gb > 0.0).then_some(sum),
                client_cpu_seconds_per_gb: (gb > 0.0).then(|| client_seconds / gb),
                gb_per_s: Some(gb / seconds),
                ..Figures::default()
            },
            server_streams: None,
            bound_mib: None,
            parts_checked: 0,
            errors: tally.errors,
            mismatches: tally.mismatches,
            occupancy: None,
            zero_windows: after.zero_windows_since(&before),
            floor: Some(floor),
        };
        Ok(Round {
            window,
            disturbed: None,
            tally,
        })
    }
}
