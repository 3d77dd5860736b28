//! Rounds with the SHA extensions and message schedules with AVX-512: four or eight streams at
//! once, or as many lanes to which one stream's words are dealt.
//!
//! `sha256rnds2` starts every cycle and has a latency of four, so four streams keep its unit busy:
//! 32 cycles a block. The bottleneck of [`super::shani`] is the schedule, which the extensions
//! compute one stream at a time (`sha256msg2` is four operations). But a block's schedule does not
//! depend on the chaining value (Gueron and Krasnov, "Parallelizing message schedules to accelerate
//! the computations of hash functions", 2012). So here the schedules of eight blocks are computed
//! at once, one per column of 256-bit registers, while the SHA unit does the rounds of the previous
//! eight blocks, four in each of two passes:
//!
//! ```text
//!                       first pass           second pass
//! shani_avx512_x8       lanes 0 to 3         lanes 4 to 7, the same block
//! shani_avx512_x4       lanes 0 to 3         the same lanes, the next block
//!
//!                       vector units         SHA unit
//! before the loop       W+K of a turn
//! a turn of the loop    W+K of the next      rounds of both passes
//! after the loop                             rounds of the last turn
//! ```
//!
//! A call takes a chain of segments: lanes, each with a state at any address, and a number of
//! blocks. A state may continue in another lane of the next segment. The rounds of a segment's last
//! turn run with the schedules of the next segment's first, so a unit idles only at the ends of the
//! chain:
//!
//! ```text
//! schedules of          A0    A1    A2    B0    C0    C1         segments A, B and C
//! rounds of                   A0    A1    A2    B0    C0    C1
//! ```
//!
//! If `shani_avx512_x4` has an odd number of blocks, the second pass of a segment's last turn has
//! none. It repeats the first pass's blocks, because the schedules of another segment may be
//! interleaved with its rounds, but it does not use the lanes' states.
//!
//! W+K of rounds 2p and 2p+1 are adjacent, as `sha256rnds2` requires, in a row of 64 bytes per p:
//! four lanes of the first pass, then of the second.
//!
//! On Zen 4 `sha256rnds2` takes only one slot of one of the four vector pipes, so a turn of eight
//! blocks needs at least (816 + 256 + 16) / 4 = 272 cycles; it takes 321.
//!
//! Registers:
//!
//! ```text
//! xmm0        W+K of two rounds of one stream (implicit in sha256rnds2)
//! xmm1-8      the two halves of the state, ABEF and CDGH, of four streams; they
//!             change places every two rounds
//! ymm9-15     scratch of the schedule
//! ymm16-31    W[t mod 16] of eight columns: lanes 0, 1 of the first pass, of the second,
//!             lanes 2, 3 of the first pass, of the second
//! r10         K and the byte swap
//! rax, rcx    scratch
//!
//! the rounds of a turn:           first pass   second pass
//!   states, in `Scratch`          rdi          r11
//!   W+K to read                   r12          r12 + 32
//!
//! the schedules of the next:
//!   where the lanes' blocks lie   rsi          rdx
//!   offset of their blocks        r8           r9
//!   W+K to write                  r13          r13 + 32
//!   the segment, in `Pieces`      r14 pointers, r15 bytes
//! ```
//!
//! Dealt words lie in memory in the order of the schedule's registers, so their entries need
//! neither a transpose nor a pointer per lane: a register is loaded directly. They have one
//! segment. `rsi` (with four lanes, `rdx` for the second block) points to the next words, `r14` and
//! `r15` hold the stride and three times the stride, `r8` the number of turns left.
//!
//! All instructions but `sha256rnds2` are in VEX or EVEX form: the old form of `movq` waits for the
//! register's previous value, which costs almost half of the speed.
//!
//! Why a hybrid: it needs four ready lanes, not sixteen, so it also helps with few open streams. It
//! takes 654 cycles per KiB, the best AVX-512 kernel 885. The floor is 544, because `sha256rnds2`
//! shares a pipe with the rotations (docs/measurements.md, Kernels alone).

use std::{
    arch::asm,
    mem::{MaybeUninit, offset_of},
};

use super::{constants::K, shani::SWAP};
use crate::kernel::row::Pieces;

/// Constants behind one register: displacements of more than a byte would cost 2% of the speed
/// (measured on Zen 4).
#[repr(C, align(64))]
struct Constants {
    k: [u32; 64],
    swap: [u32; 8],
    /// For `vpermd`: ABEF and CDGH, lowest word first, of a..h.
    halves: [u32; 8],
}

static CONSTANTS: Constants = Constants {
    k: K.0,
    swap: [
        SWAP.0[0], SWAP.0[1], SWAP.0[2], SWAP.0[3], SWAP.0[0], SWAP.0[1], SWAP.0[2], SWAP.0[3],
    ],
    halves: [5, 4, 1, 0, 7, 6, 3, 2],
};

/// Memory of the instruction stream.
#[repr(C, align(64))]
struct Scratch {
    /// W+K of eight blocks by pair of rounds, for this turn and for the next.
    rows: [[[u32; 16]; 32]; 2],
    /// States of the two passes: each stream's ABEF and CDGH, lowest word first. With four lanes,
    /// the other entries serve a second pass without a block: the results of its rounds are added
    /// to their contents.
    halves: [[u32; 8]; 8],
    /// The addresses of the states, for lanes with dealt words.
    states: *mut [u32; 8],
}

/// The assembler macros that all entries share. `hl_load` and `hl_four`, which load the sixteen
/// words of a turn, differ between entries.
macro_rules! shared {
    () => {
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
    hl_rounds %((\n)&31), %((\n)/32*{pass} + 0), 1, 2
    hl_rounds %((\n)&31), %((\n)/32*{pass} + 1), 3, 4
    hl_rounds %((\n)&31), %((\n)/32*{pass} + {third}), 5, 6
    hl_rounds %((\n)&31), %((\n)/32*{pass} + {third} + 1), 7, 8
  .if \n == 31
    hl_add_states rdi
    .if {lanes} == 8
        hl_load_states r11
    .endif
  .elseif \n == 63
    hl_add_states r11
  .endif
.endm
.macro hl_load_states from
    .irp i, 1,2,3,4,5,6,7,8
        vmovdqa xmm\i, [\from + 16*(\i - 1)]
    .endr
.endm
.macro hl_add_states to
    .irp i, 1,2,3,4,5,6,7,8
        vpaddd xmm\i, xmm\i, [\to + 16*(\i - 1)]
        vmovdqa [\to + 16*(\i - 1)], xmm\i
    .endr
.endm
// The states of the segment whose rounds begin, to registers too if they begin at once.
.macro hl_take_states
    vmovdqa ymm9, [r10 + {halves}]
    .irp i, 0,1,2,3
        hl_take \i, %(2*\i + 1), %(2*\i + 2)
    .endr
  .if {lanes} == 8
    .irp i, 4,5,6,7
        hl_take \i, 10, 11
    .endr
  .endif
.endm
.macro hl_take place, x, y
    hl_state \place, 0
    vpermd ymm\x, ymm9, [rax]
    vmovdqa [rdi + 32*(\place)], ymm\x
  .if {lanes} == 4
    vextracti128 xmm\y, ymm\x, 1
  .endif
.endm
// rax: where the state is whose rounds have a place of the passes, of this segment or of the
// one before it.
.macro hl_state place, before
    .if {dealt} == 0
        mov rax, [r14 + {states} + 8*(\place) - 8*{lanes}*\before]
    .else
        mov rax, [rdi + {states}]
        // Eight dealt words lie in a register as they lie in memory, and the first pass has
        // the lower two of either half.
        .if {lanes} == 8
            add rax, 32*((\place)&1 | ((\place)&2)<<1 | ((\place)&4)>>1)
        .else
            add rax, 32*(\place)
        .endif
    .endif
.endm
// One store of all eight words: the next segment may take the state at once.
.macro hl_give place, x, y
    hl_state \place, 1
    vpshufd xmm9, \x, 0xb1
    vpshufd xmm10, \y, 0xb1
    vpunpckhqdq xmm11, xmm9, xmm10
    vpunpcklqdq xmm12, xmm9, xmm10
    vinserti128 ymm11, ymm11, xmm12, 1
    vmovdqu [rax], ymm11
.endm
// Those of the segment whose rounds are over: the schedules are at the next one.
.macro hl_give_states
    .set .Lhl_i, 0
    .rept {lanes}
        hl_give .Lhl_i, <[rdi + 32*.Lhl_i]>, <[rdi + 32*.Lhl_i + 16]>
        .set .Lhl_i, .Lhl_i + 1
    .endr
.endm
// The last segment's: some of them are in registers still.
.macro hl_give_last_states
  .if {lanes} == 8
    .irp i, 0,1,2,3
        hl_give \i, <[rdi + 32*\i]>, <[rdi + 32*\i + 16]>
    .endr
  .endif
    .irp i, 0,1,2,3
        hl_give_registers %(\i + {lanes} - 4), %(2*\i + 1), %(2*\i + 2)
    .endr
.endm
.macro hl_give_registers place, x, y
    hl_give \place, xmm\x, xmm\y
.endm
// One of {ops} vector instructions. Where the rounds run beside them, a step
// of the rounds stands after every twelfth or thirteenth.
.macro hl_v instruction:vararg
    \instruction
    .set .Lhl_due, .Lhl_due + 64
    .if .Lhl_due >= {ops}
        .set .Lhl_due, .Lhl_due - {ops}
        .if .Lhl_beside
            hl_rounds_step %.Lhl_n
        .endif
        .set .Lhl_n, .Lhl_n + 1
    .endif
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
// W[t] = W[t-16] + sigma0(W[t-15]) + W[t-7] + sigma1(W[t-2]) in place of W[t-16]: first
// all but sigma1. Two xors, since vpternlogd takes what sha256rnds2 wants too (measured on
// Zen 4: 372 cycles a turn instead of 335).
.macro hl_sigma0 w, w1, w9
    hl_v vprord ymm9, ymm\w1, 7
    hl_v vprord ymm10, ymm\w1, 18
    hl_v vpxord ymm9, ymm9, ymm10
    hl_v vpsrld ymm10, ymm\w1, 3
    hl_v vpaddd ymm\w, ymm\w, ymm\w9
    hl_v vpxord ymm9, ymm9, ymm10
    hl_v vpaddd ymm\w, ymm\w, ymm9
.endm
.macro hl_sigma1 w, w14
    hl_v vprord ymm11, ymm\w14, 17
    hl_v vprord ymm12, ymm\w14, 19
    hl_v vpxord ymm11, ymm11, ymm12
    hl_v vpsrld ymm12, ymm\w14, 10
    hl_v vpxord ymm11, ymm11, ymm12
    hl_v vpaddd ymm\w, ymm\w, ymm11
.endm
// For words t and t+1, the number of the first in .Lhl_t plus n.
.macro hl_two op, n
    hl_two_of \op, %(.Lhl_t + \n)
.endm
.macro hl_two_of op, t
    \op \t
.endm
.macro hl_begin_words t
    hl_sigma0 %(16+((\t)&15)), %(16+((\t+1)&15)), %(16+((\t+9)&15))
    hl_sigma0 %(17+((\t)&15)), %(16+((\t+2)&15)), %(16+((\t+10)&15))
.endm
.macro hl_end_words t
    hl_sigma1 %(16+((\t)&15)), %(16+((\t+14)&15))
    hl_sigma1 %(17+((\t)&15)), %(16+((\t+15)&15))
.endm
.macro hl_store_words t
    hl_store_row %((\t)/2), %(16+((\t)&15)), %(17+((\t)&15))
.endm
// W+K of eight blocks; beside them, if so, the rounds of the eight before.
.macro hl_schedules beside
    .set .Lhl_beside, \beside
    .set .Lhl_due, 0
    .set .Lhl_n, 0
    hl_load
    .irp q, 0,1,2,3
        hl_four %(16+4*\q), %(17+4*\q), %(18+4*\q), %(19+4*\q), \q
    .endr
    // Words are stored two steps after they are complete, and begun one step before, so
    // that nothing waits for what stands right before it (1.6% on Zen 4).
    hl_begin_words 16
    .set .Lhl_t, 16
    .rept 24
        .if .Lhl_t >= 20
            hl_two hl_store_words, -4
        .endif
        hl_two hl_end_words, 0
        .if .Lhl_t < 62
            hl_two hl_begin_words, 2
        .endif
        .set .Lhl_t, .Lhl_t + 2
    .endr
    hl_store_words 60
    hl_store_words 62
    .if .Lhl_n != 64 || .Lhl_due != 0
        .error    // the number of vector instructions is wrong
    .endif
.endm
"
    };
}

/// The end of [`shared`]: macros live on in the object file's scope otherwise.
macro_rules! purge {
    () => {
        r"
.irp m, hl_rounds, hl_rounds_step, hl_load_states, hl_add_states, hl_take_states, hl_take, hl_state
    .purgem \m
.endr
.irp m, hl_give, hl_give_states, hl_give_last_states
    .purgem \m
.endr
.irp m, hl_give_registers, hl_v, hl_store_row, hl_sigma0
    .purgem \m
.endr
.irp m, hl_sigma1, hl_two, hl_two_of, hl_begin_words, hl_end_words, hl_store_words, hl_schedules
    .purgem \m
.endr
.noaltmacro
"
    };
}

macro_rules! entry {
    (
        $(#[$doc:meta])*
        $name:ident, lanes: $lanes:literal
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has SHA and AVX-512 F, BW and VL;
        /// - `pieces` has one segment or more and a 0 behind the last, each of their blocks is
        ///   readable where it says, and each of their lanes' states readable and writable.
        #[inline(never)]
        #[target_feature(enable = "sha,avx512f,avx512bw,avx512vl")]
        pub(crate) unsafe fn $name(pieces: *const Pieces<u32>) {
            let mut scratch = MaybeUninit::<Scratch>::uninit();
            let scratch = scratch.as_mut_ptr();
            // SAFETY: the loads are of `pieces`, up to the 0 behind the last segment's bytes; of
            // the lanes' blocks where `pieces` has them, at offsets below those bytes (a second
            // pass that has no block loads the first's); of the segments' states; of a static; and
            // of what was stored to `scratch`, apart from states that no lane uses. The stores are
            // to `scratch`, which is aligned, and the states. Every register written is declared.
            unsafe {
                asm!(
                    shared!(),
                    r"
// The block of one lane of a pass below that of the lane two further on, by four words to
// a register.
.macro hl_lane first, lane, inputs, offset
    mov rax, [\inputs + 8*(\lane)]
    mov rcx, [\inputs + 8*(\lane) + 16]
    .irp q, 0,1,2,3
        hl_row %(\first + 4*\q), \q, \offset
    .endr
.endm
.macro hl_row to, words, offset
    vmovdqu64 xmm\to, [rax + \offset + 16*(\words)]
    hl_v vinserti32x4 ymm\to, ymm\to, [rcx + \offset + 16*(\words)], 1
.endm
.macro hl_load
    hl_lane 16, 0, rsi, r8
    hl_lane 17, 1, rsi, r8
    hl_lane 18, 0, rdx, r9
    hl_lane 19, 1, rdx, r9
.endm
// Four words of both passes from a register per two lanes to one per word.
.macro hl_four r0, r1, r2, r3, q
    hl_v vpunpckldq ymm9, ymm\r0, ymm\r1
    hl_v vpunpckhdq ymm10, ymm\r0, ymm\r1
    hl_v vpunpckldq ymm11, ymm\r2, ymm\r3
    hl_v vpunpckhdq ymm12, ymm\r2, ymm\r3
    hl_v vpunpcklqdq ymm\r0, ymm9, ymm11
    hl_v vpunpckhqdq ymm\r1, ymm9, ymm11
    hl_v vpunpcklqdq ymm\r2, ymm10, ymm12
    hl_v vpunpckhqdq ymm\r3, ymm10, ymm12
    hl_v vpshufb ymm\r0, ymm\r0, [r10 + {swap}]
    hl_v vpshufb ymm\r1, ymm\r1, [r10 + {swap}]
    hl_v vpshufb ymm\r2, ymm\r2, [r10 + {swap}]
    hl_v vpshufb ymm\r3, ymm\r3, [r10 + {swap}]
    hl_store_row %(2*\q), \r0, \r1
    hl_store_row %(2*\q + 1), \r2, \r3
.endm
// Where the block at an offset lies, if it is not the first.
.macro hl_inputs to, offset
    lea \to, [r14 + {rest}]
    lea rax, [r14 + {last}]
    lea rcx, [\offset + 64]
    cmp rcx, [r15]
    cmovae \to, rax
.endm
// What the second pass reads, given the first's.
.macro hl_second_inputs
  .if {lanes} == 8
    lea rdx, [rsi + 8*4]
    mov r9, r8
  .else
    lea r9, [r8 + 64]
    hl_inputs rdx, r9
    cmp r9, [r15]
    cmovae rdx, rsi
    cmovae r9, r8
  .endif
.endm
    xor r8d, r8d
    lea rsi, [r14 + {first}]
    hl_second_inputs
    hl_schedules 0
    jmp 3f
2:  // the rounds of a segment are over, those of another begin
    hl_give_states
3:
    hl_take_states
    jmp 5f
4:  // a turn
    hl_second_inputs
    hl_schedules 1
    test r8, r8
    jz 2b
5:
    xchg r12, r13
    lea r11, [rdi + 4*32]
  .if {lanes} == 8
    hl_load_states rdi
  .else
    cmp r8, r9
    cmovne r11, rdi
  .endif
    add r8, 512/{lanes}
    hl_inputs rsi, r8
    cmp r8, [r15]
    jb 4b
    // the next segment's first turn
    add r14, 8*{lanes}
    add r15, 8
    xor r8d, r8d
    lea rsi, [r14 + {first}]
    cmp qword ptr [r15], 0
    jne 4b
    .set .Lhl_n, 0
    .rept 64
        .if .Lhl_n == 32 && {lanes} == 4
            cmp r11, rdi
            jne 6f
        .endif
        hl_rounds_step %.Lhl_n
        .set .Lhl_n, .Lhl_n + 1
    .endr
6:
    hl_give_last_states
    vzeroupper
.irp m, hl_lane, hl_row, hl_load, hl_four, hl_inputs, hl_second_inputs
    .purgem \m
.endr
                    ",
                    purge!(),
                    lanes = const $lanes,
                    ops = const 816,
                    pass = const 4,
                    third = const 2,
                    dealt = const 0,
                    first = const offset_of!(Pieces<u32>, first),
                    rest = const offset_of!(Pieces<u32>, rest),
                    last = const offset_of!(Pieces<u32>, last),
                    states = const offset_of!(Pieces<u32>, states),
                    swap = const offset_of!(Constants, swap),
                    halves = const offset_of!(Constants, halves),
                    in("rdi") &raw mut (*scratch).halves,
                    in("r10") &raw const CONSTANTS,
                    inout("r12") &raw mut (*scratch).rows[0] => _,
                    inout("r13") &raw mut (*scratch).rows[1] => _,
                    inout("r14") pieces => _,
                    inout("r15") &raw const (*pieces).bytes => _,
                    out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
                    out("r8") _, out("r9") _, out("r11") _,
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
            }
        }
    };
}

entry!(
    /// Four streams, two blocks of each in a turn.
    hashlane_kernel_sha256_shani_avx512_x4,
    lanes: 4
);
entry!(
    /// Eight streams, one block of each in a turn.
    hashlane_kernel_sha256_shani_avx512_x8,
    lanes: 8
);

macro_rules! dealt_entry {
    (
        $(#[$doc:meta])*
        $name:ident, lanes: $lanes:literal, ops: $ops:literal,
        pass: $pass:literal, third: $third:literal
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// - the CPU has SHA and AVX-512 F, BW and VL;
        /// - `states` is aligned to 64 bytes, readable and writable for the lanes' chaining
        ///   values;
        /// - `turns` is at least 1, and the words of all lanes are readable at 16 places for every
        ///   block of a turn, `stride` bytes from one to the next, from `from` on.
        #[inline(never)]
        #[target_feature(enable = "sha,avx512f,avx512bw,avx512vl")]
        pub(crate) unsafe fn $name(
            states: *mut [u32; 8],
            from: *const u8,
            stride: usize,
            turns: usize,
        ) {
            let mut scratch = MaybeUninit::<Scratch>::uninit();
            let scratch = scratch.as_mut_ptr();
            // SAFETY: the loads are of a static, of the states, of earlier stores to `scratch`, and
            // of the words of `turns` turns in order: a turn's words are loaded before its rounds,
            // and none after the last turn's. The stores are to `scratch` and the states. Both are
            // aligned, by type and as the caller promised. Every register written is declared.
            unsafe {
                (*scratch).states = states;
                asm!(
                    shared!(),
                    r"
.macro hl_load
.endm
.macro hl_word to, at, at2
  .if {lanes} == 8
    vmovdqu64 ymm\to, [\at]
  .else
    vmovdqu64 xmm\to, [\at]
    hl_v vinserti32x4 ymm\to, ymm\to, [\at2], 1
  .endif
.endm
// Four words of eight lanes, or of four lanes and two blocks, as they lie in memory.
.macro hl_four r0, r1, r2, r3, q
    hl_word \r0, rsi, rdx
    hl_word \r1, <rsi + r14>, <rdx + r14>
    hl_word \r2, <rsi + 2*r14>, <rdx + 2*r14>
    hl_word \r3, <rsi + r15>, <rdx + r15>
    lea rsi, [rsi + 4*r14]
  .if {lanes} == 4
    lea rdx, [rdx + 4*r14]
  .endif
    hl_v vpshufb ymm\r0, ymm\r0, [r10 + {swap}]
    hl_v vpshufb ymm\r1, ymm\r1, [r10 + {swap}]
    hl_v vpshufb ymm\r2, ymm\r2, [r10 + {swap}]
    hl_v vpshufb ymm\r3, ymm\r3, [r10 + {swap}]
    hl_store_row %(2*\q), \r0, \r1
    hl_store_row %(2*\q + 1), \r2, \r3
.endm
// On to the blocks of the next turn.
.macro hl_next
  .if {lanes} == 4
    mov rsi, rdx
    lea rdx, [rsi + r9]
  .endif
.endm
    lea r15, [r14 + 2*r14]
  .if {lanes} == 8
    lea r11, [rdi + 4*32]
  .else
    mov r11, rdi
    mov r9, r14
    shl r9, 4
    lea rdx, [rsi + r9]
  .endif
    hl_schedules 0
    hl_take_states
    jmp 3f
2:  // a turn
    hl_next
    hl_schedules 1
3:
    xchg r12, r13
  .if {lanes} == 8
    hl_load_states rdi
  .endif
    dec r8
    jnz 2b
    .set .Lhl_n, 0
    .rept 64
        hl_rounds_step %.Lhl_n
        .set .Lhl_n, .Lhl_n + 1
    .endr
    hl_give_last_states
    vzeroupper
.irp m, hl_load, hl_word, hl_four, hl_next
    .purgem \m
.endr
                    ",
                    purge!(),
                    lanes = const $lanes,
                    ops = const $ops,
                    pass = const $pass,
                    third = const $third,
                    dealt = const 1,
                    swap = const offset_of!(Constants, swap),
                    halves = const offset_of!(Constants, halves),
                    states = const offset_of!(Scratch, states) - offset_of!(Scratch, halves),
                    in("rdi") &raw mut (*scratch).halves,
                    in("r10") &raw const CONSTANTS,
                    inout("r12") &raw mut (*scratch).rows[0] => _,
                    inout("r13") &raw mut (*scratch).rows[1] => _,
                    inout("rsi") from => _,
                    inout("r8") turns => _,
                    in("r14") stride,
                    out("rax") _, out("rdx") _, out("r9") _, out("r11") _, out("r15") _,
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
            }
        }
    };
}

dealt_entry!(
    /// Eight lanes, one block of each in a turn: 48 operations on words as they are loaded, 720
    /// for the schedules.
    hashlane_kernel_sha256_shani_avx512_x8_dealt, lanes: 8, ops: 768, pass: 4, third: 2
);
dealt_entry!(
    /// Four lanes, two adjacent blocks of each in a turn: 16 more operations to load them. The
    /// halves of the rows have two lanes of both blocks.
    hashlane_kernel_sha256_shani_avx512_x4_dealt, lanes: 4, ops: 784, pass: 2, third: 4
);
