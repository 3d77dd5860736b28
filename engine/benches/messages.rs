//! Full lanes, messages of one length from 64 B to 1 MiB.

mod common;

use std::hint::black_box;

use common::{Bench, Who, buffers, check, crossover, human, peers, slices};
use digest::Digest as _;
use hashlane_engine::{Algorithm, Batch, Sha256, hash_many};

fn main() {
    let bench = Bench::new("messages");
    let lengths = [
        64,
        128,
        256,
        512,
        1 << 10,
        2 << 10,
        4 << 10,
        16 << 10,
        64 << 10,
        256 << 10,
        1 << 20,
    ];
    for len in lengths {
        // Short messages many at a time, as a batch has them; long ones once per lane.
        let count = if len <= 4 << 10 { 256 } else { 32 };
        let lengths = vec![len; count];
        let data = buffers(&lengths, 2);
        let messages = slices(&data, &lengths);
        check(
            &messages,
            &Batch::new(crossover(), Algorithm::Sha256).hash(&messages),
        );
        let case = format!("{count} x {}", human(len));
        bench.case(&case, len * count, peers(&messages));
    }
    // Without lanes that are warm.
    let lengths = [64; 32];
    let data = buffers(&lengths, 2);
    let messages = slices(&data, &lengths);
    let mut batch = Batch::new(crossover(), Algorithm::Sha256);
    let whos = vec![
        Who::new("hash_many", || {
            black_box(hash_many(Algorithm::Sha256, black_box(&messages)));
        }),
        Who::new("Batch", || {
            black_box(batch.hash(black_box(&messages)));
        }),
        Who::measure("one by one", || {
            for message in black_box(&messages) {
                black_box(Sha256::digest(message));
            }
        }),
    ];
    bench.case("hash_many 32 x 64B", 64 * 32, whos);
}
