//! Files as one batch: digests in input order, errors per file.

mod common;

use std::{fs, io};

use common::{crossovers, pattern, sha2_of};
use hashlane_engine::{FileBatch, hash_files};

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
    for (name, crossover) in crossovers() {
        let digests = FileBatch::new(crossover).hash(&paths);
        for (i, (digest, len)) in digests.into_iter().zip(&lengths).enumerate() {
            let expected = sha2_of(&pattern(i, *len));
            assert_eq!(digest.expect("readable"), expected, "{name}: {len} bytes");
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_others_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = folder.path().join("good");
    fs::write(&good, b"abc").expect("writable");
    let missing = folder.path().join("missing");
    let outcomes = hash_files(&[&good, &missing, &folder.path().to_path_buf(), &good]);
    let kind = |i: usize| outcomes[i].as_ref().map_err(io::Error::kind).copied();
    assert_eq!(kind(0), Ok(sha2_of(b"abc")));
    assert_eq!(kind(1), Err(io::ErrorKind::NotFound));
    assert_eq!(kind(2), Err(io::ErrorKind::IsADirectory));
    assert_eq!(kind(3), Ok(sha2_of(b"abc")));
}
