//! Request bodies of disturbing streams.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};
use hashlane_proto::v1::DigestRequest;
use tokio::time::{Instant, MissedTickBehavior};

use super::disturbance::{Counts, Disturbance, Manner};
use crate::driver::{Streamed, streamed};
use crate::protocol::grpc::frame;
use crate::system::helper_thread::lock;

/// Data bytes of dripped messages; one byte per second takes 18 hours.
const MESSAGE_BYTES: usize = 64 << 10;

/// Parts that a stream sends at once without reading the answers.
const UNREAD_PARTS: u64 = 16;

/// The resolution of a timer; no drip coincides with its stream's opening.
const TICK: Duration = Duration::from_millis(1);

/// The message of streams that drip, shared by all of them.
pub(super) fn dripped() -> Bytes {
    message(MESSAGE_BYTES)
}

/// The endless body of stream `index`. What drips is counted.
pub(super) fn body(
    disturbance: &Disturbance,
    index: usize,
    dripped: &Bytes,
    counts: &Arc<Mutex<Counts>>,
) -> Streamed {
    let args = &disturbance.args;
    let (opening, next): (Bytes, Box<dyn FnMut() -> Bytes + Send>) = match disturbance.manner(index)
    {
        Manner::Drips => {
            let message = dripped.clone();
            let mut sent_bytes = message.len() - MESSAGE_BYTES + args.drip_bytes;
            let (opening, drip_bytes) = (message.slice(..sent_bytes), args.drip_bytes);
            // A few bytes of the message at a time, again and again.
            let next = move || {
                let start = sent_bytes % message.len();
                sent_bytes = (start + drip_bytes).min(message.len());
                message.slice(start..sent_bytes)
            };
            (opening, Box::new(next))
        }
        Manner::NeverReads => {
            let mut parts = UNREAD_PARTS..;
            let next = move || parts.next().map_or_else(Bytes::new, whole_part);
            let opening = (0..UNREAD_PARTS).flat_map(whole_part).collect();
            (opening, Box::new(next))
        }
        Manner::SaysNothing => {
            let opening = stream::once(std::future::ready(message(args.idle_bytes)));
            return streamed(opening.chain(stream::pending()));
        }
    };
    // Each stream has a different offset within the interval.
    let dripping = args.drip_streams + args.unread_streams;
    let at = args.drip_interval.mul_f64(index as f64 / dripping as f64);
    let mut interval = tokio::time::interval_at(Instant::now() + at + TICK, args.drip_interval);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let state = (interval, next, Arc::clone(counts));
    let drips = stream::unfold(state, |(mut interval, mut next, counts)| async move {
        interval.tick().await;
        lock(&counts).drips += 1;
        Some((next(), (interval, next, counts)))
    });
    streamed(stream::once(std::future::ready(opening)).chain(drips))
}

/// A message with so much data, of a part that does not end.
fn message(bytes: usize) -> Bytes {
    frame(&DigestRequest {
        data: vec![0x5a; bytes].into(),
        ..Default::default()
    })
}

/// A complete part of one byte. Its number must not be reused before its answer.
fn whole_part(number: u64) -> Bytes {
    frame(&DigestRequest {
        part: number,
        data: vec![0x5a].into(),
        last: true,
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;
    use http_body::Body as _;
    use prost::Message as _;
    use std::pin::Pin;

    fn disturbance(flags: &str) -> Disturbance {
        let line = ["x", "disturb"].into_iter().chain(flags.split_whitespace());
        match Cli::try_parse_from(line).unwrap().command {
            Some(Command::Disturb(args)) => Disturbance::of(&args),
            other => panic!("{other:?}"),
        }
    }

    /// The frames of `count` polls and their times, on a paused clock.
    fn frames(disturbance: Disturbance, index: usize, count: usize) -> Vec<(Duration, Bytes)> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let counts = Arc::default();
            let mut body = body(&disturbance, index, &dripped(), &counts);
            let started = Instant::now();
            let mut frames = Vec::new();
            for _ in 0..count {
                let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
                let Ok(frame) = tokio::time::timeout(Duration::from_secs(3600), frame).await else {
                    break;
                };
                let bytes = frame.unwrap().unwrap().into_data().unwrap();
                frames.push((started.elapsed(), bytes));
            }
            assert_eq!(lock(&counts).drips, frames.len() as u64 - 1);
            frames
        })
    }

    #[test]
    fn drips_are_messages_cut_into_bytes() {
        let disturbance = disturbance("--drip-bytes 1000 --drip-interval 2s --drip-streams 4");
        let frames = frames(disturbance, 1, 70);
        assert_eq!(frames.len(), 70);
        // The second of four streams: first after a quarter of the interval, then every two
        // seconds.
        for (number, (at, _)) in frames.iter().enumerate().skip(1) {
            let due = Duration::from_millis(500 + 2000 * (number as u64 - 1));
            assert!(*at >= due && *at < due + 5 * TICK, "{number}: {at:?}");
        }
        let wire: Vec<u8> = frames
            .iter()
            .flat_map(|(_, bytes)| bytes.to_vec())
            .collect();
        let len = u32::from_be_bytes(wire[1..5].try_into().unwrap()) as usize;
        let first = DigestRequest::decode(&wire[5..5 + len]).unwrap();
        assert_eq!((first.data.len(), first.last), (MESSAGE_BYTES, false));
        assert_eq!(frames[0].1.len(), 5 + len - MESSAGE_BYTES + 1000);
        assert!(frames[1..66].iter().all(|(_, bytes)| bytes.len() <= 1000));
        // The next message follows.
        assert_eq!(wire[5 + len..][..5], wire[..5]);
    }

    #[test]
    fn streams_that_never_read_send_whole_parts() {
        let flags = "--drip-streams 1 --unread-streams 2 --idle-streams 1 --drip-bytes 3";
        let frames = frames(disturbance(flags), 2, 4);
        let part = |mut bytes: &[u8]| {
            let mut parts = Vec::new();
            while let Some((prefix, rest)) = bytes.split_first_chunk::<5>() {
                let len = u32::from_be_bytes(prefix[1..].try_into().unwrap()) as usize;
                let message = DigestRequest::decode(&rest[..len]).unwrap();
                assert!(message.last && message.data.len() == 1);
                bytes = &rest[len..];
                parts.push(message.part);
            }
            parts
        };
        let parts: Vec<_> = frames.iter().map(|(_, bytes)| part(bytes)).collect();
        let sent: Vec<_> = (0..UNREAD_PARTS).collect();
        assert_eq!(parts, [sent, vec![16], vec![17], vec![18]]);
        // Two thirds of an interval, for the third of three streams.
        assert!((666..680).contains(&frames[1].0.as_millis()));
    }

    #[test]
    fn idle_streams_send_one_message_and_nothing_more() {
        let frames = frames(disturbance("--drip-streams 2 --idle-streams 1"), 2, 2);
        let [(_, bytes)] = frames.as_slice() else {
            panic!("{frames:?}")
        };
        let message = DigestRequest::decode(&bytes[5..]).unwrap();
        assert_eq!((message.data.len(), message.last), (100, false));
    }

    #[test]
    fn connections_are_as_many_as_needed() {
        let connections = |flags: &str, per_connection: usize| {
            let needed = |streams: usize| streams.div_ceil(per_connection);
            let disturbance = disturbance(flags).on_connections(needed);
            (disturbance.connections, disturbance.unread_connections)
        };
        let flags = "--drip-streams 10 --disturb-connections 20";
        assert_eq!(connections(flags, 100), (10, 0));
        let flags = "--drip-streams 10 --idle-streams 20 --unread-streams 15";
        assert_eq!(connections(flags, 10), (3, 2));
        assert_eq!(connections(flags, 100), (1, 1));
    }
}
