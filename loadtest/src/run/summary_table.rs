//! The summary table at the end of a run, for people, and HdrHistogram's table of percentiles.

use std::fmt::Write as _;

use hdrhistogram::Histogram;

use crate::results::document::{Latency, RunDocument, ServerFigures, Totals};
use crate::results::{GB, Table, figure, list};

/// The report of a run.
pub(super) fn table(run: &RunDocument) -> String {
    let Totals {
        parts,
        gb_per_s,
        parts_per_s,
        ..
    } = run.totals;
    let (totals, seconds) = (&run.totals, run.seconds);
    let gb = totals.bytes as f64 / GB;
    let memory_gb = totals.memory_bytes as f64 / GB;
    let socket_gb = gb - memory_gb;
    let mut lines = Vec::new();
    let mut line = |name, text: String| lines.push((name, text));
    line("load", load(run));
    line(
        "measured",
        format!("{seconds:.3} s, {gb:.3} GB, {parts} parts"),
    );
    line(
        "rate",
        format!("{gb_per_s:.3} GB/s, {parts_per_s:.1} parts/s"),
    );
    let data = format!("{socket_gb:.3} GB through sockets, {memory_gb:.3} GB in shared memory");
    line("data", data);
    line("parts checked", totals.checked.to_string());
    line("mismatches", totals.mismatches_wrong.to_string());
    line("errors", totals.errors.to_string());
    if totals.corrupted_sent > 0 {
        let (caught, sent) = (totals.mismatches_expected, totals.corrupted_sent);
        let text = format!("{sent} sent, {caught} came back as mismatches");
        line("corrupted parts", text);
    }
    if totals.unfinished > 0 {
        line("unfinished parts", totals.unfinished.to_string());
    }
    if let missed @ 1.. = totals.missed_starts {
        let text = format!(
            "{missed} (--in-flight-max was reached, or the client was late: latencies are without these)"
        );
        line("missed starts", text);
    }
    let client = &run.client;
    let cpu_per_gb = figure(client.cpu_seconds_per_gb, 3);
    let mut text = format!(
        "{:.2} s, {cpu_per_gb} s/GB, {:.2} CPUs; {:.2} s of waiting for a CPU",
        client.cpu_seconds, client.busy_cpus, client.run_delay_seconds
    );
    if let Some(late_ms) = client.late_starts_p99_ms {
        // Writing to a string cannot fail.
        let _ = write!(text, "; starts late by p99 {late_ms:.3} ms");
    }
    line("client CPU", text);
    lines.extend(run.server.iter().flat_map(server));
    let mut table = Table::default();
    table.row(latency_row("response time", &run.response_time));
    table.row(latency_row("service time", &run.service_time));
    if run.workload.classes.len() > 1 {
        for class in &run.workload.classes {
            if let Some(latency) = &class.response_time {
                table.row(latency_row(&class.name, latency));
            }
        }
    }
    format!("{}\n{table}", list(&lines))
}

fn load(run: &RunDocument) -> String {
    let weights: f64 = run.workload.classes.iter().map(|class| class.weight).sum();
    let classes = run.workload.classes.iter().map(|class| {
        let share = 100.0 * class.weight / weights;
        match run.workload.classes.len() {
            1 => class.name.clone(),
            _ => format!("{} {share:.0}%", class.name),
        }
    });
    let classes: Vec<_> = classes.collect();
    let sizes = run
        .workload
        .classes
        .first()
        .map_or("", |class| &class.sizes);
    format!(
        "{} loop, {}: {}, parts of {sizes}",
        run.workload.r#loop,
        run.workload.rate,
        classes.join(", ")
    )
}

fn latency_row<'a>(name: &str, of: &Latency) -> impl Iterator<Item = (&'a str, String)> {
    let cells = [
        ("p50", of.p50_ms),
        ("p90", of.p90_ms),
        ("p99", of.p99_ms),
        ("p99.9", of.p999_ms),
        ("p99.99", of.p9999_ms),
        ("max", of.max_ms),
        ("mean", of.mean_ms),
    ];
    let cells = cells.map(|(head, ms)| (head, figure((of.count > 0).then_some(ms), 3)));
    [("ms", name.to_owned())].into_iter().chain(cells)
}

fn server(server: &ServerFigures) -> [(&'static str, String); 5] {
    let kernels = server.kernels.values();
    let active: f64 = kernels.map(|of| of.lane_blocks_active).sum();
    let kernels = server.kernels.iter().map(|(name, of)| {
        let lanes_active = of.lane_blocks_active / of.lane_blocks * f64::from(of.lanes);
        let percent = 100.0 * of.lane_blocks_active / active;
        let lanes = of.lanes;
        format!("; {name} {lanes_active:.2} of {lanes} ({percent:.1}% of blocks)")
    });
    let kernels: String = kernels.collect();
    let phases = server.worker_seconds.iter();
    let phases: Vec<_> = phases
        .map(|(phase, seconds)| format!("{phase} {seconds:.3}"))
        .collect();
    let [seconds, busy_cpus, delay_seconds] = [
        server.cpu_seconds,
        server.busy_cpus,
        server.run_delay_seconds,
    ]
    .map(|of| figure(of, 2));
    let [per_gb, occupancy, efficiency, wait_ms] = [
        server.cpu_seconds_per_gb,
        server.occupancy_ratio,
        server.efficiency_ratio,
        server.queue_wait_mean_ms,
    ]
    .map(|of| figure(of, 3));
    let buffered_mb = figure(server.buffered_bytes_max.map(|bytes| bytes / 1e6), 1);
    let cpu = format!(
        "{seconds} s, {per_gb} s/GB, {busy_cpus} CPUs; {delay_seconds} s of waiting for a CPU"
    );
    let queue = format!("{wait_ms} ms on average, up to {buffered_mb} MB buffered");
    [
        ("server CPU", cpu),
        ("lane occupancy", format!("{occupancy}{kernels}")),
        ("lane efficiency", efficiency),
        ("queue wait", queue),
        ("worker seconds", phases.join(", ")),
    ]
}

/// The percentiles in the format of HdrHistogram's tools, in milliseconds.
pub(super) fn hgrm(ns: &Histogram<u64>) -> String {
    let mut text = format!(
        "{:>12} {:>14} {:>10} {:>14}\n\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    );
    let mut total = 0;
    for value in ns.iter_quantiles(5) {
        total += value.count_since_last_iteration();
        let quantile = value.quantile_iterated_to();
        let ms = value.value_iterated_to() as f64 / 1e6;
        let _ = write!(text, "{ms:>12.3} {quantile:>14.12} {total:>10}");
        // The last line has no such value.
        let _ = match quantile < 1.0 {
            true => writeln!(text, " {:>14.2}", 1.0 / (1.0 - quantile)),
            false => writeln!(text),
        };
    }
    let _ = write!(
        text,
        "#[Mean    = {:>12.3}, StdDeviation   = {:>12.3}]\n\
         #[Max     = {:>12.3}, Total count    = {:>12}]\n\
         #[Buckets = {:>12}, SubBuckets     = {:>12}]\n",
        ns.mean() / 1e6,
        ns.stdev() / 1e6,
        ns.max() as f64 / 1e6,
        ns.len(),
        ns.buckets(),
        2048
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::document::{Class, Workload, empty_histogram};

    #[test]
    fn the_table_of_percentiles_ends_with_all_values() {
        let mut histogram = empty_histogram();
        (1..=1000_u64).for_each(|ms| histogram.record(ms * 1_000_000).unwrap());
        let text = hgrm(&histogram);
        let lines: Vec<_> = text
            .lines()
            .skip(2)
            .filter(|line| !line.starts_with('#'))
            .collect();
        let fields = |line: &str| -> Vec<f64> {
            line.split_whitespace()
                .map(|field| field.parse().unwrap())
                .collect()
        };
        let last = fields(lines.last().unwrap());
        assert!(
            (last[0] / 1000.0 - 1.0).abs() < 1e-3 && last[1..] == [1.0, 1000.0],
            "{last:?}"
        );
        let middle = lines
            .iter()
            .map(|line| fields(line))
            .find(|of| of[1] == 0.5)
            .unwrap();
        assert!((middle[0] / 500.0 - 1.0).abs() < 1e-3, "{middle:?}");
        assert!((middle[3] - 2.0).abs() < 1e-9, "{middle:?}");
    }

    #[test]
    fn the_report_has_a_line_for_each_class_of_a_mix() {
        let class = |name: &str| Class {
            name: name.into(),
            weight: 1.0,
            sizes: "1MiB".into(),
            response_time: Some(Latency::default()),
            ..Class::default()
        };
        let run = RunDocument {
            workload: Workload {
                classes: vec![class("digest:sha256"), class("verify:md5")],
                r#loop: "open".into(),
                rate: "10/s".into(),
            },
            ..RunDocument::default()
        };
        let text = table(&run);
        assert!(
            text.contains("open loop, 10/s: digest:sha256 50%, verify:md5 50%"),
            "{text}"
        );
        assert!(text.contains("\nverify:md5 "), "{text}");
    }
}
