    xor r8d, r8d
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm0, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm0, zmm0, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 0], 1
    vpunpcklqdq zmm2, zmm0, zmm1
    vpunpckhqdq zmm0, zmm0, zmm1
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm3, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm3, zmm3, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm4, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm4, zmm4, ymmword ptr [rax + r8 + 0], 1
    vpunpcklqdq zmm5, zmm3, zmm4
    vpunpckhqdq zmm3, zmm3, zmm4
    vshufi64x2 zmm6, zmm2, zmm5, 0x88
    vpshufb zmm6, zmm6, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 0], zmm6
    vshufi64x2 zmm2, zmm2, zmm5, 0xdd
    vpshufb zmm2, zmm2, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 128], zmm2
    vshufi64x2 zmm7, zmm0, zmm3, 0x88
    vpshufb zmm7, zmm7, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 64], zmm7
    vshufi64x2 zmm0, zmm0, zmm3, 0xdd
    vpshufb zmm0, zmm0, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 192], zmm0
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm8, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm8, zmm8, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm9, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm9, zmm9, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm10, zmm8, zmm9
    vpunpckhqdq zmm8, zmm8, zmm9
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm11, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm11, zmm11, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm13, zmm11, zmm12
    vpunpckhqdq zmm11, zmm11, zmm12
    vshufi64x2 zmm14, zmm10, zmm13, 0x88
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 256], zmm14
    vshufi64x2 zmm10, zmm10, zmm13, 0xdd
    vpshufb zmm10, zmm10, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 384], zmm10
    vshufi64x2 zmm15, zmm8, zmm11, 0x88
    vpshufb zmm15, zmm15, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 320], zmm15
    vshufi64x2 zmm8, zmm8, zmm11, 0xdd
    vpshufb zmm8, zmm8, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 448], zmm8
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 64], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 64], 1
    vpunpcklqdq zmm18, zmm16, zmm17
    vpunpckhqdq zmm16, zmm16, zmm17
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 64], 1
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 64], 1
    vpunpcklqdq zmm21, zmm19, zmm20
    vpunpckhqdq zmm19, zmm19, zmm20
    vshufi64x2 zmm22, zmm18, zmm21, 0x88
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 512], zmm22
    vshufi64x2 zmm18, zmm18, zmm21, 0xdd
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 640], zmm18
    vshufi64x2 zmm23, zmm16, zmm19, 0x88
    vpshufb zmm23, zmm23, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 576], zmm23
    vshufi64x2 zmm16, zmm16, zmm19, 0xdd
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 704], zmm16
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 96], 1
    vpunpcklqdq zmm26, zmm24, zmm25
    vpunpckhqdq zmm24, zmm24, zmm25
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 96], 1
    vpunpcklqdq zmm29, zmm27, zmm28
    vpunpckhqdq zmm27, zmm27, zmm28
    vshufi64x2 zmm30, zmm26, zmm29, 0x88
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 768], zmm30
    vshufi64x2 zmm26, zmm26, zmm29, 0xdd
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 896], zmm26
    vshufi64x2 zmm31, zmm24, zmm27, 0x88
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 832], zmm31
    vshufi64x2 zmm24, zmm24, zmm27, 0xdd
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 960], zmm24
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmm4, zmmword ptr [rdi + 256]
    vmovdqa64 zmm5, zmmword ptr [rdi + 320]
    vmovdqa64 zmm6, zmmword ptr [rdi + 384]
    vmovdqa64 zmm7, zmmword ptr [rdi + 448]
2:
    xchg rdx, r9
    add r15, 128
    lea r14, [r8 + 128]
    cmp r14, r12
    cmovb r8, r14
    vprorq zmm8, zmm4, 14
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 0]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 8]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 16]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 24]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
4:
    vprorq zmm9, zmm4, 18
    vpaddq zmm7, zmm7, qword ptr [r10 + 0]{1to8}
    vmovdqa64 zmm10, zmmword ptr [rdx + 0]
    vmovdqa64 zmm11, zmm4
    vpternlogq zmm11, zmm5, zmm6, 0xca
    vprorq zmm12, zmm4, 41
    vprorq zmm13, zmm0, 28
    vmovdqa64 zmm14, zmm0
    vpternlogq zmm14, zmm1, zmm2, 0xe8
    vmovdqa64 zmm15, zmmword ptr [rdx + 64]
    vmovdqa64 zmm16, zmmword ptr [rdx + 576]
    vmovdqa64 zmm17, zmmword ptr [rdx + 896]
    vpaddq zmm6, zmm6, qword ptr [r10 + 8]{1to8}
    vprorq zmm18, zmm0, 34
    vprorq zmm19, zmm0, 39
    vpternlogq zmm8, zmm9, zmm12, 0x96
    vmovdqa64 zmm20, zmmword ptr [rdx + 128]
    vmovdqa64 zmm21, zmmword ptr [rdx + 640]
    vmovdqa64 zmm22, zmmword ptr [rdx + 960]
    vpaddq zmm23, zmm5, qword ptr [r10 + 16]{1to8}
    vpaddq zmm7, zmm7, zmm10
    vpternlogq zmm13, zmm18, zmm19, 0x96
    vprorq zmm24, zmm15, 1
    vprorq zmm25, zmm15, 8
    vpaddq zmm7, zmm7, zmm11
    vpaddq zmm6, zmm6, zmm15
    vpsrlq zmm26, zmm15, 7
    vprorq zmm27, zmm17, 19
    vpaddq zmm7, zmm7, zmm8
    vpaddq zmm23, zmm23, zmm20
    vprorq zmm28, zmm17, 61
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm14
    vpternlogq zmm24, zmm25, zmm26, 0x96
    vpsrlq zmm29, zmm17, 6
    vpaddq zmm7, zmm7, zmm13
    vpaddq zmm10, zmm10, zmm24
    vpternlogq zmm5, zmm4, zmm3, 0xd8
    vprorq zmm30, zmm3, 14
    vpaddq zmm10, zmm10, zmm16
    vpternlogq zmm27, zmm28, zmm29, 0x96
    vpaddq zmm6, zmm6, zmm5
    vprorq zmm31, zmm3, 18
    vprorq zmm9, zmm3, 41
    vpaddq zmm10, zmm10, zmm27
    vmovdqa64 zmm12, zmm7
    vpternlogq zmm12, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 28
    vprorq zmm19, zmm7, 34
    vpternlogq zmm30, zmm31, zmm9, 0x96
    vmovdqa64 zmm11, zmmword ptr [rdx + 192]
    vmovdqa64 zmm8, zmmword ptr [rdx + 704]
    vpaddq zmm14, zmm4, qword ptr [r10 + 24]{1to8}
    vprorq zmm25, zmm7, 39
    vprorq zmm26, zmm20, 1
    vpaddq zmm6, zmm6, zmm30
    vprorq zmm13, zmm20, 8
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm12
    vpternlogq zmm18, zmm19, zmm25, 0x96
    vpsrlq zmm24, zmm20, 7
    vprorq zmm28, zmm22, 19
    vpaddq zmm6, zmm6, zmm18
    vpternlogq zmm4, zmm3, zmm2, 0xd8
    vprorq zmm29, zmm22, 61
    vpsrlq zmm5, zmm22, 6
    vpternlogq zmm26, zmm13, zmm24, 0x96
    vpaddq zmm23, zmm23, zmm4
    vprorq zmm27, zmm2, 14
    vprorq zmm31, zmm2, 18
    vpaddq zmm15, zmm15, zmm26
    vpternlogq zmm28, zmm29, zmm5, 0x96
    vprorq zmm9, zmm2, 41
    vprorq zmm30, zmm6, 28
    vpaddq zmm15, zmm15, zmm21
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm19, zmm6, 34
    vprorq zmm25, zmm6, 39
    vpaddq zmm15, zmm15, zmm28
    vpternlogq zmm27, zmm31, zmm9, 0x96
    vprorq zmm18, zmm11, 1
    vprorq zmm13, zmm11, 8
    vpaddq zmm23, zmm23, zmm27
    vpternlogq zmm30, zmm19, zmm25, 0x96
    vpsrlq zmm24, zmm11, 7
    vprorq zmm4, zmm10, 19
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vprorq zmm26, zmm10, 61
    vpsrlq zmm29, zmm10, 6
    vpaddq zmm23, zmm23, zmm30
    vpternlogq zmm18, zmm13, zmm24, 0x96
    vpaddq zmm20, zmm20, zmm18
    vpternlogq zmm4, zmm26, zmm29, 0x96
    vpaddq zmm14, zmm14, zmm11
    vmovdqa64 zmm5, zmm1
    vpternlogq zmm5, zmm2, zmm3, 0xca
    vprorq zmm28, zmm1, 14
    vprorq zmm31, zmm1, 18
    vpaddq zmm20, zmm20, zmm8
    vpaddq zmm14, zmm14, zmm5
    vprorq zmm9, zmm1, 41
    vprorq zmm27, zmm23, 28
    vpaddq zmm20, zmm20, zmm4
    vmovdqa64 zmm19, zmm23
    vpternlogq zmm19, zmm6, zmm7, 0xe8
    vprorq zmm25, zmm23, 34
    vprorq zmm12, zmm23, 39
    vpternlogq zmm28, zmm31, zmm9, 0x96
    vmovdqa64 zmm30, zmmword ptr [rdx + 256]
    vmovdqa64 zmm13, zmmword ptr [rdx + 768]
    vpaddq zmm3, zmm3, qword ptr [r10 + 32]{1to8}
    vprorq zmm24, zmm15, 19
    vprorq zmm18, zmm15, 61
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm27, zmm25, zmm12, 0x96
    vpsrlq zmm26, zmm15, 6
    vprorq zmm29, zmm20, 19
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm19
    vmovdqa64 zmm5, zmmword ptr [rdx + 320]
    vmovdqa64 zmm4, zmmword ptr [rdx + 832]
    vprorq zmm31, zmm30, 1
    vprorq zmm9, zmm30, 8
    vpaddq zmm14, zmm14, zmm27
    vpternlogq zmm24, zmm18, zmm26, 0x96
    vpsrlq zmm28, zmm30, 7
    vprorq zmm25, zmm0, 14
    vpaddq zmm3, zmm3, zmm30
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xca
    vprorq zmm19, zmm0, 18
    vprorq zmm27, zmm0, 41
    vpternlogq zmm31, zmm9, zmm28, 0x96
    vpaddq zmm3, zmm3, zmm12
    vprorq zmm18, zmm14, 28
    vpaddq zmm11, zmm11, zmm31
    vpternlogq zmm25, zmm19, zmm27, 0x96
    vmovdqa64 zmm26, zmm14
    vpternlogq zmm26, zmm23, zmm6, 0xe8
    vprorq zmm9, zmm14, 34
    vprorq zmm28, zmm14, 39
    vpaddq zmm11, zmm11, zmm13
    vpaddq zmm3, zmm3, zmm25
    vpaddq zmm11, zmm11, zmm24
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm26
    vpternlogq zmm18, zmm9, zmm28, 0x96
    vprorq zmm12, zmm5, 1
    vprorq zmm31, zmm5, 8
    vpaddq zmm3, zmm3, zmm18
    vpaddq zmm2, zmm2, qword ptr [r10 + 40]{1to8}
    vpsrlq zmm19, zmm5, 7
    vprorq zmm27, zmm20, 61
    vpaddq zmm2, zmm2, zmm5
    vmovdqa64 zmm25, zmm7
    vpternlogq zmm25, zmm0, zmm1, 0xca
    vpsrlq zmm24, zmm20, 6
    vprorq zmm26, zmm7, 14
    vpternlogq zmm12, zmm31, zmm19, 0x96
    vpaddq zmm2, zmm2, zmm25
    vprorq zmm9, zmm7, 18
    vprorq zmm28, zmm7, 41
    vpaddq zmm30, zmm30, zmm12
    vpternlogq zmm29, zmm27, zmm24, 0x96
    vprorq zmm18, zmm3, 28
    vpaddq zmm30, zmm30, zmm4
    vpternlogq zmm26, zmm9, zmm28, 0x96
    vmovdqa64 zmm31, zmm3
    vpternlogq zmm31, zmm14, zmm23, 0xe8
    vprorq zmm19, zmm3, 34
    vprorq zmm25, zmm3, 39
    vpaddq zmm30, zmm30, zmm29
    vpaddq zmm2, zmm2, zmm26
    vprorq zmm12, zmm11, 19
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm31
    vpternlogq zmm18, zmm19, zmm25, 0x96
    vmovdqa64 zmm27, zmmword ptr [rdx + 384]
    vprorq zmm24, zmm11, 61
    vpsrlq zmm9, zmm11, 6
    vpaddq zmm2, zmm2, zmm18
    vpaddq zmm1, zmm1, qword ptr [r10 + 48]{1to8}
    vprorq zmm28, zmm6, 14
    vprorq zmm29, zmm6, 18
    vpternlogq zmm12, zmm24, zmm9, 0x96
    vmovdqa64 zmm26, zmm6
    vpternlogq zmm26, zmm7, zmm0, 0xca
    vprorq zmm31, zmm27, 1
    vprorq zmm19, zmm27, 8
    vpaddq zmm1, zmm1, zmm27
    vpaddq zmm0, zmm0, qword ptr [r10 + 56]{1to8}
    vpsrlq zmm25, zmm27, 7
    vpaddq zmm1, zmm1, zmm26
    vprorq zmm18, zmm6, 41
    vpternlogq zmm31, zmm19, zmm25, 0x96
    vmovdqa64 zmm24, zmm2
    vpternlogq zmm24, zmm3, zmm14, 0xe8
    vprorq zmm9, zmm2, 28
    vprorq zmm26, zmm2, 34
    vpaddq zmm5, zmm5, zmm31
    vpternlogq zmm28, zmm29, zmm18, 0x96
    vprorq zmm19, zmm2, 39
    vpaddq zmm5, zmm5, zmm17
    vpaddq zmm1, zmm1, zmm28
    vmovdqa64 zmm25, zmmword ptr [rdx + 448]
    vpaddq zmm5, zmm5, zmm12
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm24
    vpternlogq zmm9, zmm26, zmm19, 0x96
    vprorq zmm31, zmm30, 19
    vprorq zmm29, zmm30, 61
    vpaddq zmm1, zmm1, zmm9
    vmovdqa64 zmm18, zmm23
    vpternlogq zmm18, zmm6, zmm7, 0xca
    vprorq zmm28, zmm25, 1
    vprorq zmm12, zmm25, 8
    vpaddq zmm0, zmm0, zmm25
    vpaddq zmm7, zmm7, qword ptr [r10 + 64]{1to8}
    vpsrlq zmm24, zmm25, 7
    vpaddq zmm0, zmm0, zmm18
    vpsrlq zmm26, zmm30, 6
    vprorq zmm19, zmm23, 14
    vpternlogq zmm28, zmm12, zmm24, 0x96
    vprorq zmm9, zmm23, 18
    vprorq zmm18, zmm23, 41
    vpaddq zmm27, zmm27, zmm28
    vpternlogq zmm31, zmm29, zmm26, 0x96
    vprorq zmm12, zmm1, 28
    vpaddq zmm27, zmm27, zmm22
    vpternlogq zmm19, zmm9, zmm18, 0x96
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xe8
    vprorq zmm28, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm27, zmm27, zmm31
    vpaddq zmm0, zmm0, zmm19
    vprorq zmm26, zmm5, 19
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm24
    vpternlogq zmm12, zmm28, zmm29, 0x96
    vmovdqa64 zmm9, zmmword ptr [rdx + 512]
    vprorq zmm18, zmm5, 61
    vpsrlq zmm31, zmm5, 6
    vpaddq zmm0, zmm0, zmm12
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm24, zmm14, 14
    vprorq zmm28, zmm14, 18
    vpternlogq zmm26, zmm18, zmm31, 0x96
    vpaddq zmm6, zmm6, qword ptr [r10 + 72]{1to8}
    vprorq zmm29, zmm9, 1
    vpaddq zmm7, zmm7, zmm9
    vpaddq zmm6, zmm6, zmm16
    vprorq zmm12, zmm9, 8
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm18, zmm9, 7
    vpternlogq zmm29, zmm12, zmm18, 0x96
    vprorq zmm31, zmm14, 41
    vpaddq zmm25, zmm25, zmm29
    vprorq zmm19, zmm0, 28
    vpaddq zmm25, zmm25, zmm10
    vpternlogq zmm24, zmm28, zmm31, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm25, zmm25, zmm26
    vpaddq zmm7, zmm7, zmm24
    vprorq zmm28, zmm16, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm16, 8
    vpsrlq zmm26, zmm16, 7
    vpaddq zmm7, zmm7, zmm19
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vprorq zmm12, zmm27, 19
    vprorq zmm18, zmm27, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm24
    vpsrlq zmm29, zmm27, 6
    vprorq zmm19, zmm3, 14
    vpaddq zmm9, zmm9, zmm28
    vpaddq zmm23, zmm23, qword ptr [r10 + 80]{1to8}
    vprorq zmm31, zmm3, 18
    vprorq zmm26, zmm3, 41
    vpaddq zmm9, zmm9, zmm15
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm7, 28
    vpaddq zmm9, zmm9, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm7
    vpternlogq zmm28, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm29, zmm7, 39
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm23, zmm23, zmm21
    vprorq zmm12, zmm21, 1
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm21, 8
    vpsrlq zmm26, zmm21, 7
    vpaddq zmm6, zmm6, zmm24
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vprorq zmm28, zmm25, 19
    vprorq zmm18, zmm25, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm23, zmm23, zmm19
    vpsrlq zmm29, zmm25, 6
    vprorq zmm24, zmm2, 14
    vpaddq zmm16, zmm16, zmm12
    vpaddq zmm14, zmm14, qword ptr [r10 + 88]{1to8}
    vprorq zmm31, zmm2, 18
    vprorq zmm26, zmm2, 41
    vpaddq zmm16, zmm16, zmm20
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm6, 28
    vpaddq zmm16, zmm16, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm29, zmm6, 39
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm14, zmm14, zmm8
    vprorq zmm28, zmm8, 1
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm8, 8
    vpsrlq zmm26, zmm8, 7
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xca
    vprorq zmm12, zmm9, 19
    vprorq zmm18, zmm9, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm14, zmm14, zmm24
    vpsrlq zmm29, zmm9, 6
    vprorq zmm19, zmm1, 14
    vpaddq zmm21, zmm21, zmm28
    vpaddq zmm3, zmm3, qword ptr [r10 + 96]{1to8}
    vprorq zmm31, zmm1, 18
    vprorq zmm26, zmm1, 41
    vpaddq zmm21, zmm21, zmm11
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm23, 28
    vpaddq zmm21, zmm21, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm6, zmm7, 0xe8
    vprorq zmm18, zmm23, 34
    vprorq zmm29, zmm23, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm3, zmm3, zmm13
    vprorq zmm12, zmm13, 1
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm13, 8
    vpsrlq zmm26, zmm13, 7
    vpaddq zmm14, zmm14, zmm24
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm28, zmm16, 19
    vprorq zmm18, zmm16, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpsrlq zmm29, zmm16, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm8, zmm8, zmm12
    vpaddq zmm2, zmm2, qword ptr [r10 + 104]{1to8}
    vprorq zmm31, zmm0, 18
    vprorq zmm26, zmm0, 41
    vpaddq zmm8, zmm8, zmm30
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm14, 28
    vpaddq zmm8, zmm8, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xe8
    vprorq zmm18, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm2, zmm2, zmm4
    vprorq zmm28, zmm4, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm4, 8
    vpsrlq zmm26, zmm4, 7
    vpaddq zmm3, zmm3, zmm19
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm12, zmm21, 19
    vprorq zmm18, zmm21, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm21, 6
    vprorq zmm19, zmm7, 14
    vpaddq zmm13, zmm13, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 112]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm26, zmm7, 41
    vpaddq zmm13, zmm13, zmm5
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm13, zmm13, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm18, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm19
    vpaddq zmm1, zmm1, zmm17
    vprorq zmm12, zmm17, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm17, 8
    vpsrlq zmm26, zmm17, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm28, zmm8, 19
    vprorq zmm18, zmm8, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpsrlq zmm29, zmm8, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm4, zmm4, zmm12
    vpaddq zmm0, zmm0, qword ptr [r10 + 120]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm26, zmm6, 41
    vpaddq zmm4, zmm4, zmm27
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm2, 28
    vpaddq zmm4, zmm4, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm2
    vpternlogq zmm12, zmm3, zmm14, 0xe8
    vprorq zmm18, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm22
    vprorq zmm28, zmm22, 1
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm22, 8
    vpsrlq zmm26, zmm22, 7
    vpaddq zmm1, zmm1, zmm19
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm12, zmm13, 19
    vprorq zmm18, zmm13, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm13, 6
    vprorq zmm19, zmm23, 14
    vpaddq zmm17, zmm17, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 128]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm26, zmm23, 41
    vpaddq zmm17, zmm17, zmm25
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm17, zmm17, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm18, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm7, zmm7, zmm10
    vprorq zmm12, zmm10, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm10, 8
    vpsrlq zmm26, zmm10, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm28, zmm4, 19
    vprorq zmm18, zmm4, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm29, zmm4, 6
    vprorq zmm24, zmm14, 14
    vpaddq zmm22, zmm22, zmm12
    vpaddq zmm6, zmm6, qword ptr [r10 + 136]{1to8}
    vprorq zmm31, zmm14, 18
    vprorq zmm26, zmm14, 41
    vpaddq zmm22, zmm22, zmm9
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm0, 28
    vpaddq zmm22, zmm22, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm7, zmm7, zmm24
    vpaddq zmm6, zmm6, zmm15
    vprorq zmm28, zmm15, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm15, 8
    vpsrlq zmm26, zmm15, 7
    vpaddq zmm7, zmm7, zmm19
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vprorq zmm12, zmm17, 19
    vprorq zmm18, zmm17, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm24
    vpsrlq zmm29, zmm17, 6
    vprorq zmm19, zmm3, 14
    vpaddq zmm10, zmm10, zmm28
    vpaddq zmm23, zmm23, qword ptr [r10 + 144]{1to8}
    vprorq zmm31, zmm3, 18
    vprorq zmm26, zmm3, 41
    vpaddq zmm10, zmm10, zmm16
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm7, 28
    vpaddq zmm10, zmm10, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm7
    vpternlogq zmm28, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm29, zmm7, 39
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm23, zmm23, zmm20
    vprorq zmm12, zmm20, 1
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm20, 8
    vpsrlq zmm26, zmm20, 7
    vpaddq zmm6, zmm6, zmm24
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vprorq zmm28, zmm22, 19
    vprorq zmm18, zmm22, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm23, zmm23, zmm19
    vpsrlq zmm29, zmm22, 6
    vprorq zmm24, zmm2, 14
    vpaddq zmm15, zmm15, zmm12
    vpaddq zmm14, zmm14, qword ptr [r10 + 152]{1to8}
    vprorq zmm31, zmm2, 18
    vprorq zmm26, zmm2, 41
    vpaddq zmm15, zmm15, zmm21
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm6, 28
    vpaddq zmm15, zmm15, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm29, zmm6, 39
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm14, zmm14, zmm11
    vprorq zmm28, zmm11, 1
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm11, 8
    vpsrlq zmm26, zmm11, 7
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xca
    vprorq zmm12, zmm10, 19
    vprorq zmm18, zmm10, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm14, zmm14, zmm24
    vpsrlq zmm29, zmm10, 6
    vprorq zmm19, zmm1, 14
    vpaddq zmm20, zmm20, zmm28
    vpaddq zmm3, zmm3, qword ptr [r10 + 160]{1to8}
    vprorq zmm31, zmm1, 18
    vprorq zmm26, zmm1, 41
    vpaddq zmm20, zmm20, zmm8
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm23, 28
    vpaddq zmm20, zmm20, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm6, zmm7, 0xe8
    vprorq zmm18, zmm23, 34
    vprorq zmm29, zmm23, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm3, zmm3, zmm30
    vprorq zmm12, zmm30, 1
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm30, 8
    vpsrlq zmm26, zmm30, 7
    vpaddq zmm14, zmm14, zmm24
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm28, zmm15, 19
    vprorq zmm18, zmm15, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpsrlq zmm29, zmm15, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm11, zmm11, zmm12
    vpaddq zmm2, zmm2, qword ptr [r10 + 168]{1to8}
    vprorq zmm31, zmm0, 18
    vprorq zmm26, zmm0, 41
    vpaddq zmm11, zmm11, zmm13
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm14, 28
    vpaddq zmm11, zmm11, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xe8
    vprorq zmm18, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm2, zmm2, zmm5
    vprorq zmm28, zmm5, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm5, 8
    vpsrlq zmm26, zmm5, 7
    vpaddq zmm3, zmm3, zmm19
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm12, zmm20, 19
    vprorq zmm18, zmm20, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm20, 6
    vprorq zmm19, zmm7, 14
    vpaddq zmm30, zmm30, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 176]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm26, zmm7, 41
    vpaddq zmm30, zmm30, zmm4
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm30, zmm30, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm18, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm19
    vpaddq zmm1, zmm1, zmm27
    vprorq zmm12, zmm27, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm27, 8
    vpsrlq zmm26, zmm27, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm28, zmm11, 19
    vprorq zmm18, zmm11, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpsrlq zmm29, zmm11, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm5, zmm5, zmm12
    vpaddq zmm0, zmm0, qword ptr [r10 + 184]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm26, zmm6, 41
    vpaddq zmm5, zmm5, zmm17
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm2, 28
    vpaddq zmm5, zmm5, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm2
    vpternlogq zmm12, zmm3, zmm14, 0xe8
    vprorq zmm18, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm25
    vprorq zmm28, zmm25, 1
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm25, 8
    vpsrlq zmm26, zmm25, 7
    vpaddq zmm1, zmm1, zmm19
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm12, zmm30, 19
    vprorq zmm18, zmm30, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm30, 6
    vprorq zmm19, zmm23, 14
    vpaddq zmm27, zmm27, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 192]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm26, zmm23, 41
    vpaddq zmm27, zmm27, zmm22
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm27, zmm27, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm18, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm7, zmm7, zmm9
    vprorq zmm12, zmm9, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm9, 8
    vpsrlq zmm26, zmm9, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm28, zmm5, 19
    vprorq zmm18, zmm5, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm29, zmm5, 6
    vprorq zmm24, zmm14, 14
    vpaddq zmm25, zmm25, zmm12
    vpaddq zmm6, zmm6, qword ptr [r10 + 200]{1to8}
    vprorq zmm31, zmm14, 18
    vprorq zmm26, zmm14, 41
    vpaddq zmm25, zmm25, zmm10
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm0, 28
    vpaddq zmm25, zmm25, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm7, zmm7, zmm24
    vpaddq zmm6, zmm6, zmm16
    vprorq zmm28, zmm16, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm16, 8
    vpsrlq zmm26, zmm16, 7
    vpaddq zmm7, zmm7, zmm19
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vprorq zmm12, zmm27, 19
    vprorq zmm18, zmm27, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm24
    vpsrlq zmm29, zmm27, 6
    vprorq zmm19, zmm3, 14
    vpaddq zmm9, zmm9, zmm28
    vpaddq zmm23, zmm23, qword ptr [r10 + 208]{1to8}
    vprorq zmm31, zmm3, 18
    vprorq zmm26, zmm3, 41
    vpaddq zmm9, zmm9, zmm15
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm7, 28
    vpaddq zmm9, zmm9, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm7
    vpternlogq zmm28, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm29, zmm7, 39
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm23, zmm23, zmm21
    vprorq zmm12, zmm21, 1
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm21, 8
    vpsrlq zmm26, zmm21, 7
    vpaddq zmm6, zmm6, zmm24
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vprorq zmm28, zmm25, 19
    vprorq zmm18, zmm25, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm23, zmm23, zmm19
    vpsrlq zmm29, zmm25, 6
    vprorq zmm24, zmm2, 14
    vpaddq zmm16, zmm16, zmm12
    vpaddq zmm14, zmm14, qword ptr [r10 + 216]{1to8}
    vprorq zmm31, zmm2, 18
    vprorq zmm26, zmm2, 41
    vpaddq zmm16, zmm16, zmm20
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm6, 28
    vpaddq zmm16, zmm16, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm29, zmm6, 39
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm14, zmm14, zmm8
    vprorq zmm28, zmm8, 1
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm8, 8
    vpsrlq zmm26, zmm8, 7
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xca
    vprorq zmm12, zmm9, 19
    vprorq zmm18, zmm9, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm14, zmm14, zmm24
    vpsrlq zmm29, zmm9, 6
    vprorq zmm19, zmm1, 14
    vpaddq zmm21, zmm21, zmm28
    vpaddq zmm3, zmm3, qword ptr [r10 + 224]{1to8}
    vprorq zmm31, zmm1, 18
    vprorq zmm26, zmm1, 41
    vpaddq zmm21, zmm21, zmm11
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm23, 28
    vpaddq zmm21, zmm21, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm6, zmm7, 0xe8
    vprorq zmm18, zmm23, 34
    vprorq zmm29, zmm23, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm3, zmm3, zmm13
    vprorq zmm12, zmm13, 1
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm13, 8
    vpsrlq zmm26, zmm13, 7
    vpaddq zmm14, zmm14, zmm24
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm28, zmm16, 19
    vprorq zmm18, zmm16, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpsrlq zmm29, zmm16, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm8, zmm8, zmm12
    vpaddq zmm2, zmm2, qword ptr [r10 + 232]{1to8}
    vprorq zmm31, zmm0, 18
    vprorq zmm26, zmm0, 41
    vpaddq zmm8, zmm8, zmm30
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm14, 28
    vpaddq zmm8, zmm8, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xe8
    vprorq zmm18, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm2, zmm2, zmm4
    vprorq zmm28, zmm4, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm4, 8
    vpsrlq zmm26, zmm4, 7
    vpaddq zmm3, zmm3, zmm19
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm12, zmm21, 19
    vprorq zmm18, zmm21, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm21, 6
    vprorq zmm19, zmm7, 14
    vpaddq zmm13, zmm13, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 240]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm26, zmm7, 41
    vpaddq zmm13, zmm13, zmm5
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm13, zmm13, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm18, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm19
    vpaddq zmm1, zmm1, zmm17
    vprorq zmm12, zmm17, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm17, 8
    vpsrlq zmm26, zmm17, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm28, zmm8, 19
    vprorq zmm18, zmm8, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpsrlq zmm29, zmm8, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm4, zmm4, zmm12
    vpaddq zmm0, zmm0, qword ptr [r10 + 248]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm26, zmm6, 41
    vpaddq zmm4, zmm4, zmm27
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm2, 28
    vpaddq zmm4, zmm4, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm2
    vpternlogq zmm12, zmm3, zmm14, 0xe8
    vprorq zmm18, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm22
    vprorq zmm28, zmm22, 1
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm22, 8
    vpsrlq zmm26, zmm22, 7
    vpaddq zmm1, zmm1, zmm19
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm12, zmm13, 19
    vprorq zmm18, zmm13, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm13, 6
    vprorq zmm19, zmm23, 14
    vpaddq zmm17, zmm17, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 256]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm26, zmm23, 41
    vpaddq zmm17, zmm17, zmm25
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm17, zmm17, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm18, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm7, zmm7, zmm10
    vprorq zmm12, zmm10, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm10, 8
    vpsrlq zmm26, zmm10, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm28, zmm4, 19
    vprorq zmm18, zmm4, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm29, zmm4, 6
    vprorq zmm24, zmm14, 14
    vpaddq zmm22, zmm22, zmm12
    vpaddq zmm6, zmm6, qword ptr [r10 + 264]{1to8}
    vprorq zmm31, zmm14, 18
    vprorq zmm26, zmm14, 41
    vpaddq zmm22, zmm22, zmm9
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm0, 28
    vpaddq zmm22, zmm22, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm7, zmm7, zmm24
    vpaddq zmm6, zmm6, zmm15
    vprorq zmm28, zmm15, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm15, 8
    vpsrlq zmm26, zmm15, 7
    vpaddq zmm7, zmm7, zmm19
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vprorq zmm12, zmm17, 19
    vprorq zmm18, zmm17, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm24
    vpsrlq zmm29, zmm17, 6
    vprorq zmm19, zmm3, 14
    vpaddq zmm10, zmm10, zmm28
    vpaddq zmm23, zmm23, qword ptr [r10 + 272]{1to8}
    vprorq zmm31, zmm3, 18
    vprorq zmm26, zmm3, 41
    vpaddq zmm10, zmm10, zmm16
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm7, 28
    vpaddq zmm10, zmm10, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm7
    vpternlogq zmm28, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm29, zmm7, 39
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm23, zmm23, zmm20
    vprorq zmm12, zmm20, 1
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm20, 8
    vpsrlq zmm26, zmm20, 7
    vpaddq zmm6, zmm6, zmm24
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vprorq zmm28, zmm22, 19
    vprorq zmm18, zmm22, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm23, zmm23, zmm19
    vpsrlq zmm29, zmm22, 6
    vprorq zmm24, zmm2, 14
    vpaddq zmm15, zmm15, zmm12
    vpaddq zmm14, zmm14, qword ptr [r10 + 280]{1to8}
    vprorq zmm31, zmm2, 18
    vprorq zmm26, zmm2, 41
    vpaddq zmm15, zmm15, zmm21
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm6, 28
    vpaddq zmm15, zmm15, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm29, zmm6, 39
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm14, zmm14, zmm11
    vprorq zmm28, zmm11, 1
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm11, 8
    vpsrlq zmm26, zmm11, 7
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xca
    vprorq zmm12, zmm10, 19
    vprorq zmm18, zmm10, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm14, zmm14, zmm24
    vpsrlq zmm29, zmm10, 6
    vprorq zmm19, zmm1, 14
    vpaddq zmm20, zmm20, zmm28
    vpaddq zmm3, zmm3, qword ptr [r10 + 288]{1to8}
    vprorq zmm31, zmm1, 18
    vprorq zmm26, zmm1, 41
    vpaddq zmm20, zmm20, zmm8
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm23, 28
    vpaddq zmm20, zmm20, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm6, zmm7, 0xe8
    vprorq zmm18, zmm23, 34
    vprorq zmm29, zmm23, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm3, zmm3, zmm30
    vprorq zmm12, zmm30, 1
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm30, 8
    vpsrlq zmm26, zmm30, 7
    vpaddq zmm14, zmm14, zmm24
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm28, zmm15, 19
    vprorq zmm18, zmm15, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpsrlq zmm29, zmm15, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm11, zmm11, zmm12
    vpaddq zmm2, zmm2, qword ptr [r10 + 296]{1to8}
    vprorq zmm31, zmm0, 18
    vprorq zmm26, zmm0, 41
    vpaddq zmm11, zmm11, zmm13
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm14, 28
    vpaddq zmm11, zmm11, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xe8
    vprorq zmm18, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm2, zmm2, zmm5
    vprorq zmm28, zmm5, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm5, 8
    vpsrlq zmm26, zmm5, 7
    vpaddq zmm3, zmm3, zmm19
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm12, zmm20, 19
    vprorq zmm18, zmm20, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm20, 6
    vprorq zmm19, zmm7, 14
    vpaddq zmm30, zmm30, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 304]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm26, zmm7, 41
    vpaddq zmm30, zmm30, zmm4
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm30, zmm30, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm18, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm19
    vpaddq zmm1, zmm1, zmm27
    vprorq zmm12, zmm27, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm27, 8
    vpsrlq zmm26, zmm27, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm28, zmm11, 19
    vprorq zmm18, zmm11, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpsrlq zmm29, zmm11, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm5, zmm5, zmm12
    vpaddq zmm0, zmm0, qword ptr [r10 + 312]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm26, zmm6, 41
    vpaddq zmm5, zmm5, zmm17
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm2, 28
    vpaddq zmm5, zmm5, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm2
    vpternlogq zmm12, zmm3, zmm14, 0xe8
    vprorq zmm18, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm25
    vprorq zmm28, zmm25, 1
    vpaddq zmm23, zmm23, zmm1
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 32]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 40]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 48]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 56]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
4:
    vpaddq zmm1, zmm1, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm25, 8
    vpsrlq zmm26, zmm25, 7
    vpaddq zmm1, zmm1, zmm19
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm12, zmm30, 19
    vprorq zmm18, zmm30, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm30, 6
    vprorq zmm19, zmm23, 14
    vpaddq zmm27, zmm27, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 320]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm26, zmm23, 41
    vpaddq zmm27, zmm27, zmm22
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm27, zmm27, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm18, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm7, zmm7, zmm9
    vprorq zmm12, zmm9, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm9, 8
    vpsrlq zmm26, zmm9, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm28, zmm5, 19
    vprorq zmm18, zmm5, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm29, zmm5, 6
    vprorq zmm24, zmm14, 14
    vpaddq zmm25, zmm25, zmm12
    vpaddq zmm6, zmm6, qword ptr [r10 + 328]{1to8}
    vprorq zmm31, zmm14, 18
    vprorq zmm26, zmm14, 41
    vpaddq zmm25, zmm25, zmm10
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm0, 28
    vpaddq zmm25, zmm25, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm7, zmm7, zmm24
    vpaddq zmm6, zmm6, zmm16
    vprorq zmm28, zmm16, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm16, 8
    vpsrlq zmm26, zmm16, 7
    vpaddq zmm7, zmm7, zmm19
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vprorq zmm12, zmm27, 19
    vprorq zmm18, zmm27, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm24
    vpsrlq zmm29, zmm27, 6
    vprorq zmm19, zmm3, 14
    vpaddq zmm9, zmm9, zmm28
    vpaddq zmm23, zmm23, qword ptr [r10 + 336]{1to8}
    vprorq zmm31, zmm3, 18
    vprorq zmm26, zmm3, 41
    vpaddq zmm9, zmm9, zmm15
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm7, 28
    vpaddq zmm9, zmm9, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm7
    vpternlogq zmm28, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm29, zmm7, 39
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm23, zmm23, zmm21
    vprorq zmm12, zmm21, 1
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm21, 8
    vpsrlq zmm26, zmm21, 7
    vpaddq zmm6, zmm6, zmm24
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vprorq zmm28, zmm25, 19
    vprorq zmm18, zmm25, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm23, zmm23, zmm19
    vpsrlq zmm29, zmm25, 6
    vprorq zmm24, zmm2, 14
    vpaddq zmm16, zmm16, zmm12
    vpaddq zmm14, zmm14, qword ptr [r10 + 344]{1to8}
    vprorq zmm31, zmm2, 18
    vprorq zmm26, zmm2, 41
    vpaddq zmm16, zmm16, zmm20
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm6, 28
    vpaddq zmm16, zmm16, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm29, zmm6, 39
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm14, zmm14, zmm8
    vprorq zmm28, zmm8, 1
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm8, 8
    vpsrlq zmm26, zmm8, 7
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xca
    vprorq zmm12, zmm9, 19
    vprorq zmm18, zmm9, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm14, zmm14, zmm24
    vpsrlq zmm29, zmm9, 6
    vprorq zmm19, zmm1, 14
    vpaddq zmm21, zmm21, zmm28
    vpaddq zmm3, zmm3, qword ptr [r10 + 352]{1to8}
    vprorq zmm31, zmm1, 18
    vprorq zmm26, zmm1, 41
    vpaddq zmm21, zmm21, zmm11
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm23, 28
    vpaddq zmm21, zmm21, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm6, zmm7, 0xe8
    vprorq zmm18, zmm23, 34
    vprorq zmm29, zmm23, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm3, zmm3, zmm13
    vprorq zmm12, zmm13, 1
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm13, 8
    vpsrlq zmm26, zmm13, 7
    vpaddq zmm14, zmm14, zmm24
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm28, zmm16, 19
    vprorq zmm18, zmm16, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpsrlq zmm29, zmm16, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm8, zmm8, zmm12
    vpaddq zmm2, zmm2, qword ptr [r10 + 360]{1to8}
    vprorq zmm31, zmm0, 18
    vprorq zmm26, zmm0, 41
    vpaddq zmm8, zmm8, zmm30
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm14, 28
    vpaddq zmm8, zmm8, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xe8
    vprorq zmm18, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm2, zmm2, zmm4
    vprorq zmm28, zmm4, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm4, 8
    vpsrlq zmm26, zmm4, 7
    vpaddq zmm3, zmm3, zmm19
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm12, zmm21, 19
    vprorq zmm18, zmm21, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm21, 6
    vprorq zmm19, zmm7, 14
    vpaddq zmm13, zmm13, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 368]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm26, zmm7, 41
    vpaddq zmm13, zmm13, zmm5
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm13, zmm13, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm18, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm19
    vpaddq zmm1, zmm1, zmm17
    vprorq zmm12, zmm17, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm17, 8
    vpsrlq zmm26, zmm17, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm28, zmm8, 19
    vprorq zmm18, zmm8, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpsrlq zmm29, zmm8, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm4, zmm4, zmm12
    vpaddq zmm0, zmm0, qword ptr [r10 + 376]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm26, zmm6, 41
    vpaddq zmm4, zmm4, zmm27
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm2, 28
    vpaddq zmm4, zmm4, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm2
    vpternlogq zmm12, zmm3, zmm14, 0xe8
    vprorq zmm18, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm22
    vprorq zmm28, zmm22, 1
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm22, 8
    vpsrlq zmm26, zmm22, 7
    vpaddq zmm1, zmm1, zmm19
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm12, zmm13, 19
    vprorq zmm18, zmm13, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm13, 6
    vprorq zmm19, zmm23, 14
    vpaddq zmm17, zmm17, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 384]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm26, zmm23, 41
    vpaddq zmm17, zmm17, zmm25
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm17, zmm17, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm18, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm7, zmm7, zmm10
    vprorq zmm12, zmm10, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm10, 8
    vpsrlq zmm26, zmm10, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm28, zmm4, 19
    vprorq zmm18, zmm4, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm29, zmm4, 6
    vprorq zmm24, zmm14, 14
    vpaddq zmm22, zmm22, zmm12
    vpaddq zmm6, zmm6, qword ptr [r10 + 392]{1to8}
    vprorq zmm31, zmm14, 18
    vprorq zmm26, zmm14, 41
    vpaddq zmm22, zmm22, zmm9
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm0, 28
    vpaddq zmm22, zmm22, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm7, zmm7, zmm24
    vpaddq zmm6, zmm6, zmm15
    vprorq zmm28, zmm15, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm15, 8
    vpsrlq zmm26, zmm15, 7
    vpaddq zmm7, zmm7, zmm19
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vprorq zmm12, zmm17, 19
    vprorq zmm18, zmm17, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm24
    vpsrlq zmm29, zmm17, 6
    vprorq zmm19, zmm3, 14
    vpaddq zmm10, zmm10, zmm28
    vpaddq zmm23, zmm23, qword ptr [r10 + 400]{1to8}
    vprorq zmm31, zmm3, 18
    vprorq zmm26, zmm3, 41
    vpaddq zmm10, zmm10, zmm16
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm7, 28
    vpaddq zmm10, zmm10, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm7
    vpternlogq zmm28, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm29, zmm7, 39
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm23, zmm23, zmm20
    vprorq zmm12, zmm20, 1
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm20, 8
    vpsrlq zmm26, zmm20, 7
    vpaddq zmm6, zmm6, zmm24
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vprorq zmm28, zmm22, 19
    vprorq zmm18, zmm22, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm23, zmm23, zmm19
    vpsrlq zmm29, zmm22, 6
    vprorq zmm24, zmm2, 14
    vpaddq zmm15, zmm15, zmm12
    vpaddq zmm14, zmm14, qword ptr [r10 + 408]{1to8}
    vprorq zmm31, zmm2, 18
    vprorq zmm26, zmm2, 41
    vpaddq zmm15, zmm15, zmm21
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm6, 28
    vpaddq zmm15, zmm15, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm6
    vpternlogq zmm12, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm29, zmm6, 39
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm14, zmm14, zmm11
    vprorq zmm28, zmm11, 1
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm11, 8
    vpsrlq zmm26, zmm11, 7
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm24, zmm1
    vpternlogq zmm24, zmm2, zmm3, 0xca
    vprorq zmm12, zmm10, 19
    vprorq zmm18, zmm10, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm14, zmm14, zmm24
    vpsrlq zmm29, zmm10, 6
    vprorq zmm19, zmm1, 14
    vpaddq zmm20, zmm20, zmm28
    vpaddq zmm3, zmm3, qword ptr [r10 + 416]{1to8}
    vprorq zmm31, zmm1, 18
    vprorq zmm26, zmm1, 41
    vpaddq zmm20, zmm20, zmm8
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm23, 28
    vpaddq zmm20, zmm20, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm6, zmm7, 0xe8
    vprorq zmm18, zmm23, 34
    vprorq zmm29, zmm23, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm3, zmm3, zmm30
    vprorq zmm12, zmm30, 1
    vpaddq zmm0, zmm0, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm30, 8
    vpsrlq zmm26, zmm30, 7
    vpaddq zmm14, zmm14, zmm24
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm28, zmm15, 19
    vprorq zmm18, zmm15, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpsrlq zmm29, zmm15, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm11, zmm11, zmm12
    vpaddq zmm2, zmm2, qword ptr [r10 + 424]{1to8}
    vprorq zmm31, zmm0, 18
    vprorq zmm26, zmm0, 41
    vpaddq zmm11, zmm11, zmm13
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm14, 28
    vpaddq zmm11, zmm11, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xe8
    vprorq zmm18, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm2, zmm2, zmm5
    vprorq zmm28, zmm5, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm5, 8
    vpsrlq zmm26, zmm5, 7
    vpaddq zmm3, zmm3, zmm19
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm12, zmm20, 19
    vprorq zmm18, zmm20, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm20, 6
    vprorq zmm19, zmm7, 14
    vpaddq zmm30, zmm30, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 432]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm26, zmm7, 41
    vpaddq zmm30, zmm30, zmm4
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm30, zmm30, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm18, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm19
    vpaddq zmm1, zmm1, zmm27
    vprorq zmm12, zmm27, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm27, 8
    vpsrlq zmm26, zmm27, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm28, zmm11, 19
    vprorq zmm18, zmm11, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpsrlq zmm29, zmm11, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm5, zmm5, zmm12
    vpaddq zmm0, zmm0, qword ptr [r10 + 440]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm26, zmm6, 41
    vpaddq zmm5, zmm5, zmm17
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm2, 28
    vpaddq zmm5, zmm5, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm2
    vpternlogq zmm12, zmm3, zmm14, 0xe8
    vprorq zmm18, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm25
    vprorq zmm28, zmm25, 1
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm25, 8
    vpsrlq zmm26, zmm25, 7
    vpaddq zmm1, zmm1, zmm19
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm12, zmm30, 19
    vprorq zmm18, zmm30, 61
    vpternlogq zmm28, zmm31, zmm26, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm30, 6
    vprorq zmm19, zmm23, 14
    vpaddq zmm27, zmm27, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 448]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm26, zmm23, 41
    vpaddq zmm27, zmm27, zmm22
    vpternlogq zmm12, zmm18, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm27, zmm27, zmm12
    vpternlogq zmm19, zmm31, zmm26, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm18, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm7, zmm7, zmm9
    vprorq zmm12, zmm9, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm18, zmm29, 0x96
    vprorq zmm31, zmm9, 8
    vpsrlq zmm26, zmm9, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm23, zmm6, 0xca
    vprorq zmm28, zmm5, 19
    vprorq zmm18, zmm5, 61
    vpternlogq zmm12, zmm31, zmm26, 0x96
    vpaddq zmm7, zmm7, zmm19
    vpsrlq zmm29, zmm5, 6
    vprorq zmm24, zmm14, 14
    vpaddq zmm25, zmm25, zmm12
    vprorq zmm31, zmm14, 18
    vprorq zmm26, zmm14, 41
    vpaddq zmm25, zmm25, zmm10
    vpternlogq zmm28, zmm18, zmm29, 0x96
    vprorq zmm19, zmm0, 28
    vpaddq zmm25, zmm25, zmm28
    vpternlogq zmm24, zmm31, zmm26, 0x96
    vmovdqa64 zmm12, zmm0
    vpternlogq zmm12, zmm1, zmm2, 0xe8
    vprorq zmm18, zmm0, 34
    vprorq zmm29, zmm0, 39
    vpaddq zmm7, zmm7, zmm24
    vpaddq zmm6, zmm6, qword ptr [r10 + 456]{1to8}
    vprorq zmm28, zmm16, 1
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm19, zmm18, zmm29, 0x96
    vprorq zmm31, zmm16, 8
    vpsrlq zmm26, zmm16, 7
    vpaddq zmm7, zmm7, zmm19
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    vpaddq zmm6, zmm6, zmm16
    vpternlogq zmm28, zmm31, zmm26, 0x96
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 0]
    vpaddq zmm9, zmm9, zmm28
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    vpaddq zmm9, zmm9, zmm15
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 0], 1
    vpunpcklqdq zmm19, zmm24, zmm12
    vpunpckhqdq zmm24, zmm24, zmm12
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    vpunpcklqdq zmm31, zmm18, zmm29
    vpunpckhqdq zmm18, zmm18, zmm29
    vshufi64x2 zmm26, zmm19, zmm31, 0x88
    vshufi64x2 zmm19, zmm19, zmm31, 0xdd
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vshufi64x2 zmm28, zmm24, zmm18, 0x88
    vshufi64x2 zmm24, zmm24, zmm18, 0xdd
    vmovdqa64 zmmword ptr [r9 + 0], zmm26
    vmovdqa64 zmmword ptr [r9 + 128], zmm19
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vprorq zmm31, zmm27, 19
    vmovdqa64 zmmword ptr [r9 + 64], zmm28
    vmovdqa64 zmmword ptr [r9 + 192], zmm24
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm26, zmm12, zmm29
    vpunpckhqdq zmm12, zmm12, zmm29
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 32], 1
    vprorq zmm19, zmm27, 61
    vpsrlq zmm28, zmm27, 6
    vpternlogq zmm31, zmm19, zmm28, 0x96
    vpaddq zmm9, zmm9, zmm31
    vmovdqa64 zmm24, zmm3
    vpternlogq zmm24, zmm14, zmm23, 0xca
    vpaddq zmm23, zmm23, qword ptr [r10 + 464]{1to8}
    vprorq zmm29, zmm3, 14
    vpaddq zmm6, zmm6, zmm24
    vpaddq zmm23, zmm23, zmm21
    vprorq zmm19, zmm3, 18
    vprorq zmm28, zmm3, 41
    vpternlogq zmm29, zmm19, zmm28, 0x96
    vpaddq zmm6, zmm6, zmm29
    vmovdqa64 zmm31, zmm7
    vpternlogq zmm31, zmm0, zmm1, 0xe8
    vprorq zmm24, zmm7, 28
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm31
    vprorq zmm19, zmm7, 34
    vprorq zmm28, zmm7, 39
    vpternlogq zmm24, zmm19, zmm28, 0x96
    vprorq zmm29, zmm21, 1
    vpaddq zmm6, zmm6, zmm24
    vprorq zmm31, zmm21, 8
    vpsrlq zmm19, zmm21, 7
    vpternlogq zmm29, zmm31, zmm19, 0x96
    vprorq zmm28, zmm25, 19
    vpaddq zmm16, zmm16, zmm29
    vpaddq zmm16, zmm16, zmm20
    vprorq zmm24, zmm25, 61
    vpsrlq zmm31, zmm25, 6
    vpternlogq zmm28, zmm24, zmm31, 0x96
    vpaddq zmm16, zmm16, zmm28
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm29, zmm18, zmm19
    vpunpckhqdq zmm18, zmm18, zmm19
    vshufi64x2 zmm24, zmm26, zmm29, 0x88
    vshufi64x2 zmm26, zmm26, zmm29, 0xdd
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vshufi64x2 zmm31, zmm12, zmm18, 0x88
    vshufi64x2 zmm12, zmm12, zmm18, 0xdd
    vmovdqa64 zmmword ptr [r9 + 256], zmm24
    vmovdqa64 zmmword ptr [r9 + 384], zmm26
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 64]
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 320], zmm31
    vmovdqa64 zmmword ptr [r9 + 448], zmm12
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 64], 1
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 64], 1
    vpunpcklqdq zmm24, zmm28, zmm19
    vpunpckhqdq zmm28, zmm28, zmm19
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 64], 1
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 64], 1
    vpunpcklqdq zmm26, zmm29, zmm18
    vpunpckhqdq zmm29, zmm29, zmm18
    vshufi64x2 zmm31, zmm24, zmm26, 0x88
    vshufi64x2 zmm24, zmm24, zmm26, 0xdd
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vprorq zmm12, zmm2, 14
    vmovdqa64 zmmword ptr [r9 + 512], zmm31
    vmovdqa64 zmm19, zmm2
    vpternlogq zmm19, zmm3, zmm14, 0xca
    vpaddq zmm14, zmm14, qword ptr [r10 + 472]{1to8}
    vmovdqa64 zmmword ptr [r9 + 640], zmm24
    vprorq zmm18, zmm2, 18
    vpaddq zmm23, zmm23, zmm19
    vpaddq zmm14, zmm14, zmm8
    vprorq zmm26, zmm2, 41
    vpternlogq zmm12, zmm18, zmm26, 0x96
    vmovdqa64 zmm31, zmm6
    vpternlogq zmm31, zmm7, zmm0, 0xe8
    vprorq zmm24, zmm6, 28
    vpaddq zmm23, zmm23, zmm12
    vprorq zmm19, zmm6, 34
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm23, zmm23, zmm31
    vprorq zmm18, zmm6, 39
    vprorq zmm26, zmm8, 1
    vpternlogq zmm24, zmm19, zmm18, 0x96
    vprorq zmm12, zmm8, 8
    vpaddq zmm23, zmm23, zmm24
    vpsrlq zmm31, zmm8, 7
    vprorq zmm19, zmm9, 19
    vpternlogq zmm26, zmm12, zmm31, 0x96
    vprorq zmm18, zmm9, 61
    vpaddq zmm21, zmm21, zmm26
    vpaddq zmm21, zmm21, zmm11
    vpsrlq zmm24, zmm9, 6
    vpternlogq zmm19, zmm18, zmm24, 0x96
    vmovdqa64 zmm12, zmm1
    vpternlogq zmm12, zmm2, zmm3, 0xca
    vpaddq zmm3, zmm3, qword ptr [r10 + 480]{1to8}
    vprorq zmm31, zmm1, 14
    vprorq zmm26, zmm1, 18
    vpaddq zmm21, zmm21, zmm19
    vpaddq zmm14, zmm14, zmm12
    vprorq zmm18, zmm1, 41
    vpaddq zmm3, zmm3, zmm13
    vshufi64x2 zmm24, zmm28, zmm29, 0x88
    vshufi64x2 zmm28, zmm28, zmm29, 0xdd
    vpternlogq zmm31, zmm26, zmm18, 0x96
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 96]
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vpaddq zmm14, zmm14, zmm31
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 96]
    vmovdqa64 zmmword ptr [r9 + 576], zmm24
    vmovdqa64 zmmword ptr [r9 + 704], zmm28
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 96]
    vpaddq zmm0, zmm0, zmm14
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 96], 1
    vpunpcklqdq zmm18, zmm19, zmm12
    vpunpckhqdq zmm19, zmm19, zmm12
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 96], 1
    vpunpcklqdq zmm31, zmm29, zmm26
    vpunpckhqdq zmm29, zmm29, zmm26
    vshufi64x2 zmm24, zmm18, zmm31, 0x88
    vshufi64x2 zmm18, zmm18, zmm31, 0xdd
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vpshufb zmm18, zmm18, zmmword ptr [r11]
    vshufi64x2 zmm28, zmm19, zmm29, 0x88
    vshufi64x2 zmm19, zmm19, zmm29, 0xdd
    vmovdqa64 zmmword ptr [r9 + 768], zmm24
    vmovdqa64 zmmword ptr [r9 + 896], zmm18
    vmovdqa64 zmm12, zmm23
    vpternlogq zmm12, zmm6, zmm7, 0xe8
    vmovdqa64 zmm26, zmm0
    vpternlogq zmm26, zmm1, zmm2, 0xca
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vpaddq zmm14, zmm14, zmm12
    vpaddq zmm3, zmm3, zmm26
    vprorq zmm31, zmm23, 28
    vprorq zmm29, zmm23, 34
    vmovdqa64 zmmword ptr [r9 + 832], zmm28
    vmovdqa64 zmmword ptr [r9 + 960], zmm19
    vpaddq zmm2, zmm2, qword ptr [r10 + 488]{1to8}
    vprorq zmm24, zmm23, 39
    vprorq zmm18, zmm13, 1
    vpaddq zmm2, zmm2, zmm4
    vprorq zmm12, zmm13, 8
    vpsrlq zmm26, zmm13, 7
    vpternlogq zmm31, zmm29, zmm24, 0x96
    vprorq zmm28, zmm16, 19
    vprorq zmm19, zmm16, 61
    vpaddq zmm14, zmm14, zmm31
    vpternlogq zmm18, zmm12, zmm26, 0x96
    vpsrlq zmm29, zmm16, 6
    vprorq zmm24, zmm0, 14
    vpaddq zmm8, zmm8, zmm18
    vprorq zmm31, zmm0, 18
    vprorq zmm12, zmm0, 41
    vpaddq zmm8, zmm8, zmm30
    vpternlogq zmm28, zmm19, zmm29, 0x96
    vprorq zmm26, zmm14, 28
    vpaddq zmm8, zmm8, zmm28
    vpternlogq zmm24, zmm31, zmm12, 0x96
    vmovdqa64 zmm18, zmm14
    vpternlogq zmm18, zmm23, zmm6, 0xe8
    vprorq zmm19, zmm14, 34
    vprorq zmm29, zmm14, 39
    vpaddq zmm3, zmm3, zmm24
    vprorq zmm28, zmm4, 1
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm18
    vpternlogq zmm26, zmm19, zmm29, 0x96
    vprorq zmm31, zmm4, 8
    vpsrlq zmm12, zmm4, 7
    vpaddq zmm3, zmm3, zmm26
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xca
    vprorq zmm18, zmm21, 19
    vprorq zmm19, zmm21, 61
    vpternlogq zmm28, zmm31, zmm12, 0x96
    vpaddq zmm2, zmm2, zmm24
    vpsrlq zmm29, zmm21, 6
    vprorq zmm26, zmm7, 14
    vpaddq zmm13, zmm13, zmm28
    vpaddq zmm1, zmm1, qword ptr [r10 + 496]{1to8}
    vprorq zmm31, zmm7, 18
    vprorq zmm12, zmm7, 41
    vpaddq zmm13, zmm13, zmm5
    vpternlogq zmm18, zmm19, zmm29, 0x96
    vprorq zmm24, zmm3, 28
    vpaddq zmm13, zmm13, zmm18
    vpternlogq zmm26, zmm31, zmm12, 0x96
    vmovdqa64 zmm28, zmm3
    vpternlogq zmm28, zmm14, zmm23, 0xe8
    vprorq zmm19, zmm3, 34
    vprorq zmm29, zmm3, 39
    vpaddq zmm2, zmm2, zmm26
    vpaddq zmm1, zmm1, zmm17
    vprorq zmm18, zmm17, 1
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm28
    vpternlogq zmm24, zmm19, zmm29, 0x96
    vprorq zmm31, zmm17, 8
    vpsrlq zmm12, zmm17, 7
    vpaddq zmm2, zmm2, zmm24
    vmovdqa64 zmm26, zmm6
    vpternlogq zmm26, zmm7, zmm0, 0xca
    vprorq zmm28, zmm8, 19
    vprorq zmm19, zmm8, 61
    vpternlogq zmm18, zmm31, zmm12, 0x96
    vpaddq zmm1, zmm1, zmm26
    vpsrlq zmm29, zmm8, 6
    vprorq zmm24, zmm6, 14
    vpaddq zmm4, zmm4, zmm18
    vpaddq zmm0, zmm0, qword ptr [r10 + 504]{1to8}
    vprorq zmm31, zmm6, 18
    vprorq zmm12, zmm6, 41
    vpaddq zmm4, zmm4, zmm27
    vpternlogq zmm28, zmm19, zmm29, 0x96
    vprorq zmm26, zmm2, 28
    vpaddq zmm4, zmm4, zmm28
    vpternlogq zmm24, zmm31, zmm12, 0x96
    vmovdqa64 zmm18, zmm2
    vpternlogq zmm18, zmm3, zmm14, 0xe8
    vprorq zmm19, zmm2, 34
    vprorq zmm29, zmm2, 39
    vpaddq zmm1, zmm1, zmm24
    vpaddq zmm0, zmm0, zmm22
    vprorq zmm28, zmm22, 1
    vpaddq zmm23, zmm23, zmm1
    vpaddq zmm1, zmm1, zmm18
    vpternlogq zmm26, zmm19, zmm29, 0x96
    vprorq zmm31, zmm22, 8
    vpsrlq zmm12, zmm22, 7
    vpaddq zmm1, zmm1, zmm26
    vmovdqa64 zmm24, zmm23
    vpternlogq zmm24, zmm6, zmm7, 0xca
    vprorq zmm18, zmm13, 19
    vprorq zmm19, zmm13, 61
    vpternlogq zmm28, zmm31, zmm12, 0x96
    vpaddq zmm0, zmm0, zmm24
    vpsrlq zmm29, zmm13, 6
    vprorq zmm26, zmm23, 14
    vpaddq zmm17, zmm17, zmm28
    vpaddq zmm7, zmm7, qword ptr [r10 + 512]{1to8}
    vprorq zmm31, zmm23, 18
    vprorq zmm12, zmm23, 41
    vpaddq zmm17, zmm17, zmm25
    vpternlogq zmm18, zmm19, zmm29, 0x96
    vprorq zmm24, zmm1, 28
    vpaddq zmm17, zmm17, zmm18
    vpternlogq zmm26, zmm31, zmm12, 0x96
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm19, zmm1, 34
    vprorq zmm29, zmm1, 39
    vpaddq zmm0, zmm0, zmm26
    vpaddq zmm7, zmm7, zmm10
    vprorq zmm18, zmm10, 1
    vpaddq zmm14, zmm14, zmm0
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm24, zmm19, zmm29, 0x96
    vprorq zmm31, zmm10, 8
    vpsrlq zmm10, zmm10, 7
    vpaddq zmm0, zmm0, zmm24
    vmovdqa64 zmm12, zmm14
    vpternlogq zmm12, zmm23, zmm6, 0xca
    vprorq zmm26, zmm4, 19
    vprorq zmm28, zmm4, 61
    vpternlogq zmm18, zmm31, zmm10, 0x96
    vpaddq zmm7, zmm7, zmm12
    vpsrlq zmm19, zmm4, 6
    vprorq zmm29, zmm14, 14
    vpaddq zmm22, zmm22, zmm18
    vmovdqa64 zmm24, zmm0
    vpternlogq zmm24, zmm1, zmm2, 0xe8
    vprorq zmm31, zmm14, 18
    vprorq zmm10, zmm14, 41
    vpaddq zmm22, zmm22, zmm9
    vpternlogq zmm26, zmm28, zmm19, 0x96
    vprorq zmm12, zmm0, 28
    vprorq zmm18, zmm0, 34
    vpaddq zmm22, zmm22, zmm26
    vpternlogq zmm29, zmm31, zmm10, 0x96
    vprorq zmm28, zmm0, 39
    vpaddq zmm7, zmm7, zmm29
    vpaddq zmm6, zmm6, qword ptr [r10 + 520]{1to8}
    vpaddq zmm19, zmm23, qword ptr [r10 + 528]{1to8}
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm24
    vpternlogq zmm12, zmm18, zmm28, 0x96
    vpaddq zmm6, zmm6, zmm15
    vprorq zmm26, zmm3, 14
    vprorq zmm31, zmm3, 18
    vpaddq zmm7, zmm7, zmm12
    vpternlogq zmm23, zmm14, zmm3, 0xd8
    vprorq zmm10, zmm3, 41
    vprorq zmm29, zmm7, 28
    vpaddq zmm6, zmm6, zmm23
    vmovdqa64 zmm24, zmm7
    vpternlogq zmm24, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm7, 34
    vprorq zmm28, zmm7, 39
    vpternlogq zmm26, zmm31, zmm10, 0x96
    vpaddq zmm19, zmm19, zmm20
    vpaddq zmm6, zmm6, zmm26
    vpternlogq zmm29, zmm18, zmm28, 0x96
    vpaddq zmm15, zmm14, qword ptr [r10 + 536]{1to8}
    vpaddq zmm12, zmm3, qword ptr [r10 + 544]{1to8}
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm24
    vpaddq zmm15, zmm15, zmm11
    vpaddq zmm12, zmm12, zmm30
    vprorq zmm23, zmm2, 14
    vprorq zmm31, zmm2, 18
    vpaddq zmm6, zmm6, zmm29
    vpternlogq zmm14, zmm3, zmm2, 0xd8
    vprorq zmm10, zmm2, 41
    vprorq zmm20, zmm6, 28
    vpaddq zmm19, zmm19, zmm14
    vmovdqa64 zmm26, zmm6
    vpternlogq zmm26, zmm7, zmm0, 0xe8
    vprorq zmm18, zmm6, 34
    vprorq zmm28, zmm6, 39
    vpternlogq zmm23, zmm31, zmm10, 0x96
    vpaddq zmm24, zmm2, qword ptr [r10 + 552]{1to8}
    vpaddq zmm19, zmm19, zmm23
    vpternlogq zmm20, zmm18, zmm28, 0x96
    vpaddq zmm24, zmm24, zmm5
    vpaddq zmm1, zmm1, zmm19
    vpaddq zmm19, zmm19, zmm26
    vprorq zmm11, zmm1, 14
    vprorq zmm30, zmm1, 18
    vpaddq zmm19, zmm19, zmm20
    vpternlogq zmm3, zmm2, zmm1, 0xd8
    vprorq zmm29, zmm1, 41
    vprorq zmm14, zmm19, 28
    vpaddq zmm15, zmm15, zmm3
    vmovdqa64 zmm31, zmm19
    vpternlogq zmm31, zmm6, zmm7, 0xe8
    vprorq zmm10, zmm19, 34
    vprorq zmm23, zmm19, 39
    vpternlogq zmm11, zmm30, zmm29, 0x96
    vpaddq zmm18, zmm1, qword ptr [r10 + 560]{1to8}
    vpaddq zmm15, zmm15, zmm11
    vpternlogq zmm14, zmm10, zmm23, 0x96
    vpaddq zmm18, zmm18, zmm27
    vpaddq zmm0, zmm0, zmm15
    vpaddq zmm15, zmm15, zmm31
    vprorq zmm28, zmm0, 14
    vprorq zmm5, zmm0, 18
    vpaddq zmm15, zmm15, zmm14
    vpternlogq zmm2, zmm1, zmm0, 0xd8
    vprorq zmm26, zmm0, 41
    vprorq zmm20, zmm15, 28
    vpaddq zmm12, zmm12, zmm2
    vmovdqa64 zmm3, zmm15
    vpternlogq zmm3, zmm19, zmm6, 0xe8
    vprorq zmm30, zmm15, 34
    vprorq zmm29, zmm15, 39
    vpternlogq zmm28, zmm5, zmm26, 0x96
    vpaddq zmm11, zmm0, qword ptr [r10 + 568]{1to8}
    vpaddq zmm12, zmm12, zmm28
    vpternlogq zmm20, zmm30, zmm29, 0x96
    vpaddq zmm11, zmm11, zmm25
    vpaddq zmm7, zmm7, zmm12
    vpaddq zmm12, zmm12, zmm3
    vprorq zmm10, zmm7, 14
    vprorq zmm23, zmm7, 18
    vpaddq zmm12, zmm12, zmm20
    vpternlogq zmm1, zmm0, zmm7, 0xd8
    vprorq zmm27, zmm7, 41
    vprorq zmm31, zmm12, 28
    vpaddq zmm24, zmm24, zmm1
    vmovdqa64 zmm14, zmm12
    vpternlogq zmm14, zmm15, zmm19, 0xe8
    vprorq zmm2, zmm12, 34
    vprorq zmm5, zmm12, 39
    vpternlogq zmm10, zmm23, zmm27, 0x96
    vpaddq zmm26, zmm7, qword ptr [r10 + 576]{1to8}
    vpaddq zmm24, zmm24, zmm10
    vpternlogq zmm31, zmm2, zmm5, 0x96
    vpaddq zmm26, zmm26, zmm9
    vpaddq zmm6, zmm6, zmm24
    vpaddq zmm24, zmm24, zmm14
    vprorq zmm28, zmm6, 14
    vprorq zmm30, zmm6, 18
    vpaddq zmm24, zmm24, zmm31
    vpternlogq zmm0, zmm7, zmm6, 0xd8
    vprorq zmm29, zmm6, 41
    vprorq zmm25, zmm24, 28
    vpaddq zmm18, zmm18, zmm0
    vmovdqa64 zmm3, zmm24
    vpternlogq zmm3, zmm12, zmm15, 0xe8
    vprorq zmm20, zmm24, 34
    vprorq zmm1, zmm24, 39
    vpternlogq zmm28, zmm30, zmm29, 0x96
    vpaddq zmm23, zmm6, qword ptr [r10 + 584]{1to8}
    vpaddq zmm18, zmm18, zmm28
    vpternlogq zmm25, zmm20, zmm1, 0x96
    vpaddq zmm23, zmm23, zmm16
    vpaddq zmm19, zmm19, zmm18
    vpaddq zmm18, zmm18, zmm3
    vprorq zmm27, zmm19, 14
    vprorq zmm10, zmm19, 18
    vpaddq zmm18, zmm18, zmm25
    vpternlogq zmm7, zmm6, zmm19, 0xd8
    vprorq zmm2, zmm19, 41
    vprorq zmm5, zmm18, 28
    vpaddq zmm11, zmm11, zmm7
    vmovdqa64 zmm9, zmm18
    vpternlogq zmm9, zmm24, zmm12, 0xe8
    vprorq zmm14, zmm18, 34
    vprorq zmm31, zmm18, 39
    vpternlogq zmm27, zmm10, zmm2, 0x96
    vpaddq zmm0, zmm19, qword ptr [r10 + 592]{1to8}
    vpaddq zmm11, zmm11, zmm27
    vpternlogq zmm5, zmm14, zmm31, 0x96
    vpaddq zmm0, zmm0, zmm21
    vpaddq zmm15, zmm15, zmm11
    vpaddq zmm11, zmm11, zmm9
    vprorq zmm30, zmm15, 14
    vprorq zmm29, zmm15, 18
    vpaddq zmm11, zmm11, zmm5
    vpternlogq zmm6, zmm19, zmm15, 0xd8
    vprorq zmm28, zmm15, 41
    vprorq zmm20, zmm11, 28
    vpaddq zmm26, zmm26, zmm6
    vmovdqa64 zmm1, zmm11
    vpternlogq zmm1, zmm18, zmm24, 0xe8
    vprorq zmm16, zmm11, 34
    vprorq zmm3, zmm11, 39
    vpternlogq zmm30, zmm29, zmm28, 0x96
    vpaddq zmm25, zmm15, qword ptr [r10 + 600]{1to8}
    vpaddq zmm26, zmm26, zmm30
    vpternlogq zmm20, zmm16, zmm3, 0x96
    vpaddq zmm25, zmm25, zmm8
    vpaddq zmm12, zmm12, zmm26
    vpaddq zmm26, zmm26, zmm1
    vprorq zmm7, zmm12, 14
    vprorq zmm10, zmm12, 18
    vpaddq zmm26, zmm26, zmm20
    vpternlogq zmm19, zmm15, zmm12, 0xd8
    vprorq zmm2, zmm12, 41
    vprorq zmm27, zmm26, 28
    vpaddq zmm23, zmm23, zmm19
    vmovdqa64 zmm14, zmm26
    vpternlogq zmm14, zmm11, zmm18, 0xe8
    vprorq zmm31, zmm26, 34
    vprorq zmm21, zmm26, 39
    vpternlogq zmm7, zmm10, zmm2, 0x96
    vpaddq zmm9, zmm12, qword ptr [r10 + 608]{1to8}
    vpaddq zmm23, zmm23, zmm7
    vpternlogq zmm27, zmm31, zmm21, 0x96
    vpaddq zmm9, zmm9, zmm13
    vpaddq zmm24, zmm24, zmm23
    vpaddq zmm23, zmm23, zmm14
    vprorq zmm5, zmm24, 14
    vprorq zmm6, zmm24, 18
    vpaddq zmm23, zmm23, zmm27
    vpternlogq zmm15, zmm12, zmm24, 0xd8
    vprorq zmm29, zmm24, 41
    vprorq zmm28, zmm23, 28
    vpaddq zmm0, zmm0, zmm15
    vmovdqa64 zmm30, zmm23
    vpternlogq zmm30, zmm26, zmm11, 0xe8
    vprorq zmm16, zmm23, 34
    vprorq zmm3, zmm23, 39
    vpternlogq zmm5, zmm6, zmm29, 0x96
    vpaddq zmm8, zmm24, qword ptr [r10 + 616]{1to8}
    vpaddq zmm0, zmm0, zmm5
    vpternlogq zmm28, zmm16, zmm3, 0x96
    vpaddq zmm8, zmm8, zmm4
    vpaddq zmm18, zmm18, zmm0
    vpaddq zmm0, zmm0, zmm30
    vprorq zmm1, zmm18, 14
    vprorq zmm20, zmm18, 18
    vpaddq zmm0, zmm0, zmm28
    vpternlogq zmm12, zmm24, zmm18, 0xd8
    vprorq zmm19, zmm18, 41
    vprorq zmm10, zmm0, 28
    vpaddq zmm25, zmm25, zmm12
    vmovdqa64 zmm2, zmm0
    vpternlogq zmm2, zmm23, zmm26, 0xe8
    vprorq zmm7, zmm0, 34
    vprorq zmm31, zmm0, 39
    vpternlogq zmm1, zmm20, zmm19, 0x96
    vpaddq zmm21, zmm18, qword ptr [r10 + 624]{1to8}
    vpaddq zmm25, zmm25, zmm1
    vpternlogq zmm10, zmm7, zmm31, 0x96
    vpaddq zmm21, zmm21, zmm17
    vpaddq zmm11, zmm11, zmm25
    vpaddq zmm25, zmm25, zmm2
    vprorq zmm13, zmm11, 14
    vprorq zmm14, zmm11, 18
    vpaddq zmm25, zmm25, zmm10
    vpternlogq zmm24, zmm18, zmm11, 0xd8
    vprorq zmm27, zmm11, 41
    vprorq zmm15, zmm25, 28
    vpaddq zmm9, zmm9, zmm24
    vmovdqa64 zmm6, zmm25
    vpternlogq zmm6, zmm0, zmm23, 0xe8
    vprorq zmm29, zmm25, 34
    vprorq zmm5, zmm25, 39
    vpternlogq zmm13, zmm14, zmm27, 0x96
    vpaddq zmm16, zmm11, qword ptr [r10 + 632]{1to8}
    vpaddq zmm9, zmm9, zmm13
    vpternlogq zmm15, zmm29, zmm5, 0x96
    vpaddq zmm16, zmm16, zmm22
    vpaddq zmm26, zmm26, zmm9
    vpaddq zmm9, zmm9, zmm6
    vprorq zmm3, zmm26, 14
    vprorq zmm4, zmm26, 18
    vpaddq zmm9, zmm9, zmm15
    vpternlogq zmm18, zmm11, zmm26, 0xd8
    vprorq zmm30, zmm26, 41
    vprorq zmm28, zmm9, 28
    vpaddq zmm8, zmm8, zmm18
    vmovdqa64 zmm12, zmm9
    vpternlogq zmm12, zmm25, zmm0, 0xe8
    vprorq zmm20, zmm9, 34
    vprorq zmm19, zmm9, 39
    vpternlogq zmm3, zmm4, zmm30, 0x96
    vpaddq zmm1, zmm9, zmmword ptr [rdi + 192]
    vpaddq zmm8, zmm8, zmm3
    vpternlogq zmm28, zmm20, zmm19, 0x96
    vmovdqa64 zmmword ptr [rdi + 192], zmm1
    vpaddq zmm7, zmm26, zmmword ptr [rdi + 448]
    vpaddq zmm23, zmm23, zmm8
    vpaddq zmm8, zmm8, zmm12
    vmovdqa64 zmmword ptr [rdi + 448], zmm7
    vprorq zmm31, zmm23, 14
    vprorq zmm17, zmm23, 18
    vpaddq zmm8, zmm8, zmm28
    vpternlogq zmm11, zmm26, zmm23, 0xd8
    vprorq zmm2, zmm23, 41
    vprorq zmm10, zmm8, 28
    vpaddq zmm21, zmm21, zmm11
    vmovdqa64 zmm24, zmm8
    vpternlogq zmm24, zmm9, zmm25, 0xe8
    vprorq zmm14, zmm8, 34
    vprorq zmm27, zmm8, 39
    vpternlogq zmm31, zmm17, zmm2, 0x96
    vpaddq zmm13, zmm8, zmmword ptr [rdi + 128]
    vpaddq zmm21, zmm21, zmm31
    vpternlogq zmm10, zmm14, zmm27, 0x96
    vmovdqa64 zmmword ptr [rdi + 128], zmm13
    vpaddq zmm29, zmm23, zmmword ptr [rdi + 384]
    vpaddq zmm0, zmm0, zmm21
    vpaddq zmm21, zmm21, zmm24
    vmovdqa64 zmmword ptr [rdi + 384], zmm29
    vprorq zmm5, zmm0, 14
    vprorq zmm22, zmm0, 18
    vpaddq zmm21, zmm21, zmm10
    vpternlogq zmm23, zmm0, zmm26, 0xe2
    vprorq zmm6, zmm0, 41
    vprorq zmm15, zmm21, 28
    vpaddq zmm16, zmm16, zmm23
    vpternlogq zmm8, zmm21, zmm9, 0xe8
    vprorq zmm18, zmm21, 34
    vprorq zmm4, zmm21, 39
    vpternlogq zmm5, zmm22, zmm6, 0x96
    vpaddq zmm21, zmm21, zmmword ptr [rdi + 64]
    vpaddq zmm16, zmm16, zmm5
    vpternlogq zmm15, zmm18, zmm4, 0x96
    vmovdqa64 zmmword ptr [rdi + 64], zmm21
    vpaddq zmm0, zmm0, zmmword ptr [rdi + 320]
    vpaddq zmm25, zmm25, zmm16
    vpaddq zmm16, zmm16, zmm8
    vmovdqa64 zmmword ptr [rdi + 320], zmm0
    vpaddq zmm16, zmm16, zmm15
    vpaddq zmm25, zmm25, zmmword ptr [rdi + 256]
    vpaddq zmm16, zmm16, zmmword ptr [rdi + 0]
    vmovdqa64 zmmword ptr [rdi + 256], zmm25
    vmovdqa64 zmmword ptr [rdi + 0], zmm16
    vmovdqa64 zmm2, zmm13
    vmovdqa64 zmm6, zmm29
    vmovdqa64 zmm5, zmm0
    vmovdqa64 zmm0, zmm16
    vmovdqa64 zmm3, zmm1
    vmovdqa64 zmm4, zmm25
    vmovdqa64 zmm1, zmm21
    cmp r14, r12
    jb 2b
