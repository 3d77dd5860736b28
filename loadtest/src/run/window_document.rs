//! The document of a window.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::seconds::{Window, queue_wait_ms};
use crate::args::{Bytes, RunArgs};
use crate::driver::Tally;
use crate::load::algorithms;
use crate::load::mix;
use crate::results::GB;
use crate::results::document::{
    Class, ClientFigures, KIND, Kernel, Latency, Machine, RunDocument, Second, ServerFigures,
    Totals, VERSION, Workload,
};
use crate::results::window_figures::ratio;
use crate::servers::counters::ServerCounters;
use crate::servers::lane_occupancy::{Efficiency, Occupancy};
use crate::system::cpus::CpuModel;
use crate::system::cpus::Cpus;

/// Starts that are later than this, at the 99th percentile, are not those of the schedule.
const LATE_STARTS_P99_MS: f64 = 10.0;

/// The share of its threads' CPU time from which the load generator is busy.
const BUSY_SHARE: f64 = 0.9;

/// A shorter window says nothing about CPU time.
const BUSY_SECONDS: f64 = 1.0;

/// The document of `window`, whose results are `tally`. `rate` is the schedule of an open loop.
pub(super) fn document(
    args: &RunArgs,
    classes: &[mix::Class],
    window: Window,
    tally: &Tally,
    rate: Option<String>,
    interrupted: bool,
) -> Result<RunDocument> {
    let (first, last) = (&window.first, &window.last);
    let seconds = (last.at - first.at).as_secs_f64();
    let bytes = last.sent_bytes - first.sent_bytes;
    let gb = bytes as f64 / GB;
    let per_second = |amount: f64| ratio(Some(amount), Some(seconds)).unwrap_or(0.0);
    let cpu_seconds = last.cpu.seconds_since(&first.cpu);
    let late_starts_p99_ms = rate
        .is_some()
        .then(|| tally.late_ns.value_at_quantile(0.99) as f64 / 1e6);
    let threads = args.load.threads.min(args.load.used_connections());
    let busy_cpus = per_second(cpu_seconds);
    let why = bottleneck(seconds, busy_cpus, threads, late_starts_p99_ms);
    let counters = last.server.as_ref().zip(first.server.as_ref());
    let server = counters.map(|(last, first)| {
        let since = last.since(first);
        server_figures(last, &since, gb, seconds, &window.seconds)
    });
    let classes = classes.iter().enumerate().map(|(index, class)| {
        let own = tally.classes.get(index);
        let response_time = own.map(|own| Latency::of(&own.latencies_ns));
        Ok(Class {
            name: class.to_string(),
            weight: class.weight,
            rpc: class.rpc.to_string(),
            algorithms: algorithms::names(&class.algorithms)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            sizes: args.load.part_size.to_string(),
            parts: own.map_or(0, |own| own.parts),
            bytes: own.map_or(0, |own| own.bytes),
            response_time: response_time.transpose()?,
        })
    });
    let is_open = rate.is_some();
    Ok(RunDocument {
        kind: KIND.into(),
        version: VERSION,
        started_at: humantime::format_rfc3339_millis(window.started_at).to_string(),
        seconds,
        interrupted,
        machine: machine(),
        command: std::env::args().collect(),
        settings: settings(args),
        label: args.label.clone(),
        totals: Totals {
            parts: tally.measured,
            bytes,
            memory_bytes: last.memory_bytes - first.memory_bytes,
            gb_per_s: per_second(gb),
            parts_per_s: per_second(tally.measured as f64),
            checked: tally.answered,
            corrupted_sent: tally.corrupted,
            mismatches_expected: tally.caught,
            mismatches_wrong: tally.mismatches,
            errors: tally.errors,
            unfinished: u64::try_from(tally.in_flight).unwrap_or(0),
            missed_starts: tally.missed,
        },
        response_time: Latency::of(&tally.latencies_ns)?,
        service_time: Latency::of(&tally.service_ns)?,
        errors: tally.reasons.clone(),
        client: ClientFigures {
            cpu_seconds,
            cpu_seconds_per_gb: ratio(Some(cpu_seconds), Some(gb)),
            busy_cpus,
            run_delay_seconds: last.cpu.delay_since(&first.cpu),
            threads,
            late_starts_p99_ms,
            is_bottleneck: !why.is_empty(),
            why,
        },
        server,
        workload: Workload {
            classes: classes.collect::<Result<_>>()?,
            r#loop: if is_open { "open" } else { "closed" }.into(),
            rate: rate.unwrap_or_else(|| format!("{} streams", args.load.streams)),
        },
        seconds_series: window.seconds,
        thresholds: Vec::new(),
    })
}

/// Why the load generator held the rate down, if it did.
fn bottleneck(
    seconds: f64,
    busy_cpus: f64,
    threads: usize,
    late_starts_p99_ms: Option<f64>,
) -> Vec<String> {
    let mut why = Vec::new();
    if seconds >= BUSY_SECONDS && busy_cpus >= BUSY_SHARE * threads as f64 {
        why.push(format!(
            "it used {busy_cpus:.2} CPUs, with {threads} threads that send (--threads)"
        ));
    }
    if let Some(late_ms) = late_starts_p99_ms
        && late_ms > LATE_STARTS_P99_MS
    {
        why.push(format!(
            "one start in a hundred was {late_ms:.1} ms late or more ({LATE_STARTS_P99_MS} ms are \
             allowed)"
        ));
    }
    why
}

fn server_figures(
    last: &ServerCounters,
    since: &ServerCounters,
    gb: f64,
    seconds: f64,
    series: &[Second],
) -> ServerFigures {
    // Some exporters count whole seconds, so zero does not mean that none were used.
    let cpu_seconds = since.sum("process_cpu_seconds_total");
    let used = cpu_seconds.filter(|seconds| *seconds > 0.0);
    let occupancy = Occupancy::of(since);
    let buffered = series
        .iter()
        .filter_map(|second| second.server.as_ref()?.buffered_bytes);
    ServerFigures {
        cpu_seconds,
        cpu_seconds_per_gb: ratio(used, Some(gb)),
        busy_cpus: ratio(used, Some(seconds)),
        run_delay_seconds: since.sum("hashlane_worker_run_delay_seconds_total"),
        hashed_gb: since
            .sum("hashlane_hashed_bytes_total")
            .map(|bytes| bytes / GB),
        occupancy_ratio: occupancy.as_ref().map(|lanes| lanes.ratio),
        efficiency_ratio: Efficiency::of(since).map(|lanes| lanes.ratio),
        kernels: occupancy
            .into_iter()
            .flat_map(|lanes| lanes.kernels)
            .map(|of| {
                let [lane_blocks_active, lane_blocks] = of.blocks;
                let kernel = Kernel {
                    lanes: of.lanes,
                    lane_blocks_active,
                    lane_blocks,
                };
                (of.kernel, kernel)
            })
            .collect(),
        workers: Some(last.by("hashlane_worker_seconds_total", "worker").len())
            .filter(|workers| *workers > 0),
        worker_seconds: since.by("hashlane_worker_seconds_total", "phase"),
        queue_wait_mean_ms: queue_wait_ms(since),
        buffered_bytes_max: buffered.reduce(f64::max),
        build_info: last.labels("hashlane_build_info"),
    }
}

fn machine() -> Machine {
    let uname = rustix::system::uname();
    let word = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    let os = [uname.sysname(), uname.release(), uname.machine()].map(word);
    Machine {
        cpu_model: CpuModel::read().to_string(),
        cpus: Cpus::allowed().map_or(0, |cpus| cpus.singles().count()),
        os: os.join(" "),
    }
}

/// Every flag's effective value. Files are named, and their contents are not told.
fn settings(args: &RunArgs) -> Map<String, Value> {
    let path =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let load = &args.load;
    let more = json!({
        "server": args.server,
        "transport": args.transport,
        "admin": args.admin,
        "rate": args.rate.as_ref().map(ToString::to_string),
        "schedule": path(&args.schedule),
        "in_flight_max": args.in_flight_max,
        "mix": args.mix.as_ref().map(|mix| {
            let classes = mix.classes.iter();
            let classes = classes.map(|class| format!("{class}={}", class.weight));
            classes.collect::<Vec<_>>()
        }),
        "client_bandwidth_bytes_per_s": args.client_bandwidth,
        "corrupt": args.corrupt,
        "duration_s": args.duration.map(|duration| duration.as_secs_f64()),
        "count": args.count,
        "warmup_s": args.warmup.as_secs_f64(),
        "grace_s": args.grace.as_secs_f64(),
        "start_at": args.start_at.map(|at| humantime::format_rfc3339_millis(at).to_string()),
        "fail_if": args.fail_if.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "threads": load.threads,
        "pin_client": load.pin_client.as_ref().map(Cpus::to_string),
        "part_timeout_s": load.part_timeout.as_secs_f64(),
        "errors_max": load.errors_max,
        "chunk_size": Bytes(load.chunk_size as u64).to_string(),
        "ca": path(&args.ca),
        "client_certificate": path(&args.client_certificate),
        "token_file": path(&args.token_file),
    });
    load.row().and(more).into_map()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_bottleneck_if_it_is_busy_or_late() {
        assert!(bottleneck(10.0, 0.5, 1, Some(2.0)).is_empty());
        assert!(bottleneck(10.0, 0.95, 2, None).is_empty());
        assert!(bottleneck(0.2, 0.99, 1, None).is_empty());
        let busy = bottleneck(10.0, 0.95, 1, None);
        assert!(busy[0].contains("0.95 CPUs"), "{busy:?}");
        let late = bottleneck(10.0, 0.1, 1, Some(12.0));
        assert!(late[0].contains("12.0 ms late"), "{late:?}");
    }
}
