//! Disturbing streams: they open a part, then drip or stay silent.
//!
//! ```text
//! dripping   [prefix, tag and length of a 64 KiB message, first drip] .. interval .. [drip] .. interval .. [drip] ..
//! unread     [some whole parts of a byte] .. interval .. [one] .. interval .. [one] ..   no window for answers
//! idle       [a whole message of a few bytes] ..                                     nothing
//! ```
//!
//! They run on one thread and on separate connections. A stream that the server ends is opened
//! again, as an attacker would. The drips of all streams are spread over the interval.
//!
//! disturber/disturbance.rs says how many streams do what; disturber/body.rs has the bytes that they
//! send.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result};
use hashlane_proto::v1::DigestResponse;
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::Status;

use crate::driver::connection::Connection;

mod body;
mod disturbance;

use body::{DripBody, Payloads};
pub(crate) use disturbance::Disturbance;
use disturbance::Manner;

/// Pause before an idle stream is opened again.
const IDLE_PAUSE: Duration = Duration::from_secs(1);

/// After this many ends per stream, all streams are unlikely ever to be open.
const ENDS_PER_STREAM_MAX: u64 = 3;

/// Maximum of end messages kept for the report.
const ENDS_MAX: usize = 8;

/// The streams and their thread, which ends on drop.
#[derive(Debug)]
pub(crate) struct Disturber {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<()>>>,
}

#[derive(Debug)]
struct Shared {
    disturbance: Disturbance,
    server: String,
    stop: watch::Sender<bool>,
    open: AtomicUsize,
    drips: Arc<AtomicU64>,
    ended: AtomicU64,
    ends: Mutex<BTreeSet<String>>,
}

/// Values of the counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    open: usize,
    drips: u64,
    ended: u64,
}

/// The streams in one window.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DisturbedRow {
    drip_streams: usize,
    drip_interval_seconds: f64,
    drip_bytes: usize,
    unread_streams: usize,
    idle_streams: usize,
    idle_bytes: usize,
    disturb_connections: usize,
    /// Streams open at the start or at the end of the window, whichever is less.
    disturb_streams_open: usize,
    /// Drips written in the window.
    drips: u64,
    /// Streams that the server ended in the window.
    disturb_streams_ended: u64,
    /// Reasons of ends: a few distinct texts since the streams were opened.
    disturb_ends: Vec<String>,
}

impl DisturbedRow {
    /// Drips in the window.
    pub(crate) fn drips(&self) -> u64 {
        self.drips
    }
}

impl fmt::Display for DisturbedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, drips) = (self.disturb_streams_open, self.drips);
        write!(f, "{open} disturbing streams open, {drips} drips")?;
        if self.disturb_streams_ended > 0 {
            let (ended, ends) = (self.disturb_streams_ended, self.disturb_ends.join("; "));
            write!(f, ", {ended} ended ({ends})")?;
        }
        Ok(())
    }
}

impl Disturber {
    /// Connects on a separate thread and opens the streams.
    ///
    /// # Errors
    /// The thread cannot be started. Failed connections show in [`Self::open`].
    pub(crate) fn start(disturbance: Disturbance, server: String) -> Result<Self> {
        let shared = Arc::new(Shared {
            disturbance,
            server,
            stop: watch::Sender::new(false),
            open: AtomicUsize::new(0),
            drips: Arc::default(),
            ended: AtomicU64::new(0),
            ends: Mutex::default(),
        });
        let thread = std::thread::Builder::new()
            .name("disturb".to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                move || {
                    let outcome = thread_main(&shared);
                    if let Err(error) = &outcome {
                        shared.note(&format!("{error:#}"));
                    }
                    outcome
                }
            });
        Ok(Self {
            shared,
            thread: Some(thread.context("cannot start a thread")?),
        })
    }

    /// Streams that the server accepted and that are still open.
    pub(crate) fn open(&self) -> usize {
        self.shared.open.load(Ordering::Relaxed)
    }

    /// Whether all streams may still open: the thread is running, and the server has not ended
    /// every stream several times.
    pub(crate) fn may_open(&self) -> bool {
        let ends_max = ENDS_PER_STREAM_MAX * self.shared.disturbance.streams() as u64;
        let thread = self.thread.as_ref();
        thread.is_some_and(|thread| !thread.is_finished())
            && self.shared.ended.load(Ordering::Relaxed) < ends_max
    }

    /// Number of their connections.
    pub(crate) fn connections(&self) -> usize {
        self.shared.disturbance.connections()
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts {
            open: self.open(),
            drips: self.shared.drips.load(Ordering::Relaxed),
            ended: self.shared.ended.load(Ordering::Relaxed),
        }
    }

    /// Reasons for ends of streams, or errors.
    pub(crate) fn ends(&self) -> Vec<String> {
        let ends = self.shared.ends.lock();
        let ends = ends.unwrap_or_else(PoisonError::into_inner);
        ends.iter().cloned().collect()
    }

    /// The streams' activity since `before`.
    pub(crate) fn row(&self, before: &Counts) -> DisturbedRow {
        let disturbance = &self.shared.disturbance;
        let now = self.counts();
        DisturbedRow {
            drip_streams: disturbance.drip_streams,
            drip_interval_seconds: disturbance.drip_interval.as_secs_f64(),
            drip_bytes: disturbance.drip_bytes,
            unread_streams: disturbance.unread_streams,
            idle_streams: disturbance.idle_streams,
            idle_bytes: disturbance.idle_bytes,
            disturb_connections: disturbance.connections(),
            disturb_streams_open: now.open.min(before.open),
            drips: now.drips - before.drips,
            disturb_streams_ended: now.ended - before.ended,
            disturb_ends: self.ends(),
        }
    }
}

impl Drop for Disturber {
    fn drop(&mut self) {
        self.shared.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // Its error is among the ends.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn note(&self, text: &str) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() < ENDS_MAX {
            ends.insert(text.to_owned());
        }
    }
}

fn thread_main(shared: &Arc<Shared>) -> Result<()> {
    if let Some(cpus) = &shared.disturbance.cpus {
        cpus.pin_thread()?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(async {
        let mut stop = shared.stop.subscribe();
        tokio::select! {
            outcome = all_streams(shared) => outcome,
            // The sender lives in `shared`, so the wait cannot fail.
            _ = stop.wait_for(|stop| *stop) => Ok(()),
        }
    })
}

async fn all_streams(shared: &Arc<Shared>) -> Result<()> {
    let disturbance = &shared.disturbance;
    let payloads = Arc::new(Payloads::new(disturbance));
    let congestion = disturbance.congestion.as_deref();
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for _ in 0..disturbance.connections {
        let connection = Connection::open(&shared.server, congestion, None).await?;
        read.push(Arc::new(connection));
    }
    for _ in 0..disturbance.unread_connections {
        let connection = Connection::open_unread(&shared.server, congestion).await?;
        unread.push(Arc::new(connection));
    }
    let mut tasks = JoinSet::new();
    for index in 0..disturbance.streams() {
        let manner = disturbance.manner(index);
        let connections = match manner {
            Manner::NeverReads => &unread,
            Manner::Drips | Manner::SaysNothing => &read,
        };
        let connection = Arc::clone(&connections[index % connections.len()]);
        let pause = match manner {
            Manner::SaysNothing => IDLE_PAUSE,
            Manner::Drips | Manner::NeverReads => disturbance.drip_interval,
        };
        let (shared, payloads) = (Arc::clone(shared), Arc::clone(&payloads));
        tasks.spawn(async move {
            loop {
                one_stream(&shared, index, &payloads, &connection).await;
                tokio::time::sleep(pause).await;
            }
        });
    }
    drop((read, unread));
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// Opens a stream and waits until the server ends it.
async fn one_stream(
    shared: &Arc<Shared>,
    index: usize,
    payloads: &Payloads,
    connection: &Connection<DripBody>,
) {
    let body = payloads.body(&shared.disturbance, index, &shared.drips);
    let end = async {
        let mut answers = connection.call::<DigestResponse>(body).await?;
        // The server has accepted the call: the response headers have arrived.
        let _open = Open::new(shared);
        while answers.message().await?.is_some() {}
        Ok::<_, Status>(())
    };
    let text = match end.await {
        Ok(()) => "the server ended the call".to_owned(),
        Err(status) => format!("{:?}: {}", status.code(), status.message()),
    };
    shared.ended.fetch_add(1, Ordering::Relaxed);
    shared.note(&text);
}

/// Counts a stream as open until dropped.
struct Open<'a>(&'a Shared);

impl<'a> Open<'a> {
    fn new(shared: &'a Shared) -> Self {
        shared.open.fetch_add(1, Ordering::Relaxed);
        Self(shared)
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
