//! Decides which kernels a step uses for a given number of ready lanes.
//!
//! No constant is right everywhere: sixteen AVX-512 lanes beat four interleaved SHA-extension
//! streams from nine ready lanes on one CPU and from fourteen on another. So the engine times the
//! kernels of a compression when it is first needed, and derives a plan for each number of ready
//! lanes:
//!
//! ```text
//! cost(k)   nanoseconds of one block step of kernel k, all its lanes   (measured)
//! fill[p]   least cost to cover lanes 0..p with full kernels
//! cover[n]  least cost to cover n lanes, the last kernel perhaps in part
//! plan[n]   the cover of m <= n lanes with the most blocks per second, m / cover[m]
//! ```
//!
//! If `m < n`, the other lanes are hashed in the next step.
//!
//! Why at run time: it takes only 5 to 10 ms, or 1 ms if only one stream is hashed. SHA-256's
//! hybrid kernel of eight lanes reaches 4.02 GB/s on Zen 5 and 0.01 on Emerald Rapids
//! (docs/measurements.md, Kernels alone). The number of timed blocks is odd: with an even number,
//! short messages were 7 to 13% slower (docs/measurements.md, Alternatives that were measured).

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use crate::{
    available_kernels::Backend,
    kernel::{
        Compression, Family, Input, Kernel, LANES_MAX, Md5, Sha1, Sha256, Sha512, States,
        compress_chain, is_sound,
    },
};

/// The longest step: between steps the caller polls its sockets.
const STEP_NS_MAX: f64 = 100_000.0;

/// A rate of at least this share of the best counts as equal to it.
const LIKE_BEST: f64 = 0.98;

/// The number of rounds, each of which times every kernel once.
const ROUNDS: usize = 24;

/// The minimum number of rounds, even beyond [`MEASURE_MAX`].
const ROUNDS_MIN: usize = 4;

/// No plan uses a kernel that takes this many times as long as another with at least as many lanes:
/// noise does not explain such a difference. On Emerald Rapids `shani_avx512_x8` takes more than 100
/// times as long as `avx512x16`.
const HOPELESS: f64 = 4.0;

/// Rounds after which hopeless kernels are identified.
const HOPELESS_ROUNDS: usize = 2;

/// After this time no round begins, except the first [`ROUNDS_MIN`].
const MEASURE_MAX: Duration = Duration::from_millis(25);

/// One kernel over adjacent lanes, in its own call or in one with adjacent segments
/// ([`compress_chain`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) kernel: Kernel,
    /// The first lane.
    pub(crate) first: usize,
    /// Lanes in use, at most the kernel's.
    pub(crate) active: usize,
    /// The kernel's lanes.
    pub(crate) lanes: usize,
    /// The kernel's index in tables.
    pub(crate) index: usize,
    /// The previous segment has the same kernel, and one call hashes both.
    pub(crate) is_chained: bool,
}

impl Segment {
    pub(crate) fn new(kernel: Kernel, first: usize, active: usize) -> Self {
        Self {
            kernel,
            first,
            active,
            lanes: kernel.lanes(),
            index: kernel.index(),
            is_chained: false,
        }
    }
}

/// The segments of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) segments: Vec<Segment>,
    /// Lanes in use.
    pub(crate) lanes: usize,
    /// The maximum number of blocks per lane that keeps the step short enough.
    pub(crate) blocks_max: u32,
    /// Nanoseconds per block of every lane.
    pub(crate) cost_ns: f64,
}

/// The plan for each number of ready lanes of one compression.
#[derive(Clone, Debug)]
pub(crate) struct Plans {
    block_bytes: usize,
    /// Nanoseconds of one block step.
    costs_ns: Vec<(Kernel, f64)>,
    /// Kernels that failed the known-answer test.
    faulty: Vec<Kernel>,
    /// Indexed by the number of ready lanes; `[0]` is empty.
    plans: Vec<Plan>,
    lanes_enough: usize,
    best_block_ns: f64,
    lanes_full: usize,
}

impl Plans {
    fn new<H: Compression>(costs_ns: Vec<(Kernel, f64)>) -> Self {
        assert!(
            costs_ns
                .iter()
                .all(|(_, cost)| cost.is_finite() && *cost > 0.0),
            "costs are positive"
        );
        let plans = plan_all(&costs_ns);
        let rate = |lanes: usize| plans[lanes].lanes as f64 / plans[lanes].cost_ns;
        let best = (1..=LANES_MAX).map(rate).fold(0.0, f64::max);
        let lanes_enough = (1..=LANES_MAX).find(|lanes| rate(*lanes) >= best * LIKE_BEST);
        let lanes_enough = lanes_enough.expect("the best itself");
        let segments = plans[lanes_enough].segments.iter();
        let lanes_full: usize = segments.map(|segment| segment.lanes).sum();
        Self {
            block_bytes: H::BLOCK_BYTES,
            costs_ns,
            faulty: Vec::new(),
            lanes_enough,
            best_block_ns: 1.0 / best,
            lanes_full: lanes_full.min(LANES_MAX),
            plans,
        }
    }

    /// Plans from the measured costs of `backend`'s kernels. Kernels that fail the known-answer
    /// test are left out.
    ///
    /// # Panics
    /// If no kernel passes.
    fn measured<H: Compression>(backend: &Backend) -> Self {
        let kernels = backend.kernels(H::FAMILY).iter().copied();
        let (sound, faulty): (Vec<Kernel>, Vec<Kernel>) = kernels.partition(|k| is_sound::<H>(*k));
        assert!(
            !sound.is_empty(),
            "no kernel of {} gives the known answer",
            H::FAMILY
        );
        let plans = Self::new::<H>(measure::<H>(&sound));
        Self { faulty, ..plans }
    }

    /// Plans without `kernel`; `None` if there is no other kernel.
    fn without<H: Compression>(&self, kernel: Kernel) -> Option<Self> {
        let costs_ns = self.costs_ns.iter().copied();
        let costs_ns: Vec<_> = costs_ns.filter(|(other, _)| *other != kernel).collect();
        let mut faulty = self.faulty.clone();
        faulty.push(kernel);
        (!costs_ns.is_empty()).then(|| Self {
            faulty,
            ..Self::new::<H>(costs_ns)
        })
    }

    /// The plan for `ready` lanes, 1 to [`LANES_MAX`].
    #[inline]
    pub(crate) fn plan(&self, ready: usize) -> &Plan {
        &self.plans[ready]
    }

    /// The minimum number of ready lanes with which a step is as fast as with any number, within
    /// the precision of the measurement.
    #[inline]
    pub(crate) const fn lanes_enough(&self) -> usize {
        self.lanes_enough
    }

    /// The lanes of the kernels in the plan for [`lanes_enough`](Self::lanes_enough). With 63 ready
    /// lanes a kernel of 64 is as good as full, and a 64th costs nothing.
    #[inline]
    pub(crate) const fn lanes_full(&self) -> usize {
        self.lanes_full
    }

    /// Nanoseconds of one block step of each kernel.
    pub(crate) fn costs_ns(&self) -> &[(Kernel, f64)] {
        &self.costs_ns
    }

    fn bytes_per_second(&self, lanes: usize, cost_ns: f64) -> f64 {
        (lanes * self.block_bytes) as f64 / cost_ns * 1e9
    }
}

/// The plan for each compression and number of ready lanes, from measured costs. Cheap to clone;
/// clones share the measurements.
#[derive(Clone, Debug)]
pub struct Crossover {
    table: Arc<Table>,
}

#[derive(Debug)]
struct Table {
    backend: Backend,
    /// By family; measured when a family is first needed.
    plans: [OnceLock<Plans>; Family::ALL.len()],
    /// Kernels that were retired.
    retired: Vec<Kernel>,
}

impl Crossover {
    /// Plans with the kernels of `backend`. A compression's kernels are timed when one of its jobs
    /// is first opened, or by [`calibrate`](Self::calibrate).
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        Self {
            table: Arc::new(Table {
                backend,
                plans: Default::default(),
                retired: Vec::new(),
            }),
        }
    }

    /// Times all kernels now, on this thread's core: 5 to 10 ms per compression. On a busy machine
    /// no round begins after 25 ms, except the first four. A kernel's cost is the minimum of many
    /// short runs taken in turn, so only noise in all of them disturbs the plan.
    #[must_use]
    pub fn calibrate(backend: &Backend) -> Self {
        let crossover = Self::new(backend.clone());
        for family in Family::ALL {
            crossover.plans(family);
        }
        crossover
    }

    /// One kernel for all work of its family. `None` if the CPU lacks it. For tests, benches and
    /// operators who choose kernels by hand.
    #[must_use]
    pub fn only(kernel: Kernel) -> Option<Self> {
        Some(Self::new(Backend::of(&[kernel])?))
    }

    /// Plans from given costs: for each of the backend's kernels, nanoseconds of one block step
    /// with all its lanes.
    ///
    /// # Panics
    /// If a cost is not a positive number.
    #[must_use]
    pub fn from_costs(backend: Backend, cost_ns: impl Fn(Kernel) -> f64) -> Self {
        let costs = |family: Family| -> Vec<(Kernel, f64)> {
            let kernels = backend.kernels(family).iter();
            kernels.map(|kernel| (*kernel, cost_ns(*kernel))).collect()
        };
        let plans = [
            Plans::new::<Sha256>(costs(Family::Sha256)),
            Plans::new::<Sha512>(costs(Family::Sha512)),
            Plans::new::<Sha1>(costs(Family::Sha1)),
            Plans::new::<Md5>(costs(Family::Md5)),
        ];
        Self {
            table: Arc::new(Table {
                plans: plans.map(OnceLock::from),
                backend,
                retired: Vec::new(),
            }),
        }
    }

    /// The same plans without `kernel`, which computed a wrong state. The other kernels keep their
    /// measured costs. `None` if its family has no other kernel.
    #[must_use]
    pub fn without(&self, kernel: Kernel) -> Option<Self> {
        let family = kernel.family();
        let before = self.plans(family);
        let left = match family {
            Family::Sha256 => before.without::<Sha256>(kernel),
            Family::Sha512 => before.without::<Sha512>(kernel),
            Family::Sha1 => before.without::<Sha1>(kernel),
            Family::Md5 => before.without::<Md5>(kernel),
        };
        let mut plans = self.table.plans.clone();
        plans[family.index()] = OnceLock::from(left?);
        Some(Self {
            table: Arc::new(Table {
                backend: self.table.backend.without(kernel)?,
                plans,
                retired: [&self.table.retired[..], &[kernel]].concat(),
            }),
        })
    }

    /// The kernels that were retired.
    #[inline]
    pub(crate) fn retired(&self) -> &[Kernel] {
        &self.table.retired
    }

    /// The kernels that it chooses from.
    #[must_use]
    pub fn backend(&self) -> &Backend {
        &self.table.backend
    }

    /// The rate of each kernel of a family with all its lanes active, in bytes per second.
    pub fn bytes_per_second(&self, family: Family) -> impl Iterator<Item = (Kernel, f64)> + '_ {
        let plans = self.plans(family);
        let costs = plans.costs_ns.iter();
        costs.map(|(kernel, cost_ns)| (*kernel, plans.bytes_per_second(kernel.lanes(), *cost_ns)))
    }

    /// The kernels of a family that are not used, because they failed the known-answer test on this
    /// CPU or were retired later. There should be none; report them to the operator.
    #[must_use]
    pub fn faulty(&self, family: Family) -> &[Kernel] {
        &self.plans(family).faulty
    }

    /// The rate of a step with `lanes` ready lanes, in bytes per second.
    ///
    /// # Panics
    /// If `lanes` is 0 or above [`LANES`](Self::LANES).
    #[must_use]
    pub fn step_bytes_per_second(&self, family: Family, lanes: usize) -> f64 {
        assert!((1..=LANES_MAX).contains(&lanes), "1 to {LANES_MAX} lanes");
        let plans = self.plans(family);
        let plan = plans.plan(lanes);
        plans.bytes_per_second(plan.lanes, plan.cost_ns)
    }

    /// Nanoseconds per block at the best rate of any number of lanes.
    #[must_use]
    pub fn best_block_ns(&self, family: Family) -> f64 {
        self.plans(family).best_block_ns
    }

    /// The maximum number of ready lanes that has a plan.
    pub const LANES: usize = LANES_MAX;

    /// The minimum number of ready lanes with which a step is as fast as with any number, within
    /// the precision of the measurement.
    #[must_use]
    pub fn lanes_enough(&self, family: Family) -> usize {
        self.plans(family).lanes_enough()
    }

    /// The kernels that a step uses with `lanes` ready lanes, such as `avx512x16+shani_x2`.
    ///
    /// # Panics
    /// If `lanes` is 0 or above [`LANES`](Self::LANES).
    #[must_use]
    pub fn describe(&self, family: Family, lanes: usize) -> String {
        assert!((1..=LANES_MAX).contains(&lanes), "1 to {LANES_MAX} lanes");
        let names = self.plans(family).plan(lanes).segments.iter();
        names.map(|s| s.kernel.name()).collect::<Vec<_>>().join("+")
    }

    /// The kernels that some plan of a family uses. Others are slower on this CPU for any number of
    /// lanes.
    pub fn planned(&self, family: Family) -> impl Iterator<Item = Kernel> + '_ {
        let plans = self.plans(family);
        Kernel::of(family).filter(move |kernel| {
            let mut all = (1..=LANES_MAX).flat_map(|lanes| &plans.plan(lanes).segments);
            all.any(|segment| segment.kernel == *kernel)
        })
    }

    #[cfg(test)]
    pub(crate) fn is_measured(&self, family: Family) -> bool {
        self.table.plans[family.index()].get().is_some()
    }

    /// The plans of one family. Measures them if necessary.
    #[inline]
    pub(crate) fn plans(&self, family: Family) -> &Plans {
        self.table.plans[family.index()].get_or_init(|| {
            let backend = &self.table.backend;
            match family {
                Family::Sha256 => Plans::measured::<Sha256>(backend),
                Family::Sha512 => Plans::measured::<Sha512>(backend),
                Family::Sha1 => Plans::measured::<Sha1>(backend),
                Family::Md5 => Plans::measured::<Md5>(backend),
            }
        })
    }
}

/// Nanoseconds of one block step of each kernel, all lanes active, data in L1/L2.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn measure<H: Compression>(kernels: &[Kernel]) -> Vec<(Kernel, f64)> {
    if cfg!(miri) {
        // Times measured under Miri are meaningless.
        return kernels
            .iter()
            .map(|kernel| (*kernel, kernel.lanes() as f64))
            .collect();
    }
    const LANE_BYTES: usize = 2048;
    const RUN_NS: f64 = 15_000.0;
    // Lanes start at different addresses modulo 4 KiB; otherwise they would conflict in the same
    // cache sets.
    const STRIDE: usize = LANE_BYTES + 64;
    // An odd number, as in half of all runs. With an even number, a kernel that hashes two blocks
    // at once would look better than it is.
    let blocks = LANE_BYTES / H::BLOCK_BYTES - 1;
    let data = vec![0x5a_u8; STRIDE * LANES_MAX];
    let mut states = Box::<States<H::Word>>::default();
    let mut time = |kernel: Kernel, calls: usize| {
        let start = Instant::now();
        for _ in 0..calls {
            let inputs = data.chunks_exact(STRIDE).map(Input::whole);
            let lanes = states.cells().iter().zip(inputs).take(kernel.lanes());
            compress_chain::<H, _>(kernel, [(lanes, blocks)]);
        }
        start.elapsed().as_nanos() as f64 / (calls * blocks) as f64
    };
    let start = Instant::now();
    let mut best: Vec<f64> = kernels.iter().map(|kernel| time(*kernel, 1)).collect();
    let calls: Vec<usize> = best
        .iter()
        .map(|cost| ((RUN_NS / (cost * blocks as f64)) as usize).max(1))
        .collect();
    let lanes: Vec<usize> = kernels.iter().map(|kernel| kernel.lanes()).collect();
    least_of_rounds(
        &mut best,
        &lanes,
        |i| time(kernels[i], calls[i]),
        || start.elapsed() >= MEASURE_MAX,
    );
    // Otherwise a clock too coarse to time a run would give a cost of 0.
    let costs = best.iter().map(|cost| cost.max(0.01));
    kernels.iter().copied().zip(costs).collect()
}

/// Lowers each of `best`, the costs of kernels with these numbers of `lanes`, to the minimum that
/// `time` measures in [`ROUNDS`] rounds. After the first [`ROUNDS_MIN`], no round begins once time
/// `is_over`. After the first [`HOPELESS_ROUNDS`], no [`HOPELESS`] kernel is timed.
fn least_of_rounds(
    best: &mut [f64],
    lanes: &[usize],
    mut time: impl FnMut(usize) -> f64,
    is_over: impl Fn() -> bool,
) {
    for round in 0..ROUNDS {
        if round >= ROUNDS_MIN && is_over() {
            return;
        }
        for i in 0..best.len() {
            let beats =
                |(cost, wide): (&f64, &usize)| *wide >= lanes[i] && best[i] >= HOPELESS * cost;
            if round < HOPELESS_ROUNDS || !best.iter().zip(lanes).any(beats) {
                best[i] = best[i].min(time(i));
            }
        }
    }
}

fn plan_all(costs_ns: &[(Kernel, f64)]) -> Vec<Plan> {
    let fill = plan_fill(costs_ns);
    let covers: Vec<Cover> = (0..=LANES_MAX)
        .map(|lanes| cover(lanes, costs_ns, &fill))
        .collect();
    let rate = |lanes: usize| lanes as f64 / covers[lanes].cost_ns;
    let mut plans = vec![Plan::default()];
    let mut best = 0.0_f64;
    for ready in 1..=LANES_MAX {
        best = best.max(rate(ready));
        // Among numbers of lanes that are equal within the measurement, take the highest: fewer
        // steps for the same work.
        let lanes = (1..=ready)
            .rev()
            .find(|lanes| rate(*lanes) >= best * LIKE_BEST);
        plans.push(plan(lanes.expect("the best itself"), &covers, &fill));
    }
    plans
}

/// A way to cover some lanes at the least cost: full kernels for the lanes before `first`, and one
/// more kernel for the rest.
#[derive(Clone, Copy, Debug)]
struct Cover {
    cost_ns: f64,
    kernel: Kernel,
    first: usize,
}

/// The cheapest way to cover lanes `0..p` with full kernels, for each `p` from 1.
fn plan_fill(costs_ns: &[(Kernel, f64)]) -> Vec<Option<Cover>> {
    let mut fill: Vec<Option<Cover>> = vec![None; LANES_MAX + 1];
    for end in 1..=LANES_MAX {
        let whole = costs_ns.iter().filter(|(kernel, _)| kernel.lanes() <= end);
        fill[end] = cheapest(whole.filter_map(|(kernel, cost_ns)| {
            extend(&fill, end - kernel.lanes(), *kernel, *cost_ns)
        }));
    }
    fill
}

/// The cheapest way to cover `lanes` lanes: full kernels, then at most one in part.
fn cover(lanes: usize, costs_ns: &[(Kernel, f64)], fill: &[Option<Cover>]) -> Cover {
    let partial = (0..lanes).flat_map(|first| {
        let wider = costs_ns
            .iter()
            .filter(move |(kernel, _)| kernel.lanes() > lanes - first);
        wider.filter_map(move |(kernel, cost_ns)| extend(fill, first, *kernel, *cost_ns))
    });
    let nothing = Cover {
        cost_ns: f64::INFINITY,
        kernel: costs_ns[0].0,
        first: 0,
    };
    // If all kernels of a backend have one lane, full kernels cover every count. Otherwise the
    // narrowest kernel covers any rest.
    cheapest(partial.chain(fill[lanes])).unwrap_or(nothing)
}

/// Full kernels up to lane `first`, if possible, and one more kernel.
fn extend(fill: &[Option<Cover>], first: usize, kernel: Kernel, cost_ns: f64) -> Option<Cover> {
    let before_ns = if first == 0 {
        0.0
    } else {
        fill[first]?.cost_ns
    };
    Some(Cover {
        cost_ns: before_ns + cost_ns,
        kernel,
        first,
    })
}

fn cheapest(covers: impl Iterator<Item = Cover>) -> Option<Cover> {
    covers.min_by(|a, b| a.cost_ns.total_cmp(&b.cost_ns))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn plan(lanes: usize, covers: &[Cover], fill: &[Option<Cover>]) -> Plan {
    let mut segments = Vec::new();
    let mut next = Some(covers[lanes]);
    let mut end = lanes;
    while let Some(Cover { kernel, first, .. }) = next {
        let active = end - first;
        segments.push(Segment::new(kernel, first, active));
        (next, end) = (fill[first], first);
    }
    segments.reverse();
    for i in 1..segments.len() {
        let kernel = segments[i].kernel;
        segments[i].is_chained = kernel.chains() && segments[i - 1].kernel == kernel;
    }
    let cost_ns = covers[lanes].cost_ns;
    Plan {
        segments,
        lanes,
        blocks_max: ((STEP_NS_MAX / cost_ns) as u32).max(1),
        cost_ns,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Costs as on a CPU whose SHA extensions take 35 ns for one stream.
    fn costs(kernel: Kernel) -> f64 {
        match kernel.name() {
            "shani_x1" => 35.0,
            "shani_x2" => 38.0,
            "shani_x4" => 76.0,
            "avx512x16" => 240.0,
            "avx2x8" => 200.0,
            _ => 300.0,
        }
    }

    fn detected() -> Crossover {
        Crossover::from_costs(Backend::detect(), costs)
    }

    #[test]
    fn every_count_has_a_sound_plan() {
        let mut all = vec![detected(), Crossover::new(Backend::portable())];
        all.extend(Kernel::all().filter_map(Crossover::only));
        for crossover in all {
            for family in Family::ALL {
                for ready in 1..=LANES_MAX {
                    let plan = crossover.plans(family).plan(ready);
                    let mut next = 0;
                    for (place, segment) in plan.segments.iter().enumerate() {
                        let lanes = segment.kernel.lanes();
                        assert_eq!(segment.kernel.family(), family);
                        assert_eq!(segment.first, next);
                        let is_last = place + 1 == plan.segments.len();
                        assert!(segment.active == lanes || is_last && segment.active < lanes);
                        next += segment.active;
                    }
                    assert_eq!(next, plan.lanes);
                    assert!((1..=ready).contains(&plan.lanes));
                    assert!(plan.blocks_max >= 1);
                }
            }
        }
    }

    /// The plan is the best of all covers; the test tries all of them.
    #[test]
    fn no_cover_is_cheaper() {
        /// The least cost of lanes `first..lanes`.
        fn least(kernels: &[(Kernel, f64)], first: usize, lanes: usize) -> f64 {
            if first >= lanes {
                return 0.0;
            }
            let next = kernels.iter();
            next.map(|(kernel, cost)| cost + least(kernels, first + kernel.lanes(), lanes))
                .fold(f64::INFINITY, f64::min)
        }
        let crossover = detected();
        for family in Family::ALL {
            let plans = crossover.plans(family);
            let wide = plans
                .costs_ns
                .iter()
                .filter(|(kernel, _)| kernel.lanes() >= 4);
            let wide: Vec<_> = wide.copied().collect();
            if wide.is_empty() {
                continue;
            }
            let plans = plan_all(&wide);
            let rate = |lanes: usize| lanes as f64 / least(&wide, 0, lanes);
            for (ready, plan) in plans.iter().enumerate().skip(1).take(40) {
                let best = (1..=ready).map(rate).fold(0.0, f64::max);
                let reached = plan.lanes as f64 / plan.cost_ns;
                assert!(reached >= best * LIKE_BEST - 1e-9, "{family}: {ready}");
            }
        }
    }

    #[test]
    fn more_ready_lanes_are_never_slower() {
        let crossover = detected();
        for family in Family::ALL {
            let rate = |lanes| crossover.step_bytes_per_second(family, lanes);
            for ready in 2..=LANES_MAX {
                let (fewer, more) = (rate(ready - 1), rate(ready));
                assert!(
                    more >= fewer * LIKE_BEST,
                    "{family}: {ready} lanes: {more} after {fewer}"
                );
            }
        }
    }

    #[test]
    fn enough_lanes_are_those_that_more_do_not_beat() {
        for kernel in Kernel::all().filter(|kernel| kernel.is_available()) {
            let crossover = Crossover::only(kernel).expect("available");
            // The last of many lanes add less than the measurement's precision.
            let enough = crossover.lanes_enough(kernel.family());
            assert!(
                (kernel.lanes() * 49 / 50..=kernel.lanes()).contains(&enough),
                "{kernel}"
            );
        }
        let crossover = detected();
        for family in Family::ALL {
            let rate = |lanes| crossover.step_bytes_per_second(family, lanes);
            let enough = crossover.lanes_enough(family);
            assert!(rate(enough) >= rate(LANES_MAX) * LIKE_BEST);
            assert!((1..enough).map(rate).fold(0.0, f64::max) < rate(LANES_MAX));
        }
    }

    /// As on a CPU with full 512-bit units. The plan does not need a CPU with these kernels.
    pub(crate) fn wide_md5() -> Plans {
        let costs = [
            ("portable", 100.0),
            ("avx512x32", 139.0),
            ("avx512x64", 178.0),
        ];
        let named = |(name, cost)| Some((Kernel::named(Family::Md5, name)?, cost));
        Plans::new::<Md5>(costs.into_iter().filter_map(named).collect())
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_step_fills_the_lanes_that_it_has() {
        let plans = wide_md5();
        assert_eq!((plans.lanes_enough(), plans.lanes_full()), (63, 64));
        assert_eq!(plans.plan(64).lanes, 64);
        let crossover = detected();
        for family in Family::ALL {
            let plans = crossover.plans(family);
            assert!(plans.lanes_enough() <= plans.lanes_full(), "{family}");
            let full = plans.plan(plans.lanes_full());
            let lanes = |plan: &Plan| plan.segments.iter().map(|segment| segment.lanes).sum();
            assert_eq!(full.lanes, lanes(full), "{family}: no lane is idle");
        }
    }

    #[test]
    fn one_lane_takes_the_cheapest_single_stream() {
        let crossover = detected();
        let kernels = crossover.backend().kernels(Family::Sha256).iter().copied();
        let cheapest = kernels.map(costs).min_by(f64::total_cmp).expect("a kernel");
        let plan = crossover.plans(Family::Sha256).plan(1);
        assert_eq!(plan.segments.len(), 1);
        assert!((plan.cost_ns - cheapest).abs() < 1e-9);
    }

    #[test]
    fn calibration_is_positive_and_ordered_like_the_backend() {
        let crossover = Crossover::calibrate(&Backend::detect());
        for family in Family::ALL {
            let (kernels, rates): (Vec<Kernel>, Vec<f64>) =
                crossover.bytes_per_second(family).unzip();
            assert_eq!(kernels, crossover.backend().kernels(family));
            assert!(rates.iter().all(|rate| *rate > 0.0));
        }
    }

    #[test]
    fn one_quiet_round_in_many_is_enough() {
        const COSTS: [f64; 3] = [35.0, 240.0, 80.0];
        let mut calls = [0; 3];
        let mut best = [f64::MAX; 3];
        let time = |i: usize| {
            calls[i] += 1;
            // Each kernel has one quiet run, each in a different round.
            let noise = if calls[i] == 5 + i { 1.0 } else { 3.0 };
            COSTS[i] * noise
        };
        least_of_rounds(&mut best, &[1, 16, 4], time, || false);
        assert_eq!(calls, [ROUNDS; 3]);
        for (best, cost) in best.iter().zip(COSTS) {
            assert!((best - cost).abs() < 1e-9, "{best} for {cost}");
        }
    }

    #[test]
    fn no_round_begins_when_time_is_over() {
        let rounds = std::cell::Cell::new(0);
        let time = |_| {
            rounds.set(rounds.get() + 1);
            1.0
        };
        least_of_rounds(&mut [9.0], &[1], time, || rounds.get() == 7);
        assert_eq!(rounds.get(), 7);
        rounds.set(0);
        least_of_rounds(&mut [9.0], &[1], time, || true);
        assert_eq!(rounds.get(), ROUNDS_MIN, "one is never enough");
    }

    /// A kernel that takes milliseconds, where others take microseconds, does not delay the
    /// measurement.
    #[test]
    fn a_hopeless_kernel_is_timed_no_more() {
        let mut calls = [0; 4];
        // The last costs as much as the third, but has more lanes.
        let costs = [35.0, 240.0, 960.0, 960.0];
        let time = |i: usize| {
            calls[i] += 1;
            costs[i]
        };
        least_of_rounds(&mut [f64::MAX; 4], &[1, 8, 8, 16], time, || false);
        assert_eq!(calls, [ROUNDS, ROUNDS, HOPELESS_ROUNDS, ROUNDS]);
    }
}
