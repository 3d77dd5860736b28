//! No unary call holds a worker: whatever a message asks for, a poll of its connection takes little
//! CPU time. The CPU time of other threads does not count. The best of several tries counts,
//! because a busy machine has cold caches.

use std::time::Duration;

use crate::common::raw::{Raw, message};
use crate::common::{TestServer, number, numbers, pattern};
use bytes::Bytes;
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{ChecksumType, ComposeRequest, DigestBatchRequest, GetServerInfoRequest};
use prost::Message;
use tonic::Code;

/// CPU time that a poll may take in the test profile, which is several times slower than a release
/// build: there the bound is a millisecond. Before calls worked in pieces the largest messages took
/// tens of milliseconds.
const LIMIT: Duration = Duration::from_millis(4);

const TRIES: usize = 8;

const PARTS: usize = 10_000;

/// Runs `calls` on servers until in one try no poll was too long.
async fn no_poll_is_long<F: Future<Output = ()>>(what: &str, calls: impl Fn(Raw) -> F) {
    let mut longest = Vec::new();
    for _ in 0..TRIES {
        let server = TestServer::start(&[("workers", "1")]);
        let raw = Raw::tcp(server.grpc).await;
        calls(raw.clone()).await;
        let took = server.faults.take_longest_poll();
        assert!(!took.is_zero(), "polls are timed");
        longest.push(took);
        if took < LIMIT {
            return;
        }
    }
    panic!("{what}: {longest:?}");
}

/// So many calls at once whose messages end together, so that one turn has all of them.
async fn unary(raw: &mut Raw, method: &str, request: &impl Message, calls: usize) {
    let path = format!("/hashlane.v1.HashService/{method}");
    let body = message(0, &request.encode_to_vec());
    let (most, end) = body.split_at(body.len() - 1);
    let mut begun = Vec::new();
    for _ in 0..calls {
        let (response, mut sending) = raw.begin(&path, &[]).await;
        sending
            .send_data(Bytes::copy_from_slice(most), false)
            .unwrap();
        begun.push((response, sending));
    }
    // An answer to a call that came after them.
    let info = message(0, &GetServerInfoRequest {}.encode_to_vec());
    let path = "/hashlane.v1.HashService/GetServerInfo";
    let answer = raw.call(path, &[], &[info]).await;
    assert_eq!(answer.status.unwrap().code(), Code::Ok);
    for (_, sending) in &mut begun {
        sending
            .send_data(Bytes::copy_from_slice(end), true)
            .unwrap();
    }
    for (response, _) in begun {
        let answer = crate::common::raw::read(response).await;
        assert_eq!(answer.status.unwrap().code(), Code::Ok);
    }
}

fn compose(algorithm: Algorithm, checksum_type: ChecksumType) -> ComposeRequest {
    let digest_bytes = algorithm.digest_bytes();
    let is_whole = checksum_type == ChecksumType::FullObject;
    let lengths = (0..PARTS as u64).map(|part| u64::MAX - 0x9E37_79B9_7F4A * part);
    ComposeRequest {
        algorithm: number(algorithm),
        part_digests: (0..PARTS)
            .map(|part| pattern(digest_bytes, part).into())
            .collect(),
        checksum_type: checksum_type.into(),
        part_size_bytes: if is_whole {
            lengths.collect()
        } else {
            Vec::new()
        },
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compose_of_ten_thousand_parts() {
    for algorithm in [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme] {
        let request = compose(algorithm, ChecksumType::FullObject);
        no_poll_is_long(&format!("full object of {algorithm}"), |mut raw| {
            let request = &request;
            async move { unary(&mut raw, "Compose", request, 4).await }
        })
        .await;
    }
    for algorithm in [
        Algorithm::Md5,
        Algorithm::Sha1,
        Algorithm::Sha256,
        Algorithm::Sha512,
        Algorithm::Xxh128,
    ] {
        let request = compose(algorithm, ChecksumType::Composite);
        no_poll_is_long(&format!("composite of {algorithm}"), |mut raw| {
            let request = &request;
            async move { unary(&mut raw, "Compose", request, 4).await }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_of_many_blobs_and_digests() {
    for (blobs, bytes, digests) in [
        (PARTS, 0, 1),
        (PARTS, 400, 1),
        (7_000, 1, 28),
        (PARTS, 0, 20),
        (480, 8700, 28),
        (1, 4_000_000, 28),
    ] {
        let algorithms: Vec<_> = numbers().into_iter().rev().take(digests).collect();
        let request = DigestBatchRequest {
            algorithms,
            blobs: vec![vec![7; bytes].into(); blobs],
        };
        let what = format!("{blobs} blobs of {bytes} bytes, {digests} digests");
        no_poll_is_long(&what, |mut raw| {
            let request = &request;
            async move { unary(&mut raw, "DigestBatch", request, 1).await }
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn short_calls() {
    let info = GetServerInfoRequest {};
    no_poll_is_long("GetServerInfo", |mut raw| async move {
        unary(&mut raw, "GetServerInfo", &info, 64).await;
    })
    .await;
}
