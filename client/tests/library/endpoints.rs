//! Several servers: which of them get calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Behaviour, Fake, Seen};
use hashlane_client::{Algorithm, Client, Error};

/// No condition of these tests takes this long, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

async fn digest(client: &Client) {
    let answer = client.digest("abc", Algorithm::Crc32).await.unwrap();
    assert_eq!(answer.digests[0].to_string(), "crc32:352441c2");
}

/// Makes calls until `wanted` has had `count` of them in a row.
async fn until_only(client: &Client, wanted: &mut Fake, count: usize) {
    tokio::time::timeout(PATIENCE, async {
        let mut in_row = 0;
        while in_row < count {
            wanted.calls();
            digest(client).await;
            in_row = if wanted.calls() == 1 { in_row + 1 } else { 0 };
        }
    })
    .await
    .expect("calls go on to another server");
}

async fn two() -> (Fake, Fake) {
    (
        Fake::start(Behaviour::Honest).await,
        Fake::start(Behaviour::Honest).await,
    )
}

#[tokio::test]
async fn calls_spread_over_servers_that_serve() {
    let (mut first, mut second) = two().await;
    let client = Client::builder();
    let client = client.connect_all([&first.url, &second.url]).await.unwrap();
    // Until both are known to serve.
    tokio::time::timeout(PATIENCE, async {
        while first.calls() == 0 || second.calls() == 0 {
            digest(&client).await;
            digest(&client).await;
        }
    })
    .await
    .expect("one server gets all calls");
    first.calls();
    second.calls();
    // Calls that last and others, in turn: by turns alone, one server had all that last.
    let mut streams = Vec::new();
    for _ in 0..8 {
        let stream = client.open_stream();
        let mut part = stream.part(Algorithm::Md5).await.unwrap();
        part.write("held").await.unwrap();
        streams.push((stream, part.finish()));
        digest(&client).await;
    }
    for (stream, answer) in streams {
        answer.await.unwrap();
        stream.finish().await.unwrap();
    }
    for fake in [&mut first, &mut second] {
        let held = |seen: &&Seen| **seen == Seen::Data(4);
        assert_eq!(fake.seen_so_far().iter().filter(held).count(), 4);
    }
}

#[tokio::test]
async fn a_server_that_does_not_serve_gets_no_calls() {
    let (mut first, mut second) = two().await;
    let client = Client::builder();
    let client = client.connect_all([&first.url, &second.url]).await.unwrap();
    first.set_serving(false).await;
    until_only(&client, &mut second, 50).await;
    // It comes back, and the other one goes.
    first.set_serving(true).await;
    second.vanish();
    until_only(&client, &mut first, 50).await;
}

#[tokio::test]
async fn one_server_of_several_is_enough() {
    let (mut gone, mut here) = two().await;
    gone.vanish();
    // Its listener closes some time after.
    while std::net::TcpStream::connect(gone.address()).is_ok() {
        tokio::task::yield_now().await;
    }
    let builder = Client::builder();
    let client = builder.connect_all([&gone.url, &here.url]).await.unwrap();
    until_only(&client, &mut here, 50).await;
    here.vanish();
    let urls = [gone.url.clone(), here.url.clone()];
    // The listeners close some time after.
    let error = loop {
        match Client::builder().connect_all(&urls).await {
            Err(error) => break error,
            Ok(_) => tokio::task::yield_now().await,
        }
    };
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    let none = Client::builder().connect_all([""; 0]).await.unwrap_err();
    assert!(matches!(none, Error::Config(_)), "{none:?}");
}

/// A name whose addresses can be changed.
#[derive(Clone)]
struct Name(Arc<Mutex<Vec<std::net::SocketAddr>>>);

impl Name {
    fn of(fakes: &[&Fake]) -> Self {
        let name = Self(Arc::default());
        name.set(fakes);
        name
    }

    fn set(&self, fakes: &[&Fake]) {
        *self.0.lock().unwrap() = fakes.iter().map(|fake| fake.address()).collect();
    }

    async fn connect(&self, interval: Duration) -> Client {
        let name = self.clone();
        let builder = Client::builder()
            .lookup_interval(interval)
            .resolver(move |host, port| {
                assert_eq!((host.as_str(), port), ("hashlane.example", 50051));
                let addresses = name.0.lock().unwrap().clone();
                std::future::ready(Ok(addresses))
            });
        builder.connect("hashlane.example:50051").await.unwrap()
    }
}

#[tokio::test]
async fn a_name_stands_for_all_its_addresses_and_is_looked_up_again() {
    let (mut first, mut second) = two().await;
    let name = Name::of(&[&first, &second]);
    let client = name.connect(Duration::from_millis(50)).await;
    tokio::time::timeout(PATIENCE, async {
        while first.calls() == 0 || second.calls() == 0 {
            digest(&client).await;
            digest(&client).await;
        }
    })
    .await
    .expect("one address gets all calls");
    // The first goes on serving, but the name is no longer its.
    name.set(&[&second]);
    until_only(&client, &mut second, 50).await;
    // A name without addresses keeps its former ones.
    name.set(&[]);
    until_only(&client, &mut second, 50).await;
    name.set(&[&first]);
    until_only(&client, &mut first, 50).await;
}

#[tokio::test]
async fn a_name_is_looked_up_again_when_its_server_is_gone() {
    let (mut first, mut second) = two().await;
    let name = Name::of(&[&first]);
    let client = name.connect(Duration::from_secs(24 * 60 * 60)).await;
    digest(&client).await;
    name.set(&[&second]);
    first.vanish();
    // The call itself waits for the new address.
    until_only(&client, &mut second, 1).await;
}
