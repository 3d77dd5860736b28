//! HTTP/2 alone: whatever bytes arrive, in whatever pieces, the same becomes of them, and every byte
//! of DATA takes its window from something that can give it back.

use arbitrary::Unstructured;
use bytes::Bytes as Received;
use hashlane_http2::{Code, Config, Connection, Event, Step};
use hashlane_http2_frames::PREFACE;
use http::{HeaderMap, StatusCode};

use crate::sent::{Bytes, Cuts, Understood, list};

/// More would take long, a byte at a time.
const SENT_BYTES_MAX: usize = 300_000;

const CONFIG: Config = Config {
    streams_max: 5,
    stream_window_bytes: 70_000,
    connection_window_bytes: 100_000,
    frame_bytes_max: 50_000,
    header_list_bytes_max: 1000,
};

/// What the caller learns. Pieces of one body are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Request(u32, http::Method, String, HeaderMap, bool),
    Data(u32, Vec<u8>, u32, bool),
    End(u32),
    Reset(u32, Code),
    WindowOpened(Option<u32>),
    Goaway(Code),
    Failed(Code),
}

/// What becomes of the bytes.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    told: Vec<Told>,
    output: Vec<u8>,
    seen: hashlane_http2::Seen,
    /// Bytes of windows that went to no stream, and those that are left.
    unclaimed: u32,
}

impl Outcome {
    fn tell(&mut self, told: Told) {
        if let Told::Data(stream, bytes, window, ends) = &told
            && let Some(Told::Data(last, before, taken, false)) = self.told.last_mut()
            && last == stream
        {
            before.extend(bytes);
            *taken += window;
            if *ends {
                let Some(Told::Data(.., ended)) = self.told.last_mut() else {
                    unreachable!();
                };
                *ended = true;
            }
            return;
        }
        self.told.push(told);
    }
}

/// Hands the bytes on in these pieces. A caller that answers every request at its end, and every
/// fourth at once.
fn play(sent: &[u8], cuts: impl Iterator<Item = usize>) -> Outcome {
    let mut connection = Connection::<u32>::new(CONFIG);
    let mut outcome = Outcome {
        told: Vec::new(),
        output: Vec::new(),
        seen: hashlane_http2::Seen::default(),
        unclaimed: 0,
    };
    let answer = |connection: &mut Connection<u32>, stream| {
        connection.send_headers(stream, StatusCode::OK, &HeaderMap::new(), false);
        let room = connection.send_room(stream).unwrap_or(0).min(3);
        connection.send_data(stream, &b"abc"[..room]);
        connection.send_trailers(stream, &HeaderMap::new());
        connection.abandon(stream);
    };
    let mut rest = Received::copy_from_slice(sent);
    'all: for cut in cuts {
        if rest.is_empty() {
            break;
        }
        let mut piece = rest.split_to(cut.min(rest.len()));
        loop {
            let before = piece.len();
            match connection.step(&mut piece) {
                Ok(Step::NeedMore) => break,
                Ok(Step::Frame) => {}
                Ok(Step::Event(event)) => {
                    let told = match event {
                        Event::Request {
                            stream,
                            request,
                            ends,
                        } => {
                            connection.accept(stream, stream);
                            if ends || stream % 8 == 1 {
                                answer(&mut connection, stream);
                            }
                            let (method, path) = (request.method, request.path);
                            Told::Request(stream, method, path, request.headers, ends)
                        }
                        Event::Data {
                            user,
                            bytes,
                            window_bytes,
                            ends,
                        } => {
                            assert!(bytes.len() <= window_bytes as usize);
                            if ends {
                                answer(&mut connection, user);
                            }
                            Told::Data(user, bytes.to_vec(), window_bytes, ends)
                        }
                        Event::End { user } => {
                            answer(&mut connection, user);
                            Told::End(user)
                        }
                        Event::Reset { user, code } => Told::Reset(user, code),
                        Event::WindowOpened { user } => Told::WindowOpened(user),
                        Event::Goaway { code } => Told::Goaway(code),
                        Event::Pong => unreachable!("nothing was asked"),
                    };
                    outcome.tell(told);
                }
                Err(code) => {
                    outcome.tell(Told::Failed(code));
                    break 'all;
                }
            }
            // Each step but the last takes something, or has just begun a frame.
            assert!(piece.len() < before || !piece.is_empty() || before == 0);
        }
        assert!(piece.is_empty(), "it waits for more of what is there");
    }
    outcome.unclaimed = connection.take_unclaimed();
    outcome.seen = connection.take_seen();
    outcome.output = connection.output().to_vec();
    outcome
}

/// One input.
pub fn run(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let (Ok(proper), Ok(cuts)) = (input.arbitrary::<u8>(), input.arbitrary::<Cuts>()) else {
        return;
    };
    let mut sent = Vec::new();
    if proper > 10 {
        sent.extend(PREFACE);
    }
    if proper > 20 {
        sent.extend(hashlane_http2_frames::settings(&[]));
    }
    for item in list::<Bytes>(&mut input, 200) {
        item.write(&mut sent);
        if sent.len() > SENT_BYTES_MAX {
            return;
        }
    }
    let whole = play(&sent, std::iter::once(usize::MAX));
    let pieces = play(&sent, cuts.endless());
    let has_failed = matches!(whole.told.last(), Some(Told::Failed(_)));
    assert_eq!(whole.told, pieces.told);
    assert_eq!(whole.output, pieces.output);
    assert_eq!(whole.seen, pieces.seen);
    assert_eq!(whole.unclaimed, pieces.unclaimed);
    let understood = Understood::of(&sent);
    if !has_failed && understood.at_a_frame {
        let taken: u32 = whole.told.iter().map(taken).sum();
        assert_eq!((taken + whole.unclaimed) as usize, understood.data_bytes);
    }
}

fn taken(told: &Told) -> u32 {
    match told {
        Told::Data(_, _, window_bytes, _) => *window_bytes,
        _ => 0,
    }
}
