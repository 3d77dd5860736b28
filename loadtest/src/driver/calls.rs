//! Calls over hyper: any RPC, with any number of parts.
//!
//! A stream is a task that opens an RPC for its next part (or its next `parts_per_stream` parts),
//! lets the transport pull the part's messages, and compares the answer with the known digest.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use hashlane_proto::v1::{DigestResponse, VerifyResponse};
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::answer::Answer;
use super::body::{RequestBody, Sent};
use super::connection::{Connection, status_text};
use super::shared::{Phase, Shared};
use super::tally::Tally;
use crate::args::Rpc;
use crate::grpc::{DIGEST_PATH, VERIFY_PATH};
use crate::helper::lock;
use crate::payload::Part;
use crate::runtime::runtime;

/// Pause of a stream after an error, so that a server that refuses everything is not flooded.
const ERROR_PAUSE: Duration = Duration::from_millis(20);

/// Connects. The result drives the streams of `thread` to their end.
pub(super) fn connect(
    shared: &Arc<Shared>,
    thread: usize,
) -> Result<impl FnOnce() -> Tally + use<>> {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let runtime = runtime()?;
    let streams = runtime.block_on(connect_streams(shared, thread, &tally))?;
    let mut phase = shared.phase.subscribe();
    Ok(move || {
        runtime.block_on(async {
            // The sender lives in the streams, so the wait cannot fail.
            let _ = phase.wait_for(|phase| *phase > Phase::Connected).await;
            let mut tasks = JoinSet::new();
            for mut stream in streams {
                tasks.spawn(async move { stream.drive().await });
            }
            tokio::select! {
                () = async { while tasks.join_next().await.is_some() {} } => {}
                _ = phase.wait_for(|phase| *phase == Phase::Abort) => {}
            }
            tasks.shutdown().await;
        });
        drop(runtime);
        std::mem::take(&mut *lock(&tally))
    })
}

/// Opens this thread's connections and distributes its streams over them.
async fn connect_streams(
    shared: &Arc<Shared>,
    thread: usize,
    tally: &Arc<Mutex<Tally>>,
) -> Result<Vec<Stream>> {
    let load = &shared.plan.load;
    let (connections, threads) = (load.used_connections(), shared.sent_bytes.len());
    let mut streams = Vec::new();
    for first in (thread..connections).step_by(threads) {
        let (plan, congestion) = (&shared.plan, load.tcp_congestion.as_deref());
        let connection = Connection::open(&plan.server, congestion, plan.tls.as_ref());
        let connection = Arc::new(connection.await?);
        for index in (first..load.streams).step_by(connections) {
            streams.push(Stream {
                connection: Arc::clone(&connection),
                shared: Arc::clone(shared),
                tally: Arc::clone(tally),
                sent: Sent::new(shared, thread),
                index,
                rng: SmallRng::seed_from_u64(load.seed.wrapping_add(index as u64 + 1)),
                part_open: false,
                opening: false,
            });
        }
    }
    Ok(streams)
}

/// One stream: parts one after the other.
struct Stream {
    connection: Arc<Connection<RequestBody>>,
    shared: Arc<Shared>,
    tally: Arc<Mutex<Tally>>,
    sent: Sent,
    index: usize,
    rng: SmallRng,
    /// A part has started and has no answer yet.
    part_open: bool,
    /// That part only spreads the starts of streams; its latency is not recorded.
    opening: bool,
}

impl Stream {
    async fn drive(&mut self) {
        let mut opener = self.shared.plan.payload.opener(self.index).cloned();
        while self.shared.take_ticket() {
            self.opening = opener.is_some();
            let part = opener.take().unwrap_or_else(|| self.pick());
            let outcome = match self.shared.plan.load.rpc {
                Rpc::Digest => self.call::<DigestResponse>(DIGEST_PATH, part).await,
                Rpc::Verify => self.call::<VerifyResponse>(VERIFY_PATH, part).await,
            };
            if let Err(text) = outcome {
                self.fail(text);
                tokio::time::sleep(ERROR_PAUSE).await;
            }
        }
    }

    fn pick(&mut self) -> Arc<Part> {
        Arc::clone(self.shared.plan.payload.pick(&mut self.rng))
    }

    /// One RPC: `part`, and more parts if parts share an RPC.
    async fn call<A: Answer>(
        &mut self,
        path: &'static str,
        mut part: Arc<Part>,
    ) -> Result<(), String> {
        let limit = self.shared.plan.load.part_timeout;
        let mut left = self.shared.plan.load.parts_per_stream - 1;
        let (feed, more) = if left > 0 {
            let (feed, more) = mpsc::channel(1);
            (Some(feed), Some(more))
        } else {
            (None, None)
        };

        let mut started = self.begin();
        let body = RequestBody::new(Arc::clone(&part), more, self.sent.clone());
        let mut answers = within(limit, self.connection.call::<A>(path, body)).await?;
        loop {
            let answer = within(limit, answers.message()).await?;
            let answer = answer.ok_or("the server ended the call without an answer")?;
            if let Err(refused) = self.settle(&answer, &part, started.elapsed()) {
                // The other parts of the call continue.
                self.fail(refused);
            }
            let Some(feed) = &feed else { break };
            if left == 0 || !self.shared.take_ticket() {
                break;
            }
            left -= 1;
            part = self.pick();
            started = self.begin();
            feed.send(Arc::clone(&part))
                .await
                .map_err(|_| "the server stopped reading")?;
        }
        drop(feed);
        match within(limit, answers.message()).await? {
            None => Ok(()),
            Some(_) => Err("the server sent more answers than there were parts".into()),
        }
    }

    fn begin(&mut self) -> Instant {
        self.part_open = true;
        lock(&self.tally).in_flight += 1;
        Instant::now()
    }

    /// Checks an answer.
    fn settle<A: Answer>(
        &mut self,
        answer: &A,
        part: &Part,
        latency: Duration,
    ) -> Result<(), String> {
        let opening = std::mem::take(&mut self.opening);
        let latency = (!opening).then_some(latency);
        let mut tally = lock(&self.tally);
        self.shared.settle(&mut tally, answer, part, latency)?;
        self.part_open = false;
        Ok(())
    }

    fn fail(&mut self, text: String) {
        let mut tally = lock(&self.tally);
        if std::mem::take(&mut self.part_open) {
            tally.in_flight -= 1;
        }
        self.shared.fail(&mut tally, text);
    }
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, tonic::Status>>,
) -> Result<T, String> {
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(status)) => Err(status_text(&status)),
        Err(_) => Err(format!(
            "no answer within {}",
            humantime::format_duration(limit)
        )),
    }
}
