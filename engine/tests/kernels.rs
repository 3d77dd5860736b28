//! Tests run on the kernels that are available, so a CPU that is not detected
//! as it should be leaves them green and idle. Whoever knows what the CPU has says
//! so with `HASHLANE_TEST_KERNELS`, names of kernels separated by commas.

use hashlane_engine::Kernel;

/// Those of `wanted` that are not available here, or no kernels at all.
fn missing(wanted: &str) -> Vec<&str> {
    let is_available = |name: &str| name.parse().is_ok_and(Kernel::is_available);
    wanted
        .split(',')
        .filter(|name| !is_available(name))
        .collect()
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
    assert_eq!(missing("portable"), Vec::<&str>::new());
    assert_eq!(missing("portable,avx1024x64,"), ["avx1024x64", ""]);
    let other = if cfg!(target_arch = "aarch64") {
        "avx2x8"
    } else {
        "arm_sha2_x2"
    };
    assert_eq!(missing(&format!("{other},portable")), [other]);
}
