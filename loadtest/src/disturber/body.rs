//! Request bodies of disturbing streams.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hashlane_proto::v1::DigestRequest;
use http_body::{Body, Frame};
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::disturbance::{Disturbance, Manner};
use crate::grpc::frame;

/// Data bytes of dripped messages; one byte per second takes 18 hours.
const MESSAGE_BYTES: usize = 64 << 10;

/// Parts that a stream sends at once without reading the answers.
const UNREAD_PARTS: u64 = 16;

/// The resolution of a timer; no drip coincides with its stream's opening.
const TICK: Duration = Duration::from_millis(1);

/// The messages, encoded once.
pub(super) struct Payloads {
    dripped: Bytes,
    /// Bytes of `dripped` before its data.
    head_bytes: usize,
    /// Several complete parts.
    parts: Bytes,
    idle: Bytes,
}

impl Payloads {
    pub(super) fn new(disturbance: &Disturbance) -> Self {
        let message = |bytes: usize| {
            frame(&DigestRequest {
                data: vec![0x5a; bytes].into(),
                ..Default::default()
            })
        };
        let dripped = message(MESSAGE_BYTES);
        Self {
            parts: (0..UNREAD_PARTS).flat_map(whole_part).collect(),
            head_bytes: dripped.len() - MESSAGE_BYTES,
            dripped,
            idle: message(disturbance.idle_bytes),
        }
    }

    /// The body of stream `index`.
    pub(super) fn body(
        &self,
        disturbance: &Disturbance,
        index: usize,
        counter: &Arc<AtomicU64>,
    ) -> DripBody {
        let drips = |next: Next| {
            // Each stream has a different offset within the interval.
            let dripping = disturbance.drip_streams + disturbance.unread_streams;
            let share = index as f64 / dripping as f64;
            let at = disturbance.drip_interval.mul_f64(share);
            let mut interval =
                tokio::time::interval_at(Instant::now() + at + TICK, disturbance.drip_interval);
            interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
            Some(Drips { interval, next })
        };
        let (opening, drips) = match disturbance.manner(index) {
            Manner::Drips => {
                let sent_bytes = self.head_bytes + disturbance.drip_bytes;
                let next = Next::Bytes {
                    message: self.dripped.clone(),
                    sent_bytes,
                    drip_bytes: disturbance.drip_bytes,
                };
                (self.dripped.slice(..sent_bytes), drips(next))
            }
            Manner::NeverReads => (self.parts.clone(), drips(Next::Part(UNREAD_PARTS))),
            Manner::SaysNothing => (self.idle.clone(), None),
        };
        DripBody {
            opening: Some(opening),
            drips,
            counter: Arc::clone(counter),
        }
    }
}

/// The endless body of a disturbing stream.
#[derive(Debug)]
pub(super) struct DripBody {
    opening: Option<Bytes>,
    drips: Option<Drips>,
    /// Drips that were written.
    counter: Arc<AtomicU64>,
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

/// The periodic part of a body.
#[derive(Debug)]
struct Drips {
    interval: Interval,
    next: Next,
}

/// The next drip.
#[derive(Debug)]
enum Next {
    /// A few bytes of the message at a time, again and again.
    Bytes {
        message: Bytes,
        sent_bytes: usize,
        drip_bytes: usize,
    },
    /// The complete part with this number.
    Part(u64),
}

impl Drips {
    fn next(&mut self) -> Bytes {
        match &mut self.next {
            Next::Bytes {
                message,
                sent_bytes,
                drip_bytes,
            } => {
                if *sent_bytes == message.len() {
                    *sent_bytes = 0;
                }
                let end = (*sent_bytes + *drip_bytes).min(message.len());
                let drip = message.slice(*sent_bytes..end);
                *sent_bytes = end;
                drip
            }
            Next::Part(number) => {
                let part = whole_part(*number);
                *number += 1;
                part
            }
        }
    }
}

impl Body for DripBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if let Some(bytes) = this.opening.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        let Some(drips) = &mut this.drips else {
            // The transport drops the body when the server ends the stream, without polling it
            // again.
            return Poll::Pending;
        };
        ready!(drips.interval.poll_tick(cx));
        this.counter.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(drips.next()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;
    use prost::Message as _;

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
            let payloads = Payloads::new(&disturbance);
            let counter = Arc::default();
            let mut body = payloads.body(&disturbance, index, &counter);
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
            assert_eq!(counter.load(Ordering::Relaxed), frames.len() as u64 - 1);
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
