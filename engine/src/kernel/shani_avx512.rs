//! Rounds by the SHA extensions, message schedules by AVX-512: four or eight
//! streams at once.
//!
//! `sha256rnds2` starts every cycle and answers after four, so four streams
//! keep its unit busy: 32 cycles a block. What holds [`super::shani`] back is
//! the schedule, which the extensions do in single file (`sha256msg2` is four
//! operations). But the schedule of a block does not depend on the chaining
//! value (Gueron and Krasnov, "Parallelizing message schedules to accelerate the
//! computations of hash functions", 2012), so here the schedules of eight
//! blocks are computed at once, one per column of 256-bit registers, while the
//! SHA unit does the rounds of the eight blocks before them:
//!
//! ```text
//! columns (blocks)                 0    1    2    3    4    5    6    7
//! shani_avx512_x8: lane            0    1    2    3    4    5    6    7
//! shani_avx512_x4: lane, block     0,0  1,0  0,1  1,1  2,0  3,0  2,1  3,1
//!
//!                                  vector units              SHA unit
//! before the loop                  W+K of eight blocks
//! loop, two passes per turn        W+K of the next eight     rounds of four blocks each
//! after the loop                                             rounds of the last eight
//! ```
//!
//! W+K of rounds 2p and 2p+1 lie side by side, as `sha256rnds2` wants them, in
//! a row of 64 bytes per p. Unpacking leaves the columns of a row in the order
//! 0 1 4 5 2 3 6 7; the first pass takes the first four, the second the others.
//!
//! Registers:
//!
//! ```text
//! xmm0        W+K of two rounds of one stream (implicit in sha256rnds2)
//! xmm1-8      the two halves of the state, ABEF and CDGH, of four streams; they
//!             change places every two rounds
//! ymm9-15     scratch of the schedule
//! ymm16-31    W[t mod 16] of eight columns
//! rdi states   rsi the columns' inputs in this turn   rdx end   r10 K   r11 byte swap
//! r8, r9 offsets of the blocks to load, of the first and second pass
//! r12 rows to read   r13 rows to write   rax, rcx scratch
//! r15, r14 inputs in the turns between, and in the last
//! ```
//!
//! All but `sha256rnds2` is in VEX or EVEX form: the old form of `movq` waits
//! for the register's former value, which costs almost half of the speed.

use std::{arch::asm, mem::MaybeUninit};

use super::{BLOCK_BYTES, LANES_MAX, Pieces, avx512::SWAP, sha256::K, shani::WORDS};

/// What the instruction stream keeps in memory.
#[repr(C, align(64))]
struct Scratch {
    /// W+K of eight blocks by pair of rounds, for this turn and for the next.
    rows: [[[u32; 16]; 32]; 2],
    /// States in the order of the rows, words in the order of [`WORDS`].
    states: [[u32; 8]; 8],
}

/// The inputs of the eight columns in the first turn, in those between, and in
/// the last if it is not the first.
struct Turns {
    first: [*const u8; 8],
    rest: [*const u8; 8],
    last: [*const u8; 8],
}

/// Two blocks of four lanes in a turn. Where there is no second block, the first
/// is loaded for it.
#[inline(always)]
fn two_blocks(pieces: &Pieces, blocks: usize) -> Turns {
    let of = |lanes: &[*const u8; LANES_MAX]| [lanes[0], lanes[1], lanes[2], lanes[3]];
    let columns =
        |a: [*const u8; 4], b: [*const u8; 4]| [a[0], a[1], b[0], b[1], a[2], a[3], b[2], b[3]];
    let (first, rest, last) = (of(&pieces.first), of(&pieces.rest), of(&pieces.last));
    let second = match blocks {
        1 => first,
        2 => last,
        _ => rest,
    };
    Turns {
        first: columns(first, second),
        rest: columns(rest, rest),
        last: columns(if blocks.is_multiple_of(2) { rest } else { last }, last),
    }
}

/// One block of eight lanes in a turn: columns are lanes.
#[inline(always)]
const fn one_block(pieces: &Pieces, _: usize) -> &Pieces {
    pieces
}

macro_rules! entry {
    (
        $(#[$doc:meta])*
        $name:ident, lanes: $lanes:literal, turns: $turns:ident,
        lane_of_state: $states:expr, stride: $stride:literal, second: $second:literal, states: $at:literal
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The contract of [`super::Entry::Pieces`]; the CPU has SHA and AVX-512 F, BW and VL.
        #[inline(never)]
        #[target_feature(enable = "sha,avx512f,avx512bw,avx512vl")]
        pub(super) unsafe fn $name(state: *mut u32, pieces: &Pieces, blocks: usize) {
            const LANE_OF_STATE: [usize; $lanes] = $states;
            let mut scratch = MaybeUninit::<Scratch>::uninit();
            let scratch = scratch.as_mut_ptr();
            // SAFETY: lanes are below `N`; the loads are of the columns' blocks
            // where `pieces` has them, at offsets below `blocks * 64` (a
            // second pass that has no block
            // loads the first's), of what was stored to `scratch` and of two
            // statics; the stores are to `scratch`, aligned by type, and to the
            // entry's columns. Every register written is declared.
            unsafe {
                let turns = $turns(pieces, blocks);
                let states = &raw mut (*scratch).states;
                for (slot, lane) in LANE_OF_STATE.into_iter().enumerate() {
                    for (at, word) in WORDS.into_iter().enumerate() {
                        (*states)[slot][at] = *state.add(word * LANES_MAX + lane);
                    }
                }
                asm!(
                    r"
.altmacro
// Two rounds of one stream. x and y are its ABEF and CDGH and change places.
.macro hl_rounds pair, slot, x, y
    vmovq xmm0, qword ptr [r12 + 64*(\pair) + 8*(\slot)]
  .if (\pair) & 1
    sha256rnds2 xmm\x, xmm\y
  .else
    sha256rnds2 xmm\y, xmm\x
  .endif
.endm
// Step n of 64: two rounds of the four streams of the pass n / 32.
.macro hl_rounds_step n
    hl_rounds %((\n)&31), %((\n)/32*4 + 0), 1, 2
    hl_rounds %((\n)&31), %((\n)/32*4 + 1), 3, 4
    hl_rounds %((\n)&31), %((\n)/32*4 + 2), 5, 6
    hl_rounds %((\n)&31), %((\n)/32*4 + 3), 7, 8
  .if \n == 31
    hl_add_states 0
    .if {states} != 0
        hl_load_states {states}
    .endif
  .elseif \n == 63
    hl_add_states {states}
  .endif
.endm
.macro hl_load_states at
    .irp i, 1,2,3,4,5,6,7,8
        vmovdqa xmm\i, [rdi + 16*(\i - 1) + \at]
    .endr
.endm
.macro hl_add_states at
    .irp i, 1,2,3,4,5,6,7,8
        vpaddd xmm\i, xmm\i, [rdi + 16*(\i - 1) + \at]
        vmovdqa [rdi + 16*(\i - 1) + \at], xmm\i
    .endr
.endm
// One of the 816 vector instructions. Where the rounds run beside them, a step
// of the rounds stands after every twelfth or thirteenth.
.macro hl_v instruction:vararg
    \instruction
    .set .Lhl_due, .Lhl_due + 64
    .if .Lhl_due >= 816
        .set .Lhl_due, .Lhl_due - 816
        .if .Lhl_beside
            hl_rounds_step %.Lhl_n
        .endif
        .set .Lhl_n, .Lhl_n + 1
    .endif
.endm
// Four words of a column below four words of the column four further on.
.macro hl_row to, column, words, offset
    mov rax, [rsi + 8*(\column)]
    mov rcx, [rsi + 8*(\column) + 32]
    vmovdqu64 xmm\to, [rax + \offset + 16*(\words)]
    hl_v vinserti32x4 ymm\to, ymm\to, [rcx + \offset + 16*(\words)], 1
.endm
// The same four words of eight columns.
.macro hl_four r0, r1, r2, r3, q
    hl_row \r0, 0, \q, r8
    hl_row \r1, 1, \q, r8
    hl_row \r2, 2, \q, r9
    hl_row \r3, 3, \q, r9
    hl_v vpunpckldq ymm9, ymm\r0, ymm\r1
    hl_v vpunpckhdq ymm10, ymm\r0, ymm\r1
    hl_v vpunpckldq ymm11, ymm\r2, ymm\r3
    hl_v vpunpckhdq ymm12, ymm\r2, ymm\r3
    hl_v vpunpcklqdq ymm\r0, ymm9, ymm11
    hl_v vpunpckhqdq ymm\r1, ymm9, ymm11
    hl_v vpunpcklqdq ymm\r2, ymm10, ymm12
    hl_v vpunpckhqdq ymm\r3, ymm10, ymm12
    hl_v vpshufb ymm\r0, ymm\r0, [r11]
    hl_v vpshufb ymm\r1, ymm\r1, [r11]
    hl_v vpshufb ymm\r2, ymm\r2, [r11]
    hl_v vpshufb ymm\r3, ymm\r3, [r11]
    hl_store_row %(2*\q), \r0, \r1
    hl_store_row %(2*\q + 1), \r2, \r3
.endm
// Row p: W+K of rounds 2p and 2p+1.
.macro hl_store_row p, w0, w1
    hl_v vpaddd ymm14, ymm\w0, dword ptr [r10 + 8*(\p)]{{1to8}}
    hl_v vpaddd ymm15, ymm\w1, dword ptr [r10 + 8*(\p) + 4]{{1to8}}
    hl_v vpunpckldq ymm13, ymm14, ymm15
    vmovdqa [r13 + 64*(\p)], ymm13
    hl_v vpunpckhdq ymm13, ymm14, ymm15
    vmovdqa [r13 + 64*(\p) + 32], ymm13
.endm
// W[t] = W[t-16] + sigma0(W[t-15]) + W[t-7] + sigma1(W[t-2]) in place of W[t-16],
// for two words in turn. Two xors, since vpternlogd takes a register port that
// sha256rnds2 wants (measured on Zen 4: 372 cycles instead of 335).
.macro hl_both op, d, d2, a, a2, b, b2
    hl_v \op ymm\d, ymm\a, \b
    hl_v \op ymm\d2, ymm\a2, \b2
.endm
.macro hl_schedule w, x, w1, x1, w9, x9, w14, x14
    hl_both vprord, 9, 12, \w1, \x1, 7, 7
    hl_both vprord, 10, 13, \w1, \x1, 18, 18
    hl_both vpsrld, 11, 14, \w1, \x1, 3, 3
    hl_both vpaddd, \w, \x, \w, \x, ymm\w9, ymm\x9
    hl_both vpxord, 9, 12, 9, 12, ymm10, ymm13
    hl_both vprord, 10, 13, \w14, \x14, 17, 17
    hl_both vpxord, 9, 12, 9, 12, ymm11, ymm14
    hl_both vprord, 11, 14, \w14, \x14, 19, 19
    hl_both vpaddd, \w, \x, \w, \x, ymm9, ymm12
    hl_both vpsrld, 9, 12, \w14, \x14, 10, 10
    hl_both vpxord, 10, 13, 10, 13, ymm11, ymm14
    hl_both vpxord, 10, 13, 10, 13, ymm9, ymm12
    hl_both vpaddd, \w, \x, \w, \x, ymm10, ymm13
.endm
.macro hl_words t
    hl_schedule %(16+((\t)&15)), %(17+((\t)&15)), %(16+((\t+1)&15)), %(16+((\t+2)&15)), %(16+((\t+9)&15)), %(16+((\t+10)&15)), %(16+((\t+14)&15)), %(16+((\t+15)&15))
    hl_store_row %((\t)/2), %(16+((\t)&15)), %(17+((\t)&15))
.endm
// W+K of eight blocks; beside them, if so, the rounds of the eight before.
.macro hl_schedules beside
    .set .Lhl_beside, \beside
    .set .Lhl_due, 0
    .set .Lhl_n, 0
    .irp q, 0,1,2,3
        hl_four %(16+4*\q), %(17+4*\q), %(18+4*\q), %(19+4*\q), \q
    .endr
    .set .Lhl_t, 16
    .rept 24
        hl_words %.Lhl_t
        .set .Lhl_t, .Lhl_t + 2
    .endr
.endm
    xor r8d, r8d
    mov r9d, {second}
    cmp r9, rdx
    cmovae r9, r8
    hl_schedules 0
    .if .Lhl_n != 64 || .Lhl_due != 0
        .error    // the number of vector instructions above is wrong
    .endif
    hl_load_states 0
    mov rsi, r15
    jmp 3f
2:
  .if {states} != 0
    hl_load_states 0
  .endif
    hl_schedules 1
3:
    xchg r12, r13
    add r8, {stride}
    lea r9, [r8 + {second}]
    cmp r9, rdx
    cmovae r9, r8
    lea rax, [r8 + {stride}]
    cmp rax, rdx
    cmovae rsi, r14
    cmp r8, rdx
    jb 2b
  .if {states} != 0
    hl_load_states 0
  .endif
    .set .Lhl_n, 0
    .rept 64
        .if .Lhl_n == 32 && {second} != 0
            test dl, {second}
            jnz 4f
        .endif
        hl_rounds_step %.Lhl_n
        .set .Lhl_n, .Lhl_n + 1
    .endr
4:
    vzeroupper
// Macros live on in the object file's scope otherwise.
.irp m, hl_rounds, hl_rounds_step, hl_load_states, hl_add_states, hl_v, hl_row, hl_four, hl_store_row, hl_schedule, hl_words, hl_both, hl_schedules
    .purgem \m
.endr
.noaltmacro
                    ",
                    stride = const $stride,
                    second = const $second,
                    states = const $at,
                    in("rdi") states,
                    inout("rsi") turns.first.as_ptr() => _,
                    in("r15") turns.rest.as_ptr(),
                    in("r14") turns.last.as_ptr(),
                    in("rdx") blocks * BLOCK_BYTES,
                    in("r10") K.0.as_ptr(),
                    in("r11") SWAP.0.as_ptr(),
                    inout("r12") &raw mut (*scratch).rows[0] => _,
                    inout("r13") &raw mut (*scratch).rows[1] => _,
                    out("rax") _, out("rcx") _, out("r8") _, out("r9") _,
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _,
                out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
                out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _,
                out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _,
                out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
                    options(nostack),
                );
                for (slot, lane) in LANE_OF_STATE.into_iter().enumerate() {
                    for (at, word) in WORDS.into_iter().enumerate() {
                        *state.add(word * LANES_MAX + lane) = (*states)[slot][at];
                    }
                }
            }
        }
    };
}

entry!(
    /// Four streams, two blocks of each in a turn.
    hashlane_kernel_shani_avx512_x4,
    lanes: 4,
    turns: two_blocks,
    lane_of_state: [0, 1, 2, 3],
    stride: 128,
    second: 64,
    states: 0
);
entry!(
    /// Eight streams, one block of each in a turn.
    hashlane_kernel_shani_avx512_x8,
    lanes: 8,
    turns: one_block,
    lane_of_state: [0, 1, 4, 5, 2, 3, 6, 7],
    stride: 64,
    second: 0,
    states: 128
);
