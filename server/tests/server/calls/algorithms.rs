//! Parts that request other digests than a single SHA-256, over real connections.

use crate::common::{
    Metrics, TestServer, asking, assert_refused_field, digest, digests, expected_digest,
    expected_digests, number, numbers, pattern, verdicts, verify,
};
use hashlane_engine::Algorithm;
use hashlane_proto::v1::{
    AlgorithmDigest, DigestRequest, PartOptions, Verdict, VerifyRequest, VerifyResponse,
};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_part_gets_all_digests_in_the_order_it_asked() {
    let server = TestServer::start(&[]);
    for (len, chunk_bytes) in [(0, 1), (1, 1), (200, 7), (200_000, 4093), (300_000, 65_536)] {
        let data = pattern(len, 2);
        let mut algorithms = numbers();
        algorithms.reverse();
        let mut requests = vec![DigestRequest {
            open: asking(algorithms),
            ..digest(1, &[], false)
        }];
        requests.extend(data.chunks(chunk_bytes).map(|c| digest(1, c, false)));
        let answers = digests(&server, requests).await.unwrap();
        let mut expected = expected_digests(&data);
        expected.reverse();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].digests, expected, "length {len}");
        assert_eq!(answers[0].size_bytes, len as u64);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_parts_of_many_mixtures_on_one_stream() {
    let server = TestServer::start(&[]);
    let mut rng = SmallRng::seed_from_u64(9);
    let mut data: Vec<Vec<u8>> = Vec::new();
    let mut asked: Vec<Vec<Algorithm>> = Vec::new();
    for part in 0..60 {
        data.push(pattern(rng.random_range(0..30_000), part));
        let algorithms = Algorithm::all().filter(|_| rng.random_bool(0.3));
        asked.push(algorithms.collect());
    }
    let opening = |part: usize| DigestRequest {
        open: asking(asked[part].iter().map(|a| number(*a)).collect()),
        ..digest(part as u64, &[], false)
    };
    let mut requests: Vec<_> = (0..data.len()).map(opening).collect();
    // Round robin; each part ends with its last byte.
    for round in 0..30 {
        for (part, data) in data.iter().enumerate() {
            if let Some(chunk) = data.chunks(1021).nth(round) {
                let last = data.len() <= (round + 1) * 1021;
                requests.push(digest(part as u64, chunk, last));
            }
        }
    }
    let answers = digests(&server, requests).await.unwrap();
    assert_eq!(answers.len(), data.len());
    for answer in answers {
        let part = usize::try_from(answer.part).unwrap();
        let algorithms = match &asked[part][..] {
            [] => &[Algorithm::Sha256],
            some => some,
        };
        let expected = algorithms.iter().map(|a| expected_digest(*a, &data[part]));
        assert_eq!(answer.digests, expected.collect::<Vec<_>>());
    }
    let idle = |m: &Metrics| {
        m.sum("hashlane_open_jobs", &[]) == 0.0 && m.sum("hashlane_buffered_bytes", &[]) == 0.0
    };
    server.until("everything is hashed", idle).await;
}

/// A part with these expected digests, in a single message.
fn expecting(part: u64, data: &[u8], expected: Vec<AlgorithmDigest>) -> VerifyRequest {
    VerifyRequest {
        expected,
        ..verify(part, data, None, true)
    }
}

fn outcomes(answer: &VerifyResponse) -> Vec<Verdict> {
    answer.verdicts.iter().map(|v| v.verdict()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_digests_are_compared_each_for_itself() {
    let server = TestServer::start(&[]);
    let data = pattern(50_000, 4);
    let right = expected_digests(&data);
    let mut one_wrong = right.clone();
    let mut bytes = one_wrong[3].digest.to_vec();
    bytes[0] ^= 1;
    one_wrong[3].digest = bytes.into();
    let (first, second) = data.split_at(20_000);
    let opened = |algorithms| VerifyRequest {
        open: asking(algorithms),
        ..verify(2, first, None, false)
    };
    let requests = vec![
        // Computed because `expected` names them.
        expecting(0, &data, right.clone()),
        expecting(1, &data, one_wrong.clone()),
        // Named first; some of them expected at the end.
        opened(numbers()),
        expecting(2, second, vec![right[5].clone(), right[0].clone()]),
    ];
    let mut answers = verdicts(&server, requests).await.unwrap();
    answers.sort_by_key(|answer| answer.part);
    let [all, wrong, late] = &answers[..] else {
        panic!("{answers:?}");
    };
    assert_eq!(all.verdict(), Verdict::Match);
    assert_eq!(outcomes(all), vec![Verdict::Match; right.len()]);

    assert_eq!(wrong.verdict(), Verdict::Mismatch);
    for (place, verdict) in wrong.verdicts.iter().enumerate() {
        let expected = if place == 3 {
            Verdict::Mismatch
        } else {
            Verdict::Match
        };
        assert_eq!(verdict.verdict(), expected);
        assert_eq!(verdict.algorithm, right[place].algorithm);
        assert_eq!(verdict.expected, one_wrong[place].digest);
        assert_eq!(verdict.computed, right[place].digest);
    }

    assert_eq!(late.verdict(), Verdict::Match);
    let compared: Vec<_> = late.verdicts.iter().map(|v| v.algorithm).collect();
    assert_eq!(compared, [right[5].algorithm, right[0].algorithm]);
}

/// SHA-256 is computed only if a part names no digest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_is_expected_is_computed() {
    let server = TestServer::start(&[]);
    let data = pattern(10_000, 6);
    let md5 = expected_digest(Algorithm::Md5, &data);
    let sha256 = expected_digest(Algorithm::Sha256, &data);
    let hashed = |algorithm: &str| {
        let labels = [("algorithm", algorithm)];
        server.metrics().sum("hashlane_hashed_bytes_total", &labels)
    };
    let sized = |size_bytes| {
        let mut request = expecting(2, &data, vec![md5.clone()]);
        request.open = Some(PartOptions {
            algorithms: Vec::new(),
            size_bytes: Some(size_bytes),
        });
        request
    };
    let requests = vec![
        expecting(1, &data, vec![md5.clone()]),
        sized(data.len() as u64),
    ];
    let answers = verdicts(&server, requests).await.unwrap();
    assert!(answers.iter().all(|a| outcomes(a) == [Verdict::Match]));
    assert_eq!([hashed("md5"), hashed("sha256")], [20_000.0, 0.0]);

    // A digest that is expected later must be named first.
    let mut early = expecting(1, &data, vec![md5.clone()]);
    early.last = false;
    let late = expecting(1, b"", vec![sha256.clone()]);
    let status = verdicts(&server, vec![early, late.clone()]).await;
    let status = status.unwrap_err();
    assert_refused_field(
        &status,
        "ALGORITHM_NOT_OPENED",
        "expected.algorithm",
        &["sha256"],
    );
    let requests = vec![verify(1, &data, None, false), late];
    let answers = verdicts(&server, requests).await.unwrap();
    assert_eq!(outcomes(&answers[0]), [Verdict::Match]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expected_digest_of_the_wrong_length_ends_its_part_alone() {
    let server = TestServer::start(&[]);
    let data = pattern(10_000, 6);
    let sha256 = expected_digest(Algorithm::Sha256, &data);
    let md5 = expected_digest(Algorithm::Md5, &data);
    let mut long = md5.clone();
    long.digest = [&md5.digest[..], &[0]].concat().into();
    let empty = AlgorithmDigest {
        digest: Vec::new().into(),
        ..sha256.clone()
    };
    let mut early = expecting(0, &data[..5000], vec![sha256.clone(), long.clone()]);
    early.last = false;
    let mut opened = verify(3, &data, None, false);
    opened.open = asking(vec![number(Algorithm::Md5)]);
    let requests = vec![
        early,
        expecting(1, &data, vec![md5.clone()]),
        // The rest of the part is skipped.
        verify(0, &data[5000..], None, true),
        expecting(2, &data, vec![empty]),
        // The number is free again.
        expecting(0, &data, vec![sha256.clone()]),
        opened,
        expecting(3, &[], vec![long]),
    ];
    let mut answers = verdicts(&server, requests).await.unwrap();
    answers.sort_by_key(|answer| (answer.part, answer.error.is_none()));
    let errors: Vec<_> = answers
        .iter()
        .map(|answer| {
            let error = answer.error.as_ref();
            let error = error.map(|e| (e.code, e.reason.as_str(), e.message.as_str()));
            (answer.part, answer.verdict(), error)
        })
        .collect();
    let refused = |message| Some((3, "DIGEST_LENGTH", message));
    let none = Verdict::Unspecified;
    assert_eq!(
        errors,
        [
            (
                0,
                none,
                refused("expected[1].digest: a digest of md5 has 16 bytes, not 17")
            ),
            (0, Verdict::Match, None),
            (1, Verdict::Match, None),
            (
                2,
                none,
                refused("expected[0].digest: a digest of sha256 has 32 bytes, not 0")
            ),
            (
                3,
                none,
                refused("expected[0].digest: a digest of md5 has 16 bytes, not 17")
            ),
        ]
    );
    let idle = |m: &Metrics| m.sum("hashlane_open_jobs", &[]) == 0.0;
    server.until("jobs of failed parts are freed", idle).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_names_the_field_the_number_and_what_is_known() {
    let server = TestServer::start(&[]);
    for (algorithms, reason, place, words) in [
        (
            vec![6, 99],
            "UNSUPPORTED_ALGORITHM",
            "open.algorithms[1]",
            &["99", "1 sha256, 2 sha224", "6 md5"][..],
        ),
        (
            vec![0],
            "UNSUPPORTED_ALGORITHM",
            "open.algorithms[0]",
            &[" 0,", "1 sha256"],
        ),
        (
            vec![-7],
            "UNSUPPORTED_ALGORITHM",
            "open.algorithms[0]",
            &["-7"],
        ),
        (
            vec![1, 6, 7, 6],
            "DUPLICATE_ALGORITHM",
            "open.algorithms[3]",
            &["6 (md5)"],
        ),
        (
            vec![1; 100],
            "DUPLICATE_ALGORITHM",
            "open.algorithms",
            &["100"],
        ),
    ] {
        let open = || {
            Some(PartOptions {
                algorithms: algorithms.clone(),
                size_bytes: Some(1),
            })
        };
        let request = DigestRequest {
            open: open(),
            ..digest(0, b"x", true)
        };
        let status = digests(&server, vec![request]).await.unwrap_err();
        let words = [&[place], words].concat();
        assert_refused_field(&status, reason, "open.algorithms", &words);
        let request = VerifyRequest {
            open: open(),
            ..verify(0, b"x", None, true)
        };
        let status = verdicts(&server, vec![request]).await.unwrap_err();
        assert_refused_field(&status, reason, "open.algorithms", &words);
    }

    let md5 = expected_digest(Algorithm::Md5, b"xx");
    let sha1 = expected_digest(Algorithm::Sha1, b"xx");
    let unknown = AlgorithmDigest {
        algorithm: 99,
        ..md5.clone()
    };
    let verify = |part, expected: &[&AlgorithmDigest]| VerifyRequest {
        last: false,
        ..expecting(part, b"x", expected.iter().copied().cloned().collect())
    };
    let first = verify(0, &[&md5]);
    for (requests, reason, place) in [
        (
            vec![verify(0, &[&md5, &unknown])],
            "UNSUPPORTED_ALGORITHM",
            1,
        ),
        (
            vec![first.clone(), verify(0, &[&unknown])],
            "UNSUPPORTED_ALGORITHM",
            0,
        ),
        (
            vec![verify(0, &[&md5, &sha1, &md5])],
            "DUPLICATE_ALGORITHM",
            2,
        ),
        (
            vec![first.clone(), verify(0, &[&md5])],
            "DUPLICATE_ALGORITHM",
            0,
        ),
        (vec![first, verify(0, &[&sha1])], "ALGORITHM_NOT_OPENED", 0),
    ] {
        let status = verdicts(&server, requests).await.unwrap_err();
        let field = if reason == "DUPLICATE_ALGORITHM" {
            "expected"
        } else {
            "expected.algorithm"
        };
        let place = format!("expected[{place}].algorithm");
        assert_refused_field(&status, reason, field, &[&place]);
    }
    let idle = |m: &Metrics| m.sum("hashlane_open_jobs", &[]) == 0.0;
    server
        .until("jobs of refused streams are freed", idle)
        .await;
}
