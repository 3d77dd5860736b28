//! Every number of lanes from 1 to 32, messages of 16 KiB and 64 KiB: what a
//! step takes with few jobs, and where the wide kernels begin to pay.

mod common;

use common::{Bench, buffers, check, crossover, human, peers, slices};
use hashlane_engine::{Algorithm, Batch};

fn main() {
    let bench = Bench::new("occupancy");
    for len in [16 << 10, 64 << 10] {
        for lanes in 1..=32 {
            let lengths = vec![len; lanes];
            let data = buffers(&lengths, 1);
            let messages = slices(&data, &lengths);
            check(
                &messages,
                &Batch::new(crossover(), Algorithm::Sha256).hash(&messages),
            );
            let case = format!("{lanes} lanes of {}", human(len));
            bench.case(&case, len * lanes, peers(&messages));
        }
    }
}
