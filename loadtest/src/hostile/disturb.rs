//! `disturb`: the effect of dripping and silent streams on honest ones.
//!
//! Every round measures the honest load twice, each time on a fresh child process: calm, and
//! disturbed by many slow streams on separate connections. The order changes from round to round.
//! With `--flood`, floods disturb ([`super::flood`]).

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::flood;
use super::slow::Disturbance;
use crate::args::{ClientName, DisturbArgs};
use crate::results::window_figures::{Figures, ratio, table};
use crate::results::{Row, figure, median, say};
use crate::round::{Stand, Window, rounds};
use crate::system::runtime::{runtime, unless_interrupted};

/// Without and with disturbing streams.
const VARIANTS: [&str; 2] = ["calm", "disturbed"];

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
    runtime()?.block_on(unless_interrupted(measure(args, &disturbance)))
}

async fn measure(args: &DisturbArgs, disturbance: &Disturbance) -> Result<bool> {
    let mut stand = Stand::new(&args.rounds, &args.load, ClientName::Hyper)?;
    stand.check_modes(&[args.mode])?;
    let mut windows = [Vec::new(), Vec::new()];
    let mut clean = true;
    for (round, variant) in rounds(args.rounds.rounds, &[0, 1]) {
        let beside = (variant == 1).then_some(disturbance);
        let window = stand.round(&args.load, args.mode, beside).await?;
        let row = json!({
            "kind": "disturb_round",
            "variant": VARIANTS[variant],
            "mode": args.mode,
            "round": round,
        });
        let row = Row::of(row).and(window.row());
        row.print()?;
        say(format_args!(
            "round {round} of {}, {:<9} {} GB/s, {} CPU s/GB{}",
            args.rounds.rounds,
            VARIANTS[variant],
            window.figures.text("gb_per_s", 3),
            window.figures.text("cpu_seconds_per_gb", 3),
            beside.map_or_else(String::new, |_| Disturbance::text(&row)),
        ));
        clean &= window.is_clean();
        windows[variant].push(window);
    }
    let (row, text) = summary(&windows, args).context("there were no rounds")?;
    say(text);
    row.print()?;
    Ok(clean)
}

/// The server's cost of a drip: CPU time in addition to the cost of the same bytes in the calm half
/// of the round.
fn cpu_us_per_drip(calm: &Window, disturbed: &Window) -> Option<f64> {
    let drips = disturbed.more.get("drips").as_f64()?;
    let cost = |window: &Window| window.figures.get("cpu_seconds_per_gb");
    let extra_seconds = (cost(disturbed)? - cost(calm)?) * disturbed.gb;
    (drips > 0.0).then(|| extra_seconds * 1e6 / drips)
}

/// All rounds of both variants: a row, and a table for people.
fn summary([calm, disturbed]: &[Vec<Window>; 2], args: &DisturbArgs) -> Option<(Row, String)> {
    let first = disturbed.first()?;
    let rounds = || calm.iter().zip(disturbed);
    let per_drip = median(rounds().filter_map(|(calm, own)| cpu_us_per_drip(calm, own)));
    let rate = |window: &Window| window.figures.get("gb_per_s");
    let rates = rounds().filter_map(|(calm, own)| ratio(rate(own), rate(calm)));
    let rates: Vec<_> = rates.collect();
    let [calm, disturbed] =
        [calm, disturbed].map(|windows| windows.iter().map(|window| &window.figures));
    // Medians over the rounds of the ratio within a round.
    let over = Figures::ratios(disturbed.clone(), calm.clone());
    // Medians over the rounds; for peak memory the maximum.
    let variants = [calm, disturbed].map(Figures::of_rounds);
    let names = VARIANTS.into_iter().chain(["disturbed/calm"]);
    let lines = names.map(str::to_owned).zip(variants.iter().chain([&over]));
    let interval_seconds = args.drip_interval.as_secs_f64();
    let text = format!(
        "{}; beside them {} streams dripping every {interval_seconds} s, {} that never read and {} \
         idle; medians of {} rounds, memory bound {} MiB\n{}throughput disturbed/calm {}, from {} \
         to {}; server CPU us per drip {}\n",
        first.heading,
        args.drip_streams,
        args.unread_streams,
        args.idle_streams,
        args.rounds.rounds,
        figure(first.bound_mib, 0),
        table(lines),
        over.text("gb_per_s", 3),
        figure(rates.iter().copied().reduce(f64::min), 3),
        figure(rates.iter().copied().reduce(f64::max), 3),
        figure(per_drip, 1),
    );
    let row = first.context.clone().and(json!({
        "kind": "disturb_summary",
        "mode": args.mode,
        "drip_streams": args.drip_streams,
        "drip_interval_seconds": interval_seconds,
        "unread_streams": args.unread_streams,
        "idle_streams": args.idle_streams,
        "rounds": args.rounds.rounds,
        "bound_mib": first.bound_mib,
        "variants": {VARIANTS[0]: variants[0], VARIANTS[1]: variants[1]},
        "disturbed_over_calm": over,
        "gb_per_s_ratios": rates,
        "cpu_us_per_drip": per_drip,
    }));
    Some((row, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn args() -> DisturbArgs {
        match Cli::try_parse_from(["x", "disturb"]).unwrap().command {
            Some(Command::Disturb(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    fn window(gb_per_s: f64) -> Window {
        Window {
            figures: Figures::default().with([("gb_per_s", Some(gb_per_s))]),
            ..Window::default()
        }
    }

    #[test]
    fn throughput_is_compared_within_a_round() {
        let windows = [[1.0, 2.0, 4.0], [0.9, 2.0, 3.8]].map(|rates| rates.map(window).into());
        let (row, text) = summary(&windows, &args()).unwrap();
        assert_eq!(row.get("disturbed_over_calm")["gb_per_s"], 0.95);
        assert_eq!(*row.get("gb_per_s_ratios"), json!([0.9, 1.0, 0.95]));
        assert_eq!(row.get("variants")["calm"]["gb_per_s"], 2.0);
        let line = "throughput disturbed/calm 0.950, from 0.900 to 1.000";
        assert!(text.contains(line), "{text}");
        assert!(summary(&[vec![window(1.0)], Vec::new()], &args()).is_none());
    }
}
