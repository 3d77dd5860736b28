//! Received but unhashed data, and its parts.

use super::bounded_server::{Bounded, DIGEST, received, used};
use crate::common::frame_client::{
    ACK, DATA, PING, WINDOW_UPDATE, Wire, frame, headers, headers_of, initial_window,
};
use crate::common::h2_client::{Raw, message};
use crate::common::{Metrics, asking, digest, number};
use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::DigestRequest;
use prost::Message as _;
use tokio::net::TcpStream;

/// Open parts of every algorithm, each with one byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts() {
    for algorithm in Algorithm::all() {
        let bounded = Bounded::start(&["--parts-max=20000", "--parts-per-stream-max=20000"]).await;
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        let mut open = |part| {
            let request = DigestRequest {
                open: asking(vec![number(algorithm)]),
                ..digest(part, b"x", false)
            };
            let request = message(0, &request.encode_to_vec());
            sending.send_data(request, false).unwrap();
        };
        let used = |m: &Metrics| used(m, "parts");
        open(0);
        bounded.until("one is open", |m| used(m) > 0.0).await;
        let of_each = used(&bounded.server.metrics());
        let mut count = 1;
        while (count + 1) as f64 * of_each <= 20_000.0 {
            open(count);
            count += 1;
        }
        bounded
            .until("all are open", |m| used(m) == count as f64 * of_each)
            .await;
        let mut other = Raw::tcp(bounded.grpc()).await;
        let one = DigestRequest {
            open: asking(crate::common::numbers()),
            ..digest(1, b"x", false)
        };
        let one = [message(0, &one.encode_to_vec())];
        bounded
            .refuses(&mut other, DIGEST, &one, "SERVER_BUSY")
            .await;
        // A digest that takes little more than a KiB counts as two units.
        let least_mib = if of_each == 2.0 { 5.5 } else { 8.8 };
        let what = format!("{count} parts of {algorithm}");
        let rows = ["digests of open parts"];
        bounded.is_within(&what, &rows, bounded.taken(), least_mib);
        drop((response, sending));
    }
}

/// Messages of one byte, many in a frame: each byte is a chunk that waits for the engine. The bound
/// refuses nothing, but sockets are not read meanwhile. Without it these messages take 91 MiB.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunks() {
    const CONNECTIONS: usize = 8;
    let bounded =
        Bounded::start(&["--connections-max=8", "--receive-windows-bytes-max=8MiB"]).await;
    let one = message(0, &digest(1, b"x", false).encode_to_vec());
    let frame = one.repeat(64 * 1024 / one.len());
    let before = received(&bounded.server.metrics());
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut raw = Raw::tcp(bounded.grpc()).await;
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        for _ in 0..40 {
            sending.send_data(frame.clone().into(), false).unwrap();
        }
        open.push((raw, response, sending));
    }
    let sent = CONNECTIONS * 40 * frame.len();
    bounded.has_read(before, sent).await;
    let rows = ["chunks", "connections", "bytes read"];
    bounded.is_within("chunks", &rows, bounded.most_taken(), 1.5);
}

/// Frames of one byte, more than a connection has credit for. The connection is not refused, but
/// not read, and the bytes read with the last frame wait. http2_attacks.rs checks that it waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_ahead() {
    const CONNECTIONS: usize = 40;
    /// What a connection has credit for (http2/credit.rs). Time gives none back here, so that slow
    /// machines stop to read as well.
    const CREDIT: usize = 50_000;
    const FRAMES: usize = 70_000;
    let flags = ["--connections-max=40", "--http2-credit-per-second=1"];
    let bounded = Bounded::start(&flags).await;
    let message = message(0, &digest(1, &[7; FRAMES], true).encode_to_vec());
    let bytes: Vec<u8> = message
        .chunks(1)
        .take(FRAMES)
        .flat_map(|byte| frame(DATA, 0, 1, byte))
        .collect();
    let before = received(&bounded.server.metrics());
    let frame_bytes = bytes.len() / FRAMES;
    let bytes = Bytes::from([headers(1, 0, &[]), bytes].concat());
    let mut open = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut wire = Wire::connect(bounded.grpc()).await;
        let bytes = bytes.clone();
        open.spawn(async move {
            wire.send(&bytes).await;
            wire
        });
    }
    bounded
        .has_read(before, CONNECTIONS * CREDIT * frame_bytes)
        .await;
    let read = received(&bounded.server.metrics()) - before;
    assert!(read < (CONNECTIONS * bytes.len()) as f64, "all is read");
    let rows = ["bytes read", "chunks", "connections"];
    bounded.is_within("read ahead", &rows, bounded.most_taken(), 3.0);
}

/// Data before other fields.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_data() {
    const PIECE: usize = 100_000;
    const COUNT: usize = 320;
    let bounded = Bounded::start(&["--held-bytes-max=32000000"]).await;
    // `data`, and an incomplete field.
    let data = [&[0x7a, 0xa0, 0x8d, 6][..], &[7; PIECE], &[8, 1]].concat();
    let whole = message(0, &data);
    let begin = whole.slice(..whole.len() - 1);
    let before = received(&bounded.server.metrics());
    let mut raw = Raw::tcp(bounded.grpc()).await;
    let mut open = Vec::new();
    for _ in 0..COUNT {
        let (response, mut sending) = raw.begin(DIGEST, &[]).await;
        sending.send_data(begin.clone(), false).unwrap();
        open.push((response, sending));
    }
    bounded.has_read(before, COUNT * begin.len()).await;
    bounded
        .refuses(&mut raw, DIGEST, &[begin], "OUT_OF_ORDER_DATA_LIMIT")
        .await;
    bounded.is_within("held data", &["data held"], bounded.taken(), 18.9);
}

/// Small frames that no call reads, on streams with unread answers. The server merges them, so they
/// take only their bytes, which is too little to measure. That the bound is reached shows in the
/// window, which is not returned.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_frames_that_wait() {
    const FRAMES: usize = 40_000;
    const CONNECTIONS: usize = 4;
    let reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for path in [DIGEST, reflection] {
        let mut bounded = Bounded::start(&[
            "--connections-max=4",
            "--streams-max=4",
            "--receive-windows-bytes-max=8MiB",
        ])
        .await;
        let mut open = Vec::new();
        // Parts and names with more answers than the server reads ahead of a client.
        let first: Vec<u8> = match path {
            DIGEST => answered_parts(),
            _ => message(0, &[0x3a, 0]).repeat(50),
        };
        for _ in 0..CONNECTIONS {
            let mut wire = Wire::connect(bounded.grpc()).await;
            let call = [
                initial_window(0),
                headers_of(path, 1, 0, &[]),
                frame(DATA, 0, 1, &first),
            ];
            wire.send(&call.concat()).await;
            open.push(wire);
        }
        bounded.comes_to_rest(&mut open).await;
        bounded.before = bounded.server.resident_bytes();
        let before = received(&bounded.server.metrics());
        let begin = message(0, &[7; 16_000]);
        for wire in &mut open {
            for piece in 0..FRAMES / 1000 {
                let byte = |n| frame(DATA, 0, 1, &begin[n % 16_000..][..1]);
                let bytes: Vec<u8> = (0..1000).flat_map(|n| byte(piece * 1000 + n)).collect();
                wire.send(&bytes).await;
            }
            keeps_its_window(wire).await;
        }
        bounded.has_read(before, CONNECTIONS * FRAMES).await;
        let what = format!("small frames of {path}");
        let rows = ["bytes received", "calls", "connections"];
        bounded.is_within(&what, &rows, bounded.taken(), -1.0);
    }
}

/// Full windows, of streams with unread answers. Eight have 4 MiB each; all others, half of the
/// bound, would have 64 KiB each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn windows() {
    const CONNECTIONS: usize = 8;
    const WINDOW: usize = 4 << 20;
    for (frame_bytes, least_mib) in [(256, 19.0), (1000, 19.0), (16_000, 19.0)] {
        let mut bounded = Bounded::start(&[
            "--http2-connection-window-bytes=4MiB",
            "--http2-stream-window-bytes=4MiB",
            "--http2-connection-window-bytes-max=4MiB",
            "--receive-windows-bytes-max=64MiB",
            "--unread-bytes-max=1GiB",
        ])
        .await;
        let parts = answered_parts();
        let mut open = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut wire = Wire::connect(bounded.grpc()).await;
            let call = [
                initial_window(0),
                headers(1, 0, &[]),
                frame(DATA, 0, 1, &parts),
            ];
            wire.send(&call.concat()).await;
            open.push(wire);
        }
        bounded.comes_to_rest(&mut open).await;
        bounded.before = bounded.server.resident_bytes();
        let before = received(&bounded.server.metrics());
        let message = message(0, &digest(5000, &[7; 1 << 20], true).encode_to_vec());
        let bytes = message.repeat(4);
        // The parts' bytes may still use the window.
        let bytes = &bytes[..WINDOW - parts.len()];
        let frames: Vec<u8> = bytes
            .chunks(frame_bytes)
            .flat_map(|piece| frame(DATA, 0, 1, piece))
            .collect();
        for wire in &mut open {
            wire.send(&frames).await;
            keeps_its_window(wire).await;
        }
        bounded.has_read(before, CONNECTIONS * bytes.len()).await;
        let what = format!("windows in frames of {frame_bytes} bytes");
        bounded.is_within(&what, &["bytes received"], bounded.taken(), least_mib);
        // The small windows of the others.
        let mut others = Vec::new();
        for _ in 0..(32 << 20) / 65_535 {
            others.push(TcpStream::connect(bounded.grpc()).await.unwrap());
        }
        bounded.takes_no_more_connections().await;
    }
}

/// Parts with more answers than the server reads ahead of a client that does not read them.
fn answered_parts() -> Vec<u8> {
    let parts = 0..5000;
    let parts = parts.flat_map(|part| message(0, &digest(part, b"", true).encode_to_vec()));
    parts.collect()
}

/// Waits until the server has read everything, and checks that it returned no window except for the
/// earlier parts.
async fn keeps_its_window(wire: &mut Wire) {
    let parts = answered_parts().len();
    wire.send(&frame(PING, 0, 0, b"all read")).await;
    loop {
        let frame = wire.next().await.expect("closed");
        if frame.kind == WINDOW_UPDATE {
            assert!(frame.number() as usize <= parts, "{frame:?}");
        }
        if frame.kind == PING && frame.flags == ACK {
            return;
        }
    }
}
