//! Files as one batch: digests in input order, errors per file.

mod common;

use std::{fs, io};

use common::{crossovers, oracle, pattern, with_lanes};
use hashlane_engine::{Algorithm, FileBatch, hash_files};

#[test]
fn files_of_many_lengths_on_every_kernel() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let edges = [
        0, 1, 55, 56, 63, 64, 65, 4095, 4096, 16_383, 16_384, 16_385, 65_536, 300_001,
    ];
    let lengths: Vec<usize> = (0..60)
        .map(|i| edges[i % edges.len()] + i / edges.len())
        .collect();
    let mut paths = Vec::new();
    for (i, len) in lengths.iter().enumerate() {
        let path = folder.path().join(i.to_string());
        fs::write(&path, pattern(i, *len)).expect("writable");
        paths.push(path);
    }
    let some_sinks = [Algorithm::Crc64Nvme, Algorithm::Blake3];
    for algorithm in with_lanes().into_iter().chain(some_sinks) {
        let messages = lengths.iter().enumerate();
        let expected: Vec<_> = messages
            .map(|(i, len)| oracle(algorithm, &pattern(i, *len)))
            .collect();
        for (name, crossover) in crossovers() {
            let digests = FileBatch::new(crossover, algorithm).hash(&paths);
            assert_eq!(digests.len(), expected.len());
            for (digest, expected) in digests.into_iter().zip(&expected) {
                let digest = digest.expect("readable");
                assert_eq!(digest, *expected, "{name}: {algorithm}");
            }
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_others_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = folder.path().join("good");
    fs::write(&good, b"abc").expect("writable");
    let missing = folder.path().join("missing");
    let outcomes = hash_files(
        Algorithm::Sha256,
        &[&good, &missing, &folder.path().to_path_buf(), &good],
    );
    let kind = |i: usize| outcomes[i].as_ref().map_err(io::Error::kind).copied();
    assert_eq!(kind(0), Ok(oracle(Algorithm::Sha256, b"abc")));
    assert_eq!(kind(1), Err(io::ErrorKind::NotFound));
    assert_eq!(kind(2), Err(io::ErrorKind::IsADirectory));
    assert_eq!(kind(3), Ok(oracle(Algorithm::Sha256, b"abc")));
}
