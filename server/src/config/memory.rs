//! Fits bounds to the available memory.
//!
//! The defaults suit a large dedicated machine. In a container of 1 GiB, or on a machine of 8 GiB,
//! clients could make the process take more memory than there is, and the kernel would kill it. So
//! the bounds that are not set are reduced, all by the same factor, until the most that clients can
//! make the process hold is [`SHARE_PERCENT`] of `memory_max`.
//!
//! Why one factor: eight settings are too many to compute by hand.

use std::path::{Path, PathBuf};

use super::settings::Settings;

/// The rest is for the program, its threads and the allocator.
const SHARE_PERCENT: usize = 75;

/// Bounds are reduced in steps of a thousandth of the default.
const STEPS: usize = 1000;

/// cgroup v1 reports a limit above this, rounded down to pages, if there is no limit.
const UNBOUNDED: u64 = 1 << 60;

/// A bound that takes memory, and its least useful value.
struct Bound {
    name: &'static str,
    least: usize,
    value: fn(&mut Settings) -> &mut usize,
}

macro_rules! bound {
    ($name:ident, $least:expr) => {
        Bound {
            name: stringify!($name),
            least: $least,
            value: |settings| &mut settings.$name,
        }
    };
}

const MIB: usize = 1 << 20;

const BOUNDS: [Bound; 8] = [
    bound!(connections_max, 64),
    bound!(streams_max, 256),
    bound!(parts_max, 1024),
    bound!(unary_bytes_max, 8 * MIB),
    bound!(receive_windows_bytes_max, 8 * MIB),
    bound!(unread_bytes_max, MIB),
    bound!(held_bytes_max, 4 * MIB),
    bound!(shared_memory_bytes_max, 4 * MIB),
];

/// Reduces the bounds that `is_set` does not name. Returns the names of the changed bounds.
pub(super) fn fit(
    settings: &mut Settings,
    memory_max: u64,
    is_set: impl Fn(&str) -> bool,
    worst_bytes: impl Fn(&Settings) -> usize,
) -> Vec<&'static str> {
    let allowed = allowed_bytes(memory_max);
    let mut free: Vec<_> = BOUNDS.iter().filter(|bound| !is_set(bound.name)).collect();
    let of = |step: usize| {
        let mut scaled = settings.clone();
        for bound in &free {
            let value = (bound.value)(&mut scaled);
            let (whole, rest) = (*value / STEPS, *value % STEPS);
            let mut fewer = whole * step + rest * step / STEPS;
            // Rounded to MiB, which people read more easily.
            if fewer > 16 * MIB {
                fewer -= fewer % MIB;
            }
            *value = fewer.max(bound.least.min(*value));
        }
        scaled
    };
    // Finds the first step that does not fit; larger steps never take less memory.
    let steps: Vec<_> = (1..=STEPS).collect();
    let fitting = steps.partition_point(|step| worst_bytes(&of(*step)) <= allowed);
    let mut scaled = of(fitting.max(1));
    free.retain(|bound| (bound.value)(&mut scaled) != (bound.value)(settings));
    *settings = scaled;
    free.iter().map(|bound| bound.name).collect()
}

/// Whether the worst case of clients fits.
pub(super) fn fits(
    settings: &Settings,
    memory_max: u64,
    worst_bytes: impl Fn(&Settings) -> usize,
) -> bool {
    worst_bytes(settings) <= allowed_bytes(memory_max)
}

fn allowed_bytes(memory_max: u64) -> usize {
    let memory_max = usize::try_from(memory_max).unwrap_or(usize::MAX);
    memory_max / 100 * SHARE_PERCENT
}

/// The memory available to the process, and the file that says so: the smaller of its cgroup's
/// limit and the machine's memory. `root` is `/` except in tests.
pub(super) fn available(root: &Path) -> Option<(u64, PathBuf)> {
    let both = [of_cgroup(root), of_machine(root)].into_iter().flatten();
    both.min_by_key(|(bytes, _)| *bytes)
}

/// The memory of the machine.
fn of_machine(root: &Path) -> Option<(u64, PathBuf)> {
    let file = root.join("proc/meminfo");
    let text = std::fs::read_to_string(&file).ok()?;
    let mut lines = text.lines();
    let total = lines.find_map(|line| line.strip_prefix("MemTotal:"))?;
    // In KiB, which the file calls kB (proc_meminfo(5)).
    let kib: u64 = total.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some((kib.checked_mul(1 << 10)?, file))
}

/// The limit of the process's cgroup, if there is one.
fn of_cgroup(root: &Path) -> Option<(u64, PathBuf)> {
    let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mut found = Vec::new();
    for line in groups.lines() {
        // hierarchy:controllers:path. v2 has no controllers (cgroups(7)).
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // The limits of all ancestors apply too. In a container the path may be the host's, and not
        // exist; then the root of the mount is the container's group.
        let mount = root.join(mount);
        let group = mount.join(group.trim_start_matches('/'));
        let above = group
            .ancestors()
            .take_while(|path| path.starts_with(&mount));
        found.extend(above.map(|path| path.join(file)));
    }
    let bounds = found.into_iter().filter_map(|file| {
        let bytes = std::fs::read_to_string(&file).ok()?.trim().parse().ok()?;
        (bytes < UNBOUNDED).then_some((bytes, file))
    });
    bounds.min_by_key(|(bytes, _)| *bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::worst_bytes;

    const GIB: u64 = 1 << 30;

    fn fitted(memory_max: u64, set: &[(&str, &str)]) -> (Settings, Vec<&'static str>) {
        let mut settings = Settings::with(set).unwrap();
        let is_set = |name: &str| set.iter().any(|(given, _)| *given == name);
        let changed = fit(&mut settings, memory_max, is_set, worst_bytes);
        (settings, changed)
    }

    #[test]
    fn what_clients_can_take_fits() {
        for memory_max in [256 << 20, GIB, 2 * GIB, 4 * GIB] {
            let (settings, changed) = fitted(memory_max, &[]);
            let worst = worst_bytes(&settings) as u64;
            assert!(worst <= memory_max * 3 / 4, "{worst} of {memory_max}");
            // Nearly all of it is used.
            assert!(worst >= memory_max * 2 / 3, "{worst} of {memory_max}");
            assert_eq!(changed.len(), BOUNDS.len());
        }
        let (settings, changed) = fitted(1 << 40, &[]);
        assert_eq!(
            format!("{settings:?}"),
            format!("{:?}", Settings::default())
        );
        assert!(changed.is_empty());
    }

    #[test]
    fn what_was_set_stays() {
        let set = [
            ("streams_max", "77"),
            ("receive_windows_bytes_max", "512MiB"),
        ];
        let (settings, changed) = fitted(GIB, &set);
        assert_eq!(settings.streams_max, 77);
        assert_eq!(settings.receive_windows_bytes_max, 512 << 20);
        assert!(worst_bytes(&settings) as u64 <= GIB * 3 / 4);
        assert_eq!(changed.len(), BOUNDS.len() - 2);
        assert!(!changed.contains(&"streams_max"));
    }

    #[test]
    fn each_bound_is_of_use_however_little_there_is() {
        let (mut settings, _) = fitted(1, &[]);
        for bound in &BOUNDS {
            assert_eq!(*(bound.value)(&mut settings), bound.least, "{}", bound.name);
        }
    }

    type Read = fn(&Path) -> Option<(u64, PathBuf)>;

    /// The result of `read` with these files, given by path, under a temporary root.
    fn found_by(read: Read, files: &[(&str, &str)]) -> Option<(u64, String)> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (bytes, file) = read(root.path())?;
        let file = file.strip_prefix(root.path()).unwrap();
        Some((bytes, file.display().to_string()))
    }

    fn cgroup(files: &[(&str, &str)]) -> Option<(u64, String)> {
        found_by(of_cgroup, files)
    }

    #[test]
    fn the_less_of_cgroup_and_machine_counts() {
        let machine = |text| ("proc/meminfo", text);
        let of_8_gib = machine("MemFree:  1 kB\nMemTotal:        8388608 kB\nBuffers: 2 kB\n");
        let group = ("proc/self/cgroup", "0::/\n");
        let limit = |text| ("sys/fs/cgroup/memory.max", text);
        let found = |files: &[_]| found_by(available, files);
        let of_machine = Some((8 * GIB, "proc/meminfo".to_owned()));
        assert_eq!(found(&[of_8_gib]), of_machine);
        assert_eq!(found(&[of_8_gib, group, limit("max\n")]), of_machine);
        assert_eq!(
            found(&[of_8_gib, group, limit("17179869184\n")]),
            of_machine
        );
        let of_group = Some((GIB, "sys/fs/cgroup/memory.max".to_owned()));
        let limited = limit("1073741824\n");
        assert_eq!(found(&[of_8_gib, group, limited]), of_group);
        assert_eq!(found(&[group, limited]), of_group);
        for unknown in ["", "MemTotal: 1\n", "MemTotal: x kB\n", "SwapTotal: 1 kB\n"] {
            assert_eq!(found(&[machine(unknown)]), None, "{unknown:?}");
        }
    }

    #[test]
    fn the_cgroups_bound_is_found() {
        let found = |bytes: u64, file: &str| Some((bytes, file.to_owned()));
        // v2 in a container with a cgroup namespace.
        assert_eq!(
            cgroup(&[
                ("proc/self/cgroup", "0::/\n"),
                ("sys/fs/cgroup/memory.max", "1073741824\n"),
            ]),
            found(GIB, "sys/fs/cgroup/memory.max")
        );
        // v2 on a host: the smallest limit of a service and its slices.
        assert_eq!(
            cgroup(&[
                ("proc/self/cgroup", "0::/system.slice/hashlane.service\n"),
                ("sys/fs/cgroup/system.slice/memory.max", "500\n"),
                (
                    "sys/fs/cgroup/system.slice/hashlane.service/memory.max",
                    "max\n"
                ),
            ]),
            found(500, "sys/fs/cgroup/system.slice/memory.max")
        );
        // v1 with the path of the host.
        assert_eq!(
            cgroup(&[
                (
                    "proc/self/cgroup",
                    "4:cpu:/a\n3:memory:/docker/0123\n0::/x\n"
                ),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n"),
            ]),
            found(1000, "sys/fs/cgroup/memory/memory.limit_in_bytes")
        );
        for unbounded in [
            &[][..],
            &[("proc/self/cgroup", "0::/\n")],
            &[("proc/self/cgroup", "nothing\n")],
            &[
                ("proc/self/cgroup", "0::/\n"),
                ("sys/fs/cgroup/memory.max", "max\n"),
            ],
            &[
                ("proc/self/cgroup", "2:memory:/\n"),
                (
                    "sys/fs/cgroup/memory/memory.limit_in_bytes",
                    "9223372036854771712\n",
                ),
            ],
        ] {
            assert_eq!(cgroup(unbounded), None, "{unbounded:?}");
        }
    }
}
