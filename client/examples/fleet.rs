//! Keeps sending parts until its standard input ends, then tells what became of them: the load of
//! `deploy/tests/fleet.sh`, which breaks servers meanwhile.
//!
//!     fleet --servers HOST:PORT[,HOST:PORT...] --workers N --interval-ms N --algorithm NAME
//!
//! Every worker begins a part each interval. Every second worker sends parts that take a second, so
//! that each fault meets open parts. A part is digested, or verified, or verified with a byte
//! changed. The line at the end is described in deploy/tests/fleet/README.md.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hashlane_client::{Algorithm, AlgorithmDigest, Client, Source};
use rand::rngs::StdRng;
use rand::{Rng as _, RngCore as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

/// All parts are slices of this many random bytes.
const DATA_BYTES: usize = 1 << 20;
/// The most bytes of an ordinary part, and the bytes of a part that takes a second.
const PART_BYTES_MAX: usize = 64 << 10;
const SLOW_PART_BYTES: usize = 64 << 10;
const SLOW_PART_PIECES: usize = 8;
const SLOW_PIECE_PAUSE: Duration = Duration::from_millis(125);

/// What became of the parts of a worker.
#[derive(Default)]
struct Outcome {
    parts: u64,
    corrupted: u64,
    wrong: u64,
    slowest: Duration,
    /// Errors that the client returned after its retries, and how often.
    lost: BTreeMap<String, u64>,
}

struct Load {
    client: Client,
    data: Bytes,
    /// How often the source of a part was opened.
    tries: AtomicU64,
    is_over: AtomicBool,
}

/// One part: its bytes, its digest, and whether it is sent in pieces, a pause after each.
struct Planned {
    bytes: Bytes,
    digest: [u8; 32],
    is_slow: bool,
}

impl Load {
    fn source<'a>(self: &'a Arc<Self>, part: &'a Planned, bytes: &'a Bytes) -> Source<'a> {
        Source::reopen(move || {
            self.tries.fetch_add(1, Ordering::Relaxed);
            let (mut writer, reader) = tokio::io::duplex(DATA_BYTES);
            let (bytes, is_slow) = (bytes.clone(), part.is_slow);
            tokio::spawn(async move {
                let pieces = if is_slow { SLOW_PART_PIECES } else { 1 };
                for piece in bytes.chunks(bytes.len().div_ceil(pieces)) {
                    if is_slow {
                        tokio::time::sleep(SLOW_PIECE_PAUSE).await;
                    }
                    // The reader is gone if the try is over.
                    if writer.write_all(piece).await.is_err() {
                        return;
                    }
                }
            });
            std::future::ready(Ok(reader))
        })
    }

    /// Sends a part. `Ok(false)`: the answer is wrong.
    async fn send(self: &Arc<Self>, part: &Planned, kind: u32) -> hashlane_client::Result<bool> {
        let expected = [AlgorithmDigest::new(Algorithm::Sha256, &part.digest)?];
        match kind {
            0 => {
                let source = self.source(part, &part.bytes);
                let answer = self.client.digest(source, Algorithm::Sha256).await?;
                Ok(*answer.digest() == part.digest)
            }
            1 => {
                let source = self.source(part, &part.bytes);
                Ok(self.client.verify(source, &expected).await?.is_match())
            }
            _ => {
                let mut changed = part.bytes.to_vec();
                let middle = changed.len() / 2;
                changed[middle] ^= 1;
                let changed = Bytes::from(changed);
                let source = self.source(part, &changed);
                Ok(!self.client.verify(source, &expected).await?.is_match())
            }
        }
    }

    async fn work(self: Arc<Self>, index: u64, interval: Duration) -> Outcome {
        let mut random = StdRng::seed_from_u64(index);
        let mut outcome = Outcome::default();
        let is_slow = index % 2 == 1;
        // Workers do not begin in step.
        let first = Instant::now() + interval.mul_f64(random.random());
        let mut ticks = tokio::time::interval_at(first, interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if self.is_over.load(Ordering::Relaxed) {
                return outcome;
            }
            let size = if is_slow {
                SLOW_PART_BYTES
            } else {
                random.random_range(1..=PART_BYTES_MAX)
            };
            let at = random.random_range(0..DATA_BYTES - size);
            let bytes = self.data.slice(at..at + size);
            let digest = Sha256::digest(&bytes).into();
            let kind = random.random_range(0..3);
            let part = Planned {
                bytes,
                digest,
                is_slow,
            };
            let started = Instant::now();
            outcome.parts += 1;
            outcome.corrupted += u64::from(kind == 2);
            match self.send(&part, kind).await {
                Ok(is_right) => outcome.wrong += u64::from(!is_right),
                Err(error) => *outcome.lost.entry(format!("{error}")).or_default() += 1,
            }
            outcome.slowest = outcome.slowest.max(started.elapsed());
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    let flags: HashMap<&str, &str> = flags
        .chunks_exact(2)
        .map(|flag| (flag[0].as_str(), flag[1].as_str()))
        .collect();
    let workers: u64 = flags["--workers"].parse()?;
    let interval = Duration::from_millis(flags["--interval-ms"].parse()?);
    if flags["--algorithm"] != "sha256" {
        return Err("--algorithm: this load has sha256 alone".into());
    }
    let client = Client::builder()
        .connect_all(flags["--servers"].split(','))
        .await?;
    let mut data = vec![0; DATA_BYTES];
    StdRng::seed_from_u64(workers).fill_bytes(&mut data);
    let load = Arc::new(Load {
        client,
        data: data.into(),
        tries: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    });
    let mut running = JoinSet::new();
    for index in 0..workers {
        running.spawn(Arc::clone(&load).work(index, interval));
    }
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    load.is_over.store(true, Ordering::Relaxed);
    let mut all = Outcome::default();
    while let Some(ended) = running.join_next().await {
        let outcome = ended?;
        all.parts += outcome.parts;
        all.corrupted += outcome.corrupted;
        all.wrong += outcome.wrong;
        all.slowest = all.slowest.max(outcome.slowest);
        for (error, count) in outcome.lost {
            *all.lost.entry(error).or_default() += count;
        }
    }
    let line = serde_json::json!({
        "parts": all.parts,
        "tries": load.tries.load(Ordering::Relaxed),
        "corrupted": all.corrupted,
        "wrong": all.wrong,
        "lost": all.lost.values().sum::<u64>(),
        "errors": all.lost,
        "slowest_seconds": all.slowest.as_secs_f64(),
    });
    writeln!(io::stdout(), "{line}")?;
    Ok(())
}
