//! How full the server's lanes were, by its counters.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::counters::ServerCounters;

/// Lane occupancy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Occupancy {
    /// Active lane-blocks over all lane-blocks.
    pub(crate) ratio: f64,
    /// By kernel, without kernels that hashed nothing.
    pub(crate) kernels: Vec<KernelOccupancy>,
}

/// Lane occupancy of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct KernelOccupancy {
    pub(crate) kernel: String,
    /// Active lane-blocks over all lane-blocks of this kernel.
    ratio: f64,
    pub(crate) lanes: u32,
    /// Mean number of active lanes: `ratio` of `lanes`.
    active_lanes: f64,
    /// This kernel's share of all hashed blocks.
    pub(crate) share: f64,
    /// Blocks of lanes with a job, and of all lanes.
    #[serde(skip)]
    pub(crate) blocks: [f64; 2],
}

impl Occupancy {
    /// The occupancy of a window; `None` if no lane hashed.
    pub(crate) fn of(window: &ServerCounters) -> Option<Self> {
        let [all, active] = window.lane_blocks();
        let (all_sum, active_sum): (f64, f64) = (all.values().sum(), active.values().sum());
        let kernels = all.into_iter().filter(|(_, blocks)| *blocks > 0.0);
        let kernels = kernels.map(|(kernel, blocks)| {
            let active = active.get(&kernel).copied().unwrap_or_default();
            let (ratio, lanes) = (active / blocks, kernel_lanes(&kernel));
            KernelOccupancy {
                kernel,
                ratio,
                lanes,
                active_lanes: ratio * f64::from(lanes),
                share: active / active_sum,
                blocks: [active, blocks],
            }
        });
        (all_sum > 0.0).then(|| Self {
            ratio: active_sum / all_sum,
            kernels: kernels.collect(),
        })
    }
}

/// Step rates relative to the best rate of full lanes. Unlike [`Occupancy`], it falls when narrow
/// kernels run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Efficiency {
    /// Seconds that the hashed bytes would have taken at the best rate, divided by the seconds they
    /// took.
    pub(crate) ratio: f64,
    /// By algorithm, without algorithms that hashed nothing.
    algorithms: BTreeMap<String, f64>,
}

impl Efficiency {
    /// The efficiency of a window; `None` if there was no step.
    pub(crate) fn of(window: &ServerCounters) -> Option<Self> {
        let taken = window.by("hashlane_lane_seconds_total", "algorithm");
        let best = window.by("hashlane_lane_best_seconds_total", "algorithm");
        let taken_sum: f64 = taken.values().sum();
        let hashed = taken.into_iter().filter(|(_, taken)| *taken > 0.0);
        let ratio = |(algorithm, taken): (String, f64)| {
            let best = best.get(&algorithm).copied().unwrap_or_default();
            (algorithm, best / taken)
        };
        (taken_sum > 0.0).then(|| Self {
            ratio: best.values().sum::<f64>() / taken_sum,
            algorithms: hashed.map(ratio).collect(),
        })
    }
}

impl fmt::Display for Efficiency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.ratio)?;
        let mut algorithms = self.algorithms.iter();
        algorithms.try_for_each(|(algorithm, ratio)| write!(f, "; {algorithm} {ratio:.3}"))
    }
}

/// The number of lanes of a kernel, from its name: `avx512x16` and `avx512x16_generic` have 16,
/// `portable` 1.
fn kernel_lanes(kernel: &str) -> u32 {
    let lanes = kernel.rsplit_once('x').map(|(_, lanes)| lanes.split('_'));
    let lanes = lanes.and_then(|mut lanes| lanes.next()?.parse().ok());
    lanes.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(text: &str) -> ServerCounters {
        ServerCounters::parse(text).unwrap()
    }

    #[test]
    fn occupancy_is_by_kernel_and_over_all() {
        let blocks = |kernel: &str, state: &str, count: u32| {
            let labels = format!("algorithm=\"sha256\",kernel=\"{kernel}\",state=\"{state}\"");
            format!("hashlane_lane_blocks_total{{{labels}}} {count}\n")
        };
        assert_eq!(Occupancy::of(&counters("")), None);
        let window = counters(
            &[
                blocks("avx512x16", "active", 90),
                blocks("avx512x16", "idle", 30),
                blocks("shani_x2", "active", 10),
                blocks("portable", "active", 0),
            ]
            .concat(),
        );
        let occupancy = Occupancy::of(&window).unwrap();
        assert!((occupancy.ratio - 100.0 / 130.0).abs() < 1e-12);
        let [wide, narrow] = occupancy.kernels.as_slice() else {
            panic!("{occupancy:?}")
        };
        assert_eq!((wide.lanes, wide.active_lanes, wide.share), (16, 12.0, 0.9));
        assert_eq!(
            (narrow.lanes, narrow.active_lanes, narrow.share),
            (2, 2.0, 0.1)
        );
    }

    #[test]
    fn efficiency_is_by_algorithm_and_over_all() {
        assert_eq!(Efficiency::of(&counters("")), None);
        let mut text = String::new();
        for (algorithm, taken, best) in
            [("md5", 1.0, 0.5), ("sha1", 0.0, 0.0), ("sha256", 3.0, 2.5)]
        {
            for (name, seconds) in [("", taken), ("best_", best)] {
                text += &format!(
                    "hashlane_lane_{name}seconds_total{{algorithm=\"{algorithm}\"}} {seconds}\n"
                );
            }
        }
        let efficiency = Efficiency::of(&counters(&text)).unwrap();
        assert_eq!(efficiency.ratio, 0.75);
        assert_eq!(efficiency.to_string(), "0.750; md5 0.500; sha256 0.833");
    }

    #[test]
    fn kernel_names_tell_their_lanes() {
        for (kernel, lanes) in [
            ("avx512x16", 16),
            ("md5:avx512x32", 32),
            ("sha512:portable", 1),
            ("avx512x16_generic", 16),
            ("avx512x32", 32),
            ("shani_avx512_x8", 8),
            ("avx2x8", 8),
            ("sse41x4", 4),
            ("shani_x1", 1),
            ("portable", 1),
        ] {
            assert_eq!(kernel_lanes(kernel), lanes, "{kernel}");
        }
    }
}
