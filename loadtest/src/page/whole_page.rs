//! The subcommand `report`: the whole page, and its head.
//!
//! The page loads nothing and runs nothing: no script, no font, no picture. Its Content Security
//! Policy allows only inline styles, so that text in a document cannot load or run anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use askama::Template;

use super::cards::cards;
use super::chart::Drawing;
use super::curves::{Card, Legend, Table};
use super::figure_text::{self, Unit};
use super::figures::{self, Group};
use super::ink::{HEAT, Ink, SERIES};
use super::run_on_page::{self, Run};
use crate::args::ReportArgs;
use crate::results::document::RunDocument;
use crate::results::say;
use crate::system::files::write_whole;

/// Runs on one page at most: as many as there are colours of curves.
pub const RUNS_MAX: usize = SERIES.len();

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
    let cards = cards(&runs).context("cannot draw the report")?;
    let page = Page {
        title: match &runs[..] {
            [run] => run
                .document
                .label
                .clone()
                .unwrap_or_else(|| "Load test".into()),
            runs => {
                let names: Vec<_> = runs.iter().map(|run| run.name.as_str()).collect();
                names.join(" · ")
            }
        },
        subtitle: subtitle(&runs),
        cards,
        judged: runs
            .iter()
            .filter(|run| !run.document.thresholds.is_empty())
            .collect(),
        groups: figures::known_groups(&runs),
        reasons: runs
            .iter()
            .flat_map(|run| run.document.errors.keys())
            .collect(),
        settings: figures::settings(&runs),
        runs: &runs,
    };
    page.render().context("cannot write the report")
}

/// The page: its templates are in `loadtest/templates`.
#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: String,
    subtitle: String,
    runs: &'a [Run<'a>],
    /// Charts in both layouts.
    cards: Vec<(Card<'a>, Vec<Drawing>)>,
    /// The runs that have thresholds.
    judged: Vec<&'a Run<'a>>,
    groups: Vec<Group>,
    /// Of errors.
    reasons: BTreeSet<&'a String>,
    /// Whether runs differ in a setting.
    settings: BTreeMap<&'a str, bool>,
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
