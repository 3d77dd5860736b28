//! Connections, their credentials, and settings.

use std::time::Duration;

use hashlane_client::{AlgorithmDigest, Client, Error, PartOptions, Source};

use crate::support::{Behaviour, Ca, Fake, TOKEN};
use crate::{default, serve, sha256};

#[tokio::test]
async fn calls_at_the_same_time_use_several_connections() {
    let (mut fake, client) = serve(Behaviour::Honest).await;
    for _ in 0..8 {
        client.digest("abc", default()).await.unwrap();
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
        (
            Client::builder(),
            "127.0.0.1:500511",
            "the port is not a number",
        ),
        (
            Client::builder(),
            "http://127.0.0.1:",
            "the port is not a number",
        ),
        (
            Client::builder(),
            "https://a:5005x",
            "invalid server address",
        ),
        (Client::builder(), "http://a:0", "port 0 is none"),
        (Client::builder(), "localhost", "the port is missing"),
        (
            Client::builder(),
            "http://me@a:1",
            "nothing but host and port",
        ),
        (
            Client::builder(),
            "http://a:1/path",
            "nothing but host and port",
        ),
        (
            Client::builder(),
            "http://a:1?x=y",
            "nothing but host and port",
        ),
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
    let answer = client.digest("abc", default()).await.unwrap();
    assert_eq!(answer.digests, [AlgorithmDigest::sha256(sha256(b"abc"))]);
    let verified = client
        .verify(Source::reader(&b"abc"[..]), &answer.digests)
        .await
        .unwrap();
    assert!(verified.is_match());
    client.server_info().await.unwrap();
    // A Unix socket stays on this machine, so the token may be sent.
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
    client.unwrap().digest("abc", default()).await.unwrap();
    let nameless = Client::connect(&fake.url).await.unwrap();
    let error = nameless.digest("abc", default()).await.unwrap_err();
    assert!(error.to_string().contains("no token"), "{error}");
}

#[test]
fn no_debug_shows_the_private_key() {
    let key = "c29tZXRoaW5n";
    let shown = format!("{:?}", Client::builder().certificate("", key));
    // Text and the list of its bytes.
    let bytes = format!("{:?}", key.as_bytes());
    for form in [key, bytes.trim_matches(['[', ']'])] {
        assert!(!shown.contains(form), "{shown}");
    }
}

#[tokio::test]
async fn over_tls_both_sides_show_certificates() {
    let ca = Ca::new();
    let fake = Fake::start_tls(Behaviour::Honest, &ca).await;
    let digest = sha256(b"abc");
    let trusting = || Client::builder().ca(ca.pem());
    let client = trusting().certificate(ca.pem(), ca.key_pem());
    let client = client.connect(&fake.url).await.unwrap();
    let answer = client.digest("abc", default()).await.unwrap();
    assert_eq!(answer.digests, [AlgorithmDigest::sha256(digest)]);

    // A server whose certificate leads to neither the system's roots nor others.
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
        Ok(client) => client.digest("abc", default()).await.map(drop),
        Err(error) => Err(error),
    };
    let error = stranger.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
}

#[tokio::test]
async fn a_key_of_another_certificate_is_told() {
    let (ca, other) = (Ca::new(), Ca::new());
    let fake = Fake::start_tls(Behaviour::Honest, &ca).await;
    for (certificate, key) in [(ca.pem(), other.key_pem()), ("none".into(), ca.key_pem())] {
        let builder = Client::builder().ca(ca.pem()).certificate(certificate, key);
        let error = builder.connect(&fake.url).await.unwrap_err();
        assert!(matches!(error, Error::Config(_)), "{error:?}");
        let told = error.to_string();
        assert!(told.contains("the client's certificate and key"), "{told}");
        assert!(!told.contains("server address"), "{told}");
    }
}
