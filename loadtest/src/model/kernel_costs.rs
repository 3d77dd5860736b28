//! The kernels' costs: measured on this CPU, or listed in a file for another one.
//!
//! The engine makes its plans from the same costs, so the simulation picks lanes as a server on
//! that CPU does.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use hashlane_engine::{Algorithm, Backend, Crossover, Engine, Family, Kernel};

use crate::load::sizes::data_lines;
use crate::system::files::read_whole;

/// Costs of kernels, and the plans made from them.
#[derive(Clone, Debug)]
pub(super) struct Kernels {
    pub(super) crossover: Crossover,
    /// Nanoseconds of one block in all lanes, by [`Kernel::index`].
    costs_ns: Vec<f64>,
}

/// What the engine's lanes did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lanes {
    /// Time of the kernels alone.
    pub(super) kernel_ns: f64,
    /// Blocks of lanes with a job, and of all lanes.
    pub(super) active_blocks: u64,
    pub(super) blocks: u64,
}

impl Kernels {
    /// Times the kernels of this CPU.
    pub(super) fn measured(algorithms: &[Algorithm]) -> Self {
        let crossover = Crossover::new(Backend::detect());
        let families = algorithms.iter().filter_map(|algorithm| algorithm.family());
        Self::of(crossover, &families.collect::<Vec<_>>())
    }

    /// Kernels with these costs: nanoseconds of one block in all lanes.
    pub(super) fn from_costs(backend: Backend, cost_ns: impl Fn(Kernel) -> f64) -> Self {
        Self::of(Crossover::from_costs(backend, cost_ns), &Family::ALL)
    }

    fn of(crossover: Crossover, families: &[Family]) -> Self {
        let mut costs_ns = vec![0.0; Kernel::count()];
        for family in families {
            for (kernel, bytes_per_second) in crossover.bytes_per_second(*family) {
                costs_ns[kernel.index()] = column_bytes(kernel) / bytes_per_second * 1e9;
            }
        }
        Self {
            crossover,
            costs_ns,
        }
    }

    /// Reads the rates of kernels in GB/s with all lanes full, as a server logs them at its start:
    /// lines of KERNEL,RATE. Kernels that are not listed are not used.
    ///
    /// # Errors
    /// A line is malformed, or this CPU lacks a kernel: the simulation runs the engine itself.
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_whole(path)?)
            .with_context(|| format!("the kernels of {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut rates = Vec::new();
        for (number, line) in data_lines(text) {
            let rate = kernel_rate(line).with_context(|| format!("line {number}"))?;
            rates.push(rate);
        }
        let kernels: Vec<Kernel> = rates.iter().map(|(kernel, _)| *kernel).collect();
        let backend = Backend::of(&kernels).context("this CPU lacks one of them")?;
        // Families without a line keep this CPU's kernels, and no load may use them.
        let cost_ns = |kernel: Kernel| {
            let rate = rates.iter().find(|(listed, _)| *listed == kernel);
            rate.map_or(f64::MAX.sqrt(), |(_, gb_per_s)| {
                column_bytes(kernel) / gb_per_s
            })
        };
        let mut kernels = Self::from_costs(backend, cost_ns);
        for kernel in Kernel::all() {
            if !rates.iter().any(|(listed, _)| *listed == kernel) {
                kernels.costs_ns[kernel.index()] = 0.0;
            }
        }
        Ok(kernels)
    }

    /// Whether all costs that `algorithms` need are known.
    ///
    /// # Errors
    /// Names an algorithm that has no lanes, or whose kernels have no costs.
    pub(super) fn check(&self, algorithms: &[Algorithm]) -> Result<()> {
        for algorithm in algorithms {
            let family = algorithm.family();
            let family = family.with_context(|| format!("{algorithm} uses no lanes"))?;
            let has_costs = Kernel::of(family).any(|kernel| self.costs_ns[kernel.index()] > 0.0);
            ensure!(has_costs, "no costs are known for kernels of {algorithm}");
        }
        Ok(())
    }

    /// What the lanes of `engine` did so far.
    pub(super) fn lanes<C: AsRef<[u8]> + Clone>(&self, engine: &Engine<C>) -> Lanes {
        let mut lanes = Lanes::default();
        for (kernel, counts) in engine.occupancy().by_kernel() {
            let blocks = counts.active_lane_blocks + counts.idle_lane_blocks;
            lanes.active_blocks += counts.active_lane_blocks;
            lanes.blocks += blocks;
            lanes.kernel_ns += self.time_ns(kernel, blocks as f64);
        }
        lanes
    }

    /// The time of a kernel for this many blocks over all its lanes.
    pub(super) fn time_ns(&self, kernel: Kernel, lane_blocks: f64) -> f64 {
        lane_blocks / kernel.lanes() as f64 * self.costs_ns[kernel.index()]
    }

    /// The time of these blocks at the best rate of full lanes.
    pub(super) fn best_ns(&self, family: Family, blocks: usize) -> f64 {
        self.crossover.best_block_ns(family) * blocks as f64
    }
}

/// Bytes of one block in each lane.
fn column_bytes(kernel: Kernel) -> f64 {
    let block_bytes = match kernel.family() {
        Family::Sha512 => 128,
        Family::Sha256 | Family::Sha1 | Family::Md5 => 64,
    };
    (kernel.lanes() * block_bytes) as f64
}

/// `avx512x16,4.05` or `md5:avx512x64,15.3`.
fn kernel_rate(line: &str) -> Result<(Kernel, f64)> {
    let (name, rate) = line.split_once(',').context("it is not KERNEL,RATE")?;
    let kernel = name.trim().parse()?;
    let gb_per_s: f64 = rate.trim().parse().context("its rate is no number")?;
    ensure!(
        gb_per_s > 0.0 && gb_per_s.is_finite(),
        "its rate is not more than 0"
    );
    Ok((kernel, gb_per_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_rates_are_the_costs_of_plans() {
        let portable = Kernel::portable(Family::Md5);
        let kernels = Kernels::parse(&format!("# of another CPU\n{portable}, 0.5\n")).unwrap();
        let rate = kernels.crossover.step_bytes_per_second(Family::Md5, 64);
        assert!((rate - 0.5e9).abs() < 1.0, "{rate}");
        assert!((kernels.time_ns(portable, 10.0) - 1280.0).abs() < 1e-6);
        assert!(kernels.check(&[Algorithm::Md5]).is_ok());
        for (named, told) in [
            (Algorithm::Sha1, "no costs"),
            (Algorithm::Crc32, "no lanes"),
        ] {
            let error = kernels.check(&[named]).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        for wrong in [
            "md5:portable",
            "md5:none,1",
            "md5:portable,0",
            "md5:portable,x",
        ] {
            assert!(Kernels::parse(wrong).is_err(), "{wrong}");
        }
    }
}
