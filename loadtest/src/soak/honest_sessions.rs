//! Honest sessions: calls of Digest and Verify on one connection, whose answers are checked. Some
//! are cancelled, and some stall.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use hashlane_proto::v1::{DigestResponse, VerifyResponse};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use super::random_parts::RandomParts;
use super::world::World;
use super::world::{log_uniform, pause};
use crate::args::Rpc;
use crate::driver::{Answer, Connection, Streamed, status_text, streamed};
use crate::protocol::grpc::{DIGEST_PATH, VERIFY_PATH};

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
    let connection = match Connection::<Streamed>::open(&world.url, None, None).await {
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
                    call::<DigestResponse>(&world, &connection, &mut rng, Rpc::Digest).await;
                } else {
                    call::<VerifyResponse>(&world, &connection, &mut rng, Rpc::Verify).await;
                }
            }
        });
    }
    calls.await;
}

/// One call, complete or cancelled after some messages.
async fn call<A: Answer>(
    world: &World,
    connection: &Connection<Streamed>,
    rng: &mut SmallRng,
    rpc: Rpc,
) {
    let (name, path) = if rpc == Rpc::Verify {
        ("calls: Verify", VERIFY_PATH)
    } else {
        ("calls: Digest", DIGEST_PATH)
    };
    let mut parts = RandomParts::random(rng, world.pool.len());
    let messages = parts.messages(rng, &world.pool, rpc);
    let sent = rng
        .random_ratio(1, 6)
        .then(|| rng.random_range(0..=messages.len()));
    let outcome = exchange::<A>(world, connection, rng, path, &mut parts, messages, sent);
    match tokio::time::timeout(CALL_TIMEOUT, outcome).await {
        Ok(Ok(true)) => world.count(name),
        Ok(Ok(false)) => world.count("calls: cancelled"),
        Ok(Err(text)) => world.fault(text),
        Err(_) => world.fault(format!("no end of a call within {CALL_TIMEOUT:?}")),
    }
}

/// Sends `messages`, only the first `cancel_after` if set, and checks the answers. False
/// if the call was cancelled.
async fn exchange<A: Answer>(
    world: &World,
    connection: &Connection<Streamed>,
    rng: &mut SmallRng,
    path: &'static str,
    parts: &mut RandomParts,
    messages: Vec<Bytes>,
    cancel_after: Option<usize>,
) -> Result<bool, String> {
    let (sender, receiver) = mpsc::channel(1);
    let stalls = rng.random_ratio(1, 50);
    let sending = async {
        let count = cancel_after.unwrap_or(usize::MAX);
        for message in messages.into_iter().take(count) {
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
            return false;
        }
        drop(sender);
        std::future::pending().await
    };
    let answering = async {
        let failed = |status| status_text(&status);
        let body = stream::unfold(receiver, async |mut receiver| {
            Some((receiver.recv().await?, receiver))
        });
        let answers = connection.call::<A>(path, streamed(body)).await;
        let mut answers = answers.map_err(failed)?;
        while let Some(answer) = answers.message().await.map_err(failed)? {
            let bytes = parts.settle(&answer, &world.pool)?;
            let mut tally = world.tally.borrow_mut();
            tally.checked += 1;
            tally.checked_bytes += bytes;
        }
        match parts.left() {
            0 => Ok(true),
            left => Err(format!("the call ended and left {left} parts unanswered")),
        }
    };
    tokio::select! {
        end = sending => Ok(end),
        end = answering => end,
    }
}
