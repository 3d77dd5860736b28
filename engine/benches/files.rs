//! The two folders of Gueron and Krasnov 2012, rebuilt by a generator, with warm
//! caches: DIVERSE, 350 files of 3 B to 7.18 MB, 79 MB in all; UNIFORM, 8 files
//! of 17.76 MB.

#![allow(clippy::cast_precision_loss)] // lengths far below 2^52

mod common;

use std::{
    fs::{self, File},
    hint::black_box,
    io::Read as _,
    path::{Path, PathBuf},
};

use common::{Bench, Who, crossover};
use hashlane_engine::{Algorithm, Crossover, Digest, Family, FileBatch, Kernel};
use rand::{RngCore as _, SeedableRng as _, rngs::SmallRng};

const DIVERSE_FILES: usize = 350;
const DIVERSE_BYTES_MIN: f64 = 3.0;
const DIVERSE_BYTES_MAX: f64 = 7.18e6;
const DIVERSE_BYTES: f64 = 79e6;

/// Lengths from the smallest to the largest, spread geometrically and bent so
/// that they add up to the paper's total.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 3 to 7.18e6
fn diverse() -> Vec<usize> {
    let lengths = |bend: f64| -> Vec<usize> {
        let length = |i: usize| {
            let u = i as f64 / (DIVERSE_FILES - 1) as f64;
            let ratio = DIVERSE_BYTES_MAX / DIVERSE_BYTES_MIN;
            (DIVERSE_BYTES_MIN * ratio.powf(u.powf(bend))).round() as usize
        };
        (0..DIVERSE_FILES).map(length).collect()
    };
    let (mut low, mut high) = (0.1, 10.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if lengths(middle).iter().sum::<usize>() as f64 > DIVERSE_BYTES {
            low = middle;
        } else {
            high = middle;
        }
    }
    lengths(high)
}

fn write(folder: &Path, lengths: &[usize]) -> Vec<PathBuf> {
    let mut random = SmallRng::seed_from_u64(8);
    let mut file = |(i, len): (usize, &usize)| {
        let path = folder.join(format!("{i}.bin"));
        let mut data = vec![0; *len];
        random.fill_bytes(&mut data);
        fs::write(&path, data).expect("the temporary folder is writable");
        path
    };
    lengths.iter().enumerate().map(&mut file).collect()
}

fn sha2_of(path: &Path, buffer: &mut [u8]) -> Digest {
    use sha2::Digest as _;
    let mut file = File::open(path).expect("readable");
    let mut hasher = sha2::Sha256::new();
    loop {
        match file.read(buffer).expect("readable") {
            0 => return Digest::new(&hasher.finalize()),
            bytes => hasher.update(&buffer[..bytes]),
        }
    }
}

fn main() {
    let bench = Bench::new("files");
    for (name, lengths) in [("DIVERSE", diverse()), ("UNIFORM", vec![17_760_000; 8])] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let paths = write(folder.path(), &lengths);
        let total = lengths.iter().sum();
        let mut buffer = vec![0; 64 << 10];
        let mut ours = FileBatch::new(crossover(), Algorithm::Sha256);
        let portable = Crossover::only(Kernel::portable(Family::Sha256));
        let mut portable = FileBatch::new(portable.expect("runs everywhere"), Algorithm::Sha256);
        for (digest, path) in ours.hash(&paths).into_iter().zip(&paths) {
            assert_eq!(digest.expect("readable"), sha2_of(path, &mut buffer));
        }
        let whos = vec![
            Who::new("hashlane", || drop(black_box(ours.hash(&paths)))),
            Who::measure("sha2", || {
                for path in &paths {
                    black_box(sha2_of(path, &mut buffer));
                }
            }),
            Who::new("portable", || drop(black_box(portable.hash(&paths)))),
        ];
        bench.case(name, total, whos);
    }
}
