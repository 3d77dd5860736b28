//! Sends parts with this client, to measure it. What it prints and waits for is in
//! loadtest/clients/README.md.

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hashlane_client::{Algorithm, Client};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;

/// Data repeats after this many different messages.
const RING_MESSAGES: usize = 16;

/// What all streams send, and what they expect.
struct Load {
    client: Client,
    chunk_bytes: usize,
    data: Bytes,
    /// The digest of the first n + 1 pieces.
    digests: Vec<[u8; 32]>,
}

impl Load {
    fn new(client: Client, chunk_bytes: usize, part_chunks: usize) -> Self {
        let (mut data, mut digests, mut sum) = (Vec::new(), Vec::new(), Sha256::new());
        for i in 0..part_chunks {
            let piece: Vec<u8> = (0..=250)
                .cycle()
                .skip(7 * (i % RING_MESSAGES))
                .take(chunk_bytes)
                .collect();
            sum.update(&piece);
            digests.push(sum.clone().finalize().into());
            data.extend(piece);
        }
        Self {
            client,
            chunk_bytes,
            data: data.into(),
            digests,
        }
    }

    /// Sends a part of `pieces` pieces and checks its digest.
    async fn part(&self, pieces: usize) -> hashlane_client::Result<()> {
        let data = self.data.slice(..pieces * self.chunk_bytes);
        let answer = self.client.digest(data, Algorithm::Sha256).await?;
        assert_eq!(
            *answer.digest(),
            self.digests[pieces - 1],
            "{pieces} pieces"
        );
        Ok(())
    }

    /// Sends bytes over all streams at once and returns how many.
    async fn run(self: &Arc<Self>, bytes: usize, streams: usize) -> hashlane_client::Result<usize> {
        let each = bytes / streams / self.chunk_bytes;
        let most = self.digests.len();
        let mut running = JoinSet::new();
        for i in 0..streams {
            let load = Arc::clone(self);
            running.spawn(async move {
                // First parts differ in length, so that streams do not end in step.
                let (mut next, mut left) = (1 + (most - 1) * i / streams, each);
                while left > 0 {
                    let pieces = next.min(left);
                    load.part(pieces).await?;
                    left -= pieces;
                    next = most;
                }
                Ok(())
            });
        }
        while let Some(ended) = running.join_next().await {
            ended.expect("no stream panics")?;
        }
        Ok(each * streams * self.chunk_bytes)
    }
}

/// Prints a line that the measuring program waits for.
fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    let flags: HashMap<&str, &str> = flags
        .chunks_exact(2)
        .map(|flag| (flag[0].as_str(), flag[1].as_str()))
        .collect();
    let number = |name: &str, default: usize| {
        let given = flags.get(name);
        given.map_or(Ok(default), |text| text.parse())
    };
    let streams = number("--streams", 32)?;
    let client = Client::builder().connections(number("--connections", 4)?);
    let client = client.connect(flags["--server"]).await?;
    let chunk_bytes = number("--chunk-bytes", 64 << 10)?;
    let load = Load::new(client, chunk_bytes, number("--part-chunks", 128)?);
    let load = Arc::new(load);
    load.run(number("--warmup-bytes", 0)?, streams).await?;
    say("ready")?;
    io::stdin().read_line(&mut String::new())?;
    let started = Instant::now();
    let sent = load.run(number("--bytes", 0)?, streams).await?;
    say(&format!("done {sent} {}", started.elapsed().as_secs_f64()))?;
    // The measuring program reads the CPU time of this process before it ends.
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
