//! Compose: the values that S3 gives multipart uploads.

use crate::common::h2_client::{Raw, message};
use crate::common::program::Running;
use crate::common::{TestServer, assert_refused, assert_refused_field, expected_digest, number};
use bytes::Bytes;
use hashlane_engine::{Algorithm, Hasher};
use hashlane_proto::v1::{ChecksumType, ComposeRequest, Verdict};
use tonic::Code;

/// Three parts of 5 MiB of `A`, `B` and `C`.
fn request(algorithm: Algorithm) -> ComposeRequest {
    let parts = b"ABC".map(|byte| expected_digest(algorithm, &vec![byte; 5 << 20]).digest);
    ComposeRequest {
        algorithm: number(algorithm),
        part_digests: parts.to_vec(),
        ..ComposeRequest::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn composites_are_those_of_s3() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    // The first value is from S3, the others from Python's hashlib and zlib.
    for (algorithm, composite) in [
        (
            Algorithm::Sha256,
            "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3",
        ),
        (Algorithm::Md5, "sq3ZbMlwK79O+wzN/Gt3Rw==-3"),
        (Algorithm::Sha1, "sizjvY4eud3MrcHdZM3cQ/ol39o=-3"),
        (Algorithm::Crc32, "Z+ry2Q==-3"),
    ] {
        let request = request(algorithm);
        let concatenated = expected_digest(algorithm, &request.part_digests.concat());
        let answer = client.compose(request).await.unwrap().into_inner();
        assert_eq!(answer.composite, composite);
        assert_eq!(answer.digest, concatenated.digest);
        let hex: String = answer.digest.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(answer.hex, hex + "-3");
        assert_eq!(answer.verdict(), Verdict::Unspecified);
    }
    // The default is SHA-256.
    let unnamed = ComposeRequest {
        algorithm: 0,
        ..request(Algorithm::Sha256)
    };
    let named = client.compose(request(Algorithm::Sha256)).await.unwrap();
    let unnamed = client.compose(unnamed).await.unwrap();
    assert_eq!(unnamed.into_inner(), named.into_inner());

    let many = ComposeRequest {
        part_digests: vec![vec![7; 32].into(); 10_000],
        ..request(Algorithm::Sha256)
    };
    let answer = client.compose(many).await.unwrap().into_inner();
    assert!(answer.composite.ends_with("-10000"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_of_whole_objects_are_combined() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    let parts = [vec![1_u8; 70_000], Vec::new(), vec![2; 3], vec![3; 123_456]];
    for algorithm in [Algorithm::Crc32, Algorithm::Crc32c, Algorithm::Crc64Nvme] {
        let digests = parts.iter().map(|p| expected_digest(algorithm, p).digest);
        let mut whole = Hasher::new(algorithm);
        parts.iter().for_each(|part| whole.update(part));
        let whole = whole.finalize();
        let request = ComposeRequest {
            algorithm: number(algorithm),
            part_digests: digests.collect(),
            expected: whole.to_string(),
            checksum_type: ChecksumType::FullObject.into(),
            part_size_bytes: parts.iter().map(|part| part.len() as u64).collect(),
        };
        let answer = client.compose(request.clone()).await.unwrap().into_inner();
        assert_eq!(answer.digest, whole[..]);
        assert_eq!(answer.hex, whole.to_string());
        assert!(!answer.composite.contains('-'), "{}", answer.composite);
        assert_eq!(answer.verdict(), Verdict::Match);
        // The first length does not matter, because no part precedes it.
        let mut other = request;
        other.part_size_bytes[2] += 1;
        let answer = client.compose(other).await.unwrap().into_inner();
        assert_eq!(answer.verdict(), Verdict::Mismatch);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expected_value_is_read_as_people_write_it() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    let request = request(Algorithm::Md5);
    for (expected, verdict) in [
        ("b2add96cc9702bbf4efb0ccdfc6b7747-3", Verdict::Match),
        ("\"b2add96cc9702bbf4efb0ccdfc6b7747-3\"", Verdict::Match),
        ("B2ADD96CC9702BBF4EFB0CCDFC6B7747", Verdict::Match),
        ("sq3ZbMlwK79O+wzN/Gt3Rw==-3", Verdict::Match),
        ("sq3ZbMlwK79O+wzN/Gt3Rw==", Verdict::Match),
        ("b2add96cc9702bbf4efb0ccdfc6b7747-4", Verdict::Mismatch),
        ("b2add96cc9702bbf4efb0ccdfc6b7748-3", Verdict::Mismatch),
        ("", Verdict::Unspecified),
    ] {
        let request = ComposeRequest {
            expected: expected.to_owned(),
            ..request.clone()
        };
        let answer = client.compose(request).await.unwrap().into_inner();
        assert_eq!(answer.verdict(), verdict, "{expected:?}");
    }
    for malformed in [
        " ",
        "b2add96cc9702bbf4efb0ccdfc6b774-3",
        "b2add96cc9702bbf4efb0ccdfc6b7747-0",
        "b2add96cc9702bbf4efb0ccdfc6b7747-10001",
        "\"b2add96cc9702bbf4efb0ccdfc6b7747-3",
        "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3",
        "no value at all",
    ] {
        let request = ComposeRequest {
            expected: malformed.to_owned(),
            ..request.clone()
        };
        let status = client.compose(request).await.unwrap_err();
        assert_refused_field(&status, "MALFORMED_EXPECTED", "expected", &["md5"]);
        // The value is from the client, so the message must not repeat it.
        assert!(malformed == " " || !status.message().contains(malformed));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_are_checked_as_s3_does() {
    let server = TestServer::start(&[]);
    let mut client = server.client().await;
    let of = |algorithm, part_digests: Vec<Vec<u8>>, sizes: &[u64], checksum_type| ComposeRequest {
        algorithm,
        part_digests: part_digests.into_iter().map(Into::into).collect(),
        part_size_bytes: sizes.to_vec(),
        checksum_type,
        ..ComposeRequest::default()
    };
    let crc64 = number(Algorithm::Crc64Nvme);
    let blake3 = number(Algorithm::Blake3);
    let crc32 = number(Algorithm::Crc32);
    let (composite, full_object) = (1, 2);
    let word = vec![1; 4];
    let bytes = |len| vec![1; len];
    for (request, reason, field, words) in [
        (
            of(1, vec![], &[], composite),
            "PART_COUNT",
            "part_digests",
            &["0 parts", "10000"][..],
        ),
        (
            of(1, vec![bytes(32); 10_001], &[], composite),
            "PART_COUNT",
            "part_digests",
            &["10000"],
        ),
        (
            of(6, vec![bytes(16), bytes(16), bytes(17)], &[], composite),
            "DIGEST_LENGTH",
            "part_digests[2]",
            &["md5", "16", "17"],
        ),
        (
            of(1, vec![bytes(32), vec![]], &[], composite),
            "DIGEST_LENGTH",
            "part_digests[1]",
            &["part_digests[1]"],
        ),
        (
            of(99, vec![bytes(32)], &[], composite),
            "UNSUPPORTED_ALGORITHM",
            "algorithm",
            &["99", "1 sha256"],
        ),
        (
            of(crc64, vec![bytes(8)], &[], composite),
            "UNSUPPORTED_CHECKSUM_TYPE",
            "algorithm",
            &["crc64nvme", "sha256"],
        ),
        (
            of(blake3, vec![bytes(32)], &[], composite),
            "UNSUPPORTED_CHECKSUM_TYPE",
            "algorithm",
            &["blake3"],
        ),
        (
            of(1, vec![bytes(32)], &[5], full_object),
            "UNSUPPORTED_CHECKSUM_TYPE",
            "algorithm",
            &["sha256", "crc32c"],
        ),
        (
            of(crc32, vec![word.clone(); 2], &[5], full_object),
            "PART_SIZES",
            "part_size_bytes",
            &["1", "2"],
        ),
        (
            of(crc32, vec![word.clone(); 2], &[], full_object),
            "PART_SIZES",
            "part_size_bytes",
            &["0", "2"],
        ),
        (
            of(crc32, vec![word.clone()], &[5], composite),
            "PART_SIZES",
            "part_size_bytes",
            &["FULL_OBJECT"],
        ),
        (
            of(crc32, vec![word, vec![1; 5]], &[1, 1], full_object),
            "DIGEST_LENGTH",
            "part_digests[1]",
            &["crc32", "4", "5"],
        ),
        (
            of(1, vec![bytes(32)], &[], 9),
            "UNSUPPORTED_CHECKSUM_TYPE",
            "checksum_type",
            &["9", "FULL_OBJECT"],
        ),
    ] {
        let status = client.compose(request).await.unwrap_err();
        assert_refused_field(&status, reason, field, words);
    }
}

/// An empty digest takes two bytes in the request and 32 in memory; a length takes one and eight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn digests_and_lengths_beyond_the_bound_take_no_memory() {
    let server = Running::start(&["--kernel=auto"]);
    let mut raw = Raw::tcp(server.grpc).await;
    let mut before = None;
    let digests = [0x12, 0].repeat(2 << 20);
    let lengths = [&[0x2a, 0xf0, 0xff, 0xff, 1][..], &vec![1; (4 << 20) - 16]].concat();
    for (body, code, reason) in [
        // The first message of its size allocates as much as all need.
        (
            vec![0xff; 4 << 20],
            Code::InvalidArgument,
            "MALFORMED_MESSAGE",
        ),
        (digests, Code::InvalidArgument, "PART_COUNT"),
        (lengths, Code::ResourceExhausted, "MESSAGE_HEAD_TOO_LARGE"),
    ] {
        let frames: Vec<_> = message(0, &body)
            .chunks(64 << 10)
            .map(Bytes::copy_from_slice)
            .collect();
        let path = "/hashlane.v1.HashService/Compose";
        let status = raw.call(path, &[], &frames).await.status.unwrap();
        assert_refused(&status, code, reason);
        before.get_or_insert_with(|| server.most_resident_bytes());
    }
    let taken = server.most_resident_bytes() - before.unwrap();
    assert!(taken < 16.0 * 1024.0 * 1024.0, "{taken} bytes");
}
