//! Threads that share one worker of [`Shared`], compared with threads that hash for themselves with
//! the plain crates (`crates`): CPU seconds per GB of all threads. `chunks` passes chunks without a
//! copy, `writes` copies them through `io::Write`.
//!
//! `HASHLANE_BENCH_BRIEF=1` measures once and briefly, as in the other benches.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a bench prints
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // arbitrary bytes; figures

use std::io::Write as _;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashlane_engine::{Algorithm, Shared};
use rustix::time::{ClockId, clock_gettime};

const THREADS: usize = 8;
const CHUNK: usize = 256 << 10;
/// A thread's data, in chunks: it does not fit into the L2 cache.
const POOL: usize = 4 << 20;

fn cpu_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap()
}

/// One thread's data.
fn pool(seed: u8) -> Vec<Bytes> {
    let chunk = |n: usize| -> Vec<u8> { (0..CHUNK).map(|i| (i * 31 + n) as u8 ^ seed).collect() };
    (0..POOL / CHUNK).map(|n| Bytes::from(chunk(n))).collect()
}

fn crates(algorithms: &[Algorithm], chunks: impl Iterator<Item = Bytes>) {
    use sha2::Digest as _;
    let (mut sha256, mut md5) = (sha2::Sha256::new(), md5::Md5::new());
    for chunk in chunks {
        for algorithm in algorithms {
            match algorithm {
                Algorithm::Sha256 => sha256.update(&chunk),
                Algorithm::Md5 => md5.update(&chunk),
                other => unreachable!("no case has {other}"),
            }
        }
    }
    std::hint::black_box((sha256.finalize(), md5.finalize()));
}

/// CPU seconds and wall-clock seconds per GB, if each thread hashes a part of `bytes`.
fn measure(
    bytes: usize,
    pools: &[Vec<Bytes>],
    hash: impl Fn(&mut dyn Iterator<Item = Bytes>) + Sync,
) -> (f64, f64) {
    let (cpu, start) = (cpu_time(), Instant::now());
    std::thread::scope(|scope| {
        for pool in pools {
            let hash = &hash;
            scope.spawn(move || hash(&mut pool.iter().cycle().take(bytes / CHUNK).cloned()));
        }
    });
    let gb = (bytes * pools.len()) as f64 / 1e9;
    (
        (cpu_time() - cpu).as_secs_f64() / gb,
        start.elapsed().as_secs_f64() / gb,
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let brief = std::env::var_os("HASHLANE_BENCH_BRIEF").is_some();
    let (rounds, bytes) = if brief { (1, POOL) } else { (5, 64 << 20) };
    let pools: Vec<_> = (0..THREADS).map(|n| pool(n as u8)).collect();
    let shared = Shared::new(1).expect("a thread");
    eprintln!("{THREADS} threads, one worker      CPU s/GB   of crates       GB/s");
    for algorithms in [
        &[Algorithm::Sha256][..],
        &[Algorithm::Md5],
        &[Algorithm::Sha256, Algorithm::Md5],
    ] {
        let mut times: [(Vec<f64>, Vec<f64>); 3] = Default::default();
        for _ in 0..rounds {
            let runs = [
                measure(bytes, &pools, |chunks| crates(algorithms, chunks)),
                measure(bytes, &pools, |chunks| {
                    let mut part = shared.open(algorithms);
                    chunks.for_each(|chunk| part.update(chunk).unwrap());
                    part.finish().unwrap();
                }),
                measure(bytes, &pools, |chunks| {
                    let mut part = shared.open(algorithms);
                    chunks.for_each(|chunk| part.write_all(&chunk).unwrap());
                    part.finish().unwrap();
                }),
            ];
            for ((cpu, wall), run) in times.iter_mut().zip(runs) {
                cpu.push(run.0);
                wall.push(run.1);
            }
        }
        let names: Vec<_> = algorithms.iter().map(ToString::to_string).collect();
        let names = names.join(",");
        let medians = times.map(|(cpu, wall)| (median(cpu), 1.0 / median(wall)));
        for (who, (cpu, rate)) in ["crates", "chunks", "writes"].into_iter().zip(medians) {
            let ratio = cpu / medians[0].0;
            eprintln!("{names:12} {who:10}  {cpu:10.3}  {ratio:10.2}  {rate:9.2}");
            println!(
                "{}",
                serde_json::json!({
                    "bench": "shared", "case": names, "who": who, "cpu_s_per_gb": cpu, "gb_per_s": rate,
                })
            );
        }
    }
}
