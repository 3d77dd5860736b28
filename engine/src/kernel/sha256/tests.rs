//! The kernels that are ordered by hand, against sha2.

use crate::kernel::testing::check;

fn oracle(state: &mut [u32; 8], block: &[u8; 64]) {
    sha2::block_api::compress256(state, std::slice::from_ref(block));
}

#[cfg(target_arch = "aarch64")]
#[test]
fn arm() {
    use super::arm::{
        hashlane_kernel_sha256_arm_sha2_x1, hashlane_kernel_sha256_arm_sha2_x2,
        hashlane_kernel_sha256_arm_sha2_x4,
    };
    if !std::arch::is_aarch64_feature_detected!("sha2") {
        return;
    }
    // SAFETY: kernels of so many lanes, and the CPU has their instructions.
    unsafe {
        check::<_, 1, 64>(hashlane_kernel_sha256_arm_sha2_x1, oracle);
        check::<_, 2, 64>(hashlane_kernel_sha256_arm_sha2_x2, oracle);
        check::<_, 4, 64>(hashlane_kernel_sha256_arm_sha2_x4, oracle);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::array;

    use rand::{Rng, SeedableRng, rngs::SmallRng};

    use super::{
        super::{
            shani::hashlane_kernel_sha256_shani_x1,
            shani_avx512::{
                hashlane_kernel_sha256_shani_avx512_x4, hashlane_kernel_sha256_shani_avx512_x8,
            },
            shani_interleaved::{hashlane_kernel_sha256_shani_x2, hashlane_kernel_sha256_shani_x4},
        },
        check, oracle,
    };
    use crate::kernel::{LANES_MAX, call::Pieces};

    fn has_sha() -> bool {
        is_x86_feature_detected!("sha")
            && is_x86_feature_detected!("sse4.1")
            && is_x86_feature_detected!("ssse3")
    }

    #[test]
    fn shani() {
        if has_sha() {
            // SAFETY: a kernel of one lane, and the CPU has its instructions.
            unsafe { check::<_, 1, 64>(hashlane_kernel_sha256_shani_x1, oracle) };
        }
    }

    #[test]
    fn shani_interleaved() {
        if has_sha() && is_x86_feature_detected!("avx") {
            // SAFETY: kernels of so many lanes, and the CPU has their instructions.
            unsafe {
                check::<_, 2, 64>(hashlane_kernel_sha256_shani_x2, oracle);
                check::<_, 4, 64>(hashlane_kernel_sha256_shani_x4, oracle);
            }
        }
    }

    /// More lanes than a chain has, so that what it must leave alone shows.
    #[repr(C, align(64))]
    #[derive(Clone)]
    struct States([[u32; 8]; LANES_MAX + 8]);

    /// A lane's blocks in up to three places; each ends where its buffer does.
    struct Lane {
        blocks: Vec<[u8; 64]>,
        first: Vec<[u8; 64]>,
        rest: Vec<[u8; 64]>,
        last: Vec<[u8; 64]>,
    }

    impl Lane {
        fn new(random: &mut SmallRng, count: usize) -> Self {
            let blocks: Vec<[u8; 64]> = (0..count).map(|_| random.random()).collect();
            let first = blocks[..1].to_vec();
            let (mut rest, mut last) = (Vec::new(), Vec::new());
            if count > 1 {
                rest = blocks[1..count - 1].to_vec();
                last = blocks[count - 1..].to_vec();
            }
            Self {
                blocks,
                first,
                rest,
                last,
            }
        }
    }

    /// Chains of all lengths and numbers of blocks, every block in a place of its own.
    ///
    /// # Safety
    /// `entry` is a kernel of `N` lanes that chains, and the CPU can run it.
    unsafe fn check_chain<const N: usize>(entry: unsafe fn(*mut [u32; 8], &Pieces)) {
        let mut random = SmallRng::seed_from_u64(N as u64);
        for round in 0..400 {
            let segments = if round < 200 {
                random.random_range(1..=4.min(LANES_MAX / N))
            } else {
                random.random_range(1..=LANES_MAX / N)
            };
            let mut pieces = Pieces {
                first: [std::ptr::null(); LANES_MAX],
                rest: [std::ptr::null(); LANES_MAX],
                last: [std::ptr::null(); LANES_MAX],
                bytes: [0; LANES_MAX + 1],
            };
            let mut lanes: Vec<Lane> = Vec::new();
            for segment in 0..segments {
                let blocks = if random.random() {
                    random.random_range(1..=3)
                } else {
                    random.random_range(1..=17)
                };
                pieces.bytes[segment] = blocks * 64;
                for _ in 0..N {
                    let lane = Lane::new(&mut random, blocks);
                    let i = lanes.len();
                    pieces.first[i] = lane.first.as_ptr().cast();
                    if blocks > 2 {
                        pieces.rest[i] = lane.rest.as_ptr().cast::<u8>().wrapping_sub(64);
                    }
                    if blocks > 1 {
                        let before = (blocks - 1) * 64;
                        pieces.last[i] = lane.last.as_ptr().cast::<u8>().wrapping_sub(before);
                    }
                    lanes.push(lane);
                }
            }
            let mut states = States(array::from_fn(|_| random.random()));
            let mut expected = states.clone();
            // SAFETY: the CPU can run it; the states are aligned and more than the chain's lanes;
            // the blocks lie where `pieces` says; a 0 is behind the last segment.
            unsafe { entry(states.0.as_mut_ptr(), &pieces) };
            for (state, lane) in expected.0.iter_mut().zip(&lanes) {
                sha2::block_api::compress256(state, &lane.blocks);
            }
            for (lane, (state, expected)) in states.0.iter().zip(&expected.0).enumerate() {
                assert_eq!(
                    state,
                    expected,
                    "lane {lane} of {:?}",
                    &pieces.bytes[..segments]
                );
            }
        }
    }

    #[test]
    fn shani_avx512() {
        if has_sha()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
        {
            // SAFETY: kernels of so many lanes, and the CPU has their instructions.
            unsafe {
                check_chain::<4>(hashlane_kernel_sha256_shani_avx512_x4);
                check_chain::<8>(hashlane_kernel_sha256_shani_avx512_x8);
            }
        }
    }
}
