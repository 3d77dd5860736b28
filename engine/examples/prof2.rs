use hashlane_engine::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (count, len, rounds): (usize, usize, usize) = (
        args[1].parse().unwrap(),
        args[2].parse().unwrap(),
        args[3].parse().unwrap(),
    );
    let mut batch = Batch::new(Crossover::calibrate(&Backend::detect()), Algorithm::Sha256);
    let pool = vec![7u8; count * (len + 64)];
    let messages: Vec<&[u8]> = (0..count).map(|i| &pool[i * (len + 64)..][..len]).collect();
    let start = std::time::Instant::now();
    for _ in 0..rounds {
        std::hint::black_box(batch.hash(std::hint::black_box(&messages)));
    }
    let s = start.elapsed().as_secs_f64();
    println!(
        "{:.3} GB/s, {:.1} ns a message",
        (count * len * rounds) as f64 / s / 1e9,
        s * 1e9 / (count * rounds) as f64
    );
}
