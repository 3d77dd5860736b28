//! 32 lanes with the data in L1, L2, L3 and memory, as in the figure of the
//! S-HASH paper: where the bytes lie decides how fast they are hashed.

mod common;

use std::hint::black_box;

use common::{Bench, Who, buffers, crossover, human, peers, slices};
use hashlane_engine::{Algorithm, Batch};

fn main() {
    let bench = Bench::new("cache");
    for len in [
        512,
        1 << 10,
        4 << 10,
        16 << 10,
        32 << 10,
        64 << 10,
        256 << 10,
        1 << 20,
        4 << 20,
    ] {
        if bench.is_brief() && len > 1 << 20 {
            continue;
        }
        let lengths = vec![len; 32];
        let data = buffers(&lengths, 7);
        let messages = slices(&data, &lengths);
        let case = format!("32 x {} = {}", human(len), human(32 * len));
        bench.case(&case, len * 32, peers(&messages));
    }
    // In L2 and in memory; as many messages as the widest kernels have lanes.
    for algorithm in [Algorithm::Sha512, Algorithm::Sha1, Algorithm::Md5] {
        for (count, len) in [(32, 16 << 10), (64, 16 << 10), (64, 1 << 20)] {
            let lengths = vec![len; count];
            let data = buffers(&lengths, 7);
            let messages = slices(&data, &lengths);
            let mut batch = Batch::new(crossover(), algorithm);
            let who = Who::new("hashlane", || {
                black_box(batch.hash(black_box(&messages)));
            });
            let case = format!("{algorithm} {count} x {}", human(len));
            bench.case(&case, len * count, vec![who]);
        }
    }
}
