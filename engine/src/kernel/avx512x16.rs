//! Sixteen lanes of AVX-512 in one hand-ordered instruction stream.
//!
//! The compiler's version of the same ([`super::avx512`]) does its loads and
//! its transpose first and its rounds afterwards; the transpose keeps the
//! shuffle port busy while the others idle. Here every instruction of one kind
//! stands among those of another:
//!
//! ```text
//! rounds  0..8    beside them, transpose words 8..16 of this block
//! rounds  8..56   beside them, one word of the message schedule each, eight rounds ahead
//! rounds 56..64   beside them, transpose words 0..8 of the next block
//! ```
//!
//! Registers:
//!
//! ```text
//! zmm0-7     a..h; they do not move, each round renames them (`hl_rotated_round`)
//! zmm8-23    W[t mod 16]
//! zmm24-27   scratch of the round
//! zmm28-31   scratch of whatever stands beside it
//! rdi state   rsi inputs   r8 offset of the block to load   rdx end
//! r10 K       r11 byte swap   r9 offset of the next block   rax, rcx scratch
//! ```

use std::arch::asm;

use super::{BLOCK_BYTES, avx512::SWAP, sha256::K};

/// Sixteen lanes.
///
/// # Safety
/// The contract of [`super::Entry::Whole`] with `N = 16`; the CPU has AVX-512 F, BW and VL.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn hashlane_kernel_avx512x16(
    state: *mut u32,
    inputs: *const *const u8,
    blocks: usize,
) {
    // SAFETY: the loads are of the 16 pointers, of 64 bytes of each input at
    // offsets below `blocks * 64` (after the last block that block is loaded
    // again), of the state's rows and of two statics; the stores are to the
    // state's rows, aligned by the contract. Every register written is declared.
    unsafe {
        asm!(
            r"
.altmacro
// FIPS 180-4 section 6.2.2 step 3. Sigma1(e) enters the sum last but one: it is
// the critical path.
.macro hl_round a, b, c, d, e, f, g, h, t, w
    vpaddd zmm\h, zmm\h, dword ptr [r10 + 4*(\t)]{{1to16}}
    vprord zmm24, zmm\e, 6
    vprord zmm25, zmm\e, 11
    vprord zmm26, zmm\e, 25
    vmovdqa64 zmm27, zmm\e
    vpternlogd zmm27, zmm\f, zmm\g, 0xca    // Ch
    vpaddd zmm\h, zmm\h, zmm\w
    vpternlogd zmm24, zmm25, zmm26, 0x96    // Sigma1
    vpaddd zmm\h, zmm\h, zmm27
    vprord zmm25, zmm\a, 2
    vprord zmm26, zmm\a, 13
    vprord zmm27, zmm\a, 22
    vpaddd zmm\h, zmm\h, zmm24              // T1
    vpternlogd zmm25, zmm26, zmm27, 0x96    // Sigma0
    vmovdqa64 zmm24, zmm\a
    vpternlogd zmm24, zmm\b, zmm\c, 0xe8    // Maj
    vpaddd zmm\d, zmm\d, zmm\h
    vpaddd zmm\h, zmm\h, zmm24
    vpaddd zmm\h, zmm\h, zmm25
.endm
// Round t: what was a in round t-1 is b now.
.macro hl_rotated_round t
    hl_round %((0-\t)&7), %((1-\t)&7), %((2-\t)&7), %((3-\t)&7), %((4-\t)&7), %((5-\t)&7), %((6-\t)&7), %((7-\t)&7), \t, %(8+((\t)&15))
.endm
// W[t+16] = W[t] + sigma0(W[t+1]) + W[t+9] + sigma1(W[t+14]) in place of W[t].
.macro hl_schedule w, w1, w9, w14
    vprord zmm28, zmm\w1, 7
    vprord zmm29, zmm\w1, 18
    vpsrld zmm30, zmm\w1, 3
    vpaddd zmm\w, zmm\w, zmm\w9
    vpternlogd zmm28, zmm29, zmm30, 0x96
    vprord zmm29, zmm\w14, 17
    vprord zmm30, zmm\w14, 19
    vpsrld zmm31, zmm\w14, 10
    vpaddd zmm\w, zmm\w, zmm28
    vpternlogd zmm29, zmm30, zmm31, 0x96
    vpaddd zmm\w, zmm\w, zmm29
.endm
.macro hl_schedule_word i
    hl_schedule %(8+((\i)&15)), %(8+((\i+1)&15)), %(8+((\i+9)&15)), %(8+((\i+14)&15))
.endm
// 32 bytes of `lane` below 32 bytes of `lane + 4`.
.macro hl_row to, lane, half
    mov rax, [rsi + 8*(\lane)]
    mov rcx, [rsi + 8*(\lane) + 32]
    vmovdqu64 ymm\to, [rax + r8 + 32*(\half)]
    vinserti64x4 zmm\to, zmm\to, [rcx + r8 + 32*(\half)], 1
.endm
// Words 0 and 4, 1 and 5, 2 and 6, 3 and 7 of eight lanes, in quarters.
.macro hl_unpack r0, r1, r2, r3
    vpunpckldq zmm28, zmm\r0, zmm\r1
    vpunpckhdq zmm29, zmm\r0, zmm\r1
    vpunpckldq zmm30, zmm\r2, zmm\r3
    vpunpckhdq zmm31, zmm\r2, zmm\r3
    vpunpcklqdq zmm\r0, zmm28, zmm30
    vpunpckhqdq zmm\r1, zmm28, zmm30
    vpunpcklqdq zmm\r2, zmm29, zmm31
    vpunpckhqdq zmm\r3, zmm29, zmm31
.endm
// A word of 16 lanes in lane order, and the word four further on.
.macro hl_join low, high
    vshufi32x4 zmm28, zmm\low, zmm\high, 0x88
    vshufi32x4 zmm\high, zmm\low, zmm\high, 0xdd
    vpshufb zmm\low, zmm28, [r11]
    vpshufb zmm\high, zmm\high, [r11]
.endm
// One eighth of the transpose of eight words into registers `w` and up.
.macro hl_load s, half, w
  .if \s == 0 || \s == 2
    hl_row %(\w + 2*(\s) + 0), %(4*(\s) + 0), \half
    hl_row %(\w + 2*(\s) + 1), %(4*(\s) + 1), \half
    hl_row %(\w + 2*(\s) + 2), %(4*(\s) + 2), \half
    hl_row %(\w + 2*(\s) + 3), %(4*(\s) + 3), \half
  .elseif \s == 1 || \s == 3
    hl_unpack %(\w + 2*(\s) - 2), %(\w + 2*(\s) - 1), %(\w + 2*(\s)), %(\w + 2*(\s) + 1)
  .else
    hl_join %(\w + \s - 4), %(\w + \s)
  .endif
.endm
    .irp i, 0,1,2,3,4,5,6,7
        vmovdqa64 zmm\i, [rdi + 128*\i]
    .endr
    xor r8d, r8d
    .irp s, 0,1,2,3,4,5,6,7
        hl_load \s, 0, 8
    .endr
2:
    .set .Lhl_t, 0
    .rept 8
        hl_load %.Lhl_t, 1, 16
        hl_rotated_round %.Lhl_t
        .set .Lhl_t, .Lhl_t + 1
    .endr
    .rept 48
        hl_rotated_round %.Lhl_t
        hl_schedule_word %(.Lhl_t + 8)
        .set .Lhl_t, .Lhl_t + 1
    .endr
    lea r9, [r8 + 64]
    cmp r9, rdx
    cmovb r8, r9
    .rept 8
        hl_rotated_round %.Lhl_t
        hl_load %(.Lhl_t - 56), 0, 8
        .set .Lhl_t, .Lhl_t + 1
    .endr
    .irp i, 0,1,2,3,4,5,6,7
        vpaddd zmm\i, zmm\i, [rdi + 128*\i]
        vmovdqa64 [rdi + 128*\i], zmm\i
    .endr
    cmp r9, rdx
    jb 2b
    vzeroupper
// Macros live on in the object file's scope otherwise.
.irp m, hl_round, hl_rotated_round, hl_schedule, hl_schedule_word, hl_row, hl_unpack, hl_join, hl_load
    .purgem \m
.endr
.noaltmacro
            ",
            in("rdi") state,
            in("rsi") inputs,
            in("rdx") blocks * BLOCK_BYTES,
            in("r10") K.0.as_ptr(),
            in("r11") SWAP.0.as_ptr(),
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
