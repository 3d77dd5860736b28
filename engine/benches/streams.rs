//! Many streams that receive chunks in turn, through [`hashlane_engine::Engine`]: the
//! service's load without the service. Chunk lengths on and off block and page edges.

mod common;

use std::hint::black_box;

use common::{
    Bench, Who, crossover, human,
    load::{CHUNK_BYTES_MAX, Load, pool},
};
use hashlane_engine::{Algorithm, Digest, Engine};

fn sha2(load: &Load<'_>) -> Vec<Digest> {
    use sha2::Digest as _;
    let mut hashers = vec![sha2::Sha256::new(); load.streams];
    for start in load.starts() {
        for (stream, hasher) in hashers.iter_mut().enumerate() {
            hasher.update(load.chunk(stream, start));
        }
    }
    hashers
        .into_iter()
        .map(|hasher| Digest::new(&hasher.finalize()))
        .collect()
}

fn main() {
    let bench = Bench::new("streams");
    let pool = pool();
    for streams in [16, 64, 1024] {
        for chunk in [250, 256, 1021, 1024, 4093, 4096, 65536] {
            let load = Load {
                pool: &pool,
                streams,
                len: ((16 << 20) / streams).max(CHUNK_BYTES_MAX),
                chunk,
                algorithms: &[Algorithm::Sha256],
            };
            let mut engine = Engine::new(crossover());
            assert_eq!(load.lanes(&mut engine), sha2(&load), "a wrong digest");
            let whos = vec![
                Who::new("hashlane", move || {
                    black_box(black_box(load).lanes(&mut engine));
                }),
                Who::measure("sha2", move || {
                    black_box(sha2(black_box(&load)));
                }),
            ];
            let case = format!("{streams} streams, chunks of {}", human(chunk));
            bench.case(&case, load.bytes(), whos);
        }
    }
}
