//! The subcommand `report`: the whole page, and its head.
//!
//! The page loads nothing and runs nothing: no script, no font, no picture. Its Content Security
//! Policy allows only inline styles, so that text in a document cannot load or run anything.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::cards;
use super::figure_text::Unit;
use super::html_tables;
use super::ink;
use super::run_on_page::Run;
use crate::args::ReportArgs;
use crate::results::document::RunDocument;
use crate::results::say;
use crate::system::whole_files::write_whole;

/// Runs on one page at most: as many as there are colours of curves.
pub const RUNS_MAX: usize = ink::SERIES;

const STYLE: &str = include_str!("style.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The command `report`: reads documents and writes the page.
///
/// # Errors
/// A document cannot be read, or the page cannot be written.
pub fn report(args: &ReportArgs) -> Result<()> {
    let documents: Result<Vec<_>> = args
        .documents
        .iter()
        .map(|path| RunDocument::read(path))
        .collect();
    write(&documents?, &args.output)?;
    say(format_args!("the report is in {}", args.output.display()));
    Ok(())
}

/// Writes the page about these runs, whole or not at all.
///
/// # Errors
/// There is no run or there are more than [`RUNS_MAX`], a histogram is malformed, or the file
/// cannot be written.
pub fn write(documents: &[RunDocument], path: &Path) -> Result<()> {
    let page = render(documents)?;
    write_whole(path, &page)
}

/// The page about these runs.
///
/// # Errors
/// As for [`write()`], but for the file.
pub fn render(documents: &[RunDocument]) -> Result<String> {
    ensure!(!documents.is_empty(), "a report needs a run");
    ensure!(
        documents.len() <= RUNS_MAX,
        "a report has at most {RUNS_MAX} runs, not {}",
        documents.len()
    );
    let runs = Run::all(documents)?;
    let title = match &runs[..] {
        [run] => run
            .document
            .label
            .clone()
            .unwrap_or_else(|| "Load test".into()),
        runs => {
            let names: Vec<_> = runs.iter().map(|run| run.name.as_str()).collect();
            names.join(" · ")
        }
    };
    let cards = cards::cards(&runs).context("cannot draw the report")?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) " - hashlane-loadtest" }
                style { (PreEscaped(ink::style())) (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.muted { (subtitle(&runs)) }
                }
                main {
                    (notices(&runs))
                    @if let [run] = &runs[..] { (tiles(run)) }
                    @if runs.len() > 1 { (side_by_side(&runs)) }
                    div.charts { @for card in &cards { (card) } }
                    (thresholds(&runs))
                    @if runs.len() == 1 {
                        section.card {
                            h2 { "All figures" }
                            (html_tables::figures_of_one(&runs[0]))
                        }
                    }
                    section.card { h2 { "Errors" } div.scroll { (html_tables::errors(&runs)) } }
                    div.each { @for run in &runs { section.card {
                        h2 { (run.heading("Load", &runs)) }
                        (html_tables::workload(run))
                    } } }
                    div.each { @for run in &runs { section.card {
                        h2 { (run.heading("Server", &runs)) }
                        (html_tables::server(run))
                    } } }
                    section.card { h2 { "Machine and settings" } (html_tables::settings(&runs)) }
                }
                footer.muted {
                    "hashlane-loadtest " (env!("CARGO_PKG_VERSION")) ". A GB is 10^9 bytes."
                }
            }
        }
    };
    Ok(page.into_string())
}

fn subtitle(runs: &[Run<'_>]) -> String {
    let [run] = runs else {
        return format!(
            "{} runs side by side; ratios are to {}",
            runs.len(),
            runs[0].name
        );
    };
    let document = run.document;
    let facts = [
        document.started_at.clone(),
        Unit::Seconds.text(document.seconds),
        format!(
            "{} loop, {}",
            document.workload.r#loop, document.workload.rate
        ),
        document.machine.cpu_model.clone(),
    ];
    let known = facts.into_iter().filter(|fact| !fact.is_empty());
    known.collect::<Vec<_>>().join(" · ")
}

/// What a reader must know before the figures.
fn notices(runs: &[Run<'_>]) -> Markup {
    html! { @for run in runs {
        @let document = run.document;
        @let prefix = if runs.len() > 1 { format!("{}: ", run.name) } else { String::new() };
        @if document.totals.mismatches_wrong > 0 {
            p.notice.bad role="alert" {
                (prefix) "The server gave "
                (run.cell("/totals/mismatches_wrong", Unit::Count)) " wrong answers."
            }
        }
        @if document.client.is_bottleneck {
            p.notice.warn {
                (prefix)
                "The client was the bottleneck: the server could do more than this page says. "
                @for index in 0..document.client.why.len() {
                    @if index > 0 { "; " } @else { "Why: " }
                    (run.text(&format!("/client/why/{index}")))
                }
            }
        }
        @if document.interrupted {
            p.notice.warn {
                (prefix) "The run was interrupted: the figures are of what was measured."
            }
        }
    } }
}

/// The figures that people ask for first.
fn tiles(run: &Run<'_>) -> Markup {
    let document = run.document;
    let failed =
        document.totals.errors + document.totals.mismatches_wrong + document.totals.unfinished;
    let tile = |name: &str, at: &str, unit: Unit, more: Markup| {
        html! { section.tile { h2 { (name) } p.big {
            (run.cell(at, unit))
            @if run.number(at).is_some() { " " small { (unit.name()) } }
        } p.muted { (more) } } }
    };
    html! {
        div.tiles {
            (tile("Throughput", "/totals/gb_per_s", Unit::GbPerSecond, html! {
                (run.figure("/totals/parts_per_s", Unit::PartsPerSecond))
            }))
            (tile("Response time, p99", "/response_time/p99_ms", Unit::Ms, html! {
                "p50 " (run.figure("/response_time/p50_ms", Unit::Ms))
                ", max " (run.figure("/response_time/max_ms", Unit::Ms))
            }))
            section.tile.failed[failed > 0] {
                h2 { "Errors" }
                p.big { (run.figure("/totals/errors", Unit::Count)) }
                p.muted {
                    (run.figure("/totals/mismatches_wrong", Unit::Count)) " wrong of "
                    (run.figure("/totals/checked", Unit::Count)) " answers"
                }
            }
            (tile("Lane occupancy", "/server/occupancy_ratio", Unit::Share, html! {
                "efficiency " (run.figure("/server/efficiency_ratio", Unit::Share))
            }))
            (tile("Server's CPU time", "/server/cpu_seconds_per_gb", Unit::CpuPerGb, html! {
                (run.figure("/server/busy_cpus", Unit::Cpus)) " busy"
            }))
            (tile("Load generator", "/client/busy_cpus", Unit::Cpus, html! {
                @if document.client.is_bottleneck {
                    "busy; it was the bottleneck"
                } @else {
                    "busy; it was not the bottleneck"
                }
            }))
        }
    }
}

fn side_by_side(runs: &[Run<'_>]) -> Markup {
    html! {
        section.card {
            h2 { "Side by side" }
            p.muted {
                "Ratios are to " (runs[0].name) ". Over the seconds: the median of the quotients of "
                "the same second of both runs, and what is left of them without the lowest and the "
                "highest tenth."
            }
            div.scroll tabindex="0" role="region" aria-label="Side by side" {
                (html_tables::side_by_side(runs))
            }
        }
    }
}

fn thresholds(runs: &[Run<'_>]) -> Markup {
    let judged = runs
        .iter()
        .filter(|run| !run.document.thresholds.is_empty());
    let judged: Vec<_> = judged.collect();
    html! { @if !judged.is_empty() { div.each { @for run in judged {
        section.card {
            h2 { (run.heading("Thresholds", runs)) }
            div.scroll { (html_tables::thresholds(run)) }
        }
    } } } }
}
