//! Lanes in this process: the same answers as a server's.

use std::future::Future as _;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Waker};

use bytes::Bytes;
use hashlane_client::{
    Algorithm, AlgorithmDigest, Client, Code, Error, MESSAGE_BYTES, ObjectParts, PartOptions,
    Source, Verdict,
};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use tokio::io::AsyncReadExt as _;

use crate::{of, pattern, sha256, three};

async fn embedded() -> Client {
    Client::connect("embedded:1").await.unwrap()
}

/// By another implementation, where there is one in a crate.
fn reference(algorithm: Algorithm, data: &[u8]) -> AlgorithmDigest {
    use crc_fast::CrcAlgorithm::{Crc32Iscsi, Crc32IsoHdlc, Crc64Nvme};
    let new = |bytes: &[u8]| AlgorithmDigest::new(algorithm, bytes).unwrap();
    let crc32 = |value: u64| new(&value.to_be_bytes()[4..]);
    match algorithm {
        Algorithm::Md5 => of::<Md5>(algorithm, data),
        Algorithm::Sha1 => of::<Sha1>(algorithm, data),
        Algorithm::Sha224 => of::<Sha224>(algorithm, data),
        Algorithm::Sha256 => of::<Sha256>(algorithm, data),
        Algorithm::Sha384 => of::<Sha384>(algorithm, data),
        Algorithm::Sha512 => of::<Sha512>(algorithm, data),
        Algorithm::Blake3 => new(blake3::hash(data).as_bytes()),
        Algorithm::Crc32 => crc32(crc_fast::checksum(Crc32IsoHdlc, data)),
        Algorithm::Crc32c => crc32(crc_fast::checksum(Crc32Iscsi, data)),
        Algorithm::Crc64nvme => new(&crc_fast::checksum(Crc64Nvme, data).to_be_bytes()),
        Algorithm::Xxhash64 => new(&twox_hash::XxHash64::oneshot(0, data).to_be_bytes()),
        Algorithm::Xxhash3 => new(&twox_hash::XxHash3_64::oneshot(data).to_be_bytes()),
        Algorithm::Xxhash128 => new(&twox_hash::XxHash3_128::oneshot(data).to_be_bytes()),
        // Tree modes: the engine's tests compare them with another implementation.
        tree => {
            let engine = tree.name().parse().unwrap();
            let mut hasher = hashlane_engine::Hasher::new(engine);
            hasher.update(data);
            new(&hasher.finalize())
        }
    }
}

#[tokio::test]
async fn every_algorithm_gives_the_digests_of_other_implementations() {
    let client = embedded().await;
    let all: Vec<_> = Algorithm::all().collect();
    for len in [0, 1, 63, MESSAGE_BYTES, MESSAGE_BYTES + 1, 1_000_003] {
        let data = pattern(len);
        let together = client.digest(&data, &all[..]).await.unwrap();
        let expected: Vec<_> = all.iter().map(|it| reference(*it, &data)).collect();
        assert_eq!(together.digests, expected, "{len}");
        assert_eq!(together.size_bytes, len as u64);
        assert!(client.verify(&data, &expected).await.unwrap().is_match());
        for (algorithm, expected) in all.iter().zip(expected) {
            let alone = client.digest(Bytes::from(data.clone()), *algorithm).await;
            assert_eq!(alone.unwrap().digests, [expected], "{len} {algorithm}");
        }
    }
    let info = client.server_info().await.unwrap();
    assert_eq!((info.algorithms.len(), info.workers), (all.len(), 1));
    let of_sha256 = &info.algorithms[0];
    assert_eq!(
        (of_sha256.name.as_str(), of_sha256.digest_bytes),
        ("sha256", 32)
    );
    assert!(of_sha256.kernels.contains(&"portable".to_owned()));
}

#[tokio::test]
async fn each_source_is_read_to_its_end() {
    let client = embedded().await;
    let data = pattern(3 * MESSAGE_BYTES + 7);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, &data).unwrap();
    let (first, second) = data.split_at(data.len() / 3);
    let items = data
        .chunks(1000)
        .map(|it| Ok::<_, std::io::Error>(it.to_vec()));
    for source in [
        Source::from(&data),
        Source::from(data.clone()),
        Source::file(file.path()),
        Source::reader(first.chain(second)),
        Source::stream(tokio_stream::iter(items)),
    ] {
        let answer = client
            .digest(source.sized(data.len() as u64), Algorithm::Sha256)
            .await;
        assert_eq!(*answer.unwrap().digest(), sha256(&data));
    }
    let fault = client
        .digest(Source::file("/does/not/exist"), Algorithm::Md5)
        .await;
    assert!(matches!(fault, Err(Error::Read(_))), "{fault:?}");
}

#[tokio::test]
async fn a_length_other_than_the_declared_one_is_a_server_s_error() {
    let client = embedded().await;
    let stream = client.open_stream();
    let mut long = stream.part(PartOptions::of_size(4)).await.unwrap();
    let mut short = stream.part(PartOptions::of_size(6)).await.unwrap();
    let mut right = stream.part(PartOptions::of_size(5)).await.unwrap();
    let told = long.write("fives").await.unwrap_err();
    assert_eq!(told.to_string(), long.failed().await.to_string());
    for part in [&mut short, &mut right] {
        part.write("fives").await.unwrap();
    }
    for (error, message) in [
        (told, "more bytes than the 4 declared"),
        (
            long.finish().await.unwrap_err(),
            "more bytes than the 4 declared",
        ),
        (
            short.finish().await.unwrap_err(),
            "ended after 5 of the 6 bytes declared",
        ),
    ] {
        assert!(matches!(error, Error::Part { .. }), "{error:?}");
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.reason(), Some("SIZE_MISMATCH"));
        assert!(error.to_string().starts_with(message), "{error}");
    }
    assert_eq!(*right.finish().await.unwrap().digest(), sha256(b"fives"));
    stream.finish().await.unwrap();
    let error = client
        .digest(Source::from("abc").sized(2), Algorithm::Md5)
        .await;
    assert_eq!(error.unwrap_err().reason(), Some("SIZE_MISMATCH"));
}

#[tokio::test]
async fn answers_come_although_nobody_awaits_them() {
    let client = Client::builder()
        .parts_max(2)
        .connect("embedded:")
        .await
        .unwrap();
    let stream = client.open_verify_stream();
    let mut answers = Vec::new();
    for n in 0..20 {
        // Waits for a slot, which an answer frees.
        let mut part = stream.part(Algorithm::Sha256).await.unwrap();
        part.write(pattern(n * 1000)).await.unwrap();
        answers.push(part.finish(&[AlgorithmDigest::sha256(sha256(&pattern(n * 1000)))]));
        drop(stream.part(Algorithm::Md5).await.unwrap());
    }
    stream.finish().await.unwrap();
    for answer in answers {
        let mut answer = std::pin::pin!(answer);
        let polled = answer
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_ready(), "the stream has ended");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_tasks_share_the_lanes() {
    let client = embedded().await;
    let stream = Arc::new(client.open_stream());
    let data = Bytes::from(pattern(2_000_000));
    let hash = |n: usize| {
        let (client, stream, data) = (client.clone(), Arc::clone(&stream), data.clone());
        tokio::spawn(async move {
            let piece = data.slice(n..data.len() - n * 1000);
            let expected = three(&piece);
            let algorithms = expected.map(|digest| digest.algorithm());
            let alone = client.digest(piece.clone(), algorithms).await.unwrap();
            assert_eq!(alone.digests, expected);
            let mut part = stream.part(algorithms).await.unwrap();
            for chunk in piece.chunks(1 + 10_007 * n) {
                part.write(chunk.to_vec()).await.unwrap();
            }
            assert_eq!(part.finish().await.unwrap().digests, expected);
        })
    };
    let tasks: Vec<_> = (0..32).map(hash).collect();
    for task in tasks {
        task.await.unwrap();
    }
    Arc::into_inner(stream).unwrap().finish().await.unwrap();
}

/// Bytes that tell when they are dropped.
struct Told(Vec<u8>, mpsc::Sender<usize>);

impl AsRef<[u8]> for Told {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.len());
    }
}

#[tokio::test]
async fn writes_wait_for_hashing_and_a_drop_frees_the_bytes() {
    const CHUNK: usize = 256 << 10;
    let client = embedded().await;
    let (tell, told) = mpsc::channel();
    let stream = client.open_stream();
    let mut part = stream.part(Algorithm::Sha512).await.unwrap();
    let mut held = 0;
    for _ in 0..200 {
        let chunk = Told(vec![7; CHUNK], tell.clone());
        part.write(Bytes::from_owner(chunk)).await.unwrap();
        held += CHUNK;
        held -= told.try_iter().sum::<usize>();
        // A worker may drop a chunk just after it has told that it was hashed.
        assert!(held <= (1 << 20) + 4 * CHUNK, "{held}");
    }
    drop(part);
    drop(tell);
    // Ends when the last chunk is dropped.
    assert_eq!(told.iter().sum::<usize>(), held);
    stream.finish().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_stream_ends_its_parts() {
    let client = embedded().await;
    let stream = client.open_stream();
    let mut part = stream.part(Algorithm::Md5).await.unwrap();
    part.write("abc").await.unwrap();
    let open = stream.finish().await.unwrap_err();
    assert_eq!(open.to_string(), "1 parts have not ended");
    let error = part.write("def").await.unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error:?}");
    let error = part.finish().await.unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error:?}");
}

#[tokio::test]
async fn batches_and_objects_are_computed() {
    let client = embedded().await;
    let blobs: Vec<Bytes> = (0..300).map(|n| pattern(n * 37 % 9000).into()).collect();
    let algorithms = three(b"").map(|digest| digest.algorithm());
    let digests = client.digest_batch(&blobs, algorithms).await.unwrap();
    let expected: Vec<_> = blobs.iter().map(|blob| three(blob).to_vec()).collect();
    assert_eq!(digests, expected);
    assert!(
        client
            .digest_batch(&[], algorithms)
            .await
            .unwrap()
            .is_empty()
    );

    let parts = [sha256(b"a"), sha256(b"b")];
    let composite = ObjectParts::composite(Algorithm::Sha256, parts);
    let value = client.compose(&composite).await.unwrap();
    assert_eq!(value.digest, sha256(&parts.concat()));
    for (expected, verdict) in [
        (value.hex, Verdict::Match),
        ("0".repeat(64), Verdict::Mismatch),
    ] {
        let compared = client.compose(&composite.clone().expecting(expected)).await;
        assert_eq!(compared.unwrap().verdict, Some(verdict));
    }
    let none: [[u8; 32]; 0] = [];
    for (asked, reason) in [
        (composite.expecting("other"), "MALFORMED_EXPECTED"),
        (
            ObjectParts::composite(Algorithm::Blake3, parts),
            "UNSUPPORTED_CHECKSUM_TYPE",
        ),
        (
            ObjectParts::full_object(Algorithm::Md5, [([0; 16], 1)]),
            "UNSUPPORTED_CHECKSUM_TYPE",
        ),
        (
            ObjectParts::composite(Algorithm::Md5, parts),
            "DIGEST_LENGTH",
        ),
        (
            ObjectParts::composite(Algorithm::Sha256, none),
            "PART_COUNT",
        ),
        (
            ObjectParts::composite(Algorithm::Sha256, vec![[0; 32]; 10_001]),
            "PART_COUNT",
        ),
    ] {
        let error = client.compose(&asked).await.unwrap_err();
        assert_eq!(
            (error.code(), error.reason()),
            (Code::InvalidArgument, Some(reason))
        );
    }
}

#[tokio::test]
async fn it_is_an_endpoint_alone_and_takes_the_settings_of_servers() {
    let builder = Client::builder().ca("roots").token("secret");
    builder.clone().connect("embedded:").await.unwrap();
    for endpoints in [["embedded:", "127.0.0.1:1"], ["127.0.0.1:1", "embedded:2"]] {
        let error = builder.clone().connect_all(endpoints).await.unwrap_err();
        assert!(
            matches!(&error, Error::Config(why) if why.contains("alone")),
            "{error:?}"
        );
    }
    let error = builder
        .connect("embedded:50051")
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("http://embedded:50051"), "{error}");
}

#[test]
fn lanes_of_this_process_need_no_timers() {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let client = embedded().await;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), pattern(1_000_000)).unwrap();
        for source in [Source::from(pattern(1_000_000)), Source::file(file.path())] {
            let answer = client.digest(source, Algorithm::Sha256).await.unwrap();
            assert_eq!(*answer.digest(), sha256(&pattern(1_000_000)));
        }
    });
}
