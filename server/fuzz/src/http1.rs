//! A connection of HTTP/1.1, against hyper alone: the same requests are understood, with the same
//! bodies, and in the same order, however the bytes arrive. When the client is gone nothing is left.

use std::cell::RefCell;
use std::convert::Infallible;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Waker};

use arbitrary::{Arbitrary, Unstructured};
use bytes::Bytes;
use hashlane_engine::encoding::Encoding;
use hashlane_engine::{Algorithm, Hasher};
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;

use crate::connection::{FIXED, FuzzedConnection};
use crate::pipe::{Flag, Pipe};
use crate::sent::list;

/// Pieces of what a client sends.
#[derive(Arbitrary, Debug)]
enum Piece {
    /// A request's first line, and fields by number.
    Head {
        line: u8,
        fields: Vec<u8>,
    },
    Field {
        field: u8,
    },
    EndOfHead,
    Chunk {
        bytes: Vec<u8>,
    },
    LastChunk,
    Bytes {
        bytes: Vec<u8>,
    },
}

const LINES: [&str; 8] = [
    "PUT /v1/digest HTTP/1.1",
    "PUT /v1/digest HTTP/1.1",
    "PUT /v1/digest HTTP/1.0",
    "PUT http://x/v1/digest HTTP/1.1",
    "GET /v1/digest HTTP/1.1",
    "PUT /other HTTP/1.1",
    "PUT  /v1/digest HTTP/1.1",
    "PUT /v1/digest",
];

/// Many of them are read differently by different servers (RFC 9112, section 11.2).
const FIELDS: [&str; 20] = [
    "host: x",
    "content-length: 0",
    "content-length: 5",
    "content-length: 70",
    "content-length: 5, 5",
    "content-length: +5",
    "content-length: 99999999999999999999",
    "content-length:5 ",
    "content-length : 5",
    "transfer-encoding: chunked",
    "transfer-encoding: chunked, chunked",
    "transfer-encoding: gzip, chunked",
    "transfer-encoding: identity",
    "transfer-encoding:\tchunked",
    "Transfer-Encoding: CHUNKED",
    "connection: close",
    "connection: keep-alive",
    "expect: 100-continue",
    " folded: 1",
    "trailer: x",
];

/// Bytes of an input, so that it takes milliseconds.
const SENT_BYTES_MAX: usize = 64 << 10;

impl Piece {
    fn write(&self, to: &mut Vec<u8>) {
        let pick = |list: &[&'static str], at: u8| list[usize::from(at) % list.len()];
        match self {
            Self::Head { line, fields } => {
                to.extend(pick(&LINES, *line).as_bytes());
                to.extend(b"\r\n");
                for field in fields.iter().take(4) {
                    to.extend(pick(&FIELDS, *field).as_bytes());
                    to.extend(b"\r\n");
                }
                to.extend(b"\r\n");
            }
            Self::Field { field } => {
                to.extend(pick(&FIELDS, *field).as_bytes());
                to.extend(b"\r\n");
            }
            Self::EndOfHead => to.extend(b"\r\n"),
            Self::Chunk { bytes } => {
                to.extend(format!("{:x}\r\n", bytes.len()).as_bytes());
                to.extend(bytes);
                to.extend(b"\r\n");
            }
            Self::LastChunk => to.extend(b"0\r\n\r\n"),
            Self::Bytes { bytes } => to.extend(bytes),
        }
    }
}

/// One input.
pub fn run(input: &[u8]) {
    let mut input = Unstructured::new(input);
    let Ok((read_max, choppy)) = input.arbitrary::<(u8, bool)>() else {
        return;
    };
    let mut sent = Vec::new();
    for piece in list::<Piece>(&mut input, 40) {
        piece.write(&mut sent);
    }
    sent.truncate(SENT_BYTES_MAX);
    // What the connection is told by.
    if !sent.starts_with(b"PUT ") && !sent.starts_with(b"GET ") {
        return;
    }
    FIXED.with(|fixed| {
        let (settings, services) = &fixed.settings[0];
        let server = FuzzedConnection::start(settings, services, &fixed.crossover);
        let read_max = if read_max > 200 {
            usize::MAX
        } else {
            usize::from(read_max)
        };
        fixed
            .runtime
            .block_on(play(server, &sent, read_max, choppy));
    });
}

async fn play(mut server: FuzzedConnection, sent: &[u8], read_max: usize, choppy: bool) {
    let pipe = server.pipe.clone();
    pipe.chop(read_max, choppy);
    pipe.send(sent);
    server.settle().await;
    pipe.close();
    server.settle().await;
    pipe.take(usize::MAX);
    let found = responses(&pipe.said());
    let expected = alone(sent);
    let goes_on = |response: &&(u16, String)| response.0 == 200;
    for (place, response) in found.iter().take_while(goes_on).enumerate() {
        assert_eq!(
            Some(response),
            expected.get(place),
            "{}",
            sent.escape_ascii()
        );
    }
    pipe.cut();
    server.settle().await;
    server.is_clean();
}

/// The status and the SHA-256 of each response.
fn responses(mut said: &[u8]) -> Vec<(u16, String)> {
    let mut found = Vec::new();
    while let Some(end) = said.windows(4).position(|four| four == b"\r\n\r\n") {
        let head = std::str::from_utf8(&said[..end]).unwrap();
        said = &said[end + 4..];
        let status: u16 = head[9..12].parse().unwrap();
        let mut lines = head
            .lines()
            .filter_map(|line| line.strip_prefix("content-length: "));
        let length = lines.next().map_or(0, |length| length.parse().unwrap());
        let (body, rest) = said.split_at(usize::min(length, said.len()));
        said = rest;
        if status != 100 {
            let json = serde_json::from_slice::<serde_json::Value>(body).unwrap_or_default();
            let digest = json["digests"]["sha256"].as_str().unwrap_or_default();
            found.push((status, digest.to_owned()));
        }
    }
    found
}

/// What hyper understands.
fn alone(sent: &[u8]) -> Vec<(u16, String)> {
    let pipe = Pipe::new();
    pipe.send(sent);
    let understood = Rc::<RefCell<Vec<_>>>::default();
    let service = service_fn(|request: Request<Incoming>| {
        let understood = Rc::clone(&understood);
        async move {
            let is_put = request.method() == Method::PUT && request.uri().path() == "/v1/digest";
            let mut response = Response::new(Full::new(Bytes::new()));
            if !is_put {
                understood.borrow_mut().push((404, String::new()));
                *response.status_mut() = http::StatusCode::NOT_FOUND;
            } else if let Ok(body) = request.into_body().collect().await {
                let mut hasher = Hasher::new(Algorithm::Sha256);
                hasher.update(&body.to_bytes());
                let digest = hasher.finalize();
                let digest = Encoding::Hex.encode(Algorithm::Sha256, &digest).unwrap();
                understood.borrow_mut().push((200, digest));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let serving = http1::Builder::new().serve_connection(TokioIo::new(pipe.clone()), service);
    let mut serving = pin!(serving);
    let woken = Flag::woken();
    let waker = Waker::from(Arc::clone(&woken));
    for closes in [false, true] {
        // The client closes when nothing more happens, as in `play`.
        if closes {
            pipe.close();
        }
        while woken.take() {
            let polled = serving.as_mut().poll(&mut Context::from_waker(&waker));
            pipe.take(usize::MAX);
            if polled.is_ready() {
                return understood.take();
            }
        }
    }
    understood.take()
}
