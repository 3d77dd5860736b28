//! What is retried, and what never is.

use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use crate::support::{Behaviour, Fake, Seen};
use crate::{default, serve, serve_by};
use bytes::Bytes;
use hashlane_client::{Algorithm, AlgorithmDigest, Client, Code, Error, PartOptions, Source};
use sha2::{Digest as _, Sha256};

const DATA: &[u8] = &[9; 100_000];

fn sha256(data: &[u8]) -> AlgorithmDigest {
    AlgorithmDigest::sha256(Sha256::digest(data).into())
}

#[tokio::test]
async fn what_can_be_read_again_is_sent_again() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(DATA).unwrap();
    let sources = [
        Source::from(Bytes::from_static(DATA)),
        Source::from(DATA),
        Source::file(file.path()),
        Source::reopen(|| std::future::ready(Ok(DATA))),
    ];
    for source in sources {
        let (mut fake, client) = serve(Behaviour::RefuseFirst(2)).await;
        let shown = format!("{source:?}");
        let answer = client.digest(source, PartOptions::default()).await.unwrap();
        assert_eq!(answer.digests, [sha256(DATA)], "{shown}");
        assert_eq!(fake.calls(), 3, "{shown}");
    }
    // Calls of one message too.
    let (_fake, client) = serve(Behaviour::RejectFirst(2)).await;
    assert_eq!(client.server_info().await.unwrap().version, "1.2.3");
}

/// While all servers are away, several do not use up the tries sooner than one.
#[tokio::test]
async fn every_server_has_its_own_tries() {
    let mut fakes = Vec::new();
    for _ in 0..3 {
        fakes.push(Fake::start(Behaviour::RejectFirst(1000)).await);
    }
    let urls = fakes.iter().map(|fake| fake.url.clone());
    let builder = Client::builder().tries_max(2);
    let client = builder.connect_all(urls.collect::<Vec<_>>()).await.unwrap();
    let error = client.digest(DATA, default()).await.unwrap_err();
    assert!(error.is_retryable(), "{error:?}");
    let calls: Vec<_> = fakes.iter_mut().map(Fake::calls).collect();
    assert_eq!(calls.iter().sum::<usize>(), 6, "{calls:?}");
}

/// A pipe that gives the data, and its path while the pipe is there.
fn pipe() -> (io::PipeReader, String) {
    let (reader, mut writer) = io::pipe().unwrap();
    // More than a pipe holds.
    std::thread::spawn(move || writer.write_all(DATA));
    let path = format!("/dev/fd/{}", reader.as_raw_fd());
    (reader, path)
}

#[tokio::test]
async fn what_was_read_and_is_gone_is_not_sent_again() {
    let stream = || tokio_stream::iter([Ok::<_, io::Error>(DATA)]);
    let (_pipe, path) = pipe();
    for source in [
        Source::reader(DATA),
        Source::stream(stream()),
        Source::file(path),
    ] {
        let (mut fake, client) = serve(Behaviour::RefuseFirst(1)).await;
        let error = client
            .digest(source, PartOptions::default())
            .await
            .unwrap_err();
        assert!(matches!(error, Error::NotRepeatable(_)), "{error:?}");
        assert_eq!(error.code(), Code::ResourceExhausted);
        assert_eq!(error.reason(), Some("SERVER_BUSY"));
        assert_eq!(fake.calls(), 1);
    }
    // A server that does not take the call costs none of the bytes.
    let (_pipe, path) = pipe();
    for source in [
        Source::reader(DATA),
        Source::stream(stream()),
        Source::file(path),
    ] {
        let (mut fake, client) = serve(Behaviour::RejectFirst(2)).await;
        let answer = client.digest(source, PartOptions::default()).await.unwrap();
        assert_eq!(answer.digests, [sha256(DATA)]);
        assert_eq!(fake.calls(), 3);
    }
}

#[tokio::test]
async fn a_mismatch_stays_one() {
    let (mut fake, client) = serve(Behaviour::RefuseFirst(2)).await;
    let wrong = client.verify(DATA, &[sha256(b"other")]).await.unwrap();
    assert!(!wrong.is_match());
    assert_eq!(wrong.size_bytes, DATA.len() as u64);
    assert_eq!(fake.calls(), 3);
    let wrong = client.verify(DATA, &[sha256(b"other")]).await.unwrap();
    assert!(!wrong.is_match());
    assert_eq!(fake.calls(), 1, "a mismatch was tried again");
    assert!(
        client
            .verify(DATA, &[sha256(DATA)])
            .await
            .unwrap()
            .is_match()
    );
}

#[tokio::test]
async fn tries_and_their_time_have_bounds() {
    let always = Behaviour::RefuseFirst(usize::MAX);
    let (mut fake, client) = serve_by(always, Client::builder().tries_max(3)).await;
    let error = client.digest(DATA, Algorithm::Md5).await.unwrap_err();
    assert_eq!(error.reason(), Some("SERVER_BUSY"));
    assert_eq!(fake.calls(), 3);
    let (mut fake, client) = serve_by(always, Client::builder().retry_time(Duration::ZERO)).await;
    client.digest(DATA, Algorithm::Md5).await.unwrap_err();
    assert_eq!(fake.calls(), 1);
    // A server that asks for more time than there is.
    let (mut fake, client) = serve(Behaviour::Refuse).await;
    let error = client.digest(DATA, Algorithm::Md5).await.unwrap_err();
    assert_eq!(error.reason(), Some("DRAINING"));
    assert_eq!(fake.calls(), 1);
    // The timeout of the call ends the wait, and the error says what was awaited. On a busy machine
    // a try may be under way when the time is over: that has no reason yet.
    let (_fake, client) = serve(always).await;
    let client = client.with_timeout(Duration::from_secs(1));
    let mut reasons = Vec::new();
    while reasons.len() < 10 && !reasons.contains(&Some("SERVER_BUSY".to_owned())) {
        let error = client.digest(DATA, Algorithm::Md5).await.unwrap_err();
        reasons.push(error.reason().map(str::to_owned));
    }
    assert!(
        reasons.contains(&Some("SERVER_BUSY".to_owned())),
        "{reasons:?}"
    );
}

/// Retries of many calls that fail together do not double the load.
#[tokio::test]
async fn retries_of_all_calls_have_a_budget() {
    const CALLS: usize = 4000;
    let builder = Client::builder()
        .tries_max(2)
        .retry_time(Duration::from_secs(1));
    let (fake, client) = serve_by(Behaviour::RejectFirst(usize::MAX), builder).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..CALLS {
        let client = client.clone();
        calls.spawn(async move { client.server_info().await });
    }
    while let Some(ended) = calls.join_next().await {
        ended.unwrap().unwrap_err();
    }
    // Half of the calls, and 50 a second for 10 seconds.
    let retries = fake.refused() - CALLS;
    assert!((1..=CALLS / 2 + 500).contains(&retries), "{retries}");
}

#[tokio::test]
async fn a_call_has_a_time_for_all_its_tries() {
    let (mut fake, client) = serve(Behaviour::Silent).await;
    let client = client.with_timeout(Duration::from_millis(50));
    let error = client.digest("abc", Algorithm::Md5).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
    assert_eq!(fake.end().await, Seen::Reset);
    let error = client.server_info().await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
}

#[tokio::test]
async fn an_answer_about_another_length_is_not_believed() {
    let (mut fake, client) = serve(Behaviour::Miscount).await;
    let told = [
        client.digest(DATA, Algorithm::Md5).await.map(drop),
        client.verify(DATA, &[sha256(DATA)]).await.map(drop),
    ];
    for told in told {
        assert!(
            matches!(&told, Err(Error::Protocol(why)) if why.contains("number of bytes")),
            "{told:?}"
        );
    }
    assert_eq!(fake.calls(), 2);
}

#[tokio::test]
async fn parts_of_a_draining_stream_go_to_another_call() {
    let (mut fake, client) = serve(Behaviour::DrainParts(1)).await;
    let stream = client.open_stream();
    let mut open = stream.part(Algorithm::Sha256).await.unwrap();
    open.write("ab").await.unwrap();
    let answer = stream.digest(DATA, Algorithm::Sha256).await.unwrap();
    assert_eq!(answer.digests, [sha256(DATA)]);
    // What was begun goes on where it is.
    open.write("c").await.unwrap();
    assert_eq!(open.finish().await.unwrap().digests, [sha256(b"abc")]);
    stream.finish().await.unwrap();
    assert_eq!(fake.calls(), 2);
}

#[tokio::test]
async fn whole_parts_of_a_stream_that_is_refused_are_sent_again() {
    let (mut fake, client) = serve(Behaviour::RefuseFirst(1)).await;
    let stream = client.open_verify_stream();
    let good = stream.verify(DATA, &[sha256(DATA)]).await.unwrap();
    assert!(good.is_match());
    let bad = stream.verify(DATA, &[sha256(b"other")]).await.unwrap();
    assert!(!bad.is_match());
    stream.finish().await.unwrap();
    assert_eq!(fake.calls(), 2);
}

#[tokio::test]
async fn a_stream_that_owes_nothing_ends_well_though_its_server_is_gone() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let stream = client.open_stream();
    stream.digest(DATA, Algorithm::Sha256).await.unwrap();
    fake.vanish();
    stream.finish().await.unwrap();
}

#[tokio::test]
async fn a_stream_whose_call_was_ended_as_idle_goes_on_with_another() {
    let (mut fake, client) = serve(Behaviour::Idle).await;
    let stream = client.open_stream();
    for _ in 0..3 {
        let answer = stream.digest(DATA, Algorithm::Sha256).await.unwrap();
        assert_eq!(answer.digests, [sha256(DATA)]);
        // The call may end just before the next part, or just after it has begun.
        while !format!("{stream:?}").contains("STREAM_IDLE") {
            tokio::task::yield_now().await;
        }
        let mut part = stream.part(Algorithm::Sha256).await.unwrap();
        part.write("abc").await.unwrap();
        assert_eq!(part.finish().await.unwrap().digests, [sha256(b"abc")]);
    }
    stream.finish().await.unwrap();
    assert_eq!(fake.calls(), 6);
}

#[tokio::test]
async fn a_stream_goes_on_after_a_stall() {
    let builder = Client::builder().stall_timeout(Duration::from_secs(1));
    let (mut fake, client) = serve_by(Behaviour::Silent, builder).await;
    let stream = client.open_stream();
    for _ in 0..2 {
        let error = stream.digest(DATA, Algorithm::Sha256).await.unwrap_err();
        assert!(matches!(error, Error::Stalled(_)), "{error:?}");
    }
    assert_eq!(fake.calls(), 2);
}

#[tokio::test]
async fn a_call_that_is_answered_and_not_ended_is_given_up() {
    let builder = Client::builder().stall_timeout(Duration::from_millis(200));
    let (_fake, client) = serve_by(Behaviour::Linger, builder).await;
    let digest = client.digest(DATA, Algorithm::Sha256);
    let ended = tokio::time::timeout(Duration::from_secs(20), digest).await;
    let error = ended.expect("the call never ends").unwrap_err();
    assert!(matches!(error, Error::Stalled(_)), "{error:?}");
}

#[tokio::test]
async fn several_calls_for_one_thing_share_its_time() {
    let (mut fake, client) = serve(Behaviour::Slow(Duration::from_millis(500))).await;
    // Four calls take two seconds at least.
    let client = client.with_timeout(Duration::from_millis(1500));
    let blobs = vec![Bytes::new(); 40];
    let error = client.digest_batch(&blobs, default()).await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
    fake.seen_so_far();
    let algorithms = [Algorithm::Md5, Algorithm::Sha1, Algorithm::Crc32];
    let upload = client.multipart(algorithms).unwrap();
    upload.part(1, "abc").await.unwrap();
    let error = upload.complete().await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
}

#[tokio::test]
async fn a_time_without_end_is_one() {
    let (_fake, client) = serve(Behaviour::Honest).await;
    for time in [Duration::from_secs(10_u64.pow(15)), Duration::MAX] {
        let client = client.with_timeout(time);
        let answer = client.digest(DATA, Algorithm::Sha256).await.unwrap();
        assert_eq!(answer.digests, [sha256(DATA)]);
        client.server_info().await.unwrap();
    }
}

/// Without what a health service says: it still answers where the service hangs.
#[tokio::test]
async fn a_server_that_does_not_answer_in_time_rests() {
    for is_unary in [true, false] {
        let (mut hanging, mut well) = (
            Fake::start(Behaviour::Silent).await,
            Fake::start(Behaviour::Honest).await,
        );
        let client = Client::builder().connect_all([&hanging.url, &well.url]);
        let client = client.await.unwrap().with_timeout(Duration::from_secs(1));
        let mut failures = 0;
        while failures == 0 {
            let failed = match is_unary {
                true => client.server_info().await.is_err(),
                false => client.digest("abc", Algorithm::Sha256).await.is_err(),
            };
            failures += usize::from(failed);
        }
        let shown = format!("{client:?}");
        assert!(shown.contains("failures: 1"), "{is_unary}: {shown}");
        hanging.vanish();
        well.vanish();
    }
}

#[tokio::test]
async fn a_part_that_met_a_wrong_kernel_is_sent_again() {
    let (mut fake, client) = serve(Behaviour::FaultParts(1)).await;
    let answer = client.digest(DATA, Algorithm::Sha256).await.unwrap();
    assert_eq!(answer.digests, [sha256(DATA)]);
    assert_eq!(fake.calls(), 2);
    let (_fake, client) = serve(Behaviour::FaultParts(1)).await;
    let error = client
        .digest(Source::reader(DATA), Algorithm::Sha256)
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("KERNEL_FAULT"));
}

#[tokio::test]
async fn a_call_that_ends_well_after_its_part_failed_is_a_failure() {
    for behaviour in [Behaviour::FaultParts(1), Behaviour::DrainParts(1)] {
        let (_fake, client) = serve(behaviour).await;
        let stream = client.open_stream();
        let part = stream.part(Algorithm::Sha256).await.unwrap();
        part.finish().await.unwrap_err();
        stream.finish().await.unwrap();
        let shown = format!("{client:?}");
        assert!(shown.contains("failures: 1"), "{behaviour:?}: {shown}");
    }
}

#[tokio::test]
async fn limits_are_asked_for_again_when_a_batch_is_too_large() {
    let (mut fake, client) = serve(Behaviour::Shrink).await;
    let blobs: Vec<Bytes> = (0..12).map(|i| vec![i; 3].into()).collect();
    let expected: Vec<_> = blobs.iter().map(|blob| vec![sha256(blob)]).collect();
    assert_eq!(
        client.digest_batch(&blobs, default()).await.unwrap(),
        expected
    );
    let seen = fake.seen_so_far();
    let batches = [10, 5, 5, 2].map(Seen::Batch);
    assert_eq!(seen, batches);
}

#[tokio::test]
async fn a_batch_of_too_many_digests_is_halved() {
    let blobs: Vec<Bytes> = (0..12).map(|i| vec![i; 3].into()).collect();
    let algorithms = [Algorithm::Sha256, Algorithm::Md5, Algorithm::Crc32];
    let (mut fake, client) = serve(Behaviour::DigestsMax(8)).await;
    let answers = client.digest_batch(&blobs, &algorithms[..]).await.unwrap();
    assert_eq!(answers.len(), 12);
    for (blob, digests) in blobs.iter().zip(&answers) {
        assert_eq!((digests.len(), digests[0]), (3, sha256(blob)));
    }
    let batches = [10, 5, 2, 2, 2, 2, 2, 2].map(Seen::Batch);
    assert_eq!(fake.seen_so_far(), batches);
    // One blob cannot be halved.
    let (mut fake, client) = serve(Behaviour::DigestsMax(2)).await;
    let error = client
        .digest_batch(&blobs, &algorithms[..])
        .await
        .unwrap_err();
    assert_eq!(error.reason(), Some("TOO_MANY_DIGESTS"));
    assert_eq!(fake.seen_so_far(), [10, 5, 2, 1].map(Seen::Batch));
}

#[tokio::test]
async fn lengths_that_differ_are_refused_before_anything_is_sent() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let source = Source::reader(DATA).sized(9);
    let error = client.digest(source, PartOptions::of_size(10)).await;
    assert!(matches!(error, Err(Error::Argument(_))), "{error:?}");
    let error = client.multipart(PartOptions::of_size(10));
    assert!(matches!(error, Err(Error::Argument(_))), "{error:?}");
    assert_eq!(fake.calls(), 0);
}

#[tokio::test]
async fn another_server_gets_what_a_server_has_stalled_with() {
    let (mut silent, honest) = (
        Fake::start(Behaviour::Silent).await,
        Fake::start(Behaviour::Honest).await,
    );
    let builder = Client::builder().stall_timeout(Duration::from_millis(100));
    let client = builder
        .connect_all([&silent.url, &honest.url])
        .await
        .unwrap();
    let stream = client.open_stream();
    for _ in 0..4 {
        let answer = client.digest(DATA, default()).await.unwrap();
        assert_eq!(answer.digests, [sha256(DATA)]);
        let answer = stream.digest(DATA, default()).await.unwrap();
        assert_eq!(answer.digests, [sha256(DATA)]);
    }
    assert!(silent.calls() > 0, "the other server was never asked");
}
