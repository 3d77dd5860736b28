//! `search`: the highest rate within limits, and the cores that a network needs.
//!
//! ```text
//! double    the rate until a limit breaks (halve it while the first rate breaks one)
//! bisect    between the highest rate that passed and the lowest that broke: the bracket
//! repeat    both ends: a low end that mostly breaks becomes the high end of a new bracket
//! ```

use std::io::{IsTerminal as _, stderr};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::end_of_run::{CLIENT_WAS_BOTTLENECK, check_folders};
use super::measured_load::Load;
use crate::args::SearchArgs;
use crate::load::rate::{Rate, Unit};
use crate::results::document::RunDocument;
use crate::results::{Row, Table, figure, median, say, whole, write_document};
use crate::system::runtime::{Signals, runtime};

/// The time of a step unless `--duration` tells.
const STEP: Duration = Duration::from_secs(5);

/// The first rate unless `--rate` tells.
const RATE: &str = "100/s";

/// If one side waits longer for a CPU, as a share of the time, something else broke the limits.
const WAITED_FOR_CPU_MAX: f64 = 0.05;

/// Below this share of its cores, the server's CPU time is not what breaks a limit.
const BUSY_SHARE_MIN: f64 = 0.7;

/// The most steps of a search: doublings, halvings and repeats are well below it.
const STEPS_MAX: usize = 100;

/// Runs the search and prints the knee.
///
/// # Errors
/// The load cannot be started, no rate passes, or a signal arrives.
pub fn search(args: &SearchArgs) -> Result<ExitCode> {
    check_folders(&args.run.json)?;
    runtime()?.block_on(async {
        let mut run = args.run.clone();
        ensure!(
            run.schedule.is_none() && run.count.is_none() && run.start_at.is_none(),
            "search has rates of its own: no --schedule, --count or --start-at"
        );
        ensure!(
            run.load.parts_per_stream == 1,
            "search starts parts at a rate, each on an RPC of its own: no --parts-per-stream"
        );
        ensure!(
            run.fail_if.is_empty() && run.hgrm.is_none() && run.report.is_none(),
            "search has no --fail-if, --hgrm or --report: it has --limit, and a run at its knee has them"
        );
        run.duration.get_or_insert(STEP);
        let rate = run.rate.clone().map_or_else(|| RATE.parse(), Ok)?;
        let height = rate.height().context("search needs a constant --rate")?;
        run.rate = Some(rate.clone());
        let mut search = Search {
            load: Load::prepare(&run).await?,
            signals: Signals::listen()?,
            args,
            rate,
            steps: Vec::new(),
        };
        let bracket = search.bracket(height).await?;
        search.report(bracket)
    })
}

struct Search<'a> {
    args: &'a SearchArgs,
    load: Load,
    signals: Signals,
    rate: Rate,
    steps: Vec<Step>,
}

/// One measurement at a rate.
#[derive(Clone, Debug, Serialize)]
struct Step {
    rate: f64,
    /// The limits that broke.
    broken: Vec<String>,
    /// Why the load generator held the rate down, if it did.
    client_was_bottleneck: Vec<String>,
    parts_per_s: f64,
    gb_per_s: f64,
    p99_ms: f64,
    server_cpu_s_per_gb: Option<f64>,
    server_busy_cpus: Option<f64>,
    /// The share of the time in which one side was ready to run but had no CPU.
    waited_for_cpu: f64,
    #[serde(skip)]
    workers: Option<usize>,
}

impl Step {
    fn of(rate: f64, broken: Vec<String>, run: &RunDocument) -> Self {
        let server = run.server.as_ref();
        let workers = server.and_then(|of| of.workers);
        let of_server = server.and_then(|of| of.run_delay_seconds).unwrap_or(0.0);
        let of_server = of_server / workers.unwrap_or(1) as f64;
        let of_client = run.client.run_delay_seconds / run.client.threads.max(1) as f64;
        Self {
            rate,
            broken,
            client_was_bottleneck: run.client.why.clone(),
            parts_per_s: run.totals.parts_per_s,
            gb_per_s: run.totals.gb_per_s,
            p99_ms: run.response_time.p99_ms,
            server_cpu_s_per_gb: server.and_then(|of| of.cpu_seconds_per_gb),
            server_busy_cpus: server.and_then(|of| of.busy_cpus),
            waited_for_cpu: of_server.max(of_client) / run.seconds,
            workers,
        }
    }

    /// A step whose client was the bottleneck tells nothing about the server.
    fn passed(&self) -> bool {
        self.broken.is_empty() && self.client_was_bottleneck.is_empty()
    }
}

/// The highest rate that passed, and the lowest that did not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bracket {
    low: f64,
    high: f64,
}

impl Bracket {
    fn middle(&self) -> f64 {
        (self.low * self.high).sqrt()
    }

    fn is_narrow(&self, precision: f64) -> bool {
        self.high <= self.low * (1.0 + precision)
    }
}

impl Search<'_> {
    async fn bracket(&mut self, first: f64) -> Result<Bracket> {
        let mut bracket = self.first_bracket(first).await?;
        loop {
            while !bracket.is_narrow(self.args.precision) {
                let middle = bracket.middle();
                if self.step(middle).await? {
                    bracket.low = middle;
                } else {
                    bracket.high = middle;
                }
            }
            for _ in 0..self.args.repeats {
                self.step(bracket.low).await?;
                self.step(bracket.high).await?;
            }
            let [passed, all] = self.passed(bracket.low);
            if 2 * passed > all {
                return Ok(bracket);
            }
            // It passed by chance.
            let step = 1.0 + 2.0 * self.args.precision;
            bracket = self.first_bracket_below(bracket.low, step).await?;
        }
    }

    /// Doubles or halves the rate.
    async fn first_bracket(&mut self, mut rate: f64) -> Result<Bracket> {
        if !self.step(rate).await? {
            return self.first_bracket_below(rate, 2.0).await;
        }
        while self.step(2.0 * rate).await? {
            rate *= 2.0;
        }
        Ok(Bracket {
            low: rate,
            high: 2.0 * rate,
        })
    }

    /// Divides the rate by `factor` until no limit breaks.
    async fn first_bracket_below(&mut self, mut high: f64, factor: f64) -> Result<Bracket> {
        loop {
            let low = high / factor;
            if self.step(low).await? {
                return Ok(Bracket { low, high });
            }
            high = low;
        }
    }

    /// Measures at `rate`. True if no limit broke.
    async fn step(&mut self, rate: f64) -> Result<bool> {
        ensure!(
            self.steps.len() < STEPS_MAX,
            "no knee after {STEPS_MAX} steps: the last rate was {}",
            self.rate.at_height(rate)
        );
        if !self.steps.is_empty() {
            tokio::time::sleep(self.args.pause).await;
        }
        let paced = self.rate.at_height(rate);
        let starts = self.load.paced(&paced);
        // Elsewhere than on a terminal the line of each step is enough.
        let is_live = stderr().is_terminal();
        let measured = self.load.measure(Some(starts), is_live, &mut self.signals);
        let measured = measured.await?;
        let run = &measured.document;
        if run.interrupted {
            bail!("interrupted");
        }
        let judged = self.args.limit.iter().map(|limit| limit.judge(run));
        let broken = judged.filter(|judged| !judged.passed);
        let mut broken: Vec<_> = broken.map(|judged| judged.text).collect();
        if run.totals.mismatches_wrong > 0 {
            bail!("wrong answers: {}", run.totals.mismatches_wrong);
        }
        if run.totals.unfinished > 0 {
            broken.push("unfinished>0".to_owned());
        }
        let step = Step::of(rate, broken, run);
        let outcomes = [
            ("breaks", &step.broken),
            (
                "the client was the bottleneck:",
                &step.client_was_bottleneck,
            ),
        ];
        let outcomes = outcomes.into_iter().filter(|(_, why)| !why.is_empty());
        let outcomes = outcomes.map(|(outcome, why)| format!("{outcome} {}", why.join(", ")));
        let outcomes: Vec<_> = outcomes.collect();
        say(format_args!(
            "{paced}: {:.3} GB/s, p99 {:.2} ms, server {} CPUs: {}",
            step.gb_per_s,
            step.p99_ms,
            figure(step.server_busy_cpus, 2),
            if step.passed() {
                "passes".to_owned()
            } else {
                outcomes.join("; ")
            }
        ));
        let passed = step.passed();
        self.steps.push(step);
        Ok(passed)
    }

    fn at(&self, rate: f64) -> impl Iterator<Item = &Step> + Clone {
        self.steps.iter().filter(move |step| step.rate == rate)
    }

    /// The steps at a rate: those that passed, and all.
    fn passed(&self, rate: f64) -> [usize; 2] {
        let passed = self.at(rate).filter(|step| step.passed());
        [passed.count(), self.at(rate).count()]
    }

    fn report(&self, bracket: Bracket) -> Result<ExitCode> {
        let passed = self.at(bracket.low).filter(|step| step.passed());
        let of = |figure: fn(&Step) -> Option<f64>| median(passed.clone().filter_map(figure));
        let gb_per_s = of(|step| Some(step.gb_per_s)).context("no step passed")?;
        let p99_ms = of(|step| Some(step.p99_ms)).context("no step passed")?;
        let busy_cpus = of(|step| step.server_busy_cpus);
        let workers = passed.clone().find_map(|step| step.workers);
        let is_client_bound = self
            .at(bracket.high)
            .all(|step| !step.client_was_bottleneck.is_empty());
        let waited = self.at(bracket.high).filter(|step| !step.passed());
        let waited = median(waited.map(|step| step.waited_for_cpu)).unwrap_or(0.0);
        let is_disturbed = waited > WAITED_FOR_CPU_MAX;
        let [low_passed, low_all] = self.passed(bracket.low);
        let [high_passed, high_all] = self.passed(bracket.high);
        let per_core = workers.map(|workers| gb_per_s / workers as f64);
        let limits: Vec<_> = self.args.limit.iter().map(ToString::to_string).collect();
        let limits = limits.join(", ");

        let unit = match self.rate.unit() {
            Unit::Parts => "parts/s",
            Unit::Bytes => "bytes/s",
        };
        let (Bracket { low, high }, broke) = (bracket, high_all - high_passed);
        let mut lines = vec![
            format!(
                "knee: {low:.0} {unit} passed ({low_passed} of {low_all} times), {high:.0} {unit} \
                 did not ({broke} of {high_all} times)"
            ),
            format!("at the knee: {gb_per_s:.3} GB/s, p99 {p99_ms:.2} ms; limits: {limits}"),
        ];
        let mut needs = Vec::new();
        match (per_core, is_client_bound || is_disturbed) {
            _ if is_disturbed => lines.push(format!(
                "server or client waited for a CPU {:.0}% of the time: other programs use theirs, \
                 and this knee is not the server's",
                100.0 * waited
            )),
            (_, true) => lines.push(
                "the client was the bottleneck: the server may take more (more --threads, or \
                 several generators)"
                    .to_owned(),
            ),
            (None, false) => lines.push(
                "without the server's metrics (--admin) nothing is known of its cores".to_owned(),
            ),
            (Some(per_core), false) => {
                let workers = workers.unwrap_or(1);
                let busy = figure(busy_cpus, 2);
                lines.push(format!(
                    "{gb_per_s:.3} GB/s / {workers} workers = {per_core:.3} GB/s per core; the \
                     server kept {busy} CPUs busy"
                ));
                if busy_cpus.is_some_and(|busy| busy < BUSY_SHARE_MIN * workers as f64) {
                    lines.push(
                        "its cores were not busy: a burst or a wait, not CPU time, broke the limit"
                            .to_owned(),
                    );
                }
                needs = needed(&self.args.gbit_per_s, per_core);
                lines.extend(needs.iter().map(|(gbit, cores)| {
                    let (gb, quotient) = (gbit / 8.0, gbit / 8.0 / per_core);
                    format!("{gbit} Gbit/s = {gb:.3} GB/s; / {per_core:.3} = {quotient:.2}: {cores} cores")
                }));
                lines.push(sentence(per_core, &limits, &needs));
            }
        }
        say(self.table());
        lines.iter().for_each(say);
        let document = json!({
            "kind": "search",
            "version": 1,
            "unit": unit,
            "limits": limits,
            "knee": {
                "rate": low,
                "rate_that_breaks": high,
                "passed": [low_passed, low_all],
                "broke": [broke, high_all],
                "gb_per_s": gb_per_s,
                "p99_ms": p99_ms,
                "server_busy_cpus": busy_cpus,
                "workers": workers,
                "gb_per_s_per_core": per_core,
            },
            "client_was_bottleneck": is_client_bound,
            "waited_for_cpu": waited,
            "cores": needs.iter().map(|(gbit_per_s, cores)| {
                json!({"gbit_per_s": gbit_per_s, "cores": cores})
            }).collect::<Vec<Value>>(),
            "lines": lines,
            "steps": self.steps,
        });
        write_document(&document, self.args.run.json.as_deref())?;
        Ok(match is_client_bound || is_disturbed {
            true => ExitCode::from(CLIENT_WAS_BOTTLENECK),
            false => ExitCode::SUCCESS,
        })
    }

    fn table(&self) -> String {
        let mut steps: Vec<_> = self.steps.iter().collect();
        steps.sort_by(|one, other| one.rate.total_cmp(&other.rate));
        let mut table = Table::default();
        for step in steps {
            let cells = Row::of(step).line([
                ("GB/s", "gb_per_s", 3),
                ("parts/s", "parts_per_s", 0),
                ("p99 ms", "p99_ms", 2),
                ("CPU s/GB", "server_cpu_s_per_gb", 3),
                ("CPUs", "server_busy_cpus", 2),
            ]);
            let outcome = if step.passed() { "passes" } else { "breaks" };
            let rate = [("rate", self.rate.at_height(step.rate).to_string())];
            table.row(
                rate.into_iter()
                    .chain(cells)
                    .chain([("", outcome.to_owned())]),
            );
        }
        table.to_string()
    }
}

/// Networks and the cores that they need.
fn needed(gbit_per_s: &[f64], per_core: f64) -> Vec<(f64, u64)> {
    let cores = |gbit: &f64| whole::<u64>((gbit / 8.0 / per_core).ceil()).max(1);
    gbit_per_s.iter().map(|gbit| (*gbit, cores(gbit))).collect()
}

fn sentence(per_core: f64, limits: &str, needs: &[(f64, u64)]) -> String {
    // A limit of p99 is said as people say it.
    let p99 = limits
        .split(", ")
        .find_map(|limit| limit.strip_prefix("p99>"));
    let within = match p99 {
        Some(limit) => format!("at p99 below {limit}"),
        None => format!("until a limit breaks ({limits})"),
    };
    let needs: Vec<_> = needs
        .iter()
        .map(|(gbit_per_s, cores)| match cores {
            1 => format!("{gbit_per_s} Gbit/s need 1 core"),
            _ => format!("{gbit_per_s} Gbit/s need {cores} cores"),
        })
        .collect();
    format!(
        "one core of this CPU takes {per_core:.2} GB/s of this mix {within}; {}",
        needs.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_needs_whole_cores() {
        let needs = needed(&[10.0, 20.0, 25.0, 100.0], 1.25);
        assert_eq!(needs, [(10.0, 1), (20.0, 2), (25.0, 3), (100.0, 10)]);
        assert_eq!(
            sentence(1.25, "p99>50ms, errors>0", &needs[..2]),
            "one core of this CPU takes 1.25 GB/s of this mix at p99 below 50ms; 10 Gbit/s need \
             1 core, 20 Gbit/s need 2 cores"
        );
    }

    #[test]
    fn a_bracket_narrows_to_its_precision() {
        let bracket = Bracket {
            low: 100.0,
            high: 400.0,
        };
        assert_eq!(bracket.middle(), 200.0);
        assert!(!bracket.is_narrow(0.04));
        let narrow = Bracket {
            low: 100.0,
            high: 104.0,
        };
        assert!(narrow.is_narrow(0.04));
    }
}
