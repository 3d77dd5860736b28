//! One lone stream of 8 KiB to 64 MiB: the tree modes compared with the plain hash.
//!
//! The last column is the ratio to the plain hash's crate. `HASHLANE_BENCH_KERNEL` has no effect
//! here: the tree modes choose among the kernels that take dealt words.

mod common;

use std::hint::black_box;

use common::{Bench, Who, buffers, human};
use hashlane_engine::{Algorithm, Hasher};

/// Our single stream of an algorithm.
fn ours<'a>(algorithm: Algorithm, message: &'a [u8]) -> Who<'a> {
    let is_plain = algorithm.family().is_some(); // crates are named like plain hashes
    let name = if is_plain {
        "hashlane"
    } else {
        algorithm.name()
    };
    Who::new(name, move || {
        let mut hasher = Hasher::new(algorithm);
        hasher.update(black_box(message));
        black_box(hasher.finalize());
    })
}

/// The plain hash's crate.
fn plain<'a, D: digest::Digest>(name: &str, message: &'a [u8]) -> Who<'a> {
    Who::measure(name, move || {
        black_box(D::digest(black_box(message)));
    })
}

fn ring<'a>(algorithm: &'static ring::digest::Algorithm, message: &'a [u8]) -> Who<'a> {
    Who::new("ring", move || {
        black_box(ring::digest::digest(algorithm, black_box(message)));
    })
}

fn main() {
    let bench = Bench::new("tree");
    for len in [8 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20, 64 << 20] {
        let data = buffers(&[len], 5);
        let message = data[0].as_slice();
        let trees = |algorithms: &[Algorithm]| -> Vec<Who<'_>> {
            let who = algorithms.iter().map(|algorithm| ours(*algorithm, message));
            who.collect()
        };
        let case = |hash: &str, peers: Vec<Who<'_>>, algorithms: &[Algorithm]| {
            let whos = peers.into_iter().chain(trees(algorithms)).collect();
            bench.case(&format!("{hash} {}", human(len)), len, whos);
        };
        case(
            "sha256",
            vec![
                plain::<sha2::Sha256>("sha2", message),
                ring(&ring::digest::SHA256, message),
            ],
            &[
                Algorithm::Sha256,
                Algorithm::Sha256JlanesX4,
                Algorithm::Sha256JlanesX8,
                Algorithm::Sha256JlanesX16,
                Algorithm::Sha256MultihashX4,
                Algorithm::Sha256MultihashX8,
                Algorithm::Sha256MultihashX16,
            ],
        );
        case(
            "sha512",
            vec![
                plain::<sha2::Sha512>("sha2", message),
                ring(&ring::digest::SHA512, message),
            ],
            &[Algorithm::Sha512, Algorithm::Sha512MultihashX16],
        );
        case(
            "sha1",
            vec![
                plain::<sha1::Sha1>("sha1", message),
                ring(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, message),
            ],
            &[Algorithm::Sha1, Algorithm::Sha1MultihashX16],
        );
        case(
            "md5",
            vec![plain::<md5::Md5>("md-5", message)],
            &[Algorithm::Md5, Algorithm::Md5MultihashX16],
        );
    }
}
