//! A load that can be measured, again and again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};

use super::progress::Progress;
use super::seconds::{End, Window, wait_for};
use super::window_document;
use crate::args::{Rpc, RunArgs, Transport};
use crate::driver::{
    Driver, OpenLoop, Phase, Plan, RANGE_BYTES_MAX, Region, Space, Tally, Target, bearer,
    memory_path,
};
use crate::load::mix::{Class, Mix};
use crate::load::payload::Payload;
use crate::load::rate::Rate;
use crate::load::schedule::Starts;
use crate::protocol::tls::Tls;
use crate::results::document::RunDocument;
use crate::results::say;
use crate::servers::limits::{check_limits, server_limits};
use crate::system::files;
use crate::system::files::read_whole;
use crate::system::runtime::Signals;

/// Measured time unless `--duration`, `--count` or a schedule tells.
const DURATION_DEFAULT: Duration = Duration::from_secs(10);

/// The load.
pub(crate) struct Load {
    args: RunArgs,
    target: Target,
    payload: Arc<Payload>,
    classes: Vec<Class>,
    /// Those of `--schedule`.
    listed: Option<Starts>,
}

impl Load {
    /// Builds the parts, and asks the servers whether they take them.
    ///
    /// # Errors
    /// A file cannot be read, a server is not there, or it does not take such parts.
    pub(crate) async fn prepare(args: &RunArgs) -> Result<Self> {
        let args = &RunArgs {
            load: args.sent_load(),
            ..args.clone()
        };
        let load = &args.load;
        files::allow(load.connections)?;
        let mut target = target(args)?;
        let mix = args.mix.clone().unwrap_or_else(|| Mix {
            classes: vec![Class::of(load)],
        });
        let space = space(args, &mix)?;
        for server in &target.servers {
            let one = Target {
                servers: vec![server.clone()],
                ..target.clone()
            };
            check_limits(load, &server_limits(&one).await?)?;
        }
        let parts = |space: &Space| {
            let listed = args.schedule.as_ref();
            let listed = listed.map(|path| Starts::read(path, load, space));
            let payload = Payload::mixed(load, &mix, args.corrupt, space)?;
            Ok::<_, anyhow::Error>((listed.transpose()?, Arc::new(payload)))
        };
        let (mut listed, mut payload) = parts(&space)?;
        match regions(&target.servers, &space) {
            Ok(memory) => target.memory = memory,
            Err(error) if args.transport == Transport::Auto => {
                say(format_args!("no shared memory: {error:#}"));
                (listed, payload) = parts(&Space::default())?;
            }
            Err(error) => return Err(error.context("--transport memory")),
        }
        Ok(Self {
            listed,
            payload,
            classes: mix.classes,
            target,
            args: args.clone(),
        })
    }

    /// The schedule that the flags ask for; a closed loop if `None`.
    pub(crate) fn starts(&self) -> Option<Starts> {
        let paced = self.args.rate.as_ref().map(|rate| self.paced(rate));
        self.listed.clone().or(paced)
    }

    /// The load's parts at a rate.
    pub(crate) fn paced(&self, rate: &Rate) -> Starts {
        Starts::Paced {
            rate: rate.clone(),
            seed: self.args.load.seed,
        }
    }

    /// Measures one window.
    ///
    /// # Errors
    /// A connection cannot be opened, or the metrics cannot be read at the begin.
    pub(crate) async fn measure(
        &self,
        starts: Option<Starts>,
        is_live: bool,
        signals: &mut Signals,
    ) -> Result<Measured> {
        let args = &self.args;
        let length = starts.as_ref().and_then(Starts::duration);
        let duration = match args.count {
            Some(_) => Duration::MAX,
            None => args.duration.or(length).unwrap_or(DURATION_DEFAULT),
        };
        // A schedule with a shape is measured from its begin.
        let has_warmup = args.count.is_none() && length.is_none();
        let warmup = if has_warmup {
            args.warmup
        } else {
            Duration::ZERO
        };
        let loop_text = starts.as_ref().map(|starts| self.text_of(starts));
        let open = starts.map(|starts| OpenLoop {
            starts,
            warmup,
            end: warmup.saturating_add(duration),
            in_flight_max: args.in_flight_max,
        });
        let mut driver = Driver::start(Plan {
            count: args.count,
            bandwidth: args.client_bandwidth,
            open,
            ..Plan::new(
                self.target.clone(),
                args.load.clone(),
                Arc::clone(&self.payload),
            )
        })?;
        if let Some(at) = args.start_at {
            let wait = at.duration_since(SystemTime::now());
            wait_for(&mut driver, wait.unwrap_or_default(), signals).await;
        }
        let mut ended = End::Time;
        if !warmup.is_zero() {
            driver.enter(Phase::Warmup);
            ended = wait_for(&mut driver, warmup, signals).await;
        }
        let progress = Progress::new(is_live);
        let window = Window::begin(&driver, &args.admin, progress).await;
        let mut window = window.context("the server's metrics (`--admin off` does without)")?;
        driver.enter(Phase::Measure);
        if ended == End::Time {
            let left = match driver.begin() {
                // The schedule's begin counts, not that of its first reading.
                Some(begin) if loop_text.is_some() => {
                    (warmup.saturating_add(duration)).saturating_sub(begin.elapsed())
                }
                _ => duration,
            };
            ended = window.watch(&mut driver, left, signals).await;
        }
        let next = if ended == End::Signal {
            Phase::Abort
        } else {
            Phase::Finish
        };
        window.end(&driver, next).await;
        if ended == End::Time {
            ended = match wait_for(&mut driver, args.grace, signals).await {
                End::Signal => End::Signal,
                End::Time | End::Done => End::Done,
            };
        }
        let tally = window.absorb(driver.join()?);
        let is_interrupted = ended == End::Signal;
        let document = window_document::document(
            args,
            &self.classes,
            window,
            &tally,
            loop_text,
            is_interrupted,
        )?;
        Ok(Measured {
            is_complete: is_interrupted || (tally.in_flight == 0 && tally.measured > 0),
            document,
            tally,
        })
    }

    fn text_of(&self, starts: &Starts) -> String {
        match starts {
            Starts::Paced { rate, .. } => rate.to_string(),
            Starts::Listed(_) => {
                let path = self.args.schedule.as_deref().unwrap_or(Path::new(""));
                format!("schedule {}", path.display())
            }
        }
    }
}

/// Where the load's data goes.
fn space(args: &RunArgs, mix: &Mix) -> Result<Space> {
    let offers = |server: &String| memory_path(server).is_some_and(|path| path.exists());
    match args.transport {
        Transport::Socket => Ok(Space::default()),
        Transport::Auto if !args.server.iter().all(offers) => Ok(Space::default()),
        Transport::Auto => Ok(Space::shared()),
        Transport::Memory => {
            for server in &args.server {
                ensure!(
                    memory_path(server).is_some(),
                    "--transport memory: {server} is not of the form unix:/path"
                );
            }
            ensure!(
                mix.classes.iter().all(|class| class.rpc != Rpc::Batch),
                "--transport memory: a batch carries its blobs, so only digest, verify and \
                 multiplexed use shared memory"
            );
            ensure!(
                args.load.chunk_size <= RANGE_BYTES_MAX,
                "--transport memory: a range has at most {RANGE_BYTES_MAX} bytes, and --chunk-size \
                 is {}",
                args.load.chunk_size
            );
            Ok(Space::shared())
        }
    }
}

/// Memory of each server with the data in it; none if there is no such data.
fn regions(servers: &[String], space: &Space) -> Result<Vec<Arc<Region>>> {
    let Some(contents) = space.contents().filter(|contents| !contents.is_empty()) else {
        return Ok(Vec::new());
    };
    let regions = servers.iter().map(|server| {
        let region = Region::fill(server, &contents);
        Ok(Arc::new(region.with_context(|| {
            format!("the server at {server} shares no memory")
        })?))
    });
    regions.collect()
}

fn target(args: &RunArgs) -> Result<Target> {
    let read = |path: &PathBuf| {
        let content = std::fs::read(path);
        content.with_context(|| format!("cannot read {}", path.display()))
    };
    let own = match (&args.client_certificate, &args.client_key) {
        (Some(chain), Some(key)) => Some([read(chain)?, read(key)?]),
        _ => None,
    };
    let tls = args.ca.as_ref();
    let tls = tls.map(|path| Tls::new(&read(path)?, own.as_ref()));
    let token = args.token_file.as_ref();
    let token = token.map(|path| bearer(&read_whole(path)?));
    Ok(Target {
        servers: args.server.clone(),
        tls: tls.transpose().context("--ca")?,
        authorization: token.transpose().context("--token-file")?,
        memory: Vec::new(),
    })
}

/// What was measured.
pub(crate) struct Measured {
    pub(crate) document: RunDocument,
    pub(crate) tally: Tally,
    /// Every part has ended, and there was one.
    is_complete: bool,
}

impl Measured {
    /// Whether every answer was right and every part ended.
    pub(crate) fn is_right(&self) -> bool {
        self.is_complete && self.tally.errors == 0 && self.tally.mismatches == 0
    }
}
