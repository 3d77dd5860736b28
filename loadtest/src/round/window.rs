//! One measured window of a running load.
//!
//! CPU seconds are read at both ends of the window (`/proc`); bytes are those written to sockets in
//! between. The warm-up starts when every stream is sending.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::args::RoundsArgs;
use crate::driver::{Driver, Phase, Tally};
use crate::results::window_figures::{Figures, ratio};
use crate::results::{GB, Row, say};
use crate::servers::counters::ServerCounters;
use crate::system::cpu_time::CpuTime;
use crate::system::sockets;

/// Time for every stream to open or send its first message.
pub(super) const OPEN_TIMEOUT: Duration = Duration::from_secs(120);

/// Time between two checks.
pub(super) const POLL: Duration = Duration::from_millis(5);

/// A window without an answered part is extended, by at most this multiple of its length.
const LONGER: u32 = 3;

/// Time for all streams to send although a flood may keep them from it.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The results of one window.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// The load, the server and the set-up, for people.
    pub(crate) heading: String,
    /// The same for rows.
    pub(crate) context: Row,
    pub(crate) seconds: f64,
    pub(crate) sent_bytes: u64,
    pub(crate) gb: f64,
    /// Parts answered in the window.
    pub(crate) parts: u64,
    pub(crate) figures: Figures,
    /// What the server counted in the window.
    pub(crate) counters: ServerCounters,
    /// Streams open at the start of the window, as counted by the server.
    pub(crate) server_streams: Option<f64>,
    /// Memory for clients that the server's settings allow.
    pub(crate) bound_mib: Option<f64>,
    /// The rest of the row.
    pub(crate) more: Row,
    /// The results of all parts.
    pub(crate) tally: Tally,
}

impl Window {
    /// Everything, as in rows.
    pub(crate) fn row(&self) -> Row {
        let numbers = json!({
            "seconds": self.seconds,
            "gb": self.gb,
            "parts": self.parts,
            "server_streams": self.server_streams,
            "bound_mib": self.bound_mib,
            "errors": self.tally.errors,
            "mismatches": self.tally.mismatches,
        });
        let row = self.context.clone().and(numbers);
        row.and(&self.figures).and(&self.more)
    }

    /// Prints wrong answers and errors, and whether no part was answered in the window: then its
    /// figures are of unchecked parts. True if there were none of these.
    pub(crate) fn is_clean(&self) -> bool {
        self.tally.say_examples();
        // The floor's client gets no answers.
        let is_floor = self.figures.get("engine_cpu_seconds_per_gb").is_some();
        let has_parts = is_floor || self.parts > 0;
        if !has_parts {
            say(
                "no part was answered in the window: it was too short (--round-seconds), or the \
                 parts too long",
            );
        }
        has_parts && self.tally.errors == 0 && self.tally.mismatches == 0
    }
}

/// Measures a window of `driver`, and reads something at both of its ends. `is_patient` if streams
/// may stay without an answer. The scrapes of `admin` are outside the window, because they cost the
/// server CPU time.
pub(super) async fn measure<R>(
    mut driver: Driver,
    args: &RoundsArgs,
    streams: usize,
    admin: Option<&str>,
    is_patient: bool,
    read: impl Fn() -> Result<R>,
) -> Result<(Window, [R; 2])> {
    driver.enter(Phase::Warmup);
    all_sending(&mut driver, streams, is_patient).await?;
    driver.wait(args.warmup_seconds).await;
    let counters_before = scrape(admin).await?;
    let other_before = read()?;
    let before = Reading::take(&driver)?;
    driver.enter(Phase::Measure);
    let mut is_done = driver.wait(args.round_seconds).await;
    let deadline = Instant::now() + LONGER * args.round_seconds;
    while !is_patient && !is_done && driver.measured() == 0 && Instant::now() < deadline {
        is_done = driver.wait(POLL).await;
    }
    let other_after = read()?;
    let after = Reading::take(&driver)?;
    driver.enter(Phase::Finish);
    let counters_after = scrape(admin).await?;
    let tally = driver.join()?;
    let seconds = (after.at - before.at).as_secs_f64();
    let sent_bytes = after.sent_bytes - before.sent_bytes;
    let gb = sent_bytes as f64 / GB;
    let client_seconds = after.client_cpu.seconds_since(&before.client_cpu);
    let window = Window {
        seconds,
        sent_bytes,
        gb,
        parts: tally.measured,
        figures: Figures::latencies(&tally.latencies_ns).with([
            (
                "client_cpu_seconds_per_gb",
                ratio(Some(client_seconds), Some(gb)),
            ),
            ("gb_per_s", Some(gb / seconds)),
        ]),
        counters: counters_after.since(&counters_before),
        server_streams: counters_before.sum("hashlane_streams"),
        more: sockets::zero_windows_row(before.zero_windows, after.zero_windows),
        tally,
        ..Window::default()
    };
    Ok((window, [other_before, other_after]))
}

async fn scrape(admin: Option<&str>) -> Result<ServerCounters> {
    match admin {
        Some(address) => ServerCounters::scrape(address).await,
        None => Ok(ServerCounters::default()),
    }
}

/// Waits until every stream has sent data, so that none opens in the window, or until the load gave
/// up: the row has its errors.
async fn all_sending(driver: &mut Driver, streams: usize, is_patient: bool) -> Result<()> {
    let begin = Instant::now();
    while driver.sending() < streams && !driver.wait(POLL).await {
        if is_patient && begin.elapsed() > BEGIN_TIMEOUT {
            break;
        }
        ensure!(
            begin.elapsed() < OPEN_TIMEOUT,
            "only {} of {streams} streams are sending after {OPEN_TIMEOUT:?}",
            driver.sending()
        );
    }
    Ok(())
}

/// The counters at one end of the window.
struct Reading {
    at: Instant,
    sent_bytes: u64,
    client_cpu: CpuTime,
    zero_windows: Option<[u64; 2]>,
}

impl Reading {
    fn take(driver: &Driver) -> Result<Self> {
        Ok(Self {
            client_cpu: CpuTime::of_process(std::process::id())?,
            at: Instant::now(),
            sent_bytes: driver.sent_bytes(),
            zero_windows: sockets::zero_windows(),
        })
    }
}
