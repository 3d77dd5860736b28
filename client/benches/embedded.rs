//! The endpoint `embedded:` compared with the engine that it uses: CPU seconds per GB of the whole
//! process, of 32 tasks with parts of 8 MiB. `engine` calls `SharedPart` itself, `digest` and
//! `parts` call the client: each part alone, and all on one stream.
//!
//! `HASHLANE_BENCH_BRIEF=1` measures once and briefly.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a bench prints
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // arbitrary bytes; figures

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hashlane_client::{Algorithm, Client};
use hashlane_engine::Shared;
use rustix::time::{ClockId, clock_gettime};

const TASKS: usize = 32;
const PART_BYTES: usize = 8 << 20;
const CHUNK_BYTES: usize = 64 << 10;

fn cpu_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap()
}

/// CPU and wall-clock seconds per GB, if each task hashes `parts` parts.
async fn measure<F: Future<Output = ()> + Send + 'static>(
    parts: usize,
    data: &[Bytes],
    hash: impl Fn(Bytes) -> F + Clone + Send + Sync + 'static,
) -> (f64, f64) {
    let (cpu, start) = (cpu_time(), Instant::now());
    let spawn = |data: &Bytes| {
        let (hash, data) = (hash.clone(), data.clone());
        tokio::spawn(async move {
            for _ in 0..parts {
                hash(data.clone()).await;
            }
        })
    };
    let tasks: Vec<_> = data.iter().map(spawn).collect();
    for task in tasks {
        task.await.unwrap();
    }
    let gb = (TASKS * parts * PART_BYTES) as f64 / 1e9;
    (
        (cpu_time() - cpu).as_secs_f64() / gb,
        start.elapsed().as_secs_f64() / gb,
    )
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let brief = std::env::var_os("HASHLANE_BENCH_BRIEF").is_some();
    let (rounds, parts) = if brief { (1, 1) } else { (7, 4) };
    // One thread for the tasks and one worker, as on a machine that has other work.
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let one = |n: usize| {
            (0..PART_BYTES)
                .map(|i| (i * 31 + n) as u8)
                .collect::<Vec<_>>()
                .into()
        };
        let data: Vec<Bytes> = (0..TASKS).map(one).collect();
        eprintln!("{TASKS} tasks, one worker        CPU s/GB   of engine       GB/s");
        for (name, algorithm) in [("sha256", Algorithm::Sha256), ("md5", Algorithm::Md5)] {
            compare(rounds, parts, &data, name, algorithm).await;
        }
    });
}

async fn compare(rounds: usize, parts: usize, data: &[Bytes], name: &str, algorithm: Algorithm) {
    let shared = Shared::new(1).unwrap();
    let engine = name.parse().unwrap();
    let by_engine = move |data: Bytes| {
        let mut part = shared.open(&[engine]);
        async move {
            let mut data = data;
            while !data.is_empty() {
                let chunk = data.split_to(data.len().min(CHUNK_BYTES));
                part.update_async(chunk).await.unwrap();
            }
            part.finish_async().await.unwrap();
        }
    };
    let client = Client::connect("embedded:1").await.unwrap();
    let stream = Arc::new(client.open_stream());
    let by_digest = move |data: Bytes| {
        let client = client.clone();
        async move { _ = client.digest(data, algorithm).await.unwrap() }
    };
    let by_parts = move |data: Bytes| {
        let stream = Arc::clone(&stream);
        async move {
            let mut part = stream.part(algorithm).await.unwrap();
            part.write(data).await.unwrap();
            part.finish().await.unwrap();
        }
    };
    let mut times: [(Vec<f64>, Vec<f64>); 3] = Default::default();
    for _ in 0..rounds {
        let runs = [
            measure(parts, data, by_engine.clone()).await,
            measure(parts, data, by_digest.clone()).await,
            measure(parts, data, by_parts.clone()).await,
        ];
        for ((cpu, wall), run) in times.iter_mut().zip(runs) {
            cpu.push(run.0);
            wall.push(run.1);
        }
    }
    let medians = times.map(|(mut cpu, mut wall)| (median(&mut cpu), 1.0 / median(&mut wall)));
    for (who, (cpu, rate)) in ["engine", "digest", "parts"].into_iter().zip(medians) {
        let ratio = cpu / medians[0].0;
        eprintln!("{name:12} {who:10}  {cpu:10.3}  {ratio:10.2}  {rate:9.2}");
        println!(
            "{}",
            serde_json::json!({
                "bench": "embedded", "case": name, "who": who, "cpu_s_per_gb": cpu, "gb_per_s": rate,
            })
        );
    }
}
