//! Parts: digests and verdicts of real bytes over real connections.

use std::collections::HashMap;

use crate::common::{
    Metrics, TestServer, all, asking, assert_refused, digest, digests, expected_digests, numbers,
    open_digest, pattern, sha256, sized, verdicts, verify,
};
use hashlane_engine::{Family, Kernel};
use hashlane_proto::v1::{Algorithm, AlgorithmDigest, DigestRequest, Verdict, VerifyRequest};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tonic::{Code, Status};

fn refusal<T: std::fmt::Debug>(result: Result<Vec<T>, Status>) -> Status {
    result.unwrap_err()
}

/// Cuts `data` into chunks whose lengths `next` returns.
fn chunks(part: u64, data: &[u8], mut next: impl FnMut() -> usize) -> Vec<DigestRequest> {
    let mut requests = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let (chunk, tail) = rest.split_at(next().clamp(1, rest.len()));
        requests.push(digest(part, chunk, false));
        rest = tail;
    }
    requests
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_parts_of_mixed_lengths_at_once() {
    let server = TestServer::start(&[]);
    let mut clients = Vec::new();
    for _ in 0..4 {
        clients.push(server.client().await);
    }
    let mut rng = SmallRng::seed_from_u64(64);
    let tasks: Vec<_> = (0..64)
        .map(|i: usize| {
            let mut client = clients[i % clients.len()].clone();
            let len = match i % 8 {
                0 => i / 8,
                1 => 64 * (i / 8) + 55 + i % 3,
                2..=5 => rng.random_range(1..100_000),
                _ => rng.random_range(100_000..1_500_000),
            };
            let data = pattern(len, i);
            let mut rng = SmallRng::seed_from_u64(i as u64);
            tokio::spawn(async move {
                let mut requests = chunks(0, &data, || rng.random_range(1..70_000));
                requests.push(digest(0, &[], true));
                let answers = client.digest(tokio_stream::iter(requests)).await.unwrap();
                let answers = all(answers.into_inner()).await.unwrap();
                assert_eq!(answers.len(), 1);
                assert_eq!(answers[0].size_bytes, data.len() as u64);
                assert_eq!(answers[0].digests[0].digest, sha256(&data), "length {len}");
                data.len() as u64
            })
        })
        .collect();
    let mut total = 0;
    for task in tasks {
        total += task.await.unwrap();
    }
    let metrics = server
        .until("all parts counted", |metrics| {
            metrics.sum("hashlane_parts_total", &[("outcome", "digest")]) == 64.0
        })
        .await;
    #[allow(clippy::cast_precision_loss)]
    let total = total as f64;
    assert_eq!(metrics.sum("hashlane_hashed_bytes_total", &[]), total);
    assert_eq!(metrics.sum("hashlane_part_bytes_sum", &[]), total);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_parts_interleaved_on_one_stream() {
    let server = TestServer::start(&[]);
    let mut rng = SmallRng::seed_from_u64(7);
    let mut data = HashMap::new();
    let mut requests: Vec<Vec<DigestRequest>> = Vec::new();
    for part in 0..100_u64 {
        let bytes = pattern(rng.random_range(0..20_000), usize::try_from(part).unwrap());
        let mut own = chunks(part, &bytes, || rng.random_range(1..3000));
        // Two thirds of the parts end with `last`, the rest with the stream.
        if part % 3 > 0 || own.is_empty() {
            own.push(digest(part, &[], true));
        }
        own.reverse();
        requests.push(own);
        data.insert(part, bytes);
    }
    let mut mixed = Vec::new();
    while !requests.is_empty() {
        let pick = rng.random_range(0..requests.len());
        match requests[pick].pop() {
            Some(request) => mixed.push(request),
            None => drop(requests.swap_remove(pick)),
        }
    }
    let answers = digests(&server, mixed).await.unwrap();
    assert_eq!(answers.len(), 100);
    for answer in answers {
        let bytes = data.remove(&answer.part).unwrap();
        assert_eq!(answer.error, None);
        assert_eq!(answer.size_bytes, bytes.len() as u64);
        assert_eq!(answer.digests[0].algorithm, i32::from(Algorithm::Sha256));
        assert_eq!(answer.digests[0].digest, sha256(&bytes));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_parts_and_empty_streams() {
    let server = TestServer::start(&[]);
    let answers = digests(&server, vec![digest(0, &[], false)]).await.unwrap();
    assert_eq!(answers[0].digests[0].digest, sha256(&[]));
    assert_eq!(answers[0].size_bytes, 0);

    // A client that reads an empty file in a loop sends no message.
    let answers = digests(&server, Vec::new()).await.unwrap();
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0].part, answers[0].size_bytes), (0, 0));
    assert_eq!(answers[0].digests[0].digest, sha256(&[]));
    let answers = verdicts(&server, Vec::new()).await.unwrap();
    assert_eq!(answers.len(), 1);
    let error = answers[0].error.as_ref().unwrap();
    assert_eq!(error.reason, "NO_EXPECTED_DIGEST");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chunks_of_one_byte() {
    let server = TestServer::start(&[]);
    let data = pattern(1500, 3);
    let answers = digests(&server, chunks(9, &data, || 1)).await.unwrap();
    assert_eq!(answers[0].part, 9);
    assert_eq!(answers[0].digests[0].digest, sha256(&data));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_is_answered_as_soon_as_it_ends_and_its_number_is_free_again() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    let (sender, mut answers) = open_digest(&mut client).await;
    for round in 0..3 {
        let data = pattern(5000 + round, round);
        sender.send(digest(4, &data, false)).await.unwrap();
        sender.send(digest(4, b"end", true)).await.unwrap();
        let answer = answers.message().await.unwrap().unwrap();
        assert_eq!(
            answer.digests[0].digest,
            sha256(&[&data, &b"end"[..]].concat())
        );
    }
    drop(sender);
    assert_eq!(answers.message().await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verdicts_with_the_digest_early_and_late() {
    let server = TestServer::start(&[]);
    let data = pattern(100_000, 1);
    let right = sha256(&data);
    let mut wrong = right.clone();
    wrong[31] ^= 1;
    let (a, b) = data.split_at(30_000);
    let requests = vec![
        verify(0, a, Some(&right), false),
        verify(1, a, None, false),
        verify(2, a, Some(&wrong), false),
        verify(3, a, None, false),
        verify(0, b, None, true),
        verify(1, b, None, false),
        verify(2, b, None, true),
        verify(1, &[], Some(&right), true),
        verify(3, b, Some(&wrong), false),
    ];
    let answers = verdicts(&server, requests).await.unwrap();
    assert_eq!(answers.len(), 4);
    for answer in answers {
        let expected = if answer.part < 2 { &right } else { &wrong };
        let verdict = if answer.part < 2 {
            Verdict::Match
        } else {
            Verdict::Mismatch
        };
        assert_eq!(answer.error, None);
        assert_eq!(answer.verdict(), verdict);
        assert_eq!(answer.verdicts.len(), 1);
        assert_eq!(answer.verdicts[0].verdict(), verdict);
        assert_eq!(answer.verdicts[0].expected, *expected);
        assert_eq!(answer.verdicts[0].computed, right);
    }
    let metrics = server.metrics();
    for outcome in ["match", "mismatch"] {
        let labels = [("rpc", "Verify"), ("outcome", outcome)];
        assert_eq!(metrics.sum("hashlane_parts_total", &labels), 2.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_part_fault_leaves_the_other_parts_alone() {
    let changes = [("part_bytes_max", "1000")];
    let server = TestServer::start(&changes);
    let good = pattern(900, 1);
    let requests = vec![
        // Declared larger than allowed.
        sized(1, 1001, b"abc", false),
        digest(1, b"skipped", false),
        // Exceeds its declared length.
        sized(2, 4, b"abc", false),
        digest(2, b"de", false),
        digest(2, b"skipped", true),
        // Ends before its declared length.
        sized(3, 4, b"abc", true),
        // Exceeds the limit.
        digest(4, &pattern(600, 1), false),
        digest(4, &pattern(600, 1), false),
        // Exactly as declared.
        sized(5, 900, &good[..400], false),
        digest(5, &good[400..], true),
        // The number is free again, because the part's last message has arrived.
        digest(2, &good, true),
    ];
    let mut answers = digests(&server, requests).await.unwrap();
    answers.sort_by_key(|answer| (answer.part, answer.error.is_none()));
    let seen: Vec<_> = answers
        .iter()
        .map(|a| {
            let reason = a.error.as_ref().map(|e| (e.code, e.reason.as_str()));
            (a.part, reason.unwrap_or_default(), a.digests.len())
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, (8, "PART_TOO_LARGE"), 0),
            (2, (3, "SIZE_MISMATCH"), 0),
            (2, (0, ""), 1),
            (3, (3, "SIZE_MISMATCH"), 0),
            (4, (8, "PART_TOO_LARGE"), 0),
            (5, (0, ""), 1),
        ]
    );
    assert_eq!(answers[2].digests[0].digest, sha256(&good));
    assert_eq!(answers[5].digests[0].digest, sha256(&good));

    let answers = verdicts(&server, vec![verify(0, b"abc", None, true)]).await;
    let error = answers.unwrap()[0].error.clone().unwrap();
    assert_eq!(
        (error.code, error.reason.as_str()),
        (3, "NO_EXPECTED_DIGEST")
    );
    let idle = |m: &Metrics| m.sum("hashlane_open_jobs", &[]) == 0.0;
    server.until("jobs of failed parts are freed", idle).await;
}

/// A client that sees a part's error stops sending it, without `last`, and may reuse its number.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_begin_a_new_part_after_an_error() {
    let server = TestServer::start(&[]);
    let failing = |part| sized(part, 3, b"abcd", false);
    let requests = vec![
        failing(1),
        // In flight when the part failed.
        digest(1, b"skipped", false),
        sized(1, 3, b"xyz", true),
        failing(2),
        // A part that fails again.
        failing(2),
        digest(2, b"skipped", true),
        digest(2, b"abc", true),
    ];
    let answers = digests(&server, requests).await.unwrap();
    let seen = |reason: &str| {
        let of_reason = answers.iter().filter(|answer| match &answer.error {
            Some(error) => error.reason == reason,
            None => reason.is_empty(),
        });
        of_reason.cloned().collect::<Vec<_>>()
    };
    assert_eq!(seen("SIZE_MISMATCH").len(), 3);
    let mut right: Vec<_> = seen("")
        .iter()
        .map(|a| a.digests[0].digest.to_vec())
        .collect();
    right.sort_unstable();
    let mut expected = vec![sha256(b"xyz"), sha256(b"abc")];
    expected.sort_unstable();
    assert_eq!(right, expected);
    let metrics = server.metrics();
    assert_eq!(metrics.sum("hashlane_open_jobs", &[]), 0.0);
}

/// One part of a gateway's stream has an expected digest of the wrong length.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expected_digest_of_the_wrong_length_ends_its_part_alone() {
    let server = TestServer::start(&[]);
    let right = sha256(b"abc");
    let requests = vec![
        verify(1, b"ab", None, false),
        verify(2, b"abc", Some(&right[..31]), true),
        verify(1, b"c", Some(&right), true),
        verify(3, b"abc", Some(&[]), true),
    ];
    let mut answers = verdicts(&server, requests).await.unwrap();
    answers.sort_by_key(|answer| answer.part);
    let reason = |part: usize| answers[part - 1].error.as_ref().map(|e| e.reason.as_str());
    assert_eq!(answers[0].verdict(), Verdict::Match);
    assert_eq!(reason(2), Some("DIGEST_LENGTH"));
    assert_eq!(reason(3), Some("DIGEST_LENGTH"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_fault_ends_the_stream_and_says_why() {
    let changes = [
        ("parts_per_stream_max", "3"),
        ("message_bytes_max", "64KiB"),
    ];
    let server = TestServer::start(&changes);
    let check = |requests, code, reason: &'static str| {
        let server = &server;
        async move { assert_refused(&refusal(digests(server, requests).await), code, reason) }
    };
    let with = |open| DigestRequest {
        open,
        ..digest(0, b"x", false)
    };
    let invalid = Code::InvalidArgument;
    check(
        vec![with(asking(vec![77]))],
        invalid,
        "UNSUPPORTED_ALGORITHM",
    )
    .await;
    check(
        vec![with(asking(vec![0]))],
        invalid,
        "UNSUPPORTED_ALGORITHM",
    )
    .await;
    check(
        vec![with(asking(vec![1, 1]))],
        invalid,
        "DUPLICATE_ALGORITHM",
    )
    .await;
    let late = vec![with(None), with(asking(vec![1]))];
    check(late, invalid, "OPEN_NOT_FIRST").await;
    let many = (0..4).map(|part| digest(part, b"x", false)).collect();
    check(many, Code::ResourceExhausted, "TOO_MANY_PARTS").await;
    let large = vec![digest(0, &[0; 70_000], false)];
    check(large, Code::ResourceExhausted, "MESSAGE_TOO_LARGE").await;

    let digest_of = |bytes: &[u8], algorithm| AlgorithmDigest {
        algorithm,
        digest: bytes.to_vec().into(),
    };
    for (expected, reason) in [
        (vec![digest_of(&[0; 32], 99)], "UNSUPPORTED_ALGORITHM"),
        (
            vec![digest_of(&[0; 32], 1), digest_of(&[0; 32], 0)],
            "DUPLICATE_ALGORITHM",
        ),
    ] {
        let request = VerifyRequest {
            expected,
            ..verify(0, b"x", None, false)
        };
        let status = refusal(verdicts(&server, vec![request]).await);
        assert_refused(&status, invalid, reason);
    }
    let idle = |m: &Metrics| m.sum("hashlane_open_jobs", &[]) == 0.0;
    server
        .until("jobs of refused streams are freed", idle)
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_before_a_refusal_are_delivered() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    let requests = vec![
        sized(1, 1, b"abc", true),
        digest(2, b"x", false),
        sized(2, 5, b"x", false),
    ];
    let answers = client.digest(tokio_stream::iter(requests)).await.unwrap();
    let mut answers = answers.into_inner();
    let first = answers.message().await.unwrap().unwrap();
    assert_eq!(first.error.unwrap().reason, "SIZE_MISMATCH");
    let status = answers.message().await.unwrap_err();
    assert_refused(&status, Code::InvalidArgument, "OPEN_NOT_FIRST");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_of_hashing_gives_the_digest() {
    let data = pattern(300_001, 5);
    let expected = expected_digests(&data);
    let request = |data: &[u8], last| DigestRequest {
        open: asking(numbers()),
        ..digest(0, data, last)
    };
    // Each kernel of a family in turn, with all families at once.
    let available = |family: Family| Kernel::of(family).filter(|kernel| kernel.is_available());
    let most = Family::ALL.map(|family| available(family).count());
    let kernels = (0..most.into_iter().max().unwrap()).map(|turn| {
        let names = Family::ALL.map(|family| available(family).cycle().nth(turn).unwrap());
        ("kernel", names.map(|kernel| kernel.to_string()).join(","))
    });
    for (name, value) in kernels.chain([("hashing", "inline".to_owned())]) {
        let server = TestServer::start(&[(name, &value)]);
        let mut requests = vec![request(&data[..8191], false)];
        requests.extend(chunks(0, &data[8191..], || 8191));
        let answers = digests(&server, requests).await.unwrap();
        assert_eq!(answers[0].digests, expected, "{value}");
    }
    let server = TestServer::start(&[("hashing", "sink")]);
    let answers = digests(&server, vec![request(b"abc", true)]).await.unwrap();
    assert_eq!(answers[0].digests.len(), expected.len());
    for (zero, expected) in answers[0].digests.iter().zip(&expected) {
        assert_eq!(zero.algorithm, expected.algorithm);
        assert_eq!(zero.digest, vec![0; expected.digest.len()]);
    }
    let request = verify(0, b"abc", Some(&sha256(b"abc")), true);
    let answers = verdicts(&server, vec![request]).await.unwrap();
    assert_eq!(answers[0].verdict(), Verdict::Mismatch);
}
