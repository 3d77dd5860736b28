//! What the benches share: a pinned core, peers, rounds taken in turn, and the
//! two outputs (a table for people on standard error, a JSON object per row on
//! standard output).
//!
//! Everything compared is measured in the same run, in turn, and the best of
//! all rounds counts: on a shared machine the fastest round is the one that was
//! disturbed the least. Ratios within one run are what to quote.
//!
//! `HASHLANE_BENCH_BRIEF=1` measures once and briefly: to see that it works. An argument (`cargo
//! bench -p hashlane-engine --bench streams -- 1021B`) measures only the cases whose name holds it.
//! `HASHLANE_BENCH_KERNEL=NAME` has this crate hash with that kernel alone, and not with the
//! measured best ones (`avx512x32` of SHA-256's, `md5:avx512x32` of another hash's); if this CPU
//! has no kernel of that name, the bench ends.
#![allow(dead_code)] // each bench uses a part
#![allow(clippy::print_stdout, clippy::print_stderr)] // a bench prints
#![allow(clippy::cast_precision_loss)] // figures for people

pub(crate) mod load;

use std::{
    cell::Cell,
    hint::black_box,
    time::{Duration, Instant},
};

use hashlane_engine::{Algorithm, Backend, Batch, Crossover, Digest, Family, Kernel};
use rand::{Rng as _, RngCore as _, SeedableRng as _, rngs::SmallRng};

/// One contender of a case.
pub(crate) struct Who<'a> {
    name: String,
    run: Box<dyn FnMut() + 'a>,
    is_measure: bool,
}

impl<'a> Who<'a> {
    pub(crate) fn new(name: &str, run: impl FnMut() + 'a) -> Self {
        Self {
            name: name.to_owned(),
            run: Box::new(run),
            is_measure: false,
        }
    }

    /// A contender to which ratios are computed, if it is the fastest such one.
    pub(crate) fn measure(name: &str, run: impl FnMut() + 'a) -> Self {
        Self {
            is_measure: true,
            ..Self::new(name, run)
        }
    }
}

/// The variable that names the one kernel to hash with.
const KERNEL_VARIABLE: &str = "HASHLANE_BENCH_KERNEL";

/// One bench: its name, and the clock for cycles per byte.
pub(crate) struct Bench {
    name: &'static str,
    /// What this crate hashes with, for the rows.
    kernel: String,
    ghz: f64,
    brief: bool,
    filter: Option<String>,
    measured: Cell<bool>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        if let Some(part) = self.filter.as_ref().filter(|_| !self.measured.get()) {
            eprintln!("no case of {} has {part:?} in its name", self.name);
        }
    }
}

impl Bench {
    /// Pins this thread, measures the clock and prints the head of the table.
    pub(crate) fn new(name: &'static str) -> Self {
        let kernel = chosen_kernel().map_or_else(|| "calibrated".to_owned(), name_of);
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        let pinned = cores
            .last()
            .copied()
            .is_some_and(core_affinity::set_for_current);
        let ghz = clock_ghz();
        let brief = std::env::var_os("HASHLANE_BENCH_BRIEF").is_some();
        eprintln!("# {name} (kernel: {kernel}, pinned: {pinned}, clock about {ghz:.2} GHz)");
        if brief {
            eprintln!("# brief: this shows that it works and measures nothing");
        }
        eprintln!(
            "{:<34} {:<20} {:>8} {:>8} {:>8}",
            "case", "who", "GB/s", "cyc/B", "x peer"
        );
        Self {
            name,
            kernel,
            ghz,
            brief,
            // Cargo passes flags of its own, `--bench` at least.
            filter: std::env::args().skip(1).find(|arg| !arg.starts_with('-')),
            measured: Cell::new(false),
        }
    }

    /// Whether to measure once and briefly.
    pub(crate) const fn is_brief(&self) -> bool {
        self.brief
    }

    /// Measures all of `whos` in turn on `bytes` bytes each; prints a row each. The last column is
    /// the ratio to the fastest [`measure`](Who::measure) contender. Returns GB/s, or nothing if
    /// the case was not asked for.
    pub(crate) fn case(&self, case: &str, bytes: usize, mut whos: Vec<Who<'_>>) -> Vec<f64> {
        if self
            .filter
            .as_ref()
            .is_some_and(|part| !case.contains(part))
        {
            return Vec::new();
        }
        self.measured.set(true);
        let (rounds, run_time) = if self.brief {
            (1, Duration::from_micros(100))
        } else {
            (25, Duration::from_millis(3))
        };
        let repeats: Vec<u32> = whos
            .iter_mut()
            .map(|who| {
                let once = (0..2)
                    .map(|_| time(1, &mut who.run))
                    .min()
                    .unwrap_or_default();
                let fits = run_time.as_nanos() / once.as_nanos().max(1);
                u32::try_from(fits).unwrap_or(u32::MAX).max(1)
            })
            .collect();
        let mut best = vec![f64::MAX; whos.len()];
        for _ in 0..rounds {
            for ((who, repeats), best) in whos.iter_mut().zip(&repeats).zip(&mut best) {
                let seconds = time(*repeats, &mut who.run).as_secs_f64() / f64::from(*repeats);
                *best = best.min(seconds);
            }
        }
        let rates: Vec<f64> = best
            .iter()
            .map(|seconds| bytes as f64 / seconds / 1e9)
            .collect();
        let measures = whos.iter().zip(&rates).filter(|(who, _)| who.is_measure);
        let measure = measures.map(|(_, rate)| *rate).max_by(f64::total_cmp);
        for (who, rate) in whos.iter().zip(&rates) {
            let cycles = self.ghz / rate;
            let ratio = measure.map_or(String::new(), |measure| format!("{:8.2}", rate / measure));
            eprintln!(
                "{case:<34} {:<20} {rate:>8.3} {cycles:>8.2} {ratio}",
                who.name
            );
            let row = serde_json::json!({
                "bench": self.name,
                "brief": self.brief,
                "kernel": self.kernel,
                "case": case,
                "who": who.name,
                "gb_per_s": rate,
                "cycles_per_byte": cycles,
            });
            println!("{row}");
        }
        rates
    }
}

impl Bench {
    /// One more figure of a case that ran at `rate`: a row of its own.
    pub(crate) fn note(&self, case: &str, rate: f64, what: &str, value: f64) {
        eprintln!("{case:<34} {what} {value:.0}");
        let row = serde_json::json!({
            "bench": self.name,
            "brief": self.brief,
            "kernel": self.kernel,
            "case": case,
            "who": "hashlane",
            "gb_per_s": rate,
            what: value,
        });
        println!("{row}");
    }
}

fn time(repeats: u32, run: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        run();
    }
    start.elapsed()
}

/// The core's clock from a chain of dependent multiplications and additions,
/// which take 3 + 1 cycles each on every x86-64 and Armv8 core of the last ten
/// years. Boosting makes it an estimate.
fn clock_ghz() -> f64 {
    const STEPS: u32 = 2_000_000;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let mut x = black_box(3_u64);
        let factor = black_box(0x9e37_79b9_7f4a_7c15_u64);
        for _ in 0..STEPS {
            x = x.wrapping_mul(factor).wrapping_add(factor);
        }
        black_box(x);
        best = best.min(start.elapsed().as_secs_f64());
    }
    4.0 * f64::from(STEPS) / best / 1e9
}

/// This crate and its peers over whole messages.
pub(crate) fn peers<'a>(messages: &'a [&'a [u8]]) -> Vec<Who<'a>> {
    let mut batch = Batch::new(crossover(), Algorithm::Sha256);
    let mut digests = vec![[0_u8; 32]; messages.len()];
    vec![
        Who::new("hashlane", move || {
            black_box(batch.hash(black_box(messages)));
        }),
        Who::measure("sha2", move || {
            use sha2::Digest as _;
            for message in black_box(messages) {
                black_box(sha2::Sha256::digest(message));
            }
        }),
        Who::new("tape-sha256", move || {
            tape_sha256::hash_many(black_box(messages), &mut digests);
            black_box(&digests);
        }),
        Who::new("ring", move || {
            for message in black_box(messages) {
                black_box(ring::digest::digest(&ring::digest::SHA256, message));
            }
        }),
    ]
}

/// The measured crossover of this machine, or the one kernel that was asked for.
pub(crate) fn crossover() -> Crossover {
    chosen_kernel()
        .and_then(Crossover::only)
        .unwrap_or_else(|| Crossover::calibrate(&Backend::detect()))
}

/// The requested kernel. Ends the bench if this CPU has none of that name.
pub(crate) fn chosen_kernel() -> Option<Kernel> {
    let name = std::env::var_os(KERNEL_VARIABLE).filter(|name| !name.is_empty())?;
    let backend = Backend::detect();
    let available = Family::ALL.into_iter().flat_map(|f| backend.kernels(f));
    let chosen = available.clone().find(|kernel| name == *name_of(**kernel));
    if chosen.is_none() {
        let names: Vec<String> = available.copied().map(name_of).collect();
        eprintln!(
            "{KERNEL_VARIABLE}={name:?} is no kernel of this CPU, which has {}",
            names.join(", ")
        );
        std::process::exit(2);
    }
    chosen.copied()
}

/// `avx512x32` of SHA-256's kernels, `md5:avx512x32` of another hash's.
fn name_of(kernel: Kernel) -> String {
    match kernel.family() {
        Family::Sha256 => kernel.name().to_owned(),
        _ => kernel.to_string(),
    }
}

/// Distinct random bytes per message, each buffer starting at another offset
/// within a page.
pub(crate) fn buffers(lengths: &[usize], seed: u64) -> Vec<Vec<u8>> {
    let mut random = SmallRng::seed_from_u64(seed);
    let fill = |(i, len): (usize, &usize)| {
        let mut buffer = vec![0; len + 64 * (i % 61)];
        random.fill_bytes(&mut buffer);
        buffer
    };
    lengths.iter().enumerate().map(fill).collect()
}

/// The last `length` bytes of each buffer.
pub(crate) fn slices<'a>(buffers: &'a [Vec<u8>], lengths: &[usize]) -> Vec<&'a [u8]> {
    let slice = |(buffer, len): (&'a Vec<u8>, &usize)| &buffer[buffer.len() - len..];
    buffers.iter().zip(lengths).map(slice).collect()
}

/// `count` lengths, log-uniform from `min` to `max` bytes.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within usize by the bounds
pub(crate) fn log_uniform(count: usize, min: usize, max: usize, seed: u64) -> Vec<usize> {
    let mut random = SmallRng::seed_from_u64(seed);
    let (low, high) = ((min as f64).ln(), (max as f64).ln());
    let length = |_| random.random_range(low..high).exp() as usize;
    (0..count).map(length).collect()
}

/// A length for people: `64B`, `16KiB`, `1MiB`.
pub(crate) fn human(bytes: usize) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{}MiB", b >> 20),
        b if b >= 1 << 10 && b % (1 << 10) == 0 => format!("{}KiB", b >> 10),
        b => format!("{b}B"),
    }
}

/// Stops the bench if a contender computes something else.
pub(crate) fn check(messages: &[&[u8]], digests: &[Digest]) {
    use sha2::Digest as _;
    assert_eq!(messages.len(), digests.len());
    for (message, digest) in messages.iter().zip(digests) {
        assert_eq!(
            digest[..],
            sha2::Sha256::digest(message)[..],
            "a wrong digest"
        );
    }
}
