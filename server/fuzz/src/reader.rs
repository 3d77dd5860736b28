//! The reader alone: whatever bytes come, in whatever pieces, into whatever room, all that
//! h2 is to see comes out in order, and the reader never stops for good before the end.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use arbitrary::Unstructured;
use tokio::io::{AsyncRead, ReadBuf};

use crate::http2::frames::Frames;
use crate::http2::intake::Intake;
use crate::http2::reader::Reader;
use crate::limits::Backlog;
use crate::metrics::counters::FrameKind as Kind;
use crate::pipe::Flag;
use crate::scratch::Scratch;
use crate::sent::{Bytes, Cuts, Understood, list};
use hashlane_http2_frames::{HEAD_BYTES, PREFACE};

/// More would use up the credit of a connection.
const FRAMES_MAX: usize = 2000;
const SETTINGS_MAX: usize = 1000;

/// More would take long, a byte at a time.
const SENT_BYTES_MAX: usize = 300_000;

/// Pieces that arrive one after the other.
struct Arrives {
    pieces: VecDeque<Vec<u8>>,
    /// The reader was told that nothing is there.
    waits: Arc<Flag>,
}

impl AsyncRead for Arrives {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(piece) = self.pieces.front_mut() else {
            return Poll::Ready(Ok(()));
        };
        if piece.is_empty() {
            self.pieces.pop_front();
            Arc::clone(&self.waits).wake();
            return Poll::Pending;
        }
        let count = piece.len().min(buf.remaining());
        buf.put_slice(&piece.drain(..count).collect::<Vec<_>>());
        Poll::Ready(Ok(()))
    }
}

fn kind_of(number: usize) -> Kind {
    match number {
        0 => Kind::Data,
        1 => Kind::Headers,
        2 => Kind::Priority,
        3 => Kind::Reset,
        4 => Kind::Settings,
        6 => Kind::Ping,
        8 => Kind::WindowUpdate,
        9 => Kind::Continuation,
        _ => Kind::Other,
    }
}

/// The heads that were seen, by kind.
fn assert_seen(understood: &Understood, seen: &[u32]) {
    let mut right = vec![0; Kind::ALL.len()];
    for (number, frames) in understood.frames.iter().enumerate() {
        right[kind_of(number) as usize] += u32::try_from(*frames).unwrap();
    }
    let empty = u32::try_from(understood.empty).unwrap();
    right[Kind::Data as usize] -= empty;
    right[Kind::EmptyData as usize] += empty;
    assert_eq!(seen, right);
}

/// One input.
pub fn run(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let (Ok(proper), Ok(pieces), Ok(rooms)) = (
        input.arbitrary::<u8>(),
        input.arbitrary::<Cuts>(),
        input.arbitrary::<Cuts>(),
    ) else {
        return;
    };
    let mut sent = Vec::new();
    if proper > 10 {
        sent.extend(PREFACE);
    }
    for item in list::<Bytes>(&mut input, 200) {
        item.write(&mut sent);
        if sent.len() > SENT_BYTES_MAX {
            return;
        }
    }
    let understood = Understood::of(&sent);
    if understood.frames.iter().sum::<usize>() > FRAMES_MAX || understood.settings > SETTINGS_MAX {
        return;
    }
    frames(&sent, &understood, &rooms);
    bytes(&sent, &understood, &pieces, &rooms);
}

/// The frames that are found, with so many bytes there at a time.
fn frames(sent: &[u8], understood: &Understood, rooms: &Cuts) {
    let mut rooms = rooms.endless();
    let mut frames = Frames::new();
    let mut out: Vec<u8> = Vec::new();
    let mut start = 0_usize;
    loop {
        let there = rooms.next().unwrap().max(HEAD_BYTES);
        let there = &sent[start..sent.len().min(start.saturating_add(there))];
        let skipped = frames.skip(there);
        let passed = frames.pass_whole(&there[skipped..], rooms.next().unwrap());
        out.extend(&there[skipped..skipped + passed]);
        start += skipped + passed;
        if skipped + passed == 0 {
            break;
        }
    }
    out.extend(&sent[start..]);
    assert!(frames.rest() > 0 || sent.len() - start < HEAD_BYTES);
    assert!(out == understood.handed_on);
    assert_seen(understood, &frames.take_seen().frames);
}

/// The bytes that come out of the reader.
fn bytes(sent: &[u8], understood: &Understood, pieces: &Cuts, rooms: &Cuts) {
    let waits = Arc::<Flag>::default();
    let mut cuts = pieces.endless();
    let mut rest = sent;
    let mut arrives = Arrives {
        pieces: VecDeque::new(),
        waits: Arc::clone(&waits),
    };
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.len().min(cuts.next().unwrap()));
        arrives.pieces.push_back(piece.to_vec());
        rest = more;
    }
    let polls_max = 10 * (sent.len() + arrives.pieces.len()) + 100;
    let intake = Intake::new(&Backlog::new(), 1);
    let mut reader = Reader::new(arrives, &intake, &Scratch::new());
    let woken = Arc::<Flag>::default();
    let waker = Waker::from(Arc::clone(&woken));
    let mut rooms = rooms.endless();
    let mut out: Vec<u8> = Vec::new();
    let mut space = vec![0; sent.len().max(8192)];
    intake.begin_turn(&waker);
    for polls in 0.. {
        assert!(polls < polls_max, "it goes round and round");
        let room = rooms.next().unwrap().min(space.len());
        let mut buf = ReadBuf::new(&mut space[..room]);
        match Pin::new(&mut reader).poll_read(&mut Context::from_waker(&waker), &mut buf) {
            Poll::Ready(read) => {
                read.unwrap();
                if buf.filled().is_empty() {
                    break;
                }
                out.extend(buf.filled());
            }
            Poll::Pending => {
                assert!(buf.filled().is_empty(), "what was handed on would be lost");
                if intake.spent().is_some() {
                    // For SETTINGS that say they are long.
                    assert!(understood.handed_on.starts_with(&out));
                    return;
                }
                let [woken, waits] = [&woken, &waits].map(|flag| flag.take());
                assert!(woken || waits, "nobody will wake it");
                intake.begin_turn(&waker);
            }
        }
    }
    assert!(
        out == understood.handed_on,
        "{} of {} bytes",
        out.len(),
        understood.handed_on.len()
    );
}
