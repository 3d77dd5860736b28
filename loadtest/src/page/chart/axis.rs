//! Axes: a scale, a range and round values for the grid.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::page::figure_text::plain;
use crate::results::whole;

/// How values lie on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::page) enum Scale {
    /// Equal differences are equally far.
    Linear,
    /// Equal ratios are equally far.
    Log,
    /// Quantiles by their nines: 0.9, 0.99 and 0.999 are equally far.
    Nines,
}

/// An axis.
#[derive(Clone, Debug)]
pub(in crate::page) struct Axis {
    scale: Scale,
    range: Range<f64>,
    ticks: Vec<f64>,
    /// The unit, or what the axis shows.
    pub(super) unit: &'static str,
}

impl Axis {
    /// From 0 to the highest value, at least 0.001, up to a round value.
    pub(in crate::page) fn from_zero(unit: &'static str, highest: f64) -> Self {
        let highest = highest.max(1e-3);
        let step = round_step(highest / 4.0);
        let end = (highest / step - 1e-9).ceil() * step;
        Self::linear(unit, 0.0..end, step)
    }

    /// Exactly this range.
    pub(in crate::page) fn exact(unit: &'static str, range: Range<f64>, ticks: usize) -> Self {
        let step = round_step((range.end - range.start) / ticks as f64);
        Self::linear(unit, range, step)
    }

    fn linear(unit: &'static str, range: Range<f64>, step: f64) -> Self {
        let first = (range.start / step).ceil();
        let last = (range.end / step + 1e-9).floor();
        let ticks = (0..)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|tick| *tick <= (last + 0.5) * step)
            .collect();
        Self {
            scale: Scale::Linear,
            range,
            ticks,
            unit,
        }
    }

    /// From the least of positive values to the highest, by ratio.
    pub(in crate::page) fn log(unit: &'static str, range: Range<f64>) -> Self {
        let (low, high) = (range.start.log10(), range.end.log10());
        let parts: &[f64] = match high - low {
            // Less than a factor of five: steps of a linear axis.
            span if span < 0.7 => {
                let step = round_step((range.end - range.start) / 5.0);
                let linear = Self::linear(unit, range, step);
                return Self {
                    scale: Scale::Log,
                    ..linear
                };
            }
            span if span < 1.5 => &[1.0, 2.0, 3.0, 5.0, 7.0],
            span if span < 3.0 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let decades = whole::<i32>(low.floor())..=whole(high.ceil());
        let all =
            decades.flat_map(|decade| parts.iter().map(move |part| part * 10_f64.powi(decade)));
        Self {
            scale: Scale::Log,
            ticks: all
                .filter(|tick| (range.start * 0.999..=range.end * 1.001).contains(tick))
                .collect(),
            range,
            unit,
        }
    }

    /// Quantiles from 0 to one with so many nines.
    pub(in crate::page) fn nines(nines: f64) -> Self {
        let whole = (1..=whole::<i32>(nines.floor())).map(|nines| 1.0 - 10_f64.powi(-nines));
        Self {
            scale: Scale::Nines,
            range: 0.0..1.0 - 10_f64.powf(-nines),
            ticks: [0.5].into_iter().chain(whole).collect(),
            unit: "share of parts that were as fast",
        }
    }

    /// What stands beside a line of the grid.
    pub(super) fn label(&self, value: f64) -> String {
        match self.scale {
            Scale::Nines => {
                let percent = format!("{:.6}", value * 100.0);
                format!("{}%", percent.trim_end_matches('0').trim_end_matches('.'))
            }
            Scale::Linear | Scale::Log => plain(value),
        }
    }

    /// All labels.
    pub(super) fn labels(&self) -> impl Iterator<Item = String> {
        self.ticks.iter().map(|tick| self.label(*tick))
    }

    /// Lines of the grid.
    pub(super) fn ticks(&self) -> usize {
        self.ticks.len()
    }

    /// The value, no further out than the ends.
    pub(super) fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.range.start, self.range.end)
    }

    fn position(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
            Scale::Nines => -(1.0 - value).log10(),
        }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let (start, end) = (
            self.position(self.range.start),
            self.position(self.range.end),
        );
        let share = (self.position(*value) - start) / (end - start);
        limit.0 + whole::<i32>(share * f64::from(limit.1 - limit.0))
    }

    // The hint is by the library's own measure of space; these are few enough for any chart.
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// A step of 1, 2 or 5 times a power of ten, the first that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|step| step * power >= least * 0.999_999);
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_round_values() {
        let labels = |axis: Axis| axis.labels().collect::<Vec<_>>().join(" ");
        let zero = |highest| labels(Axis::from_zero("", highest));
        assert_eq!(zero(2.3), "0 1 2 3");
        assert_eq!(zero(0.07), "0 0.02 0.04 0.06 0.08");
        assert_eq!(zero(1000.0), "0 500 1,000");
        assert_eq!(zero(13_000.0), "0 5,000 10,000 15,000");
        assert_eq!(labels(Axis::exact("", 0.0..30.0, 6)), "0 5 10 15 20 25 30");
        assert_eq!(labels(Axis::exact("", 0.0..23.5, 5)), "0 5 10 15 20");
        assert_eq!(labels(Axis::log("", 0.3..9.0)), "0.3 0.5 0.7 1 2 3 5 7");
        assert_eq!(labels(Axis::log("", 5.1..8.2)), "6 7 8");
        assert_eq!(labels(Axis::log("", 1.0..300.0)), "1 3 10 30 100 300");
        assert_eq!(labels(Axis::log("", 0.1..1000.0)), "0.1 1 10 100 1,000");
        assert_eq!(labels(Axis::nines(4.4)), "50% 90% 99% 99.9% 99.99%");
    }

    #[test]
    fn values_lie_by_scale() {
        let log = Axis::log("", 1.0..100.0);
        assert_eq!(log.map(&10.0, (0, 1000)), 500);
        assert_eq!(log.map(&10.0, (1000, 0)), 500);
        let nines = Axis::nines(4.0);
        for (quantile, place) in [(0.0, 0), (0.9, 100), (0.99, 200), (0.9999, 400)] {
            assert_eq!(nines.map(&quantile, (0, 400)), place);
        }
        let linear = Axis::from_zero("", 4.0);
        assert_eq!(linear.map(&1.0, (0, 400)), 100);
    }
}
