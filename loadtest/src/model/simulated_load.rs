//! The load that is simulated: the parts that `run` would send with the same flags and seed.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Parser as _;
use hashlane_engine::Algorithm;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use serde_json::Value;

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
    chunk_bytes: usize,
    in_flight_max: usize,
    kind: Kind,
}

enum Kind {
    /// The random choices of each stream.
    Closed(Vec<SmallRng>),
    Open {
        starts: Box<dyn Iterator<Item = Start> + Send>,
        next: Option<(Begin, Ns)>,
        measured_from: f64,
    },
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
            rpc: Rpc::Digest,
            parts_per_stream: 1,
            seed: args.seed,
            threads: 1,
            pin_client: None,
            tcp_congestion: None,
            part_timeout: GRACE,
            errors_max: 1,
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

    /// The load that a document's settings name.
    ///
    /// # Errors
    /// The model has no such loads.
    pub(super) fn of(document: &RunDocument) -> Result<Self> {
        let settings = &document.settings;
        let is_set = |name: &str| !matches!(settings.get(name), None | Some(Value::Null));
        for name in ["mix", "schedule", "client_bandwidth_bytes_per_s"] {
            ensure!(!is_set(name), "the model has no `{name}`");
        }
        ensure!(
            settings.get("rpc") == Some(&"digest".into())
                && settings.get("parts_per_stream") == Some(&1.into()),
            "the model has only calls of Digest with one part"
        );
        let rate = if is_set("rate") { "rate" } else { "streams" };
        let names = [
            "connections",
            "seed",
            "in_flight_max",
            "part_size",
            "chunk_size",
            rate,
        ];
        let mut flags = vec!["predict".to_owned(), "run".to_owned()];
        for name in names {
            let value = match settings.get(name) {
                Some(Value::String(text)) => text.clone(),
                Some(value) => value.to_string(),
                None => continue,
            };
            flags.extend([format!("--{}", name.replace('_', "-")), value]);
        }
        for name in settings
            .get("algorithms")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            flags.extend([
                "--algorithm".to_owned(),
                name.as_str().unwrap_or("").to_owned(),
            ]);
        }
        let Some(Command::Run(run)) = Cli::try_parse_from(flags)?.command else {
            unreachable!("the line has the subcommand run")
        };
        let seconds = |name| settings.get(name).and_then(Value::as_f64);
        Ok(Self {
            load: run.load.clone(),
            rate: run.rate.clone(),
            in_flight_max: run.in_flight_max,
            warmup: Duration::from_secs_f64(seconds("warmup_s").unwrap_or(0.5)),
            duration: Duration::from_secs_f64(document.seconds),
        })
    }

    /// Connections with parts.
    pub(super) fn connections(&self) -> usize {
        match self.rate {
            Some(_) => self.load.connections,
            None => self.load.used_connections(),
        }
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
        let kind = match &self.rate {
            None => {
                let rng = |index| SmallRng::seed_from_u64(seed.wrapping_add(index as u64 + 1));
                Kind::Closed((0..self.load.streams).map(rng).collect())
            }
            Some(rate) => {
                let rate = rate.clone();
                Kind::Open {
                    starts: Starts::Paced { rate, seed }.iter(Arc::clone(&payload)),
                    next: None,
                    measured_from: self.warmup.as_secs_f64(),
                }
            }
        };
        let mut source = Source {
            payload,
            chunk_bytes: self.load.chunk_size,
            in_flight_max: self.in_flight_max,
            kind,
        };
        source.advance();
        Ok(source)
    }
}

impl Source {
    pub(super) const fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    pub(super) const fn in_flight_max(&self) -> usize {
        self.in_flight_max
    }

    /// The first part of each stream of a closed loop.
    pub(super) fn first(&mut self) -> Vec<Begin> {
        let streams = match &self.kind {
            Kind::Closed(streams) => streams.len(),
            Kind::Open { .. } => 0,
        };
        (0..streams).filter_map(|of| self.next_of(of)).collect()
    }

    /// The next part of a stream of a closed loop.
    pub(super) fn next_of(&mut self, stream: usize) -> Option<Begin> {
        let Kind::Closed(streams) = &mut self.kind else {
            return None;
        };
        let part = self.payload.pick(&mut streams[stream]);
        Some(Begin {
            stream,
            bytes: part.size_bytes,
            measured: true,
        })
    }

    /// When the next part of an open loop begins.
    pub(super) fn due(&self) -> Option<Ns> {
        match &self.kind {
            Kind::Closed(_) => None,
            Kind::Open { next, .. } => next.map(|(_, due)| due),
        }
    }

    /// The next part of an open loop and its time, if it is due.
    pub(super) fn take_due(&mut self, now: Ns) -> Option<(Begin, Ns)> {
        let Kind::Open { next, .. } = &self.kind else {
            return None;
        };
        let due = next.filter(|(_, due)| *due <= now)?;
        self.advance();
        Some(due)
    }

    fn advance(&mut self) {
        if let Kind::Open {
            starts,
            next,
            measured_from,
        } = &mut self.kind
        {
            let turn = next.map_or(0, |(begin, _)| begin.stream + 1);
            *next = starts.next().map(|start| {
                let begin = Begin {
                    stream: turn,
                    bytes: start.part.size_bytes,
                    measured: start.at >= *measured_from,
                };
                (begin, nanos(start.at * 1e9))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        for (name, value) in [
            ("mix", json!(["digest:md5=1"])),
            ("rpc", json!("verify")),
            ("parts_per_stream", json!(2)),
        ] {
            let mut other = document(None);
            other.settings.insert(name.into(), value);
            assert!(Load::of(&other).is_err(), "{name}");
        }
    }
}
