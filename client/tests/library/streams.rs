//! Many parts on one stream.

use hashlane_client::{Algorithm, AlgorithmDigest, Client, Code, Error, ObjectParts, PartOptions};

use crate::support::{Behaviour, Seen};
use crate::{default, pattern, serve, sha256, until};

#[tokio::test]
async fn parts_are_interleaved_and_answered_when_they_end() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let stream = client.open_stream();
    let data: Vec<Vec<u8>> = (0..40).map(|i| pattern(i * 5000 + i)).collect();
    let mut parts = Vec::new();
    for _ in &data {
        parts.push(stream.part(PartOptions::default()).await.unwrap());
    }
    let longest = data.last().unwrap().len();
    for offset in (0..longest).step_by(7000) {
        for (part, data) in parts.iter_mut().zip(&data) {
            let chunk = data.get(offset..data.len().min(offset + 7000));
            let chunk = chunk.unwrap_or_default().to_vec();
            part.write(chunk).await.unwrap();
        }
    }
    // From the last to the first, each answer before the next part ends.
    for (part, data) in parts.into_iter().zip(&data).rev() {
        let answer = part.finish().await.unwrap();
        assert_eq!(*answer.digest(), sha256(data));
        assert_eq!(answer.size_bytes, data.len() as u64);
    }
    stream.finish().await.unwrap();
    assert_eq!(fake.end().await, Seen::HalfClosed);
}

#[tokio::test]
async fn parts_of_one_stream_are_verified_with_digests_known_at_the_end() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let stream = client.open_verify_stream();
    let mut good = stream.part(PartOptions::of_size(3)).await.unwrap();
    let mut bad = stream.part(PartOptions::default()).await.unwrap();
    good.write("abc").await.unwrap();
    bad.write("abd").await.unwrap();
    let expected = [AlgorithmDigest::sha256(sha256(b"abc"))];
    let (good, bad) = (good.finish(&expected), bad.finish(&expected));
    stream.finish().await.unwrap();
    assert!(good.await.unwrap().is_match());
    assert!(!bad.await.unwrap().is_match());
}

#[tokio::test]
async fn a_fault_of_one_part_leaves_the_others_alone() {
    let (mut fake, client) = serve(Behaviour::PartBytesMax(1000)).await;
    let stream = client.open_stream();
    let mut large = stream.part(PartOptions::default()).await.unwrap();
    let mut small = stream.part(PartOptions::default()).await.unwrap();
    let mut wrong = stream.part(PartOptions::of_size(5)).await.unwrap();
    small.write(pattern(1000)).await.unwrap();
    wrong.write("four").await.unwrap();
    // The error comes while the part is still being written.
    let error = loop {
        if let Err(error) = large.write(pattern(1001)).await {
            break error;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(error.code(), Code::ResourceExhausted);
    assert_eq!(error.reason(), Some("PART_TOO_LARGE"));
    // And again if the digest is requested all the same.
    let again = large.finish().await.unwrap_err();
    assert_eq!(again.reason(), Some("PART_TOO_LARGE"));
    let error = wrong.finish().await.unwrap_err();
    assert_eq!(error.reason(), Some("SIZE_MISMATCH"));
    assert_eq!(
        *small.finish().await.unwrap().digest(),
        sha256(&pattern(1000))
    );
    stream.finish().await.unwrap();
    assert_eq!(fake.end().await, Seen::HalfClosed);
}

#[tokio::test]
async fn a_dropped_part_is_given_up_and_the_stream_goes_on() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let client_of_two = Client::builder().parts_max(2);
    let client_of_two = client_of_two.connect(&fake.url).await.unwrap();
    let stream = client_of_two.open_stream();
    // More than the slots: those given up are free again.
    for _ in 0..5 {
        let mut part = stream.part(PartOptions::default()).await.unwrap();
        part.write("abandoned").await.unwrap();
        drop(part);
        drop(stream.part(PartOptions::default()).await.unwrap());
    }
    let mut part = stream.part(PartOptions::default()).await.unwrap();
    part.write("abc").await.unwrap();
    assert_eq!(*part.finish().await.unwrap().digest(), sha256(b"abc"));
    stream.finish().await.unwrap();
    assert_eq!(fake.end().await, Seen::HalfClosed);
    drop(client);
}

#[tokio::test]
async fn a_part_has_no_digest_after_a_write_that_was_dropped() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let (stream, verifying) = (client.open_stream(), client.open_verify_stream());
    let mut part = stream.part(PartOptions::default()).await.unwrap();
    let mut verified = verifying.part(PartOptions::default()).await.unwrap();
    // More than may be queued, so it waits.
    let zero = std::time::Duration::ZERO;
    assert!(
        tokio::time::timeout(zero, part.write(vec![7; 8 << 20]))
            .await
            .is_err()
    );
    assert!(
        tokio::time::timeout(zero, verified.write(vec![7; 8 << 20]))
            .await
            .is_err()
    );
    let error = part.write("more").await.unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error:?}");
    let mut buffer = part.buffer().await.unwrap();
    std::io::Write::write_all(&mut buffer, b"more").unwrap();
    let error = part.write_buffer(buffer).await.unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error:?}");
    let error = part.finish().await.unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error:?}");
    let error = verified.finish(&[]).await.unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error:?}");
    // The streams go on.
    let mut part = stream.part(PartOptions::default()).await.unwrap();
    part.write("abc").await.unwrap();
    assert_eq!(*part.finish().await.unwrap().digest(), sha256(b"abc"));
    stream.finish().await.unwrap();
    verifying.finish().await.unwrap();
    assert_eq!(fake.end().await, Seen::HalfClosed);
}

#[tokio::test]
async fn a_stream_may_end_without_a_part() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    client.open_stream().finish().await.unwrap();
    assert_eq!(fake.end().await, Seen::HalfClosed);
}

#[tokio::test]
async fn a_stream_is_not_half_closed_over_an_open_part() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let stream = client.open_stream();
    let mut part = stream.part(PartOptions::default()).await.unwrap();
    part.write("abc").await.unwrap();
    until(&mut fake, |seen| seen == Seen::Data(3)).await;
    let error = stream.finish().await.unwrap_err();
    assert!(matches!(error, Error::Argument(_)), "{error:?}");
    assert_eq!(fake.end().await, Seen::Reset);
    let error = part.finish().await.unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error:?}");
}

#[tokio::test]
async fn an_empty_write_keeps_a_part_alive() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let stream = client.open_stream();
    let mut part = stream.part(default()).await.unwrap();
    for _ in 0..2 {
        part.write("abc").await.unwrap();
        part.write("").await.unwrap();
        let seen = async { until(&mut fake, |seen| seen == Seen::Data(0)).await };
        let seen = tokio::time::timeout(std::time::Duration::from_secs(20), seen).await;
        seen.expect("no message is sent");
    }
    assert_eq!(*part.finish().await.unwrap().digest(), sha256(b"abcabc"));
}

/// Compiles only if the compiler warns of each line.
#[tokio::test]
#[deny(unfulfilled_lint_expectations)]
async fn the_compiler_warns_of_a_verdict_that_nobody_reads() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let expected = [AlgorithmDigest::sha256(sha256(b"abc"))];
    let stream = client.open_verify_stream();
    let part = stream.part(default()).await.unwrap();
    let digests = client.open_stream();
    let digested = digests.part(default()).await.unwrap();
    let verification = client.verify("abc", &expected).await.unwrap();
    let verdict = || verification.verdict;
    #[expect(unused_must_use)]
    {
        client.verify("abc", &expected).await.unwrap();
    }
    #[expect(unused_must_use)]
    {
        stream.verify("abc", &expected).await.unwrap();
    }
    #[expect(unused_must_use)]
    {
        part.finish(&expected);
    }
    #[expect(unused_must_use)]
    {
        digested.finish();
    }
    #[expect(unused_must_use)]
    {
        verification.verdicts.first().copied().unwrap();
    }
    #[expect(unused_must_use)]
    {
        verdict();
    }
    let parts = ObjectParts::composite(Algorithm::Md5, [[0; 16]]).expecting("00".repeat(16));
    #[expect(unused_must_use)]
    {
        Client::connect("embedded:")
            .await
            .unwrap()
            .compose(&parts)
            .await
            .unwrap();
    }
}
