//! A client's bytes: made up, and understood without the server's reader.

use std::collections::HashSet;

use arbitrary::{Arbitrary, Unstructured};
use hashlane_http2_frames::flag::{END_HEADERS, END_STREAM, PADDED};
use hashlane_http2_frames::kind::{
    CONTINUATION, DATA, HEADERS, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE,
};
use hashlane_http2_frames::{HEAD_BYTES, Head, PREFACE, frame, number_at};

/// The payload of a frame that is not worth bytes of the input.
const FILLER_BYTES_MAX: usize = 140_000;

/// Bytes that tell when some are lost or change places.
pub fn filler(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at % 251) as u8).collect()
}

/// Something of a client's, whatever it means.
#[derive(Arbitrary, Clone, Debug)]
pub enum Bytes {
    Raw(Vec<u8>),
    /// A frame, as long as it says.
    Frame {
        kind: u8,
        flags: u8,
        stream: u8,
        payload: Vec<u8>,
    },
    /// A frame with so much in it, or missing of it.
    Long {
        kind: u8,
        flags: u8,
        stream: u8,
        len: u32,
        missing: u8,
    },
    /// DATA with nothing in it, so many times.
    Empty {
        flags: u8,
        stream: u8,
        count: u8,
    },
    /// HEADERS whose block says nothing.
    Open {
        flags: u8,
        stream: u8,
    },
}

impl Bytes {
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Raw(bytes) => out.extend(bytes),
            Self::Frame {
                kind,
                flags,
                stream,
                payload,
            } => {
                // Most kinds are those that there are.
                let kind = if *kind < 250 { kind % 11 } else { *kind };
                out.extend(frame(kind, *flags, u32::from(*stream), payload));
            }
            Self::Long {
                kind,
                flags,
                stream,
                len,
                missing,
            } => {
                let len = *len as usize % FILLER_BYTES_MAX;
                let payload = filler(len);
                let all = frame(kind % 11, *flags, u32::from(*stream), &payload);
                let missing = usize::from(missing.saturating_sub(200));
                out.extend(&all[..all.len() - missing.min(all.len())]);
            }
            Self::Empty {
                flags,
                stream,
                count,
            } => {
                for _ in 0..=*count {
                    out.extend(frame(DATA, *flags, u32::from(*stream), &[]));
                }
            }
            Self::Open { flags, stream } => {
                out.extend(frame(HEADERS, *flags, u32::from(*stream), &[]));
            }
        }
    }
}

/// Numbers that are taken round and round.
#[derive(Arbitrary, Clone, Debug)]
pub struct Cuts(Vec<u8>);

impl Cuts {
    pub fn endless(&self) -> impl Iterator<Item = usize> + '_ {
        let cuts = if self.0.is_empty() {
            &[255][..]
        } else {
            &self.0
        };
        // Small ones matter, and large ones are quick.
        cuts.iter().cycle().map(|cut| match *cut {
            0..128 => usize::from(*cut) + 1,
            128..224 => usize::from(*cut - 127) * 150,
            _ => usize::MAX,
        })
    }
}

/// What a client's bytes say, frame by frame.
#[derive(Clone, Debug, Default)]
pub struct Understood {
    /// What h2 is to see: all but empty DATA that means nothing, of which it bears few.
    pub handed_on: Vec<u8>,
    /// Heads, by the number of their kind.
    pub frames: Vec<usize>,
    /// Heads of DATA without bytes or an end.
    pub empty: usize,
    /// What all DATA takes of windows, and the entries of all SETTINGS.
    pub data_bytes: usize,
    pub settings: usize,
    /// Frames of streams that the client had ended.
    pub after_end: bool,
    /// A stream was to depend on itself.
    pub depends_on_itself: bool,
    /// Windows that may pass their maximum.
    pub wide_windows: bool,
    /// Streams opened, and those ended but not reset.
    pub opened: HashSet<u32>,
    pub ended: HashSet<u32>,
    /// The last frame is whole, and no block of headers goes on.
    pub at_a_frame: bool,
}

impl Understood {
    pub fn of(sent: &[u8]) -> Self {
        let mut this = Self {
            frames: vec![0; 256],
            ..Self::default()
        };
        let (preface, mut rest) = sent.split_at(sent.len().min(PREFACE.len()));
        this.handed_on.extend(preface);
        let mut last = 0;
        let mut in_headers = false;
        let mut gone = HashSet::new();
        while let Some(head) = Head::decode_first(rest) {
            let Head {
                bytes: len,
                kind,
                flags,
                stream,
            } = head;
            let (whole, more) = rest.split_at(rest.len().min(HEAD_BYTES + len));
            let payload = &whole[HEAD_BYTES..];
            rest = more;
            this.frames[usize::from(kind)] += 1;
            let empty = kind == DATA && len == 0 && flags & END_STREAM == 0;
            this.empty += usize::from(empty);
            let opened = stream % 2 == 1 && stream <= last;
            if empty && flags & PADDED == 0 && opened && !in_headers {
                continue;
            }
            this.handed_on.extend(whole);
            // The server counts them by the head.
            this.settings += usize::from(kind == SETTINGS) * (len / 6);
            if payload.len() < len {
                this.at_a_frame = false;
                return this;
            }
            match kind {
                DATA | HEADERS => {
                    this.after_end |= gone.contains(&stream);
                    if kind == DATA {
                        this.data_bytes += len;
                    } else {
                        last = last.max(stream);
                        this.opened.insert(stream);
                    }
                    if flags & END_STREAM != 0 {
                        gone.insert(stream);
                        this.ended.insert(stream);
                    }
                }
                RST_STREAM => {
                    gone.insert(stream);
                    this.ended.remove(&stream);
                    this.opened.remove(&stream);
                }
                PRIORITY => {
                    let depends_on = number_at(payload, 0).map(|on| on & 0x7fff_ffff);
                    this.depends_on_itself |= depends_on == Some(stream);
                }
                SETTINGS => {
                    let entries = payload.chunks_exact(6);
                    let wide = |e: &[u8]| e[..2] == [0, 4] && e[2] >= 0x20;
                    this.wide_windows |= entries.into_iter().any(wide);
                }
                WINDOW_UPDATE => {
                    let bytes = number_at(payload, 0).unwrap_or(0);
                    this.wide_windows |= bytes & 0x7fff_ffff >= 0x2000_0000;
                }
                _ => {}
            }
            if let HEADERS | PUSH_PROMISE | CONTINUATION = kind {
                in_headers = flags & END_HEADERS == 0;
            }
        }
        this.handed_on.extend(rest);
        this.at_a_frame = rest.is_empty() && !in_headers && sent.len() >= PREFACE.len();
        this
    }
}

/// The rest of an input, as a list.
pub fn list<'a, T: Arbitrary<'a>>(input: &mut Unstructured<'a>, max: usize) -> Vec<T> {
    let items = std::iter::from_fn(|| (!input.is_empty()).then(|| T::arbitrary(input).ok())?);
    items.take(max).collect()
}
