//! Honest sessions: calls of Digest and Verify on one connection, whose answers are checked. Some
//! are cancelled, and some stall.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hashlane_proto::v1::{DigestResponse, VerifyResponse};
use http_body::{Body, Frame};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use super::part::{Call, Parts};
use super::random::{log_uniform, pause};
use super::world::World;
use crate::driver::connection::Connection;

/// Maximum of simultaneous calls, and of consecutive calls.
const CALLS_MAX: usize = 8;
const CALLS_IN_TURN_MAX: usize = 4;

/// A call that takes longer is a fault.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Pauses between messages: most are short.
const PAUSE_MAX: Duration = Duration::from_millis(20);
const STALL_MAX: Duration = Duration::from_secs(3);

/// A connection with several simultaneous calls.
pub(super) async fn session(world: &Rc<World>, rng: &mut SmallRng) {
    let connection = match Connection::<Messages>::open(&world.url, None, None).await {
        Ok(connection) => Rc::new(connection),
        Err(error) => return world.fault(format!("{error:#}")),
    };
    world.count("sessions: honest");
    let calls = LocalSet::new();
    for _ in 0..log_uniform(rng, 1, CALLS_MAX) {
        let (world, connection) = (Rc::clone(world), Rc::clone(&connection));
        let mut rng = SmallRng::seed_from_u64(rng.random());
        calls.spawn_local(async move {
            for _ in 0..log_uniform(&mut rng, 1, CALLS_IN_TURN_MAX) {
                if rng.random() {
                    call::<DigestResponse>(&world, &connection, &mut rng, "calls: Digest").await;
                } else {
                    call::<VerifyResponse>(&world, &connection, &mut rng, "calls: Verify").await;
                }
            }
        });
    }
    calls.await;
}

/// How a call ends.
enum End {
    Answered,
    Cancelled,
}

/// One call, complete or cancelled after some messages.
async fn call<C: Call>(
    world: &World,
    connection: &Connection<Messages>,
    rng: &mut SmallRng,
    name: &'static str,
) {
    let mut parts = Parts::random(rng, world.pool.len());
    let messages = parts.messages::<C>(rng, &world.pool);
    let sent = rng
        .random_ratio(1, 6)
        .then(|| rng.random_range(0..=messages.len()));
    let outcome = exchange::<C>(world, connection, rng, &mut parts, messages, sent);
    match tokio::time::timeout(CALL_TIMEOUT, outcome).await {
        Ok(Ok(End::Answered)) => world.count(name),
        Ok(Ok(End::Cancelled)) => world.count("calls: cancelled"),
        Ok(Err(text)) => world.fault(text),
        Err(_) => world.fault(format!("no end of a call within {CALL_TIMEOUT:?}")),
    }
}

/// Sends `messages`, only the first `cancel_after` if set, and checks the answers.
async fn exchange<C: Call>(
    world: &World,
    connection: &Connection<Messages>,
    rng: &mut SmallRng,
    parts: &mut Parts,
    messages: Vec<Bytes>,
    cancel_after: Option<usize>,
) -> Result<End, String> {
    let (sender, receiver) = mpsc::channel(1);
    let stalls = rng.random_ratio(1, 50);
    let sending = async {
        for message in messages
            .into_iter()
            .take(cancel_after.unwrap_or(usize::MAX))
        {
            // If the receiver is gone, the answers show why.
            let _ = sender.send(message).await;
            if rng.random_ratio(1, 8) {
                pause(rng, PAUSE_MAX).await;
            }
        }
        if stalls {
            world.count("calls: stalled");
            pause(rng, STALL_MAX).await;
        }
        if cancel_after.is_some() {
            // The call still waits when it is dropped.
            return End::Cancelled;
        }
        drop(sender);
        std::future::pending().await
    };
    let answering = async {
        let mut answers = connection
            .call::<C>(Messages(receiver))
            .await
            .map_err(|status| text_of(&status))?;
        while let Some(answer) = answers.message().await.map_err(|status| text_of(&status))? {
            let bytes = parts.settle(&answer, &world.pool)?;
            let mut tally = world.tally.borrow_mut();
            tally.checked += 1;
            tally.checked_bytes += bytes;
        }
        match parts.left() {
            0 => Ok(End::Answered),
            left => Err(format!("the call ended and left {left} parts unanswered")),
        }
    };
    tokio::select! {
        end = sending => Ok(end),
        end = answering => end,
    }
}

fn text_of(status: &tonic::Status) -> String {
    format!("{:?}: {}", status.code(), status.message())
}

/// A request body of messages.
struct Messages(mpsc::Receiver<Bytes>);

impl Body for Messages {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let message = self.0.poll_recv(context);
        message.map(|message| message.map(|message| Ok(Frame::data(message))))
    }
}
