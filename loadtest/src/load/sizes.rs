//! Sizes of parts: fixed, a list, log-uniform, a histogram of a file, or a named preset.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};
use rand::Rng as _;
use rand::rngs::SmallRng;

use crate::args::{Bytes, bytes};
use crate::results::whole;

/// Largest part: the digest of every distinct part is computed before the load starts, at some
/// 2 GB/s.
pub(crate) const PART_BYTES_MAX: u64 = 16 << 30;

/// The most sizes of a list or a histogram.
const SIZES_MAX: usize = 4096;

/// How long parts are.
#[derive(Clone, Debug, PartialEq)]
pub struct PartSizes {
    kind: Kind,
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Sizes and their weights.
    Weighted(Vec<(u64, f64)>),
    /// Log-uniform from the first to the second, both included; the first is at least 1.
    LogUniform(u64, u64),
}

/// All presets: the name; sizes, as `--sizes` has them, or SIZE,WEIGHT with blanks in between; what
/// it is like, and where its numbers are from. Where no trace is public, the help says that the
/// weights are a choice.
const PRESETS: [[&str; 3]; 6] = [
    [
        "s3-multipart",
        "8MiB,56 1MiB,1 2MiB,1 3MiB,1 4MiB,1 5MiB,1 6MiB,1 7MiB,1",
        "parts of an S3 upload: the AWS tools' part size of 8 MiB, and a shorter last part \
         in one of nine (AWS CLI configuration guide, `multipart_chunksize`; objects of 64 \
         to 72 MiB)",
    ],
    [
        "registry-layers",
        "1KiB,20 32KiB,12 512KiB,10 3MiB,10 8MiB,20 32MiB,20 64MiB,6 128MiB,2",
        "layers of container images: most are small, most bytes are in few (Zhao et al., \
         Large-Scale Analysis of the Docker Hub Dataset, CLUSTER 2019: half of the layers \
         are below 4 MB, and nine in ten, compressed, below 63 MB; the sizes in between \
         are a choice, and end at 128 MiB)",
    ],
    [
        "backup-chunks",
        // The quantiles of 512 KiB plus an exponential of 1 MiB, cut at 8 MiB.
        "540801,574629,609585,645746,683200,722040,762375,804324,848021,893618,941289,\
         991230,1043670,1098871,1157140,1218839,1284396,1354327,1429258,1509957,1597389,\
         1692780,1797725,1914353,2045597,2195649,2370818,2581236,2844758,3197575,3733215,\
         4885193",
        "chunks that restic cuts by content: 512 KiB to 8 MiB, and at every byte in between a \
         cut with probability 2^-20 (restic's chunker; its design document, \"Backups and \
         Deduplication\")",
    ],
    [
        "build-cache",
        "512,20 4KiB,30 16KiB,20 64KiB,15 256KiB,10 2MiB,4 16MiB,1",
        "blobs of a remote build cache: many small outputs, few large ones (a choice, \
         within what Bazel's Remote Execution API sends in batches, up to 4 MiB, and by \
         ByteStream)",
    ],
    [
        "s-hash-diverse",
        "1KiB..4MiB",
        "messages of many lengths, as S-HASH hashes side by side (Gueron and Krasnov, \
         Simultaneous Hashing of Multiple Messages, 2012: an operating system's files at \
         boot; the lengths here are a choice, log-uniform from 1 KiB to 4 MiB)",
    ],
    [
        "s-hash-uniform",
        "64KiB",
        "messages of one length, the other case of the same paper (the length here is a \
         choice, 64 KiB)",
    ],
];

impl PartSizes {
    /// Parts of one size.
    pub(crate) fn fixed(size_bytes: u64) -> Self {
        Self {
            kind: Kind::Weighted(vec![(size_bytes, 1.0)]),
            text: size_bytes.to_string(),
        }
    }

    /// Names and explanations of all presets, for help.
    pub(crate) fn presets() -> String {
        let mut text = String::from("Presets of --sizes:\n");
        for [name, _, help] in PRESETS {
            text.push_str(&format!("  {name:<16} {help}\n"));
        }
        text
    }

    /// The longest part.
    pub fn max_bytes(&self) -> u64 {
        match &self.kind {
            Kind::Weighted(sizes) => sizes.iter().map(|(size, _)| *size).max().unwrap_or(0),
            Kind::LogUniform(_, max) => *max,
        }
    }

    /// The mean size.
    pub(crate) fn mean_bytes(&self) -> f64 {
        match &self.kind {
            Kind::Weighted(sizes) => {
                let weights: f64 = sizes.iter().map(|(_, weight)| weight).sum();
                let bytes: f64 = sizes.iter().map(|(size, of)| *size as f64 * of).sum();
                bytes / weights
            }
            Kind::LogUniform(min, max) if min < max => {
                let (low, high) = ((*min as f64).ln(), (*max as f64).ln());
                (max - min) as f64 / (high - low)
            }
            Kind::LogUniform(_, max) => *max as f64,
        }
    }

    /// Sizes of distinct parts and their weights: each size of a list at least once, and about
    /// `count` in all.
    pub(crate) fn distinct(&self, count: usize, rng: &mut SmallRng) -> Vec<(u64, f64)> {
        match &self.kind {
            Kind::Weighted(sizes) => {
                let rounds = (count / sizes.len().max(1)).max(1);
                (0..rounds).flat_map(|_| sizes.iter().copied()).collect()
            }
            Kind::LogUniform(min, max) => {
                let (low, high) = ((*min as f64).ln(), (*max as f64).ln());
                let mut size = || whole::<u64>((low + (high - low) * rng.random::<f64>()).exp());
                (0..count)
                    .map(|_| (size().clamp(*min, *max), 1.0))
                    .collect()
            }
        }
    }
}

fn part_size(text: &str) -> Result<u64> {
    let bytes = bytes(text)?;
    ensure!(
        bytes <= PART_BYTES_MAX,
        "`{text}` is beyond the longest part, 16GiB"
    );
    Ok(bytes)
}

impl FromStr for PartSizes {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let kind = if let Some(path) = text.strip_prefix("histogram:") {
            let lines = std::fs::read_to_string(path).context("cannot read it")?;
            Kind::Weighted(histogram(&lines)?)
        } else if let Some([_, sizes, _]) = PRESETS.iter().find(|preset| preset[0] == text) {
            match sizes.contains(' ') {
                true => Kind::Weighted(histogram(&sizes.replace(' ', "\n"))?),
                false => sizes.parse::<Self>()?.kind,
            }
        } else if let Some((min, max)) = text.split_once("..") {
            let (min, max) = (part_size(min)?, part_size(max)?);
            ensure!(min >= 1, "a log-uniform range starts at 1 byte or more");
            ensure!(min <= max, "the range `{text}` runs backwards");
            Kind::LogUniform(min, max)
        } else {
            let sizes = text.split(',').map(part_size).collect::<Result<Vec<_>>>();
            let sizes = sizes.with_context(|| {
                let names = PRESETS.map(|[name, ..]| name).join(", ");
                format!("neither sizes, a range, histogram:FILE nor one of {names}")
            })?;
            ensure!(
                sizes.len() <= SIZES_MAX,
                "at most {SIZES_MAX} sizes in a list"
            );
            Kind::Weighted(sizes.into_iter().map(|size| (size, 1.0)).collect())
        };
        Ok(Self {
            kind,
            text: text.to_owned(),
        })
    }
}

/// Lines of a size and its weight, with a comma in between. `#` begins a comment.
fn histogram(lines: &str) -> Result<Vec<(u64, f64)>> {
    let mut sizes = Vec::new();
    for (index, line) in data_lines(lines) {
        let entry = || -> Result<(u64, f64)> {
            let (size, weight) = line.split_once(',').context("it is not SIZE,WEIGHT")?;
            Ok((part_size(size)?, weight_of(weight.trim())?))
        };
        sizes.push(entry().with_context(|| format!("line {index}"))?);
    }
    ensure!(
        sizes.len() <= SIZES_MAX,
        "at most {SIZES_MAX} sizes in a histogram"
    );
    sizes.retain(|(_, weight)| *weight > 0.0);
    ensure!(!sizes.is_empty(), "it has no weight above zero");
    Ok(sizes)
}

/// A number from 0.
pub(super) fn weight_of(text: &str) -> Result<f64> {
    let weight: f64 = text.parse().context("its weight is no number")?;
    ensure!(
        weight >= 0.0 && weight.is_finite(),
        "its weight is negative or infinite"
    );
    Ok(weight)
}

/// The lines with data, and their numbers.
pub(crate) fn data_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(index, line)| (index + 1, line))
}

impl fmt::Display for PartSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::LogUniform(min, max) if self.text.contains("..") => {
                write!(f, "{}..{}", Bytes(*min), Bytes(*max))
            }
            Kind::Weighted(sizes) if self.text.starts_with(|char: char| char.is_ascii_digit()) => {
                let sizes: Vec<_> = sizes
                    .iter()
                    .map(|(size, _)| Bytes(*size).to_string())
                    .collect();
                f.write_str(&sizes.join(","))
            }
            _ => f.write_str(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;

    fn parse(text: &str) -> Result<PartSizes> {
        text.parse()
    }

    #[test]
    fn part_sizes_are_a_size_a_list_or_a_range() {
        let weighted = |sizes: &[u64]| Kind::Weighted(sizes.iter().map(|&of| (of, 1.0)).collect());
        assert_eq!(parse("8MiB").unwrap().kind, weighted(&[8 << 20]));
        assert_eq!(parse("1KiB,3,0").unwrap().kind, weighted(&[1024, 3, 0]));
        assert_eq!(
            parse("1KiB..1MiB").unwrap().kind,
            Kind::LogUniform(1024, 1 << 20)
        );
        for text in [
            "",
            "1KiB,",
            "0..4",
            "9..3",
            "17GiB",
            "1..2..3",
            "1KiB..",
            "a",
            "histogram:",
            "s3",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(
            parse("1KiB,64KiB,1MB").unwrap().to_string(),
            "1KiB,64KiB,1000000B"
        );
        assert_eq!(parse("1024..1048576").unwrap().to_string(), "1KiB..1MiB");
        assert_eq!(parse("build-cache").unwrap().to_string(), "build-cache");
    }

    #[test]
    fn a_histogram_has_sizes_and_weights() {
        let text = "# size,weight\n4KiB, 3\n\n1MiB,1\n0,0\n";
        assert_eq!(histogram(text).unwrap(), [(4096, 3.0), (1 << 20, 1.0)]);
        for (text, told) in [
            ("", "no weight"),
            ("4KiB,0\n", "no weight"),
            ("4KiB,-1\n", "line 1"),
            ("4KiB,1\n4KiB\n", "line 2"),
            ("4KiB,NaN\n", "line 1"),
            ("x,1\n", "line 1"),
        ] {
            let error = format!("{:#}", histogram(text).unwrap_err());
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn presets_are_what_they_say() {
        let mut rng = SmallRng::seed_from_u64(1);
        for [name, ..] in PRESETS {
            let sizes = parse(name).unwrap();
            assert!(!sizes.distinct(64, &mut rng).is_empty());
            assert!(sizes.mean_bytes() > 0.0 && sizes.max_bytes() <= 128 << 20);
            assert!(PartSizes::presets().contains(name));
        }
        let mean_mib = |name: &str| parse(name).unwrap().mean_bytes() / f64::from(1 << 20);
        assert!((mean_mib("backup-chunks") - 1.5).abs() < 0.03);
        assert!((mean_mib("s3-multipart") - (8.0 * 8.0 + 4.0) / 9.0).abs() < 1e-9);
    }

    #[test]
    fn log_uniform_sizes_fill_their_range() {
        let mut rng = SmallRng::seed_from_u64(3);
        let sizes = parse("1KiB..1MiB").unwrap().distinct(256, &mut rng);
        assert_eq!(sizes.len(), 256);
        assert!(
            sizes
                .iter()
                .all(|(size, _)| (1024..=1 << 20).contains(size))
        );
        // Half of the logarithms are below the middle, 32 KiB.
        let low = sizes.iter().filter(|(size, _)| *size < 32 << 10).count();
        assert!((96..=160).contains(&low), "{low} of 256 are below 32 KiB");
    }
}
