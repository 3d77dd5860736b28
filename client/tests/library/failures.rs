//! Sources and servers that fail, stall, vanish or answer nonsense.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hashlane_client::{
    Algorithm, AlgorithmDigest, Client, Code, Error, MESSAGE_BYTES, ObjectParts, PartOptions,
    Source,
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::oneshot;

use crate::support::{Behaviour, Fake, RETRY_AFTER, Seen};
use crate::{default, serve, serve_by, sha256, until};

/// Answers each connection with these bytes, and closes it. Counts connections.
fn stranger(answer: &'static [u8]) -> (String, Arc<AtomicUsize>) {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&connections);
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            count.fetch_add(1, Ordering::Relaxed);
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut [0; 1000]);
            let _ = socket.write_all(answer);
            // A close with unread bytes could cost the client the answer.
            let _ = socket.shutdown(std::net::Shutdown::Write);
            let _ = socket.read_to_end(&mut Vec::new());
        }
    });
    (address.to_string(), connections)
}

#[tokio::test]
async fn what_is_no_server_or_has_no_tls_is_told_with_what_to_do() {
    let fake = Fake::start(Behaviour::Honest).await;
    let tls = fake.url.replace("http://", "https://");
    let error = Client::connect(&tls).await.unwrap_err();
    assert!(error.to_string().contains("use http://"), "{error}");
    // A hashlane server without TLS closes the connection.
    let closes = format!("https://{}", stranger(b"").0);
    let error = Client::connect(&closes).await.unwrap_err();
    assert!(error.to_string().contains("use http://"), "{error}");

    // What is not HTTP/2 is not tried again. The second is how TLS refuses HTTP/2.
    for (answer, tries_max) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], 16),
        (b"\x15\x03\x03\0\x02\x02\x32", 16),
        (b"", 1),
    ] {
        let builder = Client::builder().tries_max(tries_max);
        let (address, connections) = stranger(answer);
        let client = builder.connect(address).await.unwrap();
        let unary = client.server_info().await.unwrap_err();
        let streamed = client.digest("abc", default()).await.unwrap_err();
        for error in [unary, streamed] {
            assert!(error.is_unavailable(), "{error:?}");
            let told = error.to_string();
            assert!(told.contains("give the gRPC port of a server"), "{told}");
            assert!(told.contains("https:// if it has TLS"), "{told}");
        }
        // One for each call, and another where the connection broke before the answer was read.
        let connections = connections.load(Ordering::Relaxed);
        assert!((1..=8).contains(&connections), "{connections}");
    }
    // Another server gets the call.
    let (stranger, _) = stranger(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let client = Client::builder().connect_all([&stranger, &fake.url]);
    let client = client.await.unwrap();
    for _ in 0..8 {
        client.digest("abc", default()).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_has_answered_is_one() {
    let builder = Client::builder().tries_max(2);
    let (mut fake, client) = serve_by(Behaviour::Honest, builder).await;
    client.digest("abc", default()).await.unwrap();
    fake.vanish();
    let error = client.digest(Source::reader(&b"abc"[..]), default()).await;
    let told = error.unwrap_err().to_string();
    assert!(!told.contains("gRPC port"), "{told}");
}

/// Gives some bytes and then nothing, until it is made to fail; counts the bytes taken.
struct Stalling {
    left: usize,
    fail: Option<oneshot::Receiver<()>>,
    taken: Arc<AtomicUsize>,
}

impl Stalling {
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

impl AsyncRead for Stalling {
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
async fn a_source_that_fails_cancels_the_call() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let expected = [AlgorithmDigest::sha256([0; 32])];
    for len in [MESSAGE_BYTES, 300_000] {
        let (source, fail) = Stalling::failing(len);
        let begun = async {
            until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
            fail.send(()).unwrap();
        };
        let (outcome, ()) = tokio::join!(client.digest(Source::reader(source), default()), begun);
        assert!(matches!(&outcome, Err(Error::Read(e)) if e.to_string() == "bad sector"));
        assert_eq!(fake.end().await, Seen::Reset);

        let (source, fail) = Stalling::failing(len);
        let begun = async {
            until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
            fail.send(()).unwrap();
        };
        let (outcome, ()) = tokio::join!(client.verify(Source::reader(source), &expected), begun);
        assert!(matches!(outcome, Err(Error::Read(_))));
        assert_eq!(fake.end().await, Seen::Reset);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_reset() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    let call = client.digest(
        Source::reader(Stalling::endless(3 * MESSAGE_BYTES)),
        default(),
    );
    tokio::select! {
        _ = call => panic!("the source has not ended"),
        () = until(&mut fake, |seen| matches!(seen, Seen::Data(_))) => {}
    }
    assert_eq!(fake.end().await, Seen::Reset);
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
    let source = Stalling::endless(10 * MESSAGE_BYTES);
    let call = tokio::spawn(async move { client.digest(Source::reader(source), default()).await });
    until(&mut fake, |seen| matches!(seen, Seen::Data(_))).await;
    fake.vanish();
    // The source never ends, so only the connection can end the call, and it does so with the next
    // write at the latest.
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
                if let Err(error) = client.digest("abc", default()).await {
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
    let error = client.digest("abc", default()).await.unwrap_err();
    assert!(matches!(error, Error::Stalled(_)), "{error:?}");
    assert_eq!(error.code(), Code::DeadlineExceeded);
    assert_eq!(fake.end().await, Seen::Reset);
    let error = client.server_info().await.unwrap_err();
    assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
}

#[tokio::test]
async fn an_answer_that_stops_after_its_head_is_given_up() {
    let fake = Fake::start(Behaviour::HeadOnly).await;
    let builder = Client::builder().call_timeout(Duration::from_millis(100));
    let client = builder.connect(&fake.url).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    let calling = client.clone();
    calls.spawn(async move { calling.server_info().await.map(drop) });
    let calling = client.clone();
    let parts = ObjectParts::composite(Algorithm::Sha256, [[0; 32]]);
    calls.spawn(async move { calling.compose(&parts).await.map(drop) });
    // Batches that wait for the same limits do not wait for each other.
    for _ in 0..300 {
        let calling = client.clone();
        calls.spawn(async move {
            let digests = calling.digest_batch(&["abc".into()], default()).await;
            digests.map(drop)
        });
    }
    let ended = tokio::time::timeout(Duration::from_secs(20), calls.join_all()).await;
    for outcome in ended.expect("calls never end") {
        let error = outcome.unwrap_err();
        assert_eq!(error.code(), Code::DeadlineExceeded, "{error:?}");
    }
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
    let source = Stalling::endless(usize::MAX);
    let taken = Arc::clone(&source.taken);
    // The server takes nothing, so the source is read until all bounds are met,
    // and then the call stalls.
    let error = client
        .digest(Source::reader(source), default())
        .await
        .unwrap_err();
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
        let error = client.digest("abc", default()).await.unwrap_err();
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
