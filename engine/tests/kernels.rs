//! Tests run on the kernels that are available, so if detection fails they pass without testing
//! anything. `HASHLANE_TEST_KERNELS` demands kernels by name, separated by commas, as in
//! `sha256:avx512x16`; `all` means all of this architecture, and a name after a minus is left out.

use hashlane_engine::Kernel;

/// Names in `wanted` that are not available here, or not kernels at all.
fn missing(wanted: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in wanted.split(',') {
        if name == "all" {
            names.extend(Kernel::all().map(|kernel| kernel.to_string()));
        } else if let Some(without) = name.strip_prefix('-') {
            let before = names.len();
            names.retain(|name| name != without);
            if names.len() == before {
                names.push(name.to_owned()); // which leaves out nothing: a slip of the pen
            }
        } else {
            names.push(name.to_owned());
        }
    }
    let is_available = |name: &String| name.parse().is_ok_and(Kernel::is_available);
    names.retain(|name| !is_available(name));
    names
}

#[test]
fn the_kernels_this_cpu_must_have_are_available() {
    // A user's CPU may lack any of them.
    let Some(wanted) = std::env::var_os("HASHLANE_TEST_KERNELS") else {
        return;
    };
    let wanted = wanted.to_string_lossy();
    let missing = missing(&wanted);
    assert!(missing.is_empty(), "not available: {}", missing.join(", "));
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(missing("sha256:portable,md5:portable"), Vec::<&str>::new());
    assert_eq!(missing("portable"), ["portable"]);
    assert_eq!(
        missing("sha256:portable,sha256:avx1024x64,"),
        ["sha256:avx1024x64", ""]
    );
    let other = if cfg!(target_arch = "aarch64") {
        "sha256:avx2x8"
    } else {
        "sha256:arm_sha2_x2"
    };
    assert_eq!(missing(&format!("{other},sha1:portable")), [other]);
    let lacking = Kernel::all().filter(|kernel| !kernel.is_available());
    let lacking: Vec<String> = lacking.map(|kernel| kernel.to_string()).collect();
    assert_eq!(missing("all"), lacking);
    let but_one = Kernel::all().map(|kernel| format!(",-{kernel}"));
    let but_all: String = but_one.collect();
    assert_eq!(missing(&format!("all{but_all}")), Vec::<&str>::new());
    assert_eq!(missing("all,-md5:none")[lacking.len()..], ["-md5:none"]);
}

/// The kernels of this machine's architecture and what each needs, for readers of the output.
#[test]
fn every_family_has_a_portable_kernel_first() {
    for family in hashlane_engine::Family::ALL {
        let first = Kernel::of(family).next();
        assert_eq!(first, Some(Kernel::portable(family)));
        assert_eq!(Kernel::portable(family).name(), "portable");
        assert!(Kernel::portable(family).is_available());
    }
}
