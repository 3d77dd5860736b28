//! The schedule of an open loop: which part starts when.

use std::collections::hash_map::{Entry, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use hashlane_engine::Algorithm;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use super::algorithms;
use super::payload::{Builder, Payload, PreparedPart};
use super::rate::Rate;
use super::sizes::{PART_BYTES_MAX, data_lines};
use crate::args::{LoadArgs, Rpc, bytes};
use crate::driver::Space;

/// Bounds of a replayed schedule: lines, distinct parts, and bytes hashed beforehand.
const LINES_MAX: usize = 10_000_000;
const DISTINCT_MAX: usize = 16_384;
const HASH_BYTES_MAX: u64 = 32 << 30;

/// The longest schedule.
const SECONDS_MAX: f64 = 24.0 * 3600.0;

/// The starts.
#[derive(Clone, Debug)]
pub(crate) enum Starts {
    /// Parts at random, at a rate.
    Paced { rate: Rate, seed: u64 },
    /// As listed.
    Listed(Arc<[Start]>),
}

/// One start.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The intended time, in seconds from the schedule's begin.
    pub(crate) at: f64,
    pub(crate) part: Arc<PreparedPart>,
}

impl Starts {
    /// All starts in their order. They are the same in every thread.
    pub(crate) fn iter(&self, payload: Arc<Payload>) -> Box<dyn Iterator<Item = Start> + Send> {
        match self {
            Self::Paced { rate, seed } => {
                let (rate, mut rng) = (rate.clone(), SmallRng::seed_from_u64(*seed));
                let mut work = 0.0;
                Box::new(std::iter::repeat_with(move || {
                    let part = Arc::clone(payload.pick(&mut rng));
                    let at = rate.time_of(work);
                    work += rate.work_of(part.size_bytes, &mut rng);
                    Start { at, part }
                }))
            }
            Self::Listed(starts) => {
                let starts = Arc::clone(starts);
                Box::new((0..starts.len()).map(move |index| starts[index].clone()))
            }
        }
    }

    /// Its length, if it has an end.
    pub(crate) fn duration(&self) -> Option<Duration> {
        match self {
            Self::Paced { rate, .. } => rate.duration(),
            // The last start counts too.
            Self::Listed(starts) => starts
                .last()
                .map(|last| Duration::from_secs_f64(last.at) + Duration::from_millis(1)),
        }
    }

    /// Reads a schedule of lines TIME_S,SIZE,ALGORITHM, in any order. The algorithm may be left
    /// out, and several have a `+` in between. A first line with names of columns is skipped.
    ///
    /// # Errors
    /// Names the file and the line.
    pub(crate) fn read(path: &Path, load: &LoadArgs, space: &Space) -> Result<Self> {
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("cannot read the schedule {}", path.display()))?;
        let listed = Self::parse(&text, load, space);
        listed.with_context(|| format!("the schedule {}", path.display()))
    }

    fn parse(text: &str, load: &LoadArgs, space: &Space) -> Result<Self> {
        let mut builders = HashMap::<Vec<Algorithm>, Builder>::new();
        let mut parts = HashMap::new();
        let (mut starts, mut hashed_bytes) = (Vec::new(), 0);
        for (index, line) in data_lines(text) {
            if starts.is_empty() && line.starts_with("time") {
                continue;
            }
            let line = line_of(line, load).with_context(|| format!("line {index}"))?;
            let (at, size_bytes, algorithms) = line;
            let builder = match builders.entry(algorithms.clone()) {
                Entry::Occupied(builder) => builder.into_mut(),
                Entry::Vacant(place) => {
                    let space = space.clone();
                    place.insert(Builder::new(load, load.rpc, &algorithms, 0, space)?)
                }
            };
            let part = parts.entry((algorithms, size_bytes)).or_insert_with(|| {
                hashed_bytes += size_bytes;
                (hashed_bytes <= HASH_BYTES_MAX).then(|| builder.part(size_bytes, None))
            });
            let part = part.clone().with_context(|| {
                format!("line {index}: more than {HASH_BYTES_MAX} bytes in distinct parts")
            })?;
            starts.push(Start { at, part });
            ensure!(
                parts.len() <= DISTINCT_MAX && starts.len() <= LINES_MAX,
                "more than {DISTINCT_MAX} distinct sizes, or than {LINES_MAX} lines"
            );
        }
        ensure!(!starts.is_empty(), "it has no start");
        starts.sort_by(|one, other| one.at.total_cmp(&other.at));
        ensure!(
            load.rpc != Rpc::Batch,
            "a schedule has parts, and --rpc batch sends batches"
        );
        Ok(Self::Listed(starts.into()))
    }
}

fn line_of(line: &str, load: &LoadArgs) -> Result<(f64, u64, Vec<Algorithm>)> {
    let mut fields = line.split(',').map(str::trim);
    let (time, size) = fields
        .next()
        .zip(fields.next())
        .context("it is not TIME_S,SIZE,ALGORITHM")?;
    let at: f64 = time.parse().context("its time is no number")?;
    ensure!(
        (0.0..=SECONDS_MAX).contains(&at),
        "its time is not within a day"
    );
    let size_bytes = bytes(size)?;
    ensure!(
        size_bytes <= PART_BYTES_MAX,
        "its part is longer than 16GiB"
    );
    let algorithms = match fields.next() {
        None | Some("") => load.algorithms.clone(),
        Some(names) => algorithms::parse(names)?,
    };
    ensure!(fields.next().is_none(), "it has more than three fields");
    Ok((at, size_bytes, algorithms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    fn load(flags: &str) -> LoadArgs {
        let line = std::iter::once("x").chain(flags.split_whitespace());
        Cli::try_parse_from(line).unwrap().run.load
    }

    #[test]
    fn a_rate_in_bytes_counts_the_bytes_of_the_parts_before() {
        let payload = Payload::build(&load("--sizes 1MB,3MB"), false).unwrap();
        let starts = Starts::Paced {
            rate: "1GB/s".parse().unwrap(),
            seed: 3,
        };
        let mut sent_bytes = 0;
        let payload = Arc::new(payload);
        for start in starts.iter(Arc::clone(&payload)).take(1000) {
            let error = start.at - sent_bytes as f64 / 1e9;
            assert!(error.abs() < 1e-9, "{error}");
            sent_bytes += start.part.size_bytes;
        }
        let again = starts.iter(Arc::clone(&payload)).zip(starts.iter(payload));
        let mut again = again.take(1000);
        assert!(again.all(|(one, other)| Arc::ptr_eq(&one.part, &other.part)));
    }

    #[test]
    fn a_listed_schedule_is_replayed_in_the_order_of_time() {
        let load = load("");
        let text =
            "time_s,size,algorithm\n0.5,4KiB,md5\n0.25,10\n\n1,4KiB,md5+sha256\n0.75,4KiB,md5";
        let starts = Starts::parse(text, &load, &Space::default()).unwrap();
        let payload = Arc::new(Payload::build(&load, false).unwrap());
        let all: Vec<_> = starts.iter(payload).collect();
        let times: Vec<_> = all.iter().map(|start| start.at).collect();
        assert_eq!(times, [0.25, 0.5, 0.75, 1.0]);
        assert_eq!(all[0].part.size_bytes, 10);
        assert!(Arc::ptr_eq(&all[1].part, &all[2].part));
        assert_eq!(all[3].part.right().digests.len(), 2);
        assert_eq!(starts.duration(), Some(Duration::from_millis(1001)));
        for (text, told) in [
            ("", "no start"),
            ("time_s,size,algorithm\n", "no start"),
            ("1\n", "line 1"),
            ("1,2,md5\n-1,2\n", "line 2"),
            ("x,2\n", "no number"),
            ("1,2,md6\n", "md6"),
            ("1,2,md5,4\n", "three fields"),
            ("1,17GiB\n", "16GiB"),
        ] {
            let error = format!(
                "{:#}",
                Starts::parse(text, &load, &Space::default()).unwrap_err()
            );
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
