//! Full lanes, messages of one length from 64 B to 1 MiB.

mod common;

use common::{Bench, buffers, check, crossover, human, peers, slices};
use hashlane_engine::{Algorithm, Batch};

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
}
