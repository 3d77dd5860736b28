//! The SHA extensions of x86: two or four streams interleaved by hand.
//!
//! `sha256rnds2` starts every cycle and has a latency of four, so one stream uses a quarter of its
//! unit, and alternating instructions of several streams fill it. The obstacles are the schedule
//! (`sha256msg2` alone is four operations) and the sixteen registers, which cannot hold four
//! streams. So the schedule of the next block runs ahead, interleaved with the rounds of this one.
//! Its words are in memory as `W+K`, in the order in which the rounds read them:
//!
//! ```text
//! before the loop    W+K of the first block
//! loop               W+K of the next block, interleaved with the rounds of this one
//! after the loop     rounds of the last block
//! ```
//!
//! Registers:
//!
//! ```text
//! xmm0        W+K of two rounds of one stream (implicit in sha256rnds2)
//! xmm1-8      the two halves of the state, ABEF and CDGH, of each stream; they
//!             change places every two rounds
//! xmm9-12     W[t-4..t] of each stream
//! xmm13-15    scratch of the schedule
//! rdi states   rsi inputs   rdx end   r8 offset of the block to load
//! r10 K   r11 byte swap   r9 words   r12 W+K to read   r13 W+K to write   rax scratch
//! ```
//!
//! All instructions but the SHA instructions are in VEX form: the old form of a load waits for the
//! register's previous value if its upper half is in use.

use std::{arch::asm, arch::x86_64::__m128i, mem::MaybeUninit};

use super::{
    K,
    shani::{SWAP, give, take},
};

const BLOCK_BYTES: usize = 64;

macro_rules! entry {
    ($(#[$doc:meta])* $name:ident, $lanes:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has SHA and AVX;
        /// - `states` is readable and writable for the streams' chaining values;
        /// - `inputs` points at as many pointers, each readable for `blocks * 64` bytes;
        /// - `blocks` is at least 1.
        #[inline(never)]
        #[target_feature(enable = "sha,avx")]
        pub(crate) unsafe fn $name(
            states: *mut [u32; 8],
            inputs: *const *const u8,
            blocks: usize,
        ) {
            /// What the instruction stream keeps in memory.
            #[repr(C, align(64))]
            struct Scratch {
                /// W+K by four rounds and stream, of this block and of the next.
                rows: [[[[u32; 4]; $lanes]; 16]; 2],
                /// The last sixteen words of each stream's schedule.
                words: [[[u32; 4]; $lanes]; 4],
                /// Each stream's ABEF and CDGH.
                halves: [[__m128i; 2]; $lanes],
            }
            let mut scratch = MaybeUninit::<Scratch>::uninit();
            let scratch = scratch.as_mut_ptr();
            // SAFETY: lanes are below `N`; the loads are of the inputs at offsets
            // below `blocks * 64`, of what was stored to `scratch` and of two
            // statics; the stores are to `scratch`, aligned by type, and to the
            // entry's states. Every register written is declared.
            unsafe {
                let halves = &raw mut (*scratch).halves;
                for lane in 0..$lanes {
                    (*halves)[lane] = take(states.add(lane));
                }
                asm!(
                    r"
.altmacro
// Two rounds of one stream. x and y are its ABEF and CDGH and change places.
.macro hl_rounds pair, lane, x, y
    vmovq xmm0, qword ptr [r12 + 16*{lanes}*((\pair)/2) + 16*(\lane) + 8*((\pair)&1)]
  .if (\pair) & 1
    sha256rnds2 xmm\x, xmm\y
  .else
    sha256rnds2 xmm\y, xmm\x
  .endif
.endm
// Step n of 32: two rounds of every stream.
.macro hl_rounds_step n
    hl_rounds \n, 0, 1, 2
    hl_rounds \n, 1, 3, 4
  .if {lanes} == 4
    hl_rounds \n, 2, 5, 6
    hl_rounds \n, 3, 7, 8
  .endif
  .if \n == 31
    hl_add_states
  .endif
.endm
.macro hl_load_states
    .set .Lhl_i, 0
    .rept 2*{lanes}
        hl_load_state %(.Lhl_i + 1), %(16*.Lhl_i)
        .set .Lhl_i, .Lhl_i + 1
    .endr
.endm
.macro hl_load_state r, at
    vmovdqa xmm\r, [rdi + \at]
.endm
.macro hl_add_states
    .set .Lhl_i, 0
    .rept 2*{lanes}
        hl_add_state %(.Lhl_i + 1), %(16*.Lhl_i)
        .set .Lhl_i, .Lhl_i + 1
    .endr
.endm
.macro hl_add_state r, at
    vpaddd xmm\r, xmm\r, [rdi + \at]
    vmovdqa [rdi + \at], xmm\r
.endm
// One of the 68 instructions of each stream's schedule. Where the rounds run
// beside them, a step of the rounds stands after every so many.
.macro hl_v instruction:vararg
    \instruction
    .set .Lhl_due, .Lhl_due + 32
    .if .Lhl_due >= 68*{lanes}
        .set .Lhl_due, .Lhl_due - 68*{lanes}
        .if .Lhl_beside
            hl_rounds_step %.Lhl_n
        .endif
        .set .Lhl_n, .Lhl_n + 1
    .endif
.endm
// W+K of rounds 4q to 4q+3, ready for the rounds.
.macro hl_store_row q, lane, w, t
    hl_v vpaddd xmm\t, xmm\w, [r10 + 16*(\q)]
    vmovdqa [r13 + 16*{lanes}*(\q) + 16*(\lane)], xmm\t
.endm
// Words 4q to 4q+3 of the block.
.macro hl_first q, lane, w, t
    mov rax, [rsi + 8*(\lane)]
    vmovdqu xmm\w, [rax + r8 + 16*(\q)]
    hl_v vpshufb xmm\w, xmm\w, [r11]
    vmovdqa [r9 + 16*{lanes}*(\q) + 16*(\lane)], xmm\w
    hl_store_row \q, \lane, \w, \t
.endm
// The four words after those in w. With q counting fours,
// W[q] = msg2(msg1(W[q-4], W[q-3]) + the four words from the second of W[q-2] on, W[q-1]).
// Two streams in turn, with both msg2 side by side: they come from microcode.
.macro hl_sum q, lane, w, t
    vmovdqa xmm\t, [r9 + 16*{lanes}*((\q)&3) + 16*(\lane)]
    hl_v sha256msg1 xmm\t, [r9 + 16*{lanes}*((\q+1)&3) + 16*(\lane)]
    hl_v vpalignr xmm15, xmm\w, [r9 + 16*{lanes}*((\q+2)&3) + 16*(\lane)], 4
    hl_v vpaddd xmm\t, xmm\t, xmm15
.endm
.macro hl_keep q, lane, w, t
    vmovdqa [r9 + 16*{lanes}*((\q)&3) + 16*(\lane)], xmm\t
    vmovdqa xmm\w, xmm\t
    hl_store_row \q, \lane, \w, 15
.endm
.macro hl_next_two q, lane, w, x
    hl_sum \q, \lane, \w, 13
    hl_sum \q, %(\lane+1), \x, 14
    hl_v sha256msg2 xmm13, xmm\w
    hl_v sha256msg2 xmm14, xmm\x
    hl_keep \q, \lane, \w, 13
    hl_keep \q, %(\lane+1), \x, 14
.endm
.macro hl_first_two q, lane, w, x
    hl_first \q, \lane, \w, 13
    hl_first \q, %(\lane+1), \x, 14
.endm
.macro hl_every op, q
    \op \q, 0, 9, 10
  .if {lanes} == 4
    \op \q, 2, 11, 12
  .endif
.endm
// W+K of a block of every stream; beside it, if so, the rounds of the block before.
.macro hl_schedule beside
    .set .Lhl_beside, \beside
    .set .Lhl_due, 0
    .set .Lhl_n, 0
    .irp q, 0,1,2,3
        hl_every hl_first_two, \q
    .endr
    .irp q, 4,5,6,7,8,9,10,11,12,13,14,15
        hl_every hl_next_two, \q
    .endr
    .if .Lhl_n != 32 || .Lhl_due != 0
        .error    // the number of instructions above is wrong
    .endif
.endm
    xor r8d, r8d
    hl_load_states
    hl_schedule 0
    jmp 3f
2:
    hl_schedule 1
3:
    xchg r12, r13
    add r8, 64
    cmp r8, rdx
    jb 2b
    .set .Lhl_n, 0
    .rept 32
        hl_rounds_step %.Lhl_n
        .set .Lhl_n, .Lhl_n + 1
    .endr
// Macros live on in the object file's scope otherwise.
.irp m, hl_rounds, hl_rounds_step, hl_load_states, hl_load_state, hl_add_states, hl_add_state, hl_v, hl_store_row, hl_first, hl_sum, hl_keep, hl_next_two, hl_first_two, hl_every, hl_schedule
    .purgem \m
.endr
.noaltmacro
                    ",
                    lanes = const $lanes,
                    in("rdi") halves,
                    in("rsi") inputs,
                    in("rdx") blocks * BLOCK_BYTES,
                    in("r9") &raw mut (*scratch).words,
                    in("r10") K.0.as_ptr(),
                    in("r11") SWAP.0.as_ptr(),
                    inout("r12") &raw mut (*scratch).rows[0] => _,
                    inout("r13") &raw mut (*scratch).rows[1] => _,
                    out("rax") _, out("r8") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
                for lane in 0..$lanes {
                    give(states.add(lane), (*halves)[lane]);
                }
            }
        }
    };
}

entry!(
    /// Two streams interleaved.
    hashlane_kernel_sha256_shani_x2,
    2
);
entry!(
    /// Four streams interleaved.
    hashlane_kernel_sha256_shani_x4,
    4
);
