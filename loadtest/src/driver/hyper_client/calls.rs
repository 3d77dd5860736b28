//! Calls over hyper: any RPC, with any number of parts, in a closed or an open loop.
//!
//! ```text
//! closed  a stream is a task: it opens an RPC for its next part (or its next `parts_per_stream`
//!         parts), lets the transport pull the part's messages, and compares the answer
//! open    a dispatcher follows the schedule and starts a task for each part, up to a maximum
//! ```

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use hashlane_proto::v1::{DigestBatchResponse, DigestResponse, VerifyResponse};
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::body::{Outgoing, RequestBody, Sent};
use super::connection::{Connection, status_text};
use super::multiplexed::Multiplexer;
use crate::args::Rpc;
use crate::driver::answer::Answer;
use crate::driver::shared_memory::Unread;
use crate::driver::state::{OpenLoop, Phase, Shared};
use crate::driver::tally::{Tally, Times};
use crate::driver::timer::Timer;
use crate::load::payload::PreparedPart;
use crate::protocol::grpc::{DIGEST_BATCH_PATH, DIGEST_PATH, VERIFY_PATH};
use crate::system::helper_thread::lock;
use crate::system::runtime::runtime;

/// Pause of a stream after an error, so that a server that refuses everything is not flooded.
const ERROR_PAUSE: Duration = Duration::from_millis(20);

/// Starts of a dispatcher that is late, before it lets other tasks run.
const STARTS_IN_TURN: usize = 16;

/// Connects. The result drives the parts of `thread` to their end.
pub(in crate::driver) fn connect(
    shared: &Arc<Shared>,
    thread: usize,
) -> Result<impl FnOnce() + use<>> {
    let runtime = runtime()?;
    let links = runtime.block_on(open_links(shared, thread))?;
    let shared = Arc::clone(shared);
    Ok(move || {
        let mut phase = shared.phase.subscribe();
        runtime.block_on(async {
            // The sender lives in `shared`, so the wait cannot fail.
            let _ = phase.wait_for(|phase| *phase > Phase::Connected).await;
            let mut tasks = JoinSet::new();
            let work = async {
                match &shared.plan.open {
                    Some(open) => {
                        let followed = follow(&shared, thread, open, &links, &mut tasks).await;
                        if let Err(error) = followed {
                            let mut tally = lock(&shared.tallies[thread]);
                            shared.fail(&mut tally, format!("{error:#}"));
                        }
                    }
                    None => start_streams(&shared, thread, &links, &mut tasks),
                }
                while tasks.join_next().await.is_some() {}
            };
            tokio::select! {
                () = work => {}
                _ = phase.wait_for(|phase| *phase == Phase::Abort) => {}
            }
            tasks.shutdown().await;
        });
    })
}

/// A connection and what its calls share.
#[derive(Debug)]
struct Link {
    /// Its index over all threads.
    index: usize,
    connection: Arc<Connection<RequestBody>>,
    multiplexer: Multiplexer,
}

/// Opens this thread's connections.
async fn open_links(shared: &Arc<Shared>, thread: usize) -> Result<Vec<Arc<Link>>> {
    let (plan, threads) = (&shared.plan, shared.sent_bytes.len());
    let (target, congestion) = (&plan.target, plan.load.tcp_congestion.as_deref());
    let mut links = Vec::new();
    for index in (thread..plan.load.used_connections()).step_by(threads) {
        let connection = Connection::open(target.server(index), congestion, target.tls.as_ref());
        let connection = connection.await?.with(target.headers(index));
        links.push(Arc::new(Link {
            index,
            connection: Arc::new(connection),
            multiplexer: Multiplexer::default(),
        }));
    }
    Ok(links)
}

/// Starts the streams of this thread's connections: a closed loop.
fn start_streams(
    shared: &Arc<Shared>,
    thread: usize,
    links: &[Arc<Link>],
    tasks: &mut JoinSet<()>,
) {
    let load = &shared.plan.load;
    for link in links {
        for index in (link.index..load.streams).step_by(load.used_connections()) {
            let mut stream = Stream::new(shared, thread, link);
            let rng = SmallRng::seed_from_u64(load.seed.wrapping_add(index as u64 + 1));
            tasks.spawn(async move { stream.drive(index, rng).await });
        }
    }
}

/// Starts this thread's share of the schedule: an open loop.
async fn follow(
    shared: &Arc<Shared>,
    thread: usize,
    open: &OpenLoop,
    links: &[Arc<Link>],
    tasks: &mut JoinSet<()>,
) -> Result<()> {
    let threads = shared.tallies.len();
    let in_flight_max = (open.in_flight_max / threads).max(1);
    let begin = *shared.begin.get().context("the schedule has not begun")?;
    let mut timer = Timer::new().context("cannot make a timer")?;
    let mut phase = shared.phase.subscribe();
    let starts = open.starts.iter(Arc::clone(&shared.plan.payload));
    for (turn, start) in starts.skip(thread).step_by(threads).enumerate() {
        let is_over = start.at >= open.end.as_secs_f64();
        // The last gap belongs to the schedule too.
        let due = begin + Duration::from_secs_f64(start.at).min(open.end);
        if due > Instant::now() {
            tokio::select! {
                biased;
                _ = phase.wait_for(|phase| *phase >= Phase::Finish) => break,
                waited = timer.until(due) => waited.context("a timer failed")?,
            }
        } else if turn % STARTS_IN_TURN == 0 {
            tokio::task::yield_now().await;
        }
        if is_over {
            break;
        }
        let measured = start.at >= open.warmup.as_secs_f64();
        // A late start after the window's end is not made.
        let too_late = shared.phase() >= Phase::Finish;
        if !too_late && !shared.take_ticket() {
            break;
        }
        while tasks.try_join_next().is_some() {}
        let mut tally = lock(&shared.tallies[thread]);
        if too_late || tasks.len() >= in_flight_max {
            tally.missed += u64::from(measured);
            continue;
        }
        tally.started(measured, due.elapsed());
        drop(tally);
        let mut stream = Stream::new(shared, thread, &links[turn % links.len()]);
        stream.part_open = true;
        stream.intended = Some((due, measured));
        tasks.spawn(async move {
            if let Err(text) = stream.send(start.part, None).await {
                stream.fail(text);
            }
        });
    }
    Ok(())
}

/// One stream: parts one after the other; in an open loop one part.
struct Stream {
    link: Arc<Link>,
    shared: Arc<Shared>,
    thread: usize,
    sent: Sent,
    /// A part has started and has no answer yet.
    part_open: bool,
    /// That part only spreads the starts of streams; its latency is not recorded.
    opening: bool,
    /// In an open loop the intended start, and whether it is measured.
    intended: Option<(Instant, bool)>,
}

impl Stream {
    fn new(shared: &Arc<Shared>, thread: usize, link: &Arc<Link>) -> Self {
        Self {
            link: Arc::clone(link),
            shared: Arc::clone(shared),
            thread,
            sent: Sent::new(shared, thread),
            part_open: false,
            opening: false,
            intended: None,
        }
    }

    fn tally(&self) -> &Mutex<Tally> {
        &self.shared.tallies[self.thread]
    }

    /// Sends parts until the load ends.
    async fn drive(&mut self, index: usize, mut rng: SmallRng) {
        let payload = Arc::clone(&self.shared.plan.payload);
        let mut opener = payload.opener(index).cloned();
        while self.shared.take_ticket() {
            self.opening = opener.is_some();
            let part = opener.take();
            let part = part.unwrap_or_else(|| Arc::clone(payload.pick(&mut rng)));
            if let Err(text) = self.send(part, Some(&mut rng)).await {
                self.fail(text);
                tokio::time::sleep(ERROR_PAUSE).await;
            }
        }
    }

    /// Sends `part`, and with `rng` more parts if parts share an RPC.
    async fn send(
        &mut self,
        part: Arc<PreparedPart>,
        rng: Option<&mut SmallRng>,
    ) -> Result<(), String> {
        match part.rpc {
            Rpc::Digest => self.call::<DigestResponse>(DIGEST_PATH, part, rng).await,
            Rpc::Verify => self.call::<VerifyResponse>(VERIFY_PATH, part, rng).await,
            Rpc::Batch => {
                let path = DIGEST_BATCH_PATH;
                self.call::<DigestBatchResponse>(path, part, None).await
            }
            Rpc::Multiplexed => {
                let started = self.begin();
                let link = &self.link;
                let sending =
                    link.multiplexer
                        .send(&link.connection, &self.sent, Arc::clone(&part));
                let (outgoing, answer) = sending;
                let answer = within(self.limit(), answer).await?;
                self.settle(&answer, &outgoing, started)
            }
        }
    }

    /// One RPC: `part`, and more parts if parts share an RPC.
    async fn call<A: Answer>(
        &mut self,
        path: &'static str,
        part: Arc<PreparedPart>,
        mut rng: Option<&mut SmallRng>,
    ) -> Result<(), String> {
        let limit = self.limit();
        let parts = self.shared.plan.load.parts_per_stream;
        let mut left = if rng.is_some() { parts - 1 } else { 0 };
        let (feed, more) = if left > 0 {
            let (feed, more) = mpsc::unbounded_channel();
            (Some(feed), Some(more))
        } else {
            (None, None)
        };

        let mut started = self.begin();
        let mut outgoing = Outgoing::new(part, None, &self.sent);
        let unread = Arc::<Unread>::default();
        let body = RequestBody::new(
            Some(outgoing.clone()),
            more,
            self.shared.plan.bandwidth,
            Arc::clone(&unread),
        );
        let call = self.link.connection.call::<A>(path, body);
        let mut answers = within_status(limit, call).await?;
        loop {
            let answer = within_status(limit, self.sent.next_answer(&mut answers, &unread)).await?;
            let answer = answer.ok_or("the server ended the call without an answer")?;
            if let Err(refused) = self.settle(&answer, &outgoing, started) {
                // The other parts of the call continue.
                self.fail(refused);
            }
            let (Some(feed), Some(rng)) = (&feed, rng.as_deref_mut()) else {
                break;
            };
            if left == 0 || !self.shared.take_ticket() {
                break;
            }
            left -= 1;
            let part = Arc::clone(self.shared.plan.payload.pick(rng));
            outgoing = Outgoing::new(part, None, &self.sent);
            started = self.begin();
            feed.send(outgoing.clone())
                .map_err(|_| "the server stopped reading")?;
        }
        drop(feed);
        match within_status(limit, answers.message()).await? {
            None => Ok(()),
            Some(_) => Err("the server sent more answers than there were parts".into()),
        }
    }

    fn limit(&self) -> Duration {
        self.shared.plan.load.part_timeout
    }

    /// When the part starts. That of an open loop has started already.
    fn begin(&mut self) -> Instant {
        if let Some((at, _)) = self.intended {
            return at;
        }
        self.part_open = true;
        lock(self.tally()).started(false, Duration::ZERO);
        Instant::now()
    }

    /// Checks an answer.
    fn settle<A: Answer>(
        &mut self,
        answer: &A,
        outgoing: &Outgoing,
        started: Instant,
    ) -> Result<(), String> {
        let now = Instant::now();
        let taken = outgoing.taken.get().copied().unwrap_or(started);
        let times = (!std::mem::take(&mut self.opening)).then_some(Times {
            response: now.saturating_duration_since(started),
            service: now.saturating_duration_since(taken),
        });
        let measured = self.intended.map(|(_, measured)| measured);
        let mut tally = lock(self.tally());
        self.shared
            .settle(&mut tally, answer, &outgoing.part, measured, times)?;
        drop(tally);
        self.part_open = false;
        Ok(())
    }

    fn fail(&mut self, text: String) {
        let was_open = std::mem::take(&mut self.part_open);
        let mut tally = lock(self.tally());
        tally.in_flight -= i64::from(was_open);
        self.shared.fail(&mut tally, text);
    }
}

async fn within_status<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, tonic::Status>>,
) -> Result<T, String> {
    let work = async { work.await.map_err(|status| status_text(&status)) };
    within(limit, work).await
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        Err(format!(
            "no answer within {}",
            humantime::format_duration(limit)
        ))
    })
}
