//! The seconds of the measured window.

use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use futures_util::future::try_join_all;
use hdrhistogram::Histogram;

use super::progress::Progress;
use crate::driver::{Driver, Phase, Tally};
use crate::results::document::{
    BUCKETS_PER_DECADE, Second, ServerSecond, bucket_upper_ms, quantile_ms,
};
use crate::results::window_figures::ratio;
use crate::results::{GB, say, whole};
use crate::servers::counters::ServerCounters;
use crate::servers::lane_occupancy::Occupancy;
use crate::system::cpu_time::CpuTime;
use crate::system::runtime::Signals;

/// Time between two readings.
const SECOND: Duration = Duration::from_secs(1);

/// Time for the metrics within the window: a server that stands still must not stop the readings.
const SCRAPE_TIMEOUT: Duration = Duration::from_millis(900);

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The time is over.
    Time,
    /// Every part has ended.
    Done,
    /// A signal asks the program to end.
    Signal,
}

/// Waits for `duration`, the end of the load, or a signal.
pub(super) async fn wait_for(
    driver: &mut Driver,
    duration: Duration,
    signals: &mut Signals,
) -> End {
    tokio::select! {
        biased;
        () = signals.received() => End::Signal,
        is_done = driver.wait(duration) => if is_done { End::Done } else { End::Time },
    }
}

/// The counters at one time.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) at: Instant,
    pub(super) sent_bytes: u64,
    pub(super) memory_bytes: u64,
    pub(super) cpu: CpuTime,
    pub(super) server: Option<ServerCounters>,
}

impl Reading {
    fn local(driver: &Driver) -> Result<Self> {
        Ok(Self {
            at: Instant::now(),
            sent_bytes: driver.sent_bytes(),
            memory_bytes: driver.memory_bytes(),
            cpu: CpuTime::of_process(std::process::id())?,
            server: None,
        })
    }

    /// Reads all sides. A server reads its counters between request and response, so the client's
    /// counters are those of the middle.
    async fn take(driver: &Driver, admins: &[Option<String>]) -> Result<Self> {
        let asked = Self::local(driver)?;
        let scrapes = admins.iter().flatten();
        let scrapes = try_join_all(scrapes.map(|address| ServerCounters::scrape(address)));
        let server = scrapes.await?.into_iter().reduce(ServerCounters::plus);
        if server.is_none() {
            return Ok(asked);
        }
        let answered = Self::local(driver)?;
        Ok(Self {
            at: asked.at + (answered.at - asked.at) / 2,
            sent_bytes: u64::midpoint(asked.sent_bytes, answered.sent_bytes),
            memory_bytes: u64::midpoint(asked.memory_bytes, answered.memory_bytes),
            cpu: answered.cpu,
            server,
        })
    }
}

/// The window.
pub(super) struct Window {
    admins: Vec<Option<String>>,
    progress: Progress,
    pub(super) started_at: SystemTime,
    pub(super) first: Reading,
    pub(super) last: Reading,
    /// The last server's counters that could be read, which a second's are compared with.
    counters: Option<ServerCounters>,
    /// Results up to the last reading.
    pub(super) tally: Tally,
    pub(super) seconds: Vec<Second>,
}

impl Window {
    /// Begins the window.
    ///
    /// # Errors
    /// The metrics cannot be read.
    pub(super) async fn begin(
        driver: &Driver,
        admins: &[Option<String>],
        progress: Progress,
    ) -> Result<Self> {
        let first = Reading::take(driver, admins).await?;
        Ok(Self {
            admins: admins.to_vec(),
            progress,
            started_at: SystemTime::now(),
            counters: first.server.clone(),
            last: Reading {
                server: None,
                cpu: first.cpu.clone(),
                ..first
            },
            first,
            // What came before is in the first second: parts of an open loop that were measured
            // before the first reading, and errors.
            tally: Tally::default(),
            seconds: Vec::new(),
        })
    }

    /// Takes a reading every second, for `duration`.
    pub(super) async fn watch(
        &mut self,
        driver: &mut Driver,
        duration: Duration,
        signals: &mut Signals,
    ) -> End {
        let begin = Instant::now();
        let mut next = SECOND;
        loop {
            let left = next.min(duration).saturating_sub(begin.elapsed());
            let ended = wait_for(driver, left, signals).await;
            // The last reading is taken at the end.
            if ended != End::Time || next >= duration {
                return ended;
            }
            next += SECOND;
            let reading = tokio::time::timeout(SCRAPE_TIMEOUT, Reading::take(driver, &self.admins));
            let reading = match reading.await {
                Ok(Ok(reading)) => Ok(reading),
                // The second has no server, and its load is still known.
                Ok(Err(_)) | Err(_) => Reading::local(driver),
            };
            if let Ok(reading) = reading {
                self.add(reading, driver.take_tally());
            }
        }
    }

    /// Takes the last reading and enters the next phase.
    pub(super) async fn end(&mut self, driver: &Driver, next: Phase) {
        let reading = Reading::take(driver, &self.admins).await.or_else(|error| {
            // The load's figures are still useful.
            say(format_args!("the server's metrics are left out: {error:#}"));
            Reading::local(driver)
        });
        driver.enter(next);
        if let Ok(reading) = reading {
            self.add(reading, driver.take_tally());
        }
    }

    /// Adds what came after the window, and returns all results.
    pub(super) fn absorb(&mut self, rest: Tally) -> Tally {
        self.progress.end();
        if rest.measured > 0 || rest.missed > 0 {
            let at_s = (Instant::now() - self.first.at).as_secs_f64();
            let before_s = self.seconds.last().map_or(0.0, |second| second.at_s);
            self.seconds.push(Second {
                at_s,
                seconds: at_s - before_s,
                ..of_tally(&rest)
            });
        }
        self.tally.absorb(rest);
        std::mem::take(&mut self.tally)
    }

    fn add(&mut self, reading: Reading, piece: Tally) {
        let bytes = reading.sent_bytes - self.last.sent_bytes;
        let gb = bytes as f64 / GB;
        let server = reading.server.as_ref().zip(self.counters.as_ref());
        let server = server.map(|(now, before)| server_second(now, &now.since(before), gb));
        let second = Second {
            at_s: (reading.at - self.first.at).as_secs_f64(),
            seconds: (reading.at - self.last.at).as_secs_f64(),
            bytes,
            client_cpu_s: reading.cpu.seconds_since(&self.last.cpu),
            server,
            ..of_tally(&piece)
        };
        self.progress.second(&second);
        self.seconds.push(second);
        self.tally.absorb(piece);
        if let Some(counters) = &reading.server {
            self.counters = Some(counters.clone());
        }
        self.last = reading;
    }
}

/// The part of a second that the load's results tell.
fn of_tally(piece: &Tally) -> Second {
    let histogram = &piece.latencies_ns;
    let at = |quantile| quantile_ms(histogram, quantile);
    Second {
        parts: piece.measured,
        errors: piece.errors,
        missed: piece.missed,
        response_p50_ms: at(0.5),
        response_p99_ms: at(0.99),
        response_max_ms: at(1.0),
        response_buckets: buckets(histogram),
        ..Second::default()
    }
}

/// The counts of the heat map's buckets.
fn buckets(histogram: &Histogram<u64>) -> Vec<(f64, u64)> {
    let mut buckets: Vec<(f64, u64)> = Vec::new();
    for value in histogram.iter_recorded() {
        let ms = value.value_iterated_to() as f64 / 1e6;
        let bucket = (ms.max(1e-6).log10() * BUCKETS_PER_DECADE).ceil();
        let upper_ms = bucket_upper_ms(whole(bucket));
        match buckets.last_mut() {
            Some((last, count)) if *last == upper_ms => {
                *count += value.count_since_last_iteration()
            }
            _ => buckets.push((upper_ms, value.count_since_last_iteration())),
        }
    }
    buckets
}

fn server_second(now: &ServerCounters, since: &ServerCounters, gb: f64) -> ServerSecond {
    let cpu_s = since.sum("process_cpu_seconds_total");
    let occupancy = Occupancy::of(since);
    ServerSecond {
        cpu_s,
        cpu_s_per_gb: ratio(cpu_s, Some(gb)),
        occupancy_ratio: occupancy.as_ref().map(|lanes| lanes.ratio),
        kernels: occupancy
            .into_iter()
            .flat_map(|lanes| lanes.kernels)
            .map(|kernel| (kernel.kernel, kernel.share))
            .collect(),
        queue_wait_ms: queue_wait_ms(since),
        buffered_bytes: now.sum("hashlane_buffered_bytes"),
    }
}

/// The mean queue wait; `None` if no chunk waited.
pub(super) fn queue_wait_ms(since: &ServerCounters) -> Option<f64> {
    let seconds = since.sum("hashlane_queue_wait_seconds_sum");
    let waits = since.sum("hashlane_queue_wait_seconds_count");
    ratio(seconds, waits).map(|seconds| seconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::document::empty_histogram;

    #[test]
    fn every_value_is_in_the_bucket_that_ends_above_it() {
        let mut histogram = empty_histogram();
        for us in [1_u64, 999, 1_000, 1_001, 1_258, 5_000, 5_000, 60_000_000] {
            histogram.record(us * 1000).unwrap();
        }
        let buckets = buckets(&histogram);
        let count: u64 = buckets.iter().map(|(_, count)| count).sum();
        assert_eq!(count, 8);
        assert!(buckets.is_sorted_by(|one, other| one.0 < other.0));
        let of_5_ms = buckets
            .iter()
            .find(|(upper_ms, _)| *upper_ms > 5.0)
            .unwrap();
        assert!(
            (of_5_ms.0 - 5.0119).abs() < 0.001 && of_5_ms.1 == 2,
            "{of_5_ms:?}"
        );
    }

    #[test]
    fn a_second_of_the_server_is_the_difference_of_its_counters() {
        let parse = |text: &str| ServerCounters::parse(text).unwrap();
        let before = parse("process_cpu_seconds_total 1\nhashlane_buffered_bytes 7\n");
        let now = parse(
            "process_cpu_seconds_total 1.5\nhashlane_buffered_bytes 9\n\
             hashlane_queue_wait_seconds_sum 0.5\nhashlane_queue_wait_seconds_count 100\n",
        );
        let second = server_second(&now, &now.since(&before), 2.0);
        assert_eq!((second.cpu_s, second.cpu_s_per_gb), (Some(0.5), Some(0.25)));
        assert_eq!(
            (second.queue_wait_ms, second.buffered_bytes),
            (Some(5.0), Some(9.0))
        );
        assert_eq!(second.occupancy_ratio, None);
    }
}
