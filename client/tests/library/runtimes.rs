//! A client works in the runtime in which it was connected.

use std::future::Future;
use std::time::Duration;

use hashlane_client::{Client, Error, Part, Source};
use tokio::runtime::{Builder, Runtime};

use crate::support::{Behaviour, Fake};
use crate::{default, sha256};

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().unwrap()
}

/// What must not wait forever.
async fn ends<T>(work: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(Duration::from_secs(20), work).await;
    ended.expect("it waits forever")
}

fn is_told(error: &Error) {
    let told = error.to_string();
    assert!(told.contains("runtime"), "{told}");
    assert!(!error.is_retryable(), "{error:?}");
}

/// A server, a client of it, a stream and three written parts of the stream.
fn written(
    runtime: &Runtime,
    endpoint: &str,
) -> (
    Client,
    hashlane_client::DigestStream,
    Vec<Part<hashlane_client::Digesting>>,
) {
    runtime.block_on(async {
        let client = Client::connect(endpoint).await.unwrap();
        let stream = client.open_stream();
        let mut parts = Vec::new();
        for _ in 0..3 {
            let mut part = stream.part(default()).await.unwrap();
            part.write("abc").await.unwrap();
            parts.push(part);
        }
        (client, stream, parts)
    })
}

#[test]
fn the_end_of_its_runtime_ends_a_stream() {
    let (first, second) = (runtime(), runtime());
    let fake = second.block_on(Fake::start(Behaviour::Honest));
    let (_client, stream, mut parts) = written(&first, &fake.url);
    drop(first);
    second.block_on(async {
        is_told(&ends(parts[0].write("abc")).await.unwrap_err());
        is_told(&ends(parts[1].failed()).await);
        for part in parts {
            is_told(&ends(part.finish()).await.unwrap_err());
        }
        is_told(&ends(stream.digest("abc", default())).await.unwrap_err());
        is_told(&ends(stream.finish()).await.unwrap_err());
    });
}

#[test]
fn the_end_of_its_runtime_ends_the_calls_of_a_client() {
    let (first, second) = (runtime(), runtime());
    let fake = second.block_on(Fake::start(Behaviour::Honest));
    let (client, ..) = written(&first, &fake.url);
    drop(first);
    second.block_on(async {
        is_told(&ends(client.digest("abc", default())).await.unwrap_err());
        let reader = Source::reader(&b"abc"[..]);
        is_told(&ends(client.digest(reader, default())).await.unwrap_err());
        is_told(&ends(client.server_info()).await.unwrap_err());
        let blobs = ["abc".into()];
        is_told(
            &ends(client.digest_batch(&blobs, default()))
                .await
                .unwrap_err(),
        );
    });
}

#[cfg(feature = "embedded")]
#[test]
fn lanes_of_this_process_outlive_the_runtime_of_a_part() {
    let (first, second) = (runtime(), runtime());
    let (client, stream, mut parts) = written(&first, "embedded:1");
    drop(first);
    second.block_on(async {
        // The digests are taken by a task of the runtime in which the part began.
        let _ = ends(parts[0].write("abc")).await;
        for part in parts {
            is_told(&ends(part.finish()).await.unwrap_err());
        }
        let digest = ends(stream.digest("abc", default())).await.unwrap();
        assert_eq!(*digest.digest(), sha256(b"abc"));
        ends(client.digest("abc", default())).await.unwrap();
        ends(stream.finish()).await.unwrap();
    });
}
