//! 32 streams with several digests each, in one pass of [`Engine`], compared with the plain crates,
//! one after another over each chunk (`crates`), and with a pass of the engine for each digest
//! (`apart`). GB/s of message bytes, however many digests they have.

mod common;

use std::hint::black_box;

use common::{
    Bench, Who, crossover,
    load::{CHUNK_BYTES_MAX, Load, pool},
};
use digest::DynDigest;
use hashlane_engine::{Algorithm, DIGEST_BYTES_MAX, Digest, Engine};

const STREAMS: usize = 32;

/// A plain crate's hasher.
enum Plain {
    Hash(Box<dyn DynDigest>),
    Crc(Box<crc_fast::Digest>),
}

impl Plain {
    fn new(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Sha256 => Self::Hash(Box::<sha2::Sha256>::default()),
            Algorithm::Sha512 => Self::Hash(Box::<sha2::Sha512>::default()),
            Algorithm::Sha1 => Self::Hash(Box::<sha1::Sha1>::default()),
            Algorithm::Md5 => Self::Hash(Box::<md5::Md5>::default()),
            Algorithm::Crc64Nvme => {
                let crc = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc64Nvme);
                Self::Crc(Box::new(crc))
            }
            other => unreachable!("no case has {other}"),
        }
    }

    fn update(&mut self, chunk: &[u8]) {
        match self {
            Self::Hash(hasher) => hasher.update(chunk),
            Self::Crc(crc) => crc.update(chunk),
        }
    }

    fn finalize(self) -> Digest {
        match self {
            Self::Hash(mut hasher) => {
                let mut bytes = [0; DIGEST_BYTES_MAX];
                let bytes = &mut bytes[..hasher.output_size()];
                let fits = hasher.finalize_into_reset(bytes);
                fits.expect("as long as its output");
                Digest::new(bytes)
            }
            Self::Crc(crc) => Digest::new(&crc.finalize().to_be_bytes()),
        }
    }
}

fn crates(load: &Load<'_>) -> Vec<Digest> {
    let of_each = (0..load.streams).flat_map(|_| load.algorithms);
    let mut hashers: Vec<Plain> = of_each.map(|algorithm| Plain::new(*algorithm)).collect();
    for start in load.starts() {
        let streams = hashers.chunks_exact_mut(load.algorithms.len());
        for (stream, hashers) in streams.enumerate() {
            let chunk = load.chunk(stream, start);
            for hasher in hashers {
                hasher.update(chunk);
            }
        }
    }
    hashers.into_iter().map(Plain::finalize).collect()
}

fn main() {
    let bench = Bench::new("multi_digest");
    let pool = pool();
    let crossover = crossover();
    let cases: [&[Algorithm]; 4] = [
        &[Algorithm::Sha256],
        &[Algorithm::Sha256, Algorithm::Md5],
        &[Algorithm::Sha256, Algorithm::Md5, Algorithm::Crc64Nvme],
        &[
            Algorithm::Sha256,
            Algorithm::Sha512,
            Algorithm::Sha1,
            Algorithm::Md5,
        ],
    ];
    for algorithms in cases {
        let load = Load {
            pool: &pool,
            streams: STREAMS,
            len: (16 << 20) / STREAMS,
            chunk: CHUNK_BYTES_MAX,
            algorithms,
        };
        let mut engine = Engine::new(crossover.clone());
        assert_eq!(load.lanes(&mut engine), crates(&load), "a wrong digest");
        let mut apart = Engine::new(crossover.clone());
        let whos = vec![
            Who::new("hashlane", || {
                black_box(black_box(load).lanes(&mut engine));
            }),
            Who::measure("crates", || {
                black_box(crates(black_box(&load)));
            }),
            Who::new("apart", || {
                for algorithms in load.algorithms.chunks(1) {
                    let load = Load { algorithms, ..load };
                    black_box(black_box(load).lanes(&mut apart));
                }
            }),
        ];
        let names: Vec<&str> = algorithms.iter().map(|a| a.name()).collect();
        bench.case(&names.join("+"), load.bytes(), whos);
    }
}
