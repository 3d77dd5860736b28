//! Two groups of sixteen lanes of AVX-512 interleaved in one hand-ordered
//! instruction stream.
//!
//! One group waits for its own results where every operation takes two cycles
//! (Zen 5); the other group's instructions fill the gaps. The order is that of
//! [`super::avx512x16`], with the sixteen words of the message schedule of each
//! group in memory, which stays in L1:
//!
//! ```text
//! rounds  0..8    beside them, transpose words 8..16 of this block, group A, then B
//! rounds  8..56   beside them, one word of the message schedule each, eight rounds ahead
//! rounds 56..64   beside them, transpose words 0..8 of the next block, group A, then B
//! ```
//!
//! Registers: what group A has in register n, group B has in n + 8. The macros
//! named `hl_two*` take group A's registers and emit one instruction for each.
//!
//! ```text
//!              A            B
//! a..h         zmm0-7       zmm8-15    each round renames them (`hl_rotated_round`)
//! round        zmm16-18     zmm24-26   scratch
//! schedule     zmm19-22     zmm27-30   scratch
//! transpose    zmm19-23 and zmm27-31   scratch, one group at a time
//! W[0..16]     rdx          rdx + 1024
//! rdi state   rsi inputs   r8 offset of the block to load   r12 end
//! r10 K       r11 byte swap   r9 offset of the next block   rax, rcx scratch
//! ```

use std::{arch::asm, mem::MaybeUninit};

use super::{BLOCK_BYTES, avx512::SWAP, sha256::K};

/// The sixteen words of each group.
#[repr(C, align(64))]
struct Schedule([[[u32; 16]; 16]; 2]);

/// Thirty-two lanes.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 32`; the CPU has AVX-512 F, BW and VL.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn hashlane_kernel_avx512x32(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    let mut schedule = MaybeUninit::<Schedule>::uninit();
    // SAFETY: the loads are of the 32 pointers, of 64 bytes of each input at
    // offsets below `blocks * 64` (after the last block that block is loaded
    // again), of the state's rows, of what was stored to `schedule` and of two
    // statics; the stores are to the state's rows and to `schedule`, aligned by
    // the contract and by type. Every register written is declared.
    unsafe {
        asm!(
            r"
.altmacro
.macro hl_one op, d, a, b
    \op zmm\d, zmm\a, zmm\b
.endm
.macro hl_two op, d, a, b
    \op zmm\d, zmm\a, zmm\b
    hl_one \op, %(\d+8), %(\a+8), %(\b+8)
.endm
.macro hl_one_shift op, d, a, bits
    \op zmm\d, zmm\a, \bits
.endm
.macro hl_two_shift op, d, a, bits
    \op zmm\d, zmm\a, \bits
    hl_one_shift \op, %(\d+8), %(\a+8), \bits
.endm
.macro hl_one_logic d, a, b, table
    vpternlogd zmm\d, zmm\a, zmm\b, \table
.endm
.macro hl_two_logic d, a, b, table
    vpternlogd zmm\d, zmm\a, zmm\b, \table
    hl_one_logic %(\d+8), %(\a+8), %(\b+8), \table
.endm
.macro hl_one_copy d, a
    vmovdqa64 zmm\d, zmm\a
.endm
.macro hl_two_copy d, a
    vmovdqa64 zmm\d, zmm\a
    hl_one_copy %(\d+8), %(\a+8)
.endm
.macro hl_one_k d, t
    vpaddd zmm\d, zmm\d, dword ptr [r10 + 4*(\t)]{{1to16}}
.endm
.macro hl_two_k d, t
    hl_one_k \d, \t
    hl_one_k %(\d+8), \t
.endm
.macro hl_one_add d, at
    vpaddd zmm\d, zmm\d, [\at]
.endm
.macro hl_two_add_w d, i
    hl_one_add \d, <rdx + 64*(\i)>
    hl_one_add %(\d+8), <rdx + 64*(\i) + 1024>
.endm
.macro hl_one_load d, at
    vmovdqa64 zmm\d, [\at]
.endm
.macro hl_two_load_w d, i
    hl_one_load \d, <rdx + 64*(\i)>
    hl_one_load %(\d+8), <rdx + 64*(\i) + 1024>
.endm
.macro hl_one_store a, at
    vmovdqa64 [\at], zmm\a
.endm
.macro hl_two_store_w a, i
    hl_one_store \a, <rdx + 64*(\i)>
    hl_one_store %(\a+8), <rdx + 64*(\i) + 1024>
.endm
// FIPS 180-4 section 6.2.2 step 3. Sigma1(e) enters the sum last but one: it is
// the critical path.
.macro hl_round a, b, c, d, e, f, g, h, t
    hl_two_k \h, \t
    hl_two_shift vprord, 16, \e, 6
    hl_two_shift vprord, 17, \e, 11
    hl_two_shift vprord, 18, \e, 25
    hl_two_add_w \h, %((\t)&15)
    hl_two_logic 16, 17, 18, 0x96           // Sigma1
    hl_two_copy 17, \e
    hl_two_logic 17, \f, \g, 0xca           // Ch
    hl_two vpaddd, \h, \h, 17
    hl_two vpaddd, \h, \h, 16               // T1
    hl_two_shift vprord, 16, \a, 2
    hl_two_shift vprord, 17, \a, 13
    hl_two_shift vprord, 18, \a, 22
    hl_two vpaddd, \d, \d, \h
    hl_two_logic 16, 17, 18, 0x96           // Sigma0
    hl_two_copy 17, \a
    hl_two_logic 17, \b, \c, 0xe8           // Maj
    hl_two vpaddd, \h, \h, 17
    hl_two vpaddd, \h, \h, 16
.endm
// Round t: what was a in round t-1 is b now.
.macro hl_rotated_round t
    hl_round %((0-\t)&7), %((1-\t)&7), %((2-\t)&7), %((3-\t)&7), %((4-\t)&7), %((5-\t)&7), %((6-\t)&7), %((7-\t)&7), \t
.endm
// W[t+16] = W[t] + sigma0(W[t+1]) + W[t+9] + sigma1(W[t+14]) in place of W[t].
.macro hl_schedule_word i
    hl_two_load_w 19, %((\i+1)&15)
    hl_two_shift vprord, 20, 19, 7
    hl_two_shift vprord, 21, 19, 18
    hl_two_shift vpsrld, 19, 19, 3
    hl_two_load_w 22, %((\i+14)&15)
    hl_two_logic 20, 21, 19, 0x96           // sigma0
    hl_two_add_w 20, %((\i)&15)
    hl_two_shift vprord, 21, 22, 17
    hl_two_shift vprord, 19, 22, 19
    hl_two_shift vpsrld, 22, 22, 10
    hl_two_add_w 20, %((\i+9)&15)
    hl_two_logic 21, 19, 22, 0x96           // sigma1
    hl_two vpaddd, 20, 20, 21
    hl_two_store_w 20, %((\i)&15)
.endm
// 32 bytes of `lane` below 32 bytes of `lane + 4`.
.macro hl_row to, lane, half
    mov rax, [rsi + 8*(\lane)]
    mov rcx, [rsi + 8*(\lane) + 32]
    vmovdqu64 ymm\to, [rax + r8 + 32*(\half)]
    vinserti64x4 zmm\to, zmm\to, [rcx + r8 + 32*(\half)], 1
.endm
// Words 0 and 4, 1 and 5, 2 and 6, 3 and 7 of eight lanes, in r2, r0, t and r3.
.macro hl_quarter r0, r1, r2, r3, t, lane, half
    hl_row \r0, \lane, \half
    hl_row \r1, %(\lane+1), \half
    hl_row \r2, %(\lane+2), \half
    hl_row \r3, %(\lane+3), \half
    vpunpckldq zmm\t, zmm\r0, zmm\r1
    vpunpckhdq zmm\r1, zmm\r0, zmm\r1
    vpunpckldq zmm\r0, zmm\r2, zmm\r3
    vpunpckhdq zmm\r3, zmm\r2, zmm\r3
    vpunpcklqdq zmm\r2, zmm\t, zmm\r0
    vpunpckhqdq zmm\r0, zmm\t, zmm\r0
    vpunpcklqdq zmm\t, zmm\r1, zmm\r3
    vpunpckhqdq zmm\r3, zmm\r1, zmm\r3
.endm
// A word of 16 lanes in lane order, and the word four further on.
.macro hl_join low, high, at
    vshufi32x4 zmm31, zmm\low, zmm\high, 0x88
    vshufi32x4 zmm\high, zmm\low, zmm\high, 0xdd
    vpshufb zmm31, zmm31, [r11]
    vpshufb zmm\high, zmm\high, [r11]
    vmovdqa64 [rdx + \at], zmm31
    vmovdqa64 [rdx + \at + 256], zmm\high
.endm
// One eighth of the transpose of eight words: 0..4 for group A, 4..8 for group B.
.macro hl_load s, half
  .if ((\s) & 3) == 0
    hl_quarter 19, 20, 21, 22, 23, %(4*(\s)), \half
  .elseif ((\s) & 3) == 1
    hl_quarter 27, 28, 29, 30, 20, %(4*(\s) + 4), \half
  .elseif ((\s) & 3) == 2
    hl_join 21, 29, %(256*((\s)&4) + 512*(\half))
    hl_join 19, 27, %(256*((\s)&4) + 512*(\half) + 64)
  .else
    hl_join 23, 20, %(256*((\s)&4) + 512*(\half) + 128)
    hl_join 22, 30, %(256*((\s)&4) + 512*(\half) + 192)
  .endif
.endm
    .irp i, 0,1,2,3,4,5,6,7
        hl_one_load \i, <rdi + 128*\i>
        hl_one_load %(\i+8), <rdi + 128*\i + 64>
    .endr
    xor r8d, r8d
    .irp s, 0,1,2,3,4,5,6,7
        hl_load \s, 0
    .endr
2:
    .set .Lhl_t, 0
    .rept 8
        hl_load %.Lhl_t, 1
        hl_rotated_round %.Lhl_t
        .set .Lhl_t, .Lhl_t + 1
    .endr
    .rept 48
        hl_rotated_round %.Lhl_t
        hl_schedule_word %(.Lhl_t + 8)
        .set .Lhl_t, .Lhl_t + 1
    .endr
    lea r9, [r8 + 64]
    cmp r9, r12
    cmovb r8, r9
    .rept 8
        hl_rotated_round %.Lhl_t
        hl_load %(.Lhl_t - 56), 0
        .set .Lhl_t, .Lhl_t + 1
    .endr
    .irp i, 0,1,2,3,4,5,6,7
        hl_one_add \i, <rdi + 128*\i>
        hl_one_add %(\i+8), <rdi + 128*\i + 64>
        hl_one_store \i, <rdi + 128*\i>
        hl_one_store %(\i+8), <rdi + 128*\i + 64>
    .endr
    cmp r9, r12
    jb 2b
    vzeroupper
// Macros live on in the object file's scope otherwise.
.irp m, hl_one, hl_two, hl_one_shift, hl_two_shift, hl_one_logic, hl_two_logic, hl_one_copy, hl_two_copy, hl_one_k, hl_two_k, hl_one_add, hl_two_add_w
    .purgem \m
.endr
.irp m, hl_one_load, hl_two_load_w, hl_one_store, hl_two_store_w, hl_round, hl_rotated_round, hl_schedule_word, hl_row, hl_quarter, hl_join, hl_load
    .purgem \m
.endr
.noaltmacro
            ",
            in("rdi") state,
            in("rsi") inputs,
            in("rdx") schedule.as_mut_ptr(),
            in("r10") K.0.as_ptr(),
            in("r11") SWAP.0.as_ptr(),
            in("r12") blocks * BLOCK_BYTES,
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
    }
}
