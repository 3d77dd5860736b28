//! The load that is simulated: the parts that `run` would send with the same flags and seed.

use std::iter::{Enumerate, Peekable};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::Parser as _;
use hashlane_engine::Algorithm;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use super::time::{Ns, nanos};
use crate::args::{Cli, Command, LoadArgs, PredictArgs, Rpc, SweepPoint};
use crate::load::algorithms;
use crate::load::payload::Payload;
use crate::load::rate::Rate;
use crate::load::schedule::{Start, Starts};
use crate::results::document::RunDocument;

/// As `run` does without flags.
const WARMUP: Duration = Duration::from_millis(500);
const IN_FLIGHT_MAX: usize = 4096;

/// Simulated time after the measurement in which parts may still end.
pub(super) const GRACE: Duration = Duration::from_secs(60);

/// A load.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) load: LoadArgs,
    /// An open loop at this rate; else a closed loop.
    pub(super) rate: Option<Rate>,
    pub(super) in_flight_max: usize,
    /// Simulated time before the measurement, and of the measurement.
    pub(super) warmup: Duration,
    pub(super) duration: Duration,
}

/// A part that begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    /// Its stream in a closed loop, its turn in an open one.
    pub(super) stream: usize,
    pub(super) bytes: u64,
    pub(super) measured: bool,
}

/// Where parts come from.
pub(super) struct Source {
    payload: Arc<Payload>,
    /// The random choices of each stream of a closed loop.
    streams: Vec<SmallRng>,
    /// The starts of an open loop, each with its turn.
    starts: Peekable<Enumerate<Box<dyn Iterator<Item = Start> + Send>>>,
    measured_from: f64,
}

impl Load {
    /// The loads that the flags name: one for each number of streams, or for each rate.
    pub(super) fn all(args: &PredictArgs) -> Vec<Self> {
        let load = |streams, connections| LoadArgs {
            connections,
            streams,
            part_size: args.sizes.clone(),
            chunk_size: args.chunk_size,
            algorithms: args.algorithms.clone(),
            seed: args.seed,
            ..LoadArgs::default()
        };
        let one = |rate, load| Self {
            load,
            rate,
            in_flight_max: IN_FLIGHT_MAX,
            warmup: WARMUP,
            duration: args.duration,
        };
        if args.rate.is_empty() {
            let points = args.streams.iter();
            let load = |point: &SweepPoint| {
                let connections = point.connections.unwrap_or(args.connections);
                one(None, load(point.streams, connections))
            };
            return points.map(load).collect();
        }
        let rates = args.rate.iter();
        let load = |rate: &Rate| one(Some(rate.clone()), load(args.connections, args.connections));
        rates.map(load).collect()
    }

    /// The load of a document's command.
    ///
    /// # Errors
    /// The model has no such loads.
    pub(super) fn of(document: &RunDocument) -> Result<Self> {
        ensure!(!document.command.is_empty(), "it names no command");
        let cli = Cli::try_parse_from(&document.command)?;
        let run = match cli.command {
            None => cli.run,
            Some(Command::Run(run)) => *run,
            // The sum of several generators is not what one of them sends.
            Some(_) => bail!("it is not the document of one `run`"),
        };
        for (name, is_set) in [
            ("--mix", run.mix.is_some()),
            ("--schedule", run.schedule.is_some()),
            ("--client-bandwidth", run.client_bandwidth.is_some()),
        ] {
            ensure!(!is_set, "the model has no {name}");
        }
        ensure!(
            run.load.rpc == Rpc::Digest && run.load.parts_per_stream == 1,
            "the model has only calls of Digest with one part"
        );
        Ok(Self {
            load: run.sent_load(),
            in_flight_max: run.in_flight_max,
            warmup: run.warmup,
            duration: Duration::from_secs_f64(document.seconds),
            rate: run.rate,
        })
    }

    /// The digests of every part.
    pub(super) fn algorithms(&self) -> &[Algorithm] {
        algorithms::or_default(&self.load.algorithms)
    }

    /// Its parts.
    ///
    /// # Errors
    /// The load names an algorithm twice.
    pub(super) fn source(&self) -> Result<Source> {
        let payload = Arc::new(Payload::build(&self.load, false)?);
        let seed = self.load.seed;
        let (streams, starts) = match self.rate.clone() {
            None => (self.load.streams, Starts::Listed(Arc::default())),
            Some(rate) => (0, Starts::Paced { rate, seed }),
        };
        let rng = |index| SmallRng::seed_from_u64(seed.wrapping_add(index as u64 + 1));
        Ok(Source {
            streams: (0..streams).map(rng).collect(),
            starts: starts.iter(Arc::clone(&payload)).enumerate().peekable(),
            payload,
            measured_from: self.warmup.as_secs_f64(),
        })
    }
}

impl Source {
    /// The first part of each stream of a closed loop.
    pub(super) fn first(&mut self) -> Vec<Begin> {
        let streams = 0..self.streams.len();
        streams.filter_map(|of| self.next_of(of)).collect()
    }

    /// The next part of a stream of a closed loop.
    pub(super) fn next_of(&mut self, stream: usize) -> Option<Begin> {
        let part = self.payload.pick(self.streams.get_mut(stream)?);
        Some(Begin {
            stream,
            bytes: part.size_bytes,
            measured: true,
        })
    }

    /// When the next part of an open loop begins.
    pub(super) fn due(&mut self) -> Option<Ns> {
        self.starts.peek().map(|(_, start)| nanos(start.at * 1e9))
    }

    /// The next part of an open loop and its time, if it is due.
    pub(super) fn take_due(&mut self, now: Ns) -> Option<(Begin, Ns)> {
        let due = self.due().filter(|due| *due <= now)?;
        let (stream, start) = self.starts.next()?;
        let begin = Begin {
            stream,
            bytes: start.part.size_bytes,
            measured: start.at >= self.measured_from,
        };
        Some((begin, due))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::loads::document;

    #[test]
    fn a_documents_load_is_that_of_its_run() {
        let closed = Load::of(&document(None)).unwrap();
        let of = &closed.load;
        assert_eq!((of.connections, of.streams, of.seed), (3, 7, 5));
        assert_eq!(
            (of.chunk_size, of.part_size.max_bytes()),
            (16 << 10, 1 << 20)
        );
        assert_eq!(of.algorithm_names(), ["md5"]);
        assert_eq!(closed.warmup, Duration::from_millis(250));
        assert_eq!(closed.duration, Duration::from_millis(2500));
        assert!(closed.rate.is_none());
        let open = Load::of(&document(Some("poisson:9/s"))).unwrap();
        assert_eq!(open.rate.unwrap().to_string(), "poisson:9/s");
        assert_eq!(open.in_flight_max, 99);
        assert_eq!(open.load.used_connections(), 3);
        for (flags, told) in [
            ("run --mix digest:md5=1", "no --mix"),
            ("--rpc verify", "calls of Digest"),
            ("--parts-per-stream 2", "calls of Digest"),
            ("merge a b", "one `run`"),
        ] {
            let command = format!("x {flags}");
            let command = command.split_whitespace().map(str::to_owned).collect();
            let other = RunDocument {
                command,
                ..document(None)
            };
            let error = Load::of(&other).unwrap_err().to_string();
            assert!(error.contains(told), "{flags}: {error}");
        }
    }
}
