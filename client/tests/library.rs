//! The library against a small service: what it sends, and what it makes of
//! every fault.

mod support;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hashlane_client::{
    Algorithm, AlgorithmDigest, Client, Code, Error, MESSAGE_BYTES, ObjectParts, PartOptions,
    Verdict,
};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use support::{Behaviour, Ca, Fake, RETRY_AFTER, Seen, TOKEN};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::sync::oneshot;

fn pattern(len: usize) -> Vec<u8> {
    // A period of 251: swapped blocks show.
    (0..=250).cycle().take(len).collect()
}

fn sha256(data: &[u8]) -> [u8; 32] {
    Sha256::digest(data).into()
}

/// What is asked for where nothing is.
fn default() -> PartOptions {
    PartOptions::default()
}

fn of<H: sha2::Digest>(algorithm: Algorithm, data: &[u8]) -> AlgorithmDigest {
    AlgorithmDigest::new(algorithm, &H::digest(data)).unwrap()
}

/// By three algorithms, the default not first among them.
fn three(data: &[u8]) -> [AlgorithmDigest; 3] {
    [
        of::<Md5>(Algorithm::Md5, data),
        of::<Sha256>(Algorithm::Sha256, data),
        of::<Sha1>(Algorithm::Sha1, data),
    ]
}

const THREE: [Algorithm; 3] = [Algorithm::Md5, Algorithm::Sha256, Algorithm::Sha1];

async fn serve(behaviour: Behaviour) -> (Fake, Client) {
    let fake = Fake::start(behaviour).await;
    let client = Client::connect(&fake.url).await.unwrap();
    (fake, client)
}

/// Gives some bytes and then nothing, until it is told to fail; counts what was
/// taken.
struct Source {
    left: usize,
    fail: Option<oneshot::Receiver<()>>,
    taken: Arc<AtomicUsize>,
}

impl Source {
    fn endless(bytes: usize) -> Self {
        Self {
            left: bytes,
            fail: None,
            taken: Arc::default(),
        }
    }

    fn failing(bytes: usize) -> (Self, oneshot::Sender<()>) {
        let (sender, fail) = oneshot::channel();
        let source = Self {
            fail: Some(fail),
            ..Self::endless(bytes)
        };
        (source, sender)
    }
}

impl AsyncRead for Source {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let bytes = buffer.remaining().min(self.left);
        if bytes == 0 {
            let Some(fail) = &mut self.fail else {
                return Poll::Pending;
            };
            let told = ready!(Pin::new(fail).poll(context));
            told.unwrap();
            return Poll::Ready(Err(io::Error::other("bad sector")));
        }
        buffer.initialize_unfilled_to(bytes);
        buffer.advance(bytes);
        self.left -= bytes;
        self.taken.fetch_add(bytes, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

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
            .digest_reader(first.chain(second), default())
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
    let good = client.verify_reader(&data[..], &expected).await.unwrap();
    assert!(good.is_match());
    assert_eq!((good.verdicts.len(), good.size_bytes), (3, 100_000));
    let bad = client.verify_reader(&data[1..], &expected).await.unwrap();
    assert_eq!(bad.verdict, Verdict::Mismatch);
    let computed: Vec<_> = bad.verdicts.iter().map(|v| v.computed).collect();
    assert_eq!(computed, three(&data[1..]));
    assert!(bad.mismatches().eq(THREE));

    // One of several that differs is enough, and is named.
    let mut one = expected;
    one[2] = three(b"other")[2];
    let bad = client.verify_reader(&data[..], &one).await.unwrap();
    assert!(!bad.is_match() && bad.mismatches().eq([Algorithm::Sha1]));
}

#[tokio::test]
async fn several_digests_come_in_the_order_they_were_asked_for() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let data = pattern(200_000);
    let answer = client.digest_reader(&data[..], THREE).await.unwrap();
    assert_eq!(answer.digests, three(&data));
    assert_eq!(*answer.get(Algorithm::Sha256).unwrap(), sha256(&data));
    assert_eq!(answer.get(Algorithm::Crc32), None);
    // Sent once.
    assert_eq!(fake.end().await, Seen::HalfClosed);
    let answer = client.digest_bytes(data.clone(), THREE).await.unwrap();
    assert_eq!(answer.digests, three(&data));

    // Beside parts of other algorithms, with lengths or without.
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
    let answer = client.digest_bytes("abc", Algorithm::Md5).await.unwrap();
    assert_eq!(answer.digests, three(b"abc")[..1]);
    let error = client.digest_bytes("abc", THREE).await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn what_the_server_would_refuse_is_told_before() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let twice = [Algorithm::Md5, Algorithm::Md5];
    let [md5, sha256, _] = three(b"abc");
    let stream = client.open_verify_stream();
    let part = stream.part(Algorithm::Sha256).await.unwrap();
    let mut told = vec![client.digest_bytes("abc", twice).await.unwrap_err()];
    told.push(client.digest_batch(&[], &twice).await.unwrap_err());
    told.push(
        client
            .verify_reader(&b"abc"[..], &[md5, md5])
            .await
            .unwrap_err(),
    );
    told.push(client.verify_reader(&b"abc"[..], &[]).await.unwrap_err());
    told.push(part.finish(&[sha256, md5]).await.unwrap_err());
    let told: Vec<_> = told.iter().map(Error::to_string).collect();
    let expected = [
        "algorithms: md5 is named twice",
        "algorithms: md5 is named twice",
        "algorithms: md5 is named twice",
        "expected: there is no digest",
        "expected: md5 is not among the part's algorithms",
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
        .verify_reader(&b"abc"[..], &[AlgorithmDigest::sha256([0; 32])])
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
}

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
    // Told while the part is still being written.
    let error = loop {
        if let Err(error) = large.write(pattern(1001)).await {
            break error;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(error.code(), Code::ResourceExhausted);
    assert_eq!(error.reason(), Some("PART_TOO_LARGE"));
    // And told again to whoever asks for the digest all the same.
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
async fn a_source_that_fails_cancels_the_call() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let expected = [AlgorithmDigest::sha256([0; 32])];
    for len in [MESSAGE_BYTES, 300_000] {
        let (source, fail) = Source::failing(len);
        let begun = async {
            until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
            fail.send(()).unwrap();
        };
        let (outcome, ()) = tokio::join!(client.digest_reader(source, default()), begun);
        assert!(matches!(&outcome, Err(Error::Read(e)) if e.to_string() == "bad sector"));
        assert_eq!(fake.end().await, Seen::Reset);

        let (source, fail) = Source::failing(len);
        let begun = async {
            until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
            fail.send(()).unwrap();
        };
        let (outcome, ()) = tokio::join!(client.verify_reader(source, &expected), begun);
        assert!(matches!(outcome, Err(Error::Read(_))));
        assert_eq!(fake.end().await, Seen::Reset);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_reset() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let call = client.digest_reader(Source::endless(3 * MESSAGE_BYTES), default());
    tokio::select! {
        _ = call => panic!("the source has not ended"),
        () = until(&mut fake, |seen| matches!(seen, Seen::Data(_))) => {}
    }
    assert_eq!(fake.end().await, Seen::Reset);
}

async fn until(fake: &mut Fake, wanted: impl Fn(Seen) -> bool) {
    while !wanted(fake.seen().await) {}
}

#[tokio::test]
async fn a_status_is_told_to_every_part_with_its_details() {
    let (_fake, client) = serve(Behaviour::Refuse).await;
    let stream = client.open_stream();
    let mut first = stream.part(PartOptions::default()).await.unwrap();
    let second = stream.part(PartOptions::default()).await.unwrap();
    first.write("abc").await.unwrap();
    for part in [first, second] {
        let error = part.finish().await.unwrap_err();
        let Error::Rpc {
            code,
            reason,
            message,
            retry_after,
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!(code, Code::Unavailable);
        assert_eq!(reason.as_deref(), Some("DRAINING"));
        assert_eq!(message, "draining");
        assert_eq!(retry_after, Some(RETRY_AFTER));
    }
    assert_eq!(
        stream.finish().await.unwrap_err().reason(),
        Some("DRAINING")
    );
}

#[tokio::test]
async fn a_server_that_vanishes_is_told_apart_from_one_that_refuses() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let source = Source::endless(10 * MESSAGE_BYTES);
    let call = tokio::spawn(async move { client.digest_reader(source, default()).await });
    until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
    fake.vanish();
    // The source never ends, so nobody but the connection can end the call, and
    // it does so with the next write at the latest.
    let stalled = call.await.unwrap().unwrap_err();
    let Error::NotRepeatable(lost) = &stalled else {
        panic!("{stalled:?}");
    };
    assert!(matches!(**lost, Error::Transport(_)), "{lost:?}");
    assert!(stalled.is_unavailable());
    assert!(stalled.to_string().contains("Source::reopen"), "{stalled}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_at_once() {
    let mut fake = Fake::start(Behaviour::Honest).await;
    fake.vanish();
    // The listener closes some time after.
    let error = loop {
        match Client::builder().tries_max(1).connect(&fake.url).await {
            Err(error) => break error,
            Ok(client) => {
                if let Err(error) = client.digest_bytes("abc", default()).await {
                    assert!(error.is_unavailable(), "{error:?}");
                }
            }
        }
    };
    assert!(matches!(&error, Error::Connect { .. }), "{error:?}");
    assert!(error.is_unavailable());
}

#[tokio::test]
async fn a_server_that_does_nothing_is_given_up() {
    let mut fake = Fake::start(Behaviour::Silent).await;
    let timeout = Duration::from_millis(100);
    let builder = Client::builder()
        .stall_timeout(timeout)
        .call_timeout(timeout);
    let client = builder.connect(&fake.url).await.unwrap();
    let error = client.digest_bytes("abc", default()).await.unwrap_err();
    assert!(matches!(error, Error::Stalled(_)), "{error:?}");
    assert_eq!(error.code(), Code::DeadlineExceeded);
    assert_eq!(fake.end().await, Seen::Reset);
    let error = client.server_info().await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
}

#[tokio::test]
async fn a_slow_source_is_not_a_stall() {
    let fake = Fake::start(Behaviour::Honest).await;
    let builder = Client::builder().stall_timeout(Duration::from_millis(20));
    let client = builder.connect(&fake.url).await.unwrap();
    let stream = client.open_stream();
    let mut part = stream.part(PartOptions::default()).await.unwrap();
    part.write("ab").await.unwrap();
    // The condition waited for is that five timeouts have passed.
    let begin = std::time::Instant::now();
    while begin.elapsed() < Duration::from_millis(100) {
        tokio::task::yield_now().await;
    }
    part.write("c").await.unwrap();
    assert_eq!(*part.finish().await.unwrap().digest(), sha256(b"abc"));
}

#[tokio::test]
async fn what_is_read_ahead_is_bounded() {
    let fake = Fake::start(Behaviour::Silent).await;
    let buffer_bytes = 4 * MESSAGE_BYTES;
    let builder = Client::builder()
        .buffer_bytes(buffer_bytes)
        .stall_timeout(Duration::from_millis(200));
    let client = builder.connect(&fake.url).await.unwrap();
    let source = Source::endless(usize::MAX);
    let taken = Arc::clone(&source.taken);
    // The server takes nothing, so the source is read until all bounds are met,
    // and then the call stalls.
    let error = client.digest_reader(source, default()).await.unwrap_err();
    assert!(matches!(error, Error::Stalled(_)), "{error:?}");
    // The service's flow-control window is 64 KiB; HTTP/2 and the encoder hold
    // a few messages of their own.
    let bound = buffer_bytes + 8 * MESSAGE_BYTES;
    let taken = taken.load(Ordering::Relaxed);
    assert!((buffer_bytes..=bound).contains(&taken), "{taken}");
}

#[tokio::test]
async fn an_end_without_answers_is_an_error() {
    for behaviour in [Behaviour::Forget, Behaviour::Babble] {
        let (_fake, client) = serve(behaviour).await;
        let error = client.digest_bytes("abc", default()).await.unwrap_err();
        assert!(
            matches!(error, Error::Protocol(_)),
            "{behaviour:?}: {error:?}"
        );
    }
}

#[tokio::test]
async fn an_answer_before_the_end_is_not_believed() {
    let (_fake, client) = serve(Behaviour::Hasty).await;
    let stream = client.open_stream();
    let mut part = stream.part(default()).await.unwrap();
    part.write("abc").await.unwrap();
    while !format!("{stream:?}").contains("unanswered: 0") {
        tokio::task::yield_now().await;
    }
    let error = part.finish().await.unwrap_err();
    assert!(matches!(error, Error::Protocol(_)), "{error:?}");
}

#[tokio::test]
async fn calls_at_the_same_time_use_several_connections() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    for _ in 0..8 {
        client.digest_bytes("abc", default()).await.unwrap();
    }
    assert_eq!(fake.connections(), 1);
    let mut streams = Vec::new();
    for _ in 0..8 {
        let stream = client.open_stream();
        let mut part = stream.part(PartOptions::default()).await.unwrap();
        part.write("abc").await.unwrap();
        streams.push((part.finish(), stream));
    }
    for (answer, stream) in streams {
        answer.await.unwrap();
        stream.finish().await.unwrap();
    }
    assert_eq!(fake.connections(), 4);
}

#[tokio::test]
async fn batches_keep_to_the_limits_and_the_order() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    // The service takes 1000 bytes and 10 blobs in a message.
    let mut blobs: Vec<Bytes> = (0..25).map(|i| pattern(i).into()).collect();
    blobs.push(pattern(5000).into());
    blobs.extend((0..3).map(|_| Bytes::from(pattern(400))));
    let digests = client.digest_batch(&blobs, &[]).await.unwrap();
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
    assert!(client.digest_batch(&[], &[]).await.unwrap().is_empty());
    let digests = client.digest_batch(&blobs, &THREE).await.unwrap();
    let expected: Vec<_> = blobs.iter().map(|blob| three(blob).to_vec()).collect();
    assert_eq!(digests, expected);
}

#[tokio::test]
async fn objects_are_composed_and_compared_where_a_value_is_expected() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    let digests = [sha256(b"a"), sha256(b"b")];
    let parts = ObjectParts::composite(Algorithm::Sha256, digests);
    let plain = client.compose(&parts).await.unwrap();
    assert_eq!(plain.digest, sha256(&digests.concat()));
    assert_eq!(plain.hex, format!("{}-2", plain.digest));
    assert!(plain.base64.ends_with("=-2"), "{}", plain.base64);
    assert_eq!(plain.verdict, None);
    for (expected, verdict) in [
        (plain.base64, Verdict::Match),
        (plain.hex, Verdict::Match),
        ("0".repeat(64), Verdict::Mismatch),
    ] {
        let asked = parts.clone().expecting(&expected);
        let answer = client.compose(&asked).await.unwrap();
        assert_eq!(answer.verdict, Some(verdict), "{expected}");
    }
    let error = client.compose(&parts.expecting("other")).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);

    // CRC-32 of "1234", of "56789" and of both.
    let halves = [([0x9b, 0xe3, 0xe0, 0xa3], 4), ([0x13, 0x1d, 0xa0, 0x70], 5)];
    let halves = halves.map(|(crc, bytes): ([u8; 4], u64)| (crc, bytes));
    let parts = ObjectParts::full_object(Algorithm::Crc32, halves).expecting("cbf43926");
    let whole = client.compose(&parts).await.unwrap();
    assert_eq!(
        (whole.hex.as_str(), whole.verdict),
        ("cbf43926", Some(Verdict::Match))
    );
}

#[tokio::test]
async fn settings_out_of_bounds_are_named() {
    let cases = [
        (
            Client::builder().connections(0),
            "http://127.0.0.1:1",
            "connections is 0",
        ),
        (
            Client::builder().message_bytes(0),
            "http://127.0.0.1:1",
            "message_bytes is 0",
        ),
        (
            Client::builder().buffer_bytes(5),
            "http://127.0.0.1:1",
            "buffer_bytes is 5",
        ),
        (
            Client::builder().parts_max(0),
            "http://127.0.0.1:1",
            "parts_max is 0",
        ),
        (
            Client::builder().stall_timeout(Duration::ZERO),
            "http://127.0.0.1:1",
            "stall_timeout is zero",
        ),
        (
            Client::builder().tries_max(0),
            "http://127.0.0.1:1",
            "tries_max is 0",
        ),
        (
            Client::builder().retry_time(Duration::MAX),
            "http://127.0.0.1:1",
            "retry_time is more than a day",
        ),
        (
            Client::builder().call_timeout(Duration::MAX),
            "http://127.0.0.1:1",
            "call_timeout is more than a day",
        ),
        (
            Client::builder(),
            "ftp://127.0.0.1:1",
            "expected https://host:port",
        ),
        (
            Client::builder().ca("no PEM"),
            "https://127.0.0.1:1",
            "no certificate in PEM",
        ),
        (
            Client::builder().ca("-----BEGIN CERTIFICATE-----"),
            "127.0.0.1:1",
            "certificates go with https",
        ),
        (
            Client::builder().certificate("", ""),
            "http://127.0.0.1:1",
            "certificates go with https",
        ),
        (
            Client::builder().token("secret"),
            "http://192.0.2.1:1",
            "by https alone",
        ),
        (
            Client::builder().token("sec ret"),
            "http://127.0.0.1:1",
            "a token is of",
        ),
        (Client::builder(), "a b", "invalid server address"),
        (Client::builder(), "", "invalid server address"),
    ];
    for (builder, endpoint, expected) in cases {
        let error = builder.connect(endpoint).await.unwrap_err();
        assert!(matches!(error, Error::Config(_)), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn every_call_brings_the_token() {
    let fake = Fake::start(Behaviour::WantToken).await;
    let builder = Client::builder().token(TOKEN).connections(2);
    assert!(!format!("{builder:?}").contains(TOKEN));
    let client = builder.connect(&fake.url).await.unwrap();
    assert!(!format!("{client:?}").contains(TOKEN));
    let answer = client.digest_bytes("abc", default()).await.unwrap();
    assert_eq!(answer.digests, [AlgorithmDigest::sha256(sha256(b"abc"))]);
    client
        .verify_reader(&b"abc"[..], &answer.digests)
        .await
        .unwrap();
    client.server_info().await.unwrap();
    // A socket of this machine shows it to nobody.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let address = fake.address();
    tokio::spawn(async move {
        let (mut near, _) = listener.accept().await.unwrap();
        let mut far = tokio::net::TcpStream::connect(address).await.unwrap();
        tokio::io::copy_bidirectional(&mut near, &mut far).await
    });
    let builder = Client::builder().token(TOKEN).connections(1);
    let client = builder.connect(format!("unix:{}", path.display())).await;
    client
        .unwrap()
        .digest_bytes("abc", default())
        .await
        .unwrap();
    let nameless = Client::connect(&fake.url).await.unwrap();
    let error = nameless.digest_bytes("abc", default()).await.unwrap_err();
    assert!(error.to_string().contains("no token"), "{error}");
}

#[tokio::test]
async fn over_tls_both_sides_show_certificates() {
    let ca = Ca::new();
    let fake = Fake::start_tls(Behaviour::Honest, &ca).await;
    let digest = sha256(b"abc");
    let trusting = || Client::builder().ca(ca.pem());
    let client = trusting().certificate(ca.pem(), ca.key_pem());
    let client = client.connect(&fake.url).await.unwrap();
    let answer = client.digest_bytes("abc", default()).await.unwrap();
    assert_eq!(answer.digests, [AlgorithmDigest::sha256(digest)]);

    // A server that nobody vouches for, be it the system's roots or others.
    for builder in [Client::builder(), Client::builder().ca(Ca::new().pem())] {
        let builder = builder.certificate(ca.pem(), ca.key_pem());
        let error = builder.connect(&fake.url).await.unwrap_err();
        assert!(matches!(error, Error::Connect { .. }), "{error:?}");
        assert!(
            error.to_string().contains("invalid peer certificate"),
            "{error}"
        );
    }
    // In TLS 1.3 a client learns only with the first answer that it is refused.
    let stranger = trusting().tries_max(1).connect(&fake.url).await;
    let stranger = match stranger {
        Ok(client) => client.digest_bytes("abc", default()).await.map(drop),
        Err(error) => Err(error),
    };
    let error = stranger.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
}
