//! The table at the end of a run, for people, and HdrHistogram's table of percentiles.

use std::fmt::Write as _;

use hdrhistogram::Histogram;

use crate::document::{Latency, RunDocument};
use crate::report::{GB, Table, figure, list};

/// The report of a run.
pub(super) fn table(run: &RunDocument) -> String {
    let totals = &run.totals;
    let mut lines = vec![
        ("load", load(run)),
        (
            "measured",
            format!(
                "{:.3} s, {:.3} GB, {} parts",
                run.seconds,
                totals.bytes as f64 / GB,
                totals.parts
            ),
        ),
        (
            "rate",
            format!(
                "{:.3} GB/s, {:.1} parts/s",
                totals.gb_per_s, totals.parts_per_s
            ),
        ),
        (
            "data",
            format!(
                "{:.3} GB through sockets, {:.3} GB in shared memory",
                totals.bytes.saturating_sub(totals.memory_bytes) as f64 / GB,
                totals.memory_bytes as f64 / GB
            ),
        ),
        ("parts checked", totals.checked.to_string()),
        ("mismatches", totals.mismatches_wrong.to_string()),
        ("errors", totals.errors.to_string()),
    ];
    if totals.corrupted_sent > 0 {
        let (caught, sent) = (totals.mismatches_expected, totals.corrupted_sent);
        let text = format!("{sent} sent, {caught} came back as mismatches");
        lines.push(("corrupted parts", text));
    }
    if totals.unfinished > 0 {
        lines.push(("unfinished parts", totals.unfinished.to_string()));
    }
    if totals.missed_starts > 0 {
        let text = format!(
            "{} (--in-flight-max was reached: latencies are without these)",
            totals.missed_starts
        );
        lines.push(("missed starts", text));
    }
    lines.push((
        "client CPU",
        format!(
            "{:.2} s, {} s/GB, {:.2} CPUs; {:.2} s of waiting for a CPU{}",
            run.client.cpu_seconds,
            figure(run.client.cpu_seconds_per_gb, 3),
            run.client.busy_cpus,
            run.client.run_delay_seconds,
            run.client
                .late_starts_p99_ms
                .map_or_else(String::new, |late_ms| {
                    format!("; starts late by p99 {late_ms:.3} ms")
                })
        ),
    ));
    lines.extend(server(run));
    let mut table = Table::default();
    for (name, latency) in [
        ("response time", &run.response_time),
        ("service time", &run.service_time),
    ] {
        table.row(latency_row(name, latency));
    }
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

fn server(run: &RunDocument) -> Vec<(&'static str, String)> {
    let Some(server) = &run.server else {
        return Vec::new();
    };
    let active: f64 = server
        .kernels
        .values()
        .map(|of| of.lane_blocks_active)
        .sum();
    let kernels = server.kernels.iter().map(|(name, of)| {
        format!(
            "; {name} {:.2} of {} ({:.1}% of blocks)",
            of.lane_blocks_active / of.lane_blocks * f64::from(of.lanes),
            of.lanes,
            100.0 * of.lane_blocks_active / active
        )
    });
    let kernels: String = kernels.collect();
    let phases = server.worker_seconds.iter();
    let phases: Vec<_> = phases
        .map(|(phase, seconds)| format!("{phase} {seconds:.3}"))
        .collect();
    vec![
        (
            "server CPU",
            format!(
                "{} s, {} s/GB, {} CPUs; {} s of waiting for a CPU",
                figure(server.cpu_seconds, 2),
                figure(server.cpu_seconds_per_gb, 3),
                figure(server.busy_cpus, 2),
                figure(server.run_delay_seconds, 2)
            ),
        ),
        (
            "lane occupancy",
            format!("{}{kernels}", figure(server.occupancy_ratio, 3)),
        ),
        ("lane efficiency", figure(server.efficiency_ratio, 3)),
        (
            "queue wait",
            format!(
                "{} ms on average, up to {} MB buffered",
                figure(server.queue_wait_mean_ms, 3),
                figure(server.buffered_bytes_max.map(|bytes| bytes / 1e6), 1)
            ),
        ),
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
    use crate::document::{Class, Workload, empty_histogram};

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
