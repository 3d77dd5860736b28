//! Latencies by percentile.

use anyhow::Result;

use super::card::{Card, Table};
use super::over_time::{Curve, latency_axis, legend};
use crate::page::chart::{Axis, Chart, Mark};
use crate::page::figure_text::significant;
use crate::page::ink::SERIES;
use crate::page::run_on_page::Run;
use crate::results::document::Latency;
use crate::results::whole;

/// Points of a curve of percentiles for each nine.
const POINTS_PER_NINE: f64 = 40.0;

/// More nines than this do not fit.
const NINES_MAX: f64 = 5.0;

/// Latencies by percentile, on a scale of nines.
pub(super) fn percentiles<'a>(runs: &'a [Run<'a>]) -> Result<Option<Card<'a>>> {
    // With so many values, the highest is the quantile of so many nines.
    let nines = |latency: &Latency| (latency.count as f64).log10().clamp(1.0, NINES_MAX);
    let curve = |ink, name: &str, latency: &Latency| -> Result<Curve> {
        let histogram = latency.histogram()?;
        let points = (0..=whole::<u32>((nines(latency) * POINTS_PER_NINE).floor())).map(|point| {
            let quantile = 1.0 - 10_f64.powf(-f64::from(point) / POINTS_PER_NINE);
            let ms = histogram.value_at_quantile(quantile) as f64 / 1e6;
            (quantile, (ms > 0.0).then_some(ms))
        });
        Ok(Curve {
            ink,
            name: name.into(),
            points: points.collect(),
        })
    };
    let measured: Vec<_> = runs
        .iter()
        .filter(|run| run.document.response_time.count > 0)
        .collect();
    let mut curves = Vec::new();
    for run in &measured {
        let (ink, document) = (SERIES[run.index], run.document);
        let name = if runs.len() > 1 {
            &run.name
        } else {
            "response time"
        };
        curves.push(curve(ink, name, &document.response_time)?);
        if runs.len() == 1 && document.service_time.count > 0 {
            curves.push(curve(SERIES[1], "service time", &document.service_time)?);
        }
    }
    let Some(y) = latency_axis(&curves) else {
        return Ok(None);
    };
    let most = measured
        .iter()
        .map(|run| nines(&run.document.response_time));
    let said = measured.iter().map(|run| {
        let latency = &run.document.response_time;
        let [p50, p99, max] = [latency.p50_ms, latency.p99_ms, latency.max_ms].map(significant);
        format!("{}: p50 {p50} ms, p99 {p99} ms, highest {max} ms", run.name)
    });
    let note = if runs.len() > 1 {
        "From the intended start of a part to its answer. Each step to the right is one more nine."
    } else {
        "Response time counts from the intended start of a part, service time from its first \
         message. Each step to the right is one more nine."
    };
    Ok(Some(Card {
        heading: "Latency by percentile".into(),
        note: note.into(),
        legend: legend(&curves),
        chart: Chart {
            id: "percentiles".into(),
            title: "Latency by percentile".into(),
            description: format!("{note} {}.", said.collect::<Vec<_>>().join("; ")),
            x: Axis::nines(most.fold(1.0, f64::max)),
            y,
            marks: curves
                .into_iter()
                .map(|curve| Mark::Line(curve.ink, curve.points))
                .collect(),
        },
        runs,
        table: Table::Latencies,
    }))
}
