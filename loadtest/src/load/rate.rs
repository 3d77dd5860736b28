//! Rates of an open loop: when parts start.
//!
//! ```text
//! 1000/s   2GB/s   poisson:1000/s   100/s@10s,200/s@10s   100..1000/s@30s
//!
//! work     of a part: 1, or its bytes; with poisson: an exponential variable of that mean
//! profile  the rate over time, in linear segments
//! start    of a part: when the integral of the profile reaches the work of all parts before it
//! ```

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use rand::Rng as _;
use rand::rngs::SmallRng;

use crate::args::{bytes, duration};

/// The highest rates: beyond what one process sends.
const PARTS_PER_S_MAX: f64 = 10e6;
const BYTES_PER_S_MAX: f64 = 1e12;

/// A rate over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    unit: Unit,
    is_poisson: bool,
    /// The profile: one segment without an end, or steps and ramps, whose final rate goes on.
    segments: Vec<Segment>,
    text: String,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Parts,
    Bytes,
}

/// A linear piece of the profile.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    seconds: f64,
    from: f64,
    to: f64,
}

impl Segment {
    /// Of a constant rate.
    fn endless(height: f64) -> Self {
        Self {
            seconds: f64::INFINITY,
            from: height,
            to: height,
        }
    }

    fn work(&self) -> f64 {
        (self.from + self.to) / 2.0 * self.seconds
    }

    /// When its integral reaches `work`: the root of `from*t + (to-from)/(2*seconds) * t^2 = work`.
    fn time_of(&self, work: f64) -> f64 {
        let slope = (self.to - self.from) / self.seconds;
        2.0 * work / (self.from + (self.from * self.from + 2.0 * slope * work).sqrt())
    }
}

impl Rate {
    /// The same kind of rate at another, constant height.
    pub(crate) fn at_height(&self, height: f64) -> Self {
        let unit = match self.unit {
            Unit::Parts => format!("{height:.1}/s"),
            Unit::Bytes => format!("{:.1}MB/s", height / 1e6),
        };
        let poisson = if self.is_poisson { "poisson:" } else { "" };
        Self {
            segments: vec![Segment::endless(height)],
            text: format!("{poisson}{unit}"),
            ..self.clone()
        }
    }

    /// The height of a constant rate.
    pub(crate) fn height(&self) -> Option<f64> {
        let first = self.segments.first();
        first
            .filter(|_| self.duration().is_none())
            .map(|first| first.from)
    }

    pub(crate) fn unit(&self) -> Unit {
        self.unit
    }

    /// The length of its profile, if it ends.
    pub(crate) fn duration(&self) -> Option<Duration> {
        let seconds: f64 = self.segments.iter().map(|segment| segment.seconds).sum();
        seconds
            .is_finite()
            .then(|| Duration::from_secs_f64(seconds))
    }

    /// When `work` is done, in seconds from the start.
    pub(crate) fn time_of(&self, mut work: f64) -> f64 {
        let mut at = 0.0;
        for segment in &self.segments {
            if work < segment.work() {
                return at + segment.time_of(work);
            }
            work -= segment.work();
            at += segment.seconds;
        }
        at + work / self.segments.last().map_or(1.0, |last| last.to)
    }

    /// The work of a part of `size_bytes`.
    pub(crate) fn work_of(&self, size_bytes: u64, rng: &mut SmallRng) -> f64 {
        let work = match self.unit {
            Unit::Parts => 1.0,
            // An empty part takes time too, or endless ones would start at once.
            Unit::Bytes => size_bytes.max(1) as f64,
        };
        if self.is_poisson {
            // From (0, 1], whose logarithm is finite.
            -(1.0 - rng.random::<f64>()).ln() * work
        } else {
            work
        }
    }
}

impl FromStr for Rate {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let plain = text.strip_prefix("poisson:");
        let mut unit = None;
        let segments = segments(plain.unwrap_or(text), &mut unit).with_context(|| {
            format!(
                "`{text}` is not a rate such as 1000/s, 2GB/s, poisson:1000/s, \
                 100/s@10s,200/s@10s or 100..1000/s@30s"
            )
        })?;
        Ok(Self {
            unit: unit.unwrap_or(Unit::Parts),
            is_poisson: plain.is_some(),
            segments,
            text: text.to_owned(),
        })
    }
}

/// `100/s`, or pieces with times: `100/s@10s,200/s@10s`.
fn segments(text: &str, unit: &mut Option<Unit>) -> Result<Vec<Segment>> {
    if !text.contains([',', '@']) {
        let [from, to] = heights(text, unit)?;
        ensure!(from == to, "a ramp needs its time");
        return Ok(vec![Segment::endless(from)]);
    }
    let segments = text.split(',').map(|piece| {
        let (rate, time) = piece
            .split_once('@')
            .context("each of several rates needs its time, as in 100/s@10s,200/s@10s")?;
        let seconds = duration(time)?.as_secs_f64();
        ensure!(seconds > 0.0, "its time is zero");
        let [from, to] = heights(rate, unit)?;
        Ok(Segment { seconds, from, to })
    });
    segments.collect()
}

/// The rates at the begin and at the end of `100/s` or `100..200/s`.
fn heights(text: &str, unit: &mut Option<Unit>) -> Result<[f64; 2]> {
    let rate = text.strip_suffix("/s").context("a rate ends in /s")?;
    let (from, to) = rate.split_once("..").unwrap_or((rate, rate));
    let mut height = |text: &str| -> Result<f64> {
        let (own, height, max) = if text.ends_with('B') {
            (Unit::Bytes, bytes(text)? as f64, BYTES_PER_S_MAX)
        } else {
            (Unit::Parts, text.parse()?, PARTS_PER_S_MAX)
        };
        if *unit.get_or_insert(own) != own {
            bail!("parts and bytes in one rate");
        }
        ensure!(height > 0.0, "a rate is more than zero");
        ensure!(height <= max, "at most {max:.0}/s");
        Ok(height)
    };
    Ok([height(from)?, height(to)?])
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;

    fn rate(text: &str) -> Rate {
        text.parse().unwrap()
    }

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-9, "{one} instead of {other}");
    }

    #[test]
    fn starts_follow_the_profile() {
        let constant = rate("1000/s");
        near(constant.time_of(0.0), 0.0);
        near(constant.time_of(1500.0), 1.5);
        let steps = rate("100/s@10s,200/s@10s");
        assert_eq!(steps.duration(), Some(Duration::from_secs(20)));
        near(steps.time_of(500.0), 5.0);
        near(steps.time_of(1000.0), 10.0);
        near(steps.time_of(2000.0), 15.0);
        // The last rate goes on.
        near(steps.time_of(3200.0), 21.0);
        let ramp = rate("100..1000/s@30s");
        // 100 t + 15 t^2 at t = 10.
        near(ramp.time_of(2500.0), 10.0);
        near(ramp.time_of(16_500.0), 30.0);
        near(rate("1000..100/s@30s").time_of(16_500.0), 30.0);
        let bytes = rate("2GB/s");
        assert_eq!((bytes.unit(), bytes.height()), (Unit::Bytes, Some(2e9)));
        let mut rng = SmallRng::seed_from_u64(1);
        near(bytes.work_of(8 << 20, &mut rng), 8_388_608.0);
        assert_eq!((ramp.height(), constant.height()), (None, Some(1000.0)));
        assert_eq!(bytes.at_height(1e9).to_string(), "1000.0MB/s");
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() {
        let (poisson, mut rng) = (rate("poisson:1000/s"), SmallRng::seed_from_u64(7));
        let gaps: Vec<f64> = (0..100_000).map(|_| poisson.work_of(5, &mut rng)).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let square = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>();
        let deviation = (square / gaps.len() as f64).sqrt();
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((deviation - 1.0).abs() < 0.02, "{deviation}");
        near(poisson.time_of(1000.0), 1.0);
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in [
            "",
            "0/s",
            "-1/s",
            "1000",
            "NaN/s",
            "inf/s",
            "1e99/s",
            "0MB/s",
            "a/s",
            "1..2/s",
            "1/s@0s",
            "1/s,2/s",
            "1/s@1s,2/s",
            "1/s@1s,2MB/s@1s",
            "poisson:",
            "1/s@x",
            "2TB/s",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}
