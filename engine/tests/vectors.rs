//! NIST CAVP vectors of SHA-256 (SHAVS byte-oriented, CAVS 11.0), through the
//! engine, whole-message hashing and the single-stream hasher, on every kernel
//! this machine has.

mod common;

use std::collections::HashMap;

use common::crossovers;
use digest::Digest as _;
use hashlane_engine::{Batch, Digest, Engine, Kernel, Sha256};

const SHORT: &str = include_str!("vectors/SHA256ShortMsg.rsp");
const LONG: &str = include_str!("vectors/SHA256LongMsg.rsp");
const MONTE: &str = include_str!("vectors/SHA256Monte.rsp");

fn hex(text: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// The message and digest of every `Len`, `Msg`, `MD` group of a response file.
fn parse(file: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut vectors = Vec::new();
    let (mut bits, mut message) = (0, Vec::new());
    for line in file.lines() {
        match line.trim().split_once(" = ") {
            Some(("Len", value)) => bits = value.parse().expect("a number"),
            Some(("Msg", value)) => {
                message = hex(value);
                message.truncate(bits / 8);
            }
            Some(("MD", value)) => vectors.push((message.clone(), hex(value))),
            _ => {}
        }
    }
    vectors
}

fn all() -> Vec<(Vec<u8>, Vec<u8>)> {
    let vectors = [parse(SHORT), parse(LONG)].concat();
    assert_eq!(vectors.len(), 65 + 64, "the files are whole");
    vectors
}

#[test]
fn engine_on_every_kernel() {
    let vectors = all();
    for (name, crossover) in crossovers() {
        let mut engine = Engine::new(crossover);
        let mut want = HashMap::new();
        for (message, digest) in &vectors {
            let job = engine.open();
            engine.push(job, message.as_slice());
            engine.finish(job);
            want.insert(job, digest);
        }
        for (job, digest) in common::run(&mut engine) {
            let expected = want.remove(&job).expect("each job ends once");
            assert_eq!(digest.as_slice(), expected, "{name}");
        }
        assert!(want.is_empty(), "{name}: every job ended");
    }
}

#[test]
fn batch_on_every_kernel() {
    let vectors = all();
    let messages: Vec<&[u8]> = vectors.iter().map(|(message, _)| &message[..]).collect();
    for (name, crossover) in crossovers() {
        let digests = Batch::new(crossover).hash(&messages);
        for (digest, (_, expected)) in digests.iter().zip(&vectors) {
            assert_eq!(digest.as_slice(), expected, "{name}");
        }
    }
}

/// SHAVS section 6.4: a thousand digests of the last three, a hundred times over.
#[test]
fn monte_carlo_with_the_single_stream_hasher() {
    let line = |name: &str| {
        let mut values = MONTE.lines().filter_map(|line| line.split_once(" = "));
        let found = values.find(|(key, _)| key.trim() == name);
        hex(found.expect("the field is there").1.trim())
    };
    let mut seed: Digest = line("Seed").try_into().expect("32 bytes");
    let expected: Vec<Vec<u8>> = MONTE
        .lines()
        .filter_map(|line| line.strip_prefix("MD = "))
        .map(|value| hex(value.trim()))
        .collect();
    assert_eq!(expected.len(), 100, "the file is whole");
    for expected in expected {
        let mut last = [seed; 3];
        for _ in 0..1000 {
            let digest: Digest = Sha256::digest(last.concat()).into();
            last = [last[1], last[2], digest];
        }
        seed = last[2];
        assert_eq!(seed.as_slice(), expected);
    }
}

#[test]
fn single_stream_hasher_on_every_one_lane_kernel() {
    let vectors = all();
    let kernels = Kernel::ALL.into_iter().filter(|kernel| kernel.lanes() == 1);
    let mut tried = 0;
    for kernel in kernels.filter(|kernel| kernel.is_available()) {
        tried += 1;
        for (message, expected) in &vectors {
            let mut hasher = Sha256::with_kernel(kernel).expect("available");
            hasher.update(message);
            assert_eq!(hasher.finalize().as_slice(), expected, "{kernel}");
        }
    }
    assert!(tried > 0, "portable runs everywhere");
}
