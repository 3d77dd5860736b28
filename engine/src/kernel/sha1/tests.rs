//! The kernels by extensions, against sha1.

use crate::kernel::testing::check;

/// The words behind the fifth stay as they are.
fn oracle(state: &mut [u32; 8], block: &[u8; 64]) {
    let five = state.first_chunk_mut().expect("eight words hold five");
    sha1::block_api::compress(five, std::slice::from_ref(block));
}

#[cfg(target_arch = "aarch64")]
#[test]
fn arm() {
    use super::arm::{hashlane_kernel_sha1_arm_x1, hashlane_kernel_sha1_arm_x2};
    if !std::arch::is_aarch64_feature_detected!("sha2") {
        return;
    }
    // SAFETY: kernels of so many lanes, and the CPU has their instructions.
    unsafe {
        check::<_, 1, 64>(hashlane_kernel_sha1_arm_x1, oracle);
        check::<_, 2, 64>(hashlane_kernel_sha1_arm_x2, oracle);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn shani() {
    use super::shani::{
        hashlane_kernel_sha1_shani_x1, hashlane_kernel_sha1_shani_x2, hashlane_kernel_sha1_shani_x4,
    };
    if !is_x86_feature_detected!("sha")
        || !is_x86_feature_detected!("sse4.1")
        || !is_x86_feature_detected!("ssse3")
    {
        return;
    }
    // SAFETY: a kernel of one lane, and the CPU has its instructions.
    unsafe { check::<_, 1, 64>(hashlane_kernel_sha1_shani_x1, oracle) };
    if is_x86_feature_detected!("avx") {
        // SAFETY: kernels of so many lanes, and the CPU has their instructions.
        unsafe {
            check::<_, 2, 64>(hashlane_kernel_sha1_shani_x2, oracle);
            check::<_, 4, 64>(hashlane_kernel_sha1_shani_x4, oracle);
        }
    }
}
