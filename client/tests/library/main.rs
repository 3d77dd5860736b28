//! The library against a small service: what it sends, and what it makes of every fault.
//!
//! One program, since linking takes longer than most tests.

mod connections;
#[cfg(feature = "embedded")]
mod embedded;
mod endpoints;
mod examples;
mod failures;
mod goaway;
mod multipart;
mod objects;
mod proxy_cuts;
mod retries;
mod runtimes;
mod servers;
mod shared_memory;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod whole_sources;

use hashlane_client::{Algorithm, AlgorithmDigest, Builder, Client, PartOptions};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use support::{Behaviour, Fake, Seen};

pub(crate) fn pattern(len: usize) -> Vec<u8> {
    // A period of 251: swapped blocks show.
    (0..=250).cycle().take(len).collect()
}

pub(crate) fn sha256(data: &[u8]) -> [u8; 32] {
    Sha256::digest(data).into()
}

/// What is asked for where nothing is.
pub(crate) fn default() -> PartOptions {
    PartOptions::default()
}

pub(crate) fn of<H: sha2::Digest>(algorithm: Algorithm, data: &[u8]) -> AlgorithmDigest {
    AlgorithmDigest::new(algorithm, &H::digest(data)).unwrap()
}

/// By three algorithms, the default not first among them.
pub(crate) fn three(data: &[u8]) -> [AlgorithmDigest; 3] {
    [
        of::<Md5>(Algorithm::Md5, data),
        of::<Sha256>(Algorithm::Sha256, data),
        of::<Sha1>(Algorithm::Sha1, data),
    ]
}

pub(crate) const THREE: [Algorithm; 3] = [Algorithm::Md5, Algorithm::Sha256, Algorithm::Sha1];

pub(crate) async fn serve(behaviour: Behaviour) -> (Fake, Client) {
    serve_by(behaviour, Client::builder()).await
}

pub(crate) async fn serve_by(behaviour: Behaviour, builder: Builder) -> (Fake, Client) {
    let fake = Fake::start(behaviour).await;
    let client = builder.connect(&fake.url).await.unwrap();
    (fake, client)
}

pub(crate) async fn until(fake: &mut Fake, wanted: impl Fn(Seen) -> bool) {
    while !wanted(fake.seen().await) {}
}
