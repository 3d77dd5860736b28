//! The published vectors through everything that hashes, on every kernel of this machine by
//! itself: the engine, batches, and the single-stream hashers.
//!
//! NIST CAVP (SHAVS, byte-oriented, CAVS 11.0 and 11.1); RFC 1321, appendix A.5.

mod common;

use std::collections::HashMap;

use common::{available, crossovers};
use hashlane_engine::{
    Algorithm, Batch, Crossover, Digest, Engine, Kernel, Md5, PartId, Sha1, Sha224, Sha256, Sha384,
    Sha512,
};

/// An algorithm's files of messages and of Monte Carlo digests, and how many messages they
/// hold.
struct Files {
    algorithm: Algorithm,
    messages: &'static [&'static str],
    monte: Option<&'static str>,
    count: usize,
}

macro_rules! shavs {
    ($algorithm:ident, $name:literal, $count:literal) => {
        Files {
            algorithm: Algorithm::$algorithm,
            messages: &[
                include_str!(concat!("vectors/", $name, "ShortMsg.rsp")),
                include_str!(concat!("vectors/", $name, "LongMsg.rsp")),
            ],
            monte: Some(include_str!(concat!("vectors/", $name, "Monte.rsp"))),
            count: $count,
        }
    };
}

const FILES: [Files; 6] = [
    shavs!(Sha1, "SHA1", 129),
    shavs!(Sha224, "SHA224", 129),
    shavs!(Sha256, "SHA256", 129),
    shavs!(Sha384, "SHA384", 257),
    shavs!(Sha512, "SHA512", 257),
    Files {
        algorithm: Algorithm::Md5,
        messages: &[include_str!("vectors/MD5.rsp")],
        monte: None,
        count: 7,
    },
];

fn hex(text: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(text).expect("lower-case hexadecimal")
}

/// The `name = value` lines of a response file.
fn fields(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.lines()
        .filter_map(|line| line.trim().split_once(" = "))
}

/// The message and digest of every `Len`, `Msg`, `MD` group of an algorithm's files.
fn messages(files: &Files) -> Vec<(Vec<u8>, Digest)> {
    let mut vectors = Vec::new();
    let (mut bits, mut message) = (0, Vec::new());
    for (name, value) in files.messages.iter().flat_map(|file| fields(file)) {
        match name {
            "Len" => bits = value.parse().expect("a number"),
            "Msg" => message = hex(value),
            "MD" => {
                // The empty message stands there as `00`.
                message.truncate(bits / 8);
                assert_eq!(message.len() * 8, bits);
                vectors.push((message.clone(), Digest::new(&hex(value))));
            }
            _ => {}
        }
    }
    assert_eq!(vectors.len(), files.count, "the files are whole");
    vectors
}

#[test]
fn engine_on_every_kernel() {
    for files in &FILES {
        let vectors = messages(files);
        for (name, crossover) in crossovers() {
            let mut engine = Engine::new(crossover);
            let mut want: HashMap<PartId, Digest> = HashMap::new();
            for (message, digest) in &vectors {
                let part = engine.open(&[files.algorithm]);
                engine.push(part, message.as_slice());
                engine.finish(part);
                want.insert(part, *digest);
            }
            for (part, algorithm, digest) in common::run(&mut engine) {
                assert_eq!(want.remove(&part), Some(digest), "{name}: {algorithm}");
            }
            assert!(want.is_empty(), "{name}: every part ended");
        }
    }
}

#[test]
fn batch_on_every_kernel() {
    for files in &FILES {
        let vectors = messages(files);
        let (messages, expected): (Vec<&[u8]>, Vec<Digest>) = vectors
            .iter()
            .map(|(message, digest)| (message.as_slice(), *digest))
            .unzip();
        for (name, crossover) in crossovers() {
            let digests = Batch::new(crossover, files.algorithm).hash(&messages);
            assert_eq!(digests, expected, "{name}: {}", files.algorithm);
        }
        let digests = hashlane_engine::hash_many(files.algorithm, &messages);
        assert_eq!(digests, expected, "{}", files.algorithm);
    }
}

/// The digest by the drop-in hasher with that kernel.
fn by_hasher(algorithm: Algorithm, kernel: Kernel, message: &[u8]) -> Digest {
    fn of<H: digest::Digest>(hasher: Option<H>, message: &[u8]) -> Digest {
        let hasher = hasher.expect("an available kernel of one lane");
        Digest::new(&hasher.chain_update(message).finalize())
    }
    match algorithm {
        Algorithm::Sha1 => of(Sha1::with_kernel(kernel), message),
        Algorithm::Sha224 => of(Sha224::with_kernel(kernel), message),
        Algorithm::Sha256 => of(Sha256::with_kernel(kernel), message),
        Algorithm::Sha384 => of(Sha384::with_kernel(kernel), message),
        Algorithm::Sha512 => of(Sha512::with_kernel(kernel), message),
        Algorithm::Md5 => of(Md5::with_kernel(kernel), message),
        _ => panic!("{algorithm} has no drop-in"),
    }
}

/// The same by the fastest hasher on this CPU.
fn by_default(algorithm: Algorithm, message: &[u8]) -> Digest {
    fn of<H: digest::Digest>(message: &[u8]) -> Digest {
        Digest::new(&H::digest(message))
    }
    match algorithm {
        Algorithm::Sha1 => of::<Sha1>(message),
        Algorithm::Sha224 => of::<Sha224>(message),
        Algorithm::Sha256 => of::<Sha256>(message),
        Algorithm::Sha384 => of::<Sha384>(message),
        Algorithm::Sha512 => of::<Sha512>(message),
        Algorithm::Md5 => of::<Md5>(message),
        _ => panic!("{algorithm} has no drop-in"),
    }
}

#[test]
fn single_stream_hashers_on_every_one_lane_kernel() {
    for files in &FILES {
        let family = files.algorithm.family().expect("an algorithm with lanes");
        let mut single = available(family);
        single.retain(|kernel| kernel.lanes() == 1);
        assert!(!single.is_empty(), "portable runs everywhere");
        for (message, expected) in messages(files) {
            for kernel in &single {
                let digest = by_hasher(files.algorithm, *kernel, &message);
                assert_eq!(digest, expected, "{kernel}");
            }
            let digest = by_default(files.algorithm, &message);
            assert_eq!(digest, expected, "{}", files.algorithm);
        }
    }
}

/// SHAVS section 6.4: a thousand digests of the last three, a hundred times over; fewer of
/// these if they take long. `hash` is tried with `lanes` of the same at once.
fn monte_carlo(files: &Files, count: usize, mut hash: impl FnMut(&[u8]) -> Digest) {
    let Some(file) = files.monte else { return };
    let of = |name| {
        fields(file)
            .filter(move |field| field.0 == name)
            .map(|field| hex(field.1))
    };
    let mut seed = of("Seed").next().expect("a seed");
    assert_eq!(of("MD").count(), 100, "the file is whole");
    for expected in of("MD").take(count) {
        let mut last = [seed.clone(), seed.clone(), seed];
        for _ in 0..1000 {
            let digest = hash(&last.concat()).to_vec();
            last.rotate_left(1);
            last[2] = digest;
        }
        [_, _, seed] = last;
        assert_eq!(seed, expected, "{}", files.algorithm);
    }
}

#[test]
fn monte_carlo_with_the_single_stream_hashers() {
    for files in &FILES {
        monte_carlo(files, 100, |message| by_default(files.algorithm, message));
    }
}

/// All lanes of a kernel go through the same chain of digests and must agree.
#[test]
fn monte_carlo_on_every_kernel() {
    for files in &FILES {
        let family = files.algorithm.family().expect("an algorithm with lanes");
        for kernel in available(family) {
            let crossover = Crossover::only(kernel).expect("available");
            let mut batch = Batch::new(crossover.clone(), files.algorithm);
            monte_carlo(files, 3, |message| {
                let digests = batch.hash(&vec![message; kernel.lanes()]);
                assert!(
                    digests.iter().all(|digest| *digest == digests[0]),
                    "{kernel}"
                );
                digests[0]
            });
            let mut engine: Engine<Vec<u8>> = Engine::new(crossover);
            monte_carlo(files, 2, |message| {
                let part = engine.open(&[files.algorithm]);
                engine.push(part, message.to_vec());
                engine.finish(part);
                let digests = common::run(&mut engine);
                assert_eq!(digests.len(), 1, "{kernel}");
                digests[0].2
            });
        }
    }
}
