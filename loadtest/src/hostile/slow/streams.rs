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

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use hashlane_proto::v1::DigestResponse;
use serde_json::json;
use tokio::task::JoinSet;
use tonic::Status;

use super::disturbance::Manner;
use super::disturbance::{Counts, Disturbance};
use super::slow_bodies::{body, dripped};
use crate::driver::{Connection, Streamed, status_text};
use crate::protocol::grpc::DIGEST_PATH;
use crate::results::Row;
use crate::system::helper_thread::{Helper, Stop, lock};
use crate::system::runtime::runtime;

/// Pause before an idle stream is opened again.
const IDLE_PAUSE: Duration = Duration::from_secs(1);

/// After this many ends per stream, all streams are unlikely ever to be open.
const ENDS_PER_STREAM_MAX: u64 = 3;

/// The streams and their thread, which ends on drop.
#[derive(Debug)]
pub(crate) struct Disturber {
    disturbance: Arc<Disturbance>,
    counts: Arc<Mutex<Counts>>,
    thread: Helper,
}

impl Disturber {
    /// Connects on a separate thread and opens the streams.
    ///
    /// # Errors
    /// The thread cannot be started. Failed connections show in [`Self::counts`].
    pub(crate) fn start(disturbance: Disturbance, server: String) -> Result<Self> {
        let disturbance = Arc::new(disturbance);
        let counts = Arc::<Mutex<Counts>>::default();
        let thread = {
            let (disturbance, counts) = (Arc::clone(&disturbance), Arc::clone(&counts));
            let cpus = disturbance.args.load.pin_client.clone();
            Helper::start("disturb", cpus.as_ref(), move |stop: Stop| {
                runtime()?.block_on(async {
                    tokio::select! {
                        outcome = all_streams(&disturbance, &server, &counts) => {
                            if let Err(error) = outcome {
                                lock(&counts).note(format!("{error:#}"));
                            }
                        }
                        () = stop.over() => {}
                    }
                });
                Ok(())
            })?
        };
        Ok(Self {
            disturbance,
            counts,
            thread,
        })
    }

    /// Whether all streams may still open: the thread is running, and the server has not ended
    /// every stream several times.
    pub(crate) fn may_open(&self) -> bool {
        let ends_max = ENDS_PER_STREAM_MAX * self.disturbance.streams() as u64;
        !self.thread.has_ended() && lock(&self.counts).ended < ends_max
    }

    /// Number of their connections.
    pub(crate) fn connections(&self) -> usize {
        self.disturbance.connections()
    }

    pub(crate) fn counts(&self) -> Counts {
        lock(&self.counts).clone()
    }

    /// What the streams did in a window.
    pub(crate) fn row(&self, before: &Counts, after: &Counts) -> Row {
        self.disturbance.row().and(json!({
            // At the start or at the end of the window, whichever is less.
            "disturb_streams_open": after.open.min(before.open),
            "drips": after.drips - before.drips,
            "disturb_streams_ended": after.ended - before.ended,
            "disturb_ends": after.ends,
        }))
    }
}

async fn all_streams(
    disturbance: &Arc<Disturbance>,
    server: &str,
    counts: &Arc<Mutex<Counts>>,
) -> Result<()> {
    let congestion = disturbance.args.load.tcp_congestion.as_deref();
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for _ in 0..disturbance.connections {
        let connection = Connection::open(server, congestion, None).await?;
        read.push(Arc::new(connection));
    }
    for _ in 0..disturbance.unread_connections {
        let connection = Connection::open_unread(server, congestion).await?;
        unread.push(Arc::new(connection));
    }
    let dripped = dripped();
    let mut tasks = JoinSet::new();
    for index in 0..disturbance.streams() {
        let interval = disturbance.args.drip_interval;
        let (connections, pause) = match disturbance.manner(index) {
            Manner::Drips => (&read, interval),
            Manner::NeverReads => (&unread, interval),
            Manner::SaysNothing => (&read, IDLE_PAUSE),
        };
        let connection = Arc::clone(&connections[index % connections.len()]);
        let (disturbance, dripped) = (Arc::clone(disturbance), dripped.clone());
        let counts = Arc::clone(counts);
        tasks.spawn(async move {
            loop {
                let body = body(&disturbance, index, &dripped, &counts);
                let text = match one_stream(&connection, body, &counts).await {
                    Ok(()) => "the server ended the call".to_owned(),
                    Err(status) => status_text(&status),
                };
                lock(&counts).end(text);
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
    connection: &Connection<Streamed>,
    body: Streamed,
    counts: &Mutex<Counts>,
) -> Result<(), Status> {
    let mut answers = connection.call::<DigestResponse>(DIGEST_PATH, body).await?;
    // The server has accepted the call: the response headers have arrived.
    lock(counts).open += 1;
    let end = loop {
        match answers.message().await {
            Ok(Some(_)) => {}
            Ok(None) => break Ok(()),
            Err(status) => break Err(status),
        }
    };
    lock(counts).open -= 1;
    end
}
