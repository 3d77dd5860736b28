//! Hostile sessions: connections that break HTTP/2, gRPC or messages, stall, or vanish. The
//! server's answers are read for a while and ignored.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;

use hashlane_http2_frames::{call, flag, frame, kind, opening};
use hashlane_proto::v1::{DigestRequest, PartOptions};
use rand::rngs::SmallRng;
use rand::{Rng as _, RngCore as _};
use rustix::net::sockopt::set_socket_linger;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::world::World;
use super::world::{log_uniform, pause};
use crate::protocol::grpc::{self, DIGEST_PATH};

/// The address of hostile connections, so that honest ones from 127.0.0.1 are not limited for them.
const FROM: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Time for one session.
const SESSION_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a stalled session stays.
const STALL_MAX: Duration = Duration::from_secs(5);

/// Pauses of a slow session.
const PAUSE_MAX: Duration = Duration::from_millis(10);

/// Maximum of data bytes in a message, of garbage bytes, and of frames.
const DATA_BYTES_MAX: usize = 12_000;
const GARBAGE_BYTES_MAX: usize = 4096;
const FRAMES_MAX: usize = 40;
const PAYLOAD_BYTES_MAX: usize = 600;

/// The known frame types, and some unknown ones.
const KINDS: u8 = 12;

/// Makes the bytes of a session.
type Bytes = fn(&mut SmallRng) -> Vec<u8>;

/// All kinds, by their name in the report.
const BROKEN: [(&str, Bytes); 7] = [
    ("sessions: garbage", |rng| garbage(rng, GARBAGE_BYTES_MAX)),
    ("sessions: half a preface", |rng| {
        let mut bytes = opening();
        bytes.truncate(rng.random_range(0..bytes.len()));
        bytes
    }),
    ("sessions: broken frames", |rng| {
        let mut bytes = open_call();
        for _ in 0..log_uniform(rng, 1, FRAMES_MAX) {
            bytes.extend(any_frame(rng));
        }
        bytes
    }),
    ("sessions: broken headers", |rng| {
        let block = garbage(rng, PAYLOAD_BYTES_MAX);
        [
            opening(),
            frame(kind::HEADERS, flag::END_HEADERS, 1, &block),
        ]
        .concat()
    }),
    ("sessions: broken messages", |rng| {
        let message = garbage(rng, PAYLOAD_BYTES_MAX);
        let length = if rng.random() {
            u32::try_from(message.len()).expect("600 at most")
        } else {
            rng.random()
        };
        let prefix = [
            &[u8::from(rng.random_ratio(1, 8))][..],
            &length.to_be_bytes(),
        ]
        .concat();
        [
            open_call(),
            frame(kind::DATA, 0, 1, &[prefix, message].concat()),
        ]
        .concat()
    }),
    ("sessions: cut in a frame", |rng| {
        let mut bytes = [open_call(), part(rng)].concat();
        bytes.truncate(rng.random_range(0..bytes.len()));
        bytes
    }),
    ("sessions: cut in a part", |rng| {
        let mut bytes = open_call();
        for _ in 0..rng.random_range(1..4) {
            bytes.extend(part(rng));
        }
        bytes
    }),
];

/// One session of a random kind, with a random end.
pub(super) async fn session(world: &Rc<World>, rng: &mut SmallRng) {
    let (name, bytes) = BROKEN[rng.random_range(0..BROKEN.len())];
    let bytes = bytes(rng);
    world.count(name);
    // The server decides how it ends.
    let _ = tokio::time::timeout(SESSION_TIMEOUT, connection(world, rng, &bytes)).await;
}

async fn connection(world: &World, rng: &mut SmallRng, bytes: &[u8]) -> io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((FROM, 0)))?;
    let mut socket = socket.connect(world.server).await?;
    if rng.random_ratio(1, 8) {
        world.count("hostile: slow");
        for piece in bytes.chunks(log_uniform(rng, bytes.len() / 64 + 1, bytes.len() + 1)) {
            socket.write_all(piece).await?;
            pause(rng, PAUSE_MAX).await;
        }
    } else {
        socket.write_all(bytes).await?;
    }
    match rng.random_range(0..8) {
        0..3 => {
            world.count("hostile: reset");
            pause(rng, PAUSE_MAX).await;
            // Closing now resets the connection (tcp(7), SO_LINGER).
            set_socket_linger(&socket, Some(Duration::ZERO))?;
        }
        3..5 => {
            world.count("hostile: half closed");
            socket.shutdown().await?;
            read_out(&mut socket).await?;
        }
        5..7 => {
            world.count("hostile: closed");
            pause(rng, PAUSE_MAX).await;
        }
        _ => {
            world.count("hostile: stalled");
            let stay = rng.random_range(Duration::ZERO..=STALL_MAX);
            // The connection may end earlier.
            let _ = tokio::time::timeout(stay, read_out(&mut socket)).await;
        }
    }
    Ok(())
}

async fn read_out(socket: &mut TcpStream) -> io::Result<()> {
    let mut buffer = [0; 4096];
    while socket.read(&mut buffer).await? > 0 {}
    Ok(())
}

fn garbage(rng: &mut SmallRng, bytes_max: usize) -> Vec<u8> {
    let mut bytes = vec![0; log_uniform(rng, 1, bytes_max)];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// A connection with one call of Digest.
fn open_call() -> Vec<u8> {
    [opening(), call(DIGEST_PATH, 1, 0, &[])].concat()
}

/// A frame of any type, with any flags, of a stream that may be open.
fn any_frame(rng: &mut SmallRng) -> Vec<u8> {
    let payload = garbage(rng, PAYLOAD_BYTES_MAX);
    let stream = if rng.random_ratio(3, 4) {
        rng.random_range(0..6)
    } else {
        rng.random()
    };
    frame(rng.random_range(0..KINDS), rng.random(), stream, &payload)
}

/// A message of an unfinished part, in a frame.
fn part(rng: &mut SmallRng) -> Vec<u8> {
    let algorithms: [i32; 3] = std::array::from_fn(|_| rng.random_range(1..=28));
    let message = DigestRequest {
        part: rng.random(),
        open: Some(PartOptions {
            algorithms: algorithms.into(),
            size_bytes: None,
        }),
        data: garbage(rng, DATA_BYTES_MAX).into(),
        last: false,
        memory: None,
    };
    frame(kind::DATA, 0, 1, &grpc::frame(&message))
}
