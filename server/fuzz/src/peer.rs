//! What a client does: calls, good and bad, and whatever else.

use arbitrary::Arbitrary;
use hashlane_http2_frames::flag::{END_HEADERS, END_STREAM};
use hashlane_http2_frames::kind::{DATA, HEADERS};
use hashlane_http2_frames::{frame, literal, reset, settings, window_update};
use hashlane_proto::v1::{
    AlgorithmDigest, DigestBatchRequest, DigestRequest, MemoryRange, PartOptions, VerifyRequest,
};
use prost::Message as _;

use crate::sent::{Bytes, filler};

const PATHS: [&str; 8] = [
    "/hashlane.v1.HashService/Digest",
    "/hashlane.v1.HashService/Verify",
    "/hashlane.v1.HashService/DigestBatch",
    "/hashlane.v1.HashService/Compose",
    "/hashlane.v1.HashService/GetServerInfo",
    "/grpc.health.v1.Health/Check",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/nothing/here",
];

/// The id of the memory that the client shares.
pub(crate) const REGION: [u8; 16] = [0xa5; 16];

fn hex(bytes: [u8; 16]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A gRPC message, or something like it.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum Message {
    Part {
        number: u8,
        algorithms: Vec<u8>,
        len: u16,
        last: bool,
        expected: Option<u8>,
    },
    Parts {
        count: u8,
    },
    Batch {
        count: u8,
        len: u8,
    },
    Prefix {
        flag: u8,
        len: u32,
    },
    Raw(Vec<u8>),
    Nothing,
    /// A part in shared memory.
    Range {
        number: u8,
        offset: u64,
        length: u32,
        last: bool,
        data: bool,
    },
}

impl Message {
    fn write(&self, verify: bool, out: &mut Vec<u8>) {
        let mut push = |message: Vec<u8>| {
            out.push(0);
            out.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
            out.extend(message);
        };
        match self {
            Self::Part {
                number,
                algorithms,
                len,
                last,
                expected,
            } => {
                let algorithms = algorithms.iter().take(20).map(|n| i32::from(n % 24));
                let algorithms: Vec<i32> = algorithms.collect();
                let open = (!algorithms.is_empty()).then_some(PartOptions {
                    algorithms,
                    size_bytes: None,
                });
                let (part, last, data) = (u64::from(*number), *last, filler((*len).into()).into());
                push(if verify {
                    let expected = expected.map(|n| AlgorithmDigest {
                        algorithm: i32::from(n % 24),
                        digest: filler(usize::from(n)).into(),
                    });
                    let expected = expected.into_iter().collect();
                    VerifyRequest {
                        part,
                        open,
                        expected,
                        last,
                        memory: None,
                        data,
                    }
                    .encode_to_vec()
                } else {
                    DigestRequest {
                        part,
                        open,
                        last,
                        memory: None,
                        data,
                    }
                    .encode_to_vec()
                });
            }
            Self::Parts { count } => {
                for part in 0..u64::from(*count) {
                    let request = DigestRequest {
                        part,
                        last: true,
                        ..DigestRequest::default()
                    };
                    push(request.encode_to_vec());
                }
            }
            Self::Batch { count, len } => {
                let blobs = vec![filler((*len).into()).into(); (*count).into()];
                push(
                    DigestBatchRequest {
                        algorithms: Vec::new(),
                        blobs,
                    }
                    .encode_to_vec(),
                );
            }
            Self::Prefix { flag, len } => {
                out.push(*flag);
                out.extend(len.to_be_bytes());
            }
            Self::Range {
                number,
                offset,
                length,
                last,
                data,
            } => {
                let request = DigestRequest {
                    part: (*number).into(),
                    last: *last,
                    memory: Some(MemoryRange {
                        // Most are near the memory, and some far from it.
                        offset: if number % 4 > 0 {
                            offset % 200_000
                        } else {
                            *offset
                        },
                        length: if number % 8 > 0 {
                            length % 100_000
                        } else {
                            *length
                        },
                    }),
                    data: filler(usize::from(*data && number % 2 > 0)).into(),
                    ..DigestRequest::default()
                };
                push(request.encode_to_vec());
            }
            Self::Raw(bytes) => out.extend(bytes),
            Self::Nothing => {}
        }
    }
}

/// What the client does next.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum Step {
    Sends(Bytes),
    Calls {
        what: u8,
        message: Message,
        end: bool,
    },
    SendsMore {
        stream: u8,
        message: Message,
        frame_bytes: u16,
        end: bool,
    },
    Sets {
        setting: u8,
        value: u32,
    },
    Opens {
        stream: u8,
        bytes: u32,
    },
    Resets {
        stream: u8,
    },
    /// The server has its turn.
    Waits,
    WaitsFor {
        milliseconds: u16,
    },
    /// The server reads pieces of this size.
    Chops {
        read_max: u8,
        choppy: bool,
    },
    /// There is room for so many of the server's bytes; 255: for all.
    Room {
        bytes: u8,
    },
    Reads {
        bytes: u16,
    },
    HalfCloses,
    Vanishes,
    Drains,
}

/// HEADERS of a call, in literals that no table keeps (RFC 7541 section 6.2.2).
fn headers(what: u8, flags: u8, stream: u32) -> Vec<u8> {
    // POST or GET, and http.
    let mut block = vec![if what >= 250 { 0x82 } else { 0x83 }, 0x86];
    let path = PATHS[usize::from(what) % PATHS.len()];
    let content = if what >= 240 {
        "text/plain"
    } else {
        "application/grpc"
    };
    let mut fields = vec![(":path", path), (":authority", "test"), ("te", "trailers")];
    fields.push(("content-type", content));
    if what % 16 == 9 {
        fields.push(("grpc-timeout", "3S"));
    }
    let id = hex(REGION);
    if what & 8 > 0 {
        fields.push((
            "hashlane-memory",
            if what & 32 > 0 { &id[1..] } else { &id },
        ));
    }
    if what % 64 == 33 {
        fields.push(("content-length", "5"));
    }
    for (name, value) in fields {
        literal(&mut block, name, value);
    }
    frame(HEADERS, END_HEADERS | flags, stream, &block)
}

/// The client's side of the connection.
pub(crate) struct Made {
    pub(crate) opened: Vec<(u32, u8)>,
}

impl Made {
    /// One of the streams that were opened last.
    fn stream(&self, back: u8) -> (u32, u8) {
        let back = usize::from(back) % self.opened.len().clamp(1, 8);
        self.opened
            .iter()
            .rev()
            .nth(back)
            .copied()
            .unwrap_or((1, 0))
    }

    /// The bytes of a step that sends.
    pub(crate) fn bytes(&mut self, step: &Step) -> Vec<u8> {
        let mut out = Vec::new();
        match step {
            Step::Sends(bytes) => bytes.write(&mut out),
            Step::Calls { what, message, end } => {
                let stream = self.opened.last().map_or(1, |(stream, _)| stream + 2);
                self.opened.push((stream, *what));
                let mut body = Vec::new();
                message.write(what % 8 == 1, &mut body);
                let flags = if *end { END_STREAM } else { 0 };
                if body.is_empty() {
                    out.extend(headers(*what, flags, stream));
                } else {
                    out.extend(headers(*what, 0, stream));
                    out.extend(frames(stream, &body, 16_384, *end));
                }
            }
            Step::SendsMore {
                stream,
                message,
                frame_bytes,
                end,
            } => {
                let (stream, what) = self.stream(*stream);
                let mut body = Vec::new();
                message.write(what % 8 == 1, &mut body);
                let frame_bytes = usize::from(*frame_bytes).clamp(body.len() / 500 + 1, 16_384);
                out.extend(frames(stream, &body, frame_bytes, *end));
            }
            Step::Sets { setting, value } => {
                out.extend(settings(&[(u16::from(setting % 10), *value)]));
            }
            Step::Opens { stream, bytes } => {
                let stream = if stream % 3 == 0 {
                    0
                } else {
                    self.stream(*stream).0
                };
                out.extend(window_update(stream, *bytes));
            }
            Step::Resets { stream } => {
                out.extend(reset(self.stream(*stream).0));
            }
            _ => {}
        }
        out
    }
}

/// A body in frames of this size; the last of them may end its stream.
fn frames(stream: u32, body: &[u8], frame_bytes: usize, end: bool) -> Vec<u8> {
    let mut pieces: Vec<&[u8]> = body.chunks(frame_bytes).collect();
    if pieces.is_empty() {
        pieces.push(&[]);
    }
    let last = pieces.len() - 1;
    let each = pieces.into_iter().enumerate();
    each.flat_map(|(at, piece)| {
        let flags = if end && at == last { END_STREAM } else { 0 };
        frame(DATA, flags, stream, piece)
    })
    .collect()
}
