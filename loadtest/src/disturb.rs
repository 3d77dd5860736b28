//! `disturb`: the effect of dripping and silent streams on honest ones.
//!
//! Every round measures the honest load twice, each time on a fresh child process: calm, and
//! disturbed by many slow streams on separate connections. The order changes from round to round.
//! With `--flood`, floods disturb ([`crate::flood`]).

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use crate::args::{Bytes, DisturbArgs};
use crate::disturber::{Disturbance, DisturbedRow};
use crate::figures::{Figures, ratio, table};
use crate::flood;
use crate::mode::Mode;
use crate::report::{LoadRow, figure, median, print_row, say};
use crate::round::{ServerSetRow, Stand, Window};
use crate::setup::ClientName;

/// With or without disturbing streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Variant {
    Calm,
    Disturbed,
}

impl Variant {
    fn name(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Disturbed => "disturbed",
        }
    }
}

/// Runs all rounds and prints their rows. True if every answer was right.
///
/// # Errors
/// A server cannot be started or ends unexpectedly, not all streams open, or a signal arrives; the
/// child is stopped first.
pub fn disturb(args: &DisturbArgs) -> Result<bool> {
    if !args.flood.is_empty() {
        return flood::flood(args);
    }
    let disturbance = Disturbance::of(args);
    ensure!(
        disturbance.streams() > 0,
        "none of --drip-streams, --unread-streams and --idle-streams: nothing disturbs"
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    runtime.block_on(async {
        let mut stand = Stand::new(&args.rounds, &args.load, ClientName::Hyper)?;
        stand.check_modes(&[args.mode])?;
        let mut rows = Vec::new();
        let mut clean = true;
        for round in 1..=args.rounds.rounds {
            let mut variants = [Variant::Calm, Variant::Disturbed];
            if round % 2 == 0 {
                variants.reverse();
            }
            for variant in variants {
                let beside = (variant == Variant::Disturbed).then_some(&disturbance);
                let outcome = stand.round(&args.load, args.mode, beside).await?;
                let row = RoundRow {
                    kind: "disturb_round",
                    variant,
                    mode: args.mode,
                    round,
                    window: outcome.window.clone(),
                    disturbed: outcome.disturbed.clone(),
                };
                print_row(&row)?;
                say(format_args!(
                    "round {round} of {}, {:<9} {} GB/s, {} CPU s/GB{}",
                    args.rounds.rounds,
                    variant.name(),
                    figure(row.window.figures.gb_per_s, 3),
                    figure(row.window.figures.cpu_seconds_per_gb, 3),
                    row.disturbed
                        .as_ref()
                        .map_or_else(String::new, |row| format!(", {row}")),
                ));
                clean &= outcome.is_clean();
                rows.push(row);
            }
        }
        let summary = SummaryRow::of(&rows, args).context("there were no rounds")?;
        say(summary.table());
        print_row(&summary)?;
        Ok(clean)
    })
}

/// One variant in one round.
#[derive(Clone, Debug, Serialize)]
struct RoundRow {
    kind: &'static str,
    variant: Variant,
    mode: Mode,
    round: usize,
    #[serde(flatten)]
    window: Window,
    #[serde(flatten)]
    disturbed: Option<DisturbedRow>,
}

impl RoundRow {
    /// The server's cost of a drip in this disturbed half, compared with its `calm` half.
    fn cpu_us_per_drip(&self, calm: &Self) -> Option<f64> {
        let drips = self.disturbed.as_ref().map(DisturbedRow::drips)?;
        let own = self.window.figures.cpu_seconds_per_gb?;
        let extra_seconds = (own - calm.window.figures.cpu_seconds_per_gb?) * self.window.gb;
        (drips > 0).then(|| extra_seconds * 1e6 / drips as f64)
    }
}

/// All rounds.
#[derive(Debug, Serialize)]
struct SummaryRow {
    kind: &'static str,
    mode: Mode,
    #[serde(flatten)]
    load: LoadRow,
    #[serde(flatten)]
    server: ServerSetRow,
    drip_streams: usize,
    drip_interval_seconds: f64,
    unread_streams: usize,
    idle_streams: usize,
    rounds: usize,
    bound_mib: Option<f64>,
    /// Medians over the rounds, `calm` and `disturbed`; for peak memory the maximum.
    variants: BTreeMap<&'static str, Figures>,
    /// Ratios of disturbed to calm figures in the same round, as medians over the rounds.
    disturbed_over_calm: Figures,
    /// The ratio of GB/s in each round.
    gb_per_s_ratios: Vec<f64>,
    /// The server's cost of a drip: CPU time in addition to the cost of the same bytes in the calm
    /// half of the round; the median over rounds.
    cpu_us_per_drip: Option<f64>,
}

impl SummaryRow {
    fn of(rows: &[RoundRow], args: &DisturbArgs) -> Option<Self> {
        let of_variant = |variant: Variant| {
            let mut rows: Vec<_> = rows.iter().filter(|row| row.variant == variant).collect();
            rows.sort_by_key(|row| row.round);
            rows
        };
        let (calm, disturbed) = (of_variant(Variant::Calm), of_variant(Variant::Disturbed));
        let with_both = disturbed.first()?;
        let rounds = || disturbed.iter().zip(&calm);
        let cpu_us_per_drip =
            median(rounds().filter_map(|(disturbed, calm)| disturbed.cpu_us_per_drip(calm)));
        let figures = |rows: &[&RoundRow]| {
            rows.iter()
                .map(|row| row.window.figures)
                .collect::<Vec<_>>()
        };
        let rates = rounds().filter_map(|(disturbed, calm)| {
            ratio(
                disturbed.window.figures.gb_per_s,
                calm.window.figures.gb_per_s,
            )
        });
        let gb_per_s_ratios = rates.collect();
        let (calm, disturbed) = (figures(&calm), figures(&disturbed));
        Some(Self {
            kind: "disturb_summary",
            mode: args.mode,
            load: with_both.window.load.clone(),
            server: with_both.window.server.clone(),
            drip_streams: args.drip_streams,
            drip_interval_seconds: args.drip_interval.as_secs_f64(),
            unread_streams: args.unread_streams,
            idle_streams: args.idle_streams,
            rounds: args.rounds.rounds,
            bound_mib: with_both.window.bound_mib,
            disturbed_over_calm: Figures::ratios(&disturbed, &calm),
            gb_per_s_ratios,
            cpu_us_per_drip,
            variants: BTreeMap::from([
                (Variant::Calm.name(), Figures::of_rounds(&calm)),
                (Variant::Disturbed.name(), Figures::of_rounds(&disturbed)),
            ]),
        })
    }

    fn table(&self) -> String {
        let variants = self.variants.iter();
        let variants = variants.map(|(name, figures)| ((*name).to_owned(), figures));
        let over = ("disturbed/calm".to_owned(), &self.disturbed_over_calm);
        let table = table(variants.chain([over]));
        let lowest = self.gb_per_s_ratios.iter().copied().reduce(f64::min);
        let highest = self.gb_per_s_ratios.iter().copied().reduce(f64::max);
        format!(
            "{} honest streams on {} connections, parts of {}, chunks of {}; beside them {} dripping every {} s, {} that never read and {} idle; \
             medians of {} rounds, memory bound {} MiB\n{table}throughput disturbed/calm {}, from {} to {}; server CPU us per drip {}\n",
            self.load.streams,
            self.load.connections,
            self.load.part_size,
            Bytes(self.load.chunk_bytes as u64),
            self.drip_streams,
            self.drip_interval_seconds,
            self.unread_streams,
            self.idle_streams,
            self.rounds,
            figure(self.bound_mib, 0),
            figure(self.disturbed_over_calm.gb_per_s, 3),
            figure(lowest, 3),
            figure(highest, 3),
            figure(self.cpu_us_per_drip, 1),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use crate::arrangement::SetupRow;
    use crate::mode::LANES;
    use clap::Parser as _;

    fn args() -> DisturbArgs {
        match Cli::try_parse_from(["x", "disturb"]).unwrap().command {
            Some(Command::Disturb(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    fn row(variant: Variant, round: usize, gb_per_s: f64) -> RoundRow {
        let args = args();
        RoundRow {
            kind: "disturb_round",
            variant,
            mode: LANES,
            round,
            window: Window {
                load: LoadRow::of(&args.load),
                server: ServerSetRow::of(&args.rounds, None),
                setup: SetupRow::of(ClientName::Hyper, &args.rounds, &args.load),
                seconds: 1.0,
                gb: 1.0,
                parts: 1,
                figures: Figures {
                    gb_per_s: Some(gb_per_s),
                    ..Figures::default()
                },
                server_streams: None,
                bound_mib: None,
                parts_checked: 1,
                errors: 0,
                mismatches: 0,
                occupancy: None,
                zero_windows: None,
                floor: None,
            },
            disturbed: None,
        }
    }

    #[test]
    fn throughput_is_compared_within_a_round() {
        let rows = [
            row(Variant::Calm, 1, 1.0),
            row(Variant::Disturbed, 1, 0.9),
            row(Variant::Disturbed, 2, 2.0),
            row(Variant::Calm, 2, 2.0),
            row(Variant::Calm, 3, 4.0),
            row(Variant::Disturbed, 3, 3.8),
        ];
        let summary = SummaryRow::of(&rows, &args()).unwrap();
        assert_eq!(summary.disturbed_over_calm.gb_per_s, Some(0.95));
        assert_eq!(summary.gb_per_s_ratios, [0.9, 1.0, 0.95]);
        assert_eq!(summary.variants["calm"].gb_per_s, Some(2.0));
        let table = summary.table();
        let line = "throughput disturbed/calm 0.950, from 0.900 to 1.000";
        assert!(table.contains(line), "{table}");
        assert!(SummaryRow::of(&rows[..1], &args()).is_none());
    }
}
