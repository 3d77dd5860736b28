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
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm1, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm1, zmm1, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm4, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm4, zmm4, ymmword ptr [rax + r8 + 0], 1
    vpunpcklqdq zmm6, zmm1, zmm4
    vpunpckhqdq zmm1, zmm1, zmm4
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm5, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm5, zmm5, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 0], 1
    vpunpcklqdq zmm7, zmm5, zmm2
    vpunpckhqdq zmm5, zmm5, zmm2
    vshufi64x2 zmm3, zmm6, zmm7, 0x88
    vpshufb zmm3, zmm3, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1024], zmm3
    vshufi64x2 zmm6, zmm6, zmm7, 0xdd
    vpshufb zmm6, zmm6, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1152], zmm6
    vshufi64x2 zmm0, zmm1, zmm5, 0x88
    vpshufb zmm0, zmm0, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1088], zmm0
    vshufi64x2 zmm1, zmm1, zmm5, 0xdd
    vpshufb zmm1, zmm1, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1216], zmm1
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm9, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm9, zmm9, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm12, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm12, zmm12, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm14, zmm9, zmm12
    vpunpckhqdq zmm9, zmm9, zmm12
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 32], 1
    vpunpcklqdq zmm15, zmm13, zmm10
    vpunpckhqdq zmm13, zmm13, zmm10
    vshufi64x2 zmm11, zmm14, zmm15, 0x88
    vpshufb zmm11, zmm11, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1280], zmm11
    vshufi64x2 zmm14, zmm14, zmm15, 0xdd
    vpshufb zmm14, zmm14, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1408], zmm14
    vshufi64x2 zmm8, zmm9, zmm13, 0x88
    vpshufb zmm8, zmm8, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1344], zmm8
    vshufi64x2 zmm9, zmm9, zmm13, 0xdd
    vpshufb zmm9, zmm9, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1472], zmm9
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm17, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm17, zmm17, ymmword ptr [rax + r8 + 64], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm20, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm20, zmm20, ymmword ptr [rax + r8 + 64], 1
    vpunpcklqdq zmm22, zmm17, zmm20
    vpunpckhqdq zmm17, zmm17, zmm20
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 64], 1
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm18, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm18, zmm18, ymmword ptr [rax + r8 + 64], 1
    vpunpcklqdq zmm23, zmm21, zmm18
    vpunpckhqdq zmm21, zmm21, zmm18
    vshufi64x2 zmm19, zmm22, zmm23, 0x88
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1536], zmm19
    vshufi64x2 zmm22, zmm22, zmm23, 0xdd
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1664], zmm22
    vshufi64x2 zmm16, zmm17, zmm21, 0x88
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1600], zmm16
    vshufi64x2 zmm17, zmm17, zmm21, 0xdd
    vpshufb zmm17, zmm17, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1728], zmm17
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 96], 1
    vpunpcklqdq zmm30, zmm25, zmm28
    vpunpckhqdq zmm25, zmm25, zmm28
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 96], 1
    vpunpcklqdq zmm31, zmm29, zmm26
    vpunpckhqdq zmm29, zmm29, zmm26
    vshufi64x2 zmm27, zmm30, zmm31, 0x88
    vpshufb zmm27, zmm27, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1792], zmm27
    vshufi64x2 zmm30, zmm30, zmm31, 0xdd
    vpshufb zmm30, zmm30, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1920], zmm30
    vshufi64x2 zmm24, zmm25, zmm29, 0x88
    vpshufb zmm24, zmm24, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1856], zmm24
    vshufi64x2 zmm25, zmm25, zmm29, 0xdd
    vpshufb zmm25, zmm25, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1984], zmm25
    vmovdqa64 zmm0, zmmword ptr [rdi + 0]
    vmovdqa64 zmm1, zmmword ptr [rdi + 64]
    vmovdqa64 zmm2, zmmword ptr [rdi + 128]
    vmovdqa64 zmm3, zmmword ptr [rdi + 192]
    vmovdqa64 zmm4, zmmword ptr [rdi + 256]
    vmovdqa64 zmm5, zmmword ptr [rdi + 320]
    vmovdqa64 zmm6, zmmword ptr [rdi + 384]
    vmovdqa64 zmm7, zmmword ptr [rdi + 448]
    vmovdqa64 zmm8, zmmword ptr [rdi + 512]
    vmovdqa64 zmm9, zmmword ptr [rdi + 576]
    vmovdqa64 zmm10, zmmword ptr [rdi + 640]
    vmovdqa64 zmm11, zmmword ptr [rdi + 704]
    vmovdqa64 zmm12, zmmword ptr [rdi + 768]
    vmovdqa64 zmm13, zmmword ptr [rdi + 832]
    vmovdqa64 zmm14, zmmword ptr [rdi + 896]
    vmovdqa64 zmm15, zmmword ptr [rdi + 960]
2:
    xchg rdx, r9
    add r15, 128
    mov r13d, 4
3:
    vprorq zmm16, zmm4, 14
    vprorq zmm17, zmm12, 14
    vpaddq zmm7, zmm7, qword ptr [r10 + 0]{1to8}
    vpaddq zmm15, zmm15, qword ptr [r10 + 0]{1to8}
    vmovdqa64 zmm18, zmm4
    vpternlogq zmm18, zmm5, zmm6, 0xca
    vmovdqa64 zmm19, zmm12
    vpternlogq zmm19, zmm13, zmm14, 0xca
    vprorq zmm20, zmm4, 18
    vprorq zmm21, zmm12, 18
    vprorq zmm22, zmm4, 41
    vpaddq zmm7, zmm7, zmmword ptr [rdx + 0]
    vpaddq zmm15, zmm15, zmmword ptr [rdx + 1024]
    vmovdqa64 zmm23, zmm0
    vpternlogq zmm23, zmm1, zmm2, 0xe8
    vprorq zmm24, zmm12, 41
    vprorq zmm25, zmm0, 28
    vpaddq zmm7, zmm7, zmm18
    vpaddq zmm15, zmm15, zmm19
    vpternlogq zmm16, zmm20, zmm22, 0x96
    vmovdqa64 zmm26, zmm8
    vpternlogq zmm26, zmm9, zmm10, 0xe8
    vprorq zmm27, zmm8, 28
    vprorq zmm28, zmm0, 34
    vprorq zmm29, zmm8, 34
    vpternlogq zmm17, zmm21, zmm24, 0x96
    vpaddq zmm7, zmm7, zmm16
    vmovdqa64 zmm30, zmmword ptr [rdx + 64]
    vmovdqa64 zmm31, zmmword ptr [rdx + 1088]
    vmovdqa64 zmm18, zmmword ptr [rdx + 896]
    vmovdqa64 zmm19, zmmword ptr [rdx + 1920]
    vpaddq zmm6, zmm6, qword ptr [r10 + 8]{1to8}
    vprorq zmm20, zmm0, 39
    vprorq zmm22, zmm8, 39
    vprorq zmm21, zmm30, 1
    vpaddq zmm15, zmm15, zmm17
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm23
    vprorq zmm24, zmm31, 1
    vprorq zmm16, zmm30, 8
    vpaddq zmm11, zmm11, zmm15
    vpaddq zmm15, zmm15, zmm26
    vpternlogq zmm25, zmm28, zmm20, 0x96
    vpternlogq zmm27, zmm29, zmm22, 0x96
    vprorq zmm17, zmm31, 8
    vpsrlq zmm30, zmm30, 7
    vpsrlq zmm31, zmm31, 7
    vpaddq zmm7, zmm7, zmm25
    vpaddq zmm15, zmm15, zmm27
    vpaddq zmm14, zmm14, qword ptr [r10 + 8]{1to8}
    vprorq zmm23, zmm18, 19
    vprorq zmm26, zmm19, 19
    vprorq zmm28, zmm18, 61
    vpternlogq zmm21, zmm16, zmm30, 0x96
    vpternlogq zmm24, zmm17, zmm31, 0x96
    vpaddq zmm6, zmm6, zmmword ptr [rdx + 64]
    vprorq zmm20, zmm19, 61
    vpsrlq zmm18, zmm18, 6
    vpsrlq zmm19, zmm19, 6
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 0]
    vpaddq zmm24, zmm24, zmmword ptr [rdx + 1024]
    vpaddq zmm14, zmm14, zmmword ptr [rdx + 1088]
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 576]
    vpaddq zmm24, zmm24, zmmword ptr [rdx + 1600]
    vpternlogq zmm23, zmm28, zmm18, 0x96
    vpternlogq zmm26, zmm20, zmm19, 0x96
    vmovdqa64 zmm29, zmm3
    vpternlogq zmm29, zmm4, zmm5, 0xca
    vmovdqa64 zmm22, zmm11
    vpternlogq zmm22, zmm12, zmm13, 0xca
    vprorq zmm25, zmm3, 14
    vprorq zmm27, zmm11, 14
    vpaddq zmm21, zmm21, zmm23
    vpaddq zmm24, zmm24, zmm26
    vpaddq zmm6, zmm6, zmm29
    vpaddq zmm14, zmm14, zmm22
    vprorq zmm16, zmm3, 18
    vprorq zmm30, zmm11, 18
    vprorq zmm17, zmm3, 41
    vmovdqa64 zmmword ptr [rdx + 0], zmm21
    vmovdqa64 zmmword ptr [rdx + 1024], zmm24
    vmovdqa64 zmm31, zmm7
    vpternlogq zmm31, zmm0, zmm1, 0xe8
    vmovdqa64 zmm28, zmm15
    vpternlogq zmm28, zmm8, zmm9, 0xe8
    vmovdqa64 zmm18, zmmword ptr [rdx + 128]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1152]
    vmovdqa64 zmm19, zmmword ptr [rdx + 960]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1984]
    vpaddq zmm5, zmm5, qword ptr [r10 + 16]{1to8}
    vprorq zmm26, zmm11, 41
    vprorq zmm29, zmm7, 28
    vprorq zmm22, zmm15, 28
    vpternlogq zmm25, zmm16, zmm17, 0x96
    vpaddq zmm13, zmm13, qword ptr [r10 + 16]{1to8}
    vpaddq zmm5, zmm5, zmmword ptr [rdx + 128]
    vprorq zmm21, zmm7, 34
    vprorq zmm24, zmm15, 34
    vprorq zmm16, zmm7, 39
    vpternlogq zmm27, zmm30, zmm26, 0x96
    vpaddq zmm6, zmm6, zmm25
    vpaddq zmm13, zmm13, zmmword ptr [rdx + 1152]
    vprorq zmm17, zmm15, 39
    vprorq zmm30, zmm18, 1
    vpaddq zmm14, zmm14, zmm27
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm31
    vpternlogq zmm29, zmm21, zmm16, 0x96
    vprorq zmm26, zmm20, 1
    vprorq zmm25, zmm18, 8
    vpaddq zmm10, zmm10, zmm14
    vpaddq zmm14, zmm14, zmm28
    vpternlogq zmm22, zmm24, zmm17, 0x96
    vpaddq zmm6, zmm6, zmm29
    vprorq zmm27, zmm20, 8
    vpsrlq zmm18, zmm18, 7
    vpsrlq zmm20, zmm20, 7
    vpaddq zmm14, zmm14, zmm22
    vmovdqa64 zmm31, zmm2
    vpternlogq zmm31, zmm3, zmm4, 0xca
    vmovdqa64 zmm21, zmm10
    vpternlogq zmm21, zmm11, zmm12, 0xca
    vprorq zmm16, zmm19, 19
    vprorq zmm28, zmm23, 19
    vprorq zmm24, zmm19, 61
    vpternlogq zmm30, zmm25, zmm18, 0x96
    vpternlogq zmm26, zmm27, zmm20, 0x96
    vpaddq zmm5, zmm5, zmm31
    vprorq zmm17, zmm23, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm23, zmm23, 6
    vpaddq zmm30, zmm30, zmmword ptr [rdx + 64]
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 1088]
    vpaddq zmm13, zmm13, zmm21
    vprorq zmm29, zmm2, 14
    vprorq zmm22, zmm10, 14
    vpaddq zmm30, zmm30, zmmword ptr [rdx + 640]
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 1664]
    vpternlogq zmm16, zmm24, zmm19, 0x96
    vpternlogq zmm28, zmm17, zmm23, 0x96
    vprorq zmm25, zmm2, 18
    vprorq zmm18, zmm10, 18
    vprorq zmm27, zmm2, 41
    vpaddq zmm30, zmm30, zmm16
    vpaddq zmm26, zmm26, zmm28
    vmovdqa64 zmm20, zmm6
    vpternlogq zmm20, zmm7, zmm0, 0xe8
    vprorq zmm31, zmm10, 41
    vprorq zmm21, zmm6, 28
    vprorq zmm24, zmm14, 28
    vmovdqa64 zmmword ptr [rdx + 64], zmm30
    vmovdqa64 zmmword ptr [rdx + 1088], zmm26
    vpternlogq zmm29, zmm25, zmm27, 0x96
    vmovdqa64 zmm19, zmm14
    vpternlogq zmm19, zmm15, zmm8, 0xe8
    vmovdqa64 zmm17, zmmword ptr [rdx + 192]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1216]
    vmovdqa64 zmm16, zmmword ptr [rdx + 0]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1024]
    vpaddq zmm4, zmm4, qword ptr [r10 + 24]{1to8}
    vprorq zmm30, zmm6, 34
    vprorq zmm26, zmm14, 34
    vprorq zmm25, zmm6, 39
    vpternlogq zmm22, zmm18, zmm31, 0x96
    vpaddq zmm5, zmm5, zmm29
    vpaddq zmm12, zmm12, qword ptr [r10 + 24]{1to8}
    vprorq zmm27, zmm14, 39
    vprorq zmm18, zmm17, 1
    vpaddq zmm13, zmm13, zmm22
    vpaddq zmm1, zmm1, zmm5
    vpaddq zmm5, zmm5, zmm20
    vpternlogq zmm21, zmm30, zmm25, 0x96
    vprorq zmm31, zmm23, 1
    vprorq zmm29, zmm17, 8
    vpaddq zmm9, zmm9, zmm13
    vpaddq zmm13, zmm13, zmm19
    vpternlogq zmm24, zmm26, zmm27, 0x96
    vpaddq zmm5, zmm5, zmm21
    vprorq zmm22, zmm23, 8
    vpsrlq zmm17, zmm17, 7
    vpsrlq zmm23, zmm23, 7
    vpaddq zmm13, zmm13, zmm24
    vpaddq zmm4, zmm4, zmmword ptr [rdx + 192]
    vpaddq zmm12, zmm12, zmmword ptr [rdx + 1216]
    vprorq zmm20, zmm16, 19
    vprorq zmm30, zmm28, 19
    vprorq zmm25, zmm16, 61
    vpternlogq zmm18, zmm29, zmm17, 0x96
    vpternlogq zmm31, zmm22, zmm23, 0x96
    vmovdqa64 zmm19, zmm1
    vpternlogq zmm19, zmm2, zmm3, 0xca
    vprorq zmm26, zmm28, 61
    vpsrlq zmm16, zmm16, 6
    vpsrlq zmm28, zmm28, 6
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 128]
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 1152]
    vmovdqa64 zmm27, zmm9
    vpternlogq zmm27, zmm10, zmm11, 0xca
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 704]
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 1728]
    vpternlogq zmm20, zmm25, zmm16, 0x96
    vpternlogq zmm30, zmm26, zmm28, 0x96
    vpaddq zmm4, zmm4, zmm19
    vpaddq zmm12, zmm12, zmm27
    vprorq zmm21, zmm1, 14
    vprorq zmm24, zmm9, 14
    vprorq zmm29, zmm1, 18
    vpaddq zmm18, zmm18, zmm20
    vpaddq zmm31, zmm31, zmm30
    vmovdqa64 zmm17, zmm5
    vpternlogq zmm17, zmm6, zmm7, 0xe8
    vprorq zmm22, zmm9, 18
    vprorq zmm23, zmm1, 41
    vprorq zmm25, zmm9, 41
    vmovdqa64 zmmword ptr [rdx + 128], zmm18
    vmovdqa64 zmmword ptr [rdx + 1152], zmm31
    vmovdqa64 zmm16, zmm13
    vpternlogq zmm16, zmm14, zmm15, 0xe8
    vmovdqa64 zmm26, zmmword ptr [rdx + 256]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1280]
    vmovdqa64 zmm19, zmmword ptr [rdx + 64]
    vmovdqa64 zmm27, zmmword ptr [rdx + 1088]
    vpaddq zmm3, zmm3, qword ptr [r10 + 32]{1to8}
    vpaddq zmm11, zmm11, qword ptr [r10 + 32]{1to8}
    vprorq zmm20, zmm5, 28
    vprorq zmm30, zmm13, 28
    vprorq zmm18, zmm5, 34
    vpternlogq zmm21, zmm29, zmm23, 0x96
    vpternlogq zmm24, zmm22, zmm25, 0x96
    vpaddq zmm3, zmm3, zmmword ptr [rdx + 256]
    vprorq zmm31, zmm13, 34
    vprorq zmm29, zmm5, 39
    vprorq zmm23, zmm13, 39
    vpaddq zmm4, zmm4, zmm21
    vpaddq zmm12, zmm12, zmm24
    vpaddq zmm11, zmm11, zmmword ptr [rdx + 1280]
    vpaddq zmm0, zmm0, zmm4
    vpaddq zmm8, zmm8, zmm12
    vpaddq zmm4, zmm4, zmm17
    vpaddq zmm12, zmm12, zmm16
    vpternlogq zmm20, zmm18, zmm29, 0x96
    vpternlogq zmm30, zmm31, zmm23, 0x96
    vprorq zmm22, zmm26, 1
    vprorq zmm25, zmm28, 1
    vprorq zmm21, zmm26, 8
    vpaddq zmm4, zmm4, zmm20
    vpaddq zmm12, zmm12, zmm30
    vmovdqa64 zmm24, zmm0
    vpternlogq zmm24, zmm1, zmm2, 0xca
    vprorq zmm17, zmm28, 8
    vpsrlq zmm26, zmm26, 7
    vpsrlq zmm28, zmm28, 7
    vmovdqa64 zmm16, zmm8
    vpternlogq zmm16, zmm9, zmm10, 0xca
    vpaddq zmm3, zmm3, zmm24
    vmovdqa64 zmm18, zmm4
    vpternlogq zmm18, zmm5, zmm6, 0xe8
    vprorq zmm29, zmm19, 19
    vprorq zmm31, zmm27, 19
    vprorq zmm23, zmm19, 61
    vpternlogq zmm22, zmm21, zmm26, 0x96
    vpternlogq zmm25, zmm17, zmm28, 0x96
    vpaddq zmm11, zmm11, zmm16
    vprorq zmm20, zmm27, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm27, zmm27, 6
    vpaddq zmm22, zmm22, zmmword ptr [rdx + 192]
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 1216]
    vmovdqa64 zmm30, zmm12
    vpternlogq zmm30, zmm13, zmm14, 0xe8
    vprorq zmm24, zmm0, 14
    vprorq zmm21, zmm8, 14
    vpaddq zmm22, zmm22, zmmword ptr [rdx + 768]
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 1792]
    vpternlogq zmm29, zmm23, zmm19, 0x96
    vpternlogq zmm31, zmm20, zmm27, 0x96
    vprorq zmm26, zmm0, 18
    vprorq zmm17, zmm8, 18
    vprorq zmm28, zmm0, 41
    vpaddq zmm22, zmm22, zmm29
    vpaddq zmm25, zmm25, zmm31
    vmovdqa64 zmm16, zmmword ptr [rdx + 320]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1344]
    vmovdqa64 zmm19, zmmword ptr [rdx + 128]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1152]
    vpaddq zmm2, zmm2, qword ptr [r10 + 40]{1to8}
    vprorq zmm27, zmm8, 41
    vprorq zmm29, zmm4, 28
    vprorq zmm31, zmm12, 28
    vmovdqa64 zmmword ptr [rdx + 192], zmm22
    vmovdqa64 zmmword ptr [rdx + 1216], zmm25
    vpternlogq zmm24, zmm26, zmm28, 0x96
    vpaddq zmm10, zmm10, qword ptr [r10 + 40]{1to8}
    vpaddq zmm2, zmm2, zmmword ptr [rdx + 320]
    vprorq zmm22, zmm4, 34
    vprorq zmm25, zmm12, 34
    vprorq zmm26, zmm4, 39
    vpternlogq zmm21, zmm17, zmm27, 0x96
    vpaddq zmm3, zmm3, zmm24
    vpaddq zmm10, zmm10, zmmword ptr [rdx + 1344]
    vprorq zmm28, zmm12, 39
    vprorq zmm17, zmm16, 1
    vpaddq zmm11, zmm11, zmm21
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm18
    vpternlogq zmm29, zmm22, zmm26, 0x96
    vprorq zmm27, zmm23, 1
    vprorq zmm24, zmm16, 8
    vpaddq zmm15, zmm15, zmm11
    vpaddq zmm11, zmm11, zmm30
    vpternlogq zmm31, zmm25, zmm28, 0x96
    vpaddq zmm3, zmm3, zmm29
    vprorq zmm21, zmm23, 8
    vpsrlq zmm16, zmm16, 7
    vpsrlq zmm23, zmm23, 7
    vpaddq zmm11, zmm11, zmm31
    vmovdqa64 zmm18, zmm7
    vpternlogq zmm18, zmm0, zmm1, 0xca
    vmovdqa64 zmm22, zmm15
    vpternlogq zmm22, zmm8, zmm9, 0xca
    vprorq zmm26, zmm19, 19
    vprorq zmm30, zmm20, 19
    vprorq zmm25, zmm19, 61
    vpternlogq zmm17, zmm24, zmm16, 0x96
    vpternlogq zmm27, zmm21, zmm23, 0x96
    vpaddq zmm2, zmm2, zmm18
    vprorq zmm28, zmm20, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm20, zmm20, 6
    vpaddq zmm17, zmm17, zmmword ptr [rdx + 256]
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 1280]
    vpaddq zmm10, zmm10, zmm22
    vprorq zmm29, zmm7, 14
    vprorq zmm31, zmm15, 14
    vpaddq zmm17, zmm17, zmmword ptr [rdx + 832]
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 1856]
    vpternlogq zmm26, zmm25, zmm19, 0x96
    vpternlogq zmm30, zmm28, zmm20, 0x96
    vprorq zmm24, zmm7, 18
    vprorq zmm16, zmm15, 18
    vprorq zmm21, zmm7, 41
    vpaddq zmm17, zmm17, zmm26
    vpaddq zmm27, zmm27, zmm30
    vmovdqa64 zmm23, zmm3
    vpternlogq zmm23, zmm4, zmm5, 0xe8
    vprorq zmm18, zmm15, 41
    vprorq zmm22, zmm3, 28
    vprorq zmm25, zmm11, 28
    vmovdqa64 zmmword ptr [rdx + 256], zmm17
    vmovdqa64 zmmword ptr [rdx + 1280], zmm27
    vpternlogq zmm29, zmm24, zmm21, 0x96
    vmovdqa64 zmm19, zmm11
    vpternlogq zmm19, zmm12, zmm13, 0xe8
    vmovdqa64 zmm28, zmmword ptr [rdx + 384]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1408]
    vmovdqa64 zmm26, zmmword ptr [rdx + 192]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1216]
    vpaddq zmm1, zmm1, qword ptr [r10 + 48]{1to8}
    vprorq zmm17, zmm3, 34
    vprorq zmm27, zmm11, 34
    vprorq zmm24, zmm3, 39
    vpternlogq zmm31, zmm16, zmm18, 0x96
    vpaddq zmm2, zmm2, zmm29
    vpaddq zmm9, zmm9, qword ptr [r10 + 48]{1to8}
    vprorq zmm21, zmm11, 39
    vprorq zmm16, zmm28, 1
    vpaddq zmm10, zmm10, zmm31
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm23
    vpternlogq zmm22, zmm17, zmm24, 0x96
    vprorq zmm18, zmm20, 1
    vprorq zmm29, zmm28, 8
    vpaddq zmm14, zmm14, zmm10
    vpaddq zmm10, zmm10, zmm19
    vpternlogq zmm25, zmm27, zmm21, 0x96
    vpaddq zmm2, zmm2, zmm22
    vprorq zmm31, zmm20, 8
    vpsrlq zmm28, zmm28, 7
    vpsrlq zmm20, zmm20, 7
    vpaddq zmm10, zmm10, zmm25
    vpaddq zmm1, zmm1, zmmword ptr [rdx + 384]
    vpaddq zmm9, zmm9, zmmword ptr [rdx + 1408]
    vprorq zmm23, zmm26, 19
    vprorq zmm17, zmm30, 19
    vprorq zmm24, zmm26, 61
    vpternlogq zmm16, zmm29, zmm28, 0x96
    vpternlogq zmm18, zmm31, zmm20, 0x96
    vmovdqa64 zmm19, zmm6
    vpternlogq zmm19, zmm7, zmm0, 0xca
    vprorq zmm27, zmm30, 61
    vpsrlq zmm26, zmm26, 6
    vpsrlq zmm30, zmm30, 6
    vpaddq zmm16, zmm16, zmmword ptr [rdx + 320]
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 1344]
    vmovdqa64 zmm21, zmm14
    vpternlogq zmm21, zmm15, zmm8, 0xca
    vpaddq zmm16, zmm16, zmmword ptr [rdx + 896]
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 1920]
    vpternlogq zmm23, zmm24, zmm26, 0x96
    vpternlogq zmm17, zmm27, zmm30, 0x96
    vpaddq zmm1, zmm1, zmm19
    vpaddq zmm9, zmm9, zmm21
    vprorq zmm22, zmm6, 14
    vprorq zmm25, zmm14, 14
    vprorq zmm29, zmm6, 18
    vpaddq zmm16, zmm16, zmm23
    vpaddq zmm18, zmm18, zmm17
    vmovdqa64 zmm28, zmm2
    vpternlogq zmm28, zmm3, zmm4, 0xe8
    vprorq zmm31, zmm14, 18
    vprorq zmm20, zmm6, 41
    vprorq zmm24, zmm14, 41
    vmovdqa64 zmmword ptr [rdx + 320], zmm16
    vmovdqa64 zmmword ptr [rdx + 1344], zmm18
    vmovdqa64 zmm26, zmm10
    vpternlogq zmm26, zmm11, zmm12, 0xe8
    vmovdqa64 zmm27, zmmword ptr [rdx + 448]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1472]
    vmovdqa64 zmm19, zmmword ptr [rdx + 256]
    vmovdqa64 zmm21, zmmword ptr [rdx + 1280]
    vpaddq zmm0, zmm0, qword ptr [r10 + 56]{1to8}
    vpaddq zmm8, zmm8, qword ptr [r10 + 56]{1to8}
    vprorq zmm23, zmm2, 28
    vprorq zmm17, zmm10, 28
    vprorq zmm16, zmm2, 34
    vpternlogq zmm22, zmm29, zmm20, 0x96
    vpternlogq zmm25, zmm31, zmm24, 0x96
    vpaddq zmm0, zmm0, zmmword ptr [rdx + 448]
    vprorq zmm18, zmm10, 34
    vprorq zmm29, zmm2, 39
    vprorq zmm20, zmm10, 39
    vpaddq zmm1, zmm1, zmm22
    vpaddq zmm9, zmm9, zmm25
    vpaddq zmm8, zmm8, zmmword ptr [rdx + 1472]
    vpaddq zmm5, zmm5, zmm1
    vpaddq zmm13, zmm13, zmm9
    vpaddq zmm1, zmm1, zmm28
    vpaddq zmm9, zmm9, zmm26
    vpternlogq zmm23, zmm16, zmm29, 0x96
    vpternlogq zmm17, zmm18, zmm20, 0x96
    vprorq zmm31, zmm27, 1
    vprorq zmm24, zmm30, 1
    vprorq zmm22, zmm27, 8
    vpaddq zmm1, zmm1, zmm23
    vpaddq zmm9, zmm9, zmm17
    vmovdqa64 zmm25, zmm5
    vpternlogq zmm25, zmm6, zmm7, 0xca
    vprorq zmm28, zmm30, 8
    vpsrlq zmm27, zmm27, 7
    vpsrlq zmm30, zmm30, 7
    vmovdqa64 zmm26, zmm13
    vpternlogq zmm26, zmm14, zmm15, 0xca
    vpaddq zmm0, zmm0, zmm25
    vmovdqa64 zmm16, zmm1
    vpternlogq zmm16, zmm2, zmm3, 0xe8
    vprorq zmm29, zmm19, 19
    vprorq zmm18, zmm21, 19
    vprorq zmm20, zmm19, 61
    vpternlogq zmm31, zmm22, zmm27, 0x96
    vpternlogq zmm24, zmm28, zmm30, 0x96
    vpaddq zmm8, zmm8, zmm26
    vprorq zmm23, zmm21, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm21, zmm21, 6
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 384]
    vpaddq zmm24, zmm24, zmmword ptr [rdx + 1408]
    vmovdqa64 zmm17, zmm9
    vpternlogq zmm17, zmm10, zmm11, 0xe8
    vprorq zmm25, zmm5, 14
    vprorq zmm22, zmm13, 14
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 960]
    vpaddq zmm24, zmm24, zmmword ptr [rdx + 1984]
    vpternlogq zmm29, zmm20, zmm19, 0x96
    vpternlogq zmm18, zmm23, zmm21, 0x96
    vprorq zmm27, zmm5, 18
    vprorq zmm28, zmm13, 18
    vprorq zmm30, zmm5, 41
    vpaddq zmm31, zmm31, zmm29
    vpaddq zmm24, zmm24, zmm18
    vmovdqa64 zmm26, zmmword ptr [rdx + 512]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1536]
    vmovdqa64 zmm19, zmmword ptr [rdx + 320]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1344]
    vpaddq zmm7, zmm7, qword ptr [r10 + 64]{1to8}
    vprorq zmm21, zmm13, 41
    vprorq zmm29, zmm1, 28
    vprorq zmm18, zmm9, 28
    vmovdqa64 zmmword ptr [rdx + 384], zmm31
    vmovdqa64 zmmword ptr [rdx + 1408], zmm24
    vpternlogq zmm25, zmm27, zmm30, 0x96
    vpaddq zmm15, zmm15, qword ptr [r10 + 64]{1to8}
    vpaddq zmm7, zmm7, zmmword ptr [rdx + 512]
    vprorq zmm31, zmm1, 34
    vprorq zmm24, zmm9, 34
    vprorq zmm27, zmm1, 39
    vpternlogq zmm22, zmm28, zmm21, 0x96
    vpaddq zmm0, zmm0, zmm25
    vpaddq zmm15, zmm15, zmmword ptr [rdx + 1536]
    vprorq zmm30, zmm9, 39
    vprorq zmm28, zmm26, 1
    vpaddq zmm8, zmm8, zmm22
    vpaddq zmm4, zmm4, zmm0
    vpaddq zmm0, zmm0, zmm16
    vpternlogq zmm29, zmm31, zmm27, 0x96
    vprorq zmm21, zmm20, 1
    vprorq zmm25, zmm26, 8
    vpaddq zmm12, zmm12, zmm8
    vpaddq zmm8, zmm8, zmm17
    vpternlogq zmm18, zmm24, zmm30, 0x96
    vpaddq zmm0, zmm0, zmm29
    vprorq zmm22, zmm20, 8
    vpsrlq zmm26, zmm26, 7
    vpsrlq zmm20, zmm20, 7
    vpaddq zmm8, zmm8, zmm18
    vmovdqa64 zmm16, zmm4
    vpternlogq zmm16, zmm5, zmm6, 0xca
    vmovdqa64 zmm31, zmm12
    vpternlogq zmm31, zmm13, zmm14, 0xca
    vprorq zmm27, zmm19, 19
    vprorq zmm17, zmm23, 19
    vprorq zmm24, zmm19, 61
    vpternlogq zmm28, zmm25, zmm26, 0x96
    vpternlogq zmm21, zmm22, zmm20, 0x96
    vpaddq zmm7, zmm7, zmm16
    vprorq zmm30, zmm23, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm23, zmm23, 6
    vpaddq zmm28, zmm28, zmmword ptr [rdx + 448]
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 1472]
    vpaddq zmm15, zmm15, zmm31
    vprorq zmm29, zmm4, 14
    vprorq zmm18, zmm12, 14
    vpaddq zmm28, zmm28, zmmword ptr [rdx + 0]
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 1024]
    vpternlogq zmm27, zmm24, zmm19, 0x96
    vpternlogq zmm17, zmm30, zmm23, 0x96
    vprorq zmm25, zmm4, 18
    vprorq zmm26, zmm12, 18
    vprorq zmm22, zmm4, 41
    vpaddq zmm28, zmm28, zmm27
    vpaddq zmm21, zmm21, zmm17
    vmovdqa64 zmm20, zmm0
    vpternlogq zmm20, zmm1, zmm2, 0xe8
    vprorq zmm16, zmm12, 41
    vprorq zmm31, zmm0, 28
    vprorq zmm24, zmm8, 28
    vmovdqa64 zmmword ptr [rdx + 448], zmm28
    vmovdqa64 zmmword ptr [rdx + 1472], zmm21
    vpternlogq zmm29, zmm25, zmm22, 0x96
    vmovdqa64 zmm19, zmm8
    vpternlogq zmm19, zmm9, zmm10, 0xe8
    vmovdqa64 zmm30, zmmword ptr [rdx + 576]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1600]
    vmovdqa64 zmm27, zmmword ptr [rdx + 384]
    vmovdqa64 zmm17, zmmword ptr [rdx + 1408]
    vpaddq zmm6, zmm6, qword ptr [r10 + 72]{1to8}
    vprorq zmm28, zmm0, 34
    vprorq zmm21, zmm8, 34
    vprorq zmm25, zmm0, 39
    vpternlogq zmm18, zmm26, zmm16, 0x96
    vpaddq zmm7, zmm7, zmm29
    vpaddq zmm14, zmm14, qword ptr [r10 + 72]{1to8}
    vprorq zmm22, zmm8, 39
    vprorq zmm26, zmm30, 1
    vpaddq zmm15, zmm15, zmm18
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm20
    vpternlogq zmm31, zmm28, zmm25, 0x96
    vprorq zmm16, zmm23, 1
    vprorq zmm29, zmm30, 8
    vpaddq zmm11, zmm11, zmm15
    vpaddq zmm15, zmm15, zmm19
    vpternlogq zmm24, zmm21, zmm22, 0x96
    vpaddq zmm7, zmm7, zmm31
    vprorq zmm18, zmm23, 8
    vpsrlq zmm30, zmm30, 7
    vpsrlq zmm23, zmm23, 7
    vpaddq zmm15, zmm15, zmm24
    vpaddq zmm6, zmm6, zmmword ptr [rdx + 576]
    vpaddq zmm14, zmm14, zmmword ptr [rdx + 1600]
    vprorq zmm20, zmm27, 19
    vprorq zmm28, zmm17, 19
    vprorq zmm25, zmm27, 61
    vpternlogq zmm26, zmm29, zmm30, 0x96
    vpternlogq zmm16, zmm18, zmm23, 0x96
    vmovdqa64 zmm19, zmm3
    vpternlogq zmm19, zmm4, zmm5, 0xca
    vprorq zmm21, zmm17, 61
    vpsrlq zmm27, zmm27, 6
    vpsrlq zmm17, zmm17, 6
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 512]
    vpaddq zmm16, zmm16, zmmword ptr [rdx + 1536]
    vmovdqa64 zmm22, zmm11
    vpternlogq zmm22, zmm12, zmm13, 0xca
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 64]
    vpaddq zmm16, zmm16, zmmword ptr [rdx + 1088]
    vpternlogq zmm20, zmm25, zmm27, 0x96
    vpternlogq zmm28, zmm21, zmm17, 0x96
    vpaddq zmm6, zmm6, zmm19
    vpaddq zmm14, zmm14, zmm22
    vprorq zmm31, zmm3, 14
    vprorq zmm24, zmm11, 14
    vprorq zmm29, zmm3, 18
    vpaddq zmm26, zmm26, zmm20
    vpaddq zmm16, zmm16, zmm28
    vmovdqa64 zmm30, zmm7
    vpternlogq zmm30, zmm0, zmm1, 0xe8
    vprorq zmm18, zmm11, 18
    vprorq zmm23, zmm3, 41
    vprorq zmm25, zmm11, 41
    vmovdqa64 zmmword ptr [rdx + 512], zmm26
    vmovdqa64 zmmword ptr [rdx + 1536], zmm16
    vmovdqa64 zmm27, zmm15
    vpternlogq zmm27, zmm8, zmm9, 0xe8
    vmovdqa64 zmm21, zmmword ptr [rdx + 640]
    vmovdqa64 zmm17, zmmword ptr [rdx + 1664]
    vmovdqa64 zmm19, zmmword ptr [rdx + 448]
    vmovdqa64 zmm22, zmmword ptr [rdx + 1472]
    vpaddq zmm5, zmm5, qword ptr [r10 + 80]{1to8}
    vpaddq zmm13, zmm13, qword ptr [r10 + 80]{1to8}
    vprorq zmm20, zmm7, 28
    vprorq zmm28, zmm15, 28
    vprorq zmm26, zmm7, 34
    vpternlogq zmm31, zmm29, zmm23, 0x96
    vpternlogq zmm24, zmm18, zmm25, 0x96
    vpaddq zmm5, zmm5, zmmword ptr [rdx + 640]
    vprorq zmm16, zmm15, 34
    vprorq zmm29, zmm7, 39
    vprorq zmm23, zmm15, 39
    vpaddq zmm6, zmm6, zmm31
    vpaddq zmm14, zmm14, zmm24
    vpaddq zmm13, zmm13, zmmword ptr [rdx + 1664]
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm10, zmm10, zmm14
    vpaddq zmm6, zmm6, zmm30
    vpaddq zmm14, zmm14, zmm27
    vpternlogq zmm20, zmm26, zmm29, 0x96
    vpternlogq zmm28, zmm16, zmm23, 0x96
    vprorq zmm18, zmm21, 1
    vprorq zmm25, zmm17, 1
    vprorq zmm31, zmm21, 8
    vpaddq zmm6, zmm6, zmm20
    vpaddq zmm14, zmm14, zmm28
    vmovdqa64 zmm24, zmm2
    vpternlogq zmm24, zmm3, zmm4, 0xca
    vprorq zmm30, zmm17, 8
    vpsrlq zmm21, zmm21, 7
    vpsrlq zmm17, zmm17, 7
    vmovdqa64 zmm27, zmm10
    vpternlogq zmm27, zmm11, zmm12, 0xca
    vpaddq zmm5, zmm5, zmm24
    vmovdqa64 zmm26, zmm6
    vpternlogq zmm26, zmm7, zmm0, 0xe8
    vprorq zmm29, zmm19, 19
    vprorq zmm16, zmm22, 19
    vprorq zmm23, zmm19, 61
    vpternlogq zmm18, zmm31, zmm21, 0x96
    vpternlogq zmm25, zmm30, zmm17, 0x96
    vpaddq zmm13, zmm13, zmm27
    vprorq zmm20, zmm22, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm22, zmm22, 6
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 576]
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 1600]
    vmovdqa64 zmm28, zmm14
    vpternlogq zmm28, zmm15, zmm8, 0xe8
    vprorq zmm24, zmm2, 14
    vprorq zmm31, zmm10, 14
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 128]
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 1152]
    vpternlogq zmm29, zmm23, zmm19, 0x96
    vpternlogq zmm16, zmm20, zmm22, 0x96
    vprorq zmm21, zmm2, 18
    vprorq zmm30, zmm10, 18
    vprorq zmm17, zmm2, 41
    vpaddq zmm18, zmm18, zmm29
    vpaddq zmm25, zmm25, zmm16
    vmovdqa64 zmm27, zmmword ptr [rdx + 704]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1728]
    vmovdqa64 zmm19, zmmword ptr [rdx + 512]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1536]
    vpaddq zmm4, zmm4, qword ptr [r10 + 88]{1to8}
    vprorq zmm22, zmm10, 41
    vprorq zmm29, zmm6, 28
    vprorq zmm16, zmm14, 28
    vmovdqa64 zmmword ptr [rdx + 576], zmm18
    vmovdqa64 zmmword ptr [rdx + 1600], zmm25
    vpternlogq zmm24, zmm21, zmm17, 0x96
    vpaddq zmm12, zmm12, qword ptr [r10 + 88]{1to8}
    vpaddq zmm4, zmm4, zmmword ptr [rdx + 704]
    vprorq zmm18, zmm6, 34
    vprorq zmm25, zmm14, 34
    vprorq zmm21, zmm6, 39
    vpternlogq zmm31, zmm30, zmm22, 0x96
    vpaddq zmm5, zmm5, zmm24
    vpaddq zmm12, zmm12, zmmword ptr [rdx + 1728]
    vprorq zmm17, zmm14, 39
    vprorq zmm30, zmm27, 1
    vpaddq zmm13, zmm13, zmm31
    vpaddq zmm1, zmm1, zmm5
    vpaddq zmm5, zmm5, zmm26
    vpternlogq zmm29, zmm18, zmm21, 0x96
    vprorq zmm22, zmm23, 1
    vprorq zmm24, zmm27, 8
    vpaddq zmm9, zmm9, zmm13
    vpaddq zmm13, zmm13, zmm28
    vpternlogq zmm16, zmm25, zmm17, 0x96
    vpaddq zmm5, zmm5, zmm29
    vprorq zmm31, zmm23, 8
    vpsrlq zmm27, zmm27, 7
    vpsrlq zmm23, zmm23, 7
    vpaddq zmm13, zmm13, zmm16
    vmovdqa64 zmm26, zmm1
    vpternlogq zmm26, zmm2, zmm3, 0xca
    vmovdqa64 zmm18, zmm9
    vpternlogq zmm18, zmm10, zmm11, 0xca
    vprorq zmm21, zmm19, 19
    vprorq zmm28, zmm20, 19
    vprorq zmm25, zmm19, 61
    vpternlogq zmm30, zmm24, zmm27, 0x96
    vpternlogq zmm22, zmm31, zmm23, 0x96
    vpaddq zmm4, zmm4, zmm26
    vprorq zmm17, zmm20, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm20, zmm20, 6
    vpaddq zmm30, zmm30, zmmword ptr [rdx + 640]
    vpaddq zmm22, zmm22, zmmword ptr [rdx + 1664]
    vpaddq zmm12, zmm12, zmm18
    vprorq zmm29, zmm1, 14
    vprorq zmm16, zmm9, 14
    vpaddq zmm30, zmm30, zmmword ptr [rdx + 192]
    vpaddq zmm22, zmm22, zmmword ptr [rdx + 1216]
    vpternlogq zmm21, zmm25, zmm19, 0x96
    vpternlogq zmm28, zmm17, zmm20, 0x96
    vprorq zmm24, zmm1, 18
    vprorq zmm27, zmm9, 18
    vprorq zmm31, zmm1, 41
    vpaddq zmm30, zmm30, zmm21
    vpaddq zmm22, zmm22, zmm28
    vmovdqa64 zmm23, zmm5
    vpternlogq zmm23, zmm6, zmm7, 0xe8
    vprorq zmm26, zmm9, 41
    vprorq zmm18, zmm5, 28
    vprorq zmm25, zmm13, 28
    vmovdqa64 zmmword ptr [rdx + 640], zmm30
    vmovdqa64 zmmword ptr [rdx + 1664], zmm22
    vpternlogq zmm29, zmm24, zmm31, 0x96
    vmovdqa64 zmm19, zmm13
    vpternlogq zmm19, zmm14, zmm15, 0xe8
    vmovdqa64 zmm17, zmmword ptr [rdx + 768]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1792]
    vmovdqa64 zmm21, zmmword ptr [rdx + 576]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1600]
    vpaddq zmm3, zmm3, qword ptr [r10 + 96]{1to8}
    vprorq zmm30, zmm5, 34
    vprorq zmm22, zmm13, 34
    vprorq zmm24, zmm5, 39
    vpternlogq zmm16, zmm27, zmm26, 0x96
    vpaddq zmm4, zmm4, zmm29
    vpaddq zmm11, zmm11, qword ptr [r10 + 96]{1to8}
    vprorq zmm31, zmm13, 39
    vprorq zmm27, zmm17, 1
    vpaddq zmm12, zmm12, zmm16
    vpaddq zmm0, zmm0, zmm4
    vpaddq zmm4, zmm4, zmm23
    vpternlogq zmm18, zmm30, zmm24, 0x96
    vprorq zmm26, zmm20, 1
    vprorq zmm29, zmm17, 8
    vpaddq zmm8, zmm8, zmm12
    vpaddq zmm12, zmm12, zmm19
    vpternlogq zmm25, zmm22, zmm31, 0x96
    vpaddq zmm4, zmm4, zmm18
    vprorq zmm16, zmm20, 8
    vpsrlq zmm17, zmm17, 7
    vpsrlq zmm20, zmm20, 7
    vpaddq zmm12, zmm12, zmm25
    vpaddq zmm3, zmm3, zmmword ptr [rdx + 768]
    vpaddq zmm11, zmm11, zmmword ptr [rdx + 1792]
    vprorq zmm23, zmm21, 19
    vprorq zmm30, zmm28, 19
    vprorq zmm24, zmm21, 61
    vpternlogq zmm27, zmm29, zmm17, 0x96
    vpternlogq zmm26, zmm16, zmm20, 0x96
    vmovdqa64 zmm19, zmm0
    vpternlogq zmm19, zmm1, zmm2, 0xca
    vprorq zmm22, zmm28, 61
    vpsrlq zmm21, zmm21, 6
    vpsrlq zmm28, zmm28, 6
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 704]
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 1728]
    vmovdqa64 zmm31, zmm8
    vpternlogq zmm31, zmm9, zmm10, 0xca
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 256]
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 1280]
    vpternlogq zmm23, zmm24, zmm21, 0x96
    vpternlogq zmm30, zmm22, zmm28, 0x96
    vpaddq zmm3, zmm3, zmm19
    vpaddq zmm11, zmm11, zmm31
    vprorq zmm18, zmm0, 14
    vprorq zmm25, zmm8, 14
    vprorq zmm29, zmm0, 18
    vpaddq zmm27, zmm27, zmm23
    vpaddq zmm26, zmm26, zmm30
    vmovdqa64 zmm17, zmm4
    vpternlogq zmm17, zmm5, zmm6, 0xe8
    vprorq zmm16, zmm8, 18
    vprorq zmm20, zmm0, 41
    vprorq zmm24, zmm8, 41
    vmovdqa64 zmmword ptr [rdx + 704], zmm27
    vmovdqa64 zmmword ptr [rdx + 1728], zmm26
    vmovdqa64 zmm21, zmm12
    vpternlogq zmm21, zmm13, zmm14, 0xe8
    vmovdqa64 zmm22, zmmword ptr [rdx + 832]
    vmovdqa64 zmm28, zmmword ptr [rdx + 1856]
    vmovdqa64 zmm19, zmmword ptr [rdx + 640]
    vmovdqa64 zmm31, zmmword ptr [rdx + 1664]
    vpaddq zmm2, zmm2, qword ptr [r10 + 104]{1to8}
    vpaddq zmm10, zmm10, qword ptr [r10 + 104]{1to8}
    vprorq zmm23, zmm4, 28
    vprorq zmm30, zmm12, 28
    vprorq zmm27, zmm4, 34
    vpternlogq zmm18, zmm29, zmm20, 0x96
    vpternlogq zmm25, zmm16, zmm24, 0x96
    vpaddq zmm2, zmm2, zmmword ptr [rdx + 832]
    vprorq zmm26, zmm12, 34
    vprorq zmm29, zmm4, 39
    vprorq zmm20, zmm12, 39
    vpaddq zmm3, zmm3, zmm18
    vpaddq zmm11, zmm11, zmm25
    vpaddq zmm10, zmm10, zmmword ptr [rdx + 1856]
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm15, zmm15, zmm11
    vpaddq zmm3, zmm3, zmm17
    vpaddq zmm11, zmm11, zmm21
    vpternlogq zmm23, zmm27, zmm29, 0x96
    vpternlogq zmm30, zmm26, zmm20, 0x96
    vprorq zmm16, zmm22, 1
    vprorq zmm24, zmm28, 1
    vprorq zmm18, zmm22, 8
    vpaddq zmm3, zmm3, zmm23
    vpaddq zmm11, zmm11, zmm30
    vmovdqa64 zmm25, zmm7
    vpternlogq zmm25, zmm0, zmm1, 0xca
    vprorq zmm17, zmm28, 8
    vpsrlq zmm22, zmm22, 7
    vpsrlq zmm28, zmm28, 7
    vmovdqa64 zmm21, zmm15
    vpternlogq zmm21, zmm8, zmm9, 0xca
    vpaddq zmm2, zmm2, zmm25
    vmovdqa64 zmm27, zmm3
    vpternlogq zmm27, zmm4, zmm5, 0xe8
    vprorq zmm29, zmm19, 19
    vprorq zmm26, zmm31, 19
    vprorq zmm20, zmm19, 61
    vpternlogq zmm16, zmm18, zmm22, 0x96
    vpternlogq zmm24, zmm17, zmm28, 0x96
    vpaddq zmm10, zmm10, zmm21
    vprorq zmm23, zmm31, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm31, zmm31, 6
    vpaddq zmm16, zmm16, zmmword ptr [rdx + 768]
    vpaddq zmm24, zmm24, zmmword ptr [rdx + 1792]
    vmovdqa64 zmm30, zmm11
    vpternlogq zmm30, zmm12, zmm13, 0xe8
    vprorq zmm25, zmm7, 14
    vprorq zmm18, zmm15, 14
    vpaddq zmm16, zmm16, zmmword ptr [rdx + 320]
    vpaddq zmm24, zmm24, zmmword ptr [rdx + 1344]
    vpternlogq zmm29, zmm20, zmm19, 0x96
    vpternlogq zmm26, zmm23, zmm31, 0x96
    vprorq zmm22, zmm7, 18
    vprorq zmm17, zmm15, 18
    vprorq zmm28, zmm7, 41
    vpaddq zmm16, zmm16, zmm29
    vpaddq zmm24, zmm24, zmm26
    vmovdqa64 zmm21, zmmword ptr [rdx + 896]
    vmovdqa64 zmm20, zmmword ptr [rdx + 1920]
    vmovdqa64 zmm19, zmmword ptr [rdx + 704]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1728]
    vpaddq zmm1, zmm1, qword ptr [r10 + 112]{1to8}
    vprorq zmm31, zmm15, 41
    vprorq zmm29, zmm3, 28
    vprorq zmm26, zmm11, 28
    vmovdqa64 zmmword ptr [rdx + 768], zmm16
    vmovdqa64 zmmword ptr [rdx + 1792], zmm24
    vpternlogq zmm25, zmm22, zmm28, 0x96
    vpaddq zmm9, zmm9, qword ptr [r10 + 112]{1to8}
    vpaddq zmm1, zmm1, zmmword ptr [rdx + 896]
    vprorq zmm16, zmm3, 34
    vprorq zmm24, zmm11, 34
    vprorq zmm22, zmm3, 39
    vpternlogq zmm18, zmm17, zmm31, 0x96
    vpaddq zmm2, zmm2, zmm25
    vpaddq zmm9, zmm9, zmmword ptr [rdx + 1920]
    vprorq zmm28, zmm11, 39
    vprorq zmm17, zmm21, 1
    vpaddq zmm10, zmm10, zmm18
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm2, zmm2, zmm27
    vpternlogq zmm29, zmm16, zmm22, 0x96
    vprorq zmm31, zmm20, 1
    vprorq zmm25, zmm21, 8
    vpaddq zmm14, zmm14, zmm10
    vpaddq zmm10, zmm10, zmm30
    vpternlogq zmm26, zmm24, zmm28, 0x96
    vpaddq zmm2, zmm2, zmm29
    vprorq zmm18, zmm20, 8
    vpsrlq zmm21, zmm21, 7
    vpsrlq zmm20, zmm20, 7
    vpaddq zmm10, zmm10, zmm26
    vmovdqa64 zmm27, zmm6
    vpternlogq zmm27, zmm7, zmm0, 0xca
    vmovdqa64 zmm16, zmm14
    vpternlogq zmm16, zmm15, zmm8, 0xca
    vprorq zmm22, zmm19, 19
    vprorq zmm30, zmm23, 19
    vprorq zmm24, zmm19, 61
    vpternlogq zmm17, zmm25, zmm21, 0x96
    vpternlogq zmm31, zmm18, zmm20, 0x96
    vpaddq zmm1, zmm1, zmm27
    vprorq zmm28, zmm23, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm23, zmm23, 6
    vpaddq zmm17, zmm17, zmmword ptr [rdx + 832]
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 1856]
    vpaddq zmm9, zmm9, zmm16
    vprorq zmm29, zmm6, 14
    vprorq zmm26, zmm14, 14
    vpaddq zmm17, zmm17, zmmword ptr [rdx + 384]
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 1408]
    vpternlogq zmm22, zmm24, zmm19, 0x96
    vpternlogq zmm30, zmm28, zmm23, 0x96
    vprorq zmm25, zmm6, 18
    vprorq zmm21, zmm14, 18
    vprorq zmm18, zmm6, 41
    vpaddq zmm17, zmm17, zmm22
    vpaddq zmm31, zmm31, zmm30
    vmovdqa64 zmm20, zmm2
    vpternlogq zmm20, zmm3, zmm4, 0xe8
    vprorq zmm27, zmm14, 41
    vprorq zmm16, zmm2, 28
    vprorq zmm24, zmm10, 28
    vmovdqa64 zmmword ptr [rdx + 832], zmm17
    vmovdqa64 zmmword ptr [rdx + 1856], zmm31
    vpternlogq zmm29, zmm25, zmm18, 0x96
    vmovdqa64 zmm19, zmm10
    vpternlogq zmm19, zmm11, zmm12, 0xe8
    vmovdqa64 zmm28, zmmword ptr [rdx + 960]
    vmovdqa64 zmm23, zmmword ptr [rdx + 1984]
    vmovdqa64 zmm22, zmmword ptr [rdx + 768]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1792]
    vpaddq zmm0, zmm0, qword ptr [r10 + 120]{1to8}
    vprorq zmm17, zmm2, 34
    vprorq zmm31, zmm10, 34
    vprorq zmm25, zmm2, 39
    vpternlogq zmm26, zmm21, zmm27, 0x96
    vpaddq zmm1, zmm1, zmm29
    vpaddq zmm8, zmm8, qword ptr [r10 + 120]{1to8}
    vprorq zmm18, zmm10, 39
    vprorq zmm21, zmm28, 1
    vpaddq zmm9, zmm9, zmm26
    vpaddq zmm5, zmm5, zmm1
    vpaddq zmm1, zmm1, zmm20
    vpternlogq zmm16, zmm17, zmm25, 0x96
    vprorq zmm27, zmm23, 1
    vprorq zmm29, zmm28, 8
    vpaddq zmm13, zmm13, zmm9
    vpaddq zmm9, zmm9, zmm19
    vpternlogq zmm24, zmm31, zmm18, 0x96
    vpaddq zmm1, zmm1, zmm16
    vprorq zmm26, zmm23, 8
    vpsrlq zmm28, zmm28, 7
    vpsrlq zmm23, zmm23, 7
    vpaddq zmm9, zmm9, zmm24
    vpaddq zmm0, zmm0, zmmword ptr [rdx + 960]
    vpaddq zmm8, zmm8, zmmword ptr [rdx + 1984]
    vprorq zmm20, zmm22, 19
    vprorq zmm17, zmm30, 19
    vprorq zmm25, zmm22, 61
    vpternlogq zmm21, zmm29, zmm28, 0x96
    vpternlogq zmm27, zmm26, zmm23, 0x96
    vmovdqa64 zmm19, zmm5
    vpternlogq zmm19, zmm6, zmm7, 0xca
    vprorq zmm31, zmm30, 61
    vpsrlq zmm22, zmm22, 6
    vpsrlq zmm30, zmm30, 6
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 896]
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 1920]
    vmovdqa64 zmm18, zmm13
    vpternlogq zmm18, zmm14, zmm15, 0xca
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 448]
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 1472]
    vpternlogq zmm20, zmm25, zmm22, 0x96
    vpternlogq zmm17, zmm31, zmm30, 0x96
    vpaddq zmm0, zmm0, zmm19
    vpaddq zmm8, zmm8, zmm18
    vprorq zmm16, zmm5, 14
    vprorq zmm24, zmm13, 14
    vprorq zmm29, zmm5, 18
    vpaddq zmm21, zmm21, zmm20
    vpaddq zmm27, zmm27, zmm17
    vmovdqa64 zmm28, zmm1
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vprorq zmm26, zmm13, 18
    vprorq zmm23, zmm5, 41
    vprorq zmm25, zmm13, 41
    vmovdqa64 zmmword ptr [rdx + 896], zmm21
    vmovdqa64 zmmword ptr [rdx + 1920], zmm27
    vmovdqa64 zmm22, zmm9
    vpternlogq zmm22, zmm10, zmm11, 0xe8
    vmovdqa64 zmm31, zmmword ptr [rdx + 0]
    vmovdqa64 zmm30, zmmword ptr [rdx + 1024]
    vmovdqa64 zmm19, zmmword ptr [rdx + 832]
    vmovdqa64 zmm18, zmmword ptr [rdx + 1856]
    vprorq zmm20, zmm1, 28
    vprorq zmm17, zmm9, 28
    vprorq zmm21, zmm1, 34
    vpternlogq zmm16, zmm29, zmm23, 0x96
    vpternlogq zmm24, zmm26, zmm25, 0x96
    vprorq zmm27, zmm9, 34
    vprorq zmm29, zmm1, 39
    vprorq zmm23, zmm9, 39
    vpaddq zmm0, zmm0, zmm16
    vpaddq zmm8, zmm8, zmm24
    vpaddq zmm4, zmm4, zmm0
    vpaddq zmm12, zmm12, zmm8
    vpaddq zmm0, zmm0, zmm28
    vpaddq zmm8, zmm8, zmm22
    vpternlogq zmm20, zmm21, zmm29, 0x96
    vpternlogq zmm17, zmm27, zmm23, 0x96
    vprorq zmm26, zmm31, 1
    vprorq zmm25, zmm30, 1
    vprorq zmm16, zmm31, 8
    vpaddq zmm0, zmm0, zmm20
    vpaddq zmm8, zmm8, zmm17
    vprorq zmm24, zmm30, 8
    vpsrlq zmm31, zmm31, 7
    vpsrlq zmm30, zmm30, 7
    vprorq zmm28, zmm19, 19
    vprorq zmm22, zmm18, 19
    vprorq zmm21, zmm19, 61
    vpternlogq zmm26, zmm16, zmm31, 0x96
    vpternlogq zmm25, zmm24, zmm30, 0x96
    vprorq zmm29, zmm18, 61
    vpsrlq zmm19, zmm19, 6
    vpsrlq zmm18, zmm18, 6
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 960]
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 1984]
    vpaddq zmm26, zmm26, zmmword ptr [rdx + 512]
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 1536]
    vpternlogq zmm28, zmm21, zmm19, 0x96
    vpternlogq zmm22, zmm29, zmm18, 0x96
    vpaddq zmm26, zmm26, zmm28
    vpaddq zmm25, zmm25, zmm22
    vmovdqa64 zmmword ptr [rdx + 960], zmm26
    vmovdqa64 zmmword ptr [rdx + 1984], zmm25
    add r10, 128
    dec r13d
    jnz 3b
    lea r14, [r8 + 128]
    cmp r14, r12
    cmovb r8, r14
    vprorq zmm16, zmm4, 14
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
    vprorq zmm17, zmm12, 14
    vpaddq zmm7, zmm7, qword ptr [r10 + 0]{1to8}
    vpaddq zmm15, zmm15, qword ptr [r10 + 0]{1to8}
    vmovdqa64 zmm18, zmm4
    vpternlogq zmm18, zmm5, zmm6, 0xca
    vmovdqa64 zmm19, zmm12
    vpternlogq zmm19, zmm13, zmm14, 0xca
    vprorq zmm20, zmm4, 18
    vprorq zmm21, zmm12, 18
    vprorq zmm22, zmm4, 41
    vpaddq zmm7, zmm7, zmmword ptr [rdx + 0]
    vpaddq zmm15, zmm15, zmmword ptr [rdx + 1024]
    vmovdqa64 zmm23, zmm0
    vpternlogq zmm23, zmm1, zmm2, 0xe8
    vprorq zmm24, zmm12, 41
    vprorq zmm25, zmm0, 28
    vpaddq zmm7, zmm7, zmm18
    vpaddq zmm15, zmm15, zmm19
    vpternlogq zmm16, zmm20, zmm22, 0x96
    vmovdqa64 zmm26, zmm8
    vpternlogq zmm26, zmm9, zmm10, 0xe8
    vprorq zmm27, zmm8, 28
    vprorq zmm28, zmm0, 34
    vprorq zmm29, zmm8, 34
    vpternlogq zmm17, zmm21, zmm24, 0x96
    vpaddq zmm7, zmm7, zmm16
    vpaddq zmm6, zmm6, qword ptr [r10 + 8]{1to8}
    vprorq zmm30, zmm0, 39
    vprorq zmm31, zmm8, 39
    vpaddq zmm15, zmm15, zmm17
    vpaddq zmm3, zmm3, zmm7
    vpaddq zmm7, zmm7, zmm23
    vpaddq zmm14, zmm14, qword ptr [r10 + 8]{1to8}
    vpaddq zmm11, zmm11, zmm15
    vpaddq zmm15, zmm15, zmm26
    vpternlogq zmm25, zmm28, zmm30, 0x96
    vpternlogq zmm27, zmm29, zmm31, 0x96
    vpaddq zmm6, zmm6, zmmword ptr [rdx + 64]
    vpaddq zmm14, zmm14, zmmword ptr [rdx + 1088]
    vprorq zmm18, zmm3, 14
    vprorq zmm19, zmm11, 14
    vpaddq zmm7, zmm7, zmm25
    vpaddq zmm15, zmm15, zmm27
    vmovdqa64 zmm20, zmm3
    vpternlogq zmm20, zmm4, zmm5, 0xca
    vmovdqa64 zmm22, zmm11
    vpternlogq zmm22, zmm12, zmm13, 0xca
    vprorq zmm21, zmm3, 18
    vprorq zmm24, zmm11, 18
    vprorq zmm16, zmm3, 41
    vpaddq zmm6, zmm6, zmm20
    vpaddq zmm14, zmm14, zmm22
    vmovdqa64 zmm17, zmm7
    vpternlogq zmm17, zmm0, zmm1, 0xe8
    vprorq zmm23, zmm11, 41
    vprorq zmm26, zmm7, 28
    vprorq zmm28, zmm15, 28
    vpternlogq zmm18, zmm21, zmm16, 0x96
    vmovdqa64 zmm30, zmm15
    vpternlogq zmm30, zmm8, zmm9, 0xe8
    vpaddq zmm5, zmm5, qword ptr [r10 + 16]{1to8}
    vprorq zmm29, zmm7, 34
    vprorq zmm31, zmm15, 34
    vprorq zmm25, zmm7, 39
    vpternlogq zmm19, zmm24, zmm23, 0x96
    vpaddq zmm6, zmm6, zmm18
    vpaddq zmm13, zmm13, qword ptr [r10 + 16]{1to8}
    vprorq zmm27, zmm15, 39
    vpaddq zmm14, zmm14, zmm19
    vpaddq zmm2, zmm2, zmm6
    vpaddq zmm6, zmm6, zmm17
    vpternlogq zmm26, zmm29, zmm25, 0x96
    vpaddq zmm5, zmm5, zmmword ptr [rdx + 128]
    vpaddq zmm10, zmm10, zmm14
    vpaddq zmm14, zmm14, zmm30
    vpternlogq zmm28, zmm31, zmm27, 0x96
    vpaddq zmm6, zmm6, zmm26
    vpaddq zmm13, zmm13, zmmword ptr [rdx + 1152]
    vmovdqa64 zmm20, zmm2
    vpternlogq zmm20, zmm3, zmm4, 0xca
    vprorq zmm22, zmm2, 14
    vprorq zmm21, zmm10, 14
    vprorq zmm16, zmm2, 18
    vpaddq zmm14, zmm14, zmm28
    vmovdqa64 zmm24, zmm10
    vpternlogq zmm24, zmm11, zmm12, 0xca
    vpaddq zmm5, zmm5, zmm20
    vprorq zmm23, zmm10, 18
    vprorq zmm18, zmm2, 41
    vprorq zmm19, zmm10, 41
    vpaddq zmm13, zmm13, zmm24
    vmovdqa64 zmm17, zmm6
    vpternlogq zmm17, zmm7, zmm0, 0xe8
    vmovdqa64 zmm29, zmm14
    vpternlogq zmm29, zmm15, zmm8, 0xe8
    vprorq zmm25, zmm6, 28
    vprorq zmm30, zmm14, 28
    vprorq zmm31, zmm6, 34
    vpternlogq zmm22, zmm16, zmm18, 0x96
    vpternlogq zmm21, zmm23, zmm19, 0x96
    vpaddq zmm4, zmm4, qword ptr [r10 + 24]{1to8}
    vprorq zmm27, zmm14, 34
    vprorq zmm26, zmm6, 39
    vprorq zmm28, zmm14, 39
    vpaddq zmm5, zmm5, zmm22
    vpaddq zmm13, zmm13, zmm21
    vpaddq zmm12, zmm12, qword ptr [r10 + 24]{1to8}
    vpaddq zmm1, zmm1, zmm5
    vpaddq zmm9, zmm9, zmm13
    vpaddq zmm5, zmm5, zmm17
    vpaddq zmm13, zmm13, zmm29
    vpternlogq zmm25, zmm31, zmm26, 0x96
    vpternlogq zmm30, zmm27, zmm28, 0x96
    vpaddq zmm5, zmm5, zmm25
    vpaddq zmm13, zmm13, zmm30
    vpaddq zmm4, zmm4, zmmword ptr [rdx + 192]
    vpaddq zmm12, zmm12, zmmword ptr [rdx + 1216]
    vmovdqa64 zmm20, zmm1
    vpternlogq zmm20, zmm2, zmm3, 0xca
    vmovdqa64 zmm24, zmm9
    vpternlogq zmm24, zmm10, zmm11, 0xca
    vprorq zmm16, zmm1, 14
    vprorq zmm18, zmm9, 14
    vprorq zmm23, zmm1, 18
    vpaddq zmm4, zmm4, zmm20
    vpaddq zmm12, zmm12, zmm24
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 0]
    vmovdqa64 zmm21, zmm5
    vpternlogq zmm21, zmm6, zmm7, 0xe8
    vprorq zmm17, zmm9, 18
    vprorq zmm29, zmm1, 41
    vprorq zmm31, zmm9, 41
    vmovdqa64 zmm26, zmm13
    vpternlogq zmm26, zmm14, zmm15, 0xe8
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 0]
    vpaddq zmm3, zmm3, qword ptr [r10 + 32]{1to8}
    vpaddq zmm11, zmm11, qword ptr [r10 + 32]{1to8}
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 0], 1
    vprorq zmm28, zmm5, 28
    vpternlogq zmm16, zmm23, zmm29, 0x96
    vpternlogq zmm18, zmm17, zmm31, 0x96
    vpaddq zmm3, zmm3, zmmword ptr [rdx + 256]
    vprorq zmm25, zmm13, 28
    vprorq zmm30, zmm5, 34
    vprorq zmm20, zmm13, 34
    vpaddq zmm4, zmm4, zmm16
    vpaddq zmm12, zmm12, zmm18
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 0]
    vpaddq zmm11, zmm11, zmmword ptr [rdx + 1280]
    vprorq zmm23, zmm5, 39
    vpunpcklqdq zmm29, zmm19, zmm22
    vpaddq zmm0, zmm0, zmm4
    vpaddq zmm8, zmm8, zmm12
    vpaddq zmm4, zmm4, zmm21
    vpaddq zmm12, zmm12, zmm26
    vpunpckhqdq zmm19, zmm19, zmm22
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 0], 1
    vprorq zmm17, zmm13, 39
    vpternlogq zmm28, zmm30, zmm23, 0x96
    vmovdqa64 zmm31, zmm0
    vpternlogq zmm31, zmm1, zmm2, 0xca
    vmovdqa64 zmm16, zmm8
    vpternlogq zmm16, zmm9, zmm10, 0xca
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 0], 1
    vprorq zmm18, zmm0, 14
    vpternlogq zmm25, zmm20, zmm17, 0x96
    vpaddq zmm4, zmm4, zmm28
    vpaddq zmm3, zmm3, zmm31
    vpaddq zmm11, zmm11, zmm16
    vpunpcklqdq zmm21, zmm27, zmm24
    vpunpckhqdq zmm27, zmm27, zmm24
    vprorq zmm26, zmm8, 14
    vpaddq zmm12, zmm12, zmm25
    vmovdqa64 zmm22, zmm4
    vpternlogq zmm22, zmm5, zmm6, 0xe8
    vpaddq zmm2, zmm2, qword ptr [r10 + 40]{1to8}
    vprorq zmm30, zmm0, 18
    vprorq zmm23, zmm8, 18
    vshufi64x2 zmm20, zmm29, zmm21, 0x88
    vmovdqa64 zmm17, zmm12
    vpternlogq zmm17, zmm13, zmm14, 0xe8
    vpaddq zmm10, zmm10, qword ptr [r10 + 40]{1to8}
    vpaddq zmm2, zmm2, zmmword ptr [rdx + 320]
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vshufi64x2 zmm29, zmm29, zmm21, 0xdd
    vprorq zmm28, zmm0, 41
    vpaddq zmm10, zmm10, zmmword ptr [rdx + 1344]
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm31, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 32]
    vprorq zmm24, zmm8, 41
    vpshufb zmm29, zmm29, zmmword ptr [r11]
    vshufi64x2 zmm25, zmm19, zmm27, 0x88
    vmovdqa64 zmmword ptr [r9 + 0], zmm20
    vpternlogq zmm18, zmm30, zmm28, 0x96
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm21, ymmword ptr [rax + r8 + 32]
    vpshufb zmm25, zmm25, zmmword ptr [r11]
    vprorq zmm20, zmm4, 28
    vprorq zmm30, zmm12, 28
    vpternlogq zmm26, zmm23, zmm24, 0x96
    vpaddq zmm3, zmm3, zmm18
    vmovdqa64 zmmword ptr [r9 + 128], zmm29
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 32]
    vpaddq zmm23, zmm1, qword ptr [r10 + 48]{1to8}
    vprorq zmm24, zmm4, 34
    vprorq zmm18, zmm12, 34
    vprorq zmm29, zmm4, 39
    vpaddq zmm11, zmm11, zmm26
    vpaddq zmm7, zmm7, zmm3
    vpaddq zmm3, zmm3, zmm22
    vmovdqa64 zmmword ptr [r9 + 64], zmm25
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
    vprorq zmm26, zmm12, 39
    vshufi64x2 zmm19, zmm19, zmm27, 0xdd
    vpaddq zmm15, zmm15, zmm11
    vpaddq zmm11, zmm11, zmm17
    vpternlogq zmm20, zmm24, zmm29, 0x96
    vpternlogq zmm1, zmm0, zmm7, 0xd8
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm31, zmm31, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 32], 1
    vpternlogq zmm30, zmm18, zmm26, 0x96
    vpaddq zmm3, zmm3, zmm20
    vmovdqa64 zmm22, zmm15
    vpternlogq zmm22, zmm8, zmm9, 0xca
    vprorq zmm25, zmm7, 14
    vprorq zmm27, zmm15, 14
    vprorq zmm17, zmm7, 18
    vmovdqa64 zmmword ptr [r9 + 192], zmm19
    vpaddq zmm11, zmm11, zmm30
    vpaddq zmm2, zmm2, zmm1
    vpaddq zmm10, zmm10, zmm22
    vprorq zmm24, zmm15, 18
    vprorq zmm29, zmm7, 41
    vprorq zmm18, zmm15, 41
    vmovdqa64 zmm26, zmm3
    vpternlogq zmm26, zmm4, zmm5, 0xe8
    vmovdqa64 zmm20, zmm11
    vpternlogq zmm20, zmm12, zmm13, 0xe8
    vpaddq zmm9, zmm9, qword ptr [r10 + 48]{1to8}
    vpunpcklqdq zmm19, zmm31, zmm16
    vpunpckhqdq zmm31, zmm31, zmm16
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm21, zmm21, ymmword ptr [rax + r8 + 32], 1
    vpternlogq zmm25, zmm17, zmm29, 0x96
    vpternlogq zmm27, zmm24, zmm18, 0x96
    vpaddq zmm23, zmm23, zmmword ptr [rdx + 384]
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 32], 1
    vprorq zmm30, zmm3, 28
    vprorq zmm1, zmm11, 28
    vpaddq zmm2, zmm2, zmm25
    vpaddq zmm10, zmm10, zmm27
    vpaddq zmm9, zmm9, zmmword ptr [rdx + 1408]
    vpunpcklqdq zmm22, zmm21, zmm28
    vpunpckhqdq zmm21, zmm21, zmm28
    vpaddq zmm6, zmm6, zmm2
    vpaddq zmm14, zmm14, zmm10
    vpaddq zmm2, zmm2, zmm26
    vpaddq zmm10, zmm10, zmm20
    vprorq zmm16, zmm3, 34
    vprorq zmm17, zmm11, 34
    vprorq zmm29, zmm3, 39
    vmovdqa64 zmm24, zmm6
    vpternlogq zmm24, zmm7, zmm0, 0xca
    vmovdqa64 zmm18, zmm14
    vpternlogq zmm18, zmm15, zmm8, 0xca
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm25, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 64]
    vpaddq zmm0, zmm0, qword ptr [r10 + 56]{1to8}
    vprorq zmm28, zmm11, 39
    vshufi64x2 zmm26, zmm19, zmm22, 0x88
    vshufi64x2 zmm19, zmm19, zmm22, 0xdd
    vpternlogq zmm30, zmm16, zmm29, 0x96
    vpaddq zmm23, zmm23, zmm24
    vpaddq zmm9, zmm9, zmm18
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vshufi64x2 zmm20, zmm31, zmm21, 0x88
    vpternlogq zmm1, zmm17, zmm28, 0x96
    vpaddq zmm2, zmm2, zmm30
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 64]
    vpaddq zmm8, zmm8, qword ptr [r10 + 56]{1to8}
    vpshufb zmm20, zmm20, zmmword ptr [r11]
    vprorq zmm16, zmm6, 14
    vprorq zmm29, zmm14, 14
    vmovdqa64 zmmword ptr [r9 + 256], zmm26
    vpaddq zmm10, zmm10, zmm1
    vmovdqa64 zmmword ptr [r9 + 384], zmm19
    vmovdqa64 zmm24, zmm2
    vpternlogq zmm24, zmm3, zmm4, 0xe8
    vpaddq zmm0, zmm0, zmmword ptr [rdx + 448]
    vprorq zmm18, zmm6, 18
    vprorq zmm17, zmm14, 18
    vprorq zmm28, zmm6, 41
    vmovdqa64 zmmword ptr [r9 + 320], zmm20
    vmovdqa64 zmm30, zmm10
    vpternlogq zmm30, zmm11, zmm12, 0xe8
    vpaddq zmm8, zmm8, zmmword ptr [rdx + 1472]
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 64]
    vprorq zmm1, zmm14, 41
    vshufi64x2 zmm31, zmm31, zmm21, 0xdd
    vprorq zmm19, zmm2, 28
    vpternlogq zmm16, zmm18, zmm28, 0x96
    vpaddq zmm20, zmm7, qword ptr [r10 + 64]{1to8}
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vprorq zmm21, zmm10, 28
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm25, zmm25, ymmword ptr [rax + r8 + 64], 1
    vpternlogq zmm29, zmm17, zmm1, 0x96
    vpaddq zmm23, zmm23, zmm16
    vpaddq zmm18, zmm15, qword ptr [r10 + 64]{1to8}
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 64], 1
    vprorq zmm28, zmm2, 34
    vprorq zmm17, zmm10, 34
    vmovdqa64 zmmword ptr [r9 + 448], zmm31
    vpaddq zmm9, zmm9, zmm29
    vpaddq zmm5, zmm5, zmm23
    vpaddq zmm23, zmm23, zmm24
    vprorq zmm1, zmm2, 39
    vprorq zmm16, zmm10, 39
    vpunpcklqdq zmm31, zmm25, zmm27
    vpaddq zmm13, zmm13, zmm9
    vpaddq zmm9, zmm9, zmm30
    vpternlogq zmm7, zmm6, zmm5, 0xd8
    vpunpckhqdq zmm25, zmm25, zmm27
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 64], 1
    vpternlogq zmm19, zmm28, zmm1, 0x96
    vpternlogq zmm21, zmm17, zmm16, 0x96
    vpternlogq zmm15, zmm14, zmm13, 0xd8
    vpaddq zmm0, zmm0, zmm7
    vprorq zmm29, zmm5, 14
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 64], 1
    vprorq zmm24, zmm13, 14
    vpaddq zmm23, zmm23, zmm19
    vpaddq zmm9, zmm9, zmm21
    vpaddq zmm8, zmm8, zmm15
    vpunpcklqdq zmm30, zmm22, zmm26
    vpunpckhqdq zmm22, zmm22, zmm26
    vprorq zmm27, zmm5, 18
    vmovdqa64 zmm28, zmm23
    vpternlogq zmm28, zmm2, zmm3, 0xe8
    vmovdqa64 zmm1, zmm9
    vpternlogq zmm1, zmm10, zmm11, 0xe8
    vpaddq zmm20, zmm20, zmmword ptr [rdx + 512]
    vprorq zmm17, zmm13, 18
    vprorq zmm16, zmm5, 41
    vprorq zmm7, zmm13, 41
    vpaddq zmm18, zmm18, zmmword ptr [rdx + 1536]
    mov rax, qword ptr [rsi + 0]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 96]
    vshufi64x2 zmm21, zmm31, zmm30, 0x88
    vshufi64x2 zmm31, zmm31, zmm30, 0xdd
    vprorq zmm15, zmm23, 28
    vpternlogq zmm29, zmm27, zmm16, 0x96
    vpternlogq zmm24, zmm17, zmm7, 0x96
    mov rax, qword ptr [rsi + 8]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 32]
    vmovdqu64 ymm30, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 40]
    vmovdqu64 ymm27, ymmword ptr [rax + r8 + 96]
    vpshufb zmm21, zmm21, zmmword ptr [r11]
    vprorq zmm16, zmm9, 28
    vprorq zmm17, zmm23, 34
    vpaddq zmm0, zmm0, zmm29
    vpaddq zmm8, zmm8, zmm24
    vprorq zmm7, zmm9, 34
    vpshufb zmm31, zmm31, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 512], zmm21
    vpaddq zmm4, zmm4, zmm0
    vpaddq zmm12, zmm12, zmm8
    vpaddq zmm0, zmm0, zmm28
    vpaddq zmm8, zmm8, zmm1
    vshufi64x2 zmm29, zmm25, zmm22, 0x88
    vprorq zmm24, zmm23, 39
    vprorq zmm21, zmm9, 39
    vmovdqa64 zmmword ptr [r9 + 640], zmm31
    vpshufb zmm29, zmm29, zmmword ptr [r11]
    vshufi64x2 zmm25, zmm25, zmm22, 0xdd
    vpternlogq zmm15, zmm17, zmm24, 0x96
    vpternlogq zmm16, zmm7, zmm21, 0x96
    vmovdqa64 zmm28, zmm4
    vpternlogq zmm28, zmm5, zmm6, 0xca
    vmovdqa64 zmm1, zmm12
    vpternlogq zmm1, zmm13, zmm14, 0xca
    vpshufb zmm25, zmm25, zmmword ptr [r11]
    vprorq zmm31, zmm4, 14
    vpaddq zmm0, zmm0, zmm15
    vpaddq zmm8, zmm8, zmm16
    vmovdqa64 zmmword ptr [r9 + 576], zmm29
    vpaddq zmm20, zmm20, zmm28
    vpaddq zmm18, zmm18, zmm1
    vprorq zmm22, zmm12, 14
    vprorq zmm17, zmm4, 18
    mov rax, qword ptr [rsi + 16]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 96], 1
    vmovdqa64 zmmword ptr [r9 + 704], zmm25
    vmovdqa64 zmm24, zmm0
    vpternlogq zmm24, zmm23, zmm2, 0xe8
    vmovdqa64 zmm7, zmm8
    vpternlogq zmm7, zmm9, zmm10, 0xe8
    vpaddq zmm6, zmm6, qword ptr [r10 + 72]{1to8}
    mov rax, qword ptr [rsi + 24]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 96], 1
    vprorq zmm21, zmm12, 18
    vprorq zmm15, zmm4, 41
    vpaddq zmm14, zmm14, qword ptr [r10 + 72]{1to8}
    vpaddq zmm6, zmm6, zmmword ptr [rdx + 576]
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm16, ymmword ptr [rax + r8 + 0]
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 0]
    vprorq zmm28, zmm12, 41
    vpunpcklqdq zmm1, zmm19, zmm26
    vpunpckhqdq zmm19, zmm19, zmm26
    vpternlogq zmm31, zmm17, zmm15, 0x96
    vpaddq zmm14, zmm14, zmmword ptr [rdx + 1600]
    vpaddq zmm25, zmm5, qword ptr [r10 + 80]{1to8}
    mov rax, qword ptr [rsi + 48]
    vinserti64x4 zmm30, zmm30, ymmword ptr [rax + r8 + 96], 1
    vprorq zmm26, zmm0, 28
    vprorq zmm17, zmm8, 28
    vpternlogq zmm22, zmm21, zmm28, 0x96
    vpaddq zmm20, zmm20, zmm31
    vpaddq zmm15, zmm13, qword ptr [r10 + 80]{1to8}
    vprorq zmm21, zmm0, 34
    vprorq zmm28, zmm8, 34
    mov rax, qword ptr [rsi + 56]
    vinserti64x4 zmm27, zmm27, ymmword ptr [rax + r8 + 96], 1
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 64]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 72]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 80]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 88]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
4:
    vpaddq zmm18, zmm18, zmm22
    vpaddq zmm3, zmm3, zmm20
    vpaddq zmm20, zmm20, zmm24
    vprorq zmm31, zmm0, 39
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm16, zmm16, ymmword ptr [rax + r8 + 0], 1
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 0], 1
    vpaddq zmm11, zmm11, zmm18
    vpaddq zmm18, zmm18, zmm7
    vpternlogq zmm5, zmm4, zmm3, 0xd8
    vprorq zmm22, zmm8, 39
    vpunpcklqdq zmm24, zmm30, zmm27
    vpunpckhqdq zmm30, zmm30, zmm27
    vpternlogq zmm26, zmm21, zmm31, 0x96
    vpternlogq zmm13, zmm12, zmm11, 0xd8
    vpaddq zmm6, zmm6, zmm5
    vshufi64x2 zmm7, zmm1, zmm24, 0x88
    vshufi64x2 zmm1, zmm1, zmm24, 0xdd
    vprorq zmm27, zmm3, 14
    vpternlogq zmm17, zmm28, zmm22, 0x96
    vpaddq zmm20, zmm20, zmm26
    vpaddq zmm14, zmm14, zmm13
    vpshufb zmm7, zmm7, zmmword ptr [r11]
    vprorq zmm21, zmm11, 14
    vprorq zmm31, zmm3, 18
    vpaddq zmm18, zmm18, zmm17
    vmovdqa64 zmm5, zmm20
    vpternlogq zmm5, zmm0, zmm23, 0xe8
    vpaddq zmm25, zmm25, zmmword ptr [rdx + 640]
    vprorq zmm24, zmm11, 18
    vprorq zmm28, zmm3, 41
    vpshufb zmm1, zmm1, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 768], zmm7
    vmovdqa64 zmm22, zmm18
    vpternlogq zmm22, zmm8, zmm9, 0xe8
    vpaddq zmm15, zmm15, zmmword ptr [rdx + 1664]
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 0]
    vshufi64x2 zmm13, zmm19, zmm30, 0x88
    vprorq zmm17, zmm11, 41
    vshufi64x2 zmm19, zmm19, zmm30, 0xdd
    vmovdqa64 zmmword ptr [r9 + 896], zmm1
    vpternlogq zmm27, zmm31, zmm28, 0x96
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 0]
    vpaddq zmm30, zmm4, qword ptr [r10 + 88]{1to8}
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vprorq zmm1, zmm20, 28
    vpternlogq zmm21, zmm24, zmm17, 0x96
    vpaddq zmm6, zmm6, zmm27
    vpaddq zmm31, zmm12, qword ptr [r10 + 88]{1to8}
    vprorq zmm28, zmm18, 28
    vprorq zmm24, zmm20, 34
    vprorq zmm17, zmm18, 34
    vpaddq zmm14, zmm14, zmm21
    vpaddq zmm2, zmm2, zmm6
    vmovdqa64 zmmword ptr [r9 + 832], zmm13
    vmovdqa64 zmmword ptr [r9 + 960], zmm19
    vpaddq zmm6, zmm6, zmm5
    vprorq zmm27, zmm20, 39
    vprorq zmm21, zmm18, 39
    vpunpcklqdq zmm13, zmm16, zmm29
    vpaddq zmm10, zmm10, zmm14
    vpaddq zmm14, zmm14, zmm22
    vpternlogq zmm4, zmm3, zmm2, 0xd8
    vpunpckhqdq zmm16, zmm16, zmm29
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 0], 1
    vpternlogq zmm1, zmm24, zmm27, 0x96
    vpternlogq zmm28, zmm17, zmm21, 0x96
    vpternlogq zmm12, zmm11, zmm10, 0xd8
    vpaddq zmm25, zmm25, zmm4
    vprorq zmm19, zmm2, 14
    vprorq zmm5, zmm10, 14
    vprorq zmm22, zmm2, 18
    vpaddq zmm6, zmm6, zmm1
    vpaddq zmm14, zmm14, zmm28
    vpaddq zmm15, zmm15, zmm12
    vprorq zmm29, zmm10, 18
    vprorq zmm24, zmm2, 41
    vprorq zmm27, zmm10, 41
    vmovdqa64 zmm17, zmm6
    vpternlogq zmm17, zmm20, zmm0, 0xe8
    vmovdqa64 zmm21, zmm14
    vpternlogq zmm21, zmm18, zmm8, 0xe8
    vpaddq zmm30, zmm30, zmmword ptr [rdx + 704]
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 0], 1
    vprorq zmm4, zmm6, 28
    vprorq zmm1, zmm14, 28
    vpternlogq zmm19, zmm22, zmm24, 0x96
    vpternlogq zmm5, zmm29, zmm27, 0x96
    vpaddq zmm31, zmm31, zmmword ptr [rdx + 1728]
    vpunpcklqdq zmm28, zmm26, zmm7
    vpunpckhqdq zmm26, zmm26, zmm7
    vprorq zmm12, zmm6, 34
    vpaddq zmm25, zmm25, zmm19
    vpaddq zmm15, zmm15, zmm5
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm22, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm24, ymmword ptr [rax + r8 + 32]
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm29, ymmword ptr [rax + r8 + 32]
    vpaddq zmm27, zmm3, qword ptr [r10 + 96]{1to8}
    vshufi64x2 zmm7, zmm13, zmm28, 0x88
    vshufi64x2 zmm13, zmm13, zmm28, 0xdd
    vpaddq zmm23, zmm23, zmm25
    vpaddq zmm9, zmm9, zmm15
    vpaddq zmm25, zmm25, zmm17
    vpaddq zmm15, zmm15, zmm21
    vpshufb zmm7, zmm7, zmmword ptr [r11]
    vprorq zmm19, zmm14, 34
    vprorq zmm5, zmm6, 39
    vpternlogq zmm3, zmm2, zmm23, 0xd8
    vpaddq zmm27, zmm27, zmmword ptr [rdx + 768]
    vprorq zmm28, zmm14, 39
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vshufi64x2 zmm17, zmm16, zmm26, 0x88
    vmovdqa64 zmmword ptr [r9 + 1024], zmm7
    vpternlogq zmm4, zmm12, zmm5, 0x96
    vmovdqa64 zmm21, zmm9
    vpternlogq zmm21, zmm10, zmm11, 0xca
    vpaddq zmm30, zmm30, zmm3
    vpshufb zmm17, zmm17, zmmword ptr [r11]
    vshufi64x2 zmm16, zmm16, zmm26, 0xdd
    vprorq zmm7, zmm23, 14
    vpternlogq zmm1, zmm19, zmm28, 0x96
    vpaddq zmm25, zmm25, zmm4
    vmovdqa64 zmmword ptr [r9 + 1152], zmm13
    vpaddq zmm31, zmm31, zmm21
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vprorq zmm12, zmm9, 14
    vprorq zmm5, zmm23, 18
    vpaddq zmm15, zmm15, zmm1
    vmovdqa64 zmmword ptr [r9 + 1088], zmm17
    vmovdqa64 zmm3, zmm25
    vpternlogq zmm3, zmm6, zmm20, 0xe8
    vpaddq zmm11, zmm11, qword ptr [r10 + 96]{1to8}
    vprorq zmm26, zmm9, 18
    vprorq zmm19, zmm23, 41
    vprorq zmm28, zmm9, 41
    vmovdqa64 zmmword ptr [r9 + 1216], zmm16
    vmovdqa64 zmm4, zmm15
    vpternlogq zmm4, zmm14, zmm18, 0xe8
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm13, ymmword ptr [rax + r8 + 32]
    vpaddq zmm11, zmm11, zmmword ptr [rdx + 1792]
    vpaddq zmm21, zmm2, qword ptr [r10 + 104]{1to8}
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm22, zmm22, ymmword ptr [rax + r8 + 32], 1
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm24, zmm24, ymmword ptr [rax + r8 + 32], 1
    vprorq zmm1, zmm25, 28
    vpternlogq zmm7, zmm5, zmm19, 0x96
    vpternlogq zmm12, zmm26, zmm28, 0x96
    vpaddq zmm17, zmm10, qword ptr [r10 + 104]{1to8}
    vprorq zmm16, zmm15, 28
    vpunpcklqdq zmm5, zmm22, zmm24
    vpunpckhqdq zmm22, zmm22, zmm24
    vpaddq zmm30, zmm30, zmm7
    vpaddq zmm31, zmm31, zmm12
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm19, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 64]
    vpaddq zmm21, zmm21, zmmword ptr [rdx + 832]
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm29, zmm29, ymmword ptr [rax + r8 + 32], 1
    vprorq zmm28, zmm25, 34
    vpaddq zmm0, zmm0, zmm30
    vpaddq zmm8, zmm8, zmm31
    vpaddq zmm30, zmm30, zmm3
    vpaddq zmm31, zmm31, zmm4
    vprorq zmm24, zmm15, 34
    vprorq zmm7, zmm25, 39
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm13, zmm13, ymmword ptr [rax + r8 + 32], 1
    vpternlogq zmm2, zmm23, zmm0, 0xd8
    vpternlogq zmm10, zmm9, zmm8, 0xd8
    vpaddq zmm17, zmm17, zmmword ptr [rdx + 1856]
    vprorq zmm12, zmm15, 39
    vpunpcklqdq zmm3, zmm29, zmm13
    vpunpckhqdq zmm29, zmm29, zmm13
    vpternlogq zmm1, zmm28, zmm7, 0x96
    vpaddq zmm27, zmm27, zmm2
    vpaddq zmm11, zmm11, zmm10
    vprorq zmm4, zmm0, 14
    vshufi64x2 zmm13, zmm5, zmm3, 0x88
    vshufi64x2 zmm5, zmm5, zmm3, 0xdd
    vpternlogq zmm16, zmm24, zmm12, 0x96
    vpaddq zmm30, zmm30, zmm1
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm28, ymmword ptr [rax + r8 + 64]
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 64]
    vpshufb zmm13, zmm13, zmmword ptr [r11]
    vprorq zmm2, zmm8, 14
    vprorq zmm10, zmm0, 18
    vpaddq zmm31, zmm31, zmm16
    vmovdqa64 zmm3, zmm30
    vpternlogq zmm3, zmm25, zmm6, 0xe8
    vprorq zmm24, zmm8, 18
    vprorq zmm12, zmm0, 41
    vpshufb zmm5, zmm5, zmmword ptr [r11]
    vmovdqa64 zmmword ptr [r9 + 1280], zmm13
    vprorq zmm1, zmm8, 41
    vshufi64x2 zmm16, zmm22, zmm29, 0x88
    vshufi64x2 zmm22, zmm22, zmm29, 0xdd
    vpternlogq zmm4, zmm10, zmm12, 0x96
    vmovdqa64 zmmword ptr [r9 + 1408], zmm5
    vmovdqa64 zmm13, zmm31
    vpternlogq zmm13, zmm15, zmm14, 0xe8
    vpaddq zmm29, zmm23, qword ptr [r10 + 112]{1to8}
    vpshufb zmm16, zmm16, zmmword ptr [r11]
    vprorq zmm10, zmm30, 28
    vprorq zmm12, zmm31, 28
    cmp r15, r12
    jae 4f
    mov rax, qword ptr [rsi + 96]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 104]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 112]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
    mov rax, qword ptr [rsi + 120]
    prefetcht0 byte ptr [rax + r15 + 0]
    prefetcht0 byte ptr [rax + r15 + 64]
4:
    vpternlogq zmm2, zmm24, zmm1, 0x96
    vpaddq zmm27, zmm27, zmm4
    vpaddq zmm5, zmm9, qword ptr [r10 + 112]{1to8}
    vprorq zmm24, zmm30, 34
    vprorq zmm1, zmm31, 34
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vpaddq zmm11, zmm11, zmm2
    vpaddq zmm20, zmm20, zmm27
    vpaddq zmm27, zmm27, zmm3
    vmovdqa64 zmmword ptr [r9 + 1344], zmm16
    vprorq zmm4, zmm30, 39
    vprorq zmm2, zmm31, 39
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm19, zmm19, ymmword ptr [rax + r8 + 64], 1
    vpaddq zmm18, zmm18, zmm11
    vpaddq zmm11, zmm11, zmm13
    vmovdqa64 zmmword ptr [r9 + 1472], zmm22
    vpternlogq zmm23, zmm0, zmm20, 0xd8
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 64], 1
    vprorq zmm3, zmm20, 14
    vpternlogq zmm10, zmm24, zmm4, 0x96
    vpternlogq zmm12, zmm1, zmm2, 0x96
    vpternlogq zmm9, zmm8, zmm18, 0xd8
    vpaddq zmm21, zmm21, zmm23
    vprorq zmm16, zmm18, 14
    vprorq zmm13, zmm20, 18
    vpunpcklqdq zmm22, zmm19, zmm26
    vpaddq zmm27, zmm27, zmm10
    vpaddq zmm11, zmm11, zmm12
    vpaddq zmm17, zmm17, zmm9
    vpunpckhqdq zmm19, zmm19, zmm26
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm28, zmm28, ymmword ptr [rax + r8 + 64], 1
    vprorq zmm24, zmm18, 18
    vmovdqa64 zmm4, zmm27
    vpternlogq zmm4, zmm30, zmm25, 0xe8
    vmovdqa64 zmm1, zmm11
    vpternlogq zmm1, zmm31, zmm15, 0xe8
    vpaddq zmm29, zmm29, zmmword ptr [rdx + 896]
    vprorq zmm2, zmm20, 41
    vprorq zmm23, zmm18, 41
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 64], 1
    vpaddq zmm5, zmm5, zmmword ptr [rdx + 1920]
    mov rax, qword ptr [rsi + 64]
    vmovdqu64 ymm10, ymmword ptr [rax + r8 + 96]
    vpunpcklqdq zmm12, zmm28, zmm7
    vpunpckhqdq zmm28, zmm28, zmm7
    vprorq zmm9, zmm27, 28
    vpternlogq zmm3, zmm13, zmm2, 0x96
    vpternlogq zmm16, zmm24, zmm23, 0x96
    mov rax, qword ptr [rsi + 72]
    vmovdqu64 ymm26, ymmword ptr [rax + r8 + 96]
    mov rax, qword ptr [rsi + 96]
    vmovdqu64 ymm7, ymmword ptr [rax + r8 + 96]
    vpaddq zmm13, zmm0, qword ptr [r10 + 120]{1to8}
    vprorq zmm2, zmm11, 28
    vprorq zmm24, zmm27, 34
    mov rax, qword ptr [rsi + 80]
    vinserti64x4 zmm10, zmm10, ymmword ptr [rax + r8 + 96], 1
    vpaddq zmm21, zmm21, zmm3
    vpaddq zmm17, zmm17, zmm16
    vpaddq zmm13, zmm13, zmmword ptr [rdx + 960]
    vprorq zmm23, zmm11, 34
    vprorq zmm3, zmm27, 39
    vpaddq zmm6, zmm6, zmm21
    vpaddq zmm14, zmm14, zmm17
    vpaddq zmm21, zmm21, zmm4
    vpaddq zmm17, zmm17, zmm1
    vprorq zmm16, zmm11, 39
    vshufi64x2 zmm4, zmm22, zmm12, 0x88
    vshufi64x2 zmm22, zmm22, zmm12, 0xdd
    vpternlogq zmm9, zmm24, zmm3, 0x96
    vpternlogq zmm0, zmm20, zmm6, 0xd8
    vmovdqa64 zmm1, zmm14
    vpternlogq zmm1, zmm18, zmm8, 0xca
    vpshufb zmm4, zmm4, zmmword ptr [r11]
    vpshufb zmm22, zmm22, zmmword ptr [r11]
    vshufi64x2 zmm12, zmm19, zmm28, 0x88
    vpternlogq zmm2, zmm23, zmm16, 0x96
    vpaddq zmm21, zmm21, zmm9
    vpaddq zmm29, zmm29, zmm0
    vpshufb zmm12, zmm12, zmmword ptr [r11]
    vprorq zmm24, zmm6, 14
    vprorq zmm3, zmm14, 14
    vmovdqa64 zmmword ptr [r9 + 1536], zmm4
    vpaddq zmm17, zmm17, zmm2
    vmovdqa64 zmmword ptr [r9 + 1664], zmm22
    vpaddq zmm5, zmm5, zmm1
    vmovdqa64 zmm23, zmm21
    vpternlogq zmm23, zmm27, zmm30, 0xe8
    vprorq zmm16, zmm6, 18
    vprorq zmm9, zmm14, 18
    vprorq zmm0, zmm6, 41
    vmovdqa64 zmmword ptr [r9 + 1600], zmm12
    vmovdqa64 zmm4, zmm17
    vpternlogq zmm4, zmm11, zmm31, 0xe8
    vpaddq zmm8, zmm8, qword ptr [r10 + 120]{1to8}
    mov rax, qword ptr [rsi + 104]
    vmovdqu64 ymm2, ymmword ptr [rax + r8 + 96]
    vshufi64x2 zmm19, zmm19, zmm28, 0xdd
    vprorq zmm22, zmm14, 41
    mov rax, qword ptr [rsi + 88]
    vinserti64x4 zmm26, zmm26, ymmword ptr [rax + r8 + 96], 1
    vpternlogq zmm24, zmm16, zmm0, 0x96
    vpaddq zmm8, zmm8, zmmword ptr [rdx + 1984]
    vpaddq zmm1, zmm21, zmmword ptr [rdi + 128]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vprorq zmm12, zmm21, 28
    vprorq zmm28, zmm17, 28
    vpternlogq zmm3, zmm9, zmm22, 0x96
    vpaddq zmm29, zmm29, zmm24
    vpaddq zmm16, zmm17, zmmword ptr [rdi + 640]
    vprorq zmm0, zmm21, 34
    vprorq zmm9, zmm17, 34
    vprorq zmm22, zmm21, 39
    vmovdqa64 zmmword ptr [r9 + 1728], zmm19
    vpaddq zmm5, zmm5, zmm3
    vpaddq zmm25, zmm25, zmm29
    vpaddq zmm29, zmm29, zmm23
    vprorq zmm24, zmm17, 39
    vpunpcklqdq zmm19, zmm10, zmm26
    vpunpckhqdq zmm10, zmm10, zmm26
    vpaddq zmm15, zmm15, zmm5
    vpaddq zmm5, zmm5, zmm4
    vpternlogq zmm12, zmm0, zmm22, 0x96
    mov rax, qword ptr [rsi + 112]
    vinserti64x4 zmm7, zmm7, ymmword ptr [rax + r8 + 96], 1
    mov rax, qword ptr [rsi + 120]
    vinserti64x4 zmm2, zmm2, ymmword ptr [rax + r8 + 96], 1
    vpternlogq zmm28, zmm9, zmm24, 0x96
    vpaddq zmm29, zmm29, zmm12
    vmovdqa64 zmm3, zmm25
    vpternlogq zmm3, zmm6, zmm20, 0xca
    vmovdqa64 zmm23, zmm15
    vpternlogq zmm23, zmm14, zmm18, 0xca
    vpunpcklqdq zmm26, zmm7, zmm2
    vpunpckhqdq zmm7, zmm7, zmm2
    vprorq zmm4, zmm25, 14
    vpaddq zmm5, zmm5, zmm28
    vpaddq zmm13, zmm13, zmm3
    vpaddq zmm8, zmm8, zmm23
    vprorq zmm0, zmm15, 14
    vprorq zmm22, zmm25, 18
    vprorq zmm9, zmm15, 18
    vpternlogq zmm21, zmm29, zmm27, 0xe8
    vpternlogq zmm17, zmm5, zmm11, 0xe8
    vpaddq zmm24, zmm29, zmmword ptr [rdi + 64]
    vprorq zmm12, zmm25, 41
    vprorq zmm2, zmm15, 41
    vmovdqa64 zmmword ptr [rdi + 64], zmm24
    vmovdqa64 zmmword ptr [rdi + 128], zmm1
    vmovdqa64 zmmword ptr [rdi + 640], zmm16
    vpaddq zmm27, zmm27, zmmword ptr [rdi + 192]
    vpaddq zmm11, zmm11, zmmword ptr [rdi + 704]
    vpaddq zmm25, zmm25, zmmword ptr [rdi + 320]
    vpaddq zmm15, zmm15, zmmword ptr [rdi + 832]
    vshufi64x2 zmm28, zmm19, zmm26, 0x88
    vshufi64x2 zmm19, zmm19, zmm26, 0xdd
    vprorq zmm3, zmm29, 28
    vpternlogq zmm4, zmm22, zmm12, 0x96
    vpternlogq zmm0, zmm9, zmm2, 0x96
    vpaddq zmm23, zmm5, zmmword ptr [rdi + 576]
    vpshufb zmm28, zmm28, zmmword ptr [r11]
    vpshufb zmm19, zmm19, zmmword ptr [r11]
    vshufi64x2 zmm26, zmm10, zmm7, 0x88
    vpaddq zmm13, zmm13, zmm4
    vpaddq zmm8, zmm8, zmm0
    vmovdqa64 zmmword ptr [rdi + 576], zmm23
    vmovdqa64 zmmword ptr [rdi + 192], zmm27
    vmovdqa64 zmmword ptr [rdi + 704], zmm11
    vmovdqa64 zmmword ptr [rdi + 320], zmm25
    vmovdqa64 zmmword ptr [rdi + 832], zmm15
    vpaddq zmm6, zmm6, zmmword ptr [rdi + 384]
    vpshufb zmm26, zmm26, zmmword ptr [r11]
    vprorq zmm22, zmm5, 28
    vmovdqa64 zmmword ptr [r9 + 1792], zmm28
    vpaddq zmm30, zmm30, zmm13
    vpaddq zmm31, zmm31, zmm8
    vpaddq zmm13, zmm13, zmm21
    vpaddq zmm8, zmm8, zmm17
    vmovdqa64 zmmword ptr [r9 + 1920], zmm19
    vprorq zmm12, zmm29, 34
    vprorq zmm9, zmm5, 34
    vprorq zmm29, zmm29, 39
    vmovdqa64 zmmword ptr [r9 + 1856], zmm26
    vpaddq zmm30, zmm30, zmmword ptr [rdi + 256]
    vpaddq zmm31, zmm31, zmmword ptr [rdi + 768]
    vpaddq zmm14, zmm14, zmmword ptr [rdi + 896]
    vprorq zmm5, zmm5, 39
    vshufi64x2 zmm10, zmm10, zmm7, 0xdd
    vpternlogq zmm3, zmm12, zmm29, 0x96
    vmovdqa64 zmmword ptr [rdi + 256], zmm30
    vmovdqa64 zmmword ptr [rdi + 768], zmm31
    vmovdqa64 zmmword ptr [rdi + 384], zmm6
    vmovdqa64 zmmword ptr [rdi + 896], zmm14
    vpaddq zmm20, zmm20, zmmword ptr [rdi + 448]
    vpaddq zmm18, zmm18, zmmword ptr [rdi + 960]
    vpshufb zmm10, zmm10, zmmword ptr [r11]
    vpternlogq zmm22, zmm9, zmm5, 0x96
    vpaddq zmm13, zmm13, zmm3
    vmovdqa64 zmmword ptr [rdi + 448], zmm20
    vmovdqa64 zmmword ptr [rdi + 960], zmm18
    vpaddq zmm8, zmm8, zmm22
    vmovdqa64 zmmword ptr [r9 + 1984], zmm10
    vpaddq zmm13, zmm13, zmmword ptr [rdi + 0]
    vpaddq zmm8, zmm8, zmmword ptr [rdi + 512]
    vmovdqa64 zmmword ptr [rdi + 0], zmm13
    vmovdqa64 zmmword ptr [rdi + 512], zmm8
    vmovdqa64 zmm0, zmm13
    vmovdqa64 zmm2, zmm1
    vmovdqa64 zmm1, zmm24
    vmovdqa64 zmm12, zmm31
    vmovdqa64 zmm10, zmm16
    vmovdqa64 zmm9, zmm23
    vmovdqa64 zmm7, zmm20
    vmovdqa64 zmm5, zmm25
    vmovdqa64 zmm4, zmm30
    vmovdqa64 zmm3, zmm27
    vmovdqa64 zmm13, zmm15
    vmovdqa64 zmm15, zmm18
    sub r10, 512
    cmp r14, r12
    jb 2b
