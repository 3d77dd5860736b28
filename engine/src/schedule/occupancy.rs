//! How full the lanes were: active lane-blocks over all lane-blocks.

use super::crossover::Segment;
use crate::kernel::Kernel;

/// Counts of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelCounts {
    /// Segments of steps. A step has one or several of a kernel; a call takes one, or a chain of
    /// them if that is faster.
    pub steps: u64,
    /// Blocks hashed for jobs.
    pub active_lane_blocks: u64,
    /// Lane-blocks without a job.
    pub idle_lane_blocks: u64,
}

/// Counts of every kernel.
#[derive(Clone, Debug)]
pub struct Occupancy {
    counts: [KernelCounts; Kernel::count()],
}

impl Occupancy {
    pub(crate) fn new() -> Self {
        Self {
            counts: [KernelCounts::default(); Kernel::count()],
        }
    }

    /// Records a segment of `blocks` blocks per lane.
    #[inline]
    pub(crate) fn record(&mut self, segment: &Segment, blocks: usize) {
        let counts = &mut self.counts[segment.index];
        let idle = segment.lanes - segment.active;
        counts.steps += 1;
        counts.active_lane_blocks += (segment.active * blocks) as u64;
        counts.idle_lane_blocks += (idle * blocks) as u64;
    }

    /// The kernels that have run.
    pub fn by_kernel(&self) -> impl Iterator<Item = (Kernel, KernelCounts)> + '_ {
        let counts = Kernel::all().zip(self.counts);
        counts.filter(|(_, counts)| counts.steps > 0)
    }

    /// Active lane-blocks divided by all lane-blocks. `None` before the first step.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // a ratio for people
    pub fn ratio(&self) -> Option<f64> {
        let sum = |of: fn(&KernelCounts) -> u64| self.counts.iter().map(of).sum::<u64>();
        let active = sum(|counts| counts.active_lane_blocks);
        let all = active + sum(|counts| counts.idle_lane_blocks);
        (all > 0).then(|| active as f64 / all as f64)
    }
}
