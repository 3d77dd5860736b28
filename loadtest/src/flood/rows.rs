//! The rows of floods.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;

use serde::Serialize;

use crate::args::{Bytes, DisturbArgs};
use crate::arrangement::SetupRow;
use crate::figures::ratio;
use crate::hostile::{Attack, Counts, SPINS};
use crate::report::{Latency, LoadRow, Table, figure, median};
use crate::round::ServerSetRow;
use crate::setup::ClientName;

/// The honest client in one window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct HonestRow {
    pub(super) mb_per_s: f64,
    /// Parts answered.
    pub(super) parts: u64,
    #[serde(flatten)]
    pub(super) latency: Latency,
    /// CPUs that the server kept busy.
    pub(super) server_busy_cpus: f64,
    /// Lane efficiency of the server, including hostile parts.
    pub(super) efficiency_ratio: Option<f64>,
    pub(super) errors: u64,
    pub(super) mismatches: u64,
}

/// One flood in one round.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RoundRow {
    kind: &'static str,
    flood: &'static str,
    hostile: usize,
    hostile_from: Ipv4Addr,
    round: usize,
    before: HonestRow,
    during: HonestRow,
    peak_mib: f64,
    #[serde(flatten)]
    sent: SentRow,
}

/// Actions of hostile connections.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct SentRow {
    frames_per_s: f64,
    hostile_mb_per_s: f64,
    /// Connections opened while the honest client was measured.
    connections_made: u64,
    calls_ended: u64,
    /// Connections that the server closed, by the code of its GOAWAY.
    closes: BTreeMap<&'static str, u64>,
}

impl RoundRow {
    pub(super) fn new(
        attack: Attack,
        round: usize,
        before: HonestRow,
        during: HonestRow,
        counts: &Counts,
        seconds: f64,
        peak_bytes: u64,
    ) -> Self {
        Self {
            kind: "flood_round",
            flood: attack.flood.name(),
            hostile: attack.hostile,
            hostile_from: attack.from,
            round,
            before,
            during,
            peak_mib: peak_bytes as f64 / f64::from(1 << 20),
            sent: SentRow {
                frames_per_s: counts.frames as f64 / seconds,
                hostile_mb_per_s: counts.bytes as f64 / 1e6 / seconds,
                connections_made: counts.connections,
                calls_ended: counts.calls_ended,
                closes: counts.closes.clone(),
            },
        }
    }

    /// Whether the honest client had no wrong answer. Slowdowns are not faults here.
    pub(super) fn is_clean(&self) -> bool {
        self.before.mismatches == 0 && self.during.mismatches == 0 && self.before.errors == 0
    }
}

impl fmt::Display for RoundRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, during) = (self.before.mb_per_s, self.during.mb_per_s);
        write!(
            f,
            "round {}, {} hostile from {}, {:<15} {before:.0} MB/s before, {during:.0} during; \
             {:.0} frames/s, closed: {}",
            self.round,
            self.hostile,
            self.hostile_from,
            self.flood,
            self.sent.frames_per_s,
            closes_text(&self.sent.closes)
        )
    }
}

pub(super) fn closes_text(closes: &BTreeMap<&'static str, u64>) -> String {
    if closes.is_empty() {
        return "-".to_owned();
    }
    let texts: Vec<_> = closes
        .iter()
        .map(|(code, count)| format!("{count} {code}"))
        .collect();
    texts.join(", ")
}

/// One flood over all rounds: medians, sums of closes, the highest peak of memory.
#[derive(Debug, Serialize)]
pub(super) struct SummaryRow {
    kind: &'static str,
    flood: &'static str,
    hostile: usize,
    hostile_from: Ipv4Addr,
    rounds: usize,
    #[serde(flatten)]
    load: LoadRow,
    #[serde(flatten)]
    server: ServerSetRow,
    #[serde(flatten)]
    setup: SetupRow,
    before_mb_per_s: Option<f64>,
    during_mb_per_s: Option<f64>,
    /// The median over the rounds of the ratio within a round.
    during_over_before: Option<f64>,
    /// The same relative to the control with as many connections in the same round.
    during_over_spins: Option<f64>,
    before_p99_ms: Option<f64>,
    during_p99_ms: Option<f64>,
    server_busy_cpus: Option<f64>,
    before_efficiency_ratio: Option<f64>,
    during_efficiency_ratio: Option<f64>,
    errors: u64,
    mismatches: u64,
    peak_mib: Option<f64>,
    /// The most that clients can make the server hold, from its table of bounds.
    bound_mib: Option<f64>,
    #[serde(flatten)]
    sent: SentRow,
}

impl SummaryRow {
    /// `memory_bytes` is the sum of the server's bounds.
    pub(super) fn of(
        rows: &[RoundRow],
        attack: Attack,
        args: &DisturbArgs,
        memory_bytes: Option<u64>,
    ) -> Option<Self> {
        let of_flood = |name: &str| {
            let mut found: Vec<_> = rows
                .iter()
                .filter(|row| {
                    let of_row = (row.flood, row.hostile, row.hostile_from);
                    of_row == (name, attack.hostile, attack.from)
                })
                .collect();
            found.sort_by_key(|row| row.round);
            found
        };
        let (own, spins) = (of_flood(attack.flood.name()), of_flood(SPINS.name()));
        if own.is_empty() {
            return None;
        }
        let middle =
            |of: fn(&RoundRow) -> Option<f64>| median(own.iter().filter_map(|row| of(row)));
        let during = |row: &RoundRow| Some(row.during.mb_per_s);
        let over_spins = own
            .iter()
            .zip(&spins)
            .filter_map(|(own, spins)| ratio(during(own), during(spins)));
        let mut closes = BTreeMap::new();
        for (code, count) in own.iter().flat_map(|row| &row.sent.closes) {
            *closes.entry(*code).or_default() += count;
        }
        let sum = |of: fn(&RoundRow) -> u64| own.iter().map(|row| of(row)).sum();
        Some(Self {
            kind: "flood",
            flood: attack.flood.name(),
            hostile: attack.hostile,
            hostile_from: attack.from,
            rounds: own.len(),
            load: LoadRow::of(&args.load),
            server: ServerSetRow::of(&args.rounds, None),
            setup: SetupRow::of(ClientName::Prepared, &args.rounds, &args.load),
            before_mb_per_s: middle(|row| Some(row.before.mb_per_s)),
            during_mb_per_s: middle(during),
            during_over_before: middle(|row| {
                ratio(Some(row.during.mb_per_s), Some(row.before.mb_per_s))
            }),
            during_over_spins: median(over_spins),
            before_p99_ms: middle(|row| row.before.latency.p99_ms),
            during_p99_ms: middle(|row| row.during.latency.p99_ms),
            server_busy_cpus: middle(|row| Some(row.during.server_busy_cpus)),
            before_efficiency_ratio: middle(|row| row.before.efficiency_ratio),
            during_efficiency_ratio: middle(|row| row.during.efficiency_ratio),
            errors: sum(|row| row.during.errors),
            mismatches: sum(|row| row.before.mismatches + row.during.mismatches),
            bound_mib: memory_bytes.map(|bytes| bytes as f64 / f64::from(1 << 20)),
            peak_mib: own.iter().map(|row| row.peak_mib).reduce(f64::max),
            sent: SentRow {
                frames_per_s: middle(|row| Some(row.sent.frames_per_s))?,
                hostile_mb_per_s: middle(|row| Some(row.sent.hostile_mb_per_s))?,
                connections_made: sum(|row| row.sent.connections_made),
                calls_ended: sum(|row| row.sent.calls_ended),
                closes,
            },
        })
    }
}

/// All floods in one table.
pub(super) fn table(summaries: &[SummaryRow], args: &DisturbArgs) -> String {
    let mut table = Table::new(&[
        "flood",
        "hostile",
        "from",
        "before MB/s",
        "during",
        "/before",
        "/spins",
        "p99 ms before",
        "during",
        "server CPUs",
        "efficiency before",
        "during",
        "peak MiB",
        "of at most",
        "frames/s",
        "errors",
        "connections",
        "closed",
    ]);
    for row in summaries {
        table.row(vec![
            row.flood.to_owned(),
            row.hostile.to_string(),
            row.hostile_from.to_string(),
            figure(row.before_mb_per_s, 0),
            figure(row.during_mb_per_s, 0),
            figure(row.during_over_before, 3),
            figure(row.during_over_spins, 3),
            figure(row.before_p99_ms, 1),
            figure(row.during_p99_ms, 1),
            figure(row.server_busy_cpus, 2),
            figure(row.before_efficiency_ratio, 3),
            figure(row.during_efficiency_ratio, 3),
            figure(row.peak_mib, 1),
            figure(row.bound_mib, 0),
            figure(Some(row.sent.frames_per_s), 0),
            row.errors.to_string(),
            row.sent.connections_made.to_string(),
            closes_text(&row.sent.closes),
        ]);
    }
    let load = LoadRow::of(&args.load);
    format!(
        "honest: {} streams on {} connections, parts of {}, chunks of {}; {}; the hostile \
         thread on the client's; medians of {} rounds\n{table}",
        load.streams,
        load.connections,
        load.part_size,
        Bytes(load.chunk_bytes as u64),
        SetupRow::of(ClientName::Prepared, &args.rounds, &args.load),
        args.rounds.rounds
    )
}
