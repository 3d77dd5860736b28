//! The results of floods: a row of each round, and their summary.

use std::fmt;

use serde_json::json;

use super::attack::Attack;
use super::catalogue::Flood;
use super::hostile_connection::Counts;
use crate::results::window_figures::Figures;
use crate::results::{Row, Table, figure, median, mib};
use crate::round::Window;

/// The columns of the summary: the head, the value's name in its row, and its digits.
const COLUMNS: [(&str, &str, usize); 17] = [
    ("flood", "flood", 0),
    ("hostile", "hostile", 0),
    ("from", "hostile_from", 0),
    ("before MB/s", "before_mb_per_s", 0),
    ("during", "during_mb_per_s", 0),
    ("/before", "during_over_before", 3),
    ("/spins", "during_over_spins", 3),
    ("p99 ms before", "before_p99_ms", 1),
    ("during", "during_p99_ms", 1),
    ("server CPUs", "server_busy_cpus", 2),
    ("efficiency before", "before_efficiency_ratio", 3),
    ("during", "during_efficiency_ratio", 3),
    ("peak MiB", "peak_mib", 1),
    ("of at most", "bound_mib", 0),
    ("frames/s", "frames_per_s", 0),
    ("errors", "errors", 0),
    ("connections", "connections_made", 0),
];

/// One flood in one round.
pub(super) struct Turn {
    pub(super) attack: Attack,
    pub(super) before: Window,
    pub(super) during: Window,
    /// What hostile connections did in so many seconds, while the honest client was measured.
    pub(super) counts: Counts,
    pub(super) seconds: f64,
    pub(super) peak_bytes: u64,
}

/// MB per second of the honest client.
fn mb_per_s(figures: &Figures) -> Option<f64> {
    figures.get("gb_per_s").map(|rate| rate * 1000.0)
}

impl Turn {
    /// Whether the honest client had no wrong answer. Slowdowns are not faults here.
    pub(super) fn is_clean(&self) -> bool {
        let (before, during) = (&self.before.tally, &self.during.tally);
        before.mismatches == 0 && during.mismatches == 0 && before.errors == 0
    }

    pub(super) fn row(&self, round: usize) -> Row {
        let honest = |window: &Window| {
            Row::of(&window.figures).and(json!({
                "mb_per_s": mb_per_s(&window.figures),
                "parts": window.parts,
                "errors": window.tally.errors,
                "mismatches": window.tally.mismatches,
            }))
        };
        self.attack
            .row()
            .and(self.counts.row(self.seconds))
            .and(json!({
                "kind": "flood_round",
                "round": round,
                "before": honest(&self.before),
                "during": honest(&self.during),
                "peak_mib": mib(self.peak_bytes),
            }))
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} hostile from {}, {:<15} {} MB/s before, {} during; {:.0} frames/s, closed: {}",
            self.attack.hostile,
            self.attack.from,
            self.attack.flood,
            figure(mb_per_s(&self.before.figures), 0),
            figure(mb_per_s(&self.during.figures), 0),
            self.counts.frames as f64 / self.seconds,
            self.counts.closes_text()
        )
    }
}

/// Each flood over all rounds: a row with medians, sums of closes and the highest peak of memory,
/// and all of them in one table. `memory_bytes` is the sum of the server's bounds.
pub(super) fn summary(
    turns: &[Turn],
    attacks: &[Attack],
    context: &Row,
    memory_bytes: Option<u64>,
) -> (Vec<Row>, Table) {
    let (mut rows, mut table) = (Vec::new(), Table::default());
    let bound_mib = memory_bytes.map(mib);
    for &attack in attacks {
        let of = |attack| turns.iter().filter(move |turn| turn.attack == attack);
        let own = || of(attack);
        let spins = Attack {
            flood: Flood::Spins,
            ..attack
        };
        let before = || own().map(|turn| &turn.before.figures);
        let during = |attack| of(attack).map(|turn| &turn.during.figures);
        // Medians over the rounds of the ratios within a round.
        let over = |others: Vec<_>| Figures::ratios(during(attack), others).get("gb_per_s");
        let [over_before, over_spins] = [over(before().collect()), over(during(spins).collect())];
        let before = Figures::of_rounds(before());
        let during = Figures::of_rounds(during(attack));
        let per_s = |of: fn(&Counts) -> u64| {
            median(own().map(|turn| of(&turn.counts) as f64 / turn.seconds))
        };
        let counts = own().fold(Counts::default(), |sum, turn| sum.and(&turn.counts));
        let errors: u64 = own().map(|turn| turn.during.tally.errors).sum();
        let tallies = own().flat_map(|turn| [&turn.before.tally, &turn.during.tally]);
        let mismatches: u64 = tallies.map(|tally| tally.mismatches).sum();
        let peak_mib = own().map(|turn| mib(turn.peak_bytes)).reduce(f64::max);
        let row = context.clone().and(attack.row()).and(json!({
            "kind": "flood",
            "rounds": own().count(),
            "before_mb_per_s": mb_per_s(&before),
            "during_mb_per_s": mb_per_s(&during),
            "during_over_before": over_before,
            // The control with as many connections.
            "during_over_spins": over_spins,
            "before_p99_ms": before.get("p99_ms"),
            "during_p99_ms": during.get("p99_ms"),
            "server_busy_cpus": during.get("server_busy_cpus"),
            "before_efficiency_ratio": before.get("efficiency_ratio"),
            "during_efficiency_ratio": during.get("efficiency_ratio"),
            "errors": errors,
            "mismatches": mismatches,
            "peak_mib": peak_mib,
            "bound_mib": bound_mib,
            "frames_per_s": per_s(|counts| counts.frames),
            "hostile_mb_per_s": per_s(|counts| counts.bytes).map(|bytes| bytes / 1e6),
            "connections_made": counts.connections,
            "calls_ended": counts.calls_ended,
            "closes": counts.closes,
        }));
        let cells = row.line(COLUMNS).into_iter();
        table.row(cells.chain([("closed", counts.closes_text())]));
        rows.push(row);
    }
    (rows, table)
}
