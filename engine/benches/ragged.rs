//! 256 messages of log-uniform lengths, compared with as many bytes in equal lengths: the gain of
//! lane refill. Once as slices of one shared buffer (the data stays in cache) and once as distinct
//! buffers (it comes from memory). And one message that is a third of all bytes, which decides when
//! the batch ends.

mod common;

use common::{Bench, buffers, check, crossover, human, log_uniform, peers, slices};
use hashlane_engine::{Algorithm, Batch};

const COUNT: usize = 256;

fn main() {
    let bench = Bench::new("ragged");
    for (min, max) in [(1 << 10, 1 << 20), (16, 64 << 10)] {
        let ragged = log_uniform(COUNT, min, max, 3);
        let total: usize = ragged.iter().sum();
        let equal = vec![total / COUNT; COUNT];
        for (shape, lengths) in [("ragged", &ragged), ("equal", &equal)] {
            let total = lengths.iter().sum();
            let range = format!("{}..{}", human(min), human(max));

            let shared = buffers(&[max + 4096], 4);
            let from = |(i, len): (usize, &usize)| &shared[0][i * 64 % 4096..][..*len];
            let messages: Vec<&[u8]> = lengths.iter().enumerate().map(from).collect();
            check(
                &messages,
                &Batch::new(crossover(), Algorithm::Sha256).hash(&messages),
            );
            bench.case(&format!("{shape} {range} shared"), total, peers(&messages));

            let distinct = buffers(lengths, 5);
            let messages = slices(&distinct, lengths);
            bench.case(
                &format!("{shape} {range} distinct"),
                total,
                peers(&messages),
            );
        }
    }

    let mut lengths = vec![64 << 10; COUNT];
    lengths[COUNT / 2] = 8 << 20;
    let data = buffers(&lengths, 6);
    let messages = slices(&data, &lengths);
    check(
        &messages,
        &Batch::new(crossover(), Algorithm::Sha256).hash(&messages),
    );
    let total = lengths.iter().sum();
    bench.case("8MiB beside 64KiB", total, peers(&messages));
}
