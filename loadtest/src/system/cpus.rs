//! The machine's CPUs: their model, and affinity of threads, to keep load and server apart.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Result, ensure};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;

/// A set of CPUs, for example `0,2-3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpus(Vec<usize>);

impl Cpus {
    /// Restricts the calling thread, and threads and processes it starts later, to these CPUs.
    ///
    /// # Errors
    /// The machine has none of them, or this process may not use them.
    pub fn pin_thread(&self) -> Result<()> {
        let mut set = CpuSet::new();
        self.0.iter().for_each(|&cpu| set.set(cpu));
        sched_setaffinity(None, &set).with_context(|| format!("cannot pin a thread to CPU {self}"))
    }

    /// The CPUs that this process may use.
    ///
    /// # Errors
    /// The system does not provide them.
    pub fn allowed() -> Result<Self> {
        let set = sched_getaffinity(None).context("cannot tell this process's CPUs")?;
        let cpus = (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu));
        Ok(Self(cpus.collect()))
    }

    /// Each CPU as a separate set.
    pub fn singles(&self) -> impl Iterator<Item = Self> {
        self.0.iter().map(|&cpu| Self(vec![cpu]))
    }

    /// Runs `work` on these CPUs, then restores the thread's affinity. A process started in `work`
    /// stays on these CPUs.
    ///
    /// # Errors
    /// As [`Self::pin_thread`].
    pub fn pin_during<T>(&self, work: impl FnOnce() -> T) -> Result<T> {
        let before = sched_getaffinity(None).context("cannot tell this thread's CPUs")?;
        self.pin_thread()?;
        let outcome = work();
        sched_setaffinity(None, &before).context("cannot go back to this thread's CPUs")?;
        Ok(outcome)
    }
}

impl FromStr for Cpus {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| -> Result<usize> {
            let cpu = text.parse().ok().filter(|&cpu| cpu < CpuSet::MAX_CPU);
            cpu.with_context(|| format!("`{text}` is not a CPU below {}", CpuSet::MAX_CPU))
        };
        let mut cpus = Vec::new();
        for range in text.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (number(first)?, number(last)?);
            ensure!(first <= last, "the range `{range}` runs backwards");
            cpus.extend(first..=last);
        }
        cpus.sort_unstable();
        cpus.dedup();
        Ok(Self(cpus))
    }
}

impl fmt::Display for Cpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cpus: Vec<_> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&cpus.join(","))
    }
}

/// The first CPU of `/proc/cpuinfo`. Fields that the system does not have are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct CpuModel {
    /// For example `AuthenticAMD`.
    vendor: String,
    family: String,
    model: String,
    /// For example `AMD EPYC 7763`.
    name: String,
}

impl CpuModel {
    pub(crate) fn read() -> Self {
        Self::parse(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let field = |names: &[&str]| {
            let fields = || text.lines().filter_map(|line| line.split_once(':'));
            let of_name = |name: &&str| fields().find(|(field, _)| field.trim() == *name);
            let found = names.iter().find_map(of_name);
            found.map_or_else(String::new, |(_, value)| value.trim().to_owned())
        };
        // Arm uses other names, and has no model name.
        Self {
            vendor: field(&["vendor_id", "CPU implementer"]),
            family: field(&["cpu family", "CPU architecture"]),
            model: field(&["model", "CPU part"]),
            name: field(&["model name"]),
        }
    }
}

impl fmt::Display for CpuModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            vendor,
            family,
            model,
            name,
        } = self;
        if vendor.is_empty() {
            return write!(f, "unknown CPU");
        }
        write!(f, "{vendor} family {family} model {model}")?;
        if !name.is_empty() {
            write!(f, " ({name})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_numbers_and_ranges() {
        let parse = |text: &str| text.parse::<Cpus>();
        assert_eq!(parse("1").unwrap().0, [1]);
        assert_eq!(parse("4,0-2,2").unwrap().0, [0, 1, 2, 4]);
        assert_eq!(parse("4,0-2").unwrap().to_string(), "0,1,2,4");
        for text in ["", ",", "a", "-1", "2-1", "1-", "99999", "0-99999"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pinned_thread_comes_back() {
        let before = sched_getaffinity(None).unwrap();
        let first = (0..CpuSet::MAX_CPU)
            .find(|&cpu| before.is_set(cpu))
            .unwrap();
        let inside = Cpus(vec![first])
            .pin_during(|| sched_getaffinity(None).unwrap())
            .unwrap();
        assert_eq!((inside.count(), inside.is_set(first)), (1, true));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }

    #[test]
    fn cpus_that_are_not_there_are_an_error() {
        let error = Cpus(vec![CpuSet::MAX_CPU - 1]).pin_thread().unwrap_err();
        assert!(error.to_string().contains("CPU 1023"), "{error}");
    }

    #[test]
    fn x86_and_arm_are_told() {
        let x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n\
                   model name\t: AMD EPYC\n\nprocessor\t: 1\nmodel\t: 2\n";
        assert_eq!(
            CpuModel::parse(x86).to_string(),
            "AuthenticAMD family 25 model 1 (AMD EPYC)"
        );
        let arm =
            "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n";
        assert_eq!(
            CpuModel::parse(arm).to_string(),
            "0x41 family 8 model 0xd40"
        );
        assert_eq!(CpuModel::parse("").to_string(), "unknown CPU");
    }
}
