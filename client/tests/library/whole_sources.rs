//! Whole sources and batches: what is sent, and what is made of the answers.

use bytes::Bytes;
use hashlane_client::{
    Algorithm, AlgorithmDigest, Error, MESSAGE_BYTES, PartOptions, Source, Verdict,
};
use tokio::io::AsyncReadExt as _;

use crate::support::{Behaviour, Seen};
use crate::{THREE, default, pattern, serve, sha256, three, until};

#[tokio::test]
async fn a_reader_is_digested_in_full_messages() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    for len in [
        0,
        1,
        MESSAGE_BYTES - 1,
        MESSAGE_BYTES,
        MESSAGE_BYTES + 1,
        1_000_003,
    ] {
        let data = pattern(len);
        // A source of short reads, which do not make short messages.
        let (first, second) = data.split_at(len / 3);
        let answer = client
            .digest(Source::reader(first.chain(second)), default())
            .await
            .unwrap();
        assert_eq!(*answer.digest(), sha256(&data), "{len}");
        assert_eq!(answer.size_bytes, len as u64);
        let mut sent = Vec::new();
        loop {
            match fake.seen().await {
                Seen::Began(_) => {}
                Seen::Data(bytes) => sent.push(bytes),
                Seen::HalfClosed => break,
                other => panic!("{other:?}"),
            }
        }
        let full = len / MESSAGE_BYTES;
        let all_full = sent[..full].iter().all(|bytes| *bytes == MESSAGE_BYTES);
        assert!(all_full && sent.len() <= full + 2, "{len}: {sent:?}");
    }
}

#[tokio::test]
async fn a_reader_is_verified() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let data = pattern(100_000);
    let expected = three(&data);
    let good = client
        .verify(Source::reader(&data[..]), &expected)
        .await
        .unwrap();
    assert!(good.is_match());
    assert_eq!((good.verdicts.len(), good.size_bytes), (3, 100_000));
    let bad = client
        .verify(Source::reader(&data[1..]), &expected)
        .await
        .unwrap();
    assert_eq!(bad.verdict, Verdict::Mismatch);
    let computed: Vec<_> = bad.verdicts.iter().map(|v| v.computed).collect();
    assert_eq!(computed, three(&data[1..]));
    assert!(bad.mismatches().eq(THREE));

    // One of several that differs is enough, and is named.
    let mut one = expected;
    one[2] = three(b"other")[2];
    let bad = client
        .verify(Source::reader(&data[..]), &one)
        .await
        .unwrap();
    assert!(!bad.is_match() && bad.mismatches().eq([Algorithm::Sha1]));
}

#[tokio::test]
async fn several_digests_come_in_the_order_they_were_asked_for() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let data = pattern(200_000);
    let answer = client
        .digest(Source::reader(&data[..]), THREE)
        .await
        .unwrap();
    assert_eq!(answer.digests, three(&data));
    assert_eq!(*answer.get(Algorithm::Sha256).unwrap(), sha256(&data));
    assert_eq!(answer.get(Algorithm::Crc32), None);
    // Sent once.
    assert_eq!(fake.end().await, Seen::HalfClosed);
    let answer = client.digest(data.clone(), THREE).await.unwrap();
    assert_eq!(answer.digests, three(&data));

    // Among parts of other algorithms, with lengths or without.
    let stream = client.open_stream();
    let mut lone = stream.part(Algorithm::Md5).await.unwrap();
    let options = PartOptions::from(THREE).with_size(3);
    let mut several = stream.part(options).await.unwrap();
    lone.write("abc").await.unwrap();
    several.write("abc").await.unwrap();
    let several = several.finish().await.unwrap().digests;
    assert_eq!(several, three(b"abc"));
    assert_eq!(lone.finish().await.unwrap().digests, several[..1]);
    stream.finish().await.unwrap();
}

#[tokio::test]
async fn digests_that_were_not_asked_for_are_not_believed() {
    let (_fake, client) = serve(Behaviour::Confuse).await;
    let answer = client.digest("abc", Algorithm::Md5).await.unwrap();
    assert_eq!(answer.digests, three(b"abc")[..1]);
    let error = client.digest("abc", THREE).await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn what_the_server_would_refuse_is_told_before() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let twice = [Algorithm::Md5, Algorithm::Md5];
    let [md5, sha256, _] = three(b"abc");
    let stream = client.open_verify_stream();
    let part = stream.part(Algorithm::Sha256).await.unwrap();
    let mut told = vec![client.digest("abc", twice).await.unwrap_err()];
    told.push(client.digest_batch(&[], twice).await.unwrap_err());
    told.push(
        client
            .verify(Source::reader(&b"abc"[..]), &[md5, md5])
            .await
            .unwrap_err(),
    );
    told.push(
        client
            .verify(Source::reader(&b"abc"[..]), &[])
            .await
            .unwrap_err(),
    );
    told.push(part.finish(&[sha256, md5]).await.unwrap_err());
    told.push(client.digest("abc", []).await.unwrap_err());
    told.push(client.digest_batch(&[], []).await.unwrap_err());
    told.push(client.multipart([]).unwrap_err());
    let sized = PartOptions::of_size(3);
    told.push(client.digest_batch(&[], sized).await.unwrap_err());
    let told: Vec<_> = told.iter().map(Error::to_string).collect();
    let none = "algorithms: none is named; PartOptions::default() is SHA-256";
    let expected = [
        "algorithms: md5 is named twice",
        "algorithms: md5 is named twice",
        "algorithms: md5 is named twice",
        "expected: there is no digest",
        "expected: md5 is not among the part's algorithms",
        none,
        none,
        none,
        "size_bytes: each blob of a batch has a length of its own",
    ];
    assert_eq!(told, expected);
    // The stream goes on.
    let mut part = stream.part(Algorithm::Sha256).await.unwrap();
    part.write("abc").await.unwrap();
    assert!(part.finish(&[sha256]).await.unwrap().is_match());
    stream.finish().await.unwrap();
}

#[tokio::test]
async fn a_verdict_that_contradicts_its_digests_is_not_believed() {
    let (_fake, client) = serve(Behaviour::Flatter).await;
    let error = client
        .verify(
            Source::reader(&b"abc"[..]),
            &[AlgorithmDigest::sha256([0; 32])],
        )
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn batches_keep_to_the_limits_and_the_order() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    // The service takes 1000 bytes and 10 blobs in a message.
    let mut blobs: Vec<Bytes> = (0..25).map(|i| pattern(i).into()).collect();
    blobs.push(pattern(5000).into());
    blobs.extend((0..3).map(|_| Bytes::from(pattern(400))));
    let digests = client.digest_batch(&blobs, default()).await.unwrap();
    let expected: Vec<_> = blobs
        .iter()
        .map(|blob| three(blob)[1..2].to_vec())
        .collect();
    assert_eq!(digests, expected);
    let seen = fake.seen_so_far();
    let batches: Vec<usize> = seen
        .iter()
        .filter_map(|seen| match seen {
            Seen::Batch(blobs) => Some(*blobs),
            _ => None,
        })
        .collect();
    assert_eq!(batches, [10, 10, 5, 2, 1]);
    assert!(
        seen.contains(&Seen::Data(5000)),
        "the long blob is streamed"
    );
    assert!(
        client
            .digest_batch(&[], default())
            .await
            .unwrap()
            .is_empty()
    );
    let digests = client.digest_batch(&blobs, THREE).await.unwrap();
    let expected: Vec<_> = blobs.iter().map(|blob| three(blob).to_vec()).collect();
    assert_eq!(digests, expected);
}

#[tokio::test]
async fn a_part_ends_with_its_last_bytes() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    for (len, messages) in [
        (0, vec![0]),
        (5, vec![5]),
        (MESSAGE_BYTES, vec![MESSAGE_BYTES]),
        (MESSAGE_BYTES + 1, vec![MESSAGE_BYTES, 1]),
        (2 * MESSAGE_BYTES, vec![MESSAGE_BYTES; 2]),
    ] {
        let data = pattern(len);
        let answer = client.digest(data.clone(), default()).await.unwrap();
        assert_eq!(*answer.digest(), sha256(&data), "{len}");
        let expected = [AlgorithmDigest::sha256(sha256(&data))];
        assert!(client.verify(data, &expected).await.unwrap().is_match());
        for _ in 0..2 {
            assert!(matches!(fake.seen().await, Seen::Began(_)));
            for bytes in &messages {
                assert_eq!(fake.seen().await, Seen::Data(*bytes), "{len}");
            }
            assert_eq!(fake.seen().await, Seen::HalfClosed);
        }
    }
}

#[tokio::test]
async fn a_file_that_is_truncated_while_it_is_read_has_no_digest() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let stream = client.open_stream();
    let expected = [AlgorithmDigest::sha256([0; 32])];
    for way in ["digest", "verify", "stream"] {
        // So long that it cannot be read to its end.
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        let begun = async {
            until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
            file.as_file().set_len(1000).unwrap();
        };
        let source = Source::file(file.path());
        let error = match way {
            "digest" => tokio::join!(client.digest(source, default()), begun)
                .0
                .unwrap_err(),
            "verify" => tokio::join!(client.verify(source, &expected), begun)
                .0
                .unwrap_err(),
            _ => tokio::join!(stream.digest(source, default()), begun)
                .0
                .unwrap_err(),
        };
        assert!(matches!(error, Error::Read(_)), "{way}: {error:?}");
        assert!(
            error.to_string().contains("became shorter"),
            "{way}: {error}"
        );
        if way != "stream" {
            assert_eq!(fake.end().await, Seen::Reset, "{way}");
        }
    }
    // The stream goes on.
    let answer = stream.digest("abc", default()).await.unwrap();
    assert_eq!(*answer.digest(), sha256(b"abc"));
}
