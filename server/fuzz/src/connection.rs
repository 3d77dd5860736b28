//! A whole connection: HTTP/2, calls, engine. Whatever the client does,
//!
//! - the connection ends for the client's errors only if h2 ends it too, and goes on only if h2 does,
//!   or if the error is of a stream;
//! - bytes that the server may read are read, PINGs and calls are answered;
//! - the worker's loop does not run without end;
//! - when the client is gone the connection ends, and nothing is left of what it took.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use arbitrary::Unstructured;
use hashlane_engine::{Backend, Crossover};
use hashlane_http2_frames::error::{
    ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, PROTOCOL_ERROR,
};
use hashlane_http2_frames::flag::{ACK, END_STREAM};
use hashlane_http2_frames::kind::{DATA, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS};
use hashlane_http2_frames::{PREFACE, frame, setting, settings as settings_frame, window_update};
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::watch;
use tokio::task::coop::unconstrained;
use tokio::task::yield_now;

use crate::call::Peer;
use crate::client::{Client, ClientId};
use crate::config::Settings;
use crate::drain::Phase;
use crate::http2;
use crate::limiter::Budget;
use crate::limits::Limits;
use crate::shared_memory::RegionId;
use crate::shared_memory::region::Region;
use crate::metrics::counters::WorkerCounters;
use crate::peer::{Made, REGION, Step};
use crate::pipe::{Flag, Pipe};
use crate::process::Process;
use crate::plain;
use crate::router::Router;
use crate::sent::{Understood, list};
use crate::worker_state::WorkerState;
use crate::unary::Services;
use crate::worker::event_loop::EventLoop;

/// What is sent is bounded, so that an input takes milliseconds.
const FRAMES_MAX: usize = 6000;
const SENT_BYTES_MAX: usize = 1 << 20;

/// Memory that the client shares.
const REGION_BYTES: usize = 128 << 10;

/// Polls of the loop, of 200 us each, in which nothing is read or written.
const IDLE_POLLS_MAX: u32 = 2_000;

/// Longer than any pause of reading.
const PAUSE: Duration = Duration::from_millis(60);

/// After so long keep-alive and timeouts may close the connection.
const AGED: Duration = Duration::from_secs(8);

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// A server of one connection.
pub(crate) struct FuzzedConnection {
    pub(crate) pipe: Pipe,
    state: Rc<WorkerState>,
    limits: Arc<Limits>,
    client: Arc<Client>,
    phase: watch::Sender<Phase>,
    event_loop: Rc<EventLoop>,
    looping: Task,
    woken: Arc<Flag>,
    idle_polls: u32,
    moves: u64,
    waited: Duration,
}

impl FuzzedConnection {
    pub(crate) fn start(
        settings: &Arc<Settings>,
        services: &Rc<Services>,
        crossover: &Crossover,
    ) -> Self {
        let (phase, watched) = watch::channel(Phase::Serving);
        let settings = Settings::clone(settings);
        let process =
            Process::new(settings, vec![None], crossover.clone(), phase.subscribe()).unwrap();
        let limits = Arc::clone(&process.limits);
        let state = WorkerState::new(&Arc::new(process), Arc::new(WorkerCounters::new()));
        let client = limits.client(&ClientId::Uid(0), std::time::Instant::now());
        let window = limits.window(&client).unwrap();
        let permit = || Budget::new(REGION_BYTES).take(REGION_BYTES).unwrap();
        let region = Region::new(REGION_BYTES, [permit(), permit()]).unwrap();
        client.regions.add_as(RegionId::of(REGION), region);
        let pipe = Pipe::new();
        let owner = Rc::new(Cell::new(client.number));
        let peer = Peer::new(&state, Arc::clone(&client), None, owner);
        let router = Router::new(peer, services);
        let socket = pipe.clone();
        let event_loop = Rc::<EventLoop>::default();
        let (worker, of) = (Rc::clone(&state), Arc::clone(&client));
        event_loop.spawn(client.number, async move |_| {
            http2::serve(&worker, socket, window, &of, &of, router, watched).await;
        });
        let (of, looping) = (Rc::clone(&state), Rc::clone(&event_loop));
        let looping = async move { looping.run(&of.lanes).await };
        Self {
            pipe,
            state,
            limits,
            client,
            phase,
            event_loop,
            looping: Box::pin(looping),
            woken: Flag::woken(),
            idle_polls: 0,
            moves: 0,
            waited: Duration::ZERO,
        }
    }

    /// Runs all tasks until none of them has anything to do.
    pub(crate) async fn settle(&mut self) {
        let mut calm = 0;
        while calm < 4 {
            calm += 1;
            if self.woken.take() {
                calm = 0;
                let waker = Waker::from(Arc::clone(&self.woken));
                let polled = Pin::new(&mut unconstrained(self.looping.as_mut()))
                    .poll(&mut Context::from_waker(&waker));
                assert!(polled.is_pending());
                self.idle_polls += 1;
                if self.pipe.moves() != self.moves {
                    self.moves = self.pipe.moves();
                    self.idle_polls = 0;
                }
                assert!(self.idle_polls < IDLE_POLLS_MAX, "it runs without end");
            }
            // Tasks that tonic spawned, and wakes put off until the runtime has its turn.
            yield_now().await;
        }
        self.idle_polls = 0;
    }

    async fn wait(&mut self, time: Duration) {
        self.waited += time;
        tokio::time::advance(time).await;
        self.settle().await;
    }

    /// Settles, and sees that what may be read is read.
    async fn reads_on(&mut self) {
        self.settle().await;
        let mut left = self.pipe.left();
        let mut pauses = 0;
        while left > 0 && !self.event_loop.is_empty() && self.pipe.is_open() {
            // For want of credit it is not read for a while.
            self.wait(PAUSE).await;
            pauses = if self.pipe.left() < left {
                0
            } else {
                pauses + 1
            };
            left = self.pipe.left();
            assert!(pauses < 3, "{left} bytes are there, and are not read");
        }
    }

    /// Nothing is left of the connection.
    pub(crate) fn is_clean(&self) {
        let counters = &self.state.counters;
        assert_eq!(counters.streams.get(), 0);
        assert_eq!(counters.open_jobs.get(), 0);
        assert_eq!(counters.waiting_bytes.get(), 0);
        let (limits, client) = (&self.limits, &self.client);
        for (what, budget) in [
            ("streams", &limits.streams),
            ("probes", &limits.probes),
            ("parts", &limits.parts),
            ("unary", &limits.unary_bytes),
            ("held", &limits.held_bytes),
            ("unread", &limits.unread.budget),
            ("windows", &client.windows_bytes),
        ] {
            assert_eq!(budget.used(), 0, "{what}");
        }
    }
}

/// What is the same for many inputs.
pub(crate) struct Fixed {
    pub(crate) runtime: tokio::runtime::LocalRuntime,
    pub(crate) crossover: Crossover,
    pub(crate) settings: [(Arc<Settings>, Rc<Services>); 2],
}

impl Fixed {
    fn new() -> Self {
        let common = [
            ("linger", "0s"),
            ("client_share_percent", "100"),
            ("http2.connection_window_bytes_max", "65535"),
            ("http2.connection_window_bytes", "65535"),
            ("http2.stream_window_bytes", "65535"),
        ];
        let small = [
            ("http2.streams_max", "4"),
            ("http2.frame_bytes_max", "16KiB"),
            ("http2.header_list_bytes_max", "1KiB"),
            ("message_bytes_max", "8KiB"),
            ("held_bytes_max", "16KiB"),
            ("batch_blobs_max", "20"),
            ("parts_max", "100"),
            ("streams_max", "6"),
        ];
        let (health, _) = tonic_health::server::health_reporter();
        let with = |more: &[_]| {
            let all = [&common[..], more].concat();
            let settings = Arc::new(Settings::with(&all).unwrap());
            let services = Rc::new(Services::new(&health).unwrap());
            (settings, services)
        };
        let mut runtime = Builder::new_current_thread();
        runtime.enable_time().start_paused(true);
        Self {
            // Never measured, so that an input does the same each time.
            crossover: Crossover::from_costs(Backend::detect(), |_| 100.0),
            settings: [with(&[]), with(&small)],
            runtime: runtime.build_local(LocalOptions::default()).unwrap(),
        }
    }
}

thread_local! {
    pub(crate) static FIXED: Fixed = Fixed::new();
}

/// One input.
pub fn run(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let Ok(choice) = input.arbitrary::<u8>() else {
        return;
    };
    let steps = list::<Step>(&mut input, 100);
    FIXED.with(|fixed| {
        let (settings, services) = &fixed.settings[usize::from(choice & 1)];
        let server = FuzzedConnection::start(settings, services, &fixed.crossover);
        fixed
            .runtime
            .block_on(play(server, settings, choice, &steps));
    });
}

async fn play(mut server: FuzzedConnection, settings: &Settings, choice: u8, steps: &[Step]) {
    let pipe = server.pipe.clone();
    let mut sent = Vec::new();
    if choice < 250 {
        sent.extend(PREFACE);
        sent.extend(frame(SETTINGS, 0, 0, &[]));
        sent.extend(frame(SETTINGS, ACK, 0, &[]));
    }
    pipe.send(&sent);
    let mut made = Made { opened: Vec::new() };
    let (mut closed, mut vanished, mut drained) = (false, false, false);
    for step in steps {
        match step {
            Step::Waits => server.reads_on().await,
            Step::WaitsFor { milliseconds } => {
                server
                    .wait(Duration::from_millis((*milliseconds).into()))
                    .await;
            }
            Step::Chops { read_max, choppy } => pipe.chop(
                if *read_max > 200 {
                    usize::MAX
                } else {
                    usize::from(*read_max)
                },
                *choppy,
            ),
            Step::Room { bytes } => pipe.set_room(match bytes {
                255 => usize::MAX,
                bytes => usize::from(*bytes) * 4,
            }),
            Step::Reads { bytes } => pipe.take((*bytes).into()),
            Step::HalfCloses => {
                closed = true;
                pipe.close();
            }
            Step::Vanishes => {
                vanished = true;
                pipe.cut();
                break;
            }
            Step::Drains => {
                drained = true;
                server.event_loop.drain();
                let _ = server.phase.send(Phase::Draining);
            }
            sends if !closed => {
                let bytes = made.bytes(sends);
                if sent.len() + bytes.len() > SENT_BYTES_MAX {
                    break;
                }
                pipe.send(&bytes);
                sent.extend(bytes);
            }
            _ => {}
        }
    }
    let understood = Understood::of(&sent);
    let frames: usize = understood.frames.iter().sum();
    if frames < FRAMES_MAX && !vanished {
        // The client reads all from now on.
        pipe.chop(usize::MAX, false);
        pipe.set_room(usize::MAX);
        server.reads_on().await;
        let whole = !closed && !drained && understood.frames[usize::from(GOAWAY)] == 0;
        // Without the preface it may be HTTP/1.1, and the PING a part of its request.
        if whole
            && sent.starts_with(PREFACE)
            && understood.at_a_frame
            && !server.event_loop.is_empty()
            && pipe.verdict().is_none()
        {
            answers(&mut server, &understood).await;
        }
        pipe.close();
        end(&mut server).await;
        if whole || closed && understood.frames[usize::from(GOAWAY)] == 0 && !drained {
            compare(&server, settings, &understood);
        }
    } else {
        pipe.cut();
        end(&mut server).await;
    }
    server.settle().await;
    server.is_clean();
}

/// The client is gone: the task ends.
async fn end(server: &mut FuzzedConnection) {
    server.settle().await;
    for _ in 0..20 {
        if server.event_loop.is_empty() {
            return;
        }
        server.wait(Duration::from_millis(500)).await;
    }
    panic!("the client is gone, and its task does not end");
}

/// PINGs are answered, and whatever was asked to its end.
async fn answers(server: &mut FuzzedConnection, understood: &Understood) {
    let pipe = server.pipe.clone();
    let ping = [0xee; 8];
    pipe.send(&frame(PING, 0, 0, &ping));
    server.reads_on().await;
    let ponged = pipe
        .frames()
        .iter()
        .any(|(head, payload)| (head.kind, head.flags, &payload[..]) == (PING, ACK, &ping));
    assert!(
        ponged || pipe.verdict() == Some(ENHANCE_YOUR_CALM),
        "a PING is not answered"
    );
    if understood.wide_windows || server.waited > AGED {
        return;
    }
    // Room for all answers.
    let much = 1_u32 << 24;
    pipe.send(&settings_frame(&[(setting::INITIAL_WINDOW_SIZE, much)]));
    pipe.send(&window_update(0, much));
    server.reads_on().await;
    if pipe.verdict().is_some() {
        return;
    }
    let ended = |stream: u32| {
        pipe.frames().iter().any(|(head, _)| {
            let is_end = matches!(head.kind, HEADERS | DATA) && head.has(END_STREAM);
            head.stream == stream && (head.kind == RST_STREAM || is_end)
        })
    };
    for stream in understood.ended.intersection(&understood.opened) {
        assert!(ended(*stream), "stream {stream} is not answered to its end");
    }
}

/// h2 alone agrees whether the connection ends for what the client sent.
fn compare(server: &FuzzedConnection, settings: &Settings, understood: &Understood) {
    // Of a frame that is not complete, one of the two may have read more than the other.
    if server.waited > AGED || !understood.at_a_frame {
        return;
    }
    let window_bytes = settings.http2.connection_window_bytes;
    let ours = server.pipe.verdict();
    let theirs = plain::verdict(&understood.handed_on, &settings.http2, window_bytes);
    match (ours, theirs) {
        (None, None) | (Some(_), Some(_)) => return,
        // h2 ends the connection for most errors of a stream.
        (None, Some(PROTOCOL_ERROR)) => return,
        (None, Some(FRAME_SIZE_ERROR)) if understood.frames[usize::from(PRIORITY)] > 0 => return,
        // RFC 9113 section 5.3.1 no longer has what RFC 7540 made an error of the stream, which an idle
        // stream cannot have.
        (Some(PROTOCOL_ERROR), None) if understood.depends_on_itself => return,
        // h2 says nothing to a client without a preface.
        (Some(PROTOCOL_ERROR), None) if !understood.handed_on.starts_with(PREFACE) => return,
        _ => {}
    }
    let frames: usize = understood.frames.iter().sum();
    // Frames that bring nothing, more than the credit is for.
    let flood = frames > 2000 || understood.settings > 1000;
    if ours == Some(ENHANCE_YOUR_CALM) && flood {
        return;
    }
    // h2 alone takes all in one go, accepts streams behind their resets, and closes after 1,024; and it
    // has a bound of empty DATA.
    let resets = understood.frames[usize::from(RST_STREAM)];
    let empty = understood.frames[usize::from(DATA)];
    if theirs == Some(ENHANCE_YOUR_CALM) && (resets > 1024 || empty > 100) {
        return;
    }
    // What becomes of such frames depends on whether the stream is still known, and so on how
    // far its answer is.
    if understood.after_end {
        return;
    }
    // Windows depend on how far calls have taken their bytes, and sent answers.
    let windows = understood.data_bytes > window_bytes as usize || understood.wide_windows;
    if windows && (ours == Some(FLOW_CONTROL_ERROR) || theirs == Some(FLOW_CONTROL_ERROR)) {
        return;
    }
    panic!(
        "the server says {ours:?}, h2 alone {theirs:?}, of {:x?}",
        understood.handed_on
    );
}
