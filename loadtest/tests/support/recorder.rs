//! Documents of runs from streams of answers that never happened, for tests of reports and merges.
#![allow(
    clippy::cast_possible_truncation,
    reason = "numbers of tests are small"
)]

use std::collections::BTreeMap;

use hashlane_loadtest::results::document::{
    Class, ClientFigures, KIND, Kernel, Latency, Machine, RunDocument, Second, ServerFigures,
    ServerSecond, Threshold, Totals, VERSION, Workload, bucket_upper_ms, empty_histogram,
};
use serde_json::json;

/// An answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// When it came, in seconds from the start.
    pub(crate) at_s: f64,
    pub(crate) response_ns: u64,
    pub(crate) service_ns: u64,
    pub(crate) bytes: u64,
    /// Whether it was an error.
    pub(crate) failed: bool,
    /// Its class of the workload.
    pub(crate) class: usize,
}

/// What a generator of one class measures in so many seconds.
pub(crate) fn record(answers: &[Answer], seconds: u32) -> RunDocument {
    let good = || answers.iter().filter(|answer| !answer.failed);
    let latency = |of: &dyn Fn(&Answer) -> u64, class: Option<usize>| {
        let mut histogram = empty_histogram();
        for answer in good().filter(|answer| class.is_none_or(|class| class == answer.class)) {
            histogram.record(of(answer)).unwrap();
        }
        Latency::of(&histogram).unwrap()
    };
    let failed = answers.iter().filter(|answer| answer.failed).count() as u64;
    let (parts, bytes): (u64, u64) = (
        good().count() as u64,
        answers.iter().map(|answer| answer.bytes).sum(),
    );
    let length = f64::from(seconds);
    let cpu_seconds = bytes as f64 / 1e9 * 0.25;
    let classes = answers.iter().map(|answer| answer.class).max().unwrap_or(0);
    let class = |class: usize| {
        let mine = || good().filter(|answer| answer.class == class);
        Class {
            name: ["small", "large"][class].into(),
            weight: [9.0, 1.0][class],
            rpc: ["digest", "verify"][class].into(),
            algorithms: [vec!["sha256".into()], vec!["sha256".into(), "md5".into()]][class].clone(),
            sizes: ["64KiB..1MiB", "8MiB"][class].into(),
            parts: mine().count() as u64,
            bytes: mine().map(|answer| answer.bytes).sum(),
            response_time: Some(latency(&|answer| answer.response_ns, Some(class))),
        }
    };
    RunDocument {
        kind: KIND.into(),
        version: VERSION,
        started_at: "2026-03-02T10:00:00Z".into(),
        seconds: length,
        machine: Machine {
            cpu_model: "AuthenticAMD 25/17 AMD EPYC 9R14".into(),
            cpus: 2,
            os: "Linux 6.12".into(),
        },
        command: ["hashlane-loadtest", "run", "--rate", "poisson:1000"]
            .map(str::to_owned)
            .into(),
        settings: json!({
            "server": ["http://127.0.0.1:50051"], "rate": "poisson:1000", "connections": 4, "seed": 1,
            "duration": "30s", "ca": null, "pin_client": [1], "tls": false,
        })
        .as_object()
        .unwrap()
        .clone(),
        totals: Totals {
            parts,
            bytes,
            gb_per_s: bytes as f64 / 1e9 / length,
            parts_per_s: parts as f64 / length,
            checked: parts,
            errors: failed,
            ..Totals::default()
        },
        response_time: latency(&|answer| answer.response_ns, None),
        service_time: latency(&|answer| answer.service_ns, None),
        errors: if failed > 0 {
            BTreeMap::from([("UNAVAILABLE: connection reset".to_owned(), failed)])
        } else {
            BTreeMap::new()
        },
        client: ClientFigures {
            cpu_seconds,
            cpu_seconds_per_gb: (bytes > 0).then_some(0.25),
            busy_cpus: cpu_seconds / length,
            run_delay_seconds: 0.25,
            threads: 1,
            late_starts_p99_ms: Some(0.0625),
            ..ClientFigures::default()
        },
        workload: Workload {
            classes: (0..=classes).map(class).collect(),
            r#loop: "open".into(),
            rate: "1,000 parts/s, Poisson".into(),
        },
        seconds_series: (0..seconds)
            .map(|second| record_second(answers, second))
            .collect(),
        ..RunDocument::default()
    }
}

fn record_second(answers: &[Answer], second: u32) -> Second {
    let (start, end) = (f64::from(second), f64::from(second + 1));
    let mine = || {
        answers
            .iter()
            .filter(|answer| (start..end).contains(&answer.at_s))
    };
    let mut times: Vec<_> = mine()
        .filter(|answer| !answer.failed)
        .map(|answer| answer.response_ns)
        .collect();
    times.sort_unstable();
    let ms = |ns: u64| ns as f64 / 1e6;
    let quantile = |quantile: f64| {
        let rank = ((times.len() as f64 * quantile).ceil() as usize).max(1);
        times.get(rank - 1).map(|ns| ms(*ns))
    };
    let mut buckets = BTreeMap::<i32, u64>::new();
    for time in &times {
        *buckets
            .entry((ms(*time).log10() * 10.0).ceil() as i32)
            .or_default() += 1;
    }
    let bytes: u64 = mine().map(|answer| answer.bytes).sum();
    Second {
        at_s: end,
        seconds: 1.0,
        parts: times.len() as u64,
        bytes,
        errors: mine().filter(|answer| answer.failed).count() as u64,
        response_p50_ms: quantile(0.5),
        response_p99_ms: quantile(0.99),
        response_max_ms: quantile(1.0),
        response_buckets: buckets
            .into_iter()
            .map(|(index, count)| (bucket_upper_ms(index), count))
            .collect(),
        client_cpu_s: bytes as f64 / 1e9 * 0.25,
        ..Second::default()
    }
}

/// Numbers from a seed.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, from 0 to 1 (SplitMix64).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A run of 30 s and 1,000 parts/s, whose server stops for half a second after 17 s; its latencies
/// are `slower` times longer.
pub(crate) fn stopped_server(label: &str, seed: u64, slower: f64) -> RunDocument {
    let mut numbers = Numbers::new(seed);
    let mut answers = Vec::new();
    let mut start_s = 0.0;
    while start_s < 30.0 {
        start_s -= (1.0 - numbers.next()).ln() / 1000.0;
        let class = usize::from(numbers.next() < 0.1);
        let normal: f64 = (0..12).map(|_| numbers.next()).sum::<f64>() - 6.0;
        let service_ms = [1.4, 9.0][class] * slower * (normal * 0.45).exp();
        let (stop, goes_on) = (17.2, 17.7);
        let waits_ms = if (stop..goes_on).contains(&start_s) {
            (goes_on - start_s) * 1e3
        } else {
            0.0
        };
        let at_s = start_s + (service_ms + waits_ms) / 1e3;
        answers.push(Answer {
            at_s,
            response_ns: ((service_ms + waits_ms) * 1e6) as u64,
            service_ns: (service_ms * 1e6) as u64,
            bytes: [300_000 + (numbers.next() * 400_000.0) as u64, 8_388_608][class],
            failed: numbers.next() < 0.000_2,
            class,
        });
    }
    answers.retain(|answer| answer.at_s < 30.0);
    let mut run = record(&answers, 30);
    run.label = Some(label.into());
    run.thresholds = vec![
        Threshold {
            text: "p99>50ms".into(),
            value: Some(run.response_time.p99_ms),
            passed: run.response_time.p99_ms <= 50.0,
        },
        Threshold {
            text: "errors>0".into(),
            value: Some(run.totals.errors as f64),
            passed: run.totals.errors == 0,
        },
        Threshold {
            text: "cpu_s_per_gb>0.4".into(),
            value: Some(0.31 * slower),
            passed: 0.31 * slower <= 0.4,
        },
    ];
    run.totals.corrupted_sent = 301;
    run.totals.mismatches_expected = 301;
    with_server(run, &mut numbers, slower)
}

/// Adds the figures of a server.
fn with_server(mut run: RunDocument, numbers: &mut Numbers, slower: f64) -> RunDocument {
    let cost = 0.31 * slower;
    let mut cpu_seconds = 0.0;
    for second in &mut run.seconds_series {
        let noise = 0.97 + numbers.next() * 0.06;
        let gb = second.bytes as f64 / 1e9;
        let wide = 0.62 + numbers.next() * 0.08;
        let narrow = 0.10 + numbers.next() * 0.04;
        let stopped = second.at_s > 17.5 && second.at_s < 18.5;
        cpu_seconds += gb * cost * noise;
        second.missed = u64::from(stopped) * 3;
        second.server = Some(ServerSecond {
            cpu_s: Some(gb * cost * noise),
            cpu_s_per_gb: Some(cost * noise),
            occupancy_ratio: Some((0.86 + numbers.next() * 0.06) / (0.6 + 0.4 * slower)),
            kernels: [
                ("sha256:avx512x16".to_owned(), wide),
                ("sha256:shani_x2".to_owned(), narrow),
                ("md5:avx512x16".to_owned(), 1.0 - wide - narrow),
            ]
            .into(),
            queue_wait_ms: Some(0.4 * slower * noise + f64::from(u8::from(stopped)) * 38.0),
            buffered_bytes: Some(
                (noise * 2.4e6 * slower + f64::from(u8::from(stopped)) * 6.1e7).round(),
            ),
        });
    }
    let kernel = |lanes: u32, active: f64, share: f64| Kernel {
        lanes,
        lane_blocks_active: (active * share * 4e8).round(),
        lane_blocks: (share * 4e8).round(),
    };
    run.totals.missed_starts = 3;
    let gb = run.totals.bytes as f64 / 1e9;
    run.server = Some(ServerFigures {
        cpu_seconds: Some(cpu_seconds),
        cpu_seconds_per_gb: Some(cpu_seconds / gb),
        busy_cpus: Some(cpu_seconds / run.seconds),
        run_delay_seconds: Some(0.375),
        hashed_gb: Some(gb * 1.6),
        occupancy_ratio: Some(0.89 / (0.6 + 0.4 * slower)),
        efficiency_ratio: Some(0.94 / (0.8 + 0.2 * slower)),
        kernels: [
            ("sha256:avx512x16".to_owned(), kernel(16, 0.93, 0.66)),
            ("sha256:shani_x2".to_owned(), kernel(2, 1.0, 0.12)),
            ("md5:avx512x16".to_owned(), kernel(16, 0.81, 0.22)),
        ]
        .into(),
        workers: Some(2),
        worker_seconds: [
            ("hash".to_owned(), cpu_seconds * 0.8),
            ("io".to_owned(), cpu_seconds * 0.2),
            ("idle".to_owned(), 60.0 - cpu_seconds),
        ]
        .into(),
        queue_wait_mean_ms: Some(0.42 * slower),
        buffered_bytes_max: Some(63_400_000.0 * slower),
        build_info: [
            ("version".to_owned(), "0.1.0".to_owned()),
            ("hashing".to_owned(), "lanes".to_owned()),
        ]
        .into(),
    });
    run
}

/// A short run of a lone stream in a closed loop. Nobody asked the server for its metrics.
pub(crate) fn lone_stream() -> RunDocument {
    let mut numbers = Numbers::new(3);
    let mut answers = Vec::new();
    let mut at_s = 0.0;
    loop {
        let took_ms = 6.0 + numbers.next() * 1.5;
        at_s += took_ms / 1e3;
        if at_s >= 5.0 {
            break;
        }
        let ns = (took_ms * 1e6) as u64;
        answers.push(Answer {
            at_s,
            response_ns: ns,
            service_ns: ns,
            bytes: 8_388_608,
            failed: false,
            class: 0,
        });
    }
    let mut run = record(&answers, 5);
    run.workload.r#loop = "closed".into();
    run.workload.rate = "1 stream".into();
    run.client.late_starts_p99_ms = None;
    run.client.is_bottleneck = true;
    run.client.why = vec!["its thread was busy for 97% of the window".into()];
    run
}
