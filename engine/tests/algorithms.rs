//! Every algorithm has a unique name and the same value on every path.

use std::collections::HashMap;

use hashlane_engine::{
    Algorithm, Backend, Batch, Crossover, Digest, Engine, Event, Hasher, Kernel, hash_many,
};

/// The wire's names in the order of the enum, in lower case and without their prefix.
const NAMES: [&str; 28] = [
    "sha256",
    "sha224",
    "sha512",
    "sha384",
    "sha1",
    "md5",
    "crc32",
    "crc32c",
    "crc64nvme",
    "xxhash64",
    "xxhash3",
    "xxhash128",
    "blake3",
    "sha256_jlanes_x4",
    "sha256_jlanes_x8",
    "sha256_jlanes_x16",
    "md5_multihash_x4",
    "md5_multihash_x8",
    "md5_multihash_x16",
    "sha1_multihash_x4",
    "sha1_multihash_x8",
    "sha1_multihash_x16",
    "sha256_multihash_x4",
    "sha256_multihash_x8",
    "sha256_multihash_x16",
    "sha512_multihash_x4",
    "sha512_multihash_x8",
    "sha512_multihash_x16",
];

const LENGTHS: [usize; 9] = [0, 1, 63, 64, 1000, 1024, 2049, 20_000, 300_001];

fn message(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}

fn hasher(algorithm: Algorithm, chunks: &[&[u8]]) -> Digest {
    let mut hasher = Hasher::new(algorithm);
    chunks.iter().for_each(|chunk| hasher.update(chunk));
    hasher.finalize()
}

/// The digests of one part by all `algorithms` at once.
fn engine(algorithms: &[Algorithm], chunks: &[&[u8]]) -> HashMap<Algorithm, Digest> {
    let mut engine = Engine::new(Crossover::new(Backend::detect()));
    let part = engine.open(algorithms);
    for chunk in chunks {
        engine.push(part, *chunk);
    }
    engine.finish(part);
    while engine.step().is_some() {}
    let (mut digests, mut consumed, mut finished) = (HashMap::new(), 0, false);
    for event in engine.take_events() {
        match event {
            Event::Consumed { bytes, .. } => consumed += bytes,
            Event::Digest {
                algorithm, digest, ..
            } => assert!(
                digests.insert(algorithm, digest).is_none(),
                "{algorithm} twice"
            ),
            Event::Finished { .. } => finished = true,
        }
    }
    assert!(finished, "the part has ended");
    assert_eq!(
        consumed,
        chunks.iter().map(|chunk| chunk.len()).sum::<usize>()
    );
    digests
}

#[test]
fn names_are_the_wires_and_parse() {
    assert!(Algorithm::all().map(Algorithm::name).eq(NAMES));
    for algorithm in Algorithm::all() {
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
        assert_eq!(algorithm.to_string(), algorithm.name());
    }
    for wrong in ["", "SHA256", "sha256 ", "sha256_jlanes_x32"] {
        let error = wrong.parse::<Algorithm>().expect_err("no algorithm");
        assert!(error.to_string().contains("sha512_multihash_x16"));
    }
}

#[test]
fn one_value_whoever_computes_it() {
    let messages: Vec<Vec<u8>> = LENGTHS.map(message).into();
    let whole: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let all: Vec<Algorithm> = Algorithm::all().collect();
    let chunks = |message: &&[u8]| -> Vec<Vec<u8>> {
        let at = message.len() / 3;
        vec![message[..at].to_vec(), Vec::new(), message[at..].to_vec()]
    };
    let chunked: Vec<_> = whole.iter().map(chunks).collect();
    let together: Vec<_> = chunked
        .iter()
        .map(|chunks| {
            let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            engine(&all, &chunks)
        })
        .collect();
    for algorithm in all {
        let many = hash_many(algorithm, &whole);
        for (i, message) in whole.iter().enumerate() {
            let what = format!("{algorithm} of {} bytes", message.len());
            let expected = hasher(algorithm, &[message]);
            assert_eq!(expected.len(), algorithm.digest_bytes(), "{what}");
            let chunks: Vec<&[u8]> = chunked[i].iter().map(Vec::as_slice).collect();
            assert_eq!(hasher(algorithm, &chunks), expected, "{what}, in chunks");
            assert_eq!(many[i], expected, "{what}, hash_many");
            assert_eq!(together[i][&algorithm], expected, "{what}, with all others");
            let alone = engine(&[algorithm], &chunks);
            assert_eq!(alone[&algorithm], expected, "{what}, alone");
        }
    }
}

/// Messages of all lengths in the lanes of every kernel that this CPU has, by itself.
#[test]
fn every_kernel_by_itself() {
    let messages: Vec<Vec<u8>> = (0..150).map(|i| message(i * 7 + i / 100 * 900)).collect();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    for kernel in Kernel::all() {
        let Some(crossover) = Crossover::only(kernel) else {
            continue; // not on this CPU
        };
        for algorithm in Algorithm::all().filter(|a| a.family() == Some(kernel.family())) {
            let digests = Batch::new(crossover.clone(), algorithm).hash(&messages);
            for (message, digest) in messages.iter().zip(digests) {
                let len = message.len();
                assert_eq!(digest, hasher(algorithm, &[message]), "{kernel}: {len}");
            }
        }
    }
}

/// Algorithms of the same length are not the same function.
#[test]
fn no_two_values_are_alike() {
    let bytes = message(1000);
    let mut digests: Vec<Digest> = Algorithm::all()
        .map(|algorithm| hasher(algorithm, &[&bytes]))
        .collect();
    digests.sort_by(|a, b| a[..].cmp(b));
    digests.dedup();
    assert_eq!(digests.len(), NAMES.len());
}
