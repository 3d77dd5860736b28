//! The CPU model of the measurements.

use std::fmt;

use serde::Serialize;

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
